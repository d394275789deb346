"""Fields objects: names, types, accessors, and the properties that have a meaning (mqe.md 1 and 3)."""

from __future__ import annotations

import math
import struct
from typing import Any

import pytest

from mqbridge.protocol.everyplace.body import encoded_name
from mqbridge.protocol.everyplace.dump import HEAD, dump, restore
from mqbridge.protocol.everyplace.errors import Code, DumpError, EveryplaceError
from mqbridge.protocol.everyplace.field_types import SIZES, FieldType
from mqbridge.protocol.everyplace.fields import Fields
from mqbridge.protocol.everyplace.message import Message
from mqbridge.protocol.everyplace.reserved import BY_NAME, PROPERTIES


def code_of(call: Any) -> Code:
    with pytest.raises(EveryplaceError) as caught:
        call()
    return caught.value.code


@pytest.mark.spec("E-002", "E-003", "E-004", "E-006", "SC-11", "SC-31")
@pytest.mark.parametrize("name", ["", *"{}[]#();,'\"=:", "ä", "\x1f", "\x7f", "a\nb", "fish{", "n" * 65536])
def test_a_name_with_a_forbidden_character_is_refused_on_put_and_on_restore(name: str) -> None:
    fields = Fields()
    assert code_of(lambda: fields.put(name, 1)) in (Code.SYNTAX, Code.TOO_LONG)
    assert len(fields) == 0
    raw = name.encode("latin-1")
    if len(raw) < 127:
        with pytest.raises((DumpError, EveryplaceError)):
            restore(HEAD + b"\0\1" + bytes([0x80 + len(raw)]) + raw + bytes([FieldType.BOOLEAN, 1]))


@pytest.mark.spec("E-002", "E-003", "E-007", "E-023")
@pytest.mark.parametrize("name", ["a", "!", "~", "with blanks", "n" * 126, "n" * 127, "n" * 65535])
def test_a_name_of_printable_characters_comes_back(name: str) -> None:
    fields = Fields()
    fields.put(name, True)
    assert name in restore(dump(fields))
    assert len(dump(fields)) == len(HEAD) + 2 + len(name) + (1 if len(name) < 127 else 3) + 2


@pytest.mark.spec("E-005", "E-013", "E-014", "E-015")
def test_a_field_is_put_replaced_read_counted_and_deleted() -> None:
    fields = Fields()
    fields.put("a", 7, FieldType.SHORT)
    fields.put("a", "seven", FieldType.ASCII)
    assert (fields.get("a"), fields.type_of("a"), fields.length_of("a")) == ("seven", FieldType.ASCII, 5)
    assert code_of(lambda: fields.get("a", FieldType.SHORT)) is Code.TYPE
    assert code_of(lambda: fields.get("b")) is Code.NOT_FOUND
    assert code_of(lambda: fields.type_of("b")) is Code.NOT_FOUND
    assert code_of(lambda: fields.delete("b")) is Code.NOT_FOUND
    assert ("a" in fields, "b" in fields, list(fields), len(fields)) == (True, False, ["a"], 1)
    copy = fields.copy()
    copy.put("b", 2.5)
    assert ("b" in fields, copy == fields) == (False, False)
    assert sum(copy.length_of(name) for name in copy) == 5 + 8
    copy.delete("b")
    assert copy == fields


EVERY: dict[FieldType, tuple[Any, ...]] = {
    FieldType.UNTYPED: (b"", b"\0\xff"),
    FieldType.ASCII: ("", "blue"),
    FieldType.UNICODE: ("", "größe €"),
    FieldType.BOOLEAN: (True, False),
    FieldType.BYTE: (-128, 127),
    FieldType.SHORT: (-(2**15), 2**15 - 1),
    FieldType.INT: (-(2**31), 2**31 - 1),
    FieldType.LONG: (-(2**63), 2**63 - 1),
    FieldType.FLOAT: (0.5, -math.inf),
    FieldType.DOUBLE: (1.1, math.inf),
    FieldType.ASCII_ARRAY: (("a", ""), ("x",) * 300),
    FieldType.UNICODE_ARRAY: (("ä", ""),),
    FieldType.BYTE_ARRAY: (b"\0\x80",),
    FieldType.SHORT_ARRAY: ((1, -1),),
    FieldType.INT_ARRAY: ((2**31 - 1,),),
    FieldType.LONG_ARRAY: ((-(2**63), 0),),
    FieldType.FLOAT_ARRAY: ((0.25, -0.5),),
    FieldType.DOUBLE_ARRAY: ((1.1, 2.2),),
}


@pytest.mark.spec("E-008", "E-009", "E-021", "SC-11")
@pytest.mark.parametrize("kind", EVERY)
def test_each_type_keeps_its_values_and_refuses_others(kind: FieldType) -> None:
    for value in EVERY[kind]:
        fields = Fields()
        fields.put("f", value, kind)
        back = restore(dump(fields))
        assert (back.get("f", kind), back.type_of("f")) == (value, kind)
    wrong: Any = object() if kind is not FieldType.BOOLEAN else 1
    assert code_of(lambda: Fields().put("f", wrong, kind)) is Code.TYPE
    if kind in (FieldType.BYTE, FieldType.SHORT, FieldType.INT, FieldType.LONG):
        assert code_of(lambda: Fields().put("f", EVERY[kind][1] + 1, kind)) is Code.TYPE


@pytest.mark.spec("E-011")
def test_floating_numbers_keep_their_bit_patterns() -> None:
    pattern = bytes.fromhex("7ff8dead0000beef")
    (number,) = struct.unpack(">d", pattern)
    fields = Fields()
    fields.put("nan", number, FieldType.DOUBLE)
    fields.put("half", 0.5, FieldType.FLOAT)
    found = fields.encoded("nan"), fields.encoded("half")
    assert [each and each.data for each in found] == [pattern, struct.pack(">f", 0.5)]
    back = restore(dump(fields))
    assert back == fields


@pytest.mark.spec("E-016")
def test_types_have_the_published_codes_and_lengths() -> None:
    published = {
        "UNTYPED": 0xC0,
        "ASCII": 0xC1,
        "UNICODE": 0xC2,
        "BOOLEAN": 0xC3,
        "BYTE": 0xC4,
        "SHORT": 0xC5,
        "INT": 0xC6,
        "LONG": 0xC7,
        "FLOAT": 0xC8,
        "DOUBLE": 0xC9,
        "FIELDS": 0xCB,
    }
    assert {kind.name: int(kind) for kind in FieldType if not kind.is_array} == published
    # A long has eight bytes (C-02).
    assert [SIZES[FieldType[name]] for name in ("BOOLEAN", "BYTE", "SHORT", "INT", "LONG", "FLOAT", "DOUBLE")] == [
        1,
        1,
        2,
        4,
        8,
        4,
        8,
    ]


@pytest.mark.spec("E-017", "E-043")
def test_a_type_string_is_kept_and_may_be_demanded() -> None:
    data = dump(Fields("com.example.Order"))
    assert restore(data).type == "com.example.Order"
    assert restore(data, "com.example.Order").type == "com.example.Order"
    with pytest.raises(DumpError, match="Bill"):
        restore(data, "com.example.Bill")
    assert Message.of(restore(data)).type == "com.example.Order"


@pytest.mark.spec("E-023")
def test_a_reserved_name_has_one_byte_and_no_two_have_the_same() -> None:
    assert sorted(encoded_name(each.name) for each in PROPERTIES) == [bytes([at]) for at in range(len(PROPERTIES))]
    message = Message()
    message.priority = 4
    assert len(dump(message)) == len(HEAD) + 2 + 1 + 1 + 1


TYPES = {
    "E-044": ("Admin_Action", {FieldType.INT}),
    "E-045": ("Msg_CorrelID", {FieldType.UNTYPED, FieldType.BYTE_ARRAY}),
    "E-046": ("Admin_Errors", {FieldType.FIELDS}),
    "E-047": ("Msg_ExpireTime", {FieldType.INT, FieldType.LONG}),
    "E-048": ("Msg_LockID", {FieldType.LONG}),
    "E-049": ("Msg_MsgID", {FieldType.UNTYPED, FieldType.BYTE_ARRAY}),
    "E-050": ("Msg_OriginQMgr", {FieldType.ASCII}),
    "E-051": ("Admin_Params", {FieldType.FIELDS}),
    "E-052": ("Msg_Priority", {FieldType.BYTE, FieldType.INT}),
    "E-053": ("Admin_Reason", {FieldType.UNICODE}),
    "E-054": ("Msg_ReplyToQ", {FieldType.ASCII, FieldType.UNICODE}),
    "E-055": ("Msg_ReplyToQMgr", {FieldType.ASCII, FieldType.UNICODE}),
    "E-056": ("Msg_Resend", {FieldType.BOOLEAN}),
    "E-057": ("Admin_RC", {FieldType.BYTE}),
    "E-058": ("Msg_Style", {FieldType.BYTE}),
    "E-059": ("Msg_WrapMsg", {FieldType.UNTYPED, FieldType.BYTE_ARRAY}),
    "E-060": ("Msg_Time", {FieldType.LONG}),
    "E-061": ("Msg_BackoutCount", {FieldType.INT}),
}


@pytest.mark.spec(*TYPES, "SC-11")
def test_properties_have_their_types_and_no_others() -> None:
    for name, kinds in TYPES.values():
        assert set(BY_NAME[name].types) == kinds
        for kind, values in EVERY.items():
            message = Message()
            message.put(name, 4 if kind is FieldType.BYTE else 5 if kind is FieldType.INT else values[0], kind)
            if kind in kinds:
                message.check()
            else:
                assert code_of(message.check) is Code.TYPE
