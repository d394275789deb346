"""Recorded calls of IBM's client fed to a gateway in this process: no sockets, no threads, a store in memory.

The replies are compared with those recorded: the first ones field by field, with the values that a server assigns put
into what the client says; those of repeated turns byte by byte, but for ids, times, tokens and counts of messages.
"""

from __future__ import annotations

import time
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from calls_recording import Call, Calls, Read, is_call, load
from programs import OBJECTS

from mqbridge.bridge.agents.gateway.channel_manager import ChannelLimits
from mqbridge.bridge.agents.gateway.control import Control
from mqbridge.bridge.agents.gateway.conversation_driver import Send
from mqbridge.bridge.agents.gateway.gateway import Gateway
from mqbridge.bridge.queue_manager import QueueManager
from mqbridge.bridge.queue_manager.mqsc import Commands
from mqbridge.bridge.queue_manager.objects import Objects, define_channel_user, define_supplied
from mqbridge.bridge.store.memory import MemoryStore
from mqbridge.captures.differential import AnswerComparison, Mask, fields_of, tally
from mqbridge.captures.differential.known_masks import NONCE, PROCESS, PUT_TIME
from mqbridge.protocol.constants import SegmentType
from mqbridge.protocol.framing import LARGEST_SEGMENT, Segment, SegmentReader

SOCKET = 1
WRITE_SIZE = 65536
_BODY = "data.bytes"
_INDEX = "REQMSG.GlobalMessageIndex"
_VARYING = frozenset(
    {
        *("MD.MsgId", "MD.PutDate", "MD.PutTime"),
        *("ASYNC.MsgToken", "ASYNC.MessageIndex", "ASYNC.GlobalMessageIndex"),
    }
)
"""Fields that differ from turn to turn."""
_MASKS = (
    *PROCESS,
    NONCE,
    PUT_TIME,
    Mask("queue manager identifier", "ID.QMgrIdentifier FCNO.* INQ.2032", "made when the queue manager was"),
    Mask("dates", "INQ.2004 INQ.2005 INQ.2027 INQ.2028", "when an object was made and altered"),
    Mask("id", "SPRO.FirstId", "made by the queue manager for messages to come; the recorded ones are used"),
    Mask("token", "ASYNC.MsgToken", "of this queue manager"),
)


class WrongReply(Exception):
    """A reply is not the recorded one; the message says where they differ."""


class Door:
    """A queue manager BENCH with the queues of `jms`, and one connection to it."""

    def __init__(self) -> None:
        now = time.time()
        self._store = MemoryStore()
        objects = Objects("BENCH", now)
        define_supplied(objects, now)
        define_channel_user(objects, now)
        self._store.commit([objects.operations()])
        self._manager = QueueManager("BENCH", self._store, objects, now)
        self._gateway = Gateway(self._manager, self._store, ChannelLimits(), now)
        commands = Commands(self._manager, Control(self._gateway.channel_manager), now)
        for command in OBJECTS.splitlines():
            commands.execute(command, now, lambda _: None)
        self._pump(now)
        connection = self._gateway.connections.inbound("127.0.0.1", 50_000, now)
        assert connection is not None
        self._connection = connection

    def feed(self, data: bytes) -> list[bytes]:
        """Give the gateway what was read, as the driver of its sockets does; return what it writes."""
        now = time.time()
        self._connection.conversation.receive_data(data, now)
        self._connection.turn_ends()
        return self._pump(now)

    def _pump(self, now: float) -> list[bytes]:
        gateway, manager = self._gateway, self._manager
        sent: list[bytes] = []
        while True:
            gateway.settle(now)
            commits = manager.take_commits()
            for effect in gateway.take_effects():
                if type(effect) is Send:
                    while pieces := effect.connection.data_to_send(WRITE_SIZE):
                        sent += pieces
                    effect.connection.conversation.writable(now)
            if commits:
                errors = self._store.commit([each.operations for each in commits])
                gateway.next_timeout()
                now = time.time()
                for unit, error in zip(commits, errors, strict=True):
                    gateway.committed(unit, error, now)
            elif not gateway.has_more:
                gateway.next_timeout()
                return sent


@dataclass(frozen=True, slots=True)
class _RepeatedRead:
    """A read of the repeated turn. ``index_at``: where it counts the messages received before, 0 for nowhere;
    ``index``: the count of the first turn; ``step``: messages of a turn."""

    data: bytes
    index_at: int = 0
    index: int = 0
    order: str = ""
    step: int = 0

    def of_turn(self, turn: int) -> bytes:
        """The bytes of a turn, from 0."""
        if not self.index_at:
            return self.data
        count = (self.index + turn * self.step).to_bytes(4, self.order)  # type: ignore[arg-type]
        return self.data[: self.index_at] + count + self.data[self.index_at + 4 :]


class _ExpectedReply:
    """A reply of the repeated turn, without the fields that vary. ``bodies``: data of the messages that are put in the
    turn, in order; a reply with a message takes the next one."""

    def __init__(self, segment: Segment, bodies: Iterator[bytes]) -> None:
        self.name = SegmentType(segment.type).name
        self._kept: list[slice] = []
        data = bytearray(segment.data)
        behind = 0
        for field in fields_of(segment):
            if field.key == _BODY:
                data[field.place] = next(bodies)
            elif field.key in _VARYING:
                self._kept.append(slice(behind, field.offset))
                behind = field.offset + field.size
        self._kept.append(slice(behind, segment.length))
        self._parts = self._parts_of(bytes(data))
        self._length = segment.length

    def _parts_of(self, data: bytes) -> list[bytes]:
        return [data[kept] for kept in self._kept]

    def fits(self, segment: Segment) -> bool:
        """Whether a reply is this one."""
        return segment.length == self._length and self._parts_of(segment.data) == self._parts


class Replay:
    """One kind of program that is connected and in the middle of its calls. Raises `WrongReply` where it was answered
    in another way than when it was recorded."""

    def __init__(self, calls: Calls) -> None:
        self.calls = calls
        self._door = Door()
        self._comparison = AnswerComparison()
        self._reader = SegmentReader(LARGEST_SEGMENT)
        self._asked: defaultdict[Call, deque[Segment]] = defaultdict(deque)
        self._recorded: defaultdict[int, deque[Segment]] = defaultdict(deque)
        for segment in self._load():
            self._play([segment])
        for read in (*calls.before, *calls.turn):
            self._play(self._next(read))
        self._turns = 0
        self._turn: list[_RepeatedRead] = []
        self._expected: list[_ExpectedReply] = []
        self._first_turn()
        different = tally(self._comparison, _MASKS).different
        if different:
            raise WrongReply("\n".join([f"{calls.name}: replies differ", *map(str, different[:10])]))

    def _load(self) -> list[Segment]:
        """Read the recording; return what the client says before its conversations begin with their calls."""
        calling = {conversation for read in self.calls.turn for conversation, _ in read}
        begun: set[int] = set()
        first = []
        for asks, segment in load(self.calls.name):
            conversation = segment.conversation_id
            if not asks:
                self._recorded[conversation].append(segment)
                continue
            if is_call(segment):
                begun.add(conversation)
            if conversation in begun:
                self._asked[conversation, segment.type].append(segment)
            elif begun != calling:
                first.append(segment)
        return first

    def _next(self, read: Read) -> list[Segment]:
        return [self._asked[call].popleft() for call in read]

    def _play(self, asked: Iterable[Segment]) -> tuple[bytes, list[Segment]]:
        """Say what was recorded, and compare the answers; return what was said, and the answers."""
        data = b"".join(self._comparison.request(SOCKET, segment) for segment in asked)
        heard = list(self._reader.feed(b"".join(self._door.feed(data))))
        for segment in heard:
            recorded = self._recorded[segment.conversation_id]
            self._comparison.expect(SOCKET, [recorded.popleft()] if recorded else [])
            self._comparison.hear(SOCKET, [segment])
        return data, heard

    def _first_turn(self) -> None:
        """Play the turn that is repeated later, and keep it with its replies."""
        calls = self.calls
        heard: list[Segment] = []
        bodies: list[bytes] = []
        for read in calls.turn:
            asked = self._next(read)
            data, replies = self._play(asked)
            heard += replies
            bodies += (field.value for segment in asked for field in fields_of(segment) if field.key == _BODY)
            index = next((field for field in fields_of(asked[0]) if field.key == _INDEX), None)
            if index is None:
                self._turn.append(_RepeatedRead(data))
            else:
                order = asked[0].order.endian
                self._turn.append(_RepeatedRead(data, index.offset, index.value, order, calls.turn.count(read)))
        following = iter(bodies)
        self._expected = [_ExpectedReply(segment, following) for segment in heard]
        wanted = sum(map(len, calls.turn)) - (calls.messages if calls.silent else 0)
        if len(self._expected) != wanted:
            raise WrongReply(f"{calls.name}: {len(self._expected)} replies to a turn, {wanted} were expected")

    def prepare(self, count: int) -> list[bytes]:
        """The reads of the next turns with ``count`` messages at least."""
        turns = -(-count // self.calls.messages)
        first, self._turns = self._turns + 1, self._turns + turns
        return [read.of_turn(turn) for turn in range(first, first + turns) for read in self._turn]

    def feed(self, reads: list[bytes]) -> list[list[bytes]]:
        """Feed reads to the gateway, and return what it writes to each: this is what is measured."""
        feed = self._door.feed
        return [feed(data) for data in reads]

    def check(self, sent: list[list[bytes]]) -> int:
        """Compare the replies to prepared reads; return the number of messages."""
        calls, expected = self.calls, self._expected
        heard = list(self._reader.feed(b"".join(piece for pieces in sent for piece in pieces)))
        turns = len(sent) // len(self._turn)
        if len(heard) != turns * len(expected):
            raise WrongReply(f"{calls.name}: {len(heard)} replies to {turns} turns, not {turns * len(expected)}")
        for number, segment in enumerate(heard):
            each = expected[number % len(expected)]
            if not each.fits(segment):
                raise WrongReply(f"{calls.name}: reply {number} is {segment}, not the recorded {each.name}")
        return turns * calls.messages
