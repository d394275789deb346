"""A builder of few fields gives what a record with these values gives: the bytes, or the same error."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.errors import LocalProtocolError
from mqbridge.protocol.layouts import builders
from mqbridge.protocol.records import Slot
from mqbridge.protocol.structures.builders import BUILDERS


def values_for(slot: Slot, swapped: bool) -> st.SearchStrategy[Any]:
    if slot.length is not None:
        good: st.SearchStrategy[Any] = st.binary(min_size=slot.size, max_size=slot.size)
        return st.one_of(good, good, good, st.binary(max_size=slot.size + 3))
    bits, signed = 8 * slot.size, slot.code.islower() and not swapped
    low, high = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if signed else (0, (1 << bits) - 1)
    good = st.integers(low, high)
    return st.one_of(good, good, good, st.sampled_from([low, high, low - 1, high + 1]))


def outcome(call: Callable[[], bytes]) -> bytes | str:
    try:
        return call()
    except LocalProtocolError as error:
        return str(error)


@pytest.mark.parametrize("name", BUILDERS)
@given(data=st.data(), order=st.sampled_from([ByteOrder.BIG, ByteOrder.LITTLE]))
def test_a_builder_gives_what_its_record_gives(name: str, data: st.DataObject, order: ByteOrder) -> None:
    structure, varying = BUILDERS[name]
    codec = structure.codec(order)
    record = codec.parse(data.draw(st.randoms(use_true_random=False)).randbytes(codec.SIZE))
    builder = getattr(builders, name)(record)
    slots = {slot.field.key: slot for slot in codec.SLOTS}
    values = {key: data.draw(values_for(slots[key], slots[key].swapped)) for key in varying}
    expected = record.copy(**values)
    setattr(record, codec.KEYS[0], bytes(4))  # what becomes of the record is no matter of the builder
    assert outcome(lambda: builder.build(*values.values())) == outcome(expected.build)
    assert outcome(lambda: builder.build(**values)) == outcome(expected.build)
