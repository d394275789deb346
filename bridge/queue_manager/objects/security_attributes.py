"""Attributes of records: channel authentication (CHLAUTH, channels.md 14) and authority (AUTHREC)."""

from __future__ import annotations

from .attributes import Attribute, Table, text, texts, word
from .queue_attributes import DATES
from .values import Text, Value, WordList

_USERSRC = (word("USERSRC", "MAP", "NOACCESS", "CHANNEL"), text("MCAUSER", 64))
_CHECK = word("CHCKCLNT", "ASQMGR", "REQUIRED", "REQDADM")
_ADDRESS = Attribute("ADDRESS", Text(264), "", create_only=True)


def _match(name: str, length: int) -> Attribute:
    return Attribute(name, Text(length), "", create_only=True)


def _record(kind: str, *attributes: Attribute) -> Table:
    always = (word("TYPE", kind, create_only=True), text("DESCR", 64), text("CUSTOM", 128), word("WARN", "NO", "YES"))
    return Table((*always, *attributes, *DATES))


CHLAUTHS: dict[str, Table] = {
    "BLOCKUSER": _record("BLOCKUSER", texts("USERLIST", 100, 64)),
    "BLOCKADDR": _record("BLOCKADDR", texts("ADDRLIST", 256, 264)),
    "SSLPEERMAP": _record("SSLPEERMAP", _match("SSLPEER", 1024), _match("SSLCERTI", 1024), _ADDRESS, *_USERSRC, _CHECK),
    "ADDRESSMAP": _record("ADDRESSMAP", _ADDRESS, *_USERSRC, _CHECK),
    "USERMAP": _record("USERMAP", _match("CLNTUSER", 64), _ADDRESS, *_USERSRC, _CHECK),
    "QMGRMAP": _record("QMGRMAP", _match("QMNAME", 48), _ADDRESS, *_USERSRC, _CHECK),
}
"""Attribute table by TYPE."""

CHLAUTH_KEYS = ("TYPE", "SSLPEER", "SSLCERTI", "CLNTUSER", "QMNAME", "ADDRESS")
"""What tells two records of one profile apart."""
CHLAUTH_REQUIRED = {
    "SSLPEERMAP": "SSLPEER",
    "ADDRESSMAP": "ADDRESS",
    "USERMAP": "CLNTUSER",
    "QMGRMAP": "QMNAME",
    "BLOCKUSER": "USERLIST",
    "BLOCKADDR": "ADDRLIST",
}
"""The attribute that each TYPE matches on and that must be given."""

AUTHORITY_OBJECTS = (
    "AUTHINFO", "CHANNEL", "CLNTCONN", "COMMINFO", "LISTENER", "NAMELIST", "PROCESS", "QMGR", "QUEUE", "RQMNAME",
    "SERVICE", "TOPIC",
)  # fmt: skip
AUTHORITIES = (
    "ALTUSR", "BROWSE", "CHG", "CLR", "CONNECT", "CRT", "CTRL", "CTRLX", "DLT", "DSP", "GET", "INQ", "PASSALL",
    "PASSID", "PUB", "PUT", "RESUME", "SET", "SETALL", "SETID", "SUB", "SYSTEM",
)  # fmt: skip

_CONTEXT = frozenset({"PASSALL", "PASSID", "SETALL", "SETID"})
_DEFINING = frozenset({"CHG", "CRT", "DLT", "DSP"})

ALLOWED_MQI: dict[str, frozenset[str]] = {
    "QUEUE": _CONTEXT | {"BROWSE", "GET", "INQ", "PUT", "SET"},
    "QMGR": frozenset({"ALTUSR", "CONNECT", "INQ", "SET", "SETALL", "SETID", "SYSTEM"}),
    "TOPIC": _CONTEXT | {"PUB", "RESUME", "SUB"},
    "PROCESS": frozenset({"INQ", "SET"}),
    "NAMELIST": frozenset({"INQ"}),
    "AUTHINFO": frozenset({"INQ"}),
    "RQMNAME": frozenset({"PUT"}),
}
"""What ALLMQI stands for, by OBJTYPE."""
ALLOWED_ADMIN: dict[str, frozenset[str]] = {
    "QUEUE": _DEFINING | {"CLR"},
    "QMGR": frozenset({"CHG", "CRT", "CTRL", "DLT", "DSP"}),
    "TOPIC": _DEFINING | {"CLR", "CTRL"},
    "CHANNEL": _DEFINING | {"CTRL", "CTRLX"},
    "LISTENER": _DEFINING | {"CTRL"},
    "SERVICE": _DEFINING | {"CTRL"},
    **dict.fromkeys(("AUTHINFO", "CLNTCONN", "COMMINFO", "NAMELIST", "PROCESS"), _DEFINING),
}
"""What ALLADM stands for, by OBJTYPE."""


def authorities_of(word_given: str, object_type: str) -> frozenset[str]:
    """The authorities that one word of AUTHADD or AUTHRMV stands for; an unknown word gives none."""
    if word_given == "ALLMQI":
        return ALLOWED_MQI.get(object_type, frozenset()) - {"SYSTEM"}
    if word_given == "ALLADM":
        return ALLOWED_ADMIN.get(object_type, frozenset())
    if word_given == "ALL":
        return ALLOWED_MQI.get(object_type, frozenset()) | ALLOWED_ADMIN.get(object_type, frozenset())
    return frozenset({word_given}) & frozenset(AUTHORITIES)


class AuthorityList(WordList):
    """A set of authorities, kept in alphabetical order; an empty one reads NONE."""

    def check(self, value: Value) -> Value:
        """A tuple of authorities, perhaps empty; raises `ValueRefused`."""
        if isinstance(value, tuple | list) and not value:
            return ()
        checked = WordList.check(self, value)
        return tuple(sorted(checked)) if isinstance(checked, tuple) else checked

    def show(self, value: Value) -> str:
        """The authorities with commas between them, NONE for none."""
        return ",".join(value) if isinstance(value, tuple) and value else "NONE"


AUTHREC = Table(
    (
        word("OBJTYPE", *AUTHORITY_OBJECTS, create_only=True),
        word("ENTTYPE", "PRINCIPAL", "GROUP", create_only=True),
        Attribute("ENTITY", Text(1024), "", create_only=True),
        Attribute("AUTHLIST", AuthorityList(AUTHORITIES, len(AUTHORITIES)), ()),
    )
)
AUTHREC_KEYS = ("OBJTYPE", "ENTTYPE", "ENTITY")
