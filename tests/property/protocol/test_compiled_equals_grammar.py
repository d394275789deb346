"""The compiled codec and the Construct grammar agree on any input: values, bytes and errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqbridge.protocol import structures
from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.errors import MQBridgeError
from mqbridge.protocol.grammar import Structure
from mqbridge.protocol.records import Record, Slot


def _is_fixed(structure: Structure) -> bool:
    try:
        return structure.size > 0
    except TypeError:
        return False


FIXED = {name: value for name, value in vars(structures).items() if isinstance(value, Structure) and _is_fixed(value)}
ORDERS = st.sampled_from([ByteOrder.BIG, ByteOrder.LITTLE])
EACH = pytest.mark.parametrize("structure", FIXED.values(), ids=FIXED)


def flat(values: Any, prefix: str = "") -> dict[str, Any]:
    """Values of a Container by the attribute names of the codec."""
    result: dict[str, Any] = {}
    for key, value in values.items():
        if isinstance(value, dict):
            result.update(flat(value, f"{prefix}{key}_"))
        elif not key.startswith("_"):
            result[prefix + key] = value
    return result


def nested(structure: Structure, record: Record) -> dict[str, Any]:
    """Values of a record as the grammar wants them."""
    result: dict[str, Any] = {}
    for subcon in structure.grammar(ByteOrder.BIG).subcons:
        if subcon.name in record.KEYS:
            result[subcon.name] = getattr(record, subcon.name)
        else:
            prefix = subcon.name + "_"
            result[subcon.name] = {
                key.removeprefix(prefix): getattr(record, key) for key in record.KEYS if key.startswith(prefix)
            }
    return result


def outcome(call: Callable[[], Any]) -> Any:
    """What a call gives, or its error as text; any error but ours fails the test."""
    try:
        return call()
    except MQBridgeError as error:
        return repr(error), vars(error)


@EACH
@given(data=st.data(), order=ORDERS)
def test_parsing_whole_and_cut_input(structure: Structure, data: st.DataObject, order: ByteOrder) -> None:
    size = structure.size
    start = data.draw(st.integers(0, 5))
    length = data.draw(st.one_of(st.just(size), st.integers(0, size + 5)))
    raw = data.draw(st.randoms(use_true_random=False)).randbytes(start + length)
    codec = structure.codec(order)
    fast = outcome(lambda: codec.parse(raw, start))
    slow = outcome(lambda: structure.parse(raw, start, order))
    if length < size:
        assert fast == slow
        assert isinstance(fast, tuple)
        return
    assert fast.as_dict() == flat(slow)
    assert fast.build() == raw[start : start + size] == structure.build(slow, order)
    assert codec.parse(bytearray(raw), start) == codec.parse(memoryview(raw), start) == fast


def values_for(slot: Slot) -> st.SearchStrategy[Any]:
    if slot.length is not None:
        good: st.SearchStrategy[Any] = st.binary(min_size=slot.size, max_size=slot.size)
        return st.one_of(good, st.binary(max_size=slot.size + 3), st.none())
    signed = slot.code.islower()
    low, high = (
        (-(1 << (8 * slot.size - 1)), (1 << (8 * slot.size - 1)) - 1) if signed else (0, (1 << 8 * slot.size) - 1)
    )
    return st.one_of(
        st.integers(low, high), st.sampled_from([low, high, low - 1, high + 1, -1]), st.integers(), st.none()
    )


@EACH
@given(data=st.data(), order=ORDERS)
def test_building_good_and_bad_values(structure: Structure, data: st.DataObject, order: ByteOrder) -> None:
    codec = structure.codec(order)
    slots = data.draw(st.lists(st.sampled_from(codec.SLOTS), max_size=2, unique_by=lambda slot: slot.offset))
    values = {slot.field.key: data.draw(values_for(slot)) for slot in slots}
    try:
        record = codec(**values)
    except TypeError:  # of a class that mypyc has compiled, which takes values of the field's type alone
        assert None in values.values()
        return
    fast = outcome(record.build)
    slow = outcome(lambda: structure.build(nested(structure, record), order))
    assert fast == slow
    if isinstance(fast, bytes):
        assert codec.parse(fast) == record
