"""From a queue to the partner: messages are got, held while they are under way, and leave the queue when the other side
has them.

Where a packet carries an id by which the other side knows it again, the order of steps is; D marks what is on disk
before the next step:

1. A message is got and held by the session.
2. D its packets, and the sequence numbers in them. The removal of the message before shares this transaction.
3. The packets go out. After a cut, or when the process dies, they go out again with the same bytes.
4. The other side has it: D the message and the record leave.

Without such an id step 2 is left out: after a cut the message is back on its queue, counted in BackoutCount, its
numbers are free again, and it is built anew. A message with sequence numbers is followed by the next one when step 4 is
on disk, so that only the last number can come twice.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Final

from mqbridge.bridge.agents.linking.dead_letters import dispose
from mqbridge.bridge.agents.linking.source import SourceQueue
from mqbridge.bridge.agents.message_channel.channel_program import OnStored
from mqbridge.bridge.agents.partner.context import PartnerContext
from mqbridge.bridge.agents.partner.in_doubt import PacketInDoubt, load_in_doubt
from mqbridge.bridge.agents.partner.outgoing import OutgoingMessage
from mqbridge.bridge.agents.partner.to_packets import put_fields, unwrapped, values_of
from mqbridge.bridge.queue_manager import MQError
from mqbridge.bridge.queue_manager.calls.agent_requests import HoldMessages
from mqbridge.bridge.queue_manager.calls.outcomes import RetrievedMany
from mqbridge.bridge.queue_manager.calls.requests import Backout, PutOne, Settle
from mqbridge.bridge.store.interface import Operation
from mqbridge.mappings.message import Message
from mqbridge.mappings.moment import Time
from mqbridge.mappings.templates import BuildError
from mqbridge.protocol.constants import MQPMO, MQRC
from mqbridge.protocol.errors import MQBridgeError

REASON: Final = "partner_reason"
"""Property of a dead letter: why the partner did not get it."""
_PUT: Final = int(MQPMO.SYNCPOINT | MQPMO.SET_ALL_CONTEXT)


class PartnerSender:
    """The messages of one queue. ``woken``: called when there may be one."""

    __slots__ = (
        "_again",
        "_back_off",
        "_context",
        "_held",
        "_numbered",
        "_paused_until",
        "_repeats",
        "_source",
        "problem",
        "queue",
    )

    def __init__(self, context: PartnerContext, woken: Callable[[], None]) -> None:
        """Hold what is in doubt. Raises ``StoreDamaged``."""
        self._context = context
        self.queue = context.settings.send
        self._source = SourceQueue(context.program, self.queue, woken)
        self._back_off = context.back_off()
        self._repeats: deque[OutgoingMessage] = deque()
        self._again: list[Callable[[Time], None]] = []
        self._held = self._numbered = 0
        self._paused_until = 0.0
        self.problem = ""
        """Why it sends nothing; blank while it works."""
        for queue, records in load_in_doubt(context.host.manager.store, context.settings.name).items():
            if queue == self.queue:
                self._hold(records, context.host.now)
            else:
                context.log("AMQ5087", queue)

    @property
    def next_timeout(self) -> float | None:
        """When it tries again after a failure."""
        return self._paused_until or None

    def turn(self, now: Time) -> bool:
        """Do again what has failed, if it is time; whether messages may be got again."""
        if not self._paused_until or now < self._paused_until:
            return False
        self._paused_until = 0.0
        again, self._again = self._again, []
        for each in again:
            each(now)
        self._context.units.commit(now)
        return True

    def stop(self, now: Time) -> None:
        """Get no more messages until `next` is called."""
        self._source.close(now)

    # Messages

    def next(self, now: Time) -> OutgoingMessage | None:
        """The next message to be sent; None while there is none, and then the partner is woken when one may have come.
        What cannot be sent is disposed of."""
        context = self._context
        if not self.queue or context.stopping or self._paused_until or self._numbered:
            self._source.cancel(now)
            return None
        while not context.units.full():
            if self._repeats:
                found: OutgoingMessage | None = self._repeats.popleft()
            else:
                found = self._got(now)
            if found is None or not self._is_poison(found, now):
                return found
            if self._paused_until:
                break
        return None

    def _got(self, now: Time) -> OutgoingMessage | None:
        while not self._context.units.full() and not self._paused_until:
            try:
                got = self._source.get(1, self._held, now)
                if not got.messages:
                    self._source.wait(now)
                    return None
            except MQError as error:
                self._pause(f"{self.queue}: {error}", now)
                return None
            self._held += 1
            made = self._made(got.messages[0], got.tokens[0], now)
            if made is not None:
                return made
        return None

    def _made(self, message: Message, token: bytes, now: Time) -> OutgoingMessage | None:
        """Make a message ready; None if it cannot be sent, which is settled then."""
        context = self._context
        out = OutgoingMessage(message, message, token, {})
        try:
            out.inner, *names = unwrapped(message)
            fields = put_fields(context.protocol, context.settings.role)
            ccsid = context.host.manager.objects.manager.integer("CCSID")
            out.values = values_of(out.inner, (names[0], names[1]), fields, ccsid, context.protocol.most)
        except MQBridgeError as error:
            self.bury(out, MQRC.FORMAT_ERROR, str(error), now)
            return None
        return out

    def _is_poison(self, out: OutgoingMessage, now: Time) -> bool:
        """Put a message aside whose sessions have ended too often without its arrival."""
        definition = self._context.host.manager.objects.queue(self.queue)
        threshold = definition.integer("BOTHRESH") if definition is not None else 0
        if not 0 < threshold <= max(out.attempts, out.message.md.backout_count):
            return False
        self.bury(out, MQRC.BACKOUT_THRESHOLD_REACHED, f"{threshold} sessions ended without an answer", now, True)
        return True

    # What becomes of them

    def finish(self, out: OutgoingMessage, now: Time, then: OnStored | None = None) -> None:
        """The other side has it: it leaves the queue in the unit of this turn. ``then``: who cares if the store refuses
        that; without it, it is tried again."""
        rows: list[Operation] = []
        if out.numbers:
            rows.append(self._context.numbers.keep(out.numbers))
            self._numbered += 1
        if out.record is not None:
            rows.append(out.record.remove(self._context.settings.name, self.queue))
        self._context.units.add(partial(self._finished, out, then), rows, out.token)

    def _finished(self, out: OutgoingMessage, then: OnStored | None, error: MQError | None) -> None:
        self._numbered -= bool(out.numbers)
        if error is None:
            self._held -= 1
            self._context.counts.sent += 1
            self.works()
            self._context.units.room()
        if then is not None:
            then(error)
        elif error is not None:
            self._again.append(lambda now: self.finish(out, now))
            self._pause(f"{self.queue}: {error}", self._context.host.now)

    def works(self) -> None:
        """A message has arrived."""
        if not self._paused_until:
            self._back_off.reset()
            self.problem = ""

    def record(self, out: OutgoingMessage, packets: dict[str, bytes], then: OnStored) -> None:
        """Write the packets of a message, and its numbers, in the unit of this turn."""
        context = self._context
        out.record = record = PacketInDoubt.of(out.token, out.message, packets)
        rows: list[Operation] = [record.put(context.settings.name, self.queue)]
        if out.numbers:
            rows.append(context.numbers.keep(out.numbers))

        def stored(error: MQError | None) -> None:
            if error is None:
                out.numbers = {}
            else:
                out.record = None
            then(error)

        context.units.add(stored, rows)

    def unsettled(self, out: OutgoingMessage, now: Time) -> None:
        """A session has ended, and nobody knows whether the other side has it."""
        out.attempts += 1
        if out.record is not None:
            self._repeats.append(out)
            self._repeats = deque(sorted(self._repeats, key=lambda each: each.token))
            return
        self._context.numbers.give_back(out.numbers)
        self._held -= 1
        self._context.program.session.submit(Backout(0, (out.token,)), now)

    def bury(self, out: OutgoingMessage, reason: int, text: str, now: Time, aside: bool = False) -> None:
        """Put a message that will never be sent to the dead-letter queue, or what its report options ask for.

        ``aside``: to BOQNAME, if the queue names one.
        """
        error = self._put_away(out, reason, text, now, aside)
        if error is not None:
            if out.record is None:
                self._held -= 1
                self._context.program.session.submit(Settle(0, back=(out.token,)), now)
            else:
                self._again.append(lambda later: self.bury(out, reason, text, later, aside))
            self._pause(f"{self.queue}: {error}", now)
            return
        rows = [] if out.record is None else [out.record.remove(self._context.settings.name, self.queue)]

        def stored(failure: MQError | None) -> None:
            if failure is None:
                self._held -= 1
                self._context.counts.failed += 1
            else:
                self._again.append(lambda later: self.bury(out, reason, text, later, aside))
                self._pause(f"{self.queue}: {failure}", self._context.host.now)

        self._context.units.add(stored, rows, out.token)

    def _put_away(self, out: OutgoingMessage, reason: int, text: str, now: Time, aside: bool) -> MQError | None:
        context, message = self._context, out.message
        context.log("AMQ5084", self.queue, text)
        definition = context.host.manager.objects.queue(self.queue)
        queue = definition.text("BOQNAME") if aside and definition is not None else ""
        if queue:
            request = PutOne(0, queue, "", message.raw_md, message.body, _PUT, message.order, message.ccsid)
            try:
                context.program.do(request, now)
                return None
            except MQError as error:
                context.log("AMQ5083", f"{queue}: {error}")
        names = self.queue, context.host.manager.name
        user = context.settings.mcauser
        return dispose(context.program, message, names, "", text, user, now, reason=int(reason), described_as=REASON)

    def _pause(self, problem: str, now: Time) -> None:
        if problem != self.problem:
            self._context.log("AMQ5083", problem)
        self.problem = problem
        self._source.cancel(now)  # others may want what comes meanwhile
        if not self._paused_until:
            self._paused_until = now + self._back_off.wait()

    # After a restart

    def _hold(self, records: list[PacketInDoubt], now: Time) -> None:
        """Take up packets in doubt: their messages are held again."""
        context, session = self._context, self._context.program.session
        for record in records:
            outcome = session.submit(HoldMessages(0, self.queue, (record.position,), read=True), now)
            if not isinstance(outcome, RetrievedMany):
                context.log("AMQ5083", f"{self.queue}: a message in doubt cannot be read")
                continue
            if not outcome.messages or not record.is_of(outcome.messages[0]):
                session.submit(Settle(0, back=outcome.tokens), now)
                context.units.add(lambda _: None, [record.remove(context.settings.name, self.queue)])
                continue
            message = outcome.messages[0]
            out = OutgoingMessage(message, message, outcome.tokens[0], {})
            out.record, out.attempts = record, 1
            self._held += 1
            try:
                out.inner, *_ = unwrapped(message)
            except BuildError:
                out.inner = message
            self._repeats.append(out)
