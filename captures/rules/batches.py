"""Rules for batches, sequence numbers and confirmation of message channels (C-2nn)."""

from __future__ import annotations

from collections.abc import Iterator

from mqbridge.captures.rules.catalogue import Deviation, Severity, rule
from mqbridge.protocol.channel.batch_limits import first_excess
from mqbridge.protocol.channel.sequence import HIGHEST_NUMBER, is_number
from mqbridge.protocol.constants import StatusCode
from mqbridge.protocol.framing import NO_LUWID
from mqbridge.protocol.observer.channel import (
    BatchBegun,
    BatchConfirmationSeen,
    BatchSettled,
    ChannelSegmentOutOfState,
    ConfirmRequestSeen,
    MessageDiffers,
    PartOutOfPlace,
    Resynchronised,
    SequenceNumberReset,
)
from mqbridge.protocol.observer.connection import Observer
from mqbridge.protocol.observer.observations import MessageOutcome

_SPEC_DOUBT = "channels.md 5.2"


@rule("C-201", Severity.ERROR, "Sequence number out of order", spec="channels.md 5.3")
def sequence_number(seen: MessageDiffers, connection: Observer) -> Deviation | None:
    """Increases by one with each message, across batches; 1 follows the wrap value.

    expected: sequence number 8; seen: 9 (AMQ9526)
    """
    if seen.expected is None or seen.sequence_number == seen.expected:
        return None
    return Deviation(f"sequence number {seen.expected}", f"{seen.sequence_number} (AMQ9526)")


@rule("C-202", Severity.ERROR, "Sequence number out of range", spec="channels.md 5.3")
def sequence_range(seen: MessageDiffers, connection: Observer) -> Deviation | None:
    """From 1 to the agreed wrap value, on channels with sequence numbers.

    expected: sequence number 1 to 999999999; seen: 0
    """
    agreed = connection.agreed_channel
    if agreed is not None and not agreed.numbered:
        return None
    most = agreed.sequence_wrap if agreed is not None else HIGHEST_NUMBER
    if is_number(seen.sequence_number, most):
        return None
    return Deviation(f"sequence number 1 to {most}", str(seen.sequence_number))


@rule("C-203", Severity.INFERRED, "LUWID changes within a batch", spec="mq-wire.md 7.4")
def luwid_of_message(seen: MessageDiffers, connection: Observer) -> Deviation | None:
    """All messages of a batch have the same LUWID.

    expected: LUWID 5aba753f10000901 of the batch; seen: 5aba753f10000902
    """
    if seen.luwid == seen.batch_luwid:
        return None
    return Deviation(f"LUWID {seen.batch_luwid.hex()} of the batch", seen.luwid.hex())


@rule("C-204", Severity.ERROR, "More messages in a batch than agreed", spec="channels.md 4")
def batch_size(seen: MessageDiffers, connection: Observer) -> Deviation | None:
    """Reported once per batch.

    expected: at most 50 messages before the confirmation; seen: message 51
    """
    agreed = connection.agreed_channel
    if agreed is None or seen.position != first_excess(agreed.batch_size):
        return None
    return Deviation(f"at most {agreed.batch_size} messages before the confirmation", f"message {seen.position}")


@rule("C-205", Severity.ERROR, "Segment out of place", spec="mq-wire.md 7")
def out_of_place(seen: ChannelSegmentOutOfState, connection: Observer) -> Deviation | None:
    """A message or confirmation for which the state tables of a live channel have no transition: after an unconfirmed
    batch, or not requested.

    expected: part of a message, message, heartbeat; seen: message in state Confirming
    """
    return _step(seen) if seen.certain else None


@rule("C-206", Severity.INFERRED, "Segment in an unknown place", spec="mq-wire.md 7.3")
def inferred_place(seen: ChannelSegmentOutOfState, connection: Observer) -> Deviation | None:
    """The place of resynchronisation, reset, ping, heartbeats and split messages is inferred.

    expected: message, heartbeat, confirmation asked for; seen: RESYNC_DATA asks in state Running
    """
    return None if seen.certain else _step(seen)


def _step(seen: ChannelSegmentOutOfState) -> Deviation:
    return Deviation(", ".join(seen.expected) or "nothing", f"{seen.what} in state {seen.state}")


@rule("C-207", Severity.INFERRED, "Segment of a split message out of place", spec="mq-wire.md 6.3")
def part_out_of_place(seen: PartOutOfPlace, connection: Observer) -> Deviation:
    """No capture shows how message channels split messages.

    expected: a segment with FIRST; seen: flags 20 with no message begun
    """
    return Deviation(seen.expected, seen.seen)


@rule("C-208", Severity.INFERRED, "LUWID missing or reused", spec="mq-wire.md 7.4")
def luwid_of_batch(seen: BatchBegun, connection: Observer) -> Deviation | None:
    """Not zero, and different for each batch.

    expected: a LUWID of its own; seen: 5aba753f10000901, as the batch before
    """
    if seen.luwid == NO_LUWID:
        return Deviation("a LUWID of its own", "zeros")
    if seen.luwid == seen.previous:
        return Deviation("a LUWID of its own", f"{seen.luwid.hex()}, as the batch before")
    return None


@rule("C-209", Severity.INFERRED, "Confirmation requested for another batch", spec="mq-wire.md 7.5")
def luwid_of_confirm(seen: ConfirmRequestSeen, connection: Observer) -> Deviation | None:
    """The request for confirmation carries the LUWID of its batch.

    expected: LUWID 5aba753f10000901 of the messages; seen: 84ce6d3f10001701
    """
    if not seen.batch_luwid or seen.luwid == seen.batch_luwid:
        return None
    return Deviation(f"LUWID {seen.batch_luwid.hex()} of the messages", seen.luwid.hex())


@rule("C-210", Severity.INFO, "Confirmation requested without messages", spec="mq-wire.md 7.5")
def empty_batch(seen: ConfirmRequestSeen, connection: Observer) -> Deviation | None:
    """Harmless.

    expected: a message before the end of a batch; seen: none
    """
    return Deviation("a message before the end of a batch", "none") if seen.messages == 0 else None


@rule("C-211", Severity.INFERRED, "Another batch confirmed", spec="mq-wire.md 7.5")
def luwid_of_answer(seen: BatchConfirmationSeen, connection: Observer) -> Deviation | None:
    """The answer repeats the LUWID; zeros are accepted as well.

    expected: LUWID 5aba753f10000901 that was asked about; seen: 84ce6d3f10001701
    """
    if seen.luwid == NO_LUWID or not seen.batch_luwid or seen.luwid == seen.batch_luwid:
        return None
    return Deviation(f"LUWID {seen.batch_luwid.hex()} that was asked about", seen.luwid.hex())


@rule("C-212", Severity.WARNING, "Confirmation after the sender's time limit", spec="channels.md 6.1")
def late_confirm(seen: BatchConfirmationSeen, connection: Observer) -> Deviation | None:
    """A sender waits for HBINT plus a margin.

    expected: an answer within 360 seconds; seen: after 400 seconds
    """
    if seen.limit is None or seen.asked is None or seen.waited <= seen.limit:
        return None
    return Deviation(f"an answer within {seen.limit:g} seconds", f"after {seen.waited:.0f} seconds")


@rule("C-213", Severity.INFERRED, "Message of the batch put on the dead-letter queue", spec="mq-wire.md 4.1")
def dead_letters(seen: BatchConfirmationSeen, connection: Observer) -> Deviation | None:
    """The flag is known by its name only.

    expected: all messages delivered; seen: DLQ_USED in the confirmation
    """
    return Deviation("all messages delivered", "DLQ_USED in the confirmation") if seen.dlq_used else None


@rule("C-214", Severity.WARNING, "Batch in doubt", spec=_SPEC_DOUBT)
def in_doubt(seen: BatchSettled, connection: Observer) -> Deviation | None:
    """Confirmation was requested, but the connection ended first.

    expected: a confirmation of batch 5aba753f10000901; seen: none before the connection closed, 3 messages
    """
    if seen.fate is not MessageOutcome.IN_DOUBT or seen.capture_stops:
        return None
    return Deviation(
        f"a confirmation of batch {seen.luwid.hex()}",
        f"none before the connection closed, {seen.messages} messages, last number {seen.last_sequence}",
    )


@rule("C-215", Severity.WARNING, "Batch backed out", spec=_SPEC_DOUBT)
def backed_out(seen: BatchSettled, connection: Observer) -> Deviation | None:
    """The sender will send the messages again with the same numbers.

    expected: the end of batch 5aba753f10000901; seen: the connection closed, 3 messages
    """
    if seen.fate is not MessageOutcome.BACKED_OUT:
        return None
    why = f"status {StatusCode(seen.reason)}" if seen.reason else "the connection closed"
    return Deviation(f"the end of batch {seen.luwid.hex()}", f"{why}, {seen.messages} messages")


@rule("C-216", Severity.INFERRED, "Records of the two ends disagree", spec="channels.md 5.4")
def resynchronisation(seen: Resynchronised, connection: Observer) -> Iterator[Deviation]:
    """The layout of RESYNC_DATA is an assumption.

    expected: number 7, as batch 5aba753f10000901 is the same; seen: 6 (AMQ9526)
    """
    if seen.answer_luwid == seen.luwid and seen.answer_sequence_number != seen.sequence_number:
        expected = f"number {seen.sequence_number}, as batch {seen.luwid.hex()} is the same"
        yield Deviation(expected, f"{seen.answer_sequence_number} (AMQ9526)")


@rule("C-217", Severity.INFO, "Batch in doubt resolved at the start", spec="channels.md 5.4")
def settled_at_start(seen: Resynchronised, connection: Observer) -> Deviation:
    """The LUWID that the receiver committed last decides.

    expected: no batch in doubt; seen: 5aba753f10000901, the receiver has it: committed
    """
    same = seen.answer_luwid == seen.luwid
    outcome = "the receiver has it: committed" if same else "the receiver has it not: sent again"
    return Deviation("no batch in doubt", f"{seen.luwid.hex()}, {outcome}")


@rule("C-218", Severity.WARNING, "Sequence number reset out of range", spec="channels.md 5.6")
def reset_range(seen: SequenceNumberReset, connection: Observer) -> Deviation | None:
    """RESET CHANNEL SEQNUM at the sending end, transmitted at the next start.

    expected: a number from 1 to 999999999; seen: 0
    """
    agreed = connection.agreed_channel
    most = agreed.sequence_wrap if agreed is not None else HIGHEST_NUMBER
    if is_number(seen.sequence_number, most):
        return None
    return Deviation(f"a number from 1 to {most}", str(seen.sequence_number))


@rule("C-219", Severity.INFO, "Batch not confirmed when the capture stops", spec=_SPEC_DOUBT)
def unconfirmed(seen: BatchSettled, connection: Observer) -> Deviation | None:
    """The confirmation may have followed.

    expected: a confirmation of batch 5aba753f10000901; seen: none before the capture stops, 3 messages
    """
    if seen.fate is not MessageOutcome.IN_DOUBT or not seen.capture_stops:
        return None
    return Deviation(
        f"a confirmation of batch {seen.luwid.hex()}",
        f"none before the capture stops, {seen.messages} messages, last number {seen.last_sequence}",
    )
