"""MQGET through a handle, with every option (mqi.md 7 to 13).

A plain get takes the first message that matches. A call that needs state of the handle (cursor, locks, marks, groups)
or more than one physical message is a `_Call`. A message counts as returned unless the call fails or the message stays
because it is too long (2080).
"""

from __future__ import annotations

from typing import Final

from mqbridge.bridge.queue_manager.committing import require_room
from mqbridge.bridge.queue_manager.core import Core
from mqbridge.bridge.queue_manager.errors import MQError, SearchYielded
from mqbridge.bridge.queue_manager.handle import INPUTS, Handle
from mqbridge.bridge.queue_manager.options import BROWSE_OPTIONS, GetOptions, RetrievedMessage
from mqbridge.bridge.queue_manager.queues.expiry import discard
from mqbridge.bridge.queue_manager.queues.local_queue import LocalQueue
from mqbridge.bridge.queue_manager.queues.rows import (
    GROUPED,
    NO_GROUP,
    PERSISTENT,
    POSITION_BYTES,
    GroupFields,
    Row,
    deadline_of,
    flags_of,
    group_fields,
    milliseconds,
)
from mqbridge.bridge.queue_manager.units_of_work import UnitOfWork
from mqbridge.mappings.moment import Time
from mqbridge.protocol.constants import MQCC, MQGMO, MQOO, MQRC

from .browsing import browse
from .finding import UNDER_CURSOR, find, incomplete
from .get import confirm_delivery, deliver, fit
from .get_options import HANDLE_OPTIONS, check_get_options
from .groups import IN_GROUP, SEGMENT
from .handle_state import GroupPosition, HandleState
from .locks import hide, release, reveal
from .marking import after_browse, end_marks, require_markable
from .own_messages import hide as hide_own
from .own_messages import reveal as reveal_own
from .reassembly import ReassembledMessage, read_joined
from .selection import select, selects

_SPECIAL: Final = HANDLE_OPTIONS | BROWSE_OPTIONS
_LOGICAL: Final = int(MQGMO.LOGICAL_ORDER)
_SYNCPOINT: Final = int(MQGMO.SYNCPOINT)
_IF_PERSISTENT: Final = int(MQGMO.SYNCPOINT_IF_PERSISTENT)
_FAIL_IF_QUIESCING: Final = int(MQGMO.FAIL_IF_QUIESCING)
_CO_OP: Final = int(MQGMO.MARK_BROWSE_CO_OP | MQGMO.UNMARK_BROWSE_CO_OP)
_OLD_VERSION: Final = 1


def get_message(
    core: Core,
    handle: Handle,
    options: GetOptions,
    unit: UnitOfWork,
    now: Time,
    outside: UnitOfWork | None = None,
) -> RetrievedMessage | None:
    """Get or browse through a handle, in a unit of work, with all MQGMO options but UNLOCK (mqi.md 7 to 13).

    Returns None for 2033.

    ``outside``: the unit of a message that SYNCPOINT_IF_PERSISTENT leaves outside syncpoint, if not ``unit``. Warnings:
    2079, 2080, 2241, 2242, 2245, 2243, 2244. Raises `MQError`: 2016, 2024, 2034, 2036, 2037, 2046, 2161, 2200, 2241,
    2242, 2245, 2246, 2247, 2255, 2256, 2257, 2259.
    """
    bits = options.options
    if handle.selection is not options.selection:
        options = options.copy()
        options.selection = handle.selection
    state = handle.state
    if bits & _SPECIAL or not (state is None or state.idle):
        if not bits & HANDLE_OPTIONS and bits & BROWSE_OPTIONS and (state is None or state.browses_plainly):
            if not handle.options & MQOO.BROWSE:
                handle.require(MQOO.BROWSE)
            return browse(core, handle.target, handle.cursor, options, now)
        return _Call(core, handle, options, now).get(unit, outside)
    if not handle.options & INPUTS:
        handle.require(MQOO.INPUT_SHARED)
    queue = handle.target.require_gettable()
    check_get_options(bits)
    if bits & _FAIL_IF_QUIESCING:
        core.require_not_quiescing()
    require_room(core, unit)
    revealed = None
    now_ms, chooses = milliseconds(now), selects(options)
    if unit.puts and queue.uncommitted_puts:
        revealed = reveal_own(core, unit, queue, options, now_ms)
    try:
        while True:  # messages that have expired are discarded on the way
            row = select(queue, options) if chooses else queue.take_first()
            if row is None or (chooses and not queue.take(row)):
                return None
            deadline = deadline_of(row)
            if not deadline or deadline > now_ms:
                break
            discard(core, queue, row, now)
            if options.in_turns is not None and options.in_turns.left <= 0:
                raise SearchYielded(queue.name)
        got = deliver(core, queue, row, options, unit, now, outside)
    finally:
        if revealed is not None:
            hide_own(core, unit, queue, revealed)
    if got.msg_flags & (IN_GROUP | SEGMENT):
        _remember_plain(handle, got, options)
    return got


def unlock(core: Core, handle: Handle, options: GetOptions, now: Time) -> int:
    """Release the lock of a handle (MQGMO_UNLOCK). Returns 0, or 2209 if nothing was locked. Raises `MQError` 2046,
    2052."""
    check_get_options(options.options)
    queue = handle.target.queue
    if queue is None or queue.deleted:
        raise MQError(MQRC.Q_DELETED, handle.object_name)
    if handle.state is not None and release(core, queue, handle.state, now):
        return 0
    return MQRC.NO_MSG_LOCKED


def require_opened(handle: Handle, options: GetOptions) -> None:
    """Raise `MQError` for options that the handle or the versions of the caller's structures do not allow (mqi.md
    7.3)."""
    bits = options.options
    if bits & BROWSE_OPTIONS:
        handle.require(MQOO.BROWSE)
    elif bits & MQGMO.MSG_UNDER_CURSOR:
        handle.require(MQOO.BROWSE | MQOO.INPUT_SHARED)
    else:
        handle.require(MQOO.INPUT_SHARED)
    if bits & _CO_OP and not handle.options & MQOO.CO_OP:
        raise MQError(MQRC.OPTIONS_ERROR, f"{MQGMO(bits & _CO_OP)} on a handle without MQOO_CO_OP")
    if bits & _LOGICAL and options.gmo_version <= _OLD_VERSION:
        raise MQError(MQRC.WRONG_GMO_VERSION, "LOGICAL_ORDER")
    if bits & _LOGICAL and options.md_version <= _OLD_VERSION:
        raise MQError(MQRC.WRONG_MD_VERSION, "LOGICAL_ORDER")


def in_unit_of_work(bits: int, flags: int) -> bool:
    """Whether a get of a message with these row flags counts as under syncpoint (mqi.md 9)."""
    return bool(bits & _SYNCPOINT or (bits & _IF_PERSISTENT and flags & PERSISTENT))


def _remember_plain(handle: Handle, got: RetrievedMessage, options: GetOptions) -> None:
    """Set the place in the group, also after a get outside logical order (mqi.md 12.4, further rules, row 3)."""
    if got.reason == MQRC.TRUNCATED_MSG_FAILED:
        return
    md = got.message.md
    inside = in_unit_of_work(options.options, PERSISTENT if md.persistence else 0)
    fields = GroupFields(md.group_id, md.msg_seq_number, md.offset, md.msg_flags)
    handle.remembered().gets.follow(fields, got.stored, in_unit=inside, logical=False)


class _Call:
    """One call. The handle's own locked messages are visible to it for its duration."""

    def __init__(self, core: Core, handle: Handle, options: GetOptions, now: Time) -> None:
        self.core = core
        self.handle = handle
        self.options = options
        self.bits = options.options
        self.now = now
        self.queue: LocalQueue = handle.target.require_gettable()
        check_get_options(self.bits)
        require_opened(handle, options)
        if self.bits & MQGMO.UNLOCK:
            raise MQError(MQRC.OPTIONS_ERROR, "UNLOCK returns no message")
        if self.bits & MQGMO.FAIL_IF_QUIESCING:
            core.require_not_quiescing()
        self.state: HandleState = handle.remembered()

    def get(self, unit: UnitOfWork, outside: UnitOfWork | None) -> RetrievedMessage | None:
        end_marks(self.core, self.queue, self.now)
        revealed = reveal(self.queue, self.state)
        keep = revealed
        try:
            if self.bits & BROWSE_OPTIONS:
                got = self._browse()
                keep = self._locked_by(got, revealed)
            else:
                got = self._take_with_own(unit, outside)
        finally:
            hide(self.core, self.queue, self.state, keep, revealed, self.now)
        return got

    # Browsing

    def _browse(self) -> RetrievedMessage | None:
        bits, state, handle = self.bits, self.state, self.handle
        logical = bool(bits & _LOGICAL)
        if bits & MQGMO.BROWSE_NEXT and handle.cursor.position and state.logical_browse is not logical:
            raise MQError(MQRC.INCONSISTENT_BROWSE, "BROWSE_FIRST chose the other order")
        rows = self._find()
        if rows is None:
            return None
        require_markable(self.queue, bits, rows[0])
        found = read_joined(self.core, self.queue, rows, milliseconds(self.now))
        got = self._fitted(found)
        self.browsed = found.rows
        if got.reason == MQRC.TRUNCATED_MSG_FAILED:
            return got
        after_browse(self.core, self.queue, handle, bits, rows[0], self.now)
        if bits & UNDER_CURSOR:
            return got
        if bits & MQGMO.BROWSE_FIRST or not handle.cursor.position:
            state.logical_browse = logical
            state.browses = GroupPosition()
        begins = not state.browses.current
        self._follow(state.browses, found, got, in_unit=False)
        if begins or not logical:
            state.browses.anchor = rows[0][:POSITION_BYTES] if logical else b""
        handle.cursor.position = rows[0][:POSITION_BYTES]
        return got

    def _locked_by(self, got: RetrievedMessage | None, revealed: list[bytes]) -> list[bytes]:
        """Set the locks after a browse (mqi.md 11.2 rows 1 to 6)."""
        if got is None:
            return []
        if got.reason == MQRC.TRUNCATED_MSG_FAILED:
            return revealed
        return list(self.browsed) if self.bits & MQGMO.LOCK else []

    # Taking

    def _take_with_own(self, unit: UnitOfWork, outside: UnitOfWork | None) -> RetrievedMessage | None:
        """Make messages that the unit of work has put itself visible to its gets."""
        if not unit.puts or not self.queue.uncommitted_puts:
            return self._take(unit, outside)
        now_ms = milliseconds(self.now)
        revealed = reveal_own(self.core, unit, self.queue, self.options, now_ms, self.state.gets)
        try:
            return self._take(unit, outside)
        finally:
            hide_own(self.core, unit, self.queue, revealed)

    def _take(self, unit: UnitOfWork, outside: UnitOfWork | None) -> RetrievedMessage | None:
        rows = self._find()
        if rows is None:
            return None
        flags = flags_of(rows[0])
        inside = in_unit_of_work(self.bits, flags)
        warning = self._check_consistent(inside)
        if outside is not None and self.bits & _IF_PERSISTENT and not inside:
            unit = outside
        require_room(self.core, unit)
        if len(rows) > 1 and flags & PERSISTENT and not inside and self.options.unit_of_work_open:
            raise MQError(MQRC.UOW_NOT_AVAILABLE, "to join persistent segments, and the program has one open")
        found = read_joined(self.core, self.queue, rows, milliseconds(self.now))
        got = self._fitted(found)
        if got.reason == MQRC.TRUNCATED_MSG_FAILED:
            return got
        got.reason = got.reason or warning
        self._remove(found, unit)
        self._follow(self.state.gets, found, got, in_unit=inside)
        return got

    def _check_consistent(self, inside: bool) -> int:
        """2245, 2242 or 2241 if the call is inconsistent with those before (mqi.md 12.4): raised in logical order, else
        returned as a warning after a call in logical order."""
        position = self.state.gets
        if not position.current:
            return 0
        if self.bits & _LOGICAL:
            if inside is not position.in_unit:
                raise MQError(MQRC.INCONSISTENT_UOW, "the first item of the group was got the other way")
            return 0
        if not position.logical:
            return 0
        if inside is not position.in_unit:
            return MQRC.INCONSISTENT_UOW
        return incomplete(position, "", MQCC.WARNING).reason

    def _remove(self, found: ReassembledMessage, unit: UnitOfWork) -> None:
        core, queue = self.core, self.queue
        for row in found.rows:
            queue.take(row)
            queue.uncommitted_gets += 1
            unit.gets.append((queue, row))
            confirm_delivery(core, queue, row, Row(row), unit, self.now)
        if queue.meter is not None:
            queue.meter.got(queue, len(found.rows), self.now)

    # Both

    def _find(self) -> list[bytes] | None:
        """The messages that the call selects; expired ones that are found are discarded."""
        now_ms = milliseconds(self.now)
        while True:
            rows = find(self.queue, self.handle, self.options)
            if rows is None:
                return None
            expired = [row for row in rows if deadline_of(row) and deadline_of(row) <= now_ms]
            if not expired:
                return rows
            for row in expired:
                self.queue.take(row)
                discard(self.core, self.queue, row, self.now)
            if self.options.in_turns is not None and self.options.in_turns.left <= 0:
                raise SearchYielded(self.queue.name)

    def _fitted(self, found: ReassembledMessage) -> RetrievedMessage:
        row = Row(found.rows[0])
        got = RetrievedMessage(found.message, self.queue.name, self.queue.number, row.position, len(found.message))
        fit(self.core, self.queue, got, self.options)
        got.reason = got.reason or found.warning
        return got

    def _follow(
        self, position: GroupPosition, found: ReassembledMessage, got: RetrievedMessage, *, in_unit: bool
    ) -> None:
        if not flags_of(found.rows[0]) & GROUPED:
            fields = NO_GROUP
        else:
            fields = group_fields(found.rows[0])
            if len(found.rows) > 1:
                fields = fields._replace(msg_flags=got.msg_flags)
        position.follow(fields, found.length, in_unit=in_unit, logical=bool(self.bits & _LOGICAL))
