"""Protocols of what runs channels, listeners and services, as commands use it; the queue manager runs none of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol, TypeAlias

from mqbridge.bridge.store.interface import Operation
from mqbridge.mappings.moment import Time
from mqbridge.protocol.errors import MQBridgeError

from .effects import Program
from .objects import MQRCCF, Definition, Value

StatusRow: TypeAlias = dict[str, Value]
"""Fields of a status row by MQSC keyword (channels.md 17.4)."""


class StoppableConnection(Protocol):
    """A connection that STOP CONN can end."""

    program: Program | None

    def lost(self, now: Time) -> None:
        """End the connection as if the program had disappeared."""
        ...


class ControlError(MQBridgeError):
    """A channel or listener command is refused or has failed.

    `amq`: message id (``"AMQ9514"``). `reason`: MQRC or MQRCCF value of the reply.
    """

    def __init__(self, message: str, *, amq: str = "AMQ8101", reason: int = MQRCCF.COMMAND_FAILED) -> None:
        super().__init__(message)
        self.amq = amq
        self.reason = int(reason)


Outcome: TypeAlias = Callable[["ControlError | None"], None]
"""Continuation, called once: with None when the command is done, else with the error."""


class ChannelControl(Protocol):
    """Channels, listeners and services at run time, as commands see them. Times are seconds since the epoch.

    Callers have checked that a channel exists and that its type is valid for the command.
    """

    def start(self, channel: Definition, now: Time) -> None:
        """START CHANNEL; for a receiver or server-connection channel it only ends STOPPED.

        Raises `ControlError` (MQRCCF_CHANNEL_IN_USE if it runs).
        """
        ...

    def stop(self, channel: Definition, mode: str, status: str, connection: str, queue_manager: str, now: Time) -> None:
        """STOP CHANNEL (channels.md 6.3). `mode` QUIESCE, FORCE or TERMINATE; `status` STOPPED or INACTIVE.

        `connection` and `queue_manager`, if not blank, select instances. Raises `ControlError`
        (MQRCCF_CHANNEL_NOT_ACTIVE) if none of these runs.
        """
        ...

    def ping(self, channel: Definition, length: int, now: Time, outcome: Outcome) -> None:
        """PING CHANNEL with `length` bytes of data; `outcome` is called after the partner's answer."""
        ...

    def reset(self, channel: Definition, sequence: int, now: Time, outcome: Outcome) -> None:
        """RESET CHANNEL SEQNUM (channels.md 5.6); `outcome` is called when it is on disk."""
        ...

    def resolve(self, channel: Definition, commit: bool, now: Time, outcome: Outcome) -> None:
        """RESOLVE CHANNEL ACTION (channels.md 5.5); `outcome` is called when it is on disk."""
        ...

    def refresh_tls(self, now: Time) -> None:
        """REFRESH SECURITY TYPE(SSL): read keys and certificates again, and start channels that use TLS again.

        Raises `ControlError` if they cannot be read.
        """
        ...

    def active(self, name: str) -> bool:
        """Whether any instance of the channel is starting, running, retrying or stopping."""
        ...

    def deleted(self, name: str) -> list[Operation]:
        """Forget that a deleted channel is STOPPED. Returns the operations, to be committed with the deletion."""
        ...

    def statuses(self, saved: bool, now: Time) -> list[StatusRow]:
        """Rows of all channel instances: current status, or saved status from the synchronisation records.

        Each has CHANNEL, CHLTYPE, CONNAME, STATUS (if current) and the other fields of channels.md 17.4 that apply.
        """
        ...

    def start_listener(self, listener: Definition, now: Time, outcome: Outcome) -> None:
        """START LISTENER; `outcome` is called when it accepts connections or has failed to."""
        ...

    def stop_listener(self, listener: Definition, now: Time) -> None:
        """STOP LISTENER. Raises `ControlError` if it does not run."""
        ...

    def listeners(self, now: Time) -> list[StatusRow]:
        """Rows of all running listeners: LISTENER, STATUS, PID, PORT, IPADDR, TRPTYPE, STARTDA, STARTTI …"""
        ...

    def connections(self, now: Time) -> Iterable[StatusRow]:
        """Rows of the connections of programs: CONN, APPLTAG, CHANNEL, CONNAME, USERID … (channels.md 17.4)."""
        ...

    def stop_connection(self, connection: StoppableConnection, now: Time) -> None:
        """STOP CONN: back out its unit of work and close its handles; its program's next call fails with 2009."""
        ...

    def start_service(self, service: Definition, now: Time) -> None:
        """START SERVICE: run its STARTCMD. Raises `ControlError`, such as MQRCCF_SERVICE_RUNNING."""
        ...

    def stop_service(self, service: Definition, now: Time) -> None:
        """STOP SERVICE: run its STOPCMD. Raises `ControlError`, such as MQRCCF_SERVICE_STOPPED."""
        ...

    def services(self, now: Time) -> list[StatusRow]:
        """Rows of services of SERVTYPE(SERVER) that have been started: SERVICE, STATUS, PID, STARTDA, STARTTI …"""
        ...


class CommandServerControl(Protocol):
    """The command server at run time, as commands see it."""

    @property
    def running(self) -> bool:
        """Whether PCF commands are executed."""
        ...

    def start(self, now: Time) -> None:
        """START CMDSERV. Raises `MQError` if the command queue cannot be opened."""
        ...

    def stop(self, now: Time) -> None:
        """STOP CMDSERV."""
        ...
