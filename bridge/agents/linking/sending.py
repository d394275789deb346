"""To the provider: the messages of one queue, each accepted once before it leaves the queue.

The order of steps; D marks what is on disk before the next step:

1. A batch is got and held by the session.
2. D its in-doubt record: positions, and an id for each message that never comes again. Messages that are not persistent
   leave the queue in this transaction. The deletes of batches that the provider has settled meanwhile share it.
3. The messages are sent, persistent ones with their ids, and the provider states an outcome for each.
4. With the next commit: D the deletes of accepted messages and of the record, and the dead letters.

When the connection is lost, or the process dies, after step 2 the messages stay held, or are held again at the start,
and go out again with the same ids; a provider that has them drops them and accepts. Several batches are under way at
once; the next one is got and mapped while the store writes the last. With ``duplicates = "none"`` there are no ids and
no records.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from typing import Final

from mqbridge.bridge.agents.linking.addressing import Addressing
from mqbridge.bridge.agents.linking.commits import OrderedCommits
from mqbridge.bridge.agents.linking.context import LinkContext
from mqbridge.bridge.agents.linking.dead_letters import dispose
from mqbridge.bridge.agents.linking.in_doubt import InDoubtMessages
from mqbridge.bridge.agents.linking.outgoing import BACKED_OUT, Fate, OutgoingBatch, OutgoingMessage
from mqbridge.bridge.agents.linking.preparing import BatchMaker
from mqbridge.bridge.agents.linking.provider import Outcome
from mqbridge.bridge.agents.linking.source import SourceQueue
from mqbridge.bridge.queue_manager import MQError
from mqbridge.bridge.queue_manager.calls.requests import Backout, Commit, PutOne, Settle
from mqbridge.bridge.store.interface import Operation
from mqbridge.mappings.moment import Time
from mqbridge.protocol.constants import MQPMO, MQRC

MAX_BYTES: Final = 64 << 20
"""Bytes of data under way above which no more messages are got."""
_PUT: Final = int(MQPMO.SYNCPOINT | MQPMO.SET_ALL_CONTEXT)


class LinkSender:
    """The messages of one queue on their way to the provider.

    ``addressing``: where each goes; ``target`` is the address of the sending end. ``in_doubt``: its batches of the last
    run; their messages are held at once. ``turn_wanted``: called when the link should take a turn.
    """

    __slots__ = (
        "_back_off", "_batches", "_commits", "_context", "_credit", "_end_attached", "_handle", "_maker", "_more_at",
        "_next_tag", "_paused_until", "_program", "_recording", "_sent", "_source", "_stale", "_turn_wanted", "_unsent",
        "problem", "queue", "target",
    )  # fmt: skip

    def __init__(
        self,
        context: LinkContext,
        queue: str,
        addressing: Addressing,
        in_doubt: Iterable[InDoubtMessages],
        turn_wanted: Callable[[], None],
    ) -> None:
        self._context = context
        self.queue = queue
        self.target = addressing.address
        self._maker = BatchMaker(context, queue, addressing)
        self._program = context.program()
        self._source = SourceQueue(self._program, queue, turn_wanted)
        self._turn_wanted = turn_wanted
        self._back_off = context.back_off()
        self._batches: list[OutgoingBatch] = []
        self._unsent: deque[tuple[OutgoingBatch, OutgoingMessage]] = deque()
        self._sent: dict[bytes, tuple[OutgoingBatch, OutgoingMessage]] = {}
        self._stale: list[Operation] = []
        self._handle = 0
        self._end_attached = False
        self._credit = 0
        self._next_tag = 0
        self._paused_until = self._more_at = 0.0
        self._recording = 0
        self._commits = OrderedCommits()
        self.problem = ""
        """Why it sends nothing; blank while it works."""
        for record in in_doubt:
            self._hold(record, context.host.now)

    @property
    def under_way(self) -> int:
        """Number of messages whose outcome is not known, or not on disk; those included whose record is being
        written."""
        return self._recording + sum(len(batch.messages) for batch in self._batches)

    @property
    def quiet(self) -> bool:
        """Whether nothing more will come of what was sent: all outcomes are known and on disk."""
        return not self._commits and not self._sent and all(batch.left for batch in self._batches)

    @property
    def next_timeout(self) -> float | None:
        """When it tries again after a failure, or gets the next batch; None if outcomes are awaited."""
        return self._paused_until or self._more_at or None

    # The end at the provider

    def attached(self, handle: int, _now: Time) -> None:
        """The sending end is attached; credit follows."""
        self._handle, self._end_attached, self._credit = handle, True, 0

    def detached(self, now: Time) -> None:
        """The end or the connection is gone: what has no outcome is in doubt, and goes out again first. A message at
        which this happens again and again must not hold up the others."""
        self._end_attached, self._credit = False, 0
        self._sent.clear()
        self._unsent.clear()
        for batch in self._batches:
            for each in batch.with_fate(Fate.UNDER_WAY):
                if each.tag and not each.persistent:
                    each.fate = Fate.LOST
                    batch.left -= 1
                    self._context.counts.lost += 1
                    continue
                if each.tag:
                    each.attempts, each.tag = each.attempts + 1, b""
                    if each.is_suspect:
                        self._pause(f"{self.queue}: the connection ends when a message goes out", now)
                self._unsent.append((batch, each))
        self._unsent = deque(sorted(self._unsent, key=lambda each: each[1].rank))

    def credit(self, number: int) -> None:
        """The provider takes this number of further messages."""
        self._credit = number

    def outcome(self, event: Outcome, now: Time) -> None:
        """The provider has stated an outcome. A message in doubt that it does not take this time keeps its id: it may
        have been taken before."""
        found = self._sent.pop(event.tag, None)
        if found is None:
            return
        batch, message = found
        message.settle(event.state)
        if message.in_doubt and batch.record is not None and message.fate in (Fate.RETURNED, Fate.FAILED):
            message.send_again()
            self._unsent.append(found)
            self._pause(f"{self.queue}: the provider did not take a message in doubt", now)
            return
        batch.left -= 1

    def stop_getting(self, now: Time) -> None:
        """Get no more messages until the next turn that may."""
        self._source.close(now)

    # Turns

    def turn(self, now: Time) -> None:
        """Send what may be sent, and begin a commit if there is something to write."""
        if self._paused_until and now >= self._paused_until:
            self._paused_until = 0.0
        self._more_at = 0.0
        self._flush(now)
        if self._commits.full or self._paused_until:
            return
        finished = [batch for batch in self._batches if not batch.left and not batch.ending]
        new = self._next_batch(now)
        if new is not None or (not self._commits and (finished or self._stale)):
            self._commit(finished, new, now)
            if self._commits and not self._commits.full:
                self._more_at = now  # when the store has got this commit

    def _flush(self, now: Time) -> None:
        """Send messages of batches whose records are on disk, as far as credit goes."""
        unsent = self._unsent
        if not self._end_attached or not unsent or self._paused_until:
            return
        provider = self._context.provider()
        while unsent and self._credit > 0 and not self._goes_alone(unsent[0][1]):
            batch, message = unsent.popleft()
            assert message.amqp is not None
            self._credit -= 1
            self._next_tag += 1
            message.tag = self._next_tag.to_bytes(8, "big")
            self._sent[message.tag] = batch, message
            provider.send(self._handle, message.tag, message.amqp)

    def _goes_alone(self, message: OutgoingMessage) -> bool:
        """Whether a message must wait for an outcome, because it or the one under way is suspect."""
        sent = self._sent
        return bool(sent) and (message.is_suspect or (len(sent) == 1 and next(iter(sent.values()))[1].is_suspect))

    def _next_batch(self, now: Time) -> tuple[OutgoingBatch, list[Operation]] | None:
        """Get the next messages; None if there are none, or if none may be got."""
        settings, under_way = self._context.settings, self.under_way
        most = min(settings.batch, settings.window - under_way, self._credit - len(self._unsent) - self._recording)
        full = sum(batch.length for batch in self._batches) >= MAX_BYTES
        if not self._end_attached or self._context.stopping or most <= 0 or full:
            self._source.cancel(now)  # others may want what has come
            return None
        try:
            got = self._source.get(most, under_way, now)
            if not got.messages:
                self._source.wait(now)
                return None
        except MQError as error:
            if error.reason != MQRC.SYNCPOINT_LIMIT_REACHED or not under_way:
                self._pause(f"{self.queue}: {error}", now)
            return None  # at MAXUMSGS an outcome makes room
        return self._maker.batch(got, now)

    # Commits

    def _commit(
        self, finished: list[OutgoingBatch], new: tuple[OutgoingBatch, list[Operation]] | None, now: Time
    ) -> None:
        """Commit step 4 of finished batches with step 2 of a new one."""
        stale, self._stale = self._stale, []
        rows = [*stale, *self._context.requesters.removals()]
        gone: list[OutgoingMessage] = []
        for batch in finished:
            batch.ending = True
            if batch.record is not None:
                rows.append(batch.record.remove(self._context.settings.name, self.queue))
            gone += self._end_batch(batch, now)
        tokens = [each.token for each in gone if each.token]
        leaving: list[OutgoingMessage] = []
        recorded = 0
        if new is not None:
            rows += new[1]
            recorded = len(new[0].messages)
            leaving = [each for each in new[0].messages if not each.persistent and each.fate is Fate.UNDER_WAY]
            tokens += [each.token for each in leaving]
        self._recording += recorded

        def stored(error: MQError | None) -> None:
            self._recording -= recorded
            if error is not None:
                self._stale = [*stale, *self._stale]
                self._context.requesters.give_back(rows)
                self._refused(finished, None if new is None else new[0], error)
            else:
                for each in leaving:
                    each.token = b""
                self._stored(finished, None if new is None else new[0], gone)
            self._turn_wanted()

        request = Commit(self._program.next_tag(), tuple(rows), tuple(tokens))
        self._program.commit(request, self._commits.add(stored), now)

    def _end_batch(self, batch: OutgoingBatch, now: Time) -> list[OutgoingMessage]:
        """Put the dead letters of a settled batch in the unit of work. Returns the messages that leave the queue; those
        that cannot be dead-lettered go back to it."""
        leaving = batch.with_fate(Fate.ACCEPTED)
        for message in batch.with_fate(Fate.FAILED):
            if self._threshold_reached(message):
                message.refuse(BACKED_OUT, f"backed out {message.message.md.backout_count + 1} times")
        for message in batch.with_fate(Fate.DEAD):
            error = self._bury(message, now)
            if error is None:
                leaving.append(message)
                continue
            message.fate = Fate.RETURNED
            self._pause(f"{self.queue}: {error}", now)
        return leaving

    def _threshold_reached(self, message: OutgoingMessage) -> bool:
        definition = self._context.host.manager.objects.queue(self.queue)
        threshold = definition.integer("BOTHRESH") if definition is not None else 0
        return 0 < threshold <= message.message.md.backout_count + 1

    def _bury(self, dead: OutgoingMessage, now: Time) -> MQError | None:
        """Put a dead message to BOQNAME if it was backed out too often, else to the dead-letter queue."""
        context, message = self._context, dead.message
        definition = context.host.manager.objects.queue(self.queue)
        aside = definition.text("BOQNAME") if definition is not None and dead.condition == BACKED_OUT else ""
        context.log("AMQ5063", self.queue, dead.condition, dead.description)
        if aside:
            request = PutOne(0, aside, "", message.raw_md, message.body, _PUT, message.order, message.ccsid)
            try:
                self._program.do(request, now)
                return None
            except MQError as error:
                context.log("AMQ5062", aside, str(error))
        names = self.queue, context.host.manager.name
        return dispose(self._program, message, names, dead.condition, dead.description, context.settings.mcauser, now)

    def _stored(self, finished: list[OutgoingBatch], new: OutgoingBatch | None, gone: list[OutgoingMessage]) -> None:
        """A commit is on disk: return what goes back, and let the new batch be sent."""
        now, counts = self._context.host.now, self._context.counts
        self._batches = [each for each in self._batches if each not in finished]
        returned = [each.token for batch in finished for each in batch.with_fate(Fate.RETURNED) if each.token]
        failed = [each.token for batch in finished for each in batch.with_fate(Fate.FAILED) if each.token]
        accepted = sum(each.fate is Fate.ACCEPTED for each in gone)
        counts.sent += accepted
        counts.failed += len(gone) - accepted
        again = [each for batch in finished for each in batch.with_fate(Fate.RETURNED, Fate.FAILED) if not each.token]
        for each in again:
            each.send_again()
        if again:
            self._add(OutgoingBatch(again, None))
        if returned:
            self._program.session.submit(Settle(0, back=tuple(returned)), now)
        if failed:
            self._program.session.submit(Backout(0, tuple(failed)), now)
        refused = len(returned) + len(failed) + len(again)
        if refused and not self._paused_until:
            self._pause(f"{self.queue}: the provider did not take {refused} messages", now)
        elif accepted and not self._paused_until:
            self._back_off.reset()
            self.problem = ""
        if new is not None:
            self._add(new)

    def _add(self, batch: OutgoingBatch) -> None:
        """Take up a batch whose messages may be sent."""
        self._batches.append(batch)
        self._unsent.extend([(batch, each) for each in batch.with_fate(Fate.UNDER_WAY)])

    def _refused(self, finished: list[OutgoingBatch], new: OutgoingBatch | None, error: MQError) -> None:
        """The store has refused a commit: what is finished is tried again, the new batch goes back."""
        now = self._context.host.now
        for batch in finished:
            batch.ending = False
            for message in batch.messages:
                if message.condition and message.fate is not Fate.DEAD:
                    message.fate = Fate.DEAD
        if new is not None:
            self._program.session.submit(Settle(0, back=tuple([each.token for each in new.messages])), now)
        self._pause(f"{self.queue}: {error}", now)

    def _pause(self, problem: str, now: Time) -> None:
        if problem != self.problem:
            self._context.log("AMQ5062", problem)
        self.problem = problem
        self._source.cancel(now)  # others may want what comes meanwhile
        if not self._paused_until:
            self._paused_until = now + self._back_off.wait()

    # After a restart

    def _hold(self, record: InDoubtMessages, now: Time) -> None:
        """Take up a batch in doubt."""
        found = self._maker.held(record, self._program, now)
        if found is None:
            self._context.log("AMQ5062", f"{self.queue}: messages in doubt cannot be read")
            return
        batch, rows = found
        self._stale += rows
        if batch.messages:
            self._add(batch)
        else:
            self._stale.append(record.remove(self._context.settings.name, self.queue))
