"""The intake of an input: messages of another transport, put by their route.

Messages that wait are put together, in one unit of work; if that fails, each in one of its own.

Exactly once: the identity of a message is committed with its puts (table `TABLE`). The input removes the message from
its transport after that, and then has the identity forgotten. If the queue manager dies in between, the input offers
the message again, and is told that it was taken before.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Final

from mqbridge.bridge.agents.gateway.carriers import CarrierHost, CarrierState
from mqbridge.bridge.agents.message_channel.channel_program import ChannelProgram
from mqbridge.bridge.queue_manager import Application, MQError
from mqbridge.bridge.queue_manager.calls.outcomes import Failed
from mqbridge.bridge.queue_manager.calls.requests import Backout, Commit
from mqbridge.bridge.queue_manager.objects import Definition
from mqbridge.bridge.queue_manager.options import NO_ID
from mqbridge.bridge.queue_manager.putting.descriptors import fitting, set_origin
from mqbridge.bridge.store.interface import MAX_KEY, PutRecord, RemoveRecord
from mqbridge.mappings.destinations import DestinationKind
from mqbridge.mappings.message import Message
from mqbridge.mappings.moment import Time
from mqbridge.protocol.constants import MQAT, MQMODE, MQRC
from mqbridge.protocol.errors import MQBridgeError

from .definitions import RouteDefinition
from .disposing import disposal
from .failures import Failure, FailureKind, kind_of
from .offers import Offer, first_batch
from .placing import Targets
from .retrying import CHANGES, RETRY_INTERVAL, Retrying
from .route import Route
from .step_calls import StepAnswer
from .surroundings import limits_of, surroundings_of
from .taken import Taken
from .works import Work, Works, emit_calls

TABLE: Final = "route-inputs"
"""Table of the store: identities of messages that were taken, behind the name of their route and a zero."""
MAX_OFFERED: Final = 100
"""Messages that wait for one route; further ones are not taken."""
_USER_LENGTH: Final = 12


class Intake:
    """The intake of one route. ``state``, ``since``, ``detail``: see `CarrierStatus`."""

    def __init__(self, host: CarrierHost, definition: RouteDefinition) -> None:
        self._host = host
        self._definition = definition
        self.route = Route(definition, self)
        name = f"route {definition.name}"[:28]
        self._application = Application(user=definition.user, appl_type=MQAT.QMGR, appl_name=name)
        self._program = ChannelProgram(host.manager, self._application, trusted=not definition.user)
        self._targets = Targets([definition])
        self._retrying = Retrying()
        self._offers: deque[Offer] = deque()
        self._works: Works | None = None
        self._batch: list[Offer] = []
        """The first offers, whose steps are applied together."""
        self._unit: list[Offer] = []
        """The first of these, which are being committed."""
        self._alone = False
        """Whether each of the batch is put in a unit of work of its own, since all together failed."""
        self._full = False
        """Whether the target had no room."""
        self._going_on = False
        """Whether `_go_on` is at work: what it calls may have ended an offer, or made one."""
        self.state = CarrierState.STOPPED
        self.since = 0.0
        self.detail = ""
        host.manager.objects.add_listener(self._changed)

    # Life

    def start(self, now: Time) -> None:
        """Take messages from now on."""
        if self.state is not CarrierState.STOPPED:
            return
        self._retrying.reset()
        self._enter(CarrierState.STARTING, now)
        failure = self._targets.probe(self._program.session, 0, now)
        if failure is not None:
            self._retry(failure, now)
        else:
            self._works_again(now)

    def stop(self, mode: MQMODE, now: Time) -> None:
        """Take no more messages; MQMODE.QUIESCE after those that are being put."""
        if self.state is CarrierState.STOPPED:
            return
        stepping = self._works is not None and len(self._works.left) > 0
        kept = self._unit or (self._batch if mode == MQMODE.QUIESCE and stepping else [])
        self._host.timers.set(self, None)
        self._enter(CarrierState.STOPPING, now)
        self._batch = list(kept)
        while len(self._offers) > len(kept):
            self._offers.pop().then(Taken.NOT)
        if not kept:
            self._stopped(now)

    def _stopped(self, now: Time) -> None:
        self._program.session.submit(Backout(0), now)
        self._end_batch()
        while self._offers:
            self._offers.pop().then(Taken.NOT)
        self._enter(CarrierState.STOPPED, now)
        self._host.log("AMQ5101", self.route.kind, self.route.name)

    def _enter(self, state: CarrierState, now: Time, detail: str = "") -> None:
        if state is not self.state:
            self.since = now
        self.state, self.detail = state, detail

    def _works_again(self, now: Time) -> None:
        self._retrying.reset()
        if self.state in (CarrierState.STARTING, CarrierState.RETRYING):
            self._enter(CarrierState.RUNNING, now)
            source, target = self._definition.source.shown, self._definition.target.uri
            if not self._full:
                self._host.log("AMQ5100", self.route.kind, self.route.name, source, target)
            self._full = False

    def _retry(self, failure: Failure, now: Time) -> None:
        if self.state is CarrierState.STOPPING:
            self._stopped(now)
            return
        error = str(MQError(failure.reason, failure.text))
        if error != self.detail and self._retrying.is_news(error, now):
            self._host.log("AMQ5103", self.route.kind, self.route.name, error)
        self._enter(CarrierState.RETRYING, now, error)
        self._full = kind_of(failure.reason) is FailureKind.FULL
        self._host.timers.set(self, now + RETRY_INTERVAL if self._full else self._retrying.next(now))

    def timeout(self, now: Time) -> None:
        """Try again."""
        if self._offers:
            self._go_on(now)
            return
        failure = self._targets.probe(self._program.session, 0, now)
        if failure is not None:
            self._retry(failure, now)
        else:
            self._works_again(now)

    def _changed(self, _old: Definition | None, new: Definition | None) -> None:
        """Try again at once: what was missing may have been defined."""
        if self.state is CarrierState.RETRYING and new is not None and new.kind in CHANGES:
            self._host.timers.set(self, self._host.now)

    # The input's side

    def offer(
        self, message: Message, identity: bytes, then: Callable[[Taken], None], now: Time, mark: bytes = b""
    ) -> Offer | None:
        """Take a message; ``then`` is called once with what became of it, perhaps before this returns. Returns the
        offer for `withdraw`, if it waits. ``identity``: blank for none; ``mark``: see `Sink.offer`."""
        self._host.now = now
        key = self._key(identity)
        if identity and self._known(key):
            then(Taken.BEFORE)
            return None
        records = (PutRecord(TABLE, key, mark),) if identity else ()
        ready = self.state in (CarrierState.RUNNING, CarrierState.RETRYING) and len(self._offers) < MAX_OFFERED
        if not ready or (records and any(record.key == key for each in self._offers for record in each.records)):
            then(Taken.NOT)
            return None
        self._complete(message, now)
        offer = Offer(message, records, then, Work(b"", message, 0))
        self._offers.append(offer)
        if len(self._offers) == 1 and self.state is CarrierState.RUNNING:
            self._go_on(now)
        return offer

    def _known(self, key: bytes) -> bool:
        return self._host.manager.store.record(TABLE, key) is not None

    def withdraw(self, offer: Offer, now: Time) -> None:
        """Take an offer back, which is answered by Taken.NOT; does nothing if it is answered or being committed."""
        self._host.now = now
        if offer not in self._offers or offer in self._unit:
            return
        self._offers.remove(offer)
        if offer in self._batch:
            self._batch.remove(offer)
            if not self._batch:
                self._end_batch()
        offer.then(Taken.NOT)
        if self.state is CarrierState.STOPPING and not self._batch:
            self._stopped(now)
        elif self.state is CarrierState.RUNNING:
            self._go_on(now)

    def _complete(self, message: Message, now: Time) -> None:
        """Give a message an id, if it has none, and the context of a message that the route itself puts."""
        md = message.md
        if md.msg_id == NO_ID:
            md.msg_id = self._host.manager.connections.core.ids.message_id()
        if not md.user_identifier:
            md.user_identifier = fitting(self._definition.user, _USER_LENGTH)
        set_origin(md, self._application, now)

    def forget(self, identity: bytes) -> None:
        """Forget the identity of a message that is no longer in its transport."""
        self._host.manager.submit([RemoveRecord(TABLE, self._key(identity))])

    def identities(self) -> dict[bytes, bytes]:
        """Return the identities of messages that were taken and are not forgotten, and their marks."""
        prefix = self._key(b"")
        records = self._host.manager.store.records(TABLE)
        return {key[len(prefix) :]: mark for key, mark in records if key.startswith(prefix)}

    def _key(self, identity: bytes) -> bytes:
        key = self._definition.name.encode() + b"\0" + identity
        if len(key) > MAX_KEY:
            raise ValueError(f"an identity of {len(identity)} bytes is too long")
        return key

    # Transforming and putting

    def _go_on(self, now: Time) -> None:
        """Apply the steps to the first offers, or put them if that is done; then to the next."""
        if self._going_on:
            return
        self._going_on = True
        try:
            while self._offers and not self._unit and self._transform(now) and self._put(now):
                pass
        finally:
            self._going_on = False

    def _transform(self, now: Time) -> bool:
        """Apply the steps to the first offers. Returns False while functions run elsewhere."""
        works = self._works
        if works is None:
            self._batch = first_batch(self._offers)
            surroundings = surroundings_of(self._host, "", now, "other")
            each = [offer.work for offer in self._batch]
            works = self._works = Works(each, [self._definition], surroundings, limits_of(self._host))
            emit_calls(self._host, works, works.start(), self._answered)
        return not works.left

    def _end_batch(self) -> None:
        self._works = None
        self._batch, self._unit = [], []
        self._alone = False

    def _answered(self, works: Works, work: Work, answer: StepAnswer, now: Time) -> None:
        self._host.now = now
        if self._works is works:
            emit_calls(self._host, works, works.answered(work, answer), self._answered)
            self._go_on(now)

    def _put(self, now: Time) -> bool:
        """Put what the steps have made, and commit. Returns whether the next offers can be taken."""
        unit = self._batch[:1] if self._alone else list(self._batch)
        failure = self._place(unit, now)
        if failure is not None:
            self._program.session.submit(Backout(0), now)
            if len(unit) > 1:
                self._alone = True
                return True
            self._retry(failure, now)
            return False
        self._unit = unit
        records = tuple(record for offer in unit for record in offer.records)
        self._program.commit(Commit(self._program.next_tag(), records), partial(self._committed, unit), now)
        return not self._unit and self.state is not CarrierState.RETRYING

    def _place(self, unit: list[Offer], now: Time) -> Failure | None:
        """Put messages in the unit of work of the session, those that fail on the error or dead-letter queue. Returns
        why that cannot be."""
        session = self._program.session
        try:
            failure = self._targets.place(session, [offer.work for offer in unit if offer.work.failure is None], now)
        except MQBridgeError as error:
            failure = Failure(int(MQRC.MD_ERROR), str(error))
        if failure is not None:
            if len(unit) > 1 or kind_of(failure.reason) is not FailureKind.MESSAGE:
                return failure
            session.submit(Backout(0), now)
            unit[0].work.failure = failure
        for offer in unit:
            if offer.work.failure is not None:
                refused = self._dispose(offer.work, offer.work.failure, now)
                if refused is not None:
                    return Failure(refused.reason, refused.detail)
        return None

    def _dispose(self, work: Work, failure: Failure, now: Time) -> Failed | None:
        """Put a message that fails on the error or dead-letter queue. Returns why that fails."""
        target = self._definition.target
        name = target.name if target.kind is DestinationKind.QUEUE else ""
        request = disposal(work, failure, self._definition, (name, target.queue_manager))
        outcome = self._program.session.submit(request, now)
        return outcome if isinstance(outcome, Failed) else None

    def _committed(self, unit: list[Offer], error: MQError | None) -> None:
        now, self._unit = self._host.now, []
        if error is not None:
            self._retry(Failure(error.reason, error.detail), now)
            return
        del self._batch[: len(unit)]
        if not self._batch:
            self._end_batch()
        for offer in unit:
            self._offers.popleft()
            self._count(offer.work)
        self._works_again(now)
        for offer in unit:
            offer.then(Taken.NOW)
        if self.state is CarrierState.STOPPING:
            self._stopped(now)
        else:
            self._go_on(now)

    def _count(self, work: Work) -> None:
        route, failure = self.route, work.failure
        if failure is not None:
            route.failed += 1
            queue = self._definition.error or "the dead-letter queue"
            shown = work.message.md.msg_id.hex().upper()
            self._host.log("AMQ5105", route.name, shown, queue, failure.reason, failure.text)
        elif work.made:
            route.carried += 1
        else:
            route.dropped += 1
