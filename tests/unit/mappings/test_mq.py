from __future__ import annotations

from typing import Any

import pytest

from mqbridge.mappings.message import Message
from mqbridge.mappings.moment import put_date_and_time, put_moment
from mqbridge.mappings.mq import (
    has_format,
    merge_extension,
    native_descriptor,
    order_of,
    split_extension,
    unwrap,
    wrap_head,
)
from mqbridge.mappings.trigger import trigger_message
from mqbridge.protocol.constants import MQFMT, ByteOrder
from mqbridge.protocol.errors import ConversionError, StructureError
from support.captures.vectors import VECTORS

NEW_ID = b"n" * 24


def wrapped(message: Message, queue: str = "Q", queue_manager: str = "SATURN", ccsid: int = 1208) -> Message:
    native = native_descriptor(message.raw_md, message.order, message.ccsid, ccsid)
    head = wrap_head(native, queue, queue_manager, ccsid, msg_id=NEW_ID, expiry=message.md.expiry)
    return Message(head[:324], head[324:] + message.data, order=ByteOrder.LITTLE, ccsid=ccsid)


@pytest.mark.spec("channels.md 12.2")
@pytest.mark.parametrize(
    ("order", "ccsid"), [(ByteOrder.LITTLE, 1208), (ByteOrder.LITTLE, 437), (ByteOrder.BIG, 819), (ByteOrder.BIG, 500)]
)
def test_what_was_wrapped_comes_out_with_all_its_fields(order: Any, ccsid: int) -> None:
    message = Message.build(
        b"data", order=order, ccsid=ccsid, format="MQSTR", msg_id=b"id", user_identifier="carlos", put_date="20030527",
        encoding=273, coded_char_set_id=37, priority=3, persistence=1, expiry=77,
        put_appl_name="Zürich" if ccsid == 819 else "x",
    )  # fmt: skip
    inner = unwrap(wrapped(message))
    assert (inner.remote_q_name, inner.remote_q_mgr_name) == ("Q", "SATURN")
    assert inner.message.data == b"data"
    for key in message.md.record.KEYS:
        if key != "struc_id":
            assert getattr(inner.message.md, key) == getattr(message.md, key), key


@pytest.mark.spec("mq-wire.md 7.9")
def test_the_message_of_2003_is_wrapped_as_it_was_sent() -> None:
    lines = (VECTORS / "thesis" / "03-message-data.hex").read_text().splitlines()
    segment = bytes.fromhex("".join(line for line in lines if not line.startswith("#")))
    transmitted = segment[48:]
    assert transmitted[:4] == b"XQH "
    message = Message(transmitted[104:428], transmitted[428:], order=ByteOrder.LITTLE, ccsid=437)
    assert message.md.put_appl_name
    native = native_descriptor(message.raw_md, ByteOrder.LITTLE, 437, 437)
    queue = transmitted[8:56].decode().rstrip()
    queue_manager = transmitted[56:104].decode().rstrip()
    assert (queue, queue_manager) == ("MyHPQ", "QM_carlitosway")
    head = wrap_head(native, queue, queue_manager, 437, msg_id=NEW_ID, expiry=-1)
    assert head[324:] + message.data == transmitted


def test_a_foreign_descriptor_is_converted_and_a_native_one_is_not() -> None:
    native = Message.build(b"", format="MQSTR", user_identifier="carlos")
    assert native_descriptor(native.raw_md, ByteOrder.LITTLE, 1208, 1208) is native.raw_md
    assert native_descriptor(native.raw_md, ByteOrder.LITTLE, 437, 1208) is native.raw_md
    accented = Message.build(b"", ccsid=819, user_identifier="Zoë")
    converted = native_descriptor(accented.raw_md, ByteOrder.LITTLE, 819, 1208)
    assert Message(converted, order=ByteOrder.LITTLE, ccsid=1208).md.user_identifier == "Zoë"
    replaced = native_descriptor(accented.raw_md, ByteOrder.LITTLE, 819, 367)
    assert Message(replaced, order=ByteOrder.LITTLE, ccsid=367).md.user_identifier == "Zo?"
    with pytest.raises(ConversionError):
        native_descriptor(native.raw_md, ByteOrder.LITTLE, 4711, 1208)


@pytest.mark.spec("mqi.md 5.3")
@pytest.mark.parametrize(("order", "ccsid"), [(ByteOrder.LITTLE, 1208), (ByteOrder.BIG, 500)])
def test_version_2_fields_go_into_an_extension_and_back(order: Any, ccsid: int) -> None:
    message = Message.build(
        b"data", order=order, ccsid=ccsid, format="MQSTR", encoding=785, coded_char_set_id=37,
        group_id=b"g", msg_seq_number=4, offset=100, msg_flags=0x1A, original_length=1000,
    )  # fmt: skip
    first = split_extension(message)
    assert (first.md.version, first.md.format, len(first)) == (1, "MQHMDE", 76)
    merged = merge_extension(first)
    for key in message.md.record.KEYS:
        if key != "struc_id":
            assert getattr(merged.md, key) == getattr(message.md, key), key
    assert merged.data == b"data"
    plain = Message.build(b"data", msg_seq_number=1, offset=0)
    assert split_extension(plain).data == b"data"
    assert split_extension(split_extension(plain)).md.version == 1


@pytest.mark.parametrize("change", ["short", "id", "version", "length", "encoding"])
def test_an_extension_that_is_none_stays_data(change: str) -> None:
    first = split_extension(Message.build(b"data", msg_flags=8))
    data = bytearray(first.data)
    match change:
        case "short":
            data = data[:50]
        case "id":
            data[:4] = b"XXX "
        case "version":
            data[4] = 3
        case "length":
            data[8] = 73
        case "encoding":
            first.md.encoding = 0
    first.body = bytes(data)
    assert merge_extension(first) is first


@pytest.mark.spec("mqi.md 2.3")
def test_what_is_no_transmission_header_is_refused() -> None:
    good = wrapped(Message.build(b"data"))
    for data in (b"", good.data[:300], b"XXXX" + good.data[4:], good.data[:4] + b"\2" + good.data[5:]):
        with pytest.raises(StructureError):
            unwrap(good.copy(data))
    undescribed = good.copy()
    undescribed.md.encoding = 0
    with pytest.raises(StructureError):
        unwrap(undescribed)
    second = good.copy(good.data[:108] + b"\2" + good.data[109:])
    with pytest.raises(StructureError):
        unwrap(second)


def test_the_remaining_expiry_of_the_outer_message_counts() -> None:
    outer = wrapped(Message.build(b"", expiry=500))
    outer.md.expiry = 300
    assert unwrap(outer).message.md.expiry == 300


def test_formats_are_known_undecoded_and_encodings_name_an_order() -> None:
    assert has_format(Message.build(b"", format="MQXMIT").raw_md, MQFMT.XMIT_Q_HEADER)
    assert has_format(Message.build(b"", format="MQXMIT", ccsid=500).raw_md, MQFMT.XMIT_Q_HEADER)
    assert not has_format(Message.build(b"", format="MQSTR").raw_md, MQFMT.XMIT_Q_HEADER)
    assert [order_of(encoding) for encoding in (0x111, 0x222, 0x311, 0)] == [
        ByteOrder.BIG,
        ByteOrder.LITTLE,
        ByteOrder.BIG,
        None,
    ]


@pytest.mark.spec("mqi.md 5.4")
def test_put_times() -> None:
    assert put_date_and_time(1_800_000_000.567) == ("20270115", "08000056")
    assert put_moment("20270115", "08000056") == pytest.approx(1_800_000_000.56)
    assert put_moment("", "") is None
    assert put_moment("2027x115", "08000056") is None


def test_a_trigger_message_takes_only_its_own_texts() -> None:
    assert len(trigger_message(1208, 6, q_name="Q")) == 684
    with pytest.raises(TypeError):
        trigger_message(1208, 6, colour="red")
    with pytest.raises(ConversionError):
        trigger_message(1208, 6, q_name="X" * 49)
