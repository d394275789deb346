"""Messages of one remote queue on their way: got and held, stamped on disk, and removed once they have arrived.

The order of steps; D marks what is on disk before the next step:

1. Messages are got and held, a few at once; each gets a time stamp that with its text was never given before.
2. D their stamps and digests, one row; the deletes of messages that have arrived share the transaction.
3. They go out one by one, each when the one before it has arrived.

After a crash all that the row names is held again at the start and goes out first, as it was.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from mqbridge.bridge.agents.linking.in_doubt import check_of
from mqbridge.bridge.agents.linking.source import SourceQueue
from mqbridge.bridge.agents.message_channel.channel_program import ChannelProgram, OnStored
from mqbridge.bridge.queue_manager import Application, MQError
from mqbridge.bridge.queue_manager.calls.agent_requests import HoldMessages
from mqbridge.bridge.queue_manager.calls.outcomes import RetrievedMany
from mqbridge.bridge.queue_manager.calls.requests import Commit, Settle
from mqbridge.bridge.store.interface import Operation
from mqbridge.mappings.message import Message
from mqbridge.mappings.moment import Time, date_of
from mqbridge.protocol.constants import MQAT
from mqbridge.protocol.myopenq import DIGEST_SIZE, Command, MoqError, Put, build_packet, write_request

from .context import SendingContext
from .definition import RemoteQueue
from .stamps_on_disk import Stamped, write_highest, write_stamped

MOST: Final = 20
"""Messages that are got at once, and so the most that are held."""
_POSITION: Final = slice(8, 16)
"""Bytes of a token with the position of its message."""


@dataclass(slots=True, eq=False)
class OutgoingMessage:
    """``token``: under which it is held. ``sent``: it has gone out, or may have, in this life or an earlier one.
    ``doubt``: it may have arrived: no answer has said that it has not."""

    token: bytes
    stamped: Stamped
    packet: bytes
    sent: bool = False
    doubt: bool = False
    repeat: bool = False


class OutgoingMessages:
    """The messages of one remote queue.

    ``ahead``: held, their stamps on disk, to be sent in this order. ``arrived``: to be removed by the next commit.
    ``there``: a message may be there; ``waiting``: none was, and ``woken`` is called when one comes. ``ended``: called
    when a commit is on disk, or with the reason why not.
    """

    __slots__ = (
        "_context", "_ended", "_in_row", "_kept", "_program", "_queue", "_source", "_window", "_woken", "ahead",
        "arrived", "committing", "there", "waiting",
    )  # fmt: skip

    def __init__(self, context: SendingContext, queue: RemoteQueue, woken: Callable[[], None], ended: OnStored) -> None:
        manager = context.host.manager
        application = Application(appl_type=int(MQAT.QMGR), appl_name=manager.name[:28])
        self._context = context
        self._queue = queue
        self._window = context.window(queue.address, queue.port)
        self._program = ChannelProgram(manager, application, trusted=True)
        self._woken = woken
        self._ended = ended
        self._source = SourceQueue(self._program, queue.name, self._found)
        self._kept: dict[int, Stamped] = {}
        """What messages that were refused go out with when they are got again."""
        self._in_row = False
        self.ahead: deque[OutgoingMessage] = deque()
        self.arrived: list[OutgoingMessage] = []
        self.committing = self.there = self.waiting = False

    def hold(self, rows: list[Stamped], now: Time) -> None:
        """Take up the messages of the last run. Raises `MQError` where they cannot be read; they stay hidden then."""
        self._in_row = True
        expected = {each.position: each for each in rows}
        request = HoldMessages(0, self._queue.name, tuple(expected), read=True)
        found = self._program.do(request, now)
        assert isinstance(found, RetrievedMany)
        others = []
        for message, token in zip(found.messages, found.tokens, strict=True):
            stamped = expected[_position(token)]
            if stamped.check == check_of(message):
                packet = self._packet(message, stamped.stamp, stamped.digest)
                self.ahead.append(OutgoingMessage(token, stamped, packet, sent=True, doubt=True))
            else:
                others.append(token)
        self._give_back(others, now)
        self.go_on()

    def look(self, now: Time) -> None:
        """Find out whether a message is there, or wait for one. Raises `MQError`."""
        self._source.wait(now)
        queue = self._context.host.manager.queue(self._queue.name)
        self.there = queue is not None and queue.first() is not None
        self.waiting = not self.there

    def unblock(self) -> None:
        """See `Member.unblock`."""
        self.waiting = False
        self._woken()

    def _found(self) -> None:
        self.there, self.waiting = True, False
        self._woken()

    def commit(self, now: Time, *, refill: bool) -> None:
        """Remove what has arrived, and get the next messages if ``refill``; they are `ahead` when that is on disk.

        Nothing is written where there is neither. Raises `MQError`, and `MoqError` where the next message has no place
        in a packet; both after what has arrived was taken care of.
        """
        refusal: MQError | MoqError | None = None
        new: list[OutgoingMessage] = []
        most = self._window.room(self) if refill and not self.ahead else 0
        self.waiting = refill and not most
        if most:
            try:
                new = self._next(min(most, MOST), now)
            except (MQError, MoqError) as error:
                refusal = error
        row = [each.stamped for each in (*self.ahead, *new)]
        if self.arrived or new or (self._in_row and not row and refusal is None and most):
            rows = [write_stamped(self._queue.name, row or self._kept.values())]
            if new:  # an earlier write of it may have been refused
                rows.append(write_highest(self._context.stamps.highest))
            self._write(rows, new, now)
        if refusal is not None:
            raise refusal

    def _write(self, rows: list[Operation], new: list[OutgoingMessage], now: Time) -> None:
        gone, self.arrived = self.arrived, []
        self.committing = True
        place = self._window.enter(self, len(new))

        def stored(error: MQError | None) -> None:
            self.committing = False
            if error is None:
                self._in_row = bool(self.ahead or new or self._kept)
                self.ahead.extend(new)
                if new:
                    self._window.moved(self, place)
                self._leave_window()
            else:
                self.arrived = gone
                self._give_back([each.token for each in new], self._context.host.now)
            self._ended(error)

        tokens = tuple([each.token for each in gone])
        self._program.commit(Commit(self._program.next_tag(), tuple(rows), tokens), stored, now)

    def _next(self, most: int, now: Time) -> list[OutgoingMessage]:
        self.there = self.waiting = False
        got = self._source.get(most, len(self.arrived), now)
        if not got.messages:
            self._kept.clear()
            self.look(now)
            return []
        new: list[OutgoingMessage] = []
        try:
            for message, token in zip(got.messages, got.tokens, strict=True):
                new.append(self._stamped(message, token, now))
        except MoqError:
            self._give_back(list(got.tokens[len(new) :]), now)
            if not new:
                raise
        self._kept.clear()
        return new

    def _stamped(self, message: Message, token: bytes, now: Time) -> OutgoingMessage:
        position, check = _position(token), check_of(message)
        kept = self._kept.get(position)
        if kept is not None and kept.check == check:
            return OutgoingMessage(token, kept, self._packet(message, kept.stamp, kept.digest), sent=True)
        variable = self._variable(message)
        stamp = self._context.stamps.stamp(variable, int(date_of(now)))
        packet = build_packet(Command.PUT, variable, stamp, secret=self._context.secret)
        return OutgoingMessage(token, Stamped(position, check, stamp, packet[:DIGEST_SIZE].decode()), packet)

    def _packet(self, message: Message, stamp: int, digest: str) -> bytes:
        """The packet as it was: with the digest that it had, even if the secret is another one now."""
        return digest.encode() + build_packet(Command.PUT, self._variable(message), stamp, sign=False)[DIGEST_SIZE:]

    def _variable(self, message: Message) -> bytes:
        return write_request(Put(self._queue.remote_name, message.data), framed=True)[1]

    # Giving back

    def release(self, now: Time, *, all_of_them: bool = False) -> None:
        """Let others have what is not in doubt, or, of a queue that goes, all; the order stays. What was refused keeps
        its stamp."""
        back = []
        while self.ahead and (all_of_them or not self.ahead[-1].doubt):
            each = self.ahead.pop()
            back.append(each.token)
            if each.sent:
                self._kept[each.stamped.position] = each.stamped
        if all_of_them:
            back += [each.token for each in self.arrived]
            self.arrived = []
        self._give_back(back, now)
        self._leave_window()

    def _leave_window(self) -> None:
        if not self.ahead and not self.arrived and not self.committing:
            self._window.leave(self)

    def pause(self) -> None:
        """Nothing is repeated until `go_on`, so others need not wait for it."""
        self._window.leave(self)

    def go_on(self) -> None:
        """What is in doubt is repeated again."""
        if self.ahead or self.arrived:
            self._window.doubt(self)

    def close(self, now: Time) -> None:
        """Close the queue; what is held stays so."""
        self.there = self.waiting = False
        self._source.close(now)

    def rest(self, now: Time) -> None:
        """Stop waiting for messages: others may want them."""
        self.there = self.waiting = False
        self._source.cancel(now)

    def _give_back(self, tokens: list[bytes], now: Time) -> None:
        if tokens:
            self._program.session.submit(Settle(0, back=tuple(tokens)), now)


def _position(token: bytes) -> int:
    return int.from_bytes(token[_POSITION], "big")
