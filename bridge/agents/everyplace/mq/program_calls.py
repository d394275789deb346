"""Calls of programs on bridge queues: put, get and browse at once (E-405 to E-416)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from mqbridge.bridge.agents.everyplace.mq.assured_puts import AssuredPuts
from mqbridge.bridge.agents.everyplace.mq.outgoing import Outgoing, put_outgoing
from mqbridge.bridge.agents.everyplace.mq.program import (
    GetOutcome,
    MqFailure,
    MqProgram,
    PutOutcome,
    Take,
    Wanted,
)
from mqbridge.bridge.agents.everyplace.mq.reasons import refused
from mqbridge.bridge.agents.everyplace.mq.steps import Steps
from mqbridge.bridge.agents.everyplace.mq.way import Way
from mqbridge.bridge.everyplace.effects import AskMq, Then
from mqbridge.bridge.everyplace.elsewhere import TargetElsewhere
from mqbridge.bridge.everyplace.queues.queue import Queue
from mqbridge.mappings.everyplace.transformer import Transformer
from mqbridge.protocol.constants import MQRC
from mqbridge.protocol.everyplace.calls import (
    MAX_BROWSED,
    Browse,
    Browsed,
    ConfirmPut,
    Done,
    Get,
    Got,
    Outcome,
    Put,
    Refused,
    Undo,
)
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.field_types import FieldType
from mqbridge.protocol.everyplace.fields import Fields
from mqbridge.protocol.everyplace.filters import Filter, matches
from mqbridge.protocol.everyplace.message import Message
from mqbridge.protocol.everyplace.mq_style import ID_LENGTH
from mqbridge.protocol.everyplace.reserved import CORREL_ID, MSG_ID

Release = Callable[[], None]
_BYTES: Final = (FieldType.BYTE_ARRAY, FieldType.UNTYPED)


class BridgeQueueCalls:
    """``find``: the way of a bridge queue; raises `EveryplaceError` while a part of it is stopped."""

    def __init__(self, find: Callable[[Queue], Way], assured: AssuredPuts) -> None:
        self._find = find
        self._assured = assured

    def ask(self, effect: AskMq) -> None:
        """Make a call; ``effect.then`` gets its outcome."""
        call = effect.call
        try:
            way = self._find(effect.queue)
            target = TargetElsewhere(effect.queue, effect.address)
            match call:
                case Put(confirm=0):
                    self._put(way, Outgoing(way, target, call.message), effect)
                case Put():
                    self._assured.put(way, target, call, effect.peer, effect.then)
                case ConfirmPut():
                    self._assured.confirm(way, effect.queue, call.uid, effect.then)
                case Undo():
                    self._assured.undo(way, call.confirm, effect.then)
                case Get():
                    if call.confirm:
                        raise _unsupported(effect.queue, "get with confirm id; a listener brings messages assured")
                    self._search(way, target, call.wanted, effect)
                case Browse():
                    if call.uids_only:
                        raise _unsupported(effect.queue, "browse of UIDs alone, because messages of MQ have none")
                    _Browser(way, target, _Selection(call.wanted, effect), effect)
                case _:
                    raise _unsupported(effect.queue, type(call).__name__)
        except EveryplaceError as error:
            effect.then(Refused(error.code, error.text))

    def _put(self, way: Way, outgoing: Outgoing, effect: AskMq) -> None:
        def acquired(found: MqProgram | Refused) -> None:
            if isinstance(found, Refused):
                effect.then(found)
            else:
                put_outgoing(found, outgoing, lambda outcome: put(found, outcome))

        def put(program: MqProgram, outcome: PutOutcome) -> None:
            if isinstance(outcome, MqFailure):
                _give_up(way, program, effect.then, refused(outcome, str(effect.address)))
            else:
                program.commit((), lambda outcome: committed(program, outcome))

        def committed(program: MqProgram, outcome: PutOutcome) -> None:
            way.pool.release(program, way.host.now)
            effect.then(refused(outcome, str(effect.address)) if isinstance(outcome, MqFailure) else Done())

        way.pool.acquire(effect.peer, acquired)

    def _search(self, way: Way, target: TargetElsewhere, wanted: Fields, effect: AskMq) -> None:
        selection = _Selection(wanted, effect)
        if len(selection.rest):
            _Searcher(way, target, selection, effect)
        else:
            _Getter(way, target, selection, effect)


class _Selection:
    """A filter: what MQ selects by, and the rest, for messages that were transformed (E-411).

    Raises `EveryplaceError` NOT_SUPPORTED for a lock, BRIDGE_ID_TOO_LONG.
    """

    __slots__ = ("correl_id", "msg_id", "rest")

    def __init__(self, wanted: Fields, effect: AskMq) -> None:
        if Filter(wanted).lock_id:
            raise _unsupported(effect.queue, "locks")
        self.rest = wanted.copy()
        self.msg_id = _taken(self.rest, MSG_ID)
        self.correl_id = _taken(self.rest, CORREL_ID)

    def wanted(self, queue: str, take: Take, *, removes: bool = False) -> Wanted:
        """What is asked of MQ."""
        if take is Take.UNDER_CURSOR:
            return Wanted(queue, take, removes=removes)
        return Wanted(queue, take, removes=removes, msg_id=self.msg_id, correl_id=self.correl_id)


def _taken(fields: Fields, name: str) -> bytes:
    """Take an id off a filter, as the 24 bytes of a descriptor."""
    if name not in fields:
        return b""
    value: bytes = fields.get(name, *_BYTES) or b""
    if len(value) > ID_LENGTH:
        raise EveryplaceError(Code.BRIDGE_ID_TOO_LONG, f"{name} has {len(value)} bytes; MQ's have {ID_LENGTH}")
    fields.delete(name)
    return value.ljust(ID_LENGTH, b"\0")


class _Reading:
    """A call that reads a queue of MQ."""

    def __init__(self, way: Way, target: TargetElsewhere, selection: _Selection, effect: AskMq) -> None:
        self.way = way
        self.selection = selection
        self.effect = effect
        self.queue = way.destination(target)[0]
        self.transformer: Transformer = way.transformer_of(target)
        self.steps = Steps()

    def begin(self, then: Callable[[MqProgram], None]) -> None:
        """Have a program."""

        def acquired(found: MqProgram | Refused) -> None:
            if isinstance(found, Refused):
                self.effect.then(found)
            else:
                then(found)

        self.way.pool.acquire(self.effect.peer, acquired)

    def message(self, outcome: GetOutcome) -> Message | None:
        """Return a message that was read, if it fits the rest of the filter; None also for one of another form."""
        assert not isinstance(outcome, MqFailure)
        try:
            found = self.transformer.from_mq(outcome.message, self.effect.address, self.way.host.date)
        except EveryplaceError:
            return None
        return found if matches(self.selection.rest, found) else None

    def fail(self, program: MqProgram, failure: MqFailure) -> None:
        """End with what MQ says."""
        _give_up(self.way, program, self.effect.then, refused(failure, str(self.effect.address)))

    def end(self, program: MqProgram, outcome: Outcome) -> None:
        """Commit, and answer."""

        def committed(result: PutOutcome) -> None:
            self.way.pool.release(program, self.way.host.now)
            failed = isinstance(result, MqFailure)
            self.effect.then(refused(result, str(self.effect.address)) if failed else outcome)  # type: ignore[arg-type]

        program.commit((), committed)


class _Getter:
    """Gets the first message that MQ selects."""

    def __init__(self, way: Way, target: TargetElsewhere, selection: _Selection, effect: AskMq) -> None:
        self._reading = _Reading(way, target, selection, effect)
        self._reading.begin(self._get)

    def _get(self, program: MqProgram) -> None:
        reading = self._reading

        def got(outcome: GetOutcome) -> None:
            if isinstance(outcome, MqFailure):
                reading.fail(program, outcome)
                return
            found = reading.message(outcome)
            if found is None:
                text = f"a message on {reading.effect.address} cannot be transformed"
                _give_up(reading.way, program, reading.effect.then, Refused(Code.DATA, text))
            else:
                reading.end(program, Got(found))

        program.get(reading.selection.wanted(reading.queue, Take.GET), got)


class _Searcher:
    """Browses until a message fits the rest of the filter, and gets that one (E-411, E-412)."""

    def __init__(self, way: Way, target: TargetElsewhere, selection: _Selection, effect: AskMq) -> None:
        self._reading = _Reading(way, target, selection, effect)
        self._found: Message | None = None
        self._reading.begin(lambda program: self._look(program, Take.BROWSE_FIRST))

    def _look(self, program: MqProgram, take: Take) -> None:
        reading = self._reading
        wanted = reading.selection.wanted(reading.queue, take, removes=True)
        reading.steps.go(lambda: program.get(wanted, lambda outcome: self._browsed(program, outcome)))

    def _browsed(self, program: MqProgram, outcome: GetOutcome) -> None:
        if isinstance(outcome, MqFailure):
            self._reading.fail(program, outcome)
            return
        self._found = self._reading.message(outcome)
        if self._found is None:
            self._look(program, Take.BROWSE_NEXT)
            return
        wanted = self._reading.selection.wanted(self._reading.queue, Take.UNDER_CURSOR, removes=True)
        program.get(wanted, lambda outcome: self._got(program, outcome))

    def _got(self, program: MqProgram, outcome: GetOutcome) -> None:
        if not isinstance(outcome, MqFailure):
            assert self._found is not None
            self._reading.end(program, Got(self._found))
        elif outcome.reason == MQRC.NO_MSG_UNDER_CURSOR:  # somebody else has got it
            self._look(program, Take.BROWSE_NEXT)
        else:
            self._reading.fail(program, outcome)


class _Browser:
    """Browses all messages that fit."""

    def __init__(self, way: Way, target: TargetElsewhere, selection: _Selection, effect: AskMq) -> None:
        self._reading = _Reading(way, target, selection, effect)
        self._found: list[Message] = []
        self._reading.begin(lambda program: self._look(program, Take.BROWSE_FIRST))

    def _look(self, program: MqProgram, take: Take) -> None:
        reading = self._reading
        wanted = reading.selection.wanted(reading.queue, take)
        reading.steps.go(lambda: program.get(wanted, lambda outcome: self._browsed(program, outcome)))

    def _browsed(self, program: MqProgram, outcome: GetOutcome) -> None:
        if not isinstance(outcome, MqFailure):
            found = self._reading.message(outcome)
            if found is not None:
                self._found.append(found)
            if len(self._found) < MAX_BROWSED:
                self._look(program, Take.BROWSE_NEXT)
                return
        elif outcome.reason != MQRC.NO_MSG_AVAILABLE:
            self._reading.fail(program, outcome)
            return
        self._reading.end(program, Browsed(tuple(self._found)))


def _give_up(way: Way, program: MqProgram, then: Then, outcome: Refused) -> None:
    """Back out, and answer."""

    def backed_out(_: PutOutcome) -> None:
        way.pool.release(program, way.host.now)
        then(outcome)

    program.back_out(backed_out)


def _unsupported(queue: Queue, what: str) -> EveryplaceError:
    return EveryplaceError(Code.NOT_SUPPORTED, f"{queue} is a bridge queue, which has no {what}")
