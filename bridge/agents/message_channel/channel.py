"""Run-time state of one channel name: its instances, attempts and retries, and its sender's record."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from mqbridge.bridge.agents.channel_instance import ChannelInstance
from mqbridge.bridge.agents.message_channel.channel_program import InDoubtBatch
from mqbridge.bridge.agents.message_channel.channel_records import SenderRecord, StatusRecord
from mqbridge.bridge.agents.message_channel.connection_attempts import ConnectionAttempt
from mqbridge.bridge.agents.message_channel.retry import Retries
from mqbridge.mappings.moment import Time


class MessageChannelAgent(ChannelInstance, Protocol):
    """A sender or receiver MCA."""

    replaced: bool
    """A newer connection of the same partner takes over."""


class ReceivingAgent(MessageChannelAgent, Protocol):
    """A receiver MCA."""

    @property
    def over(self) -> bool:
        """Whether its connection has ended, or will be found to have ended."""
        ...

    def keeps_record_of(self, partner: str) -> bool:
        """Whether its sequence numbers are those of a partner."""
        ...

    def replace(self, action: Callable[[Time], None], now: Time) -> None:
        """End at once; ``action`` is called when no commit is in progress any more."""
        ...


class ServerConnectionInstance(ChannelInstance, Protocol):
    """An instance of a server-connection channel."""

    def started_again(self) -> None:
        """START CHANNEL has ended the state STOPPED."""
        ...


@dataclass(slots=True, eq=False)
class Channel:
    """The state of one channel name.

    It exists while there is a connection, an attempt, a pending retry or a record on disk, or while it is stopped.
    """

    name: str
    status: StatusRecord = field(default_factory=StatusRecord)
    sender: SenderRecord = field(default_factory=SenderRecord)
    held: InDoubtBatch | None = None
    """The batch in doubt, whose messages are hidden on the transmission queue until it is resolved."""
    receiving: list[ReceivingAgent] = field(default_factory=list)
    """Running receivers, one for each partner."""
    clients: list[ServerConnectionInstance] = field(default_factory=list)
    """Running server connections."""
    sending: MessageChannelAgent | None = None
    """The running sender, if any."""
    attempt: ConnectionAttempt | None = None
    """The connection attempt in progress, except for a ping."""
    retries: Retries | None = None
    """The rest of the retry cycle; None after a successful start."""
    retry_at: float | None = None
    """Time of the next attempt, in seconds since the epoch."""
    requesting: bool = False
    """A requester has asked its partner to call back."""
    starts_again: bool = False
    """The running instance is being ended so that the channel begins anew."""
    store_failed: bool = False
    """The running instance was ended because the store failed to write a record."""
    settling: int = 0
    """Commits of a sender in progress; a new sender starts after them."""
    when_settled: list[Callable[[Time], None]] = field(default_factory=list)

    @property
    def active(self) -> bool:
        """Whether an instance is running or connecting."""
        return bool(self.receiving or self.clients) or self.sending is not None or self.attempt is not None

    def ends(self) -> list[ChannelInstance]:
        """All running instances."""
        return [*self.receiving, *self.clients, *([self.sending] if self.sending is not None else [])]

    @property
    def retrying(self) -> bool:
        """Whether it waits for the next attempt."""
        return self.retry_at is not None

    def settled(self, now: Time) -> None:
        """A commit of the sender has ended."""
        self.settling -= 1
        if not self.settling:
            actions, self.when_settled = self.when_settled, []
            for action in actions:
                action(now)
