"""Groups and segments on a queue: the items of each group, and whether it is complete (mqi.md 12).

The index is built by the first call that needs it and kept up from then on. Messages that are not in a group and not
segments are not in it.

Reports on segments have the group fields of the original. They are kept apart from it, by kind of report (Feedback),
and are joined by the length of the original (mqi.md 12.5 row 7).
"""

from __future__ import annotations

from bisect import bisect_left, insort
from typing import TYPE_CHECKING, Final

from mqbridge.bridge.queue_manager.errors import SearchYielded
from mqbridge.bridge.queue_manager.queues.indexes import Index
from mqbridge.bridge.queue_manager.queues.rows import (
    GROUPED,
    POSITION_BYTES,
    REPORTS,
    GroupFields,
    Row,
    flags_of,
    group_fields,
    report_fields,
)
from mqbridge.protocol.constants import MQMF

if TYPE_CHECKING:
    from mqbridge.bridge.queue_manager.turns import Turns

SEGMENT: Final = int(MQMF.SEGMENT | MQMF.LAST_SEGMENT)
_COUNTED: Final = 15
"""Turn units for a message of a group."""
LAST_SEGMENT: Final = int(MQMF.LAST_SEGMENT)
IN_GROUP: Final = int(MQMF.MSG_IN_GROUP | MQMF.LAST_MSG_IN_GROUP)
LAST_IN_GROUP: Final = int(MQMF.LAST_MSG_IN_GROUP)
FIRST: Final = (1, 0)
"""Sequence number and offset of the first item of a group, and of every message outside groups."""


class Group:
    """The visible items of one group, or the segments of one message outside groups, by number and offset."""

    __slots__ = ("_items", "_last", "_whole")

    def __init__(self) -> None:
        self._items: dict[tuple[int, int], list[bytes]] = {}
        self._whole = 0
        """Number of consecutive messages, from the first on, known to be complete."""
        self._last = False
        """Whether the last of these ends the group."""

    def __bool__(self) -> bool:
        return bool(self._items)

    def add(self, fields: GroupFields, row: bytes) -> None:
        """Add an item."""
        found = self._items.setdefault((fields.msg_seq_number, fields.offset), [])
        insort(found, row)
        if found[0] is row and len(found) > 1:
            self._forget(fields)

    def remove(self, fields: GroupFields, row: bytes) -> None:
        """Remove an item, if it is there."""
        place = (fields.msg_seq_number, fields.offset)
        found = self._items.get(place, [])
        index = bisect_left(found, row[:POSITION_BYTES])
        if index < len(found) and found[index][:POSITION_BYTES] == row[:POSITION_BYTES]:
            del found[index]
            if not found:
                del self._items[place]
            if not index:
                self._forget(fields)

    def _forget(self, fields: GroupFields) -> None:
        """Forget what is known to be complete: the item at a place has changed."""
        if fields.msg_seq_number <= self._whole:
            self._whole, self._last = fields.msg_seq_number - 1, False

    def item(self, msg_seq_number: int, offset: int) -> bytes | None:
        """The item with this number and offset, the first one if there are several."""
        found = self._items.get((msg_seq_number, offset))
        return found[0] if found else None

    def logical_message(self, msg_seq_number: int) -> list[bytes] | None:
        """All segments of a logical message in order; None if one is missing."""
        segments: list[bytes] = []
        offset = 0
        while True:
            row = self.item(msg_seq_number, offset)
            if row is None:
                return None
            segments.append(row)
            flags = group_fields(row).msg_flags
            if not flags & SEGMENT or flags & LAST_SEGMENT:
                return segments
            length = logical_length(row)
            if not length:
                return None
            offset += length

    def complete(self, turns: Turns | None = None) -> bool:
        """Whether the group is complete, with all segments. Raises `SearchYielded` if the turn ends before that is
        known."""
        while not self._last:
            segments = self.logical_message(self._whole + 1)
            if segments is None:
                return False
            flags = [group_fields(row).msg_flags for row in (segments[0], segments[-1])]
            self._last = not flags[0] & IN_GROUP or bool((flags[0] | flags[1]) & LAST_IN_GROUP)
            self._whole += 1
            if turns is not None:
                turns.left -= _COUNTED * len(segments)
                if turns.left <= 0:
                    raise SearchYielded
        return True


class GroupIndex(Index):
    """The groups of one queue by GroupId: the messages themselves, and the reports on them by Feedback."""

    __slots__ = ("_groups",)

    def __init__(self) -> None:
        super().__init__()
        self._groups: dict[bytes, dict[int | None, Group]] = {}

    def take(self, row: bytes) -> None:
        """Add a message, if it is in a group or a segment."""
        if flags_of(row) & GROUPED:
            fields = group_fields(row)
            self._groups.setdefault(fields.group_id, {}).setdefault(_kind(row), Group()).add(fields, row)

    def remove(self, row: bytes) -> None:
        """Remove a message."""
        if not flags_of(row) & GROUPED:
            return
        fields, kind = group_fields(row), _kind(row)
        kinds = self._groups.get(fields.group_id, {})
        group = kinds.get(kind)
        if group is None:
            return
        group.remove(fields, row)
        if not group:
            del kinds[kind]
            if not kinds:
                del self._groups[fields.group_id]

    def group_of(self, row: bytes) -> Group:
        """The group of an indexed message."""
        return self._groups[group_fields(row).group_id][_kind(row)]

    def item(self, group_id: bytes, msg_seq_number: int, offset: int) -> bytes | None:
        """The item of a group with this number and offset; if there are only reports, the first report."""
        found = [group.item(msg_seq_number, offset) for group in self._groups.get(group_id, {}).values()]
        return min((row for row in found if row is not None), default=None)

    def every_segment_reported(self, row: bytes) -> bool:
        """Whether for each segment that a report belongs with there is a report of some kind (mqi.md 12.6 row 6)."""
        fields = group_fields(row)
        reports = [group for kind, group in self._groups[fields.group_id].items() if kind is not None]
        offset = 0
        while True:
            found = [group.item(fields.msg_seq_number, offset) for group in reports]
            report = next((each for each in found if each is not None), None)
            if report is None:
                return False
            flags = group_fields(report).msg_flags
            if not flags & SEGMENT or flags & LAST_SEGMENT:
                return True
            length = logical_length(report)
            if not length:
                return False
            offset += length


def _kind(row: bytes) -> int | None:
    """The Feedback of a report, None for other messages."""
    return report_fields(row).feedback if flags_of(row) & REPORTS else None


def logical_length(row: bytes) -> int:
    """Length of an item in its logical message: its own, or for a report that of the original."""
    if flags_of(row) & REPORTS:
        return max(report_fields(row).original_length, 0)
    return Row(row).length
