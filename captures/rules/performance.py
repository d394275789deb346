"""Rules for performance within one connection (C-7nn; those across flows are in ``across_flows``)."""

from __future__ import annotations

from mqbridge.captures.rules import limits
from mqbridge.captures.rules.catalogue import Deviation, Severity, rule
from mqbridge.captures.rules.client_calls import named_call
from mqbridge.protocol.observer.client import CallAnswered, ClientEnded
from mqbridge.protocol.observer.connection import Observer
from mqbridge.protocol.observer.observations import MessageSeen


@rule("C-701", Severity.PERFORMANCE, "Calls in many small segments", spec="mq-wire.md 6.4")
def small_segments(seen: ClientEnded, connection: Observer) -> Deviation | None:
    """Each segment costs a header and usually a packet.

    expected: segments of 32748 bytes but the last; seen: 40 of 40 below half of that
    """
    agreed = connection.agreed_client
    full = seen.split_segments - seen.split
    if agreed is None or seen.split < limits.MIN_SPLIT or seen.short < limits.SHORT_SEGMENT_SHARE * full:
        return None
    expected = f"segments of {agreed.transmission_size} bytes but the last"
    return Deviation(expected, f"{seen.short} of {full} below half of that")


@rule("C-702", Severity.PERFORMANCE, "Commit for each message", spec="mqi.md 16.1")
def commit_each(seen: ClientEnded, connection: Observer) -> Deviation | None:
    """Each commit is a round trip and a write to the log.

    expected: several messages in a unit of work; seen: 50 of 50 units with one message
    """
    if seen.units < limits.MIN_UNITS or seen.single < limits.SINGLE_UNIT_SHARE * seen.units:
        return None
    return Deviation("several messages in a unit of work", f"{seen.single} of {seen.units} units with one message")


@rule("C-703", Severity.PERFORMANCE, "Queue polled without a wait", spec="mqi.md 8")
def polling(seen: ClientEnded, connection: Observer) -> Deviation | None:
    """A get that waits is one call, and returns a message as soon as it arrives.

    expected: MQGMO_WAIT; seen: 60 of 80 gets found nothing, most of Q1
    """
    if seen.empty_gets < limits.MIN_EMPTY_GETS or seen.empty_gets < limits.EMPTY_GET_SHARE * seen.gets:
        return None
    most = f", most of {seen.polled}" if seen.polled else ""
    return Deviation("MQGMO_WAIT", f"{seen.empty_gets} of {seen.gets} gets found nothing{most}")


@rule("C-704", Severity.PERFORMANCE, "Large message", spec="mqi.md 5")
def large_message(seen: MessageSeen, connection: Observer) -> Deviation | None:
    """It fills segments, logs and buffers sized for smaller messages.

    expected: at most 4194304 bytes; seen: 20000000 bytes for Q1
    """
    message = seen.message
    if message.length <= limits.LARGE_MESSAGE:
        return None
    place = f" for {message.queue}" if message.queue else ""
    return Deviation(f"at most {limits.LARGE_MESSAGE} bytes", f"{message.length} bytes{place}")


@rule("C-705", Severity.PERFORMANCE, "Objects opened for each message", spec="mqi.md 2")
def open_each(seen: ClientEnded, connection: Observer) -> Deviation | None:
    """Opening, resolving and closing cost more than the put; MQPUT1 is made for single messages.

    expected: one open for many messages; seen: 50 opens for 50 messages
    """
    if seen.opens < limits.MIN_OPENS or not 0 < seen.messages <= limits.MESSAGES_PER_OPEN * seen.opens:
        return None
    return Deviation("one open for many messages", f"{seen.opens} opens for {seen.messages} messages")


@rule("C-706", Severity.PERFORMANCE, "Slow call", spec="mq-wire.md 8.3")
def slow_call(seen: CallAnswered, connection: Observer) -> Deviation | None:
    """Waiting gets are excluded, and MQCONN calls that failed, because queue managers delay these replies.

    expected: a reply within 1 second; seen: 4.2 seconds for MQPUT of Q1
    """
    if seen.wait or (seen.name == "MQCONN" and seen.comp_code):
        return None
    took = seen.answered.time - seen.asked.time
    if took <= limits.SLOW_CALL:
        return None
    name = named_call(seen.name, seen.object_name)
    return Deviation(f"a reply within {limits.SLOW_CALL:g} second", f"{took:.1f} seconds for {name}")


@rule("C-707", Severity.PERFORMANCE, "Connection idle for a long time", spec="mq-wire.md 8.5")
def idle_session(seen: ClientEnded, connection: Observer) -> Deviation | None:
    """The connection holds handles, memory and one of MAXINST.

    expected: a call within 3600 seconds, or MQDISC; seen: 7200 seconds without a call
    """
    if seen.idle <= limits.IDLE_SESSION or not seen.connects:
        return None
    expected = f"a call within {limits.IDLE_SESSION:g} seconds, or MQDISC"
    return Deviation(expected, f"{seen.idle:.0f} seconds without a call")
