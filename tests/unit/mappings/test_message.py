from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqbridge.mappings.body import (
    BodyFromOffset,
    BodyPieces,
    PrefixedBody,
    as_bytes,
    in_pieces,
    joined,
    read_slice,
    without_front,
)
from mqbridge.mappings.message import Message
from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.errors import ConversionError, LocalProtocolError, StructureError
from mqbridge.protocol.structures import MD, MD1


@pytest.mark.spec("mq-wire.md 5.7")
@pytest.mark.parametrize("order", [ByteOrder.BIG, ByteOrder.LITTLE])
@pytest.mark.parametrize("ccsid", [1208, 437, 500])
def test_fields_are_text_numbers_and_bytes_in_any_form(order: Any, ccsid: int) -> None:
    message = Message.build(
        b"data", order=order, ccsid=ccsid, format="MQSTR", reply_to_q="REPLIES", priority=3, msg_id=b"id", expiry=-1
    )
    copy = Message(message.raw_md, b"data", order=order, ccsid=ccsid)
    assert (copy.md.format, copy.md.reply_to_q, copy.md.reply_to_q_mgr) == ("MQSTR", "REPLIES", "")
    assert (copy.md.priority, copy.md.expiry, copy.md.msg_id) == (3, -1, b"id".ljust(24, b"\0"))
    assert (copy.md.version, copy.md.msg_seq_number, copy.md.original_length) == (1, 1, -1)
    assert copy == message
    assert len(copy) == 4


@given(
    st.binary(min_size=316, max_size=316), st.binary(max_size=40), st.sampled_from([ByteOrder.BIG, ByteOrder.LITTLE])
)
def test_what_nobody_changes_gives_back_the_same_bytes(rest: bytes, data: bytes, order: Any) -> None:
    raw = b"MD  " + (1).to_bytes(4, order.endian) + rest
    message = Message(raw, data, order=order, ccsid=1208)
    for key in MD1.codec(order).KEYS:
        if key != "struc_id":
            getattr(message.md, key)
    assert message.raw_md is raw
    assert message.data is data


@given(st.binary(min_size=316, max_size=316), st.sampled_from([ByteOrder.BIG, ByteOrder.LITTLE]))
def test_assigning_a_field_changes_its_bytes_alone(rest: bytes, order: Any) -> None:
    raw = b"MD  " + (1).to_bytes(4, order.endian) + rest
    message = Message(raw, order=order, ccsid=1208)
    message.md.reply_to_q = "CHANGED"
    assert message.raw_md == raw[:100] + b"CHANGED".ljust(48) + raw[148:]


def test_a_version_2_field_makes_the_descriptor_version_2() -> None:
    message = Message.build(b"", format="MQSTR")
    assert len(message.raw_md) == MD1.size
    message.md.msg_flags = 8
    assert len(message.raw_md) == MD.size
    assert (message.md.version, message.md.format, message.md.msg_flags) == (2, "MQSTR", 8)


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"reply_to_q": "X" * 49}, ConversionError),
        ({"format": "日本"}, ConversionError),
        ({"msg_id": bytes(25)}, LocalProtocolError),
        ({"version": 2**32}, LocalProtocolError),
        ({"priority": 2**31}, LocalProtocolError),
        ({"colour": "red"}, TypeError),
    ],
)
def test_values_that_do_not_fit_are_refused(fields: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        Message.build(b"", ccsid=437, **fields)


@pytest.mark.parametrize("raw", [b"", bytes(323), bytes(363), bytes(365)])
def test_bytes_of_the_wrong_length_are_no_descriptor(raw: bytes) -> None:
    with pytest.raises(StructureError):
        Message(raw, order=ByteOrder.LITTLE, ccsid=1208)


def test_a_wrong_id_shows_when_the_descriptor_is_read() -> None:
    message = Message(bytes(324), order=ByteOrder.LITTLE, ccsid=1208)
    with pytest.raises(StructureError):
        _ = message.md


def test_a_copy_is_independent() -> None:
    message = Message.build(b"data", format="MQSTR")
    other = message.copy(b"other")
    other.md.format = "MQDEAD"
    assert (message.md.format, message.data) == ("MQSTR", b"data")
    assert (other.md.format, other.data) == ("MQDEAD", b"other")
    assert message != other


# Bodies


FORMS = {
    "bytes": bytes,
    "view": memoryview,
    "pieces": lambda data: BodyPieces([data[:3], b"", memoryview(data)[3:]]),
    "joined": lambda data: PrefixedBody(data[:2], BodyPieces([data[2:]])),
    "behind": lambda data: BodyFromOffset(BodyPieces([b"front", data]), 5),
}


@given(
    st.sampled_from(sorted(FORMS)),
    st.binary(max_size=30),
    st.integers(0, 35),
    st.integers(0, 35),
    st.binary(max_size=5),
)
def test_all_forms_of_data_read_alike(form: str, data: bytes, offset: int, length: int, front: bytes) -> None:
    body: Any = FORMS[form](data)
    assert len(body) == len(data)
    assert as_bytes(body) == data
    assert read_slice(body, offset, length) == data[offset : offset + length]
    assert read_slice(body, offset) == data[offset:]
    pieces = list(in_pieces(body, 4))
    assert b"".join(pieces) == data
    assert all(0 < len(piece) <= 4 for piece in pieces)
    assert as_bytes(joined(front, body)) == front + data
    assert as_bytes(without_front(body, offset)) == data[offset:]
    assert as_bytes(without_front(joined(front, body), len(front))) == data
