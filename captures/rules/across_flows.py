"""Rules on many flows: storms, short and abandoned sessions, old versions of TLS (C-609, C-72n).

They watch :class:`FlowsSeen`, the finished rows of flows, and have no observer. :func:`judge_flows` calls them.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final, cast

from mqbridge.captures.rules import limits
from mqbridge.captures.rules.catalogue import CATALOGUE, Deviation, Finding, Judgement, Severity, rule
from mqbridge.captures.tables.rows import FlowRow
from mqbridge.protocol.direction import Direction
from mqbridge.protocol.observer.observations import ConnectionKind, Observation, Place
from mqbridge.protocol.tls_hello import VERSION_NAMES

_CLIENT: Final = ConnectionKind.CLIENT_CONNECTION.value
_OPEN: Final = "open"
_CUT: Final = "cut"
_OLD_TLS: Final = frozenset(VERSION_NAMES[number] for number in (0x0300, 0x0301, 0x0302))

Found = Iterator[tuple[FlowRow, Deviation]]
"""Flows with their deviations."""


AcrossFlows = Callable[["FlowsSeen", None], Found]


@dataclass(slots=True, eq=False)
class FlowsSeen(Observation):
    """All flows of one or more captures, in the order of their start."""

    rows: tuple[FlowRow, ...]


def judge_flows(rows: Iterable[FlowRow]) -> list[Finding]:
    """Return the findings of the rules across flows, in the order of rules, then of time.

    The order of the rows does not matter.
    """
    ordered = tuple(sorted(rows, key=lambda row: (row.start, row.capture, row.flow)))
    seen = FlowsSeen(Direction.INITIATOR, Place(0.0, 0, 0), ordered)
    findings: list[Finding] = []
    for number in sorted(CATALOGUE):
        row = CATALOGUE[number]
        if row.watches is FlowsSeen:
            found = cast(Found, row.judge(seen, None))
            findings += [row.finding(deviation, flow.flow, flow.first_packet, flow.start) for flow, deviation in found]
    return findings


def _host(end: str) -> str:
    return end.rpartition(":")[0]


def _clients(rows: Iterable[FlowRow], *, channels: bool = True) -> dict[tuple[str, str, str], list[FlowRow]]:
    """Return client connections by client host, server and channel."""
    groups: dict[tuple[str, str, str], list[FlowRow]] = defaultdict(list)
    for row in rows:
        if row.kind == _CLIENT:
            groups[_host(row.client), row.server, row.channel if channels else ""].append(row)
    return groups


def _from(key: tuple[str, str, str]) -> str:
    client, server, channel = key
    return f"from {client} to {server}" + (f" on {channel}" if channel else "")


def _across_flows(number: str, severity: Severity, title: str, *, spec: str) -> Callable[[AcrossFlows], AcrossFlows]:
    """Like ``rule``, for a function that yields deviations with their flows."""
    enter = rule(number, severity, title, spec=spec)
    return lambda function: cast(AcrossFlows, enter(cast(Judgement, function)))


@_across_flows("C-609", Severity.SECURITY, "Old version of TLS", spec="mq-wire.md 1.1")
def old_tls(seen: FlowsSeen, connection: None) -> Found:
    """Versions below 1.2 are broken.

    expected: TLS 1.2 or later; seen: TLS 1.0
    """
    for row in seen.rows:
        if row.tls_version in _OLD_TLS:
            yield row, Deviation("TLS 1.2 or later", str(row.tls_version))


@_across_flows("C-720", Severity.PERFORMANCE, "Connection storm", spec="mq-wire.md 8.1")
def storm(seen: FlowsSeen, connection: None) -> Found:
    """Reported once per burst, at the flow that reached the limit.

    expected: fewer than 50 connections in 10 seconds; seen: 400 from 10.0.0.7 to 10.0.0.1:1414
    """
    for key, rows in sorted(_clients(seen.rows, channels=False).items()):
        recent: deque[FlowRow] = deque()
        began: FlowRow | None = None
        most = 0
        for row in rows:
            recent.append(row)
            while row.start - recent[0].start > limits.STORM_SECONDS:
                recent.popleft()
            if len(recent) >= limits.STORM_CONNECTS:
                began, most = began or row, max(most, len(recent))
            elif began is not None:
                yield began, _storm(most, key)
                began, most = None, 0
        if began is not None:
            yield began, _storm(most, key)


def _storm(most: int, key: tuple[str, str, str]) -> Deviation:
    expected = f"fewer than {limits.STORM_CONNECTS} connections in {limits.STORM_SECONDS:g} seconds"
    return Deviation(expected, f"{most} {_from(key)}")


@_across_flows("C-721", Severity.PERFORMANCE, "Connection for each message", spec="mq-wire.md 8.1")
def short_sessions(seen: FlowsSeen, connection: None) -> Found:
    """Connecting costs a dozen round trips, more with TLS.

    expected: connections that are used again; seen: 90 of 100 with at most 2 messages, from 10.0.0.7
    """
    for key, rows in sorted(_clients(seen.rows).items()):
        worked = [row for row in rows if row.messages]
        short = [row for row in worked if row.messages <= limits.SHORT_SESSION_MESSAGES and row.outcome != _OPEN]
        if len(short) >= limits.MIN_SHORT_SESSIONS and len(short) >= limits.SHORT_SESSION_SHARE * len(worked):
            most = limits.SHORT_SESSION_MESSAGES
            actual = f"{len(short)} of {len(worked)} with at most {most} messages, {_from(key)}"
            yield short[0], Deviation("connections that are used again", actual)


@_across_flows("C-722", Severity.PERFORMANCE, "Sessions that never disconnect", spec="mq-wire.md 8.5")
def never_disconnect(seen: FlowsSeen, connection: None) -> Found:
    """The queue manager notices by heartbeats, and backs out uncommitted work.

    expected: MQDISC at the end of each session; seen: 20 of 25 without, from 10.0.0.7 to 10.0.0.1:1414
    """
    for key, rows in sorted(_clients(seen.rows).items()):
        over = [row for row in rows if row.calls and row.outcome != _OPEN]
        left = [row for row in over if row.outcome == _CUT]
        if len(left) >= limits.MIN_LEFT_SESSIONS and len(left) >= limits.LEFT_SESSION_SHARE * len(over):
            actual = f"{len(left)} of {len(over)} without, {_from(key)}"
            yield left[0], Deviation("MQDISC at the end of each session", actual)


@_across_flows("C-723", Severity.PERFORMANCE, "Many concurrent sessions of one client", spec="mq-wire.md 8.1")
def many_sessions(seen: FlowsSeen, connection: None) -> Found:
    """A pool leaks, or conversations are not shared; MAXINSTC will eventually refuse connections.

    expected: at most 100 connections at a time; seen: 350 from 10.0.0.7 to 10.0.0.1:1414 on APP.SVRCONN
    """
    for key, rows in sorted(_clients(seen.rows).items()):
        changes = sorted([(row.start, 1, place) for place, row in enumerate(rows)] + [(row.end, -1, 0) for row in rows])
        there = most = 0
        first: FlowRow | None = None
        for _, change, place in changes:
            there += change
            most = max(most, there)
            if there > limits.CONCURRENT_SESSIONS and first is None:
                first = rows[place]
        if first is not None:
            expected = f"at most {limits.CONCURRENT_SESSIONS} connections at a time"
            yield first, Deviation(expected, f"{most} {_from(key)}")
