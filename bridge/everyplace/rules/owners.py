"""What a rule may know and do (E-491): its queue manager and queues, with limited access."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from mqbridge.bridge.everyplace.definitions.queue_kinds import QueueKind
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.message import Message
from mqbridge.protocol.everyplace.names import Address


class RuleRefusal(EveryplaceError):
    """What a rule raises to refuse an operation on purpose; the caller gets code RULE (E-490)."""

    def __init__(self, text: str) -> None:
        super().__init__(Code.RULE, text)

    def __reduce__(self) -> tuple[type[RuleRefusal], tuple[str]]:  # type: ignore[override]
        return type(self), (self.text,)


class RuledQueue(Protocol):
    """A queue as rules see it."""

    @property
    def name(self) -> str:
        """Its name."""
        ...

    @property
    def owner(self) -> str:
        """The queue manager that has the real queue."""
        ...

    @property
    def kind(self) -> QueueKind:
        """Its kind."""
        ...

    @property
    def priority(self) -> int:
        """Of messages that have none."""
        ...

    @property
    def size(self) -> int:
        """How many messages it holds, in every state; 0 for one that stores none."""
        ...


class RuleOwner(Protocol):
    """The queue manager as rules see it."""

    @property
    def name(self) -> str:
        """Its name."""
        ...

    @property
    def dead_letter_queue(self) -> str:
        """The name of its dead-letter queue."""
        ...

    def ruled_queues(self) -> Iterable[RuledQueue]:
        """Return its queues."""
        ...

    def trigger(self, now: float) -> None:
        """Try to send everything that waits (E-211). ``now``: seconds since 1970."""
        ...

    def put(self, address: Address, message: Message, now: float) -> None:
        """Put a message. Raises `EveryplaceError` if that is refused at once."""
        ...
