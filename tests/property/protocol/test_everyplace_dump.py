"""The quick codec of Everyplace's dump equals its grammar, and what is dumped comes back."""

from __future__ import annotations

from typing import Any

import pytest
from construct import ConstructError
from hypothesis import given
from hypothesis import strategies as st

from mqbridge.protocol.everyplace.body import MAX_DEPTH, MAX_FIELDS, body_of
from mqbridge.protocol.everyplace.dump import (
    HEAD,
    PartialDump,
    PartialRestore,
    dump,
    dump_with_index,
    restore,
    restore_index,
)
from mqbridge.protocol.everyplace.errors import DumpError, EveryplaceError
from mqbridge.protocol.everyplace.field_types import FieldType
from mqbridge.protocol.everyplace.fields import Fields
from mqbridge.protocol.everyplace.grammars.dump import DUMP
from mqbridge.protocol.everyplace.reserved import INDEXED, PROPERTIES
from mqbridge.protocol.everyplace.text import from_text, read_ini, to_text, write_ini

ASCII = st.text(st.characters(max_codepoint=127), max_size=20) | st.text(st.sampled_from("a,\\\r\n#0"), max_size=6)
UNICODE = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
NAMES = st.one_of(
    st.text(st.sampled_from("abcXYZ019_ -.%$"), min_size=1, max_size=8),
    st.sampled_from([each.name for each in PROPERTIES]),
    st.integers(120, 130).map(lambda length: "n" * length),
)
SCALARS: dict[FieldType, st.SearchStrategy[Any]] = {
    FieldType.BYTE: st.integers(-(2**7), 2**7 - 1),
    FieldType.SHORT: st.integers(-(2**15), 2**15 - 1),
    FieldType.INT: st.integers(-(2**31), 2**31 - 1),
    FieldType.LONG: st.integers(-(2**63), 2**63 - 1),
    FieldType.FLOAT: st.floats(width=32),
    FieldType.DOUBLE: st.floats(),
}
VALUES: dict[FieldType, st.SearchStrategy[Any]] = {
    FieldType.UNTYPED: st.none() | st.binary(max_size=300),
    FieldType.ASCII: st.none() | ASCII,
    FieldType.UNICODE: st.none() | UNICODE,
    FieldType.BOOLEAN: st.booleans(),
    FieldType.BYTE_ARRAY: st.none() | st.binary(max_size=20),
    FieldType.ASCII_ARRAY: st.none() | st.lists(ASCII, max_size=4),
    FieldType.UNICODE_ARRAY: st.none() | st.lists(UNICODE, max_size=4),
    **SCALARS,
    **{
        kind: st.none() | st.lists(SCALARS[kind.element], max_size=4)
        for kind in FieldType
        if kind.is_array and kind.element in SCALARS and kind is not FieldType.BYTE_ARRAY
    },
}
FLAT = st.dictionaries(
    NAMES,
    st.sampled_from(list(VALUES)).flatmap(lambda kind: st.tuples(st.just(kind), VALUES[kind])),
    max_size=6,
)


@st.composite
def fields_objects(draw: st.DrawFn, depth: int = 2) -> Fields:
    """A fields object of all types, with others inside."""
    found = Fields(draw(st.sampled_from(["", "com.example.Order"])))
    for name, (kind, value) in draw(FLAT).items():
        found.put(name, value, kind)
    if depth:
        for name in draw(st.lists(st.sampled_from(["inner", "other"]), max_size=2, unique=True)):
            found.put(name, draw(st.none() | fields_objects(depth - 1)), FieldType.FIELDS)
    return found


def described(fields: Fields) -> dict[str, Any]:
    """What the grammar builds of a fields object, in the order of a dump."""
    rows = []
    for name in restore(dump(fields)):
        field = fields.encoded(name)
        assert field is not None
        kind, data = field
        value: Any = data
        if data is None or (not data and kind.is_array):
            value = None
        elif kind is FieldType.FIELDS:
            value = described(fields.get(name))
        elif kind is FieldType.BOOLEAN:
            value = data[0]
        elif kind.is_array and kind.element in (FieldType.FLOAT, FieldType.DOUBLE):
            size = 4 if kind.element is FieldType.FLOAT else 8
            value = [data[at : at + size] for at in range(0, len(data), size)]
        elif kind not in (FieldType.UNTYPED, FieldType.BYTE_ARRAY, FieldType.FLOAT, FieldType.DOUBLE):
            value = fields.get(name)
        rows.append(
            {"name": name, "type": int(kind), "length": None if value is None else len(data or b""), "value": value}
        )
    return {"type_name": fields.type, "count": len(rows), "fields": rows}


def without_empty_arrays(fields: Fields) -> Fields:
    """What a dump makes of it: arrays without elements are null (E-022)."""
    found = Fields(fields.type)
    for name in fields:
        kind = fields.type_of(name)
        value = fields.get(name)
        if kind is FieldType.FIELDS and value is not None:
            value = without_empty_arrays(value)
        found.put(name, None if kind.is_array and not value else value, kind)
    return found


@pytest.mark.spec("E-001", "E-012", "E-020", "E-021", "E-022", "E-025", "SC-11")
@given(fields_objects())
def test_what_is_dumped_comes_back(fields: Fields) -> None:
    data = dump(fields)
    back = restore(data)
    assert back == without_empty_arrays(fields)
    assert dump(back) == data
    assert back.type == fields.type
    assert {name: back.encoded(name) for name in back if name in INDEXED} == restore_index(data)


@pytest.mark.spec("E-026")
@given(fields_objects())
def test_the_quick_codec_writes_what_the_grammar_describes(fields: Fields) -> None:
    built = DUMP.build({"magic": None, "version": None, "body": described(fields)})
    assert built == dump(fields)


def accepted(data: bytes) -> bool:
    """Whether the grammar takes the bytes."""
    try:
        DUMP.parse(data)
    except (ConstructError, RecursionError):
        return False
    return True


def restored(data: bytes) -> bool:
    try:
        restore(data)
    except DumpError:
        return False
    return True


@pytest.mark.spec("E-068")
@given(fields_objects(), st.integers(0, 40))
def test_a_dump_and_its_index_fields_are_written_at_once(fields: Fields, others: int) -> None:
    for number in range(others):
        fields.put(f"other{number}", number)
    index = {name: field for name in INDEXED if (field := fields.encoded(name)) is not None}
    assert dump_with_index(fields) == (dump(fields), body_of("", index))


@pytest.mark.spec("E-032")
@given(fields_objects(), st.data())
def test_cut_and_changed_dumps_are_refused_by_both_or_neither(fields: Fields, data: st.DataObject) -> None:
    whole = bytearray(dump(fields))
    for _ in range(data.draw(st.integers(0, 3))):
        at = data.draw(st.integers(len(HEAD), len(whole) - 1))
        whole[at] = data.draw(st.integers(0, 255))
    cut = bytes(whole[: data.draw(st.integers(0, len(whole)))] if data.draw(st.booleans()) else whole)
    assert restored(cut) == accepted(cut)


@pytest.mark.spec("E-032")
@given(st.binary(max_size=60))
def test_any_bytes_are_refused_by_both_or_neither(data: bytes) -> None:
    assert restored(HEAD + data) == accepted(HEAD + data)


@pytest.mark.spec("E-024")
@given(fields_objects(), st.integers(1, 50))
def test_a_dump_travels_in_parts(fields: Fields, size: int) -> None:
    source = PartialDump(fields)
    target, found = PartialRestore(source.length), None
    for offset in range(0, source.length, size):
        assert found is None
        found = target.add(offset, source.part(offset, size))
    assert found == without_empty_arrays(fields)
    with pytest.raises(DumpError):
        target.add(0, b"x")


@pytest.mark.spec("E-027", "E-028", "E-029", "E-030")
@given(fields_objects(depth=1))
def test_the_string_form_comes_back_but_for_fields_inside(fields: Fields) -> None:
    flat = without_empty_arrays(fields)
    flat.type = ""
    names = [name for name in flat if name != name.strip() or any(each in name for each in "=")]
    back, lost = from_text(to_text(flat))
    assert not names or set(names) <= {*back, *lost}
    assert sorted(lost) == sorted(name for name in flat if flat.type_of(name) is FieldType.FIELDS)
    for name in lost:
        flat.delete(name)
    assert repr(back) == repr(flat)


@pytest.mark.spec("E-031")
@given(st.dictionaries(st.sampled_from(["Registry", "QueueManager", "Alias"]), fields_objects(depth=0), max_size=3))
def test_start_up_parameters_come_back(sections: dict[str, Fields]) -> None:
    whole = Fields()
    for name, section in sections.items():
        plain = Fields()
        for each in without_empty_arrays(section):
            if each == each.strip():
                plain.put(each, without_empty_arrays(section).get(each), section.type_of(each))
        whole.put(name, plain)
    assert repr(read_ini(write_ini(whole))) == repr(whole)


@pytest.mark.spec("E-012", "E-032")
def test_nesting_and_number_of_fields_are_limited() -> None:
    fields = Fields()
    for _ in range(MAX_DEPTH - 1):
        outer = Fields()
        outer.put("inner", fields)
        fields = outer
    assert restore(dump(fields)) == fields
    deeper = Fields()
    deeper.put("inner", fields)
    assert not restored(dump(deeper))
    assert not accepted(dump(deeper))
    many = Fields()
    for number in range(MAX_FIELDS + 1):
        many.put(f"n{number}", number)
    with pytest.raises(EveryplaceError, match="TOO_LONG"):
        dump(many)
