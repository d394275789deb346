"""Selection of messages by match options, ids and selectors (mqi.md 10)."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Final

from mqbridge.bridge.queue_manager.errors import SearchYielded
from mqbridge.bridge.queue_manager.options import BROWSE_OPTIONS, NO_ID, GetOptions
from mqbridge.bridge.queue_manager.queues.indexes import IdKind, Rows
from mqbridge.bridge.queue_manager.queues.local_queue import LocalQueue
from mqbridge.bridge.queue_manager.queues.rows import POSITION_BYTES, Row, group_fields
from mqbridge.protocol.constants import MQMO

from .searching import Search

if TYPE_CHECKING:
    from mqbridge.bridge.queue_manager.turns import Turns

_IDS = int(MQMO.MATCH_MSG_ID | MQMO.MATCH_CORREL_ID | MQMO.MATCH_GROUP_ID)
_GROUP = int(MQMO.MATCH_GROUP_ID | MQMO.MATCH_MSG_SEQ_NUMBER | MQMO.MATCH_OFFSET)
_MSG_ID, _CORREL_ID, _GROUP_ID = int(MQMO.MATCH_MSG_ID), int(MQMO.MATCH_CORREL_ID), int(MQMO.MATCH_GROUP_ID)
_SEQ_NUMBER, _OFFSET, _TOKEN = int(MQMO.MATCH_MSG_SEQ_NUMBER), int(MQMO.MATCH_OFFSET), int(MQMO.MATCH_MSG_TOKEN)
_SELECTOR = 1 << 30
"""Pseudo MQMO bit: the get has a selector."""
_CHUNK: Final = 256
"""Messages skipped between two checks of the turn."""
_MATCHED: Final = 10
"""Turn units for examining the fields of a message, and for offering one that is not eligible."""


def selects(options: GetOptions) -> int:
    """Return the MQMO bits that restrict the selection, and `_SELECTOR`; an id of zeros matches any (mqi.md 10.1 row
    2)."""
    bits = options.match
    if options.selection is not None:
        bits |= _SELECTOR
    if not bits:
        return 0
    if options.msg_id == NO_ID:
        bits &= ~_MSG_ID
    if options.correl_id == NO_ID:
        bits &= ~_CORREL_ID
    if options.group_id == NO_ID:
        bits &= ~_GROUP_ID
    return bits


def is_specific(options: GetOptions) -> bool:
    """Whether the options ask for a certain MsgId or CorrelId; such waiters have precedence."""
    return selects(options) & (_MSG_ID | _CORREL_ID) != 0


def correl_id_wanted(options: GetOptions) -> bytes | None:
    """The CorrelId that every matching message has; None if the options do not restrict it."""
    return options.correl_id if selects(options) & _CORREL_ID else None


def matches(row: bytes, options: GetOptions) -> bool:
    """Whether a message matches the options."""
    bits = selects(options)
    return not bits or _matches(row, options, bits)


def matches_ids(row: bytes, options: GetOptions) -> bool:
    """Whether a message matches the match options and ids; the selector is ignored."""
    bits = selects(options) & ~_SELECTOR
    return not bits or _matches(row, options, bits)


def _matches(row: bytes, options: GetOptions, bits: int) -> bool:
    if bits & (_MSG_ID | _CORREL_ID):
        fields = Row(row)
        if bits & _MSG_ID and fields.msg_id != options.msg_id:
            return False
        if bits & _CORREL_ID and fields.correl_id != options.correl_id:
            return False
    if bits & _GROUP:
        group = group_fields(row)
        if bits & _GROUP_ID and group.group_id != options.group_id:
            return False
        if bits & _SEQ_NUMBER and group.msg_seq_number != options.msg_seq_number:
            return False
        if bits & _OFFSET and group.offset != options.offset:
            return False
    if bits & _TOKEN and row[:POSITION_BYTES] != options.token[POSITION_BYTES:]:
        return False
    return options.selection is None or not bits & _SELECTOR or options.selection.admits(row)


def select(queue: LocalQueue, options: GetOptions, after: bytes = b"") -> bytes | None:
    """Return the first matching message in delivery order, behind a position (eight bytes) if given; None if there is
    none.

    Ids are looked up in an index. Expired messages are not filtered here.
    """
    if not selects(options):
        return next(queue.rows(after), None) if after else queue.first()
    return next(matching(queue, options, after), None)


def matching(queue: LocalQueue, options: GetOptions, after: bytes = b"") -> Iterator[bytes]:
    """Yield all matching messages in delivery order. The queue must not change meanwhile.

    With ``in_turns`` it raises `SearchYielded` at the end of the turn.
    """
    bits = selects(options)
    if options.in_turns is not None:
        yield from _in_turns(queue, options, bits, after, options.in_turns)
        return
    if not bits:
        yield from queue.rows(after)
        return
    selection = options.selection
    for rows in _phases(queue, options, bits):
        for row in rows.rows(after):
            if (selection is None or row[:POSITION_BYTES] not in selection.rejected) and _matches(row, options, bits):
                yield row


def _in_turns(queue: LocalQueue, options: GetOptions, bits: int, after: bytes, turns: Turns) -> Iterator[bytes]:
    """Yield matching messages as `matching` does, from the progress of the search on."""
    selection = options.selection if bits & _SELECTOR else None
    search = options.search or Search()
    search.resume(queue, _search_key(options, bits, after), after)
    phases = _phases(queue, options, bits)
    while search.phase < len(phases):
        yield from _offered(search, search.missed, options, bits, turns, queue)
        rows = iter(phases[search.phase].rows(search.after))
        while chunk := list(islice(rows, _CHUNK)):
            turns.left -= len(chunk)
            likely = chunk if selection is None else selection.not_rejected(chunk)
            yield from _offered(search, likely, options, bits, turns, queue)
            search.passed(chunk[-1])
            if turns.left <= 0:
                raise SearchYielded(queue.name)
        search.next_phase(search.phase + 1, after)
        if search.stale and search.phase == len(phases):
            search.stale = False
            search.next_phase(0, after)


def _offered(
    search: Search, rows: Iterable[bytes], options: GetOptions, bits: int, turns: Turns, queue: LocalQueue
) -> Iterator[bytes]:
    selection = options.selection if bits & _SELECTOR else None
    for row in rows:
        spent = selection.spent if selection is not None else 0
        if not bits or _matches(row, options, bits):
            yield row
        search.passed(row)
        turns.left -= _MATCHED + (selection.spent - spent if selection is not None else 0)
        if turns.left <= 0:
            raise SearchYielded(queue.name)


def ids_of(options: GetOptions) -> tuple[IdKind, bytes] | None:
    """Return the id that every matching message has; None if the options do not restrict it."""
    bits = selects(options)
    if bits & _MSG_ID:
        return IdKind.MSG_ID, options.msg_id
    if bits & _CORREL_ID:
        return IdKind.CORREL_ID, options.correl_id
    return (IdKind.GROUP_ID, options.group_id) if bits & _GROUP_ID else None


def first_own(
    queue: LocalQueue,
    options: GetOptions,
    rows: Iterable[bytes] | Callable[[bytes], Iterable[bytes]],
    shown: Callable[[bytes, Callable[[bytes], bool]], bool],
) -> bytes | None:
    """Return the first match among messages that only one unit of work sees; None if there is none.

    ``rows``: their rows, or a function that returns those behind a position. ``shown``: called with each row and a
    predicate that tells whether it matches. With ``in_turns`` it raises `SearchYielded` at the end of the turn; the
    search then continues behind the last message examined.
    """
    bits, turns = selects(options), options.in_turns
    selection = options.selection if bits & _SELECTOR else None
    search = options.search
    if turns is not None and search is not None:
        search.resume(queue, _search_key(options, bits, b""), b"")
    begin = search.own if turns is not None and search is not None else b""
    for row in rows(begin) if callable(rows) else rows:
        spent = selection.spent if selection is not None else 0
        if shown(row, lambda each: not bits or _matches(each, options, bits)):
            return row
        if turns is None:
            continue
        if search is not None and callable(rows):
            search.own = row[:POSITION_BYTES]
        turns.left -= _MATCHED + (selection.spent - spent if selection is not None else 0)
        if turns.left <= 0 and (search is None or callable(rows)):
            raise SearchYielded(queue.name)
    return None


def _search_key(options: GetOptions, bits: int, after: bytes) -> Hashable:
    selection = options.selection if bits & _SELECTOR else None
    return (after, bits, options.options, options.msg_id, options.correl_id, options.group_id, options.token, selection)


class _One:
    """The message of a token."""

    __slots__ = ("_queue", "_token")

    def __init__(self, queue: LocalQueue, token: bytes) -> None:
        self._queue = queue
        self._token = token

    def rows(self, after: bytes) -> Iterable[bytes]:
        """Return the message if it exists and lies behind a position."""
        position = self._token[POSITION_BYTES:]
        if self._token[:POSITION_BYTES] != token_of(self._queue, b"")[:POSITION_BYTES] or position <= after:
            return ()
        found = self._queue.find(position)
        return () if found is None else (found,)


def _phases(queue: LocalQueue, options: GetOptions, bits: int) -> Sequence[Rows]:
    """Return the sources of candidates, each in delivery order; more than one if the first may be incomplete."""
    turns = options.in_turns
    if bits & _TOKEN:
        return (_One(queue, options.token),)
    if bits & _MSG_ID:
        return (queue.index(IdKind.MSG_ID, turns).of(options.msg_id),)
    if bits & _CORREL_ID:
        return (queue.index(IdKind.CORREL_ID, turns).of(options.correl_id),)
    if bits & _GROUP_ID:
        return (queue.index(IdKind.GROUP_ID, turns).of(options.group_id),)
    if bits & _SELECTOR and options.selection is not None:
        return options.selection.phases(in_order=bool(options.options & BROWSE_OPTIONS), turns=turns)
    return (queue,)


def token_of(queue: LocalQueue, row: bytes) -> bytes:
    """Return the message token: number of the queue and position, eight bytes each."""
    return queue.number.to_bytes(8, "big") + row[:POSITION_BYTES]
