"""What commands ask of those who run channels and listeners; the queue manager itself does neither."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol, TypeAlias

from mqbridge.bridge.store.interface import Operation
from mqbridge.protocol.errors import MQBridgeError

from .effects import Program
from .objects import MQRCCF, Definition, Value

StatusRow: TypeAlias = dict[str, Value]
"""Fields of one status by MQSC keyword (channels.md 17.4)."""


class StoppableConnection(Protocol):
    """The connection of a program that an operator ends."""

    program: Program | None

    def lost(self, now: float) -> None:
        """End it as if the program were gone."""
        ...


class ControlError(MQBridgeError):
    """A channel or listener command is refused or has failed.

    `amq`: id of the message that says so (``"AMQ9514"``); `reason`: MQRC or MQRCCF value of the reply.
    """

    def __init__(self, message: str, *, amq: str = "AMQ8101", reason: int = MQRCCF.COMMAND_FAILED) -> None:
        super().__init__(message)
        self.amq = amq
        self.reason = int(reason)


Outcome: TypeAlias = Callable[["ControlError | None"], None]
"""Called once: with None when the command is done, else with why not."""


class ChannelControl(Protocol):
    """Channels and listeners at run time, as commands see them. Times are seconds since the epoch.

    The channel's definition is there and of a type for which the command is valid when a method is called.
    """

    def start(self, channel: Definition, now: float) -> None:
        """START CHANNEL; for a receiver or server connection it only ends STOPPED.

        Raises `ControlError` (MQRCCF_CHANNEL_IN_USE where it runs).
        """
        ...

    def stop(
        self, channel: Definition, mode: str, status: str, connection: str, queue_manager: str, now: float
    ) -> None:
        """STOP CHANNEL (channels.md 6.3). `mode` QUIESCE, FORCE or TERMINATE; `status` STOPPED or INACTIVE.

        `connection` and `queue_manager`, where not blank, name the instances that are meant. Raises `ControlError`
        where none of these runs (MQRCCF_CHANNEL_NOT_ACTIVE).
        """
        ...

    def ping(self, channel: Definition, length: int, now: float, outcome: Outcome) -> None:
        """PING CHANNEL with `length` bytes of data; `outcome` comes after the network's answer."""
        ...

    def reset(self, channel: Definition, sequence: int, now: float, outcome: Outcome) -> None:
        """RESET CHANNEL SEQNUM (channels.md 5.6); `outcome` when it is on disk."""
        ...

    def resolve(self, channel: Definition, commit: bool, now: float, outcome: Outcome) -> None:
        """RESOLVE CHANNEL ACTION (channels.md 5.5); `outcome` when it is on disk."""
        ...

    def active(self, name: str) -> bool:
        """Whether any instance of the channel is starting, running, retrying or stopping."""
        ...

    def deleted(self, name: str) -> list[Operation]:
        """DELETE CHANNEL, of one that is not active: it is not STOPPED any more. Returns the rows that say so, to be
        written with those of the definition."""
        ...

    def statuses(self, saved: bool, now: float) -> list[StatusRow]:
        """Rows of all channel instances: current ones, or the saved ones of the synchronisation records.

        Each has CHANNEL, CHLTYPE, CONNAME, STATUS (current) and of the other fields of channels.md 17.4 those that
        apply.
        """
        ...

    def start_listener(self, listener: Definition, now: float, outcome: Outcome) -> None:
        """START LISTENER; `outcome` when it accepts connections or cannot."""
        ...

    def stop_listener(self, listener: Definition, now: float) -> None:
        """STOP LISTENER; raises `ControlError` where it does not run."""
        ...

    def listeners(self, now: float) -> list[StatusRow]:
        """Rows of all running listeners: LISTENER, STATUS, PID, PORT, IPADDR, TRPTYPE, STARTDA, STARTTI …"""
        ...

    def connections(self, now: float) -> Iterable[StatusRow]:
        """Rows of the connections of programs: CONN, APPLTAG, CHANNEL, CONNAME, USERID … (channels.md 17.4)."""
        ...

    def stop_connection(self, connection: StoppableConnection, now: float) -> None:
        """STOP CONN: its unit of work is backed out and its handles are closed; its program is told with 2009."""
        ...

    def start_service(self, service: Definition, now: float) -> None:
        """START SERVICE: runs its STARTCMD. Raises `ControlError`, MQRCCF_SERVICE_RUNNING for one."""
        ...

    def stop_service(self, service: Definition, now: float) -> None:
        """STOP SERVICE: runs its STOPCMD. Raises `ControlError`, MQRCCF_SERVICE_STOPPED for one."""
        ...

    def services(self, now: float) -> list[StatusRow]:
        """Rows of services of SERVTYPE(SERVER) that have been started: SERVICE, STATUS, PID, STARTDA, STARTTI …"""
        ...


class CommandServerControl(Protocol):
    """The command server at run time, as commands see it."""

    @property
    def running(self) -> bool:
        """Whether PCF messages are carried out."""
        ...

    def start(self, now: float) -> None:
        """START CMDSERV; raises `MQError` where its queue cannot be opened."""
        ...

    def stop(self, now: float) -> None:
        """STOP CMDSERV."""
        ...
