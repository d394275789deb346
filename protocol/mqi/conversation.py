"""One conversation of a connection: its state, its call, its handles and deliveries."""

from __future__ import annotations

from mqbridge.protocol.constants import ConnectionState

from .calls import Call
from .delivery import Delivery
from .reassembly import PartialCall
from .states import CONVERSATION, ConversationState, ConversationTrigger


class Conversation:
    """A program's connection to the queue manager."""

    __slots__ = (
        "deliveries",
        "global_index",
        "handles",
        "id",
        "listening",
        "partial",
        "shared",
        "state",
        "waiting",
    )

    def __init__(self, conversation_id: int, *, shared: bool) -> None:
        self.id = conversation_id
        self.shared = shared
        """Whether its segments name it (TSHM)."""
        self.state = ConversationState.STARTED
        self.waiting: Call | None = None
        """The call that waits for its reply."""
        self.partial: PartialCall | None = None
        """A call that has come in part."""
        self.handles: set[int] = set()
        """Handles that the client was given and has not closed."""
        self.deliveries: dict[int, Delivery] = {}
        """By handle."""
        self.listening = int(ConnectionState.STOPPED)
        """Whether messages may go to listeners."""
        self.global_index = 0
        """Messages sent so far."""

    def step(self, trigger: ConversationTrigger) -> bool:
        """Take a step; False where the table has none."""
        following = CONVERSATION[self.state].get(trigger)
        if following is None:
            return False
        self.state = following
        return True

    @property
    def ended(self) -> bool:
        """Whether it is over."""
        return self.state is ConversationState.ENDED

    def end(self) -> None:
        """It is over: nothing is sent for it any more."""
        self.step(ConversationTrigger.END)
        self.waiting = self.partial = None
        for delivery in self.deliveries.values():
            delivery.close(delivery.message_index)

    def opened(self, handle: int) -> None:
        """The client was given a handle; messages of an earlier object of that number are no more."""
        self.handles.add(handle)
        self.deliveries.pop(handle, None)

    def forget(self, handle: int) -> None:
        """A handle was closed."""
        self.handles.discard(handle)
        self.deliveries.pop(handle, None)
