"""Where the two ends of a message channel stand, by the tables of the live machines (``protocol.channel.states``).

What an end may send is what the other end's table knows: segments of the sender are looked up in the receiver's table,
answers in the sender's. Steps that only the ends themselves see (records made durable) are taken with the segment that
follows them. A segment that is not in the table is taken as the truth: both go on where it leads.
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
"""Where sender and receiver stand after a segment, whatever was before."""

CERTAIN: Final = frozenset((Trigger.MESSAGE, Trigger.CONFIRM_ASKED, Trigger.CONFIRMED, Trigger.VALUES_CHANGED))
"""Steps whose place is a known fact; that of the others is inferred (mq-wire.md 7.3 to 7.8)."""


@final
class EndpointStates:
    """``sender``, ``receiver``: states of the two ends, None where lost bytes leave them open."""

    __slots__ = ("receiver", "sender")

    def __init__(self, known: bool) -> None:
        self.sender: State | None = State.NEGOTIATING if known else None
        self.receiver: State | None = self.sender

    def start(self) -> None:
        """Both ends agree on their values."""
        self.sender, self.receiver = State.RUNNING, State.STARTED

    def forget(self) -> None:
        """Bytes were lost that may have changed anything."""
        self.sender = self.receiver = None

    def sent(self, trigger: Trigger) -> State | None:
        """The sending end takes a step; the state of the receiver that does not know it, or None."""
        return self._take(trigger, RECEIVER, self.receiver)

    def answered(self, trigger: Trigger) -> State | None:
        """The receiving end takes a step; the state of the sender that does not know it, or None."""
        return self._take(trigger, SENDER, self.sender)

    def _take(self, trigger: Trigger, table: Table, state: State | None) -> State | None:
        leads = _LEADS.get(trigger)
        if leads is not None:
            self.sender, self.receiver = leads
        elif self.sender is not None:
            self.sender = SENDER[self.sender].get(trigger, self.sender)
        return state if state is not None and trigger not in table[state] else None


def expected_steps(trigger_known_to: State, by_sender: bool) -> tuple[str, ...]:
    """What an end in a state takes, in words; ``by_sender``: the state is that of the receiver."""
    table = RECEIVER if by_sender else SENDER
    return tuple(trigger.value for trigger in table[trigger_known_to] if trigger is not Trigger.END)
