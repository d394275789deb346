"""A transmission-queue listener: reads one transmission queue of MQ and places what is on it (E-418 to E-422).

It waits at the queue, takes what is there up to the flows per commit, and has it placed together (`delivery`). A
message that cannot be placed ends the batch before it; at the head of a batch the rule decides about it.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum, unique
from typing import Final, Protocol

from mqbridge.bridge.agents.everyplace.mq.delivery import Delivery
from mqbridge.bridge.agents.everyplace.mq.incoming import Arrived, Placement
from mqbridge.bridge.agents.everyplace.mq.program import GetOutcome, MqFailure, MqProgram, PutOutcome, Wanted
from mqbridge.bridge.agents.everyplace.mq.reasons import may_pass
from mqbridge.bridge.agents.everyplace.mq.steps import Steps
from mqbridge.bridge.agents.everyplace.mq.undelivered import reason_of
from mqbridge.bridge.agents.everyplace.mq.way import Way
from mqbridge.bridge.everyplace.changes import Unsettled
from mqbridge.bridge.everyplace.definitions import bridge_properties as rows
from mqbridge.bridge.everyplace.definitions.bridge_definition import BridgeDefinition
from mqbridge.bridge.everyplace.queue_manager import QueueManager
from mqbridge.bridge.everyplace.rules.bridge_rules import (
    Disposal,
    RetryAfter,
    UndeliveredMessage,
    UndeliveredMessageRule,
)
from mqbridge.mappings.everyplace.transformer import Transformer
from mqbridge.mappings.moment import Time
from mqbridge.protocol.constants import MQRC
from mqbridge.protocol.everyplace.calls import Refused
from mqbridge.protocol.everyplace.errors import EveryplaceError

FIRST_PAUSE: Final = 1.0
LONGEST_PAUSE: Final = 60.0
"""Seconds after which a listener tries again that MQ has sent away."""


@unique
class State(Enum):
    """What a listener does."""

    STOPPED = "stopped"
    WORKING = "working"
    """It waits for a message, or places what it has."""
    PAUSED = "paused"


class ListenerOwner(Protocol):
    """Who has started a listener."""

    def listener_ends(self, listener: Listener, why: str, *, again: bool) -> None:
        """It has stopped by itself; ``again``: it may be started again when MQ is back."""
        ...


class Listener:
    """One listener. ``transformer``, ``rule``: those of its definition."""

    def __init__(
        self,
        definition: BridgeDefinition,
        way: Way,
        manager: QueueManager,
        delivery: Delivery,
        transformer: Transformer,
        rule: UndeliveredMessageRule,
        owner: ListenerOwner,
    ) -> None:
        self.definition = definition
        self.way = way
        self._manager = manager
        self._delivery = delivery
        self._transformer = transformer
        self._rule = rule
        self._owner = owner
        self._program: MqProgram | None = None
        self._state = State.STOPPED
        self._most = definition.value(rows.FLOWS_PER_COMMIT)
        self._arrived: list[Arrived] = []
        self._tries = 0
        self._due: float | None = None
        self._committing = False
        self._steps = Steps()
        self.since = way.host.now
        """When it was started."""

    @property
    def name(self) -> str:
        """Of its transmission queue."""
        return self.definition.name

    @property
    def quiet(self) -> bool:
        """Whether nothing of it is being committed."""
        return not self._committing

    @property
    def next_timeout(self) -> float | None:
        """When `timeout` is due; None for never."""
        return self._due

    # What its owner calls

    def start(self) -> None:
        """Begin to read."""
        self._state = State.WORKING
        self.way.pool.acquire("", self._acquired)

    def stop(self) -> None:
        """Read no more; what is not committed stays on the transmission queue."""
        if self._state is State.STOPPED:
            return
        self._state = State.STOPPED
        self._due = None
        if self._program is not None and not self._committing:
            self._program.stop_waiting()
            self._leave()

    def timeout(self, now: Time) -> None:
        """Go on after a pause, if it is over."""
        if self._due is not None and now >= self._due:
            self._due = None
            if self._state is State.PAUSED:
                self._state = State.WORKING
                self._read()

    # The program

    def _acquired(self, found: MqProgram | Refused) -> None:
        if isinstance(found, Refused):
            self._ended(found.text, again=True)
            return
        self._program = found
        if self._state is State.STOPPED:
            self._leave()
        else:
            self._delivery.begin(found, self._begun)

    def _begun(self, refused: Refused | None) -> None:
        if self._state is State.STOPPED:
            self._leave()
        elif refused is not None:
            self._ended(refused.text, again=True)
        else:
            self._read()

    def _leave(self) -> None:
        """Back out, and give the program back."""
        program, self._program = self._program, None
        self._arrived.clear()
        if program is not None:
            program.back_out(lambda _: self.way.pool.release(program, self.way.host.now))

    def _ended(self, why: str, *, again: bool) -> None:
        self._state = State.STOPPED
        self._leave()
        self._owner.listener_ends(self, why, again=again)

    def _failed(self, failure: MqFailure) -> None:
        """MQ does not go on."""
        why = f"{self.name}: MQ says {failure.reason} {failure.text}".rstrip()
        self._ended(why, again=may_pass(failure))

    # Reading

    def _read(self) -> None:
        program = self._program
        assert program is not None, "it reads while it has a program"
        wait = 0.0 if self._arrived else float(self.definition.value(rows.WAIT))
        self._steps.go(lambda: program.get(Wanted(self.name, wait=wait, exclusive=True), self._got))

    def _got(self, outcome: GetOutcome) -> None:
        if self._state is State.STOPPED:
            return
        if not isinstance(outcome, MqFailure):
            self._arrived.append(Arrived(outcome.message))
            if len(self._arrived) < self._most:
                self._read()
                return
        elif outcome.reason != MQRC.NO_MSG_AVAILABLE:
            self._failed(outcome)
            return
        if self._arrived:
            self._place()
        else:
            self._read()

    # Placing

    def _place(self) -> None:
        """Place what has arrived, up to the first message that cannot be."""
        placement = Placement(self._manager, self._delivery.confirm)
        now = self.way.host.date
        for index, arrived in enumerate(self._arrived):
            try:
                placement.add(arrived, self._transformer, now)
            except Unsettled:
                placement.ended(committed=False)
                self._pause(FIRST_PAUSE)
                return
            except EveryplaceError as error:
                placement.ended(committed=False)
                if index:
                    self._most = index
                    self._back_out(self._read)
                else:
                    self._undelivered(arrived, error)
                return
        self._committing = True
        self._delivery.deliver(placement, self._delivered)

    def _delivered(self, refused: Refused | None) -> None:
        self._committing = False
        self._arrived.clear()
        self._tries = 0
        self._most = self.definition.value(rows.FLOWS_PER_COMMIT)
        self.way.host.moved()
        if self._state is State.STOPPED:
            self._leave()
        elif refused is not None:
            self._ended(refused.text, again=True)
        else:
            self._read()

    def _back_out(self, then: Callable[[], None]) -> None:
        """Return to the transmission queue what was taken off it; ``then`` goes on."""
        program = self._program
        assert program is not None, "it has got messages by it"
        self._arrived.clear()

        def backed_out(outcome: PutOutcome) -> None:
            if self._state is State.STOPPED:
                self._leave()
            elif isinstance(outcome, MqFailure):
                self._failed(outcome)
            else:
                then()

        program.back_out(backed_out)

    def _pause(self, seconds: float) -> None:
        self._state = State.PAUSED
        self._due = self.way.host.now + seconds
        self._back_out(lambda: None)

    # Undelivered messages

    def _undelivered(self, arrived: Arrived, error: EveryplaceError) -> None:
        self._tries += 1
        message_id = arrived.message.md.msg_id
        found = UndeliveredMessage((error.code,), arrived.address, self._tries, message_id)
        decision = self._rule.undelivered(found)
        text = f"{message_id.hex()} for {arrived.address} cannot be delivered: {error.text}"
        if isinstance(decision, RetryAfter):
            self._most = 1
            self._pause(decision.seconds)
        elif decision is Disposal.STOP_LISTENER:
            self.way.host.alarm(self.name, text)
            self._ended(text, again=False)
        else:
            self._dispose(arrived, error, text)

    def _dispose(self, arrived: Arrived, error: EveryplaceError, text: str) -> None:
        """Have MQ discard the message or put it on its dead-letter queue, and commit that alone."""
        program = self._program
        assert program is not None, "it has got the message by it"
        if len(self._arrived) > 1:
            self._most = 1
            self._tries -= 1
            self._back_out(self._read)
            return

        def disposed(outcome: PutOutcome) -> None:
            if isinstance(outcome, MqFailure):
                self.way.host.alarm(self.name, f"{text}, and MQ does not take it back: {outcome.reason}")
                self._ended(text, again=False)
                return
            self.way.host.alarm(self.name, "; ".join(filter(None, (text, outcome.but))))
            self._committing = True
            self._delivery.deliver(Placement(self._manager, 0), self._delivered)

        queue = self.definition.value(rows.DEAD_LETTER_QUEUE)
        destination = arrived.address.queue, arrived.address.queue_manager
        program.dispose(arrived.message, reason_of(error), destination, queue, disposed)
