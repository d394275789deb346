"""Rules for the agreement of client connections, and its observance (C-530 to C-539)."""

from __future__ import annotations

from collections.abc import Iterator

from mqbridge.captures.rules.catalogue import Deviation, Severity, rule
from mqbridge.captures.rules.negotiated_values import heartbeat_deviation, technique
from mqbridge.protocol.observer.client import ClientAgreed, ClientCompressedSeen
from mqbridge.protocol.observer.connection import Observer
from mqbridge.protocol.observer.observations import MessageRoute, MessageSeen

_LIMITED = (
    ("FAP level", "fap_level"),
    ("largest segment", "transmission_size"),
    ("largest message", "message_length"),
    ("conversations per socket", "conversations"),
)


@rule("C-530", Severity.ERROR, "Client agreement beyond what was offered", spec="mq-wire.md 7.2")
def beyond_offer(seen: ClientAgreed, connection: Observer) -> Iterator[Deviation]:
    """A server may lower level, sizes and number of conversations, but not raise them.

    expected: at most 10 conversations per socket; seen: 20
    """
    if seen.offered is None:
        return
    for name, key in _LIMITED:
        offered, agreed = getattr(seen.offered, key), getattr(seen.agreed, key)
        if agreed > offered:
            yield Deviation(f"{name} at most {offered}", str(agreed))


@rule("C-531", Severity.WARNING, "Agreed in one round on values other than offered", spec="client-observed.md O-003a")
def one_round(seen: ClientAgreed, connection: Observer) -> Iterator[Deviation]:
    """Clients then keep their own sizes.

    expected: ERROR in the first answer; seen: largest segment 4096 for 32748, without ERROR
    """
    lost_a_round = connection.overview.uncertain
    if seen.offered is None or seen.agreed.rounds > 1 or lost_a_round:
        return
    for name, key in _LIMITED:
        offered, agreed = getattr(seen.offered, key), getattr(seen.agreed, key)
        if agreed < offered:
            yield Deviation("ERROR in the first answer", f"{name} {agreed} for {offered}, without ERROR")


@rule("C-532", Severity.WARNING, "Put longer than the channel allows", spec="client-observed.md O-059")
def put_too_long(seen: MessageSeen, connection: Observer) -> Deviation | None:
    """Client libraries refuse such puts themselves with 2010.

    expected: at most 4194304 bytes of data; seen: 5000000 bytes for Q1
    """
    agreed, message = connection.agreed_client, seen.message
    if agreed is None or message.course is not MessageRoute.PUT:
        return None
    limit = agreed.message_length
    if not 0 < limit < message.length:
        return None
    return Deviation(f"at most {limit} bytes of data", f"{message.length} bytes for {message.queue}")


@rule("C-533", Severity.INFO, "Compressed calls not read", spec="client-observed.md O-013")
def compressed(seen: ClientCompressedSeen, connection: Observer) -> Deviation | None:
    """Only the headers of these calls are judged.

    expected: calls that can be read; seen: headers compressed; ZLIBFAST for message data
    """
    parts = [name for name, there in (("headers", seen.header), ("message data", seen.data)) if there]
    named = "" if seen.technique is None else f"; {technique(seen.technique)} for message data"
    return Deviation("calls that can be read", f"{' and '.join(parts)} compressed{named}")


@rule("C-534", Severity.ERROR, "Wrong heartbeat interval of a client connection", spec="mq-wire.md 7.2")
def heartbeat_interval(seen: ClientAgreed, connection: Observer) -> Deviation | None:
    """The larger value applies; 0 if either is 0.

    expected: HeartbeatInterval 300 or more, the larger of both, or 0; seen: 60
    """
    if seen.offered is None:
        return None
    return heartbeat_deviation(seen.offered.heartbeat_interval, seen.agreed.heartbeat_interval)
