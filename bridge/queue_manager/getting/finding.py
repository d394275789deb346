"""Find the message of a get or browse through a handle: cursor, marks, groups and segments (mqi.md 11, 12).

Match options and ids are in ``selection``. Expired messages are not filtered here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from mqbridge.bridge.queue_manager.errors import MQError
from mqbridge.bridge.queue_manager.options import BROWSE_OPTIONS, GetOptions
from mqbridge.bridge.queue_manager.queues.local_queue import LocalQueue
from mqbridge.bridge.queue_manager.queues.rows import GROUPED, POSITION_BYTES, REPORTS, flags_of, group_fields
from mqbridge.protocol.constants import MQGMO, MQMO, MQOO, MQRC

from .groups import FIRST, IN_GROUP, SEGMENT
from .handle_state import GroupPosition, HandleState
from .selection import matches, matches_ids, matching

if TYPE_CHECKING:
    from mqbridge.bridge.queue_manager.handle import Handle
    from mqbridge.bridge.queue_manager.turns import Turns

UNDER_CURSOR: Final = int(MQGMO.MSG_UNDER_CURSOR | MQGMO.BROWSE_MSG_UNDER_CURSOR)
_BROWSE_FIRST: Final = int(MQGMO.BROWSE_FIRST)
_LOGICAL: Final = int(MQGMO.LOGICAL_ORDER)
_COMPLETE: Final = int(MQGMO.COMPLETE_MSG)
_ALL_MSGS: Final = int(MQGMO.ALL_MSGS_AVAILABLE)
_ALL_SEGMENTS: Final = int(MQGMO.ALL_SEGMENTS_AVAILABLE)
_WHOLE: Final = int(MQGMO.COMPLETE_MSG | MQGMO.ALL_MSGS_AVAILABLE | MQGMO.ALL_SEGMENTS_AVAILABLE)
_UNMARKED: Final = int(MQGMO.UNMARKED_BROWSE_MSG)
_SEQ_NUMBER, _OFFSET = int(MQMO.MATCH_MSG_SEQ_NUMBER), int(MQMO.MATCH_OFFSET)
_NO_STATE: Final = HandleState()


def find(queue: LocalQueue, handle: Handle, options: GetOptions, because_of: bytes | None = None) -> list[bytes] | None:
    """The message that a call selects, or with COMPLETE_MSG all its segments in order; None if there is none.

    ``because_of``: row of a message that has become visible; only messages eligible because of it are considered.

    Raises `MQError` 2034, 2246, 2247, 2241, 2242.
    """
    bits = options.options
    state = handle.state or _NO_STATE
    position = state.browses if bits & BROWSE_OPTIONS else state.gets
    current = position.current and not bits & _BROWSE_FIRST
    if bits & _COMPLETE and options.match & _OFFSET:
        raise MQError(MQRC.MATCH_OPTIONS_ERROR, "COMPLETE_MSG with MATCH_OFFSET")
    if bits & UNDER_CURSOR:
        return _under_cursor(queue, handle, bits, position)
    if bits & _LOGICAL:
        _check_superfluous(options, position.next_item[1:] if current else FIRST)
        if current:
            return _next_item(queue, options, position)
    after = _after(handle, bits, position)
    found = matching(queue, options, after) if because_of is None else _concerned(queue, options, after, because_of)
    for row in found:
        if bits & _UNMARKED and is_marked(queue, handle, row):
            continue
        rows = _eligible(queue, row, bits, options.in_turns)
        if rows is not None:
            return rows
    return None


def _concerned(queue: LocalQueue, options: GetOptions, after: bytes, row: bytes) -> Iterator[bytes]:
    """Yield the message that has become visible, and the first ones of its logical message and group.

    The eligibility of all others is unchanged.
    """
    rows = {row}
    if flags_of(row) & GROUPED:
        fields = group_fields(row)
        places = ((fields.msg_seq_number, 0), FIRST)
        firsts = [queue.groups().item(fields.group_id, *place) for place in places]
        rows.update(first for first in firsts if first is not None)
    for each in sorted(rows):
        if each[:POSITION_BYTES] > after and matches(each, options):
            yield each


def is_marked(queue: LocalQueue, handle: Handle, row: bytes) -> bool:
    """Whether a message is marked for a handle, or for the handles that cooperate if it is one of them."""
    if handle.state is not None and row in handle.state.marks:
        return True
    marks = queue.co_op_marks
    return marks is not None and bool(handle.options & MQOO.CO_OP) and row in marks


def _after(handle: Handle, bits: int, position: GroupPosition) -> bytes:
    if not bits & BROWSE_OPTIONS or bits & _BROWSE_FIRST:
        return b""
    return position.anchor or handle.cursor.position if bits & _LOGICAL else handle.cursor.position


def _under_cursor(queue: LocalQueue, handle: Handle, bits: int, position: GroupPosition) -> list[bytes] | None:
    """The message under the cursor; match options do not count (mqi.md 11.1 rows 6 and 7)."""
    place = handle.cursor.position
    row = queue.find(place) if place else None
    if row is None:
        raise MQError(MQRC.NO_MSG_UNDER_CURSOR, queue.name)
    fields = group_fields(row)
    if bits & _COMPLETE and fields.offset:
        raise MQError(MQRC.INVALID_MSG_UNDER_CURSOR, f"it has Offset {fields.offset}")
    if bits & _LOGICAL and not bits & BROWSE_OPTIONS and position.current and fields[:3] != position.next_item:
        raise incomplete(position, "the message under the cursor is not the next one")
    if bits & _UNMARKED and is_marked(queue, handle, row):
        return None
    return _eligible(queue, row, bits & ~_LOGICAL, None)


def incomplete(position: GroupPosition, detail: str, completion: int | None = None) -> MQError:
    """2242 or 2241, by what the handle has left incomplete: a logical message or a group."""
    reason = MQRC.INCOMPLETE_MSG if position.in_message else MQRC.INCOMPLETE_GROUP
    return MQError(reason, detail) if completion is None else MQError(reason, detail, completion=completion)


def _check_superfluous(options: GetOptions, place: tuple[int, ...]) -> None:
    """Raise `MQError` 2247 if match options require another number or offset than logical order (mqi.md 10.1)."""
    if options.match & _SEQ_NUMBER and options.msg_seq_number != place[0]:
        raise MQError(MQRC.MATCH_OPTIONS_ERROR, f"MsgSeqNumber {options.msg_seq_number}, {place[0]} comes next")
    if options.match & _OFFSET and options.offset != place[1]:
        raise MQError(MQRC.MATCH_OPTIONS_ERROR, f"Offset {options.offset}, {place[1]} comes next")


def _next_item(queue: LocalQueue, options: GetOptions, position: GroupPosition) -> list[bytes] | None:
    """The next item of the current group and logical message (mqi.md 12.3 rows 2 to 4)."""
    bits = options.options
    if bits & _COMPLETE and position.in_message:
        raise incomplete(position, "COMPLETE_MSG within a logical message")
    row = queue.groups(options.in_turns).item(*position.next_item)
    if row is None:
        return None
    if not matches_ids(row, options):  # a selector chose the group with its first message
        raise MQError(MQRC.MATCH_OPTIONS_ERROR, "the next item of the group is another one")
    effective = bits & ~_LOGICAL & ~_ALL_MSGS
    if position.in_message:
        effective &= ~_WHOLE
    elif bits & _ALL_MSGS:
        effective |= _ALL_SEGMENTS
    return _eligible(queue, row, effective, options.in_turns)


def _eligible(queue: LocalQueue, row: bytes, bits: int, turns: Turns | None) -> list[bytes] | None:
    """The result of a call that has found this message: the message itself, or its logical message.

    None if it is not eligible: in logical order another item comes first, or required parts are missing (mqi.md 12.5,
    12.6).
    """
    if not flags_of(row) & GROUPED:
        return [row]
    fields = group_fields(row)
    if bits & _LOGICAL and fields[1:3] != FIRST:
        return None
    flags = fields.msg_flags
    if not bits & _WHOLE or not flags & (IN_GROUP | SEGMENT):
        return [row]
    if bits & _ALL_MSGS and flags & IN_GROUP and not queue.groups(turns).group_of(row).complete(turns):
        return None
    if not flags & SEGMENT:
        return [row]
    if bits & _COMPLETE:
        return None if fields.offset else _logical_message(queue, row, turns)
    if flags_of(row) & REPORTS:
        return [row] if queue.groups(turns).every_segment_reported(row) else None
    return None if _logical_message(queue, row, turns) is None else [row]


def _logical_message(queue: LocalQueue, row: bytes, turns: Turns | None) -> list[bytes] | None:
    return queue.groups(turns).group_of(row).logical_message(group_fields(row).msg_seq_number)
