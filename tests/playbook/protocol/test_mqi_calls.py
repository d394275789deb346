"""The calls of real clients as values, and our replies to them (mq-wire.md 8.3, client-observed.md 4 and 6)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import pytest

from mqbridge.protocol.constants import MQRC, ByteOrder, SegmentType, SpiVerb, XAReturn
from mqbridge.protocol.errors import LocalProtocolError
from mqbridge.protocol.framing import Segment, SegmentReader
from mqbridge.protocol.mqi import (
    Backout,
    Call,
    CallRefused,
    Close,
    Commit,
    Connect,
    Disconnect,
    Get,
    Inquire,
    Notify,
    Open,
    Put,
    Put1,
    Reserve,
    Set,
    Stat,
    Subscribe,
    SubscriptionRequest,
    Xa,
)
from mqbridge.protocol.structures import SPI, SPNI, parse_od, spi_base
from mqbridge.protocol.structures.gmo import parse_gmo
from mqbridge.protocol.structures.inq import parse_inq
from mqbridge.protocol.structures.pmo import parse_pmo
from mqbridge.protocol.structures.sd import parse_sd
from mqbridge.protocol.structures.spi_reserve import SPRO
from mqbridge.protocol.structures.sts import make_sts
from mqbridge.protocol.structures.xid import make_xid, parse_xid
from support.clients.playbook import Answer, ClientPlay, connected, started
from support.transcripts.client_transcripts import transcript

CallT = TypeVar("CallT", bound=Call)


def segments(name: str, kind: int) -> list[Segment]:
    """What the client of a transcript sent of a type."""
    found = []
    for one in transcript(name).segments:
        if one.side == "client":
            found += [each for each in SegmentReader(1 << 24).feed(one.data) if each.type == kind]
    return found


def play_for(segment: Segment) -> ClientPlay:
    """A connection on which the client of a segment could have said it."""
    play = connected(shared_conversations=10 if segment.struc_id == b"TSHM" else 0, max_message_length=0)
    if segment.conversation_id > 1:
        play.another(segment.conversation_id)
    play.conversation = segment.conversation_id
    return play


def heard(name: str, kind: int, expected: type[CallT], index: int = 0, spi: int = 0) -> tuple[ClientPlay, CallT]:
    """The call that a real segment means to us."""
    found = segments(name, kind)
    if spi:
        found = [one for one in found if SPI.codec(one.order).parse(one.body, 16).verb == spi]
    one = found[index]
    play = play_for(one)
    (call,) = play.says(one.data)
    assert type(call) is expected
    assert (call.conversation, call.request, call.type) == (one.conversation_id, one.request_id, kind)
    return play, call


def replied(play: ClientPlay, call: Call, reply: Callable[..., None], *arguments: Any, **values: Any) -> Answer:
    reply(call, *arguments, **values)
    (answer,) = play.we_sent()
    assert answer.type == call.type + 0x10
    assert (answer.conversation, answer.request, answer.flags) == (call.conversation, call.request, 0x30)
    if call.type < SegmentType.XA_START:
        assert answer.api.reply_length == len(answer.body) + 28
    with pytest.raises(LocalProtocolError):
        reply(call, *arguments, **values)
    return answer


@pytest.mark.spec("mq-wire.md 5.6", "client-observed.md O-015")
def test_mqopen_of_the_queue_manager() -> None:
    play, call = heard("connect-basic", SegmentType.MQOPEN, Open)
    assert (call.od.record.object_type, call.options, call.spi_version) == (5, 0x2020, 0)
    answer = replied(play, call, play.machine.replies.open, 2)
    assert (answer.outcome, answer.api.object_handle) == ((0, 0), 2)
    assert answer.body[16:216] == call.od.build()
    assert answer.body[216:224] == b"\x20\x20\0\0FOPA"
    assert len(answer.body) == 304


@pytest.mark.spec("mq-wire.md 5.12", "client-observed.md O-050", "client-observed.md O-053", "client-observed.md O-054")
@pytest.mark.parametrize(("name", "version"), [("mqi-putget", 2), ("jms-spi-query-only", 1), ("jms-produce", 2)])
def test_spi_open(name: str, version: int) -> None:
    play, call = heard(name, SegmentType.SPI, Open, spi=12)
    assert call.spi_version == version
    assert call.text(call.od.record.object_name) in ("DEV.QUEUE.1", "Q1", "TEST.Q")
    call.od.record.object_name = call.field("RESOLVED", 48)
    answer = replied(play, call, play.machine.replies.open, 4, persistence=1, put_response=1, read_ahead=0)
    at = 16 + SPI.size + 12 + 12
    assert answer.body[at : at + 4] == b"LPOO"
    assert int.from_bytes(answer.body[at - 4 : at], "little") == len(answer.body) - at + 12
    length = 88 if version == 2 else 32
    assert answer.body[at + 16 : at + 28] == b"\1\0\0\0\1\0\0\0\0\0\0\0"
    assert parse_od(answer.body, at + length, ByteOrder.LITTLE).record.object_name == b"RESOLVED".ljust(48)


def test_an_open_that_fails() -> None:
    play, call = heard("mqi-putget", SegmentType.SPI, Open, spi=12)
    answer = replied(play, call, play.machine.replies.refuse, 2085)
    assert (answer.outcome, answer.api.object_handle) == ((2, 2085), -1)


@pytest.mark.spec("client-observed.md O-052", "client-observed.md O-097")
def test_strings_behind_the_descriptor() -> None:
    play = connected()
    found = set()
    for one in segments("jms-selector", SegmentType.SPI):
        if one.conversation_id not in play.machine.conversations:
            play.another(one.conversation_id)
        (call,) = play.says(one.data) or [None]
        if isinstance(call, Open):
            found |= {(key, value) for key, value in call.od.strings.items() if value}
            play.machine.replies.refuse(call, 2085)
    assert any(key == "selection_string" for key, _ in found)


@pytest.mark.spec("client-observed.md O-051")
def test_spi_query_is_answered_by_the_machine() -> None:
    one = segments("mqi-putget", SegmentType.SPI)[0]
    play = play_for(one)
    assert play.says(one.data) == []
    answer = play.we_answer(SegmentType.SPI_REPLY)
    assert answer.outcome == (0, 0)
    words = [int.from_bytes(answer.body[at : at + 4], "little") for at in range(56, len(answer.body), 4)]
    verbs = [tuple(words[at : at + 5]) for at in range(0, len(words), 5)]
    assert verbs[10:] == [(11, 1, 1, 1, 1), (12, 1, 2, 2, 1)]
    assert [verb for verb, *_ in verbs] == [1, 2, 0, 0, 0, 6, 7, 0, 0, 0, 11, 12]


@pytest.mark.spec("client-observed.md O-055")
def test_mqclose() -> None:
    play, call = heard("jms-listen", SegmentType.MQCLOSE, Close, index=-2)
    assert (call.handle, call.options, call.last_index, call.unreceived) == (4, 0x20, 6, [])
    answer = replied(play, call, play.machine.replies.answer)
    assert (answer.api.object_handle, len(answer.body)) == (-1, 16)


@pytest.mark.spec("mq-wire.md 5.8", "client-observed.md O-057")
@pytest.mark.parametrize(("name", "version", "data"), [("mqi-putget", 2, b"hello"), ("jms-produce", 1, None)])
def test_mqput(name: str, version: int, data: bytes | None) -> None:
    play, call = heard(name, SegmentType.MQPUT, Put)
    assert call.handle > 0
    assert call.wanted
    assert len(call.descriptor) == {1: 324, 2: 364}[version]
    assert isinstance(call.data, bytes)
    assert len(call.data) == call.length
    assert data is None or call.data == data
    assert call.options.record.options & 0x20000
    call.descriptor = call.descriptor[:48] + b"m" * 24 + call.descriptor[72:]
    call.options.record.resolved_q_name = call.field("DEV.QUEUE.1", 48)
    answer = replied(play, call, play.machine.replies.answer)
    assert answer.body[16 : 16 + len(call.descriptor)] == call.descriptor
    options = parse_pmo(answer.body, 16 + len(call.descriptor), ByteOrder.LITTLE)
    assert options.record.resolved_q_name == b"DEV.QUEUE.1".ljust(48)
    assert answer.body[-4:] == call.word(call.length)


@pytest.mark.spec("client-observed.md O-058")
def test_mqput1() -> None:
    play, call = heard("mqi-putget", SegmentType.MQPUT1, Put1)
    assert (call.handle, call.od.record.version, call.data) == (-1, 1, b"put1 message")
    answer = replied(play, call, play.machine.replies.refuse, 2085)
    assert answer.outcome == (2, 2085)
    assert answer.body[16:] == call.od.build() + call.descriptor + call.options.build() + call.word(12)


@pytest.mark.spec("client-observed.md O-059", "mq-wire.md 6.4")
@pytest.mark.parametrize("name", ["mqi-large", "mqi-sharecnv0-large"])
def test_a_long_put_is_put_together(name: str) -> None:
    parts = segments(name, SegmentType.MQPUT)
    play = play_for(parts[0])
    lengths, open_call = [], False
    for one in parts:
        if one.conversation_id not in play.machine.conversations:
            play.another(one.conversation_id)
        events = play.says(one.data)
        if not one.flags1 & 0x20:
            assert events == []
            open_call = True
            continue
        (call,) = events
        assert isinstance(call, Put)
        pieces = call.data if isinstance(call.data, list) else [call.data]
        assert isinstance(call.data, list) is open_call
        assert sum(map(len, pieces)) == call.length
        lengths.append(call.length)
        open_call = False
        play.machine.replies.answer(call)
    assert max(lengths) >= 40000


@pytest.mark.spec("client-observed.md O-063")
@pytest.mark.parametrize("name", ["mqi-async", "jms-put-async", "mqi-sharecnv0-async"])
def test_an_asynchronous_put_has_no_reply(name: str) -> None:
    play, call = heard(name, SegmentType.MQPUT, Put, index=1)
    assert not call.wanted
    play.machine.replies.answer(call)
    play.machine.replies.refuse(call, 2053)
    assert play.we_sent() == []
    (commit,) = play.says(play.call(SegmentType.MQCMIT))  # the conversation goes on
    assert isinstance(commit, Commit)


@pytest.mark.spec("client-observed.md O-071", "client-observed.md 6.2")
def test_a_put_with_a_delivery_delay() -> None:
    play, call = heard("jms-delay", SegmentType.SPI, Put, spi=2)
    assert (call.delay, call.length) == (2000, len(call.data))
    answer = replied(play, call, play.machine.replies.answer)
    at = 16 + SPI.size
    assert answer.body[at : at + 12] == b"SPPU\1\0\0\0" + (12 + 324 + 128).to_bytes(4, "little")
    assert answer.body[at + 12 :] == call.descriptor + call.options.build() + b"SPPO\1\0\0\0\x0c\0\0\0"


@pytest.mark.spec("client-observed.md O-066")
def test_ids_are_reserved() -> None:
    play, call = heard("mqi-async", SegmentType.SPI, Reserve, spi=6)
    assert (call.count, call.tag_length) == (0x00FFFFFF, 24)
    answer = replied(play, call, play.machine.replies.reserve, count=1000, position=20, first_id=b"i" * 24)
    granted = SPRO.codec(ByteOrder.LITTLE).parse(answer.body, 16 + SPI.size + 12)
    assert (granted.struc_id, granted.count, granted.increment_position) == (b"SPRO", 1000, 20)
    assert granted.first_id == b"i" * 24


@pytest.mark.spec("mq-wire.md 5.10", "client-observed.md O-060")
def test_mqinq() -> None:
    play, call = heard("connect-basic", SegmentType.MQINQ, Inquire)
    assert call.selectors == (31, 32, 2, 2015, 2032, 273)
    assert (call.int_attr_count, call.char_attr_length) == (4, 100)
    answer = replied(play, call, play.machine.replies.inquire, [943, 3, 819, 1], b"QM1".ljust(48) * 2)
    inq = parse_inq(answer.body, 16, ByteOrder.LITTLE, values=True)
    assert (inq.selectors, inq.int_attrs, inq.char_attrs) == (call.selectors, (943, 3, 819, 1), b"QM1".ljust(48) * 2)
    assert inq.record.char_attr_length == 96


@pytest.mark.spec("client-observed.md O-065")
def test_mqset() -> None:
    play, call = heard("mqi-inq", SegmentType.MQSET, Set)
    assert len(call.selectors) == len(call.int_attrs)
    answer = replied(play, call, play.machine.replies.answer)
    assert answer.body[16:] == call.body


@pytest.mark.spec("client-observed.md O-064")
@pytest.mark.parametrize(("kind", "expected"), [(SegmentType.MQCMIT, Commit), (SegmentType.MQBACK, Backout)])
def test_units_of_work(kind: SegmentType, expected: type[Call]) -> None:
    play, call = heard("mqi-uow", kind, expected)
    answer = replied(play, call, play.machine.replies.answer, comp_code=1, reason=2124)
    assert (answer.outcome, len(answer.body)) == ((1, 2124), 16)


@pytest.mark.spec("client-observed.md O-067")
def test_mqstat() -> None:
    play, call = heard("mqi-async", SegmentType.MQSTAT, Stat)
    assert (call.status_type, call.report.record.version) == (0, 1)
    call.report.record.put_failure_count = 3
    answer = replied(play, call, play.machine.replies.answer)
    assert answer.body[16:24] == b"\0\0\0\0STAT"
    assert answer.body[20 + 24 : 20 + 28] == call.word(3)


@pytest.mark.spec("client-observed.md O-068", "client-observed.md O-070")
@pytest.mark.parametrize(
    ("name", "kind", "spi", "at"),
    [("mqi-topic", SegmentType.MQSUB, 0, 16 + 8), ("jms-durable", SegmentType.SPI, 7, 16 + 12 + 12 + 16 + 196)],
)
def test_subscriptions(name: str, kind: SegmentType, spi: int, at: int) -> None:
    play, call = heard(name, kind, Subscribe, spi=spi)
    assert call.sd.string("object_string")
    assert (call.local is not None) == bool(spi)
    call.sd.record.sub_correl_id = b"c" * 24
    answer = replied(play, call, play.machine.replies.subscribe, handle=6, subscription=8)
    assert answer.api.object_handle == 6
    assert answer.body[at - (8 if not spi else 200) :][:4] == call.word(8)
    assert parse_sd(answer.body, at, ByteOrder.LITTLE).record.sub_correl_id == b"c" * 24
    assert play.wants(handle=6).ready  # the managed queue is open


@pytest.mark.spec("client-observed.md O-069")
def test_mqsubrq() -> None:
    play, call = heard("mqi-topic", SegmentType.MQSUBRQ, SubscriptionRequest)
    assert (call.action, call.handle > 0) == (1, True)
    call.options.num_pubs = 2
    answer = replied(play, call, play.machine.replies.answer)
    assert answer.body[16:] == call.word(1) + b"SRO \1\0\0\0" + call.word(call.options.options) + call.word(2)


@pytest.mark.spec("mq-wire.md 5.9", "client-observed.md 5.1")
@pytest.mark.parametrize(("name", "version"), [("mqi-sharecnv0-putget", 4), ("jms-sharecnv0-consume", 3)])
def test_mqget(name: str, version: int) -> None:
    play, call = heard(name, SegmentType.MQGET, Get)
    assert call.options.record.version == version
    call.options.record.resolved_q_name = call.field("DEV.QUEUE.1", 48)
    answer = replied(play, call, play.machine.replies.get, b"hello")
    at = 16 + len(call.descriptor)
    assert parse_gmo(answer.body, at, ByteOrder.LITTLE).record.resolved_q_name == b"DEV.QUEUE.1".ljust(48)
    assert answer.body[at + call.options.known :] == call.word(5) + b"hello"


@pytest.mark.spec("client-observed.md 5.1")
def test_mqget_without_a_message_and_with_a_part_of_one() -> None:
    play, call = heard("mqi-sharecnv0-putget", SegmentType.MQGET, Get)
    answer = replied(play, call, play.machine.replies.refuse, 2033)
    assert answer.outcome == (2, 2033)
    assert answer.body[16:] == call.descriptor + call.options.build() + call.word(0)
    play, call = heard("mqi-sharecnv0-trunc", SegmentType.MQGET, Get)
    answer = replied(play, call, play.machine.replies.get, b"x" * 100, full_length=5000, comp_code=1, reason=2080)
    assert answer.outcome == (1, 2080)
    assert answer.body[-104:] == call.word(5000) + b"x" * 100


@pytest.mark.spec("mq-wire.md 6.4")
@pytest.mark.parametrize("pieces", [1, 5])
def test_a_long_reply_comes_in_segments(pieces: int) -> None:
    play, call = heard("mqi-sharecnv0-putget", SegmentType.MQGET, Get)
    data = bytes(range(250)) * 400
    step = len(data) // pieces
    play.machine.replies.get(call, [data[at : at + step] for at in range(0, len(data), step)])
    parts = play.we_sent()
    assert [one.flags for one in parts] == [0x10, 0, 0, 0x20]
    assert [one.length for one in parts[:-1]] == [32748] * 3
    assert all((one.type, one.struc_id) == (SegmentType.MQGET_REPLY, b"TSH ") for one in parts)
    whole = b"".join(one.body for one in parts)
    assert whole[16 + len(call.descriptor) + call.options.known :] == call.word(len(data)) + data
    assert parts[0].api.reply_length == 28 + len(whole)


@pytest.mark.spec("mq-wire.md 5.13", "client-observed.md O-110", "client-observed.md O-113")
def test_xa_calls() -> None:
    for name in ("jms-xa", "jms-xa-recover"):
        play = connected()
        kinds = set()
        for one in transcript(name).segments:
            if one.side == "server":
                continue
            segment = next(iter(SegmentReader(1 << 20).feed(one.data)))
            if segment.type < SegmentType.XA_START:
                continue
            if segment.conversation_id not in play.machine.conversations:
                play.another(segment.conversation_id)
            (call,) = play.says(one.data)
            assert isinstance(call, Xa)
            kinds.add(call.type)
            if call.type in (SegmentType.XA_OPEN, SegmentType.XA_CLOSE):
                assert call.info == "QM1"
            elif call.type == SegmentType.XA_RECOVER:
                assert call.count == 15
            else:
                assert call.xid is not None
                assert call.xid.gtrid
            play.machine.replies.xa(call, XAReturn.OK)
            (answer,) = play.we_sent()
            assert answer.type == call.type + 0x10
            assert int.from_bytes(answer.body[:4], "big") == len(answer.body) + 28
            if call.xid is not None:
                assert answer.body[16:] == call.xid.build()
        assert SegmentType.XA_RECOVER in kinds


@pytest.mark.spec("client-observed.md O-114")
def test_xa_recover_lists_xids() -> None:
    play, call = heard("jms-xa-recover", SegmentType.XA_RECOVER, Xa)
    xids = [make_xid(ByteOrder.LITTLE, 7, b"global", b"b"), make_xid(ByteOrder.LITTLE, 7, b"other", b"branch")]
    answer = replied(play, call, play.machine.replies.xa, 2, xids)
    assert answer.body[4:8] == call.word(2)
    assert answer.body[16:20] == call.word(2)
    first = parse_xid(answer.body, 20, ByteOrder.LITTLE)
    assert first.key == (7, b"global", b"b")
    assert parse_xid(answer.body, 20 + 16, ByteOrder.LITTLE).key == (7, b"other", b"branch")


@pytest.mark.spec("client-observed.md O-061")
def test_a_distribution_list() -> None:
    play, call = heard("mqi-report", SegmentType.SPI, Open, index=-1, spi=12)
    assert call.od.record.recs_present == 2
    assert len(call.od.object_records) == 2
    answer = replied(play, call, play.machine.replies.refuse, 2136)
    assert answer.body.endswith(call.od.build())


def test_conversations_do_not_wait_for_each_other() -> None:
    play = connected()
    play.another(3)
    (slow,) = play.says(play.call(SegmentType.MQCMIT))
    (quick,) = play.says(play.call(SegmentType.MQCMIT, conversation=3))
    play.machine.replies.answer(quick)
    assert play.we_answer(SegmentType.MQCMIT_REPLY).conversation == 3
    play.machine.replies.answer(slow)
    assert play.we_answer(SegmentType.MQCMIT_REPLY).conversation == 1


def test_a_second_call_beside_a_first() -> None:
    play = connected()
    (first,) = play.says(play.call(SegmentType.MQCMIT))
    (refused,) = play.says(play.call(SegmentType.MQBACK))
    assert isinstance(refused, CallRefused)
    assert refused.reason == 2219
    answer = play.we_answer(SegmentType.MQBACK_REPLY)
    assert answer.outcome == (2, 2219)
    play.machine.replies.answer(first)
    assert play.we_answer(SegmentType.MQCMIT_REPLY).outcome == (0, 0)


def test_a_notify_beside_a_call() -> None:
    """IBM's classes for JMS say it in one thread while another one calls; the close of a consumer fails with 2219."""
    play = connected()
    order = play.writer.order
    verb = SPI.codec(order)(verb=SpiVerb.NOTIFY, version=1, max_reply_size=12).build()
    told = SPNI.codec(order)(reason=int(MQRC.XWAIT_CANCELED), connection_id=bytes(24)).build()
    (first,) = play.says(play.call(SegmentType.MQSTAT, play.word(0), make_sts(order).build()))
    notify = play.call(SegmentType.SPI, verb, spi_base("SPNU").codec(order)().build(), told, request=3)
    (beside,) = play.says(notify)
    assert isinstance(beside, Notify)
    play.machine.replies.answer(beside)
    answer = play.we_answer(SegmentType.SPI_REPLY)
    assert (answer.outcome, answer.request) == ((0, 0), 3)
    (refused,) = play.says(play.call(SegmentType.MQBACK))
    assert isinstance(refused, CallRefused)  # the first one still waits
    assert play.we_answer(SegmentType.MQBACK_REPLY).outcome == (2, 2219)
    play.machine.replies.answer(first)
    assert play.we_answer(SegmentType.MQSTAT_REPLY).outcome == (0, 0)
    with pytest.raises(LocalProtocolError):
        play.machine.replies.answer(beside)


def test_an_answer_that_comes_after_the_end_is_passed_over() -> None:
    play = connected()
    play.another(3)
    (call,) = play.says(play.call(SegmentType.MQCMIT, conversation=3))
    play.says(play.socket_action(3, 2))
    play.machine.replies.answer(call)
    assert play.we_sent() == []
    (call,) = play.says(play.call(SegmentType.MQCMIT))
    play.hangs_up()
    play.machine.replies.answer(call)
    assert play.we_sent() == []


def test_after_mqdisc_only_mqconn() -> None:
    play = connected()
    (call,) = play.says(play.call(SegmentType.MQDISC))
    assert isinstance(call, Disconnect)
    play.machine.replies.answer(call)
    play.we_sent()
    play.says(play.mqopen())
    assert play.we_answer(SegmentType.MQOPEN_REPLY).outcome == (2, 2018)
    (call,) = play.says(play.mqconn())
    assert isinstance(call, Connect)


def test_started_without_mqconn_is_orderly() -> None:
    play = started()
    ended, _ = play.says(play.socket_action(1, 2, flags=0x38))
    assert ended.orderly
