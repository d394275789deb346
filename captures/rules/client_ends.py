"""Rules for heartbeats, refusals and the ends of client connections (C-350 to C-399)."""

from __future__ import annotations

from typing import Final

from mqbridge.captures.rules.catalogue import Deviation, Severity, rule
from mqbridge.protocol.constants import SocketAction, StatusCode, reason_name
from mqbridge.protocol.direction import Direction
from mqbridge.protocol.observer.client import (
    ClientEnded,
    ClientHeartbeatUnanswered,
    ClientStatusSeen,
    ConnectRefused,
    ConnectStage,
    ConversationRefused,
    CredentialsAnswered,
    GetOutlived,
    Quiesced,
    SilenceSeen,
)
from mqbridge.protocol.observer.connection import Observer
from mqbridge.protocol.observer.observations import Ending

_PROGRAM_SEES: Final = {
    0x01: 2540,
    **dict.fromkeys((0x02, 0x0A, 0x0B, 0x0C, 0x0D, 0x0E, 0x10, 0x12), 2539),
    **dict.fromkeys((0x16, 0x17), 2537),
    **dict.fromkeys((0x18, 0x19, 0x1C), 2397),
    0x20: 2543,
}
"""Reason codes for programs by status during connection (client-observed.md O-031)."""
_OTHERWISE: Final = 2059
_NOT_AUTHORIZED: Final = 2035


def _status(code: int) -> str:
    return f"status {code:#04x} {StatusCode(code)}"


@rule("C-350", Severity.WARNING, "Heartbeat of a client connection unanswered", spec="client-observed.md O-120")
def heartbeat_unanswered(seen: ClientHeartbeatUnanswered, connection: Observer) -> Deviation | None:
    """The asking end closes the connection after about one more interval.

    expected: an answer to the heartbeat within 300 seconds; seen: none after 600 seconds
    """
    if seen.waited < seen.interval:
        return None
    expected = f"an answer to the heartbeat within {seen.interval} seconds"
    return Deviation(expected, f"none after {seen.waited:.1f} seconds")


@rule("C-351", Severity.WARNING, "No heartbeat on a silent client connection", spec="client-observed.md O-122")
def silence(seen: SilenceSeen, connection: Observer) -> Deviation | None:
    """On a shared connection the client asks; on others the queue manager does, while a get waits.

    expected: a heartbeat of the queue manager after 300 seconds; seen: 900 seconds of silence
    """
    who = "client" if seen.direction is Direction.INITIATOR else "queue manager"
    return Deviation(
        f"a heartbeat of the {who} after {seen.interval} seconds", f"{seen.seconds:.1f} seconds of silence"
    )


@rule("C-352", Severity.WARNING, "Client left without disconnecting", spec="mq-wire.md 8.5")
def left_connected(seen: ClientEnded, connection: Observer) -> Deviation | None:
    """Uncommitted work is backed out.

    expected: MQDISC before the connection ends; seen: both ends closed, 1 conversation connected
    """
    if seen.ending is Ending.OPEN or not seen.left or not seen.connects:
        return None
    plural = "s" if seen.left > 1 else ""
    ending = seen.ending.value
    return Deviation("MQDISC before the connection ends", f"{ending}, {seen.left} conversation{plural} connected")


@rule("C-353", Severity.WARNING, "Client connection ended by an error status", spec="mq-wire.md 5.14")
def ended_by_status(seen: ClientStatusSeen, connection: Observer) -> Deviation | None:
    """Programs get 2009, with the status as its cause.

    expected: a connection that goes on; seen: status 0x05 QM_TERMINATING: the queue manager is ending
    """
    if seen.stage is not ConnectStage.CONNECTED or not seen.heeded:
        return None
    return Deviation("a connection that goes on", f"{_status(seen.code)}: {seen.meaning}")


@rule("C-354", Severity.WARNING, "Client connection refused", spec="client-observed.md O-031")
def refused(seen: ClientStatusSeen, connection: Observer) -> Deviation | None:
    """A status in place of an answer to INITIAL_DATA, or before MQCONN.

    expected: a connection; seen: status 0x01 NO_CHANNEL: the partner has no such channel (programs get 2540)
    """
    if seen.stage is ConnectStage.CONNECTED or not seen.heeded:
        return None
    reason = _PROGRAM_SEES.get(seen.code, _OTHERWISE)
    actual = f"{_status(seen.code)}: {seen.meaning} (programs get {reason} {reason_name(reason)})"
    return Deviation("a connection", actual)


@rule("C-355", Severity.WARNING, "MQCONN refused", spec="client-observed.md O-032")
def connect_refused(seen: ConnectRefused, connection: Observer) -> Deviation | None:
    """The program gets the reason unchanged; 2035 is C-611.

    expected: MQCC_OK; seen: 2058 MQRC_Q_MGR_NAME_ERROR for queue manager QMX
    """
    if seen.reason == _NOT_AUTHORIZED:
        return None
    name = seen.queue_manager or "any"
    return Deviation("MQCC_OK", f"{seen.reason} {reason_name(seen.reason)} for queue manager {name}")


@rule("C-356", Severity.SECURITY, "User id or password refused", spec="client-observed.md O-021")
def credentials_refused(seen: CredentialsAnswered, connection: Observer) -> Deviation | None:
    """A status with ERROR answers CONAUTH_INFO.

    expected: CONAUTH_INFO accepted; seen: status 0x14 SECURITY_FAILURE for user app
    """
    if seen.accepted:
        return None
    user = connection.overview.user
    return Deviation("CONAUTH_INFO accepted", f"{_status(seen.code)} for user {user or 'unknown'}")


@rule("C-357", Severity.INFO, "Client notified of quiescing", spec="client-observed.md O-044")
def quiesced(seen: Quiesced, connection: Observer) -> Deviation | None:
    """The channel or the queue manager is being stopped.

    expected: a connection that goes on; seen: SOCKET_ACTION for conversation 3
    """
    return Deviation("a connection that goes on", f"{seen.name} for conversation {seen.conversation}")


@rule("C-358", Severity.WARNING, "Further conversation refused", spec="client-observed.md O-041")
def conversation_refused(seen: ConversationRefused, connection: Observer) -> Deviation | None:
    """The socket continues with its existing conversations.

    expected: SOCKET_ACTION 8; seen: SOCKET_ACTION 2 for conversation 3 (the program gets 2273)
    """
    started = int(SocketAction.CONVERSATION_STARTED)
    actual = f"SOCKET_ACTION {seen.answer} for conversation {seen.conversation} (the program gets 2273)"
    return Deviation(f"SOCKET_ACTION {started}", actual)


@rule("C-359", Severity.WARNING, "Error status ignored by clients", spec="client-observed.md O-034")
def ignored_status(seen: ClientStatusSeen, connection: Observer) -> Deviation | None:
    """The client continues and waits in vain.

    expected: CLOSE_CHANNEL, in TSH or TSHC; seen: status 0x05 QM_TERMINATING with flags 0x02
    """
    if seen.heeded:
        return None
    return Deviation("CLOSE_CHANNEL, in TSH or TSHC", f"{_status(seen.code)} with flags {seen.flags:#04x}")


@rule("C-360", Severity.WARNING, "Waiting get outlived its connection", spec="mq-wire.md 8.4")
def get_outlived(seen: GetOutlived, connection: Observer) -> Deviation | None:
    """A message that the queue manager retrieves for it has no recipient.

    expected: an end of the get before that of its connection; seen: MQGET of Q1 waiting
    """
    limit = "unlimited time" if seen.wait < 0 else f"{seen.wait / 1000:.1f} seconds"
    name = seen.object_name or f"handle {seen.handle}"
    actual = f"MQGET of {name} waiting for {seen.waited:.1f} seconds of {limit}"
    return Deviation("an end of the get before that of its connection", actual)
