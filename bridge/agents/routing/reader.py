"""The reader of a source: gets its messages, has its routes transform and put them, and commits.

Messages are got in batches, as many as there are, up to `MOST`; the unit of work of a batch is committed at once, and
the next batch is prepared while the store writes. If a message of a batch cannot be put, the batch falls apart: what
was put is backed out, and each message gets a unit of work of its own, so that only the faulty one counts as failed
(`Settling`).

A reader that cannot get or put at all is RETRYING: it tries again after 1, 2, 4 … 60 seconds, and when a definition
changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

from mqbridge.bridge.agents.gateway.carriers import CarrierHost, CarrierState
from mqbridge.bridge.agents.message_channel.channel_program import ChannelProgram
from mqbridge.bridge.queue_manager import Application, MQError
from mqbridge.bridge.queue_manager.calls.agent_requests import GetMany
from mqbridge.bridge.queue_manager.calls.outcomes import Failed, Outcome, RetrievedMany
from mqbridge.bridge.queue_manager.calls.requests import Cancel, Wait, Wanted
from mqbridge.bridge.queue_manager.objects import Definition
from mqbridge.mappings.message import Message
from mqbridge.mappings.moment import Time
from mqbridge.mappings.properties import PropertyLookUp
from mqbridge.protocol.constants import MQAT, MQMODE, MQRC

from .definitions import RouteDefinition, SourceKind
from .failures import Failure
from .retrying import CHANGES, RETRY_INTERVAL, Retrying
from .route import Route
from .settling import Settling
from .source import OpenedSource
from .step_calls import StepAnswer
from .surroundings import limits_of, surroundings_of
from .works import Call, Work, Works, emit_calls

MOST: Final = 50
"""Messages of a batch, as BATCHSZ of a channel has it by default."""
ROOM: Final = 2 << 20
"""Bytes of data after which a batch gets no further message."""
IN_FLIGHT: Final = 2
"""Units of work that are being written, from which on no further batch is got."""
ROUNDS: Final = 4
"""Batches after which others get a turn, if the store need not be waited for."""
_WANTED: Final = Wanted()


class Reader:
    """The reader of one source. ``routes``: those that take its messages, in the order in which they are asked.

    ``state``, ``since``, ``detail``: see `CarrierStatus`; they are those of all its routes.
    """

    def __init__(self, host: CarrierHost, definitions: Sequence[RouteDefinition]) -> None:
        self._host = host
        self._definitions = definitions
        self.routes = [Route(each, self) for each in definitions]
        first = definitions[0]
        application = Application(user=first.user, appl_type=MQAT.QMGR, appl_name=f"route {first.name}"[:28])
        self._program = program = ChannelProgram(host.manager, application, trusted=not first.user)
        self._session = program.session
        self._source = OpenedSource(host, program, application, first.source, _selection(definitions))
        self._leaves = first.source.kind is SourceKind.QUEUE and bool(_selection(definitions))
        """Whether messages that no route takes stay on the queue, since others may get them."""
        self._settling = Settling(host, program, self.routes, self)
        self._whens = [] if len(definitions) == 1 and first.when is None else [each.when for each in definitions]
        """Selectors that are evaluated for each message got; none if every message is for the only route."""
        self._retrying = Retrying()
        self._wait = 0
        """Tag of the wait for messages, 0 for none."""
        self._works: Works | None = None
        self._serving = self._paused = False
        self.state = CarrierState.STOPPED
        self.since = 0.0
        self.detail = ""
        host.manager.objects.add_listener(self._changed)

    @property
    def queue_name(self) -> str:
        """The queue that it gets from; blank for a topic without a subscription yet."""
        return self._source.queue_name

    # Life

    def start(self, now: Time) -> None:
        """Open the source and serve it."""
        if self.state is CarrierState.STOPPED:
            self._retrying.reset()
            self._open(now)

    def stop(self, mode: MQMODE, now: Time) -> None:
        """Stop: MQMODE.QUIESCE after the messages that were got, FORCE at once; what is not committed goes back."""
        if self.state is CarrierState.STOPPED:
            return
        self._host.timers.set(self, None)
        self._end_wait(now)
        if mode == MQMODE.QUIESCE and (self._works is not None or self._settling.in_flight):
            self._enter(CarrierState.STOPPING, now)
            return
        self._give_up_works(now)
        self._stopped(now)

    def _stopped(self, now: Time) -> None:
        self._source.close(now)
        self._enter(CarrierState.STOPPED, now)
        for route in self.routes:
            self._host.log("AMQ5101", route.kind, route.name)

    def _open(self, now: Time) -> None:
        if self.state is CarrierState.STOPPED:
            self._enter(CarrierState.STARTING, now)
        self._source.open(self._opened, now)

    def _opened(self, error: MQError | None) -> None:
        now = self._host.now
        if self.state in (CarrierState.STOPPED, CarrierState.STOPPING):
            self._source.close(now)
            return
        if error is not None:
            self.retry(Failure(error.reason, error.detail), now)
            return
        for index in range(len(self.routes)):
            failure = self._settling.targets.probe(self._session, index, now)
            if failure is not None:
                self.retry(failure, now)
                return
        if self.state is CarrierState.STARTING:
            self.works_again(now)
        self._host.timers.set(self, now)

    def _enter(self, state: CarrierState, now: Time, detail: str = "") -> None:
        if state is not self.state:
            self.since = now
        self.state, self.detail = state, detail

    def works_again(self, now: Time) -> None:
        """Become RUNNING: messages can be got and put; but not for a unit of work that was written after all, while the
        source is closed."""
        if self._source.hobj is None:
            return
        self._retrying.reset()
        if self.state in (CarrierState.STARTING, CarrierState.RETRYING):
            self._enter(CarrierState.RUNNING, now)
            for route in self.routes:
                self._host.log(
                    "AMQ5100", route.kind, route.name, route.definition.source.shown, route.definition.target.uri
                )

    def retry(self, failure: Failure, now: Time) -> None:
        """Become RETRYING: nothing can be got or put now."""
        ending = self.state in (CarrierState.STOPPING, CarrierState.STOPPED)
        if ending or failure.reason == MQRC.Q_MGR_QUIESCING:
            return
        self._end_wait(now)
        self._source.close(now)
        error = str(MQError(failure.reason, failure.text))
        if error != self.detail:
            for route in self.routes:
                self._host.log("AMQ5103", route.kind, route.name, error)
        self._enter(CarrierState.RETRYING, now, error)
        self._host.timers.set(self, self._retrying.next(now))

    def timeout(self, now: Time) -> None:
        """Try again, or continue after others have had a turn."""
        self._paused = False
        if self.state is CarrierState.RETRYING and self._source.hobj is None:
            if self._works is None and not self._settling.in_flight:
                self._open(now)
            else:
                self._host.timers.set(self, now + RETRY_INTERVAL)
        else:
            self._serve(now)

    def _changed(self, _old: Definition | None, new: Definition | None) -> None:
        """Try again at once: what was missing may have been defined."""
        if self.state is CarrierState.RETRYING and new is not None and new.kind in CHANGES:
            self._host.timers.set(self, self._host.now)

    # Getting

    def _serve(self, now: Time) -> None:
        """Get and put until nothing is left, the store lags, or it is others' turn."""
        if self._serving:
            return
        self._serving = True
        try:
            for _ in range(ROUNDS):
                works = self._get(now)
                if works is None:
                    return
                self._works = works
                self._work(works, works.start(), now)
            self._host.timers.set(self, now)
        finally:
            self._serving = False

    def _get(self, now: Time) -> Works | None:
        """Get a batch. Returns None if there is none, or none may be got now."""
        if self._works is not None or self._settling.in_flight >= IN_FLIGHT or self._paused or self._wait:
            return None
        hobj = self._source.hobj
        if hobj is None or self.state not in (CarrierState.RUNNING, CarrierState.RETRYING):
            return None
        outcome = self._session.submit(GetMany(0, hobj, MOST, ROOM), now)
        if isinstance(outcome, Failed):
            self.retry(Failure(outcome.reason, outcome.detail), now)
            return None
        assert isinstance(outcome, RetrievedMany)
        if not outcome.messages:
            if outcome.more:
                self._host.timers.set(self, now)
            else:
                self._begin_wait(hobj, now)
            return None
        routes = map(self._route_of, outcome.messages)
        works = list(map(Work, outcome.tokens, outcome.messages, routes, outcome.stored))
        if self._leaves and not self._leave_unmatched(works, now):
            return None
        surroundings = surroundings_of(self._host, self._source.queue_name, now)
        return Works(works, self._definitions, surroundings, limits_of(self._host))

    def _leave_unmatched(self, works: list[Work], now: Time) -> bool:
        """Return messages that no route takes to their queue, and get by selector from then on. Returns whether works
        are left, and can be settled.

        While all messages are taken, evaluating the selectors here costs less than having the queue select.
        """
        unmatched = [work for work in works if work.route < 0]
        if not unmatched:
            return True
        works[:] = [work for work in works if work.route >= 0]
        self._settling.give_back(unmatched, now)
        error = self._source.select(now)
        if error is not None:
            self._settling.give_back(works, now)
            self.retry(Failure(error.reason, error.detail), now)
        elif not works:
            self._host.timers.set(self, now)
        return error is None and bool(works)

    def _route_of(self, message: Message) -> int:
        """Return the index of the first route whose selector takes a message, -1 if none does."""
        whens = self._whens
        if not whens:
            return 0
        look_up = PropertyLookUp(message).get
        return next((index for index, when in enumerate(whens) if when is None or when.selects(look_up)), -1)

    def _begin_wait(self, hobj: int, now: Time) -> None:
        self.works_again(now)
        tag = self._wait = self._program.next_tag()
        self._program.ask(Wait(tag, hobj, _WANTED), partial(self._awaited, tag), now)

    def _end_wait(self, now: Time) -> None:
        tag, self._wait = self._wait, 0
        if tag:
            self._program.forget(tag)
            self._session.submit(Cancel(0, tag), now)

    def _awaited(self, tag: int, outcome: Outcome) -> None:
        if tag != self._wait:
            return
        now, self._wait = self._host.now, 0
        if isinstance(outcome, Failed):
            self.retry(Failure(outcome.reason, outcome.detail or self.queue_name), now)
        else:
            self._serve(now)

    # Transforming and putting

    def _work(self, works: Works, calls: list[Call], now: Time) -> None:
        """Have functions called elsewhere, and put messages whose steps are applied."""
        emit_calls(self._host, works, calls, self._answered)
        self._put_ready(works, now)

    def _put_ready(self, works: Works, now: Time) -> None:
        """Put messages whose steps are applied: a few while others wait for functions only if no unit of work is being
        written. Nor are non-persistent ones put then, which would overtake it."""
        if self._settling.in_flight and (
            works.left or not any(each.is_stored and each.failure is None for each in works.ready)
        ):
            return
        if not works.left:
            self._works = None
        self._settling.settle(works.take_ready(), now)

    def _answered(self, works: Works, work: Work, answer: StepAnswer, now: Time) -> None:
        """Take what a function has returned, unless the messages were given up meanwhile."""
        self._host.now = now
        if self._works is works:
            self._work(works, works.answered(work, answer), now)
            self.settled(now)

    def pause(self, now: Time) -> None:
        """Get nothing for a while: all messages that could be got have failed."""
        self._paused = True
        self._host.timers.set(self, now + RETRY_INTERVAL)

    def settled(self, now: Time) -> None:
        """Put what is ready, get more, or end if that was the last work of a reader that is being stopped."""
        works = self._works
        if works is not None and works.ready:
            self._put_ready(works, now)
        if self.state is not CarrierState.STOPPING:
            self._serve(now)
        elif self._works is None and not self._settling.in_flight:
            self._stopped(now)

    def _give_up_works(self, now: Time) -> None:
        """Return the messages of the current batch to their queue."""
        works, self._works = self._works, None
        if works is not None:
            self._settling.give_back([*works.take_ready(), *works.left], now)


def _selection(definitions: Sequence[RouteDefinition]) -> str:
    """Return what the gets from a queue select by, so that messages that no route takes stay there for others."""
    texts = [each.when.text for each in definitions if each.when is not None]
    if len(texts) < len(definitions):
        return ""
    return texts[0] if len(texts) == 1 else " OR ".join(f"({text})" for text in texts)
