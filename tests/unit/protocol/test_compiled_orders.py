"""Compiled layouts of both byte orders: what the codec cannot read rightly is refused when it is made."""

from __future__ import annotations

import construct
import pytest

from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.fields import part
from mqbridge.protocol.slots import record_class


def layout(big: str, little: str) -> construct.Struct:
    return construct.Struct(
        part("one", construct.FormatField(">", big), "", kind="int"),
        part("two", construct.FormatField("<", little), "", kind="int"),
    )


def test_a_signed_big_endian_number_in_a_little_endian_layout_is_refused() -> None:
    with pytest.raises(TypeError, match="one is signed and big-endian"):
        record_class("Mixed", layout("l", "L"), ByteOrder.LITTLE)
    record = record_class("Mixed", layout("L", "l"), ByteOrder.LITTLE).parse(b"\xff\xff\xff\xfe\xfe\xff\xff\xff")
    assert (record.one, record.two) == (0xFFFFFFFE, -2)
