"""Calls of programs that another queue manager is to do (E-128, E-192, E-195)."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from mqbridge.bridge.everyplace.effects import AskPartner
from mqbridge.bridge.everyplace.queues.queue import Queue
from mqbridge.protocol.everyplace.calls import Outcome, Refused
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.uid import MessageUid

from .calling_line import CallingLine
from .context import Context
from .sent_call import SentCall


class _Waiting(NamedTuple):
    """A call that waits for the connection."""

    number: int
    ask: AskPartner


class AskedCalls:
    """Calls to the queue manager at the end of the connection ``name``. ``check``: raises `EveryplaceError` for a queue
    that demands more than the channel gives."""

    def __init__(self, name: str, context: Context, check: Callable[[Queue], None]) -> None:
        self._check = check
        self._name = name
        self._context = context
        self._waiting: deque[_Waiting] = deque()
        self._sent: dict[int, AskPartner] = {}
        self._number = 0

    def add(self, ask: AskPartner) -> None:
        """Make a call when the connection is there, if that is soon."""
        self._number += 1
        waiting = _Waiting(self._number, ask)
        self._waiting.append(waiting)
        limit = self._context.settings.call
        self._context.timers.after((self, waiting.number), limit, partial(self._too_late, waiting))

    @property
    def waiting(self) -> bool:
        """Whether a call waits for the connection."""
        return bool(self._waiting)

    @property
    def sent(self) -> bool:
        """Whether a call waits for its outcome."""
        return bool(self._sent)

    def go_on(self, line: CallingLine) -> None:
        """Send what waits."""
        while self._waiting and not line.ended:
            number, ask = self._waiting.popleft()
            if not self._is_allowed(number, ask):
                continue
            self._context.timers.after((self, number), self._context.settings.outcome, partial(self._unknown, number))
            self._sent[number] = ask
            SentCall(line, MessageUid(self._context.manager.name, number), ask.call, partial(self._answered, number))

    def not_reached(self, error: EveryplaceError) -> None:
        """There is no connection: nothing of what waits is done."""
        waiting, self._waiting = self._waiting, deque()
        for number, ask in waiting:
            self._context.timers.clear((self, number))
            ask.then(Refused(error.code, f"not done, {self._name} is not reached: {error.text}"))

    def cut(self) -> None:
        """The connection is gone: nobody knows what became of the calls that were sent."""
        sent, self._sent = self._sent, {}
        for number, ask in sent.items():
            self._context.timers.clear((self, number))
            text = f"the connection to {self._name} was lost: it is not known whether the call was done"
            ask.then(Refused(Code.OUTCOME_UNKNOWN, text))

    def _is_allowed(self, number: int, ask: AskPartner) -> bool:
        """Whether the channel gives what the queue demands; the call is refused otherwise, with an alarm (E-445)."""
        if ask.queue is None:
            return True
        alarms, key = self._context.alarms, (self, "channel", str(ask.queue))
        try:
            self._check(ask.queue)
        except EveryplaceError as error:
            alarms.raise_for(key, str(ask.queue), error.text)
            self._context.timers.clear((self, number))
            ask.then(Refused(error.code, f"not done: {error.text}"))
            return False
        alarms.clear(key)
        return True

    def _answered(self, number: int, outcome: Outcome) -> None:
        ask = self._sent.pop(number, None)
        if ask is not None:
            self._context.timers.clear((self, number))
            ask.then(outcome)

    def _unknown(self, number: int) -> None:
        limit = self._context.settings.outcome
        text = f"{self._name} has said nothing for {limit:g} seconds: it is not known whether the call was done"
        self._answered(number, Refused(Code.OUTCOME_UNKNOWN, text))

    def _too_late(self, waiting: _Waiting) -> None:
        if waiting in self._waiting:
            self._waiting.remove(waiting)
            text = f"not done, {self._name} was not reached within {self._context.settings.call:g} seconds"
            waiting.ask.then(Refused(Code.ADAPTER_EXCEPTION, text))
