"""Attributes of PROCESS, NAMELIST, LISTENER, SERVICE and AUTHINFO (channels.md 15; names are MQ's)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from mqbridge.protocol.constants import MQAT, MQCA, MQCACH, MQIA, MQIACH

from .attributes import (
    CLIENT_CHECKS,
    CONTROL,
    NO_YES,
    TRANSPORTS,
    YES_NO,
    Attribute,
    DisplayField,
    Numbers,
    Table,
    integer,
    text,
    texts,
    word,
)
from .errors import ValueRefused
from .queue_attributes import DATES
from .values import Value

DEFAULT_PORT = 1414

PROCESS_NAME = DisplayField("PROCESS", MQCA.PROCESS_NAME)
NAMELIST_NAME = DisplayField("NAMELIST", MQCA.NAMELIST_NAME)
NAME_COUNT = DisplayField("NAMCOUNT", MQIA.NAME_COUNT)
LISTENER_NAME = DisplayField("LISTENER", MQCACH.LISTENER_NAME)
SERVICE_NAME = DisplayField("SERVICE", MQCA.SERVICE_NAME)
AUTHENTICATION_NAME = DisplayField("AUTHINFO", MQCA.AUTH_INFO_NAME)

_APPLICATION_NUMBERS: Numbers = {
    "CICS": MQAT.CICS,
    "MVS": MQAT.MVS,
    "IMS": MQAT.IMS,
    "OS2": MQAT.OS2,
    "DOS": MQAT.DOS,
    "UNIX": MQAT.UNIX,
    "OS400": MQAT.OS400,
    "WINDOWS": MQAT.WINDOWS,
    "WINDOWSNT": MQAT.WINDOWS_NT,
    "NSK": MQAT.NSK,
    "JAVA": MQAT.JAVA,
    "USER": MQAT.USER,
    "NOTESAGENT": MQAT.NOTES_AGENT,
    "IMSBRIDGE": MQAT.IMS_BRIDGE,
    "VOS": MQAT.VOS,
    "XCF": MQAT.XCF,
    "WLM": MQAT.WLM,
    "ZOS": MQAT.ZOS,
}
_APPLICATION_TYPES = (*_APPLICATION_NUMBERS, "DEF")


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
        """As `parse`, for a value from a program."""
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
        text("DESCR", MQCA.PROCESS_DESC, 64),
        text("APPLICID", MQCA.APPL_ID, 256),
        Attribute("APPLTYPE", MQIA.APPL_TYPE, _APPLICATION_NUMBERS, ApplicationType(), "UNIX"),
        text("ENVRDATA", MQCA.ENV_DATA, 128),
        text("USERDATA", MQCA.USER_DATA, 128),
        *DATES,
    )
)

NAMELIST = Table((text("DESCR", MQCA.NAMELIST_DESC, 64), texts("NAMES", MQCA.NAMES, 256, 48, names=True), *DATES))

_BACKLOG = integer("BACKLOG", MQIACH.BACKLOG, 0, 999999999, 0)


def _listener(transport: str, *attributes: Attribute) -> Table:
    always = (
        word("TRPTYPE", MQIACH.XMIT_PROTOCOL_TYPE, TRANSPORTS, only=(transport,), create_only=True),
        text("DESCR", MQCACH.LISTENER_DESC, 64),
        word("CONTROL", MQIACH.LISTENER_CONTROL, CONTROL),
    )
    return Table((*always, *attributes, *DATES))


LISTENERS: dict[str, Table] = {
    "TCP": _listener(
        "TCP",
        integer("PORT", MQIACH.PORT, 0, 65535, DEFAULT_PORT),
        text("IPADDR", MQCACH.IP_ADDRESS, 264),
        _BACKLOG,
    ),
    "LU62": _listener("LU62", text("TPNAME", MQCACH.TP_NAME, 64)),
    "NETBIOS": _listener(
        "NETBIOS",
        integer("ADAPTER", MQIACH.ADAPTER, 0, 255, 0),
        integer("COMMANDS", MQIACH.COMMAND_COUNT, 0, 255, 0),
        text("LOCLNAME", MQCACH.LOCAL_NAME, 16),
        integer("NTBNAMES", MQIACH.NAME_COUNT, 0, 255, 0),
        integer("SESSIONS", MQIACH.SESSION_COUNT, 0, 255, 0),
    ),
    "SPX": _listener("SPX", integer("SOCKET", MQIACH.SOCKET, 0, 65535, 0), _BACKLOG),
}
"""Attribute table by TRPTYPE; only TCP listeners can be started."""

SERVICE = Table(
    (
        text("DESCR", MQCA.SERVICE_DESC, 64),
        word("CONTROL", MQIA.SERVICE_CONTROL, CONTROL),
        word("SERVTYPE", MQIA.SERVICE_TYPE, {"COMMAND": 0, "SERVER": 1}),
        text("STARTCMD", MQCA.SERVICE_START_COMMAND, 255),
        text("STARTARG", MQCA.SERVICE_START_ARGS, 255),
        text("STOPCMD", MQCA.SERVICE_STOP_COMMAND, 255),
        text("STOPARG", MQCA.SERVICE_STOP_ARGS, 255),
        text("STDOUT", MQCA.STDOUT_DESTINATION, 255),
        text("STDERR", MQCA.STDERR_DESTINATION, 255),
        *DATES,
    )
)

_CHECKS = ("OPTIONAL", "NONE", "REQUIRED", "REQDADM")
_CONNECTION_CHECKS = (
    word("CHCKCLNT", MQIA.CHECK_CLIENT_BINDING, CLIENT_CHECKS, default="REQDADM"),
    word("CHCKLOCL", MQIA.CHECK_LOCAL_BINDING, CLIENT_CHECKS, only=_CHECKS),
    integer("FAILDLAY", MQIA.AUTHENTICATION_FAIL_DELAY, 0, 60, 1),
    word("ADOPTCTX", MQIA.ADOPT_CONTEXT, YES_NO),
)
_DIRECTORY = (
    text("CONNAME", MQCA.AUTH_INFO_CONN_NAME, 264),
    text("LDAPUSER", MQCA.LDAP_USER_NAME, 256),
    text("LDAPPWD", MQCA.LDAP_PASSWORD, 32, secret=True),
)
_TYPES: Numbers = {"CRLLDAP": 1, "OCSP": 2, "IDPWOS": 3, "IDPWLDAP": 4}
_AUTHORIZATION: Numbers = {"OS": 0, "SEARCHGRP": 1, "SEARCHUSR": 2, "SRCHGRPSN": 3}


def _authinfo(kind: str, *attributes: Attribute) -> Table:
    subtype = word("AUTHTYPE", MQIA.AUTH_INFO_TYPE, _TYPES, only=(kind,), create_only=True)
    return Table((subtype, text("DESCR", MQCA.AUTH_INFO_DESC, 64), *attributes, *DATES))


AUTHINFOS: dict[str, Table] = {
    "IDPWOS": _authinfo(
        "IDPWOS", *_CONNECTION_CHECKS, word("AUTHENMD", MQIA.AUTHENTICATION_METHOD, {"OS": 0, "PAM": 1})
    ),
    "IDPWLDAP": _authinfo(
        "IDPWLDAP",
        *_CONNECTION_CHECKS,
        *_DIRECTORY,
        word("AUTHORMD", MQIA.LDAP_AUTHORMD, _AUTHORIZATION),
        text("BASEDNG", MQCA.LDAP_BASE_DN_GROUPS, 1024),
        text("BASEDNU", MQCA.LDAP_BASE_DN_USERS, 1024),
        text("CLASSGRP", MQCA.LDAP_GROUP_OBJECT_CLASS, 128),
        text("CLASSUSR", MQCA.LDAP_USER_OBJECT_CLASS, 128),
        text("FINDGRP", MQCA.LDAP_FIND_GROUP_FIELD, 128),
        text("GRPFIELD", MQCA.LDAP_GROUP_ATTR_FIELD, 128),
        word("NESTGRP", MQIA.LDAP_NESTGRP, NO_YES),
        word("SECCOMM", MQIA.LDAP_SECURE_COMM, {"NO": 0, "YES": 1, "ANON": 2}),
        text("SHORTUSR", MQCA.LDAP_SHORT_USER_FIELD, 128),
        text("USRFIELD", MQCA.LDAP_USER_ATTR_FIELD, 128),
    ),
    "CRLLDAP": _authinfo("CRLLDAP", *_DIRECTORY),
    "OCSP": _authinfo("OCSP", text("OCSPURL", MQCA.AUTH_INFO_OCSP_URL, 256)),
}
"""Attribute table by AUTHTYPE."""
