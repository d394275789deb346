"""Rules for heartbeats, silence, error statuses and the ends of message channels (C-300 to C-349)."""

from __future__ import annotations

from typing import Final

from mqbridge.captures.rules.catalogue import Deviation, Severity, rule
from mqbridge.protocol.channel.status import meaning_of
from mqbridge.protocol.constants import StatusCode
from mqbridge.protocol.observer.channel import (
    ChannelHeartbeatAnswered,
    ChannelHeartbeatUnanswered,
    ChannelStatusSeen,
    ClosedWithoutExchange,
    CloseRequestSeen,
    HeartbeatSeen,
    LongSilence,
    PingAnswerSeen,
    SegmentAfterClose,
)
from mqbridge.protocol.observer.connection import Observer

HEARTBEAT_GRACE: Final = 5.0
"""Seconds by which a heartbeat or its answer may be late."""

_BY_COMMAND: Final = frozenset((StatusCode.USER_CLOSED, StatusCode.QM_TERMINATING))


@rule("C-301", Severity.WARNING, "Late heartbeat", spec="channels.md 6.1")
def late_heartbeat(seen: LongSilence, connection: Observer) -> Deviation | None:
    """The sending end shows that it is alive while its queue is empty.

    expected: a heartbeat after 300 seconds of silence; seen: 330 seconds of silence
    """
    if not seen.interval + HEARTBEAT_GRACE < seen.seconds <= seen.limit:
        return None
    expected = f"a heartbeat after {seen.interval} seconds of silence"
    return Deviation(expected, f"{seen.seconds:.0f} seconds of silence")


@rule("C-302", Severity.WARNING, "Silence beyond the receive timeout", spec="channels.md 6.1")
def receive_timeout(seen: LongSilence, connection: Observer) -> Deviation | None:
    """A receiver gives up after HBINT plus 60 seconds, or after twice HBINT if HBINT is below 60.

    expected: a sign of the sender within 360 seconds; seen: 900 seconds of silence (AMQ9259)
    """
    if seen.seconds <= seen.limit:
        return None
    expected = f"a sign of the sender within {seen.limit:g} seconds"
    return Deviation(expected, f"{seen.seconds:.0f} seconds of silence (AMQ9259)")


@rule("C-303", Severity.WARNING, "Heartbeat not answered", spec="channels.md 6.1")
def unanswered(seen: ChannelHeartbeatUnanswered, connection: Observer) -> Deviation | None:
    """Before the connection closes; if the capture stops first, only after the time limit of a live channel.

    expected: an answer to the heartbeat of packet 12; seen: none in 60 seconds
    """
    agreed = connection.agreed_channel
    limit = agreed.silence_limit if agreed is not None else None
    if seen.waited <= (limit if seen.capture_stops and limit is not None else HEARTBEAT_GRACE):
        return None
    return Deviation(f"an answer to the heartbeat of packet {seen.asked.packet}", f"none in {seen.waited:.0f} seconds")


@rule("C-304", Severity.WARNING, "Heartbeat answered after the time limit", spec="channels.md 6.1")
def late_answer(seen: ChannelHeartbeatAnswered, connection: Observer) -> Deviation | None:
    """The end that asked would have given up.

    expected: an answer within 360 seconds; seen: after 400 seconds
    """
    agreed = connection.agreed_channel
    limit = agreed.silence_limit if agreed is not None else None
    if limit is None or seen.waited <= limit:
        return None
    return Deviation(f"an answer within {limit:g} seconds", f"after {seen.waited:.0f} seconds")


@rule("C-305", Severity.INFERRED, "Heartbeat of the receiving end", spec="mq-wire.md 7.6")
def heartbeat_of_receiver(seen: HeartbeatSeen, connection: Observer) -> Deviation | None:
    """Only the sending end asks.

    expected: heartbeats of the end that sends messages; seen: one of the other
    """
    if seen.by_sender is False:
        return Deviation("heartbeats of the end that sends messages", "one of the other")
    return None


@rule("C-306", Severity.WARNING, "Unanswered heartbeats", spec="channels.md 6.1")
def repeated_heartbeat(seen: HeartbeatSeen, connection: Observer) -> Deviation | None:
    """A heartbeat while the previous one is unanswered.

    expected: an answer before the next heartbeat; seen: 1 not answered yet
    """
    if not seen.open:
        return None
    return Deviation("an answer before the next heartbeat", f"{seen.open} not answered yet")


@rule("C-307", Severity.WARNING, "Error status", spec="mq-wire.md 5.14")
def error_status(seen: ChannelStatusSeen, connection: Observer) -> Deviation | None:
    """An end reports an error, shown with its name, meaning and log message.

    expected: no error; seen: MSG_SEQUENCE_ERROR, value 8: the message sequence numbers differ (AMQ9526)
    """
    code = StatusCode(seen.code)
    if not seen.started or code in _BY_COMMAND or not code.known:
        return None
    return Deviation("no error", _meaning(code, seen.value))


@rule("C-308", Severity.WARNING, "Channel refused", spec="mq-wire.md 7.1")
def refused(seen: ChannelStatusSeen, connection: Observer) -> Deviation | None:
    """The status comes before the two ends have agreed.

    expected: agreement; seen: NO_CHANNEL: the partner has no such channel (AMQ9520)
    """
    code = StatusCode(seen.code)
    if seen.started or not code.known or connection.overview.uncertain:
        return None
    return Deviation("agreement", _meaning(code, seen.value))


def _meaning(code: StatusCode, value: int | None) -> str:
    meaning = meaning_of(code)
    shown = str(code) if value is None else f"{code}, value {value}"
    return f"{shown}: {meaning.reason} ({meaning.amq})"


@rule("C-309", Severity.WARNING, "Unknown status code", spec="mq-wire.md 5.14")
def unknown_status(seen: ChannelStatusSeen, connection: Observer) -> Deviation | None:
    """Codes 0x00 to 0x20 and 0xF0 to 0xF3 are defined.

    expected: a code of the table; seen: 0x77
    """
    code = StatusCode(seen.code)
    return None if code.known else Deviation("a code of the table", str(code))


@rule("C-310", Severity.INFO, "Channel stopped by command", spec="channels.md 6.3")
def stopped(seen: ChannelStatusSeen, connection: Observer) -> Deviation | None:
    """STOP CHANNEL, or the queue manager ends.

    expected: the channel goes on; seen: USER_CLOSED: the channel was stopped at the partner (AMQ9528)
    """
    code = StatusCode(seen.code)
    return (
        Deviation("the channel goes on", _meaning(code, seen.value)) if seen.started and code in _BY_COMMAND else None
    )


@rule("C-311", Severity.INFERRED, "Connection closed without closing the channel", spec="mq-wire.md 7.8")
def bare_close(seen: ClosedWithoutExchange, connection: Observer) -> Deviation | None:
    """The meaning of the flags is inferred; a bare close of TCP may be normal.

    expected: CLOSE_CHANNEL or an error status; seen: the connection closed in state Running
    """
    if seen.reset or seen.state == "Negotiating":
        return None
    return Deviation("CLOSE_CHANNEL or an error status", f"the connection closed in state {seen.state}")


@rule("C-312", Severity.WARNING, "Connection reset", spec="mq-wire.md 7.8")
def reset(seen: ClosedWithoutExchange, connection: Observer) -> Deviation | None:
    """The reset interrupts a running channel.

    expected: CLOSE_CHANNEL or an error status; seen: TCP reset in state Batch
    """
    if not seen.reset or seen.state == "Negotiating":
        return None
    return Deviation("CLOSE_CHANNEL or an error status", f"TCP reset in state {seen.state}")


@rule("C-313", Severity.INFERRED, "Segment after the close", spec="mq-wire.md 7.8")
def after_close(seen: SegmentAfterClose, connection: Observer) -> Deviation:
    """The segment comes from the end that had closed.

    expected: nothing after CLOSE_CHANNEL or an error; seen: MESSAGE_DATA
    """
    return Deviation("nothing after CLOSE_CHANNEL or an error", seen.what)


@rule("C-314", Severity.INFO, "Receiving end requests the end of the channel", spec="mq-wire.md 7.8")
def close_asked(seen: CloseRequestSeen, connection: Observer) -> Deviation:
    """The sender closes after the current batch.

    expected: the channel goes on; seen: REQUEST_CLOSE
    """
    return Deviation("the channel goes on", "REQUEST_CLOSE")


@rule("C-315", Severity.INFERRED, "Ping data changed", spec="mq-wire.md 7.7")
def ping(seen: PingAnswerSeen, connection: Observer) -> Deviation | None:
    """The other end must return the same data.

    expected: the same 64 bytes; seen: other ones
    """
    return None if seen.same else Deviation("the same data", f"{max(seen.length, 0)} other bytes")
