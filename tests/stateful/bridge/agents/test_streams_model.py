"""Messages that stream to a client whose line is slow, against lists: credit, order, what a close and a loss give back.

The queue manager answers at once; what it sends lies in a pipe until a rule lets the client receive the next segment.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from mqbridge.protocol.constants import (
    MQGMO,
    MQOO,
    ConnectionState,
    ControlFlags1,
    NotificationCode,
    RequestFlags,
    SegmentType,
)
from mqbridge.protocol.framing import Segment
from mqbridge.protocol.structures import API, ASYNC, NOTIF, REQMSG_SELECTION, async_name_size
from mqbridge.protocol.structures.md import MD
from support.wire.calls import ORDER, WHOLE, WRITER, word
from support.wire.host import WireHost

CHECK, SINGLE = int(RequestFlags.CHECK), int(RequestFlags.SINGLE)
LISTENER, SELECTION = int(RequestFlags.LISTENER), int(RequestFlags.SELECTION)
GET, WAIT, AHEAD, TOP_UP, LISTEN = 0x1E, 0x18, 0x1A, 0x00, 0x11
ROOMS = [1, 800, 3000, 100_000]
SYNC, OUTSIDE, EITHER = int(MQGMO.SYNCPOINT), int(MQGMO.NO_SYNCPOINT), int(MQGMO.SYNCPOINT_IF_PERSISTENT)
KINDS = st.sampled_from([SYNC, OUTSIDE, EITHER])
CONFIRM = int(ControlFlags1.CONFIRM_REQUEST)


@dataclass(slots=True, eq=False)
class Item:
    """A message that was sent."""

    data: bytes
    index: int
    single: bool
    in_unit: bool
    received: bool = False
    confirmed: bool = False


@dataclass(slots=True, eq=False)
class Reader:
    """A handle. ``mode``: None, ``check`` or ``stream``: what it still wants."""

    handle: int
    options: int
    mode: str | None = None
    flags: int = 0
    requested: int = 0
    in_flight: int = 0
    arrived: int = 0
    """Bytes since the last request."""
    last: int = 0
    """Index of the last message that was received."""
    sent: list[Item] = field(default_factory=list)
    selection: int = 0
    paused: bool = False
    """What it was sent last is part of the unit of work: nothing follows before that ends, or it asks again."""

    @property
    def enough(self) -> bool:
        return bool(self.flags & SINGLE) or self.in_flight >= self.requested


class Streams(RuleBasedStateMachine):
    @initialize(first=KINDS, second=KINDS)
    def begin(self, first: int, second: int) -> None:
        self.host = WireHost(10)
        self.host.local("Q")
        self.available: list[bytes] = []
        self.count = 0
        self.kinds = [first, second]
        self.enter()

    def enter(self) -> None:
        self.line, self.calls = self.host.enter()
        self.pipe: list[Segment] = []
        self.unit: list[bytes] = []
        self.listening = False
        self.global_index = 0
        self.readers = [self.opened(options) for options in self.kinds]

    def opened(self, options: int) -> Reader:
        return Reader(self.line.perform(self.calls.open("Q", int(MQOO.INPUT_SHARED))), options)

    chosen = st.integers(0, 1)

    # What the queue manager sends

    def observe(self) -> None:
        """Looks at what has come into the pipe, as it is sent."""
        while self.line.came:
            segment = self.line.came.popleft()
            self.pipe.append(segment)
            if segment.type == SegmentType.ASYNC_MESSAGE:
                self.message_sent(segment)
            elif segment.type == SegmentType.NOTIFICATION:
                told = NOTIF.codec(segment.order).parse(segment.body)
                if told.code == NotificationCode.CHECK_MSG:
                    reader = self.reader(told.object_handle)
                    assert reader.mode == "check"
                    reader.mode = None if reader.enough else "stream"

    def message_sent(self, segment: Segment) -> None:
        head, data = read_message(segment)
        reader = self.reader(head.object_handle)
        assert reader.mode is not None, "nobody asked for it"
        assert reader.in_flight < reader.requested, "there was no credit"
        assert not reader.flags & LISTENER or self.listening
        assert self.available, f"{data!r} is not on the queue"
        assert data == self.available.pop(0)
        assert head.message_index == (reader.sent[-1].index if reader.sent else 0) + 1
        assert not reader.paused
        in_unit = reader.options == SYNC or (reader.options == EITHER and data.endswith(b"p"))
        reader.sent.append(Item(data, head.message_index, bool(reader.flags & SINGLE), in_unit))
        if in_unit:
            self.unit.append(data)
            reader.paused = reader.requested > 1 and not reader.flags & SINGLE
        reader.in_flight += MD.size + len(data)
        if reader.mode == "stream" and reader.enough:
            reader.mode = None

    def reader(self, handle: int) -> Reader:
        return next(reader for reader in self.readers if reader.handle == handle)

    # The client's lines

    @rule(count=st.integers(1, 4), long=st.booleans(), persistent=st.booleans())
    def put(self, count: int, long: bool, persistent: bool) -> None:
        for _ in range(count):
            self.count += 1
            data = b"%06d" % self.count + b"." * (700 if long else 0) + (b"p" if persistent else b"n")
            self.available.append(data)
            self.host.put("Q", data, persistence=int(persistent))
            self.observe()

    @rule(
        number=chosen,
        flags=st.sampled_from([GET, GET, WAIT, WAIT, AHEAD, AHEAD, TOP_UP, TOP_UP, LISTEN, LISTEN & ~SELECTION]),
        room=st.sampled_from(ROOMS),
    )
    def ask(self, number: int, flags: int, room: int) -> None:
        reader = self.readers[number]
        if not reader.selection:
            flags |= SELECTION
        reader.selection += bool(flags & SELECTION)
        body = REQMSG_SELECTION.codec(ORDER)(
            object_handle=reader.handle, received_bytes=reader.arrived, requested_bytes=room, max_msg_length=-1,
            get_msg_options=reader.options, wait_interval=0, request_flags=flags,
            global_message_index=self.global_index, selection_index=reader.selection, mqmd_version=2,
        ).build()  # fmt: skip
        reader.in_flight = 0 if flags & SELECTION else max(0, reader.in_flight - reader.arrived)
        reader.flags, reader.requested, reader.arrived, reader.paused = flags, room, 0, False
        for each in self.readers:
            for item in each.sent:
                item.confirmed |= each is reader and item.received
        checks = bool(flags & CHECK)
        reader.mode = None if reader.in_flight >= room and not checks else "check" if checks else "stream"
        self.line.say(
            WRITER.build_shared(
                self.calls.conversation,
                3 if checks else 1,
                SegmentType.REQUEST_MSGS,
                body if flags & SELECTION else body[:40],
                flags1=WHOLE | (CONFIRM if checks else 0),
            )
        )
        self.observe()
        assert reader.mode != "check", "a check is answered at once"

    @rule(start=st.booleans())
    def starts_or_stops(self, start: bool) -> None:
        """The listeners of the conversation."""
        self.listening = start
        value = int(ConnectionState.STARTED if start else ConnectionState.STOPPED)
        body = NOTIF.codec(ORDER)(object_handle=-1, code=int(NotificationCode.CONN_STATE), value=value).build()
        request, flags = (1, WHOLE) if start else (3, WHOLE | CONFIRM)
        kind = SegmentType.NOTIFICATION
        self.line.say(WRITER.build_shared(self.calls.conversation, request, kind, body, flags1=flags))
        self.observe()

    @precondition(lambda self: self.pipe)
    @rule(count=st.integers(1, 5))
    def receive(self, count: int) -> None:
        for _ in range(min(count, len(self.pipe))):
            segment = self.pipe.pop(0)
            if segment.type == SegmentType.ASYNC_MESSAGE:
                head, data = read_message(segment)
                reader = self.reader(head.object_handle)
                reader.last, self.global_index = head.message_index, head.global_message_index
                reader.arrived += MD.size + len(data)
                reader.sent[head.message_index - 1].received = True

    @rule(commits=st.booleans())
    def end_unit(self, commits: bool) -> None:
        """A program that does so has received what it decides on."""
        if any(item.in_unit and not item.received for each in self.readers for item in each.sent):
            return
        if not commits:
            self.available = sorted(self.available + self.unit)
        self.unit = []
        for each in self.readers:
            each.paused = False
        kind = SegmentType.MQCMIT if commits else SegmentType.MQBACK
        api = API.codec(ORDER)(reply_length=4096).build()
        self.line.say(WRITER.build_shared(self.calls.conversation, 0, kind, api, flags1=WHOLE))
        self.observe()
        (reply,) = [segment for segment in self.pipe if segment.type == kind + 0x10]
        assert API.codec(reply.order).parse(reply.body).reason == 0
        self.pipe.remove(reply)

    @rule(number=chosen)
    def close_and_open(self, number: int) -> None:
        reader = self.readers[number]
        if any(item.single and not item.received for item in reader.sent):
            return  # its program waits for it
        back = [item.data for item in reader.sent if item.index > reader.last]
        self.unit = [data for data in self.unit if data not in back]
        self.available = sorted(self.available + back)
        reader.mode, reader.sent = None, []
        api = API.codec(ORDER)(reply_length=4096, object_handle=reader.handle, comp_code=reader.last).build()
        self.line.say(WRITER.build_shared(self.calls.conversation, 0, SegmentType.MQCLOSE, api, word(0), flags1=WHOLE))
        self.observe()
        kinds = [segment.type for segment in self.pipe]
        assert kinds.count(SegmentType.MQCLOSE_REPLY) == 1
        at = kinds.index(SegmentType.MQCLOSE_REPLY)
        assert not any(handle_of(segment) == reader.handle for segment in self.pipe[at + 1 :])
        self.pipe = [each for each in self.pipe[:at] if handle_of(each) != reader.handle] + self.pipe[at + 1 :]
        self.readers[number] = Reader(self.open_amid_messages(), self.kinds[number])

    def open_amid_messages(self) -> int:
        """Opens the queue once more, whatever is still in the pipe."""
        pipe, self.pipe = self.pipe, []
        handle = self.line.perform(self.calls.open("Q", int(MQOO.INPUT_SHARED)))
        self.pipe = pipe
        return handle

    @rule()
    def vanish(self) -> None:
        """The client is gone; what it had received and not said so may come again."""
        items = [item for reader in self.readers for item in reader.sent if not item.in_unit]
        gone = {item.data for item in items if item.single or item.confirmed}
        must = {item.data for item in items if not item.received and not item.single}
        self.line.hang_up()
        found = self.host.contents("Q")
        there = set(self.available) | set(self.unit)
        assert there | must <= set(found) <= there | {item.data for item in items}
        assert not gone & set(found)
        assert found == sorted(found)
        assert len(found) == len(set(found))
        self.available = found
        self.enter()

    # The truth

    @invariant()
    def the_queue_holds_what_nobody_was_sent(self) -> None:
        if hasattr(self, "host"):
            assert self.host.contents("Q") == self.available

    @invariant()
    def who_wants_messages_gets_them(self) -> None:
        for reader in self.readers if hasattr(self, "host") else []:
            if reader.mode == "stream" and not reader.paused and (self.listening or not reader.flags & LISTENER):
                assert not self.available

    def teardown(self) -> None:
        if hasattr(self, "host"):
            self.vanish()


def read_message(segment: Segment) -> tuple[Any, bytes]:
    head = ASYNC.codec(segment.order).parse(segment.body)
    at = ASYNC.size + async_name_size(head.resolved_q_name_length) + MD.size
    return head, segment.body[at : at + head.segment_length]


def handle_of(segment: Segment) -> int | None:
    """The handle that a segment without request is about."""
    if segment.type == SegmentType.ASYNC_MESSAGE:
        return int(ASYNC.codec(segment.order).parse(segment.body).object_handle)
    if segment.type == SegmentType.NOTIFICATION:
        return int(NOTIF.codec(segment.order).parse(segment.body).object_handle)
    return None


TestStreams = pytest.mark.spec(
    "client-observed.md O-055", "client-observed.md O-085", "client-observed.md O-104", "client-observed.md O-105"
)(Streams.TestCase)
TestStreams.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)
