"""Bad input: what a partner is told, and how the channel ends. The table of docs/protocol.md, row by row."""

from __future__ import annotations

import pytest

from mqbridge.protocol import inferred
from mqbridge.protocol.channel import BatchFailed, Closed, ReceiverState, SenderState, Started
from mqbridge.protocol.channel.responder import MAX_EARLY_BYTES
from mqbridge.protocol.constants import ByteOrder, SegmentType, StatusCode
from mqbridge.protocol.errors import LocalProtocolError
from mqbridge.protocol.framing import UNNEGOTIATED_MAX_SEGMENT, SegmentWriter
from support.channels.playbook import (
    L1,
    THEY,
    Play,
    accepted,
    asked,
    calling,
    end_of_batch,
    heartbeat,
    initial_data,
    listening,
    message,
    more_of_it,
    parameters,
    ping,
    receiver,
    requester,
    reset,
    resync,
    sender,
    status,
)


def changed(segment: bytes, offset: int, *values: int) -> bytes:
    return segment[:offset] + bytes(values) + segment[offset + len(values) :]


def every_machine() -> list[Play]:
    plays = [listening(), requester(), calling(parameters()), sender(), receiver()]
    for play in plays:
        play.we_sent()
    return plays


@pytest.mark.spec("mq-wire.md 6.1")
def test_wrong_struct_id() -> None:
    for play in every_machine():
        play.they_send(b"GET / HTTP/1.1\r\nHost: mars.example\r\n\r\n")
        closed = play.we_end(StatusCode.PROTOCOL_ID_ERROR, "AMQ9207")
        assert not closed.normal


@pytest.mark.spec("mq-wire.md 6.1")
@pytest.mark.parametrize("length", [0, 8, 27])
def test_wrong_length(length: int) -> None:
    for play in every_machine():
        play.they_send(changed(heartbeat(), 4, *length.to_bytes(4, "big")))
        play.we_end(StatusCode.PROTOCOL_LENGTH_ERROR, "AMQ9207")


@pytest.mark.spec("mq-wire.md 6.2")
def test_length_over_the_limit() -> None:
    tolerated = 32766 + inferred.SEGMENT_LENGTH_TOLERANCE
    for play, limit in [
        (listening(), UNNEGOTIATED_MAX_SEGMENT),
        (receiver(), tolerated),
        (receiver(transmission_size=4096), 4096 + inferred.SEGMENT_LENGTH_TOLERANCE),
    ]:
        play.they_send(changed(message(1), 4, *(limit + 1).to_bytes(4, "big"))[:8])  # told by its first bytes
        play.we_end(StatusCode.PROTOCOL_LENGTH_ERROR, "AMQ9207")
    play = receiver()
    play.they_send(message(1, bytes(tolerated - 476)))
    assert not play.machine.link.closed


@pytest.mark.spec("mq-wire.md 3")
@pytest.mark.parametrize("kind", [0x0B, 0x0C, 0x10, 0x7F, 0x81, 0xFF])
def test_unknown_segment_type(kind: int) -> None:
    for play in every_machine():
        play.they_send(THEY.build(kind))
        play.we_end(StatusCode.PROTOCOL_SEGMENT_TYPE, "AMQ9504")


@pytest.mark.spec("mq-wire.md 7.2")
@pytest.mark.parametrize(
    "segment", [message(1), end_of_batch(), heartbeat(), resync(L1, 1), reset(1), ping(b"")], ids=lambda one: one[9]
)
def test_message_before_negotiation(segment: bytes) -> None:
    play = listening()
    play.they_send(segment)
    play.we_end(StatusCode.PROTOCOL_SEGMENT_ERROR, "AMQ9504")
    play = accepted(initial_data(max_msgs_per_batch=50), parameters(batch_size=10))
    play.we_sent()
    play.they_send(segment)
    play.we_end(StatusCode.PROTOCOL_SEGMENT_ERROR, "AMQ9504")


@pytest.mark.spec("channels.md 5.3 rule 3")
@pytest.mark.parametrize("numbers", [(2,), (1, 3), (1, 1), (0,), (1, 2, 1)])
def test_sequence_gap(numbers: tuple[int, ...]) -> None:
    play = receiver()
    play.they_send(*map(message, numbers))
    assert isinstance(play.events[-1], Closed)
    assert play.events[-1].value == len(numbers)  # the number that was expected
    if len(numbers) > 1:
        assert isinstance(play.events[-2], BatchFailed)
    sent = play.we_answer(SegmentType.STATUS_DATA)
    assert (sent.flags, sent.code, sent.value, sent.length) == (0x0A, StatusCode.MSG_SEQUENCE_ERROR, len(numbers), 40)
    assert play.events[-1].amq == "AMQ9526"


@pytest.mark.spec("mq-wire.md 5.14")
@pytest.mark.parametrize(
    ("refusal", "amq"),
    [
        ((StatusCode.NO_CHANNEL, None), "AMQ9519"),
        ((StatusCode.CHANNEL_WRONG_TYPE, None), "AMQ9547"),
        ((StatusCode.CHANNEL_UNAVAILABLE, "AMQ9514"), "AMQ9514"),
        ((StatusCode.CHANNEL_UNAVAILABLE, None), "AMQ9534"),
    ],
    ids=["unknown channel", "wrong channel type", "channel in use or second instance", "stopped channel"],
)
def test_refused_channel(refusal: tuple[StatusCode, str | None], amq: str) -> None:
    play = asked()
    code, own = refusal
    play.agent(lambda now: play.machine.refuse(code, now, amq=own))
    play.we_end(code, amq)
    assert play.agent(lambda now: play.machine.refuse(code, now)) == []


@pytest.mark.spec("channels.md 4")
def test_message_longer_than_maxmsgl() -> None:
    play = receiver(max_message_length=100)
    play.they_send(message(1, bytes(100)))
    assert not play.machine.link.closed
    play.they_send(message(2, bytes(101)))
    assert play.events[0] == BatchFailed(luwid=L1, count=1, in_doubt=False)
    play.we_end(StatusCode.MESSAGE_LENGTH_ERROR, "AMQ9207")


@pytest.mark.spec("mq-wire.md 2.2")
@pytest.mark.spec("mq-wire.md 4.2")
@pytest.mark.spec("mq-wire.md 5.14")
@pytest.mark.parametrize(
    ("segment", "code", "amq"),
    [
        (message(1, msh_struc_id=b"XXXX"), StatusCode.PROTOCOL_MSH_ERROR, "AMQ9504"),
        (message(1, xqh_struc_id=b"XXXX"), StatusCode.PROTOCOL_ID_ERROR, "AMQ9572"),
        (message(1, md_struc_id=b"XXXX"), StatusCode.PROTOCOL_ID_ERROR, "AMQ9572"),
        (message(1, md_version=2), StatusCode.PROTOCOL_INVALID_DATA, "AMQ9572"),
        (message(1, xqh_version=9), StatusCode.PROTOCOL_INVALID_DATA, "AMQ9572"),
        (message(1, length=4), StatusCode.PROTOCOL_MSH_ERROR, "AMQ9504"),
        (message(1, length=6), StatusCode.PROTOCOL_MSH_ERROR, "AMQ9504"),
        (more_of_it(bytes(447), flags=0x30), StatusCode.PROTOCOL_LENGTH_ERROR, "AMQ9504"),
        (more_of_it(b"", flags=0x10), StatusCode.PROTOCOL_LENGTH_ERROR, "AMQ9504"),
        (status(0x01)[:-4] + b"\0\0\0\0", None, ""),
        (
            status(0x02, code=StatusCode.NONE)[:4] + b"\0\0\0\x20" + status(0x02, code=StatusCode.NONE)[8:32],
            0x0B,
            "AMQ9504",
        ),
        (changed(message(1), 11, 0x01), StatusCode.PROTOCOL_SEGMENT_ERROR, "AMQ9504"),
        (changed(heartbeat(), 8, 0x03), StatusCode.PROTOCOL_INVALID_DATA, "AMQ9207"),
        (THEY.build_shared(1, 1, SegmentType.HEARTBEAT), StatusCode.PROTOCOL_ID_ERROR, "AMQ9504"),
        (THEY.build(SegmentType.RESET_DATA, b"\x08\0\0\0"), StatusCode.PROTOCOL_LENGTH_ERROR, "AMQ9504"),
        (THEY.build(SegmentType.PING_DATA, b"\x08"), StatusCode.PROTOCOL_LENGTH_ERROR, "AMQ9504"),
        (THEY.build(SegmentType.SECURITY_DATA, b"?"), StatusCode.SECURITY_FAILURE, "AMQ9552"),
        (initial_data(), StatusCode.PROTOCOL_SEGMENT_ERROR, "AMQ9504"),
        (status(0x04), StatusCode.PROTOCOL_SEGMENT_ERROR, "AMQ9504"),
        (status(0x00), StatusCode.PROTOCOL_SEGMENT_ERROR, "AMQ9504"),
    ],
)
def test_malformed_segment_for_a_receiver(segment: bytes, code: int | None, amq: str) -> None:
    play = receiver()
    play.they_send(segment)
    if code is None:
        assert not play.machine.link.closed
    else:
        play.we_end(StatusCode(code), amq)


def test_what_follows_the_descriptor_is_only_carried() -> None:
    """A chain of headers that cannot be read is the business of those who read it."""
    play = receiver()
    broken = b"RFH \x00\x00\x00\x02\xff\xff\xff\xff" + bytes(20)
    (one,) = play.they_send(message(1, broken, md_format=b"MQHRF2  "))
    assert one.data == broken  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("segment", "code"),
    [
        (message(1), StatusCode.PROTOCOL_SEGMENT_TYPE),
        (end_of_batch(), StatusCode.PROTOCOL_SEGMENT_ERROR),
        (status(0x00), StatusCode.PROTOCOL_SEGMENT_ERROR),
        (initial_data(), StatusCode.PROTOCOL_SEGMENT_ERROR),
        (reset(1), StatusCode.PROTOCOL_SEGMENT_ERROR),
        (ping(b""), StatusCode.PROTOCOL_SEGMENT_ERROR),
        (resync(L1, 1), StatusCode.PROTOCOL_SEGMENT_ERROR),
        (THEY.build(SegmentType.SECURITY_DATA, b"?"), StatusCode.SECURITY_FAILURE),
    ],
)
def test_a_segment_that_no_receiver_sends(segment: bytes, code: StatusCode) -> None:
    play = sender()
    play.send(10)
    play.they_send(segment)
    assert play.events[0] == BatchFailed(luwid=L1, count=1, in_doubt=False)
    assert play.we_end(code, play.events[-1].amq)  # type: ignore[union-attr]


@pytest.mark.parametrize("saved", [None, SenderState().reset_to(5), SenderState().asking(L1, 1, 1)])
def test_a_partner_that_closes_at_the_start(saved: SenderState | None) -> None:
    play = calling(parameters()) if saved is None else sender(saved)
    play.we_sent()
    play.they_send(status(0x08))
    closed = play.we_end(None, "AMQ9209")
    assert (closed.retryable, closed.normal, closed.by_partner) == (True, False, True)


def test_a_heartbeat_that_asks_a_sender_is_answered() -> None:
    play = sender()
    assert play.they_send(heartbeat(0x01)) == []
    assert play.we_answer(SegmentType.HEARTBEAT).flags == 0x00
    assert play.they_send(heartbeat(0x00)) == []
    assert play.we_sent() == []


@pytest.mark.parametrize("body", [b"", b"ID  \x07", bytes(43)])
def test_initial_data_that_is_too_short(body: bytes) -> None:
    play = listening()
    play.they_send(THEY.build(SegmentType.INITIAL_DATA, body))
    play.we_end(StatusCode.PROTOCOL_LENGTH_ERROR, "AMQ9504")


def test_initial_data_with_another_id() -> None:
    play = listening()
    play.they_send(initial_data(struc_id=b"UID "))
    play.we_end(StatusCode.PROTOCOL_ID_ERROR, "AMQ9504")


def test_a_caller_that_does_not_wait_for_the_answer() -> None:
    play = asked(initial_data() + message(1))
    machine, events = play.machine.accept(parameters(), ReceiverState(), play.now)
    assert [type(event) for event in events][:1] == [Started]
    assert len(events) == 2  # the message that came early
    with pytest.raises(LocalProtocolError):
        play.machine.link.receive_data(b"x", play.now)
    with pytest.raises(LocalProtocolError):
        play.machine.accept(parameters(), ReceiverState(), play.now)
    assert machine.link.wire.counters.messages == 1

    play = asked()
    play.they_send(bytes(MAX_EARLY_BYTES))
    assert play.events == []
    play.they_send(b"x")
    play.we_end(StatusCode.PROTOCOL_GENERAL, "AMQ9504")


def test_nothing_to_accept() -> None:
    play = listening()
    with pytest.raises(LocalProtocolError):
        play.machine.accept(parameters(), ReceiverState(), play.now)
    play = asked()
    with pytest.raises(LocalProtocolError):
        play.machine.accept(parameters(), SenderState(), play.now)
    machine, _ = play.machine.accept(parameters(), ReceiverState(), play.now)
    assert not machine.link.closed


def test_a_machine_that_has_ended_stays_silent() -> None:
    play = receiver()
    play.they_send(THEY.build(0x7F), message(1))
    assert [type(event) for event in play.events] == [Closed]
    play.we_sent()
    assert play.they_send(message(1)) == []
    assert play.after(10_000) == []
    assert play.stop() == []
    assert play.we_sent() == []


@pytest.mark.spec("mq-wire.md 6.1")
def test_half_a_segment_waits_for_the_rest() -> None:
    whole = message(1)
    for cut in (1, 28, 300, len(whole) - 1):
        play = receiver(heartbeat_interval=30)
        assert play.they_send(whole[:cut]) == []
        play.they_hang_up()
        assert play.we_end(None, "AMQ9209").retryable


@pytest.mark.spec("channels.md 4")
@pytest.mark.parametrize("ccsid", [0, 930, 1200, 9999])
@pytest.mark.parametrize("flags", [0x30, 0x10], ids=["whole", "first segment"])
def test_a_message_with_names_in_a_ccsid_that_we_cannot_convert(ccsid: int, flags: int) -> None:
    """As at INITIAL_DATA, which may have named another one."""
    play = receiver()
    play.they_send(
        message(1, length=None if flags == 0x30 else 9, flags=flags, writer=SegmentWriter(ByteOrder.LITTLE, ccsid))
    )
    closed = play.we_end(StatusCode.CCSID_NOT_SUPPORTED, "AMQ9541")
    assert not closed.retryable
