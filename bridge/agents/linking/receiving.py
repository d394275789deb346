"""From the provider: the messages of one address, each put once.

Messages are put in a unit of work as they are delivered. It is committed with their identities (`identities`), and
only then their deliveries are settled; then credit is given again, as far as there is room on the queue. One commit is
pending at a time; what is delivered meanwhile belongs to the next.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from mqbridge.bridge.agents.linking.addressing import requested, without_way_back
from mqbridge.bridge.agents.linking.context import LinkContext
from mqbridge.bridge.agents.linking.dead_letters import dispose
from mqbridge.bridge.agents.linking.identities import Identities
from mqbridge.bridge.agents.linking.outgoing import NOT_FOUND, NOT_MAPPED
from mqbridge.bridge.agents.linking.provider import Accepted, DeliveryState, Received, Rejected, Released
from mqbridge.bridge.agents.linking.requesters import Direction, Requester
from mqbridge.bridge.queue_manager import MQError
from mqbridge.bridge.queue_manager.calls.agent_requests import PutMany
from mqbridge.bridge.queue_manager.calls.outcomes import PlacedMany
from mqbridge.bridge.queue_manager.calls.requests import Backout, Commit, PutOne
from mqbridge.bridge.store.interface import Operation
from mqbridge.mappings.descriptor import patcher, place
from mqbridge.mappings.destinations import Destination
from mqbridge.mappings.message import Message
from mqbridge.mappings.moment import Time
from mqbridge.protocol.constants import MQMT, MQPMO, MQRC, ByteOrder
from mqbridge.protocol.errors import MQBridgeError

_PUT: Final = int(MQPMO.SYNCPOINT | MQPMO.SET_ALL_CONTEXT)
_ACCEPTED: Final = Accepted()
_NO_ID: Final = bytes(24)
_MSG_ID: Final = place("msg_id")
_SET_MSG_ID: Final = {order: patcher(order, "msg_id") for order in ByteOrder}
_OF_THE_MESSAGE: Final = frozenset(
    map(
        int,
        (
            MQRC.MSG_TOO_BIG_FOR_Q, MQRC.MSG_TOO_BIG_FOR_Q_MGR, MQRC.MD_ERROR, MQRC.EXPIRY_ERROR, MQRC.PRIORITY_ERROR,
            MQRC.PERSISTENCE_ERROR, MQRC.PERSISTENT_NOT_ALLOWED, MQRC.MSG_TYPE_ERROR, MQRC.REPORT_OPTIONS_ERROR,
            MQRC.MISSING_REPLY_TO_Q, MQRC.PRIORITY_EXCEEDS_MAXIMUM, MQRC.FEEDBACK_ERROR, MQRC.RFH_ERROR,
            MQRC.GROUP_ID_ERROR, MQRC.MSG_SEQ_NUMBER_ERROR, MQRC.MSG_FLAGS_ERROR,
        ),
    )
)  # fmt: skip
"""Reasons for which this message cannot be put and others can; for all others the end waits and tries again."""


@dataclass(slots=True)
class _Unit:
    """A unit of work. ``deliveries``: to be settled when it is on disk. ``digests``: of those that may come again."""

    deliveries: list[int] = field(default_factory=list)
    digests: list[bytes] = field(default_factory=list)
    rows: list[Operation] = field(default_factory=list)
    put: int = 0
    failed: int = 0
    last: int = 0


class LinkReceiver:
    """The messages of one address of the provider. ``queue``: where they go; blank: replies, each to its requester.

    ``turn_wanted``: called when the link should take a turn.
    """

    __slots__ = (
        "_arrived", "_back_off", "_certain", "_committing", "_context", "_credit", "_grants", "_handle", "_identities",
        "_look_at", "_open", "_paused_until", "_program", "_settled", "_turn_wanted", "_way_here", "address", "problem",
        "queue", "wants_detach",
    )  # fmt: skip

    def __init__(self, context: LinkContext, address: str, queue: str, turn_wanted: Callable[[], None]) -> None:
        self._context = context
        self.address = address
        self.queue = queue
        self._way_here = Requester(queue) if queue else None
        self._turn_wanted = turn_wanted
        self._program = context.program()
        self._back_off = context.back_off()
        settings, host = context.settings, context.host
        self._identities = Identities(settings.name, address, settings.remember, settings.linger, host.manager.store)
        self._handle = 0
        self._open = _Unit()
        self._committing: _Unit | None = None
        self._credit = 0
        self._arrived = 0
        self._settled = 0
        self._certain = 0
        self._grants: deque[tuple[int, int]] = deque()
        self._paused_until = 0.0
        self._look_at: float | None = None
        self.wants_detach = False
        """The store has refused a commit: the provider must get back what is not settled, and the end be attached
        again."""
        self.problem = ""
        """Why it takes nothing; blank while it works."""

    @property
    def quiet(self) -> bool:
        """Whether nothing is being put."""
        return self._committing is None and not self._open.deliveries

    @property
    def may_attach(self) -> bool:
        """Whether all commits of the last connection are decided."""
        return self._committing is None

    @property
    def next_timeout(self) -> float | None:
        """When it looks again for room, or tries again after a failure."""
        return self._paused_until or self._look_at

    # The end at the provider

    def attached(self, handle: int, now: Time) -> None:
        """The receiving end is attached, without credit."""
        self._handle = handle
        self._identities.connected(now)
        self._credit = self._arrived = self._settled = self._certain = 0
        self._grants.clear()

    def detached(self, now: Time) -> None:
        """The end or the connection is gone: what is not committed is backed out, the provider delivers it again."""
        self._handle = 0
        self.wants_detach = False
        self._open = _Unit()
        self._program.session.submit(Backout(0), now)
        if self._committing is None:
            self._identities.disconnected()

    def too_long(self, length: int) -> None:
        """A delivery had too many bytes and was rejected; it has used up credit."""
        self._arrives()
        self._context.counts.failed += 1
        self._context.log("AMQ5064", self.address, f"{length} bytes are too long")

    def _arrives(self) -> None:
        self._arrived += 1
        self._credit -= 1
        while self._grants and self._grants[0][0] < self._arrived:
            self._certain = self._grants.popleft()[1]

    def received(self, event: Received, now: Time) -> None:
        """Put a message that was delivered, unless it was put before."""
        self._arrives()
        if self.wants_detach:
            return  # detaching gives it back
        unit = self._open
        if not event.settled and self._identities.is_known(event.digest):
            self._context.counts.repeated += 1
        else:
            refusal = self._put(event, now)
            if refusal is not None:
                if not event.settled:
                    self._context.provider().settle(self._handle, event.delivery, refusal)
                return
        unit.last = self._arrived
        if not event.settled:
            unit.deliveries.append(event.delivery)
            unit.digests.append(event.digest)

    # Turns

    def turn(self, now: Time) -> None:
        """Commit what was put, if no commit is pending, and give credit."""
        if self._paused_until and now >= self._paused_until:
            self._paused_until = 0.0
        if self._look_at is not None and now >= self._look_at:
            self._look_at = None
        while self._committing is None and self._open.last and not self.wants_detach:
            self._commit(now)
        self._grant(now)

    def _commit(self, now: Time) -> None:
        unit, self._open = self._open, _Unit()
        self._committing = unit
        handle = self._handle
        removals = self._context.requesters.removals()
        rows = [*removals, *unit.rows, *self._identities.commit(unit.digests, unit.last, self._certain, now)]

        def stored(error: MQError | None) -> None:
            self._committing = None
            at = self._context.host.now
            if error is not None:
                self._context.requesters.give_back(removals)
                self.wants_detach = self._handle != 0
                self._pause(f"{self.queue}: {error}", at)
            else:
                self._stored(unit, handle)
            if self._handle != handle:
                self._identities.disconnected()
            self._turn_wanted()

        self._program.commit(Commit(self._program.next_tag(), tuple(rows)), stored, now)

    def _stored(self, unit: _Unit, handle: int) -> None:
        """A unit is on disk: settle its deliveries, if their connection is still there."""
        counts = self._context.counts
        counts.received += unit.put
        counts.failed += unit.failed
        if unit.put and not self._paused_until:
            self._back_off.reset()
            self.problem = ""
        if handle and self._handle == handle:
            provider = self._context.provider()
            for delivery in unit.deliveries:
                provider.settle(handle, delivery, _ACCEPTED)
            self._settled = unit.last

    def _grant(self, now: Time) -> None:
        """Give credit for what the queue has room for, in portions."""
        context = self._context
        if not self._handle or self._paused_until or context.stopping or self.wants_detach:
            return
        most = 1 if self.problem else context.settings.credit
        pending = len(self._open.deliveries) + (len(self._committing.deliveries) if self._committing else 0)
        wanted = most - self._credit - pending
        room = self._room() - self._credit
        number = min(wanted, room)
        if number <= 0 or (number < most // 4 and self._credit > 0):
            if room <= 0 and self._look_at is None:
                self._look_at = now + context.settings.room_interval
            return
        self._grants.append((self._arrived + self._credit, self._settled))
        self._credit += number
        context.provider().grant_credit(self._handle, number)

    def _room(self) -> int:
        """Messages that still fit on the queue; of one that is not local, as many as may be under way."""
        queue = self._context.host.manager.queue(self.queue) if self.queue else None
        return self._context.settings.credit if queue is None else queue.max_depth - queue.depth

    # Puts

    def _put(self, event: Received, now: Time) -> DeliveryState | None:
        """Put a message in the open unit of work, or dispose of it. Returns how the delivery ends at once, or None if
        it ends with the unit."""
        context, unit = self._context, self._open
        way = self._way(event)
        is_request = bool(event.message.properties.reply_to) and bool(context.settings.reply_queue)
        try:
            if event.error:
                return self._reject(event.error)
            source = without_way_back(event.message) if is_request else event.message
            message = context.mapping.to_queue(source, "" if way is None else self._destination(way), now)
            if is_request or message.raw_md[_MSG_ID] == _NO_ID:
                message.raw_md = _SET_MSG_ID[message.order](message.raw_md, context.ids.message_id())
            if is_request:
                here = context.settings.reply_queue, context.host.manager.name
                message, rows = requested(event.message, message, here, context.requesters, now)
                unit.rows += rows
            elif not self.queue:
                message.md.msg_type = int(MQMT.REPLY)
        except MQBridgeError as error:
            return self._reject(str(error))
        if way is None or way.ambiguous:
            why = "no request is known for" if way is None else "several programs have sent requests with"
            return self._bury(message, ("", ""), (NOT_FOUND, f"{why} the correlation-id"), 0, now)
        try:
            self._place(message, way, now)
        except MQError as error:
            names = way.address, way.queue_manager
            if error.reason in _OF_THE_MESSAGE or not self.queue:
                return self._bury(message, names, ("", str(error)), error.reason, now)
            self._pause(f"{self.queue}: {error}", now)
            return Released()
        except MQBridgeError as error:
            return self._reject(str(error))
        unit.put += 1
        return None

    def _place(self, message: Message, way: Requester, now: Time) -> None:
        """Put or publish a message in the unit of work. Raises `MQError`, and `MQBridgeError` for an invalid
        descriptor."""
        order, ccsid = message.order, message.ccsid
        if not way.is_topic:
            names = way.address, way.queue_manager
            self._program.do(PutOne(0, *names, message.raw_md, message.body, _PUT, order, ccsid), now)
            return
        topic = Destination.parse(way.address).name
        messages = [(message.raw_md, message.body)]
        outcome = self._program.do(PutMany(0, "", "", messages, _PUT, order, ccsid, topic), now)
        if isinstance(outcome, PlacedMany) and outcome.failed is not None:
            raise outcome.failed.error()

    def _way(self, event: Received) -> Requester | None:
        """Where a delivery goes; None if nobody is known who waits for this reply."""
        if self._way_here is not None:
            return self._way_here
        return self._context.requesters.find(Direction.OURS, event.message.properties.correlation_id)

    def _destination(self, way: Requester) -> str:
        """What a message is mapped for: a temporary dynamic queue takes no persistent messages."""
        if self.queue or way.is_topic:
            return way.address
        manager = self._context.host.manager
        queue = manager.queue(way.address) if way.queue_manager in ("", manager.name) else None
        return way.destination(temporary=queue is not None and queue.temporary)

    def _reject(self, problem: str) -> Rejected:
        self._context.counts.failed += 1
        self._context.log("AMQ5064", self.address, problem)
        return Rejected(NOT_MAPPED, problem)

    def _bury(
        self, message: Message, names: tuple[str, str], why: tuple[str, str], reason: int, now: Time
    ) -> DeliveryState | None:
        """Put a message that cannot be put where it should go to the dead-letter queue; without one the provider keeps
        it."""
        context = self._context
        context.log("AMQ5063", self.address, *why)
        error = dispose(self._program, message, names, *why, context.settings.mcauser, now, reason=reason)
        if error is not None:
            return self._reject(f"{why[1]}; {error}")
        self._open.failed += 1
        return None

    def _pause(self, problem: str, now: Time) -> None:
        if problem != self.problem:
            self._context.log("AMQ5062", problem)
        self.problem = problem
        if not self._paused_until:
            self._paused_until = now + self._back_off.wait()
