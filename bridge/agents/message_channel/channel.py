"""What is known at run time of one channel name: who runs it, what it waits for, what its sending end keeps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from mqbridge.bridge.agents.channel_instance import ChannelInstance
from mqbridge.bridge.agents.message_channel.attempts import ConnectionAttempt
from mqbridge.bridge.agents.message_channel.channel_records import SenderRecord, StatusRecord
from mqbridge.bridge.agents.message_channel.program import InDoubtBatch
from mqbridge.bridge.agents.message_channel.retry import Retries


class MessageChannelAgent(ChannelInstance, Protocol):
    """A sending or receiving end."""

    replaced: bool
    """A newer connection of the same partner takes over."""


class ReceivingAgent(MessageChannelAgent, Protocol):
    """A receiving end."""

    @property
    def over(self) -> bool:
        """Whether its connection is, or will be seen to be, of no more use."""
        ...

    def keeps_record_of(self, partner: str) -> bool:
        """Whether its numbers are those of a partner."""
        ...

    def replace(self, action: Callable[[float], None], now: float) -> None:
        """Ends at once; ``action`` is called when no commit is under way any more."""
        ...


class ClientsAgent(ChannelInstance, Protocol):
    """An instance of a server connection channel."""

    def started_again(self) -> None:
        """START CHANNEL has ended STOPPED."""
        ...


@dataclass(slots=True, eq=False)
class Channel:
    """One channel name.

    A name stays known while it has a connection, an attempt, a retry to come, a record on disk or was stopped.
    """

    name: str
    status: StatusRecord = field(default_factory=StatusRecord)
    sender: SenderRecord = field(default_factory=SenderRecord)
    held: InDoubtBatch | None = None
    """The batch in doubt: its messages are hidden on the transmission queue until it is settled."""
    receiving: list[ReceivingAgent] = field(default_factory=list)
    """Receiving ends that run, one a partner."""
    clients: list[ClientsAgent] = field(default_factory=list)
    """Connections of clients that run."""
    sending: MessageChannelAgent | None = None
    """The sending end, if it runs."""
    attempt: ConnectionAttempt | None = None
    """A connection that is being opened, a ping excepted."""
    retries: Retries | None = None
    """What is left of the retry cycle; None when the last start was good."""
    retry_at: float | None = None
    """When the next attempt begins, seconds since the epoch."""
    requesting: bool = False
    """A requester has asked its partner to call back."""
    store_failed: bool = False
    """The running end was ended because the store did not take a record."""
    settling: int = 0
    """Commits of a sending end under way; a new one begins after them."""
    when_settled: list[Callable[[float], None]] = field(default_factory=list)

    @property
    def active(self) -> bool:
        """Whether a connection runs or is being opened."""
        return bool(self.receiving or self.clients) or self.sending is not None or self.attempt is not None

    def ends(self) -> list[ChannelInstance]:
        """Everything that runs."""
        return [*self.receiving, *self.clients, *([self.sending] if self.sending is not None else [])]

    @property
    def retrying(self) -> bool:
        """Waiting for the next attempt."""
        return self.retry_at is not None

    def settled(self, now: float) -> None:
        """A commit of the sending end has ended."""
        self.settling -= 1
        if not self.settling:
            actions, self.when_settled = self.when_settled, []
            for action in actions:
                action(now)
