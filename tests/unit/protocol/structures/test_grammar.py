"""How structures are declared: names, sizes, notes, defaults; and the records made from them."""

from __future__ import annotations

import pytest
from construct import Array, Struct, this

from mqbridge.protocol import structures
from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.errors import LocalProtocolError, StructureError
from mqbridge.protocol.fields import Numbers, char, part, raw, snake_case
from mqbridge.protocol.grammar import Structure
from mqbridge.protocol.layouts.builders import MessagePrefixBuilder
from mqbridge.protocol.records import Record
from mqbridge.protocol.slots import record_class
from mqbridge.protocol.structures import (
    MD,
    MD1,
    MESSAGE_HEADERS,
    MESSAGE_PREFIX,
    SEGMENT_HEADERS,
    TRANSMISSION_HEADERS,
    TSH,
    TSHM,
    parse_md,
)

ORDERS: tuple[ByteOrder, ...] = (ByteOrder.BIG, ByteOrder.LITTLE)
DECLARED = {name: value for name, value in vars(structures).items() if isinstance(value, Structure)}


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("StrucId", "struc_id"),
        ("CodedCharSetId", "coded_char_set_id"),
        ("ReplyToQMgr", "reply_to_q_mgr"),
        ("LUWID", "luwid"),
        ("CCSID", "ccsid"),
        ("ECapFlags1", "e_cap_flags1"),
        ("SSLKeyReset", "ssl_key_reset"),
        ("NameValueCCSID", "name_value_ccsid"),
        ("UOWControl", "uow_control"),
        ("LTermOverride", "l_term_override"),
        ("PAL", "pal"),
        ("R", "r"),
    ],
)
def test_attribute_names_are_ibms_in_snake_case(name: str, key: str) -> None:
    assert snake_case(name) == key


@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("TSH", 28),
        ("TSHC", 28),
        ("TSHM", 36),
        ("ID", 240),
        ("UID", 132),
        ("MSH", 20),
        ("XQH", 104),
        ("MD1", 324),
        ("MD", 364),
        ("STATUS", 12),
        ("RESET", 8),
        ("TRANSMISSION_HEADERS", 428),
        ("MESSAGE_HEADERS", 448),
        ("SEGMENT_HEADERS", 476),
    ],
)
@pytest.mark.spec("mq-wire.md 5")
def test_sizes(name: str, size: int) -> None:
    structure = DECLARED[name]
    assert structure.size == size
    for order in ORDERS:
        assert structure.grammar(order).sizeof() == size
        codec = structure.codec(order)
        assert len(codec().build()) == size


@pytest.mark.spec("mq-wire.md 5.1")
def test_offsets_of_initial_data() -> None:
    offsets = {slot.field.name: slot.offset for slot in structures.ID.slots}
    assert offsets["MaxMsgsPerBatch"] == 10
    assert offsets["ChannelName"] == 24
    assert offsets["CapFlags2"] == 44
    assert offsets["QMgrName"] == 48
    assert offsets["InitErrFlags2"] == 102
    assert offsets["SSLKeyReset"] == 124
    assert offsets["ConvPerSocket"] == 128
    assert offsets["ProductId"] == 148
    assert offsets["PAL"] == 208
    assert offsets["R"] == 228


@pytest.mark.parametrize("structure", DECLARED.values(), ids=DECLARED)
def test_every_field_says_what_it_is(structure: Structure) -> None:
    assert structure.spec.startswith(("mq-wire.md ", "client-observed.md "))
    for field in structure.fields:
        assert field.meaning
        assert field.key == snake_case(field.name)


def test_new_records_hold_defaults() -> None:
    little, big = (MD.codec(order)() for order in (ByteOrder.LITTLE, ByteOrder.BIG))
    assert (little.struc_id, little.version, little.encoding, big.encoding) == (b"MD  ", 1, 546, 273)
    assert (little.expiry, little.priority, little.persistence, little.msg_type) == (-1, -1, 2, 8)
    assert (little.reply_to_q, little.msg_id, little.msg_seq_number) == (b" " * 48, bytes(24), 1)
    assert len(little.build()) == 364
    assert TSH.codec(ByteOrder.BIG)().byte_order == 1


def test_records_compare_copy_and_show_themselves() -> None:
    codec = structures.MSH.codec(ByteOrder.LITTLE)
    one, other = codec(sequence_number=1), codec(sequence_number=2)
    assert one != other
    assert one == other.copy(sequence_number=1)
    assert one != structures.MSH.codec(ByteOrder.BIG)(sequence_number=1)
    assert repr(one).startswith("MSH(struc_id=b'MSH ', sequence_number=1, data_length=0")
    with pytest.raises(TypeError):
        hash(one)
    with pytest.raises(AttributeError):
        one.colour = 1
    with pytest.raises(TypeError):
        codec(colour=1)


@pytest.mark.spec("mq-wire.md 1.2")
def test_lengths_and_ids_of_segment_headers_are_big_endian_in_both_orders() -> None:
    for order in ORDERS:
        record = TSHM.codec(order)(seg_length=0x01020304, conversation_id=5, request_id=6, encoding=0x222)
        built = record.build()
        assert built[4:16] == bytes.fromhex("010203040000000500000006")
        assert built[28:32] == (0x222).to_bytes(4, order.endian)
        assert TSHM.codec(order).parse(built) == record


def test_a_run_names_its_parts() -> None:
    codec = MESSAGE_HEADERS.codec(ByteOrder.LITTLE)
    assert codec.KEYS[:3] == ("msh_struc_id", "msh_sequence_number", "msh_data_length")
    with pytest.raises(StructureError, match=r"MESSAGE_DATA at offset 134: ends inside XQH\.Version"):
        codec.parse(bytes(137), 110)
    names = [slot.field.name for slot in SEGMENT_HEADERS.slots]
    assert names[0] == "TSH.StrucId"
    assert names[-1] == "MD.ApplOriginData"
    assert TRANSMISSION_HEADERS.slots[4].field.name == "MD.StrucId"


def test_builders_of_few_fields_say_what_does_not_fit() -> None:
    record = MESSAGE_PREFIX.codec(ByteOrder.LITTLE)(tsh_struc_id=b"TSHC", tsh_ccsid=819)
    build = MessagePrefixBuilder(record).build
    assert (
        build(480, 0x30, b"l" * 8, 9, 4, 432)
        == record.copy(
            tsh_seg_length=480,
            tsh_control_flags1=0x30,
            tsh_luwid=b"l" * 8,
            msh_sequence_number=9,
            msh_data_length=4,
            msh_message_length=432,
        ).build()
    )
    with pytest.raises(LocalProtocolError, match=r"TSH\.LUWID: 8 bytes needed, 3 given"):
        build(480, 0, b"mmm", 9, 4, 432)
    with pytest.raises(LocalProtocolError, match=r"MSH\.SequenceNumber: value -1 does not fit"):
        build(480, 0, bytes(8), -1, 4, 432)
    with pytest.raises(LocalProtocolError, match=r"TSH\.SegLength: value 4294967296 does not fit"):
        build(1 << 32, 0, bytes(8), 9, 4, 432)


@pytest.mark.spec("mq-wire.md 5.7")
def test_a_descriptor_is_read_by_its_version() -> None:
    for order in ORDERS:
        first = MD1.codec(order)(priority=3).build()
        second = MD.codec(order)(version=2, offset=7).build()
        assert parse_md(first, 0, order).SIZE == 324
        assert parse_md(b"xx" + second, 2, order).offset == 7
        assert parse_md(b"\xd4\xc4\x40\x40" + first[4:], 0, order).priority == 3
        with pytest.raises(StructureError, match="ends inside OriginalLength"):
            parse_md(second[:-1], 0, order)
        with pytest.raises(StructureError, match="MD at offset 4: Version is 3"):
            parse_md(MD.codec(order)(version=3).build(), 0, order)
        with pytest.raises(StructureError, match="begins with 4d443220"):
            parse_md(b"MD2 " + first[4:], 0, order)


def test_first_ends_at_a_field() -> None:
    assert structures.ID.first(44).fields[-1].name == "ChannelName"
    for size in (0, 47, 241):
        with pytest.raises(ValueError, match="has no field that ends"):
            structures.ID.first(size)


def _list(n: Numbers) -> Struct:
    return Struct(
        n.u32("Count", "how many"),
        part("Values", Array(this.count, n.plain("i32")), "the values"),
        raw("Tail", this.count, "as many bytes"),
    )


def test_layouts_that_are_not_fixed_are_read_through_the_grammar() -> None:
    structure = Structure("LIST", _list)
    data = bytes.fromhex("00000002 00000001 ffffffff aabb")
    read = structure.parse(data, 0, ByteOrder.BIG)
    assert (read.count, list(read["values"]), read.tail) == (2, [1, -1], b"\xaa\xbb")
    assert structure.build(read, ByteOrder.BIG) == data
    with pytest.raises(TypeError, match="Values has no fixed layout"):
        structure.codec(ByteOrder.BIG)
    with pytest.raises(StructureError, match="LIST at offset 8: ends inside Values") as caught:
        structure.parse(data[:10], 0, ByteOrder.BIG)
    assert caught.value.offset == 8
    with pytest.raises(LocalProtocolError, match="no value for tail"):
        structure.build({"count": 0, "values": []}, ByteOrder.BIG)
    with pytest.raises(LocalProtocolError, match=r"LIST\.Tail"):
        structure.build({"count": 1, "values": [1], "tail": b""}, ByteOrder.BIG)


def test_what_cannot_be_compiled_is_refused() -> None:
    with pytest.raises(TypeError, match="stands twice"):
        record_class("X", Struct(char("Name", 4, "one"), char("Name", 4, "two")), ByteOrder.BIG)
    with pytest.raises(TypeError, match="little-endian in a big-endian layout"):
        record_class("X", Struct(Numbers(ByteOrder.LITTLE).u32("Number", "a number")), ByteOrder.BIG)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("unknown1", 1 << 32),
        *(
            pytest.param(*case, marks=pytest.mark.interpreted("a compiled field takes no value of another type"))
            for case in [("sequence_number", None), ("struc_id", "MSH "), ("data_length", 1.5)]
        ),
    ],
)
def test_odd_values_are_refused_by_name(field: str, value: object) -> None:
    record = structures.MSH.codec(ByteOrder.LITTLE)()
    assert isinstance(record, Record)
    with pytest.raises(LocalProtocolError, match="does not fit"):
        record.copy(**{field: value}).build()
