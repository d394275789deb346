"""The length of a descriptor is told from its first bytes as from all of its fields, errors included."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.errors import StructureError
from mqbridge.protocol.structures import MD, MD1, md_size, parse_md
from mqbridge.protocol.structures.md import MD_STRUC_IDS, MDRecord


def by_fields(buffer: bytes, offset: int, order: ByteOrder) -> MDRecord:
    """Read version 1 first, and version 2 where that says so."""
    record = MD1.codec(order).parse(buffer, offset)
    if record.struc_id not in MD_STRUC_IDS:
        raise StructureError("MD", offset, f"begins with {record.struc_id.hex()}")
    if record.version == 2:
        return MD.codec(order).parse(buffer, offset)
    if record.version != 1:
        raise StructureError("MD", offset + 4, f"Version is {record.version}")
    return record


def outcome(read: Callable[..., Any], *arguments: object) -> Any:
    """What is read, or the text of the error."""
    try:
        return read(*arguments)
    except StructureError as error:
        return str(error)


@pytest.mark.spec("mq-wire.md 5.7")
@given(
    st.sampled_from(ByteOrder),
    st.sampled_from([*MD_STRUC_IDS, b"MD2 ", b"XQH "]),
    st.integers(0, 3) | st.just(1 << 24) | st.just(2 << 24),
    st.sampled_from([0, 3, 4, 7, 8, 323, 324, 325, 363, 364, 365]) | st.integers(0, 400),
    st.integers(0, 9),
    st.binary(min_size=1, max_size=40),
)
def test_sizes_and_errors_are_those_of_all_fields(
    order: ByteOrder, begins: bytes, version: int, size: int, offset: int, rest: bytes
) -> None:
    buffer = bytes(offset) + (begins + version.to_bytes(4, order.endian) + rest * 400)[:size]
    expected = outcome(by_fields, buffer, offset, order)
    assert outcome(parse_md, buffer, offset, order) == expected
    size = outcome(md_size, memoryview(buffer), offset, order)
    assert size == (expected if isinstance(expected, str) else expected.SIZE)
