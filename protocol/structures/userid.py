"""UID, the body of USERID_DATA: the user at the other end, 28 or 132 bytes, mq-wire.md 5.2."""

from __future__ import annotations

from typing import Any, Final

from construct import Struct

from mqbridge.protocol.constants import MQSIDT, ByteOrder
from mqbridge.protocol.fields import Numbers, char, raw
from mqbridge.protocol.grammar import Structure
from mqbridge.protocol.layouts.userid import UidBig, UidLittle
from mqbridge.protocol.records import Buffer

from .bodies import Body, read_body


def _uid(n: Numbers) -> Any:
    return Struct(
        char("StrucId", 4, "`UID` and a blank", default=b"UID"),
        char("UserId", 12, "user id"),
        char("Password", 12, "password, filled with blanks or NULs", secret=True),
        char("LongUserId", 64, "whole user id", since="132 bytes"),
        n.u8("SidLength", "bytes of security id with its type, 0 for none", since="132 bytes"),
        n.u8("SidType", "kind of security id", since="132 bytes", names=MQSIDT),
        raw("SecurityId", 38, "security id, filled with NULs", since="132 bytes"),
    )


UID = Structure("UID", _uid, UidBig, UidLittle, spec="mq-wire.md 5.2")
"""The long form, 132 bytes."""

SHORT_UID_SIZE: Final = 28
"""Length in bytes of the short form, which ends with the password."""


def parse_userid(body: Buffer, order: ByteOrder) -> Body:
    """Read the body of USERID_DATA: the long form if it has 132 bytes or more, otherwise the short one.

    Raises ``StructureError`` for fewer than 28 bytes.
    """
    most = UID.size if len(body) >= UID.size else SHORT_UID_SIZE
    return read_body(UID, body, order, least=SHORT_UID_SIZE, most=most)
