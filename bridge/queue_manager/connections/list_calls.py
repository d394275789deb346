"""MQOPEN, MQPUT and MQPUT1 of a distribution list through a connection."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from mqbridge.bridge.queue_manager.errors import MQError
from mqbridge.bridge.queue_manager.opening import Handle
from mqbridge.bridge.queue_manager.options import PutOptions
from mqbridge.mappings.message import Message
from mqbridge.protocol.constants import MQOO, MQPMO, MQRC

from .asynchronous_puts import PutNames
from .lists import Answer, DistributionList, ListOutcome, check_list, outcome_of
from .put_calls import PutCalls

Told = Callable[[ListOutcome], None]
"""Told once, when every destination has its answer."""

_ASYNC: Final = int(MQPMO.ASYNC_RESPONSE)
_SYNCPOINT: Final = int(MQPMO.SYNCPOINT)


class ListCalls(PutCalls):
    """The calls of a connection on distribution lists."""

    __slots__ = ()

    def open_list(
        self, names: Sequence[tuple[str, str]], *, options: int, now: float, alternate_user: str = ""
    ) -> tuple[int, ListOutcome]:
        """Opens queues by name and queue manager as one; the handle, and how each of them fared.

        Where all have failed there is no handle (-1). Raises `MQError` 2017, 2045, 2046, 2154 for the whole call.
        """
        self._enter(options & MQOO.FAIL_IF_QUIESCING)
        check_list(len(names), options)
        self.handles.require_room()
        opened, outcome = self._open_all(names, options, now, alternate_user)
        if outcome.invalid == len(names):
            return -1, outcome
        return self.handles.add(opened), outcome

    def _open_all(
        self, names: Sequence[tuple[str, str]], options: int, now: float, alternate_user: str
    ) -> tuple[DistributionList, ListOutcome]:
        opened = DistributionList([], options, lambda handle, at: self._manager.close(handle, 0, at))
        for name, manager_name in names:
            try:
                opened.destinations.append(self._open_one(name, manager_name, options, now, alternate_user))
            except MQError as error:
                opened.destinations.append(Answer.of(error))
        answers = [Answer() if isinstance(each, Handle) else each for each in opened.destinations]
        return opened, outcome_of(opened.destinations, answers)

    def _open_one(self, name: str, manager_name: str, options: int, now: float, alternate_user: str) -> Handle:
        if self._manager.resolve(name, manager_name).model is not None:
            raise MQError(MQRC.Q_TYPE_ERROR, f"{name} is a model queue")
        return self._open_queue(name, manager_name, options, now, "", "", alternate_user)

    def list_of(self, hobj: int) -> DistributionList | None:
        """The open list of a handle; None for a handle of something else, or of nothing."""
        opened = self.handles.get(hobj) if hobj in self.handles else None
        return opened if isinstance(opened, DistributionList) else None

    def put_list(
        self,
        opened: DistributionList,
        messages: Sequence[Message],
        options: PutOptions,
        now: float,
        then: Told,
        *,
        context: int = 0,
    ) -> None:
        """MQPUT: one message to each destination; ``then`` is told how they fared, once all is on disk.

        A destination that could not be opened fails with 2137. Raises `MQError` 2154 where a message is missing.
        """
        if len(messages) != len(opened.destinations):
            raise MQError(MQRC.RECS_PRESENT_ERROR, f"{len(messages)} messages")
        if options.options & _ASYNC:
            for destination, message in zip(opened.destinations, messages, strict=True):
                names = _names_of(destination, self._manager.name)
                self._unawaited(names, options, partial(self._put_to, destination, message, options, now, context))
            return
        answers = _Answers(opened, then)
        for index, (destination, message) in enumerate(zip(opened.destinations, messages, strict=True)):
            waits = not options.options & _SYNCPOINT
            try:
                done = partial(answers.stored, index) if waits else None
                answers.placed(index, self._put_to(destination, message, options, now, context, done))
            except MQError as error:
                answers.failed(index, error)
                continue
            if not waits:
                answers.stored(index, None)

    def _put_to(
        self,
        destination: Handle | Answer,
        message: Message,
        options: PutOptions,
        now: float,
        context: int,
        then: Callable[[MQError | None], None] | None,
    ) -> int:
        if not isinstance(destination, Handle):
            raise MQError(MQRC.OPEN_FAILED, str(destination.reason))
        return self._put_through(destination, message, options, now, then, context)

    def put1_list(
        self,
        names: Sequence[tuple[str, str]],
        messages: Sequence[Message],
        options: PutOptions,
        now: float,
        then: Told,
        *,
        context: int = 0,
        open_options: int,
        alternate_user: str = "",
    ) -> None:
        """MQPUT1: opens, puts and closes; a destination that cannot be opened has the reason of that."""
        self._enter(open_options & MQOO.FAIL_IF_QUIESCING)
        check_list(len(names), open_options)
        opened, outcome = self._open_all(names, open_options, now, alternate_user)
        destinations = list(opened.destinations)
        options = replace(options, options=options.options & ~int(MQPMO.ALTERNATE_USER_AUTHORITY))

        def told(put: ListOutcome) -> None:
            answers = [
                before if before.failed else after for before, after in zip(outcome.answers, put.answers, strict=True)
            ]
            then(outcome_of(destinations, answers))

        try:
            self.put_list(opened, messages, options, now, told, context=context)
        finally:
            opened.close_at_end(now)


def _names_of(destination: Handle | Answer, manager_name: str) -> PutNames:
    if not isinstance(destination, Handle):
        return PutNames()
    return PutNames(destination.object_name, manager_name, *destination.target.resolved())


class _Answers:
    """Gathers what comes of the puts of one call: each is placed, and stored, in whatever order."""

    __slots__ = ("_answers", "_destinations", "_left", "_then", "_warnings")

    def __init__(self, opened: DistributionList, then: Told) -> None:
        self._destinations = list(opened.destinations)
        self._answers: dict[int, Answer] = {}
        self._warnings: dict[int, int] = {}
        self._left = set(range(len(self._destinations)))
        self._then = then

    def placed(self, index: int, warning: int) -> None:
        """The queue manager has taken it."""
        self._warnings[index] = warning
        self._settle(index)

    def stored(self, index: int, error: MQError | None) -> None:
        """The store has answered."""
        self._answers[index] = Answer() if error is None else Answer.of(error)
        self._settle(index)

    def failed(self, index: int, error: MQError) -> None:
        """The queue manager has refused it."""
        self._warnings[index] = 0
        self.stored(index, error)

    def _settle(self, index: int) -> None:
        if index not in self._left or index not in self._answers or index not in self._warnings:
            return
        self._left.remove(index)
        if self._warnings[index] and not self._answers[index].failed:
            self._answers[index] = Answer.warning(self._warnings[index])
        if not self._left:
            answers = [self._answers[each] for each in range(len(self._destinations))]
            self._then(outcome_of(self._destinations, answers))
