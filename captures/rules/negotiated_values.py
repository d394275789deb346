"""Rules for negotiated values, each of which must follow its rule in channels.md 4 (C-101 to C-115)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from mqbridge.captures.rules.catalogue import Deviation, Severity, rule
from mqbridge.protocol.channel.agreement import MAX_MESSAGE_LENGTH, NEGOTIATED_NUMBERS, agreed_heartbeat
from mqbridge.protocol.channel.sequence import HIGHEST_NUMBER
from mqbridge.protocol.constants import MQCOMPRESS, InitErrFlags1
from mqbridge.protocol.observer.channel import ProposalAnswered, Proposed, Values
from mqbridge.protocol.observer.connection import Observer

_BATCH_SIZES: Final = range(1, 10_000)
_WRAPS: Final = range(100, HIGHEST_NUMBER + 1)
_LEAST_SEGMENT: Final = 276  # mq-wire.md 6: allow at least 268 + 8
_MOST_HEARTBEAT: Final = 999_999
_NUMBERS: Final = {number.field: number for number in NEGOTIATED_NUMBERS}


def answered_number(seen: ProposalAnswered, key: str) -> tuple[int, int] | None:
    """Return a number as proposed and as answered; None if one of the two does not state it."""
    if seen.proposal is None or not (seen.proposal.body.has(key) and seen.values.body.has(key)):
        return None
    return getattr(seen.proposal.body.record, key), getattr(seen.values.body.record, key)


def heartbeat_deviation(proposed: int, answered: int) -> Deviation | None:
    """Return what is wrong with an answered HeartbeatInterval, on message channels and client connections (mq-wire.md
    7.2)."""
    if agreed_heartbeat(proposed, answered) == answered:
        return None
    expected = f"{proposed} or more, the larger of both, or 0" if proposed else "0, as either end is 0"
    return Deviation(f"HeartbeatInterval {expected}", str(answered))


def _lower(seen: ProposalAnswered, field: str) -> Deviation | None:
    values, number = answered_number(seen, field), _NUMBERS[field]
    if values is None or values[1] <= number.agree(*values):
        return None
    proposed, answered = values
    return Deviation(f"{number.name} {proposed} or less, the lower of both", str(answered))


_TECHNIQUES: Final = {int(one): one.name for one in MQCOMPRESS}


@rule("C-101", Severity.ERROR, "Different channel in the answer", spec="channels.md 4")
def channel_name(seen: ProposalAnswered, connection: Observer) -> Deviation | None:
    """Both ends must define a channel of the same name.

    expected: channel VENUS.TO.MARS; seen: VENUS.TO.EARTH
    """
    if seen.proposal is None or seen.values.channel_name == seen.proposal.channel_name:
        return None
    return Deviation(f"channel {seen.proposal.channel_name}", seen.values.channel_name)


@rule("C-102", Severity.INFERRED, "FAP level above the proposed one", spec="mq-wire.md 7.2")
def fap_level(seen: ProposalAnswered, connection: Observer) -> Deviation | None:
    """The end with the higher level adopts the other's.

    expected: FapLevel 7 or less, the lower of both; seen: 13
    """
    return _lower(seen, "fap_level")


@rule("C-103", Severity.ERROR, "Batch size above the proposed one", spec="channels.md 4")
def batch_size(seen: ProposalAnswered, connection: Observer) -> Deviation | None:
    """The lower value of both definitions applies.

    expected: MaxMsgsPerBatch 50 or less, the lower of both; seen: 100
    """
    return _lower(seen, "max_msgs_per_batch")


@rule("C-104", Severity.ERROR, "Transmission size above the proposed one", spec="channels.md 4")
def transmission_size(seen: ProposalAnswered, connection: Observer) -> Deviation | None:
    """The lower value applies.

    expected: MaxTransmissionSize 32766 or less, the lower of both; seen: 65535
    """
    return _lower(seen, "max_transmission_size")


@rule("C-105", Severity.ERROR, "Message length above the proposed one", spec="channels.md 4")
def message_size(seen: ProposalAnswered, connection: Observer) -> Deviation | None:
    """The lower value applies.

    expected: MaxMessageSize 4194304 or less, the lower of both; seen: 104857600
    """
    return _lower(seen, "max_message_size")


@rule("C-106", Severity.ERROR, "Sequence wrap values differ", spec="channels.md 4")
def sequence_wrap(seen: ProposalAnswered, connection: Observer) -> Deviation | None:
    """Not negotiable: the channel ends with AMQ9505. Answers that report the difference themselves are C-122.

    expected: SequenceWrap 999999999, equal at both ends; seen: 999999 (AMQ9505)
    """
    values = answered_number(seen, "sequence_wrap")
    if values is None or values[0] == values[1] or seen.values.changed & InitErrFlags1.SEQ_WRAP_VALUE:
        return None
    return Deviation(f"SequenceWrap {values[0]}, equal at both ends", f"{values[1]} (AMQ9505)")


@rule("C-107", Severity.ERROR, "Wrong heartbeat interval", spec="channels.md 4")
def heartbeat_interval(seen: ProposalAnswered, connection: Observer) -> Deviation | None:
    """The larger value applies; 0 if either is 0.

    expected: HeartbeatInterval 300 or more, the larger of both, or 0; seen: 60
    """
    values = answered_number(seen, "heartbeat_interval")
    if values is None:
        return None
    return heartbeat_deviation(*values)


@rule("C-108", Severity.INFERRED, "Fast messages not offered by the caller", spec="mq-wire.md 7.2")
def npm_speed(seen: ProposalAnswered, connection: Observer) -> Deviation | None:
    """NPMSPEED(FAST) requires both ends.

    expected: CapFlags2 without FAST_MESSAGES_REQUIRED; seen: CapFlags2 with it
    """
    if seen.proposal is None or seen.proposal.fast or not seen.values.fast:
        return None
    return Deviation("CapFlags2 without FAST_MESSAGES_REQUIRED", "CapFlags2 with it")


@rule("C-114", Severity.WARNING, "Proposed value out of range", spec="channels.md 3")
def proposed_ranges(seen: Proposed, connection: Observer) -> Iterator[Deviation]:
    """Values stated by the caller.

    expected: MaxMsgsPerBatch 1 to 9999; seen: 0
    """
    yield from _ranges(seen.values)


@rule("C-115", Severity.WARNING, "Answered value out of range", spec="channels.md 3")
def answered_ranges(seen: ProposalAnswered, connection: Observer) -> Iterator[Deviation]:
    """Values stated by the called end.

    expected: MaxTransmissionSize 276 at least; seen: 100
    """
    yield from _ranges(seen.values)


def _ranges(values: Values) -> Iterator[Deviation]:
    body = values.body
    if body.record.max_msgs_per_batch not in _BATCH_SIZES:
        yield Deviation("MaxMsgsPerBatch 1 to 9999", str(body.record.max_msgs_per_batch))
    if body.record.sequence_wrap not in _WRAPS:
        yield Deviation("SequenceWrap 100 to 999999999", str(body.record.sequence_wrap))
    if body.record.max_transmission_size < _LEAST_SEGMENT:
        yield Deviation(f"MaxTransmissionSize {_LEAST_SEGMENT} at least", str(body.record.max_transmission_size))
    if body.record.max_message_size > MAX_MESSAGE_LENGTH:
        yield Deviation(f"MaxMessageSize {MAX_MESSAGE_LENGTH} at most", str(body.record.max_message_size))
    if body.has("heartbeat_interval") and body.record.heartbeat_interval > _MOST_HEARTBEAT:
        yield Deviation(f"HeartbeatInterval {_MOST_HEARTBEAT} at most", str(body.record.heartbeat_interval))
    if not values.fap_level:
        yield Deviation("FapLevel 1 at least", "0")
    if not values.channel_name:
        yield Deviation("a channel name", "blanks")
    if body.has("q_mgr_name") and not values.queue_manager:
        yield Deviation("a queue manager name", "blanks")


def technique(number: int) -> str:
    """Return the name of a compression technique."""
    return _TECHNIQUES.get(number, str(number))
