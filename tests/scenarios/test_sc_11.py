"""SC-11: fields objects are dumped and restored, whole, in parts and as text; hostile bytes are refused cheaply."""

from __future__ import annotations

import random
import tracemalloc
from contextlib import suppress
from typing import Any

import pytest

from mqbridge.protocol.everyplace.dump import HEAD, PartialDump, PartialRestore, dump, restore
from mqbridge.protocol.everyplace.errors import Code, DumpError, EveryplaceError
from mqbridge.protocol.everyplace.field_types import FieldType
from mqbridge.protocol.everyplace.fields import Fields
from mqbridge.protocol.everyplace.numbers import number
from mqbridge.protocol.everyplace.text import LINE, from_text, to_text

pytestmark = pytest.mark.spec("SC-11")
INTEGERS = {FieldType.BYTE: 8, FieldType.SHORT: 16, FieldType.INT: 32, FieldType.LONG: 64}
WORDS = ("", "blue", "a,b", "\\", "#1=#2", "line\r\nend", "=", "[Section]")


def scalar(kind: FieldType, dice: random.Random) -> Any:
    if kind in INTEGERS:
        return dice.getrandbits(INTEGERS[kind]) - 2 ** (INTEGERS[kind] - 1)
    if kind in (FieldType.FLOAT, FieldType.DOUBLE):
        return dice.choice((0.0, -1.5, 0.25, float("inf")))
    return {FieldType.BOOLEAN: dice.random() < 0.5}.get(kind, dice.choice(WORDS))


def value(kind: FieldType, dice: random.Random, depth: int) -> Any:
    if kind is FieldType.FIELDS:
        return None if depth == 0 else some_fields(dice, depth - 1)
    if kind in (FieldType.UNTYPED, FieldType.BYTE_ARRAY):
        return dice.randbytes(dice.choice((0, 1, 252, 253, 70_000)))
    if kind.is_array:
        return tuple(scalar(kind.element, dice) for _ in range(dice.randrange(5)))
    return scalar(kind, dice)


def some_fields(dice: random.Random, depth: int = 3) -> Fields:
    found = Fields(dice.choice(("", "com.example.Order")))
    for at in range(dice.randrange(12)):
        kind = dice.choice(list(FieldType))
        found.put(f"field {at}", value(kind, dice, depth), kind)
    return found


def expected(fields: Fields) -> Fields:
    """Arrays without elements become null (E-022)."""
    found = Fields(fields.type)
    for name in fields:
        kind, inner = fields.type_of(name), fields.get(name)
        if kind is FieldType.FIELDS and inner is not None:
            inner = expected(inner)
        found.put(name, None if kind.is_array and not inner else inner, kind)
    return found


@pytest.mark.spec("E-012", "E-022", "E-024", "E-025")
def test_objects_come_back_from_their_dump_whole_and_in_parts() -> None:
    for seed in range(150):
        fields = some_fields(random.Random(seed))
        assert restore(dump(fields)) == expected(fields), f"seed {seed}"
        source = PartialDump(fields)
        target = PartialRestore(source.length)
        size = random.Random(seed).choice((1000, 4096, source.length))
        parts = [target.add(at, source.part(at, size)) for at in range(0, source.length, size)]
        assert parts[-1] == expected(fields)


@pytest.mark.spec("E-024")
def test_an_error_in_a_part_makes_the_whole_invalid() -> None:
    source = PartialDump(some_fields(random.Random(3)))
    for wrong in ((1, b"x"), (0, bytes(source.length + 1))):
        target = PartialRestore(source.length)
        with pytest.raises(DumpError):
            target.add(*wrong)
        with pytest.raises(DumpError):
            target.add(0, source.part(0, source.length))


@pytest.mark.spec("E-027", "E-028", "E-029", "E-030")
def test_objects_come_back_from_their_text_but_for_those_inside() -> None:
    for seed in range(150):
        fields = expected(some_fields(random.Random(seed), 1))
        fields.type = ""
        back, lost = from_text(to_text(fields, LINE), LINE)
        assert lost == [name for name in fields if fields.type_of(name) is FieldType.FIELDS]
        for name in lost:
            fields.delete(name)
        assert repr(back) == repr(fields), f"seed {seed}"
    for text in ("no line", "(ascii)a", "(ascii)a=b", "(colour)a=b\r\n", "(int)a=b\r\n", "(int)a=99999999999\r\n"):
        with pytest.raises(EveryplaceError) as caught:
            from_text(text, LINE)
        assert caught.value.code in (Code.SYNTAX, Code.TYPE)


HUGE = number(0xFFFFFFF0)
HOSTILE = {
    "no magic": b"\xac\xed\0\5",
    "another version": HEAD[:3] + b"\2\0\0",
    "a count that nothing follows": HEAD + b"\0" + HUGE,
    "a long type string": HEAD + HUGE,
    "a long value": HEAD + b"\0\1\x81f\xc0" + HUGE,
    "a long name": HEAD + b"\0\1\xff\xff\xff",
    "a forbidden name": HEAD + b"\0\1\x81{\xc3\1",
    "an array of half numbers": HEAD + b"\0\1\x81f\xd6\3\0\0\0",
    "the dynamic form of arrays": HEAD + b"\0\1\x81f\xca\4\0\0\0\1",
    "an unknown type": HEAD + b"\0\1\x81f\x01\0",
    "deep nesting": HEAD + b"\0\1\x81f\xcb\x06" * 30,
    "a class to load": HEAD + number(20) + b'os.system("reboot")\n\n' + b"\0",
}


@pytest.mark.spec("E-006", "E-017", "E-026", "E-032")
@pytest.mark.parametrize("what", HOSTILE)
def test_hostile_bytes_are_a_syntax_error_without_large_allocation(what: str) -> None:
    tracemalloc.start()
    try:
        with pytest.raises(EveryplaceError) as caught:
            restore(HOSTILE[what])
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert caught.value.code is Code.SYNTAX
    assert peak < 100_000


@pytest.mark.spec("E-032")
def test_random_bytes_are_an_object_or_a_syntax_error() -> None:
    dice = random.Random(11)
    for seed in range(400):
        data = bytearray(dump(some_fields(random.Random(seed), 1)))
        for _ in range(dice.randint(1, 3)):
            data[dice.randrange(len(HEAD), len(data))] = dice.randrange(256)
        with suppress(DumpError):
            assert dump(restore(bytes(data))) == bytes(data)
