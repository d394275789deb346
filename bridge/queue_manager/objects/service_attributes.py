"""Attributes of PROCESS, NAMELIST, LISTENER, SERVICE and AUTHINFO (channels.md 15; names are MQ's)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from .attributes import Attribute, Table, integer, names, text, word
from .errors import ValueRefused
from .queue_attributes import DATES
from .values import Value

DEFAULT_PORT = 1414

_APPLICATION_TYPES = (
    "CICS", "MVS", "IMS", "OS2", "DOS", "UNIX", "OS400", "WINDOWS", "WINDOWSNT", "NSK", "JAVA", "USER", "NOTESAGENT",
    "IMSBRIDGE", "VOS", "XCF", "WLM", "ZOS", "DEF",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ApplicationType:
    """APPLTYPE of a process: a word, or a number that a user defines (kept as text)."""

    def parse(self, given: Sequence[str]) -> Value:
        """A word or a number from 0 to 999999999; raises `ValueRefused`."""
        if len(given) != 1:
            raise ValueRefused(f"{len(given)} values given, expected {self.expected()}")
        value = given[0].strip().upper()
        if value not in _APPLICATION_TYPES and not re.fullmatch(r"[0-9]{1,9}", value):
            raise ValueRefused(f"'{value}' is not {self.expected()}")
        return "UNIX" if value == "DEF" else value

    def check(self, value: Value) -> Value:
        """The same for a value that a program gives."""
        return self.parse([str(value)])

    def show(self, value: Value) -> str:
        """The word or the digits."""
        return str(value)

    write = show

    def expected(self) -> str:
        """Words and range."""
        return "a number or one of " + ", ".join(_APPLICATION_TYPES)


PROCESS = Table(
    (
        text("DESCR", 64),
        text("APPLICID", 256),
        Attribute("APPLTYPE", ApplicationType(), "UNIX"),
        text("ENVRDATA", 128),
        text("USERDATA", 128),
        *DATES,
    )
)

NAMELIST = Table((text("DESCR", 64), names("NAMES"), *DATES))

_STARTING = word("CONTROL", "MANUAL", "QMGR", "STARTONLY")


def _listener(transport: str, *attributes: Attribute) -> Table:
    return Table((word("TRPTYPE", transport, create_only=True), text("DESCR", 64), _STARTING, *attributes, *DATES))


LISTENERS: dict[str, Table] = {
    "TCP": _listener(
        "TCP",
        integer("PORT", 0, 65535, DEFAULT_PORT),
        text("IPADDR", 264),
        integer("BACKLOG", 0, 999999999, 0),
    ),
    "LU62": _listener("LU62", text("TPNAME", 64)),
    "NETBIOS": _listener(
        "NETBIOS",
        integer("ADAPTER", 0, 255, 0),
        integer("COMMANDS", 0, 255, 0),
        text("LOCLNAME", 16),
        integer("NTBNAMES", 0, 255, 0),
        integer("SESSIONS", 0, 255, 0),
    ),
    "SPX": _listener("SPX", integer("SOCKET", 0, 65535, 0), integer("BACKLOG", 0, 999999999, 0)),
}
"""Attribute table by TRPTYPE; only TCP listeners can be started."""

SERVICE = Table(
    (
        text("DESCR", 64),
        _STARTING,
        word("SERVTYPE", "COMMAND", "SERVER"),
        text("STARTCMD", 255),
        text("STARTARG", 255),
        text("STOPCMD", 255),
        text("STOPARG", 255),
        text("STDOUT", 255),
        text("STDERR", 255),
        *DATES,
    )
)

_CHECKS = ("OPTIONAL", "NONE", "REQUIRED", "REQDADM")
_AS_QUEUE_MANAGER = "ASQMGR"
"""NONE while every listener is on a loopback address, else REQUIRED."""
_CONNECTION_CHECKS = (
    word("CHCKCLNT", *_CHECKS, _AS_QUEUE_MANAGER, default="REQDADM"),
    word("CHCKLOCL", *_CHECKS),
    integer("FAILDLAY", 0, 60, 1),
    word("ADOPTCTX", "YES", "NO"),
)
_DIRECTORY = (text("CONNAME", 264), text("LDAPUSER", 256), text("LDAPPWD", 32, secret=True))


def _authinfo(kind: str, *attributes: Attribute) -> Table:
    return Table((word("AUTHTYPE", kind, create_only=True), text("DESCR", 64), *attributes, *DATES))


AUTHINFOS: dict[str, Table] = {
    "IDPWOS": _authinfo("IDPWOS", *_CONNECTION_CHECKS, word("AUTHENMD", "OS", "PAM")),
    "IDPWLDAP": _authinfo(
        "IDPWLDAP",
        *_CONNECTION_CHECKS,
        *_DIRECTORY,
        word("AUTHORMD", "OS", "SEARCHGRP", "SEARCHUSR", "SRCHGRPSN"),
        text("BASEDNG", 1024),
        text("BASEDNU", 1024),
        text("CLASSGRP", 128),
        text("CLASSUSR", 128),
        text("FINDGRP", 128),
        text("GRPFIELD", 128),
        word("NESTGRP", "NO", "YES"),
        word("SECCOMM", "NO", "YES", "ANON"),
        text("SHORTUSR", 128),
        text("USRFIELD", 128),
    ),
    "CRLLDAP": _authinfo("CRLLDAP", *_DIRECTORY),
    "OCSP": _authinfo("OCSP", text("OCSPURL", 256)),
}
"""Attribute table by AUTHTYPE."""
