"""Attributes of records: channel authentication (CHLAUTH, channels.md 14) and authority (AUTHREC)."""

from __future__ import annotations

from mqbridge.protocol.constants import MQCA, MQCACF, MQCACH, MQIA, MQIACF, MQIACH

from .attributes import (
    CLIENT_CHECKS,
    ENTITIES,
    NO_YES,
    OBJECT_TYPES,
    Attribute,
    DisplayField,
    Numbers,
    Table,
    text,
    texts,
    word,
)
from .queue_attributes import DATES
from .values import Value, WordList

CHLAUTH_NAME = DisplayField("CHLAUTH", MQCACH.CHANNEL_NAME)
AUTHREC_NAME = DisplayField("PROFILE", MQCACF.AUTH_PROFILE_NAME)

_MAPPED = (
    word("USERSRC", MQIACH.USER_SOURCE, {"MAP": 0, "NOACCESS": 1, "CHANNEL": 2}),
    text("MCAUSER", MQCACH.MCA_USER_ID, 64),
    word("CHCKCLNT", MQIA.CHECK_CLIENT_BINDING, CLIENT_CHECKS, only=("ASQMGR", "REQUIRED", "REQDADM")),
    text("ADDRESS", MQCACH.CONNECTION_NAME, 264, create_only=True),
)
_TYPES: Numbers = {
    "ALL": 0,
    "BLOCKUSER": 1,
    "BLOCKADDR": 2,
    "SSLPEERMAP": 3,
    "ADDRESSMAP": 4,
    "USERMAP": 5,
    "QMGRMAP": 6,
}


def _record(kind: str, *attributes: Attribute) -> Table:
    always = (
        word("TYPE", MQIACF.CHLAUTH_TYPE, _TYPES, only=(kind,), create_only=True),
        text("DESCR", MQCA.CHLAUTH_DESC, 64),
        text("CUSTOM", MQCA.CUSTOM, 128),
        word("WARN", MQIACH.WARNING, NO_YES),
    )
    return Table((*always, *attributes, *DATES))


CHLAUTHS: dict[str, Table] = {
    "BLOCKUSER": _record("BLOCKUSER", texts("USERLIST", MQCACH.MCA_USER_ID_LIST, 100, 64)),
    "BLOCKADDR": _record("BLOCKADDR", texts("ADDRLIST", MQCACH.CONNECTION_NAME_LIST, 256, 264)),
    "SSLPEERMAP": _record(
        "SSLPEERMAP",
        text("SSLPEER", MQCACH.SSL_PEER_NAME, 1024, create_only=True),
        text("SSLCERTI", MQCA.SSL_CERT_ISSUER_NAME, 1024, create_only=True),
        *_MAPPED,
    ),
    "ADDRESSMAP": _record("ADDRESSMAP", *_MAPPED),
    "USERMAP": _record("USERMAP", text("CLNTUSER", MQCACH.CLIENT_USER_ID, 64, create_only=True), *_MAPPED),
    "QMGRMAP": _record("QMGRMAP", text("QMNAME", MQCA.REMOTE_Q_MGR_NAME, 48, create_only=True), *_MAPPED),
}
"""Attribute table by TYPE."""

CHLAUTH_KEYS = ("TYPE", "SSLPEER", "SSLCERTI", "CLNTUSER", "QMNAME", "ADDRESS")
"""Attributes that distinguish two records of one profile."""
CHLAUTH_REQUIRED = {
    "SSLPEERMAP": "SSLPEER",
    "ADDRESSMAP": "ADDRESS",
    "USERMAP": "CLNTUSER",
    "QMGRMAP": "QMNAME",
    "BLOCKUSER": "USERLIST",
    "BLOCKADDR": "ADDRLIST",
}
"""The attribute that each TYPE matches on and that must be given."""

AUTHORITY_OBJECTS = tuple(word for word in OBJECT_TYPES if word != "ALL")
AUTHORITY_NUMBERS: Numbers = {
    "NONE": 0, "ALTUSR": 1, "BROWSE": 2, "CHG": 3, "CLR": 4, "CONNECT": 5, "CRT": 6, "DLT": 7, "DSP": 8, "GET": 9,
    "INQ": 10, "PUT": 11, "PASSALL": 12, "PASSID": 13, "SET": 14, "SETALL": 15, "SETID": 16, "CTRL": 17, "CTRLX": 18,
    "PUB": 19, "SUB": 20, "RESUME": 21, "SYSTEM": 22, "ALL": -1, "ALLADM": -2, "ALLMQI": -3,
}  # fmt: skip
"""MQAUTH numbers."""
AUTHORITIES = tuple(sorted(word for word, number in AUTHORITY_NUMBERS.items() if number > 0))

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
    """The authorities of one word of AUTHADD or AUTHRMV; empty for an unknown one."""
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
        word("OBJTYPE", MQIACF.OBJECT_TYPE, OBJECT_TYPES, only=AUTHORITY_OBJECTS, create_only=True),
        word("ENTTYPE", MQIACF.ENTITY_TYPE, ENTITIES, create_only=True),
        text("ENTITY", MQCACF.ENTITY_NAME, 1024, create_only=True),
        Attribute(
            "AUTHLIST",
            MQIACF.AUTHORIZATION_LIST,
            AUTHORITY_NUMBERS,
            AuthorityList(AUTHORITIES, len(AUTHORITIES)),
            (),
        ),
    )
)
AUTHREC_KEYS = ("OBJTYPE", "ENTTYPE", "ENTITY")
