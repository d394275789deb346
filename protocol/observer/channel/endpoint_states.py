"""States of the two ends of a message channel, by the tables of the live machines (``protocol.channel.states``).

What an end may send is what the other end's table accepts: segments of the sender are looked up in the receiver's
table, answers in the sender's. Transitions that only the ends themselves see (durable records) are made with the next
segment. A segment that is not in the table is accepted: both ends continue in the state that it leads to.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, final

from mqbridge.protocol.channel.states import RECEIVER, SENDER, State, Table, Trigger

_LEADS: Final[Mapping[Trigger, tuple[State, State | None]]] = {
    Trigger.RESYNC_ASKED: (State.RESYNCHRONISING, State.STARTED),
    Trigger.RESET_ASKED: (State.RESETTING, State.RECORDING),
    Trigger.PING: (State.PINGING, State.STARTED),
    Trigger.MESSAGE: (State.BATCH, State.BATCH),
    Trigger.MESSAGE_PART: (State.BATCH, State.PARTIAL),
    Trigger.CONFIRM_ASKED: (State.CONFIRMING, State.CONFIRMING),
    Trigger.RESYNC_ANSWERED: (State.RUNNING, State.STARTED),
    Trigger.RESET_ANSWERED: (State.RUNNING, State.STARTED),
    Trigger.CONFIRMED: (State.RUNNING, State.RUNNING),
}
"""States of sender and receiver after a segment, whatever they were before."""

CERTAIN: Final = frozenset((Trigger.MESSAGE, Trigger.CONFIRM_ASKED, Trigger.CONFIRMED, Trigger.VALUES_CHANGED))
"""Triggers whose place in the sequence is known; that of the others is inferred (mq-wire.md 7.3 to 7.8)."""


@final
class EndpointStates:
    """``sender``, ``receiver``: states of the two ends, None if lost bytes leave them unknown."""

    __slots__ = ("receiver", "sender")

    def __init__(self, known: bool) -> None:
        self.sender: State | None = State.NEGOTIATING if known else None
        self.receiver: State | None = self.sender

    def start(self) -> None:
        """Note that both ends have agreed on their values."""
        self.sender, self.receiver = State.RUNNING, State.STARTED

    def forget(self) -> None:
        """Note lost bytes that may have changed the states."""
        self.sender = self.receiver = None

    def sent(self, trigger: Trigger) -> State | None:
        """Make a transition of the sending end; return the receiver's state if that does not accept it, else None."""
        return self._take(trigger, RECEIVER, self.receiver)

    def answered(self, trigger: Trigger) -> State | None:
        """Make a transition of the receiving end; return the sender's state if that does not accept it, else None."""
        return self._take(trigger, SENDER, self.sender)

    def _take(self, trigger: Trigger, table: Table, state: State | None) -> State | None:
        leads = _LEADS.get(trigger)
        if leads is not None:
            self.sender, self.receiver = leads
        elif self.sender is not None:
            self.sender = SENDER[self.sender].get(trigger, self.sender)
        return state if state is not None and trigger not in table[state] else None


def expected_steps(trigger_known_to: State, by_sender: bool) -> tuple[str, ...]:
    """Return what an end in a state accepts, in words; ``by_sender``: the state is that of the receiver."""
    table = RECEIVER if by_sender else SENDER
    return tuple(trigger.value for trigger in table[trigger_known_to] if trigger is not Trigger.END)
