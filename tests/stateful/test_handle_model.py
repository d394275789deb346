"""Handles on one queue against a list of messages: cursor, locks, marks, groups, segments, units of work.

The model looks at every message of the list for every question; the queue manager has its indexes. The same programs
are played on the queue manager itself and by the bytes of a client, with and without shared conversations.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from mqbridge.bridge.queue_manager import Handle, MQError, UnitOfWork
from mqbridge.protocol.constants import MQGMO, MQOO, MQRC
from support.queue_manager.group_messages import END, GROUP, LAST, SEGMENT, gid
from support.queue_manager.host import Host
from support.wire.handles import WireHandles

MARK_INTERVAL = 5.0
FIRST, NEXT, AGAIN = int(MQGMO.BROWSE_FIRST), int(MQGMO.BROWSE_NEXT), int(MQGMO.BROWSE_MSG_UNDER_CURSOR)
BROWSES = FIRST | NEXT | AGAIN
TAKE, LOCK, LOGICAL, WHOLE = (
    int(MQGMO.MSG_UNDER_CURSOR), int(MQGMO.LOCK), int(MQGMO.LOGICAL_ORDER), int(MQGMO.COMPLETE_MSG),
)  # fmt: skip
ALL_MSGS, ALL_SEGMENTS = int(MQGMO.ALL_MSGS_AVAILABLE), int(MQGMO.ALL_SEGMENTS_AVAILABLE)
MARK, MARK_SHARED = int(MQGMO.MARK_BROWSE_HANDLE), int(MQGMO.MARK_BROWSE_CO_OP)
UNMARK, UNMARK_SHARED = int(MQGMO.UNMARK_BROWSE_HANDLE), int(MQGMO.UNMARK_BROWSE_CO_OP)
UNMARKED, SYNCPOINT = int(MQGMO.UNMARKED_BROWSE_MSG), int(MQGMO.SYNCPOINT)
CUT, TOO_SHORT = int(MQGMO.ACCEPT_TRUNCATED_MSG), 2


@dataclass(slots=True, eq=False)
class Item:
    """A message; ``holder``: None, the number of the handle that has it locked, or ``"unit"``."""

    data: bytes
    place: tuple[bytes, int, int]
    flags: int
    holder: int | str | None = None
    marks: set[int] = field(default_factory=set)
    shared: float | None = None

    @property
    def segment(self) -> bool:
        return bool(self.flags & (SEGMENT | END))


@dataclass(slots=True, eq=False)
class Place:
    """Where a handle stands in a group."""

    last: tuple[bytes, int, int] = (b"", 1, 0)
    length: int = 0
    in_group: bool = False
    in_message: bool = False
    in_unit: bool = False
    logical: bool = False
    anchor: Item | None = None

    def following(self) -> tuple[bytes, int, int]:
        group_id, number, offset = self.last
        return (group_id, number, offset + self.length) if self.in_message else (group_id, number + 1, 0)


@dataclass(slots=True, eq=False)
class Opened:
    number: int
    handle: Handle
    cursor: Item | None = None
    order: bool | None = None
    gets: Place = field(default_factory=Place)
    browses: Place = field(default_factory=Place)


class Refused(Exception):
    pass


class HandleMachine(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.host = self.make_host()
        self.host.local("Q")
        self.items: list[Item] = []
        self.gone: list[Item] = []
        """Every message that was ever there, so that a cursor keeps its place."""
        self.opened = [self.open(number) for number in range(3)]
        self.unit: UnitOfWork | None = None
        self.count = 0

    def make_host(self) -> Host:
        return Host()

    def open(self, number: int) -> Opened:
        return Opened(number, self.host.open("Q", MQOO.BROWSE | MQOO.INPUT_SHARED | MQOO.CO_OP))

    handles = st.integers(0, 2)

    # The model

    def seen(self, handle: Opened) -> list[Item]:
        return [item for item in self.items if item.holder in (None, handle.number)]

    def at(self, handle: Opened, place: tuple[bytes, int, int]) -> Item | None:
        grouped = (item for item in self.seen(handle) if item.flags)
        return next((item for item in grouped if item.place == place), None)

    def segments(self, handle: Opened, group_id: bytes, number: int) -> list[Item] | None:
        found: list[Item] = []
        offset = 0
        while True:
            item = self.at(handle, (group_id, number, offset))
            if item is None:
                return None
            found.append(item)
            if not item.segment or item.flags & END:
                return found
            offset += len(item.data)

    def group_is_complete(self, handle: Opened, group_id: bytes) -> bool:
        number = 1
        while True:
            found = self.segments(handle, group_id, number)
            if found is None:
                return False
            if not found[0].flags & GROUP or (found[0].flags | found[-1].flags) & LAST:
                return True
            number += 1

    def eligible(self, handle: Opened, item: Item, options: int) -> list[Item] | None:
        group_id, number, offset = item.place
        if options & LOGICAL and item.flags and (number, offset) != (1, 0):
            return None
        if options & ALL_MSGS and item.flags & GROUP and not self.group_is_complete(handle, group_id):
            return None
        if not item.segment or not options & (WHOLE | ALL_MSGS | ALL_SEGMENTS):
            return [item]
        whole = self.segments(handle, group_id, number)
        if options & WHOLE:
            return None if offset else whole
        return None if whole is None else [item]

    def is_marked(self, handle: Opened, item: Item) -> bool:
        return handle.number in item.marks or item.shared is not None

    def search(self, handle: Opened, options: int) -> list[Item] | None:
        place = handle.browses if options & BROWSES else handle.gets
        current = (place.in_group or place.in_message) and not options & FIRST
        if options & (AGAIN | TAKE):
            return self.under_cursor(handle, options, place)
        if options & LOGICAL and current:
            return self.next_item(handle, options, place)
        behind = None
        if options & NEXT:
            behind = place.anchor if options & LOGICAL and place.anchor else handle.cursor
        start = 0 if behind is None else self.gone.index(behind) + 1
        for item in self.seen(handle):
            if self.gone.index(item) < start or (options & UNMARKED and self.is_marked(handle, item)):
                continue
            found = self.eligible(handle, item, options)
            if found is not None:
                return found
        return None

    def under_cursor(self, handle: Opened, options: int, place: Place) -> list[Item] | None:
        item = handle.cursor
        if item is None or item not in self.seen(handle):
            raise Refused(MQRC.NO_MSG_UNDER_CURSOR)
        if options & WHOLE and item.place[2]:
            raise Refused(MQRC.INVALID_MSG_UNDER_CURSOR)
        current = place.in_group or place.in_message
        if options & TAKE and options & LOGICAL and current and item.place != place.following():
            raise Refused(MQRC.INCOMPLETE_MSG if place.in_message else MQRC.INCOMPLETE_GROUP)
        if options & UNMARKED and self.is_marked(handle, item):
            return None
        return self.eligible(handle, item, options & ~LOGICAL)

    def next_item(self, handle: Opened, options: int, place: Place) -> list[Item] | None:
        if options & WHOLE and place.in_message:
            raise Refused(MQRC.INCOMPLETE_MSG)
        item = self.at(handle, place.following())
        if item is None or place.in_message:
            return None if item is None else [item]
        effective = options & WHOLE
        if options & (ALL_MSGS | ALL_SEGMENTS):
            effective |= ALL_SEGMENTS
        return self.eligible(handle, item, effective)

    def follow(self, place: Place, found: list[Item], options: int, in_unit: bool) -> None:
        first = found[0]
        if not (place.in_group or place.in_message) or not options & LOGICAL:
            place.in_unit = in_unit
        place.last = first.place
        place.length = sum(len(item.data) for item in found)
        place.in_message = first.segment and not found[-1].flags & END
        last = any(item.flags & LAST for item in (found if len(found) > 1 else [first]))
        last = bool(first.flags & LAST) if len(found) > 1 else last
        place.in_group = bool(first.flags & GROUP) and (place.in_message or not last)
        place.logical = bool(options & LOGICAL)

    # The rules

    @rule(
        group=st.sampled_from(["", "", "a", "a", "b"]),
        number=st.integers(1, 3),
        last=st.booleans(),
        part=st.sampled_from([None, None, 0, 4, 8]),
        end=st.booleans(),
        single=st.booleans(),
    )
    def put(self, group: str, number: int, last: bool, part: int | None, end: bool, single: bool) -> None:
        """Groups a and b, segments of message S, and plain messages; all data have four bytes."""
        flags = 0
        place = (bytes(24), 1, 0)
        if group:
            flags = GROUP | (LAST if last else 0)
            place = (gid(group), number, 0)
        elif not single:
            part = None
        else:
            part = part or 0
            place = (gid("S"), 1, 0)
        if part is not None:
            flags |= SEGMENT | (END if end else 0)
            place = (place[0], place[1], part)
        self.count += 1
        data = b"%04d" % self.count
        fields: dict[str, Any] = {"group_id": place[0], "msg_seq_number": place[1], "offset": place[2]}
        self.host.put("Q", data, msg_flags=flags, **fields)
        item = Item(data, place, flags)
        self.items.append(item)
        self.gone.append(item)

    def outcome(self, handle: Opened, options: int, **more: Any) -> tuple[Any, ...]:
        unit = None
        if options & SYNCPOINT:
            unit = self.unit = self.unit or self.host.begin()
        try:
            got = self.host.read(handle.handle, options, unit, **more)
        except MQError as error:
            return ("refused", error.reason)
        return ("none",) if got is None else (got.message.data, got.reason)

    @rule(
        number=handles,
        way=st.sampled_from([0, 0, 0, TAKE]),
        logical=st.booleans(),
        which=st.sampled_from([0, 0, WHOLE, ALL_MSGS, ALL_SEGMENTS, WHOLE | ALL_MSGS]),
        syncpoint=st.booleans(),
    )
    def get(self, number: int, way: int, logical: bool, which: int, syncpoint: bool) -> None:
        handle = self.opened[number]
        options = way | which | (LOGICAL if logical else 0) | (SYNCPOINT if syncpoint else 0)
        place = handle.gets
        try:
            found = self.search(handle, options)
            warning = 0
            if found is not None and (place.in_group or place.in_message):
                if syncpoint is not place.in_unit:
                    if logical:
                        raise Refused(MQRC.INCONSISTENT_UOW)
                    warning = int(MQRC.INCONSISTENT_UOW) if place.logical else 0
                elif place.logical and not logical:
                    warning = int(MQRC.INCOMPLETE_MSG if place.in_message else MQRC.INCOMPLETE_GROUP)
            expected: tuple[Any, ...] = ("none",)
            if found is not None:
                expected = (b"".join(item.data for item in found), warning)
        except Refused as refusal:
            found, expected = None, ("refused", refusal.args[0])
        assert self.outcome(handle, options) == expected
        if found is None:
            return
        self.follow(place, found, options, syncpoint)
        for item in found:
            item.marks, item.shared = set(), None
            if syncpoint:
                item.holder = "unit"
            else:
                self.items.remove(item)

    @rule(
        number=handles,
        way=st.sampled_from([FIRST, NEXT, NEXT, NEXT, AGAIN]),
        logical=st.booleans(),
        follows=st.booleans(),
        which=st.sampled_from([0, 0, WHOLE, ALL_MSGS, ALL_SEGMENTS]),
        lock=st.booleans(),
        room=st.sampled_from(["enough", "enough", "enough", "too short", "cut"]),
    )
    def browse(self, number: int, way: int, logical: bool, follows: bool, which: int, lock: bool, room: str) -> None:
        handle = self.opened[number]
        if follows and handle.order is not None and way == NEXT:
            logical = handle.order
        options = way | which | (LOGICAL if logical else 0) | (LOCK if lock else 0)
        self.look(handle, options | (CUT if room == "cut" else 0), room != "enough")

    @rule(
        number=handles,
        way=st.sampled_from([FIRST, FIRST, NEXT, AGAIN]),
        marks=st.sampled_from(
            [MARK | UNMARKED, MARK_SHARED | UNMARKED, UNMARKED, MARK, MARK_SHARED, UNMARK, UNMARK_SHARED]
        ),
    )
    def mark(self, number: int, way: int, marks: int) -> None:
        self.look(self.opened[number], way | marks, False)

    def look(self, handle: Opened, options: int, short: bool) -> None:
        found: list[Item] | None = None
        stays = False
        for item in self.items:
            if item.shared is not None and item.shared <= self.host.now:
                item.shared = None
        try:
            if options & NEXT and handle.order not in (None, bool(options & LOGICAL)):
                raise Refused(MQRC.INCONSISTENT_BROWSE)
            found = self.search(handle, options)
            if found is not None and options & MARK_SHARED and found[0].shared is not None:
                raise Refused(MQRC.MSG_MARKED_BROWSE_CO_OP)
            expected: tuple[Any, ...] = ("none",)
            if found is not None:
                data = b"".join(item.data for item in found)
                expected = (data, 0)
                if short:
                    reason = MQRC.TRUNCATED_MSG_ACCEPTED if options & CUT else MQRC.TRUNCATED_MSG_FAILED
                    expected = (data[:TOO_SHORT], int(reason))
                    stays = not options & CUT
        except Refused as refusal:
            stays, expected = True, ("refused", refusal.args[0])
        assert self.outcome(handle, options, **({"max_length": TOO_SHORT} if short else {})) == expected
        if stays:
            return
        self.locks(handle, found if options & LOCK and found else [])
        if found is not None:
            self.looked(handle, options, found)

    def locks(self, handle: Opened, items: list[Item]) -> None:
        for item in self.items:
            if item.holder == handle.number:
                item.holder = None
        for item in items:
            item.holder = handle.number

    def looked(self, handle: Opened, options: int, found: list[Item]) -> None:
        first = found[0]
        if options & MARK:
            first.marks.add(handle.number)
        if options & UNMARK:
            first.marks.discard(handle.number)
        if options & MARK_SHARED:
            first.shared = self.host.now + MARK_INTERVAL
        if options & UNMARK_SHARED:
            first.shared = None
        if options & AGAIN:
            return
        if options & FIRST or handle.order is None:
            handle.order = bool(options & LOGICAL)
            handle.browses = Place()
        place = handle.browses
        begins = not (place.in_group or place.in_message)
        self.follow(place, found, options, False)
        if not options & LOGICAL:
            place.anchor = None
        elif begins:
            place.anchor = first
        handle.cursor = first

    @rule(number=handles)
    def unlock(self, number: int) -> None:
        handle = self.opened[number]
        had = any(item.holder == number for item in self.items)
        assert self.host.unlock(handle.handle) == (0 if had else MQRC.NO_MSG_LOCKED)
        self.locks(handle, [])

    @rule(number=handles)
    def close_and_open(self, number: int) -> None:
        handle = self.opened[number]
        place = handle.gets
        expected = 0
        if place.logical and (place.in_group or place.in_message):
            expected = int(MQRC.INCOMPLETE_MSG if place.in_message else MQRC.INCOMPLETE_GROUP)
        assert self.host.close(handle.handle) == expected
        self.locks(handle, [])
        for item in self.items:
            item.marks.discard(number)
        self.opened[number] = self.open(number)

    @rule(commit=st.booleans())
    def end_unit(self, commit: bool) -> None:
        if self.unit is None:
            return
        if commit:
            self.host.commit(self.unit)
            self.items = [item for item in self.items if item.holder != "unit"]
        else:
            self.host.backout(self.unit)
            for item in self.items:
                if item.holder == "unit":
                    item.holder = None
        self.unit = None

    @rule(seconds=st.integers(1, 4))
    def time_passes(self, seconds: int) -> None:
        self.host.now += seconds
        self.host.queue_manager.timeout(self.host.now)

    # The truth

    @invariant()
    def everybody_else_sees_what_is_free(self) -> None:
        assert self.host.contents("Q") == [item.data for item in self.items if item.holder is None]
        assert self.host.depth("Q") == sum(item.holder != "unit" for item in self.items)


class ClientHandleMachine(HandleMachine):
    def make_host(self) -> Host:
        return WireHandles()


class SharedClientHandleMachine(HandleMachine):
    def make_host(self) -> Host:
        return WireHandles(shared=10)


TestHandles = pytest.mark.spec("mqi.md 11.2")(
    pytest.mark.spec("mqi.md 11.3")(pytest.mark.spec("mqi.md 12.3")(HandleMachine.TestCase))
)
TestHandles.settings = settings(max_examples=80, stateful_step_count=50, deadline=None)
TestHandlesOfClients = pytest.mark.spec("mqi.md 12.3")(
    pytest.mark.spec("client-observed.md 5.1")(ClientHandleMachine.TestCase)
)
TestHandlesOfClients.settings = settings(max_examples=40, stateful_step_count=50, deadline=None)
TestHandlesOfSharingClients = pytest.mark.spec("mqi.md 12.3")(
    pytest.mark.spec("client-observed.md O-081")(SharedClientHandleMachine.TestCase)
)
TestHandlesOfSharingClients.settings = settings(max_examples=40, stateful_step_count=50, deadline=None)
