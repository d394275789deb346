"""Which message a get or browse means: match options, ids and selectors (mqi.md 10)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from bridge.queue_manager.errors import SearchGoesOn
from bridge.queue_manager.options import BROWSE_OPTIONS, NO_ID, GetOptions
from bridge.queue_manager.queues.indexes import IdKind
from bridge.queue_manager.queues.local_queue import LocalQueue
from bridge.queue_manager.queues.rows import POSITION_BYTES, group_fields, parse_row
from protocol.constants import MQMO

_IDS = int(MQMO.MATCH_MSG_ID | MQMO.MATCH_CORREL_ID | MQMO.MATCH_GROUP_ID)
_GROUP = int(MQMO.MATCH_GROUP_ID | MQMO.MATCH_MSG_SEQ_NUMBER | MQMO.MATCH_OFFSET)
_MSG_ID, _CORREL_ID, _GROUP_ID = int(MQMO.MATCH_MSG_ID), int(MQMO.MATCH_CORREL_ID), int(MQMO.MATCH_GROUP_ID)
_SEQ_NUMBER, _OFFSET, _TOKEN = int(MQMO.MATCH_MSG_SEQ_NUMBER), int(MQMO.MATCH_OFFSET), int(MQMO.MATCH_MSG_TOKEN)
_SELECTOR = 1 << 30
"""Beside the MQMO bits: there is a selector."""
LOOKED_AT_IN_A_TURN = 400
"""Messages that a selector looks at before others have their turn."""


def selects(options: GetOptions) -> int:
    """The MQMO bits that narrow the choice: an id of zeros matches anything (mqi.md 10.1 row 2); and `_SELECTOR`."""
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
    """Whether a certain MsgId or CorrelId is asked for; such waiters are preferred."""
    return selects(options) & (_MSG_ID | _CORREL_ID) != 0


def correl_id_wanted(options: GetOptions) -> bytes | None:
    """The CorrelId that every message meant has; None where any may do."""
    return options.correl_id if selects(options) & _CORREL_ID else None


def matches(row: bytes, options: GetOptions) -> bool:
    """Whether a message is one that the options mean."""
    bits = selects(options)
    return not bits or _matches(row, options, bits)


def matches_ids(row: bytes, options: GetOptions) -> bool:
    """Whether a message is one that match options and ids mean, whatever the selector says."""
    bits = selects(options) & ~_SELECTOR
    return not bits or _matches(row, options, bits)


def _matches(row: bytes, options: GetOptions, bits: int) -> bool:
    if bits & (_MSG_ID | _CORREL_ID):
        fields = parse_row(row)
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
    """The first message in delivery order that the options mean, behind a position (eight bytes) if one is given.

    Ids are looked up in an index. Expired messages are not told apart here.
    """
    if not selects(options):
        return next(queue.rows(after), None) if after else queue.first()
    return next(matching(queue, options, after), None)


def matching(queue: LocalQueue, options: GetOptions, after: bytes = b"") -> Iterator[bytes]:
    """All messages in delivery order that the options mean. The queue must not change meanwhile.

    Raises `SearchGoesOn` for ``in_turns`` when the selector has looked at many.
    """
    bits = selects(options)
    if not bits:
        yield from queue.rows(after)
        return
    selection = options.selection
    turn_ends = selection.looked_at + LOOKED_AT_IN_A_TURN if selection is not None else 0
    for row in _candidates(queue, options, bits, after):
        if (not after or row[:POSITION_BYTES] > after) and _matches(row, options, bits):
            yield row
        elif selection is not None and selection.looked_at >= turn_ends and options.in_turns:
            raise SearchGoesOn(queue.name)


def _candidates(queue: LocalQueue, options: GetOptions, bits: int, after: bytes) -> Iterable[bytes]:
    if bits & _TOKEN:
        if options.token[:POSITION_BYTES] != token_of(queue, b"")[:POSITION_BYTES]:
            return ()
        found = queue.find(options.token[POSITION_BYTES:])
        return () if found is None else (found,)
    if bits & _MSG_ID:
        return queue.index(IdKind.MSG_ID).rows(options.msg_id)
    if bits & _CORREL_ID:
        return queue.index(IdKind.CORREL_ID).rows(options.correl_id)
    if bits & _GROUP_ID:
        return queue.index(IdKind.GROUP_ID).rows(options.group_id)
    if options.selection is not None:
        return options.selection.candidates(after, in_order=bool(options.options & BROWSE_OPTIONS))
    return queue.rows(after)


def token_of(queue: LocalQueue, row: bytes) -> bytes:
    """The message token: number of the queue and position, eight bytes each."""
    return queue.number.to_bytes(8, "big") + row[:POSITION_BYTES]
