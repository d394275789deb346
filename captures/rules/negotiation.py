"""Rules for the course of a negotiation: flags, capabilities, rounds (C-109 to C-113, C-116 to C-122)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from mqbridge.captures.rules.catalogue import Deviation, Severity, rule
from mqbridge.captures.rules.negotiated_values import answered_number
from mqbridge.protocol import inferred
from mqbridge.protocol.channel.agreement import NEGOTIATED_NUMBERS
from mqbridge.protocol.constants import CapFlags1, CapFlags2, CapFlags3, ControlFlags1, InitErrFlags1, InitErrFlags2
from mqbridge.protocol.observer.channel import ChannelAgreed, ClosedWithoutExchange, ProposalAnswered, Proposed
from mqbridge.protocol.observer.connection import Observer

_ECHOED: Final = CapFlags1.MSG_SEQ | CapFlags1.SPLIT_MESSAGE
_CAPABILITIES: Final = (
    ("cap_flags1", "e_cap_flags1", "CapFlags1", CapFlags1),
    ("cap_flags2", "e_cap_flags2", "CapFlags2", CapFlags2),
    ("cap_flags3", "e_cap_flags3", "CapFlags3", CapFlags3),
)


@rule("C-109", Severity.INFERRED, "Capabilities not offered by the caller", spec="mq-wire.md 5.1")
def capabilities(seen: ProposalAnswered, connection: Observer) -> Deviation | None:
    """An answer keeps sequence numbers and splitting only if both ends support them.

    expected: CapFlags1 of the proposal at most; seen: SPLIT_MESSAGE in addition
    """
    if seen.proposal is None:
        return None
    more = seen.values.body.record.cap_flags1 & ~seen.proposal.body.record.cap_flags1 & _ECHOED
    return Deviation("CapFlags1 of the proposal at most", f"{CapFlags1(more)} in addition") if more else None


@rule("C-110", Severity.INFERRED, "Capability both refused and kept", spec="mq-wire.md 5.1")
def refused_capabilities(seen: ProposalAnswered, connection: Observer) -> Iterator[Deviation]:
    """A refused bit must be clear in the flags themselves.

    expected: CapFlags2 without what ECapFlags2 refuses; seen: FAST_MESSAGES_REQUIRED in both
    """
    body = seen.values.body
    for key, refused_key, name, family in _CAPABILITIES:
        both = getattr(body.record, key) & getattr(body.record, refused_key) if body.has(refused_key) else 0
        if both:
            yield Deviation(f"{name} without what E{name} refuses", f"{family(both)} in both")


@rule("C-111", Severity.INFERRED, "Changed value without its bit, or bit without a change", spec="mq-wire.md 7.2")
def change_bits(seen: ProposalAnswered, connection: Observer) -> Iterator[Deviation]:
    """Each bit of InitErrFlags1 reports that the value of a number was changed.

    expected: InitErrFlags1 with MAX_MSG_PER_BATCH, as 50 became 20; seen: 0x00
    """
    flags = seen.values.changed
    for number in NEGOTIATED_NUMBERS:
        bit, values = number.changed, answered_number(seen, number.field)
        if values is None:
            continue
        before, after = values
        if before != after and not flags & bit:
            yield Deviation(f"InitErrFlags1 with {bit}, as {before} became {after}", f"0x{flags:02X}")
        if before == after and flags & bit:
            yield Deviation(f"InitErrFlags1 without {bit}, as {before} stays", f"0x{flags:02X}")


@rule("C-112", Severity.INFERRED, "Open points without ERROR, or ERROR without open points", spec="mq-wire.md 7.2")
def error_flag(seen: ProposalAnswered, connection: Observer) -> Deviation | None:
    """ERROR on INITIAL_DATA means that there is no agreement yet.

    expected: ControlFlags1 with ERROR, as InitErrFlags1 is 0x20; seen: 0x00
    """
    body, flags = seen.values.body, seen.values.flags
    points = [seen.values.changed, body.record.e_cap_flags1, body.record.e_cap_flags2]
    points += [body.record.init_err_flags2] if body.has("init_err_flags2") else []
    points += [body.record.e_cap_flags3] if body.has("e_cap_flags3") else []
    error = bool(flags & ControlFlags1.ERROR)
    if seen.values.changed and not error:
        return Deviation(f"ControlFlags1 with ERROR, as InitErrFlags1 is 0x{seen.values.changed:02X}", f"0x{flags:02X}")
    if error and not any(points):
        return Deviation("a bit that says what was changed or refused, as there is ERROR", "none")
    return None


@rule("C-113", Severity.INFERRED, "Compression not offered by the caller", spec="mq-wire.md 7.2")
def compressions(seen: ProposalAnswered, connection: Observer) -> Iterator[Deviation]:
    """The first technique of the caller that the other end also supports; an answer that refuses may list others.

    expected: message compressions among [0]; seen: [2]
    """
    if seen.proposal is None:
        return
    body = seen.values.body
    refused = body.record.init_err_flags2 if body.has("init_err_flags2") else 0
    for name, bit, offered, answered in (
        (
            "header",
            InitErrFlags2.HDRCOMPLIST,
            seen.proposal.header_compressions,
            seen.values.header_compressions,
        ),
        (
            "message",
            InitErrFlags2.MSGCOMPLIST,
            seen.proposal.message_compressions,
            seen.values.message_compressions,
        ),
    ):
        if offered and answered and not refused & bit and not set(offered) & set(answered):
            yield Deviation(f"{name} compressions among {offered}", str(answered))


@rule("C-116", Severity.WARNING, "Caller's INITIAL_DATA without a request for an answer", spec="mq-wire.md 4.3")
def asks_for_answer(seen: Proposed, connection: Observer) -> Deviation | None:
    """The caller sets CONFIRM_REQUEST in every capture.

    expected: ControlFlags1 with CONFIRM_REQUEST; seen: 0x00
    """
    flags = seen.values.flags
    return (
        None
        if flags & ControlFlags1.CONFIRM_REQUEST
        else Deviation("ControlFlags1 with CONFIRM_REQUEST", f"0x{flags:02X}")
    )


@rule("C-117", Severity.WARNING, "Answering INITIAL_DATA with a request for an answer", spec="mq-wire.md 4.1")
def answer_asks(seen: ProposalAnswered, connection: Observer) -> Deviation | None:
    """The bit is clear in answers.

    expected: ControlFlags1 without CONFIRM_REQUEST; seen: 0x01
    """
    flags = seen.values.flags
    if seen.proposal is not None and flags & ControlFlags1.CONFIRM_REQUEST:
        return Deviation("ControlFlags1 without CONFIRM_REQUEST", f"0x{flags:02X}")
    return None


@rule("C-118", Severity.INFERRED, "Caller ignores answered values", spec="mq-wire.md 7.2")
def taken_over(seen: Proposed, connection: Observer) -> Iterator[Deviation]:
    """After an answer that changes values, the caller states the changed values.

    expected: MaxMsgsPerBatch 20 as answered; seen: 50
    """
    if seen.answer is None:
        return
    for number in NEGOTIATED_NUMBERS:
        key = number.field
        if seen.answer.changed & number.changed and seen.answer.body.has(key) and seen.values.body.has(key):
            answered, stated = getattr(seen.answer.body.record, key), getattr(seen.values.body.record, key)
            if answered != stated:
                yield Deviation(f"{number.name} {answered} as answered", str(stated))


@rule("C-119", Severity.INFERRED, "Endless negotiation", spec="mq-wire.md 7.2")
def rounds(seen: Proposed, connection: Observer) -> Deviation | None:
    """Each round settles at least one value.

    expected: agreement within 6 rounds; seen: round 7
    """
    most = inferred.MAX_NEGOTIATION_ROUNDS
    return Deviation(f"agreement within {most} rounds", f"round {seen.round}") if seen.round > most else None


@rule("C-120", Severity.WARNING, "INITIAL_DATA not answered", spec="mq-wire.md 7.2")
def not_answered(seen: ClosedWithoutExchange, connection: Observer) -> Deviation | None:
    """The called end closes without an answer, or the caller gives up.

    expected: INITIAL_DATA or an error status; seen: the connection closed
    """
    if seen.state != "Negotiating":
        return None
    return Deviation("INITIAL_DATA or an error status", f"the connection {'reset' if seen.reset else 'closed'}")


@rule("C-121", Severity.INFO, "Both ends are the same queue manager", spec="channels.md 4")
def same_queue_manager(seen: ChannelAgreed, connection: Observer) -> Deviation | None:
    """Each end states its own name.

    expected: two queue managers; seen: both ends are VENUS
    """
    agreed = seen.agreed
    if agreed.caller and agreed.caller == agreed.called:
        return Deviation("two queue managers", f"both ends are {agreed.caller}")
    return None


@rule("C-122", Severity.WARNING, "Refused because of the sequence wrap value", spec="mq-wire.md 7.2")
def sequence_wrap_refused(seen: ProposalAnswered, connection: Observer) -> Deviation | None:
    """Both definitions must have the same value; the called end reports that they differ.

    expected: SequenceWrap 999999999 at both ends; seen: 999999, with SEQ_WRAP_VALUE (AMQ9505)
    """
    values = answered_number(seen, "sequence_wrap")
    bit = InitErrFlags1.SEQ_WRAP_VALUE
    if values is None or values[0] == values[1] or not seen.values.changed & bit:
        return None
    return Deviation(f"SequenceWrap {values[0]} at both ends", f"{values[1]}, with {bit} (AMQ9505)")
