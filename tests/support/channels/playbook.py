"""Plays with a channel machine: "they send, we answer".

The functions give the segments of a partner (little-endian, CCSID 437). :class:`Play` holds one of our machines, a
clock, and what passed. :func:`receiver` and :func:`sender` give one that has started; nothing of the start is left.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from mqbridge.protocol.channel import (
    ChannelParameters,
    ChannelRequested,
    Closed,
    Event,
    ReceiverChannel,
    ReceiverState,
    Responder,
    SenderChannel,
    SenderState,
    Started,
)
from mqbridge.protocol.constants import MQMODE, ByteOrder, SegmentType, StatusCode
from mqbridge.protocol.framing import NO_LUWID, SegmentReader, SegmentWriter
from mqbridge.protocol.structures import (
    ID,
    MESSAGE_HEADERS,
    Body,
    parse_initial_data,
    parse_status_data,
    ping_data,
    reset_data,
    status_data,
)
from mqbridge.protocol.structures.initial_data import initial_data_size
from mqbridge.protocol.text import is_ebcdic

CHANNEL = "VENUS.TO.MARS"
L1, L2, L3 = (bytes([number]) * 8 for number in (0x11, 0x22, 0x33))
THEY = SegmentWriter(ByteOrder.LITTLE, 437)


# What they send


def segment(writer: SegmentWriter, kind: SegmentType, *body: bytes, **header: Any) -> bytes:
    """A segment of a partner; one that writes EBCDIC writes the eye-catcher in EBCDIC too (mq-wire.md 1.3)."""
    built = writer.build(kind, *body, **header)
    return "TSH ".encode("cp500") + built[4:] if is_ebcdic(writer.ccsid) else built


def initial_data(flags: int = 1, writer: SegmentWriter = THEY, **changes: Any) -> bytes:
    values: dict[str, Any] = {
        "fap_level": 7,
        "cap_flags1": 7,
        "cap_flags2": 7,
        "max_msgs_per_batch": 50,
        "max_transmission_size": 32766,
        "max_message_size": 4194304,
        "sequence_wrap": 999999999,
        "heartbeat_interval": 300,
        "ccsid": writer.ccsid,
        "channel_name": CHANNEL,
        "q_mgr_name": "VENUS",
        "hdr_comp_list": b"\0\xff",
        "msg_comp_list": b"\0" + b"\xff" * 15,
        "product_id": "MQMM09010200",
        "q_mgr_identifier": "VENUS_2003",
    } | changes
    codec = "cp500" if is_ebcdic(writer.ccsid) else "ascii"
    for key, width in (("channel_name", 20), ("q_mgr_name", 48), ("product_id", 12), ("q_mgr_identifier", 48)):
        values[key] = values[key].ljust(width).encode(codec)
    record = ID.codec(writer.order)(**{"struc_id": "ID  ".encode(codec), **values})
    body = Body(record, initial_data_size(values["fap_level"])).build()
    return segment(writer, SegmentType.INITIAL_DATA, body, flags1=flags)


def message(
    number: int,
    data: bytes = b"hello",
    *,
    persistence: int = 1,
    luwid: bytes = L1,
    flags: int = 0x30,
    length: int | None = None,
    writer: SegmentWriter = THEY,
    **changes: Any,
) -> bytes:
    """A message of their side; ``length`` where MSH states another one than that of ``data``."""
    stated = len(data) if length is None else length
    headers = MESSAGE_HEADERS.codec(writer.order)(
        **{
            "msh_sequence_number": number,
            "msh_data_length": stated,
            "msh_message_length": stated + 428,
            "xqh_remote_q_name": b"TARGET".ljust(48),
            "xqh_remote_q_mgr_name": b"MARS".ljust(48),
            "md_persistence": persistence,
            **changes,
        }
    )
    if is_ebcdic(writer.ccsid):
        for name in (slot.field.key for slot in MESSAGE_HEADERS.slots if slot.field.kind == "char"):
            setattr(headers, name, getattr(headers, name).decode("ascii").encode("cp500"))
    return segment(writer, SegmentType.MESSAGE_DATA, headers.build(), data, flags1=flags, luwid=luwid)


def more_of_it(data: bytes, *, flags: int = 0x00, luwid: bytes = L1) -> bytes:
    """A later part of a message."""
    return THEY.build(SegmentType.MESSAGE_DATA, data, flags1=flags, luwid=luwid)


def status(
    flags: int = 0,
    *,
    code: StatusCode | None = None,
    value: int | None = None,
    luwid: bytes = NO_LUWID,
    writer: SegmentWriter = THEY,
) -> bytes:
    body = b"" if code is None else status_data(writer.order, code, value).build()
    return segment(writer, SegmentType.STATUS_DATA, body, flags1=flags, luwid=luwid)


def end_of_batch(luwid: bytes = L1, writer: SegmentWriter = THEY) -> bytes:
    return status(0x01, luwid=luwid, writer=writer)


def error(code: StatusCode, value: int | None = None) -> bytes:
    return status(0x0A, code=code, value=value)


def heartbeat(flags: int = 0x01, writer: SegmentWriter = THEY) -> bytes:
    return segment(writer, SegmentType.HEARTBEAT, flags1=flags)


def resync(luwid: bytes, sequence: int, flags: int = 0x01, writer: SegmentWriter = THEY) -> bytes:
    body = (8).to_bytes(4, writer.order.endian) + sequence.to_bytes(4, writer.order.endian)
    return segment(writer, SegmentType.RESYNC_DATA, body, flags1=flags, luwid=luwid)


def reset(sequence: int, writer: SegmentWriter = THEY) -> bytes:
    return segment(writer, SegmentType.RESET_DATA, reset_data(writer.order, sequence).build(), flags1=0x01)


def ping(data: bytes, flags: int = 0x01, writer: SegmentWriter = THEY) -> bytes:
    return segment(writer, SegmentType.PING_DATA, ping_data(writer.order, data), flags1=flags)


# What we send


@dataclass(slots=True)
class Sent:
    """A segment of ours."""

    type: SegmentType
    flags: int
    luwid: bytes
    body: bytes
    length: int
    order: Any
    ccsid: int

    @property
    def code(self) -> StatusCode | None:
        body = parse_status_data(self.body, self.order)
        return None if body is None else StatusCode(body.record.code)

    @property
    def value(self) -> int | None:
        body = parse_status_data(self.body, self.order)
        return body.record.value if body is not None and body.has("value") else None

    @property
    def id(self) -> Body:
        return parse_initial_data(self.body, self.order)

    @property
    def number(self) -> int:
        """MSH.SequenceNumber, or the number of RESYNC_DATA and RESET_DATA."""
        return int.from_bytes(self.body[4:8], self.order.endian)


_HEADERS = MESSAGE_HEADERS.codec(ByteOrder.LITTLE)(xqh_remote_q_name=b"TARGET".ljust(48)).build()[20:]


def payload(data: bytes = b"hello") -> bytes:
    """What an agent takes from a transmission queue: MQXQH and data."""
    return _HEADERS + data


class Play:
    """One machine of ours and its partner's lines."""

    def __init__(self, machine: Any, now: float = 1000.0) -> None:
        self.machine = machine
        self.now = now
        self.events: list[Event] = []
        """What the last thing done gave."""

    def they_send(self, *segments: bytes) -> list[Event]:
        data = b"".join(segments)
        self.says("they", data)
        self.events = self.machine.link.receive_data(data, self.now)
        return self.events

    def says(self, who: str, data: bytes) -> None:
        """All that passes, "they" or "we" say it; for a recorder to listen to."""

    def they_hang_up(self) -> list[Event]:
        self.events = self.machine.link.receive_eof(self.now)
        return self.events

    def after(self, seconds: float) -> list[Event]:
        """Time passes, with a call whenever one is due."""
        end, self.events = self.now + seconds, []
        while (due := self.machine.link.next_timeout()) is not None and due <= end:
            self.now = max(self.now, due)
            self.events += self.machine.link.timeout(self.now)
        self.now = end
        return self.events

    def agent(self, call: Callable[..., list[Event] | None], *arguments: Any, **options: Any) -> list[Event]:
        """The agent calls a method of the machine, with the time."""
        self.events = call(*arguments, self.now, **options) or []
        return self.events

    def stop(self, mode: MQMODE = MQMODE.QUIESCE, **options: Any) -> list[Event]:
        return self.agent(self.machine.link.close, mode, **options)

    def send(self, *numbers_of_bytes: int, persistent: bool = True) -> list[Event]:
        """The agent sends messages of so many bytes."""
        events: list[Event] = []
        for length in numbers_of_bytes:
            events += self.machine.batches.send_message(payload(b"d" * length), self.now, persistent=persistent)
        self.events = events
        return events

    def we_sent(self) -> list[Sent]:
        """All that we sent since the last question."""
        pieces: list[bytes] = []
        while part := self.machine.link.wire.take():
            pieces += part
        data = b"".join(pieces)
        self.says("we", data)
        return [
            Sent(SegmentType(one.type), one.flags1, one.luwid, one.body, one.length, one.order, one.ccsid)
            for one in SegmentReader(1 << 20).feed(data)
        ]

    def we_answer(self, kind: SegmentType) -> Sent:
        """The one segment that we sent."""
        (sent,) = self.we_sent()
        assert sent.type == kind, f"{sent.type} instead of {kind}"
        return sent

    def we_end(self, code: StatusCode | None, amq: str) -> Closed:
        """The machine has ended; with a code: one error segment says so."""
        closed = self.events[-1]
        assert isinstance(closed, Closed), self.events
        assert self.machine.link.closed
        assert closed.amq == amq
        if code is None:
            assert not self.machine.link.wire.wants_to_send
        else:
            sent = self.we_answer(SegmentType.STATUS_DATA)
            assert (sent.flags, sent.code, sent.length) == (0x0A, code, 36 if sent.value is None else 40)
            assert closed.status == code
        assert self.machine.link.next_timeout() is None
        return closed


def parameters(**changes: Any) -> ChannelParameters:
    return ChannelParameters(**{"channel_name": CHANNEL, "queue_manager": "MARS", **changes})


def listening(now: float = 1000.0) -> Play:
    """A connection has come in."""
    return Play(Responder(now), now)


def asked(*segments: bytes, **changes: Any) -> Play:
    """They have named a channel; the machine waits for the agent's answer."""
    play = listening()
    play.they_send(*segments or (initial_data(**changes),))
    assert isinstance(play.events[0], ChannelRequested)
    return play


def accepted(segment: bytes, definition: ChannelParameters, saved: ReceiverState | SenderState | None = None) -> Play:
    """They have called; our answer, with its events, is still to be looked at."""
    play = asked(segment)
    if isinstance(saved, SenderState):
        machine, events = play.machine.accept(definition, saved, play.now, luwids=iter((L1, L2, L3)).__next__)
    else:
        machine, events = play.machine.accept(definition, saved or ReceiverState(), play.now)
    play = Play(machine)
    play.events = events
    return play


def receiver(saved: ReceiverState | None = None, **changes: Any) -> Play:
    """Our receiver, started by a sender that agrees with everything."""
    definition = parameters(**changes)
    play = accepted(initial_data(**agreeable(definition)), definition, saved)
    assert isinstance(play.machine, ReceiverChannel)
    assert [type(event) for event in play.events] == [Started]
    play.we_sent()
    return play


def sender(saved: SenderState | None = None, *, ping: bytes | None = None, **changes: Any) -> Play:
    """Our sender, started with a receiver that agrees with everything."""
    definition = parameters(**changes)
    play = calling(definition, saved, ping=ping)
    play.we_sent()
    play.they_send(initial_data(flags=0, **agreeable(definition)))
    assert isinstance(play.events[0], Started)
    return play


def calling(definition: ChannelParameters, saved: SenderState | None = None, *, ping: bytes | None = None) -> Play:
    """Our sender has called; its INITIAL_DATA is still to be looked at."""
    luwids = iter((L1, L2, L3)).__next__
    return Play(SenderChannel(definition, saved or SenderState(), luwids, 1000.0, ping=ping))


def requester(**changes: Any) -> Play:
    """Our requester has called; its INITIAL_DATA is still to be looked at."""
    return Play(ReceiverChannel(parameters(**changes), ReceiverState(), 1000.0))


def agreeable(definition: ChannelParameters) -> dict[str, Any]:
    """Values of a partner that agrees with everything."""
    return {
        "max_msgs_per_batch": definition.batch_size,
        "max_transmission_size": definition.transmission_size,
        "max_message_size": definition.message_limit,
        "sequence_wrap": definition.sequence_wrap,
        "heartbeat_interval": definition.heartbeat_interval,
        "cap_flags2": 0x07 if definition.fast else 0x05,
    }
