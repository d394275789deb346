"""LPOO: options of an SPI OPEN, behind SPOI or SPOO and in front of the OD, mq-wire.md 5.12, client-observed.md 6.2."""

from __future__ import annotations

from typing import Any, Final

from construct import Struct

from mqbridge.protocol.constants import MQOO, MQPER, MQPROP, MQPRT, MQREADA, ByteOrder, LpiOptions
from mqbridge.protocol.fields import Numbers, char
from mqbridge.protocol.grammar import Structure
from mqbridge.protocol.layouts.lpoo import LpooBig, LpooLittle, ShortLpooBig, ShortLpooLittle
from mqbridge.protocol.records import Buffer

from .bodies import Body
from .linked import check_id


def _lpoo(n: Numbers) -> Any:
    return Struct(
        char("StrucId", 4, "`LPOO`", default=b"LPOO"),
        n.u32("Version", "3 in either form", default=3),
        n.u32("OpenOptions", "options of the open", names=MQOO),
        n.u32("LpiOptions", "further options", names=LpiOptions),
        n.i32("DefPersistence", "reply: default persistence of the queue", names=MQPER, default=-1),
        n.i32("DefPutResponseType", "reply: default answer to a put", names=MQPRT, default=-1),
        n.i32("DefReadAhead", "reply: default read ahead", names=MQREADA, default=-1),
        n.i32("PropertyControl", "reply: property control of the queue", names=MQPROP, default=-1),
        char("QProtect", 48, "reply: protection-error queue", since="long form"),
        n.u32("ExtraOffset", "reply: where the extra data begins, from the start of SPOO", since="long form"),
        n.u32("ExtraLength", "reply: bytes of extra data, 0 for none; 10240 in a request", since="long form"),
    )


LPOO = Structure("LPOO", _lpoo, LpooBig, LpooLittle, spec="mq-wire.md 5.12")
"""The long form, 88 bytes, of version 2 of the verb; the short one ends with PropertyControl."""

SHORT_LPOO_SIZE: Final = 32
"""Length in bytes of the form of version 1 of the verb."""

SHORT_LPOO = LPOO.first(SHORT_LPOO_SIZE, None, ShortLpooBig, ShortLpooLittle)
"""That form."""

_DESCRIPTORS: Final = (b"OD  ", "OD  ".encode("cp500"))


def lpoo_size(buffer: Buffer, offset: int) -> int:
    """Return the length of the LPOO at an offset: of the form that an OD follows, else of the long form."""
    following = offset + SHORT_LPOO_SIZE
    short = bytes(memoryview(buffer)[following : following + 4]) in _DESCRIPTORS
    return SHORT_LPOO_SIZE if short else LPOO.size


def parse_lpoo(buffer: Buffer, offset: int, order: ByteOrder) -> Body:
    """Read an LPOO of either form.

    Raises ``StructureError`` when it is cut short or begins with another StrucId.
    """
    known = lpoo_size(buffer, offset)
    form = LPOO if known == LPOO.size else SHORT_LPOO
    check_id(LPOO, form.codec(order).parse(buffer, offset), offset)
    data = bytes(memoryview(buffer)[offset : offset + known])
    return Body(LPOO.codec(order).parse(data.ljust(LPOO.size, b"\0")), known)


def make_lpoo(order: ByteOrder, verb_version: int = 2, **values: Any) -> Body:
    """Return an LPOO to send, short for version 1 of SPI OPEN; fields by keyword."""
    return Body(LPOO.codec(order)(**values), LPOO.size if verb_version > 1 else SHORT_LPOO_SIZE)
