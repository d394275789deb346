from __future__ import annotations

from typing import Any

import pytest

from mqbridge.bridge.queue_manager import Application, MQError, PutOptions
from mqbridge.bridge.queue_manager.objects import Kind
from mqbridge.mappings.message import Message
from mqbridge.protocol.constants import MQAT, MQPMO, MQRC, ByteOrder
from mqbridge.protocol.structures.mde import MDE
from support.queue_manager.host import Host

APPLICATION = Application(user="carlos", appl_type=MQAT.UNIX, appl_name="putter", accounting_token=b"\7" * 32)


def refusal(host: Host, queue: str = "Q", data: bytes = b"data", **arguments: Any) -> int:
    with pytest.raises(MQError) as caught:
        host.put(queue, data, **arguments)
    assert caught.value.completion == 2
    return caught.value.reason


@pytest.fixture
def queue(host: Host) -> str:
    return host.local("Q", MAXMSGL=1000, MAXDEPTH=3)


@pytest.mark.spec("mqi.md 5.3")
def test_ids_times_and_defaults_are_filled_in(host: Host, queue: str) -> None:
    message = host.put(queue, b"data", options=PutOptions(application=APPLICATION))
    md = message.md
    assert md.msg_id.startswith(b"AMQ EARTH       ")
    assert (md.priority, md.persistence, md.expiry, md.backout_count) == (0, 0, -1, 0)
    assert md.coded_char_set_id == 1208
    assert (md.put_date, md.put_time) == ("20270115", "08000000")
    assert (md.user_identifier, md.put_appl_type, md.put_appl_name) == ("carlos", MQAT.UNIX, "putter")
    assert md.accounting_token == b"\7" * 32
    assert host.got(queue).raw_md == message.raw_md


@pytest.mark.spec("mqi.md 5.3")
@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"msg_type": 3}, MQRC.MSG_TYPE_ERROR),
        ({"msg_type": 1_000_000_000}, MQRC.MSG_TYPE_ERROR),
        ({"msg_type": 1}, MQRC.MISSING_REPLY_TO_Q),
        ({"report": 0x100}, MQRC.MISSING_REPLY_TO_Q),
        ({"report": 0x10000000}, MQRC.REPORT_OPTIONS_ERROR),
        ({"expiry": 0}, MQRC.EXPIRY_ERROR),
        ({"expiry": -2}, MQRC.EXPIRY_ERROR),
        ({"feedback": 0x7FFFFFFF}, MQRC.FEEDBACK_ERROR),
        ({"priority": -2}, MQRC.PRIORITY_ERROR),
        ({"persistence": 3}, MQRC.PERSISTENCE_ERROR),
        ({"coded_char_set_id": -2}, MQRC.CODED_CHAR_SET_ID_ERROR),
        ({"msg_flags": 0x800}, MQRC.MSG_FLAGS_ERROR),
        ({"msg_flags": 0x8, "msg_seq_number": 0}, MQRC.MSG_SEQ_NUMBER_ERROR),
    ],
)
def test_a_descriptor_that_is_wrong_is_refused(host: Host, queue: str, fields: dict[str, int], reason: int) -> None:
    assert refusal(host, queue, **fields) == reason
    assert host.depth(queue) == 0


@pytest.mark.spec("channels.md 9.1")
def test_unknown_report_options_are_refused_or_warned_of_by_their_mask(host: Host, queue: str) -> None:
    host.transmission("SATURN")
    accepted = Message.build(b"", report=0x20000000)
    assert host.send(queue, accepted) == MQRC.UNKNOWN_REPORT_OPTION
    assert accepted.md.report == 0x20000000
    if_transmitted = {"report": 0x00008000}
    assert refusal(host, queue, **if_transmitted) == MQRC.REPORT_OPTIONS_ERROR
    assert host.send("THERE", Message.build(b"", **if_transmitted), queue_manager="SATURN") == 2104


@pytest.mark.spec("mqi.md 4.4")
def test_priority_and_persistence_come_from_the_first_definition_on_the_path(host: Host) -> None:
    host.local("Q", DEFPRTY=2, DEFPSIST="NO")
    host.define(Kind.QALIAS, "A", TARGET="Q", DEFPRTY=7, DEFPSIST="YES")
    assert (host.put("A").md.priority, host.put("A").md.persistence) == (7, 1)
    assert (host.put("Q").md.priority, host.put("Q").md.persistence) == (2, 0)


@pytest.mark.spec("mqi.md 4.4")
def test_a_priority_above_nine_is_kept_ordered_as_nine_and_warned_of(host: Host, queue: str) -> None:
    host.put(queue, b"nine", priority=9)
    assert host.send(queue, Message.build(b"twelve", priority=12)) == MQRC.PRIORITY_EXCEEDS_MAXIMUM
    host.put(queue, b"none")
    assert host.contents(queue) == [b"nine", b"twelve", b"none"]
    host.got(queue)
    assert host.got(queue).md.priority == 12


@pytest.mark.spec("mqi.md 5.5")
@pytest.mark.parametrize("inhibited", ["Q", "A", "R", "QM", "SATURN"])
def test_a_put_inhibited_anywhere_on_the_path_is_refused(host: Host, inhibited: str) -> None:
    host.local("Q")
    host.transmission("SATURN")
    host.define(Kind.QALIAS, "A", TARGET="Q")
    host.define(Kind.QREMOTE, "QM", RQMNAME="SATURN")
    host.define(Kind.QREMOTE, "R", RNAME="THERE", RQMNAME="QM")
    through = {"Q": ["Q", "A"], "A": ["A"], "R": ["R"], "QM": ["R"], "SATURN": ["R"]}[inhibited]
    kinds = {"Q": Kind.QLOCAL, "A": Kind.QALIAS, "R": Kind.QREMOTE, "QM": Kind.QREMOTE, "SATURN": Kind.QLOCAL}
    host.put("A")
    host.put("R")
    host.alter(kinds[inhibited], inhibited, PUT="DISABLED")
    for name in through:
        assert refusal(host, name) == MQRC.PUT_INHIBITED


@pytest.mark.spec("mqi.md 5.5 row 2")
def test_length_limits_of_queue_and_queue_manager(host: Host, queue: str) -> None:
    host.put(queue, bytes(1000))
    assert refusal(host, queue, bytes(1001)) == MQRC.MSG_TOO_BIG_FOR_Q
    host.local("BIG", MAXMSGL=100 << 20)
    host.alter_manager(MAXMSGL=40_000)
    host.put("BIG", bytes(40_000))
    assert refusal(host, "BIG", bytes(40_001)) == MQRC.MSG_TOO_BIG_FOR_Q_MGR


@pytest.mark.spec("mqi.md 5.5 row 2")
def test_the_header_of_a_transmission_queue_does_not_count_for_its_length_limit(host: Host) -> None:
    host.transmission("SATURN", MAXMSGL=1000)
    host.put("THERE", bytes(1000), queue_manager="SATURN")
    assert refusal(host, "THERE", bytes(1001), queue_manager="SATURN") == MQRC.MSG_TOO_BIG_FOR_Q
    wrapped = host.got("SATURN")
    assert len(wrapped.data) == 1428
    host.send("SATURN", wrapped)


@pytest.mark.spec("mqi.md 4.2 row 2")
def test_a_full_queue_is_refused_uncommitted_puts_count(host: Host, queue: str) -> None:
    unit = host.begin()
    for _ in range(3):
        host.put(queue, unit=unit)
    assert refusal(host, queue) == MQRC.Q_FULL
    host.commit(unit)
    assert refusal(host, queue) == MQRC.Q_FULL
    taking = host.begin()
    host.got(queue, taking)
    host.put(queue)
    host.backout(taking)
    assert host.depth(queue) == 4


@pytest.mark.spec("mqi.md 2.3")
def test_a_message_put_directly_on_a_transmission_queue_needs_its_header(host: Host) -> None:
    host.transmission("SATURN")
    assert refusal(host, "SATURN", b"no header", format="MQXMIT") == MQRC.XQH_ERROR
    assert refusal(host, "SATURN", b"XQH " + bytes(500)) == MQRC.XQH_ERROR


@pytest.mark.spec("mqi.md 5.2")
@pytest.mark.parametrize(
    "options",
    [
        MQPMO.SYNCPOINT | MQPMO.NO_SYNCPOINT,
        MQPMO.DEFAULT_CONTEXT | MQPMO.NO_CONTEXT,
        MQPMO.PASS_ALL_CONTEXT | MQPMO.SET_IDENTITY_CONTEXT,
        MQPMO.ASYNC_RESPONSE | MQPMO.SYNC_RESPONSE,
        0x100000,
    ],
)
def test_put_options_that_exclude_each_other_are_refused(host: Host, queue: str, options: int) -> None:
    assert refusal(host, queue, options=PutOptions(options)) == MQRC.OPTIONS_ERROR


@pytest.mark.spec("mqi.md 5.3")
def test_new_ids_are_made_where_asked_and_given_ones_kept(host: Host, queue: str) -> None:
    kept = host.put(queue, msg_id=b"mine", correl_id=b"theirs")
    assert (kept.md.msg_id.rstrip(b"\0"), kept.md.correl_id.rstrip(b"\0")) == (b"mine", b"theirs")
    new = host.put(queue, msg_id=b"mine", options=PutOptions(MQPMO.NEW_MSG_ID | MQPMO.NEW_CORREL_ID))
    assert new.md.msg_id[:4] == new.md.correl_id[:4] == b"AMQ "
    assert new.md.msg_id != new.md.correl_id


@pytest.mark.spec("mqi.md 5.3")
def test_a_reply_queue_can_be_suppressed(host: Host, queue: str) -> None:
    message = host.put(queue, reply_to_q="R", reply_to_q_mgr="M", options=PutOptions(MQPMO.SUPPRESS_REPLYTO))
    assert (message.md.reply_to_q, message.md.reply_to_q_mgr) == ("", "")


SET_BY_PROGRAM: dict[str, Any] = {
    "user_identifier": "someone", "accounting_token": b"\1" * 32, "appl_identity_data": "identity",
    "put_appl_type": MQAT.WINDOWS, "put_appl_name": "elsewhere", "put_date": "19991231", "put_time": "23595999",
    "appl_origin_data": "orig",
}  # fmt: skip
IDENTITY = ("user_identifier", "accounting_token", "appl_identity_data")
ORIGIN = ("put_appl_type", "put_appl_name", "put_date", "put_time", "appl_origin_data")


@pytest.mark.spec("mqi.md 5.4")
@pytest.mark.parametrize(
    ("option", "identity", "origin"),
    [
        (MQPMO.NONE, "default", "default"),
        (MQPMO.DEFAULT_CONTEXT, "default", "default"),
        (MQPMO.NO_CONTEXT, "none", "none"),
        (MQPMO.PASS_IDENTITY_CONTEXT, "passed", "default"),
        (MQPMO.PASS_ALL_CONTEXT, "passed", "passed"),
        (MQPMO.SET_IDENTITY_CONTEXT, "set", "default"),
        (MQPMO.SET_ALL_CONTEXT, "set", "set"),
    ],
)
def test_context(host: Host, queue: str, option: int, identity: str, origin: str) -> None:
    source = Message.build(
        b"", **{**SET_BY_PROGRAM, "user_identifier": "first", "put_appl_name": "first", "appl_origin_data": "1st"}
    )
    message = host.put(queue, options=PutOptions(option, APPLICATION, source), **SET_BY_PROGRAM)
    expected: dict[str, dict[str, Any]] = {
        "set": SET_BY_PROGRAM,
        "passed": {**SET_BY_PROGRAM, "user_identifier": "first", "put_appl_name": "first", "appl_origin_data": "1st"},
        "none": {
            "user_identifier": "", "accounting_token": bytes(32), "appl_identity_data": "", "put_appl_type": 0,
            "put_appl_name": "", "put_date": "", "put_time": "", "appl_origin_data": "",
        },
        "default": {
            "user_identifier": "carlos", "accounting_token": b"\7" * 32, "appl_identity_data": "",
            "put_appl_type": MQAT.UNIX, "put_appl_name": "putter", "put_date": "20270115", "put_time": "08000000",
            "appl_origin_data": "",
        },
    }  # fmt: skip
    for key in IDENTITY:
        assert getattr(message.md, key) == expected[identity][key], key
    for key in ORIGIN:
        assert getattr(message.md, key) == expected[origin][key], key


@pytest.mark.spec("mqi.md 5.4")
def test_passing_context_without_a_saved_one_is_refused(host: Host, queue: str) -> None:
    assert refusal(host, queue, options=PutOptions(MQPMO.PASS_ALL_CONTEXT)) == MQRC.CONTEXT_NOT_AVAILABLE


@pytest.mark.spec("channels.md 7.1")
def test_a_message_of_a_channel_is_kept_byte_for_byte(host: Host, queue: str) -> None:
    for order, ccsid in ((ByteOrder.BIG, 500), (ByteOrder.LITTLE, 437)):
        message = Message.build(b"body", order=order, ccsid=ccsid, priority=0, persistence=1, **SET_BY_PROGRAM)
        raw = message.raw_md
        host.send(queue, message, options=PutOptions(direct=True))
        got = host.got(queue)
        assert (got.raw_md, got.order, got.ccsid, got.data) == (raw, order, ccsid, b"body")


@pytest.mark.spec("mqi.md 5.3")
def test_an_extension_in_front_of_the_data_becomes_version_2_of_the_descriptor(host: Host, queue: str) -> None:
    extension = MDE.codec(ByteOrder.LITTLE)(
        format=b"MQSTR   ", encoding=546, coded_char_set_id=1208, group_id=b"g" * 24, msg_seq_number=3, msg_flags=8
    )
    host.put(queue, extension.build() + b"text", format="MQHMDE", encoding=546, coded_char_set_id=1208)
    got = host.got(queue)
    assert (got.md.version, got.md.format, got.data) == (2, "MQSTR", b"text")
    assert (got.md.group_id, got.md.msg_seq_number, got.md.msg_flags) == (b"g" * 24, 3, 8)


@pytest.mark.spec("mqi.md 5.3")
@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        ({"version": 1}, MQRC.MDE_ERROR),
        ({"struc_length": 99}, MQRC.MDE_ERROR),
        ({"msg_flags": 0x800}, MQRC.MSG_FLAGS_ERROR),
        ({"msg_flags": 8, "msg_seq_number": 0}, MQRC.MSG_SEQ_NUMBER_ERROR),
    ],
)
def test_a_wrong_extension_is_refused(host: Host, queue: str, wrong: dict[str, int], reason: int) -> None:
    data = MDE.codec(ByteOrder.LITTLE)(encoding=546, coded_char_set_id=1208, **wrong).build() + b"text"
    fields: dict[str, Any] = {"format": "MQHMDE", "encoding": 546, "coded_char_set_id": 1208}
    assert refusal(host, queue, data, **fields) == reason
    assert refusal(host, queue, data[:60], **fields) == MQRC.MDE_ERROR
    host.put(queue, b"no extension at all", **fields)
    got = host.got(queue)
    assert (got.md.version, got.md.format, got.data) == (1, "MQHMDE", b"no extension at all")


@pytest.mark.spec("channels.md 12.2")
def test_version_2_fields_travel_in_an_extension_and_come_back(host: Host) -> None:
    from mqbridge.mappings.mq import unwrap

    host.transmission("SATURN")
    message = host.put("THERE", b"text", queue_manager="SATURN", format="MQSTR", msg_flags=8, msg_seq_number=2)
    outer = host.got("SATURN")
    assert len(outer.data) == 428 + 72 + 4
    inner = unwrap(outer).message
    assert inner.raw_md == message.raw_md
    assert inner.data == b"text"


@pytest.mark.spec("mqi.md 6.2")
@pytest.mark.parametrize(
    ("flags", "group", "expected_group", "sequence", "offset"),
    [
        (0, b"g", "none", 1, 0),
        (1, b"", "new", 1, 0),
        (1, b"g", "field", 1, 0),
        (2, b"", "new", 1, 700),
        (2, b"g", "field", 1, 700),
        (8, b"", "new", 5, 0),
        (8, b"g", "field", 5, 0),
        (8 | 2, b"g", "field", 5, 700),
    ],
)
def test_group_fields_in_physical_order(
    host: Host, queue: str, flags: int, group: bytes, expected_group: str, sequence: int, offset: int
) -> None:
    md = host.put(queue, msg_flags=flags, group_id=group, msg_seq_number=5, offset=700).md
    found = {bytes(24): "none", b"g".ljust(24, b"\0"): "field"}.get(md.group_id, "new")
    assert (found, md.msg_seq_number, md.offset) == (expected_group, sequence, offset)


@pytest.mark.spec("mqi.md 2.5 row 4")
def test_a_temporary_queue_takes_no_persistent_message(host: Host) -> None:
    host.define(Kind.QMODEL, "M", DEFTYPE="TEMPDYN")
    handle = host.queue_manager.open("M", options=0x10, owner=b"me", now=host.now, dynamic_name="T.*")
    assert refusal(host, handle.object_name, persistence=1) == MQRC.PERSISTENT_NOT_ALLOWED
    host.put(handle.object_name, persistence=0)


def test_expiry_is_capped_by_the_definitions_on_the_path(host: Host) -> None:
    host.local("Q", CAPEXPRY=600)
    host.define(Kind.QALIAS, "A", TARGET="Q", CAPEXPRY=50)
    assert host.put("Q").md.expiry == 600
    assert host.put("A").md.expiry == 50
    assert host.put("A", expiry=7).md.expiry == 7


@pytest.mark.spec("channels.md 17.3")
def test_the_cap_of_expiry_may_stand_in_custom(host: Host) -> None:
    host.local("Q", CUSTOM="CAPEXPRY(600)")
    assert host.put("Q").md.expiry == 600
    assert host.put("Q", expiry=700).md.expiry == 600
    assert host.put("Q", expiry=7).md.expiry == 7
    host.alter(Kind.QLOCAL, "Q", CUSTOM="")
    assert host.put("Q").md.expiry == -1


@pytest.mark.parametrize("raw", [b"XX  " + bytes(320), b"MD  " + (9).to_bytes(4, "little") + bytes(316)])
def test_a_descriptor_that_is_none_is_refused_from_channels_too(host: Host, queue: str, raw: bytes) -> None:
    with pytest.raises(MQError) as caught:
        host.send(queue, Message(raw, b"", order=ByteOrder.LITTLE, ccsid=1208), options=PutOptions(direct=True))
    assert caught.value.reason == MQRC.MD_ERROR
