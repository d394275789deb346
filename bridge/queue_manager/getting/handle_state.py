"""State of a handle from call to call, beside its cursor: locked messages, marks, incomplete groups.

Handles that only put and get plain messages have none.
"""

from __future__ import annotations

from mqbridge.bridge.queue_manager.options import NO_ID
from mqbridge.bridge.queue_manager.queues.rows import GroupFields

from .groups import IN_GROUP, LAST_IN_GROUP, LAST_SEGMENT, SEGMENT
from .marks import HandleMarks


class GroupPosition:
    """The position of a handle in a group and a logical message (mqi.md 12.2), one for each kind of call.

    ``in_group``: there is a current group, ``in_message``: a current logical message. ``in_unit``, ``persistent``:
    of the first item. ``logical``: the last call asked for logical order. ``anchor``: browsing in logical order, the
    position of the first item of the current group; the next group is searched behind it.
    """

    __slots__ = (
        "anchor", "group_id", "in_group", "in_message", "in_unit", "logical", "msg_seq_number", "next_offset",
        "persistent",
    )  # fmt: skip

    def __init__(self) -> None:
        self.group_id = NO_ID
        self.msg_seq_number = 1
        self.next_offset = 0
        self.in_group = False
        self.in_message = False
        self.in_unit = False
        self.persistent = False
        self.logical = False
        self.anchor = b""

    @property
    def current(self) -> bool:
        """Whether a group or a logical message is incomplete."""
        return self.in_group or self.in_message

    @property
    def next_item(self) -> tuple[bytes, int, int]:
        """GroupId, MsgSeqNumber and Offset of the next item of the current group or message."""
        if self.in_message:
            return self.group_id, self.msg_seq_number, self.next_offset
        return self.group_id, self.msg_seq_number + 1, 0

    def follow(
        self, fields: GroupFields, length: int, *, in_unit: bool, logical: bool, persistent: bool = False
    ) -> None:
        """Follow a message that was put or returned. ``length``: its bytes in the logical message."""
        if not self.current or not logical:
            self.in_unit = in_unit
            self.persistent = persistent
        flags = fields.msg_flags
        self.group_id = fields.group_id
        self.msg_seq_number = fields.msg_seq_number
        self.next_offset = fields.offset + length
        self.in_message = bool(flags & SEGMENT) and not flags & LAST_SEGMENT
        self.in_group = bool(flags & IN_GROUP) and (self.in_message or not flags & LAST_IN_GROUP)
        self.logical = logical


class HandleState:
    """State of a handle.

    ``locked``: rows hidden from all other handles. ``logical_browse``: whether the first message under the cursor was
    browsed in logical order. ``gets``, ``browses``, ``puts``: places in groups."""

    __slots__ = ("browses", "gets", "locked", "logical_browse", "marks", "puts")

    def __init__(self) -> None:
        self.locked: list[bytes] = []
        self.marks = HandleMarks()
        self.logical_browse = False
        self.gets = GroupPosition()
        self.browses = GroupPosition()
        self.puts = GroupPosition()

    @property
    def idle(self) -> bool:
        """Whether a plain get is not affected."""
        return not self.locked and not self.gets.current

    @property
    def browses_plainly(self) -> bool:
        """Whether a plain browse is not affected."""
        return not self.locked and not self.logical_browse
