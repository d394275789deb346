"""The MQSeries packets of 2003 hold the values that the notes list, and build back to the same bytes."""

from __future__ import annotations

import pytest

from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.framing import SegmentReader
from mqbridge.protocol.structures import MESSAGE_HEADERS, SEGMENT_HEADERS, TSH, parse_initial_data, parse_status_data
from support.captures.vectors import thesis

pytestmark = pytest.mark.spec("mq-wire.md 7.9")

NO_LUWID = bytes(8)

HEADERS = {
    1: (132, 1, 0x01, NO_LUWID),
    2: (132, 1, 0x00, NO_LUWID),
    3: (480, 4, 0x30, bytes.fromhex("5aba753f10000901")),
    4: (28, 5, 0x01, bytes.fromhex("84ce6d3f10001701")),
    5: (132, 1, 0x01, NO_LUWID),
    6: (485, 4, 0x30, bytes.fromhex("5aba753f10000607")),
}

INITIAL_DATA = {
    1: (b"ch.clon.hp", b"QM_cmolina"),
    2: (b"ch.clon.hp", b"QM_carlitosway"),
    5: (b"ch.myopenq.clon", b"MyOpenQ"),
}

TOKEN = bytes.fromhex("16 01051500 0000fa4f 0c2f23f3 f66316c0 ea32e903") + bytes(10) + b"\x0b"

MESSAGES = {
    3: {
        "msh_sequence_number": 1,
        "msh_data_length": 4,
        "msh_message_length": 432,
        "xqh_remote_q_name": b"MyHPQ".ljust(48),
        "xqh_remote_q_mgr_name": b"QM_carlitosway".ljust(48),
        "md_msg_id": b"AMQ QM_cmolina  " + bytes.fromhex("adb4753f20002b01"),
        "md_reply_to_q_mgr": b"QM_cmolina".ljust(48),
        "md_put_date": b"20030928",
        "md_put_time": b"01304759",
        "data": b"hola",
    },
    6: {
        "msh_sequence_number": 7,
        "msh_data_length": 9,
        "msh_message_length": 438,
        "xqh_remote_q_name": b"MyLocalQ".ljust(48),
        "xqh_remote_q_mgr_name": b"QM_cmolina".ljust(48),
        "md_msg_id": b"AMQ QM_cmolina  " + bytes.fromhex("adb4753f2000150d"),
        "md_reply_to_q_mgr": b"MyOpenQ".ljust(48),
        "md_put_date": b"20030927",
        "md_put_time": b"18250107",
        "data": b"Mensaje 0",
    },
}

IN_BOTH_MESSAGES = {
    "msh_struc_id": b"MSH ",
    "msh_unknown1": 0,
    "xqh_struc_id": b"XQH ",
    "xqh_version": 1,
    "md_struc_id": b"MD  ",
    "md_version": 1,
    "md_report": 0,
    "md_msg_type": 8,
    "md_expiry": -1,
    "md_feedback": 0,
    "md_encoding": 0x222,
    "md_coded_char_set_id": 437,
    "md_format": b"MQSTR   ",
    "md_priority": 0,
    "md_persistence": 0,
    "md_correl_id": bytes(24),
    "md_backout_count": 0,
    "md_reply_to_q": b" " * 48,
    "md_user_identifier": b"A".ljust(12),
    "md_accounting_token": TOKEN,
    "md_appl_identity_data": b" " * 32,
    "md_put_appl_type": 11,
    "md_put_appl_name": b"WebSphere MQ\\bin\\amqsput.exe",
    "md_appl_origin_data": b"    ",
}


@pytest.mark.parametrize("number", HEADERS)
@pytest.mark.spec("mq-wire.md 2.1")
def test_segment_headers(number: int) -> None:
    data = thesis(number)
    length, segment_type, flags1, luwid = HEADERS[number]
    header = TSH.codec(ByteOrder.LITTLE).parse(data)
    assert header.as_dict() == {
        "struc_id": b"TSH ",
        "seg_length": length,
        "byte_order": 2,
        "segment_type": segment_type,
        "control_flags1": flags1,
        "control_flags2": 0,
        "luwid": luwid,
        "encoding": 0x222,
        "ccsid": 437,
        "reserved": 0,
    }
    assert header.build() == data[:28]
    assert len(data) == length

    (segment,) = SegmentReader().feed(data)
    assert (segment.length, segment.type, segment.flags1, segment.luwid) == HEADERS[number]
    assert (segment.flags2, segment.encoding, segment.ccsid, segment.order) == (0, 0x222, 437, ByteOrder.LITTLE)
    assert segment.data == data
    assert segment.body == data[28:]


@pytest.mark.parametrize("number", INITIAL_DATA)
@pytest.mark.spec("mq-wire.md 5.1")
def test_initial_data(number: int) -> None:
    body = thesis(number)[28:]
    channel, queue_manager = INITIAL_DATA[number]
    read = parse_initial_data(body, ByteOrder.LITTLE)
    assert (read.known, read.rest) == (102, b"\x73\x20"), "two left-over bytes, not InitErrFlags2"
    assert {key: value for key, value in read.record.as_dict().items() if read.has(key)} == {
        "struc_id": b"ID  ",
        "fap_level": 7,
        "cap_flags1": 7,
        "e_cap_flags1": 0,
        "init_err_flags1": 0,
        "reserved": 0,
        "max_msgs_per_batch": 50,
        "max_transmission_size": 32766,
        "max_message_size": 4194304,
        "sequence_wrap": 999999999,
        "channel_name": channel.ljust(20),
        "cap_flags2": 7,
        "e_cap_flags2": 0,
        "ccsid": 437,
        "q_mgr_name": queue_manager.ljust(48),
        "heartbeat_interval": 300,
        "efl_length": 0,
    }
    assert read.record.init_err_flags2 == 0
    assert read.build() == body


@pytest.mark.parametrize("number", MESSAGES)
@pytest.mark.spec("mq-wire.md 5.14")
@pytest.mark.spec("mq-wire.md 5.7")
def test_message_data(number: int) -> None:
    segment = thesis(number)
    wanted = MESSAGES[number]
    headers = SEGMENT_HEADERS.codec(ByteOrder.LITTLE).parse(segment)
    seen = {key: value for key, value in headers.as_dict().items() if not key.startswith("tsh_")}
    assert {**seen, "data": segment[SEGMENT_HEADERS.size :]} == {**IN_BOTH_MESSAGES, **wanted}
    assert headers.build() + segment[SEGMENT_HEADERS.size :] == segment
    assert MESSAGE_HEADERS.codec(ByteOrder.LITTLE).parse(segment, 28).build() == segment[28:476]


def test_the_confirm_request_has_no_body() -> None:
    assert parse_status_data(thesis(4)[28:], ByteOrder.LITTLE) is None
