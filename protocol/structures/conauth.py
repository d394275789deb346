"""CAUT, the body of CONAUTH_INFO: user id and password of a client, mq-wire.md 5.3.

From FAP level 13 on eight zero bytes stand in front of the texts; segments of shared sockets end with up to three
NULs. The segment does not say its level, so the form is the one whose texts end where the body does. Where its
lengths are wrong a password may stand in any of the bytes behind them, so none of those is ever shown.
"""

from __future__ import annotations

from typing import Any, Final

from construct import GreedyBytes, Struct, this

from mqbridge.protocol.constants import MQCSP, ByteOrder
from mqbridge.protocol.fields import Numbers, char, part, raw
from mqbridge.protocol.grammar import Structure
from mqbridge.protocol.records import Buffer

_RESERVED: Final = 8


def _head(n: Numbers) -> tuple[Any, ...]:
    return (
        char("StrucId", 4, "`CAUT`", default=b"CAUT"),
        n.u32("AuthType", "kind of authentication", names=MQCSP, default=1),
        n.u32("UserIdMaxLength", "room for the user id"),
        n.u32("PasswordMaxLength", "room for the password"),
        n.u32("UserIdLength", "bytes of user id"),
        n.u32("PasswordLength", "bytes of password"),
    )


def _texts() -> tuple[Any, ...]:
    return (
        char("UserId", this.user_id_length, "user id"),
        char("Password", this.password_length, "password, clear or protected", secret=True),
        part("Padding", GreedyBytes, "NULs up to a multiple of four", kind="bytes", default=b"", secret=True),
    )


def _caut(n: Numbers) -> Any:
    return Struct(*_head(n), *_texts())


def _caut_13(n: Numbers) -> Any:
    return Struct(*_head(n), raw("Reserved", _RESERVED, "0", since="FAP 13", secret=True), *_texts())


CAUT = Structure("CAUT", _caut, spec="mq-wire.md 5.3")
"""The form up to FAP level 12: texts at +24."""

CAUT_13 = Structure("CAUT", _caut_13, spec="mq-wire.md 5.3")
"""The form from FAP level 13 on: texts at +32."""

_HEAD: Final = 24


def conauth_form(body: Buffer, order: ByteOrder) -> Structure[Any]:
    """Return which of the two forms a body has; the earlier one if it is too short to tell."""
    user_id = int.from_bytes(body[16:20], order.endian)
    password = int.from_bytes(body[20:24], order.endian)
    return CAUT_13 if len(body) >= _HEAD + _RESERVED + user_id + password else CAUT


def parse_conauth(body: Buffer, order: ByteOrder) -> Any:
    """Read the body of CONAUTH_INFO: a ``Container`` that ``conauth_form(…).build`` turns back into the same bytes.

    Raises ``StructureError`` when a text does not lie in the body.
    """
    return conauth_form(body, order).parse(body, 0, order)
