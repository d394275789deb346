"""The end of works: put and committed, backed out to be tried again, or put on an error or dead-letter queue."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Final, Protocol

from mqbridge.bridge.agents.gateway.carriers import CarrierHost
from mqbridge.bridge.agents.message_channel.channel_program import ChannelProgram
from mqbridge.bridge.queue_manager import MQError
from mqbridge.bridge.queue_manager.calls.requests import Backout, Commit, Settle
from mqbridge.bridge.queue_manager.objects import Kind
from mqbridge.mappings.descriptor import reader
from mqbridge.mappings.moment import Time
from mqbridge.protocol.constants import MQRC, ByteOrder
from mqbridge.protocol.errors import MQBridgeError

from .disposing import disposal
from .failures import Failure, FailureKind, kind_of
from .placing import Targets
from .route import Route
from .works import Work

_BACKOUT_COUNT: Final = {order: reader(order, "backout_count") for order in ByteOrder}


class SettlingOwner(Protocol):
    """The reader of a source."""

    @property
    def queue_name(self) -> str:
        """The queue that it gets from."""
        ...

    def works_again(self, now: Time) -> None:
        """Messages can be got and put."""
        ...

    def retry(self, failure: Failure, now: Time) -> None:
        """Nothing can be put now."""
        ...

    def pause(self, now: Time) -> None:
        """All messages that could be got have failed, and are back on their queue."""
        ...

    def settled(self, now: Time) -> None:
        """The store has answered."""
        ...


class Settling:
    """The units of work of one reader. ``in_flight``: number of those that are being written."""

    __slots__ = ("_host", "_owner", "_program", "_routes", "in_flight", "targets")

    def __init__(
        self,
        host: CarrierHost,
        program: ChannelProgram,
        routes: Sequence[Route],
        owner: SettlingOwner,
    ) -> None:
        self._host = host
        self._program = program
        self._routes = routes
        self._owner = owner
        self.targets = Targets([each.definition for each in routes])
        self.in_flight = 0

    def settle(self, works: Sequence[Work], now: Time) -> None:
        """Put and commit works, all in one unit of work if possible, and take care of those that fail.

        A publication that no route takes leaves its queue.
        """
        good = [work for work in works if work.failure is None]
        failed = [work for work in works if work.failure is not None]
        moved = False
        if good:
            failure = self._place(good, now)
            if failure is None:
                self._commit(good, now)
                moved = True
            else:
                self._drop_puts(now)
                moved = self._settle_each(good, now)
        for work in failed:
            moved = self._fail(work, now) or moved
        if works and not moved:
            self._owner.pause(now)

    def give_back(self, works: Iterable[Work], now: Time) -> None:
        """Return messages to their places on the queue; BackoutCount does not count it."""
        tokens = tuple(work.token for work in works)
        if tokens:
            self._program.session.submit(Settle(0, back=tokens), now)

    def _drop_puts(self, now: Time) -> None:
        """Back out puts that are not committed; the messages that were got stay held."""
        self._program.session.submit(Backout(0), now)

    def _place(self, works: Sequence[Work], now: Time) -> Failure | None:
        try:
            return self.targets.place(self._program.session, works, now)
        except MQBridgeError as error:
            return Failure(int(MQRC.MD_ERROR), str(error))

    def _settle_each(self, works: Sequence[Work], now: Time) -> bool:
        """Settle works in a unit of work each. Returns whether any message has left the queue."""
        moved = False
        for index, work in enumerate(works):
            failure = self._place([work], now)
            if failure is None:
                self._commit([work], now)
                moved = True
                continue
            self._drop_puts(now)
            kind = kind_of(failure.reason)
            if kind is FailureKind.WAIT:
                self.give_back(works[index:], now)
                self._owner.retry(failure, now)
                return True
            work.failure = failure
            if self._fail(work, now):
                moved = True
            elif kind is FailureKind.FULL:
                self.give_back(works[index + 1 :], now)
                break
        return moved

    def _commit(self, works: Sequence[Work], now: Time) -> None:
        program = self._program
        self.in_flight += 1
        request = Commit(program.next_tag(), (), tuple([work.token for work in works]))
        program.commit(request, partial(self._committed, works), now)

    def _committed(self, works: Sequence[Work], error: MQError | None) -> None:
        now, owner = self._host.now, self._owner
        self.in_flight -= 1
        if error is not None:
            self.give_back(works, now)
            owner.retry(Failure(error.reason, error.detail), now)
        else:
            for work in works:
                if work.route >= 0:
                    route = self._routes[work.route]
                    if work.made:
                        route.carried += 1
                    else:
                        route.dropped += 1
            owner.works_again(now)
        owner.settled(now)

    # Failures

    def _fail(self, work: Work, now: Time) -> bool:
        """Return a failed message to its queue, counted, or put it on an error or dead-letter queue if it has been
        tried BOTHRESH times. Returns whether it leaves its queue."""
        failure, message, route = work.failure, work.message, self._routes[work.route]
        assert failure is not None
        count = _BACKOUT_COUNT[message.order](message.raw_md)[0]
        if count < self._threshold():
            self._program.session.submit(Backout(0, (work.token,)), now)
            self._host.log("AMQ5106", route.name, count + 1, failure.reason, failure.text)
            return False
        program = self._program
        destination = self._owner.queue_name, self._host.manager.name
        request = disposal(work, failure, route.definition, destination, program.next_tag())
        self.in_flight += 1
        error = program.attempt(request, partial(self._disposed, work), now)
        if error is not None:
            self.in_flight -= 1
            self._owner.retry(Failure(error.reason, error.detail), now)
        return True

    def _disposed(self, work: Work, error: MQError | None) -> None:
        now, owner, route = self._host.now, self._owner, self._routes[work.route]
        self.in_flight -= 1
        if error is not None:
            owner.retry(Failure(error.reason, error.detail), now)
        else:
            failure = work.failure
            assert failure is not None
            route.failed += 1
            queue = route.definition.error or "the dead-letter queue"
            self._host.log(
                "AMQ5105", route.name, work.message.md.msg_id.hex().upper(), queue, failure.reason, failure.text
            )
        owner.settled(now)

    def _threshold(self) -> int:
        """BOTHRESH of the source queue, or of the queue that its alias names."""
        objects = self._host.manager.objects
        definition = objects.queue(self._owner.queue_name)
        if definition is not None and definition.kind is Kind.QALIAS:
            definition = objects.queue(definition.text("TARGET"))
        return 0 if definition is None else definition.integer("BOTHRESH")
