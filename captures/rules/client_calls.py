"""Rules for calls of clients and their replies, handles and deliveries (C-500 to C-529)."""

from __future__ import annotations

from typing import Final

from mqbridge.captures.rules.catalogue import Deviation, Severity, rule
from mqbridge.protocol.inferred import ALIGNED_CLIENT_SEGMENTS
from mqbridge.protocol.observer.client import (
    CallAnswered,
    CallCut,
    CallMalformed,
    CallsOverlap,
    CallUnanswered,
    ClientSegmentOutOfState,
    DeliveredAfterClose,
    DeliveredTooLong,
    DeliveredUnasked,
    HandleMisused,
    ReplyUnexpected,
)
from mqbridge.protocol.observer.connection import Observer
from mqbridge.protocol.observer.observations import Ending

_HEADERS_DIFFER: Final = 8
"""Bytes by which a TSHM is longer than the header counted in reply lengths."""
_REPLIES: Final = "mq-wire.md 8.3"
_TABLES: Final = "mq-wire.md 8"
_HINTS: Final = frozenset(("MQINQ", "SPI QUERY", "SPI OPEN", "SPI SUBSCRIBE", "SPI RESERVE", "SPI PUT"))


def named_call(name: str, object_name: str) -> str:
    """Return the name of a call with that of its object, if known."""
    return f"{name} of {object_name}" if object_name else name


@rule("C-501", Severity.ERROR, "Unreadable call, reply or delivery", spec=_TABLES)
def malformed(seen: CallMalformed, connection: Observer) -> Deviation | None:
    """A structure is cut short, has an unknown version, or inconsistent lengths.

    expected: whole structures; seen: MQPUT: MD begins with 00000000
    """
    return Deviation("whole structures", f"{seen.name}: {seen.detail}")


@rule("C-502", Severity.ERROR, "Reply without a call", spec=_REPLIES)
def reply_unexpected(seen: ReplyUnexpected, connection: Observer) -> Deviation | None:
    """A reply has the type of its call plus 0x10, and the same conversation and request id.

    expected: a reply to MQINQ; seen: a reply to MQPUT
    """
    expected = f"a reply to {' or '.join(seen.waiting)}" if seen.waiting else "no reply"
    return Deviation(expected, f"a reply to {seen.name}, conversation {seen.conversation}")


@rule("C-503", Severity.WARNING, "Call while another is waiting", spec=_REPLIES)
def overlap(seen: CallsOverlap, connection: Observer) -> Deviation | None:
    """A conversation makes one call at a time; a second one fails with 2219.

    expected: the reply to MQGET first; seen: MQCMIT
    """
    return Deviation(f"the reply to {seen.waiting} first", seen.name)


@rule("C-504", Severity.ERROR, "Out of sequence on a client connection", spec="mq-wire.md 8.1")
def out_of_state(seen: ClientSegmentOutOfState, connection: Observer) -> Deviation | None:
    """The state tables of connection and conversation have no such transition.

    expected: MQCONN or SOCKET_ACTION 2; seen: MQOPEN in state Started
    """
    return Deviation(" or ".join(seen.possible) or "nothing of the kind", f"{seen.what} in state {seen.state}")


@rule("C-505", Severity.ERROR, "Segments of a call do not match", spec="mq-wire.md 6.4")
def call_cut(seen: CallCut, connection: Observer) -> Deviation | None:
    """All segments of a call have the same type, conversation and request id.

    expected: FIRST, further segments of the same call, LAST; seen: MQPUT: a call inside another one
    """
    return Deviation("FIRST, further segments of the same call, LAST", f"{seen.name}: {seen.detail}")


@rule("C-506", Severity.WARNING, "Call without a reply", spec=_REPLIES)
def unanswered(seen: CallUnanswered, connection: Observer) -> Deviation | None:
    """Waiting gets are C-360.

    expected: a reply to MQPUT of Q1; seen: none, 12.0 seconds until the connection ended
    """
    if seen.ending is Ending.OPEN or seen.wait:
        return None
    waited = seen.place.time - seen.asked.time
    actual = f"none, {waited:.1f} seconds until the connection ended"
    return Deviation(f"a reply to {named_call(seen.name, seen.object_name)}", actual)


@rule("C-507", Severity.INFO, "Call without a reply when the capture stops", spec=_REPLIES)
def open_call(seen: CallUnanswered, connection: Observer) -> Deviation | None:
    """The reply may have followed.

    expected: a reply to MQPUT of Q1; seen: none, 12.0 seconds until the last packet of the connection
    """
    if seen.ending is not Ending.OPEN:
        return None
    waited = seen.place.time - seen.asked.time
    actual = f"none, {waited:.1f} seconds until the last packet of the connection"
    return Deviation(f"a reply to {named_call(seen.name, seen.object_name)}", actual)


@rule("C-508", Severity.INFERRED, "Reply states a wrong length", spec="mq-wire.md 5.4")
def reply_length(seen: CallAnswered, connection: Observer) -> Deviation | None:
    """ReplyLength counts a header of 28 bytes and no padding; some senders count the real header.

    expected: ReplyLength 52; seen: 400
    """
    filling = seen.counted - seen.stated
    if 0 <= filling < ALIGNED_CLIENT_SEGMENTS or 0 <= filling + _HEADERS_DIFFER < ALIGNED_CLIENT_SEGMENTS:
        return None
    return Deviation(f"ReplyLength {seen.counted}", f"{seen.stated} in the reply to {seen.name}")


@rule("C-509", Severity.INFERRED, "Reply longer than requested", spec="mq-wire.md 5.4")
def reply_room(seen: CallAnswered, connection: Observer) -> Deviation | None:
    """Clients accept longer replies to SPI calls (client-observed.md 6.2), and request less than MQINQ returns.

    expected: at most 4628 bytes; seen: a reply to MQGET of 8192 bytes
    """
    if not seen.room or seen.name in _HINTS or seen.streamed:
        return None
    if seen.counted <= seen.room + ALIGNED_CLIENT_SEGMENTS:
        return None
    return Deviation(f"at most {seen.room} bytes", f"a reply to {seen.name} of {seen.counted} bytes")


@rule("C-520", Severity.WARNING, "Call with a handle that is not open", spec="mqi.md 1.5")
def handle_misused(seen: HandleMisused, connection: Observer) -> Deviation | None:
    """An error of the program or of its client library.

    expected: an open handle; seen: MQPUT with handle 2, closed before (2019)
    """
    state = "closed before" if seen.closed else "never given"
    outcome = "" if seen.reason is None else f" ({seen.reason})"
    name = named_call(seen.name, seen.object_name)
    return Deviation("an open handle", f"{name} with handle {seen.handle}, {state}{outcome}")


@rule("C-521", Severity.ERROR, "Delivery for a closed handle", spec="client-observed.md O-104")
def delivered_after_close(seen: DeliveredAfterClose, connection: Observer) -> Deviation | None:
    """The client closes the socket with all its conversations.

    expected: nothing after the reply to MQCLOSE; seen: ASYNC_MESSAGE for handle 2
    """
    expected = "nothing after the reply to MQCLOSE" if seen.closed else "an open handle"
    return Deviation(expected, f"{seen.name} for handle {seen.handle}")


@rule("C-522", Severity.WARNING, "Unrequested message", spec="client-observed.md O-105")
def delivered_unasked(seen: DeliveredUnasked, connection: Observer) -> Deviation | None:
    """It is removed from the queue and stays in the client until a program gets it.

    expected: REQUEST_MSGS first; seen: ASYNC_MESSAGE for handle 2 of Q1
    """
    return Deviation("REQUEST_MSGS first", named_call(f"ASYNC_MESSAGE for handle {seen.handle}", seen.object_name))


@rule("C-523", Severity.INFO, "Message longer than requested", spec="client-observed.md O-088")
def delivered_too_long(seen: DeliveredTooLong, connection: Observer) -> Deviation | None:
    """Data are truncated to MaxMsgLength; clients accept whole messages as well.

    expected: at most 4096 bytes; seen: 5000 bytes for handle 2 of Q1
    """
    actual = named_call(f"{seen.length} bytes for handle {seen.handle}", seen.object_name)
    return Deviation(f"at most {seen.limit} bytes", actual)
