"""The selector of an open queue: which messages its gets, browses and waits mean (mqi.md 10.3, 18).

A message is taken apart only when the selector asks for something that its row does not tell, and no more of its data
is read than the headers. Messages that were once found not to be selected are remembered by their positions, for all
handles with the same selector, so a get on a deep queue does not look into them again; and one that has many to look at
can do so in turns. Where the selector demands a certain id, its index is used.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final
from weakref import WeakValueDictionary

from mqbridge.bridge.queue_manager.errors import MQError
from mqbridge.bridge.queue_manager.queues.indexes import IdKind, Rows
from mqbridge.bridge.queue_manager.queues.local_queue import LocalQueue
from mqbridge.bridge.queue_manager.queues.rows import (
    GROUPED,
    NO_GROUP,
    POSITION_BYTES,
    GroupFields,
    Row,
    flags_of,
    group_fields,
    parse_row,
)
from mqbridge.bridge.store.interface import StoreError
from mqbridge.mappings.message import Message
from mqbridge.mappings.properties import HEADERS_WITHIN, PropertyView, Value
from mqbridge.mappings.rfh2 import tags_in
from mqbridge.mappings.selectors import Selector, SelectorError, compile_selector
from mqbridge.protocol.constants import MQOO, MQRC

if TYPE_CHECKING:
    from mqbridge.bridge.queue_manager.turns import Turns

MAX_REMEMBERED: Final = 100_000
"""Messages remembered as not selected, or twice as many as there are, from which on those that are gone are dropped."""
KEPT_VIEWS: Final = 32
"""Messages taken apart that a queue keeps for the handles that are asked next."""
HEADERS_AT_ONCE: Final = 64 << 10
"""Data up to this many bytes are read whole; of longer ones only the front."""

_ASKED: Final = 40
"""Units of work for asking a selector, beside two for each of its nodes."""
_TAG: Final = 15
"""Units of work for a tag of a folder."""
_READ: Final = 200
"""Units of work for reading a message, beside one for each `_BYTES_READ`."""
_BYTES_READ: Final = 100

_INPUT_OR_BROWSE: Final = int(MQOO.INPUT_AS_Q_DEF | MQOO.INPUT_SHARED | MQOO.INPUT_EXCLUSIVE | MQOO.BROWSE)
_CHANGING: Final = frozenset(("JMSRedelivered", "JMSXDeliveryCount", "Root.MQMD.BackoutCount"))
"""What a message that goes back to the queue has not as before."""
_ID_TEXT: Final = re.compile(r"ID:([0-9a-f]{48})\Z")
_ID_LENGTH: Final = 24
_NO_ID: Final = bytes(_ID_LENGTH)
_ID_FIELDS: Final = {
    "Root.MQMD.MsgId": IdKind.MSG_ID,
    "Root.MQMD.CorrelId": IdKind.CORREL_ID,
    "Root.MQMD.GroupId": IdKind.GROUP_ID,
}
_HIGHEST_PRIORITY: Final = 9

_FROM_ROW: Final[dict[str, Callable[[Row], Value]]] = {
    "JMSMessageID": lambda row: "ID:" + row.msg_id.hex(),
    "JMSRedelivered": lambda row: row.backout_count > 0,
    "JMSXDeliveryCount": lambda row: row.backout_count + 1,
    "Root.MQMD.MsgId": lambda row: row.msg_id,
    "Root.MQMD.CorrelId": lambda row: row.correl_id,
    "Root.MQMD.BackoutCount": lambda row: row.backout_count,
}
"""Names for which the message need not be read."""


class RowView:
    """The properties of a message on a queue; its row answers for what it can."""

    __slots__ = ("_message", "_row")

    def __init__(self, row: Row, views: QueueViews) -> None:
        self._row = row
        self._message = PropertyView(lambda: views.read(row), views.count_folder, row.deadline)

    def get(self, name: str) -> Value:
        """See `PropertyView.get`."""
        quick = _FROM_ROW.get(name)
        if quick is not None:
            return quick(self._row)
        if name in ("JMSPriority", "Root.MQMD.Priority") and self._row.priority < _HIGHEST_PRIORITY:
            return self._row.priority
        return self._message.get(name)


class Rejected:
    """Positions of messages that one selector does not select; gone with the last handle that has it."""

    __slots__ = ("__weakref__", "positions")

    def __init__(self) -> None:
        self.positions: set[bytes] = set()


class QueueViews:
    """Takes messages of one queue apart for all its handles that have selectors.

    ``read``: gives the message of a row, with the Expiry that it was put with and its data, of long data the front.
    """

    __slots__ = ("__weakref__", "_read", "_rejected", "_views", "queue", "spent")

    def __init__(self, queue: LocalQueue, read: Callable[[Row], Message]) -> None:
        self._read = read
        self._views: dict[bytes, RowView] = {}
        self._rejected: WeakValueDictionary[str, Rejected] = WeakValueDictionary()
        self.queue = queue
        self.spent = 0
        """Units of work that taking messages apart has taken."""

    def rejected_by(self, selector: Selector) -> Rejected:
        """What handles with this selector remember together."""
        found = self._rejected.get(selector.text)
        if found is None:
            found = self._rejected[selector.text] = Rejected()
        return found

    def remember(self, rejected: set[bytes], position: bytes) -> None:
        """Remembers a message that is not selected."""
        if len(rejected) >= max(MAX_REMEMBERED, 2 * self.queue.visible):
            rejected.intersection_update([row[:POSITION_BYTES] for row in self.queue.rows()])
        rejected.add(position)

    def view(self, row: bytes) -> RowView:
        """The view of a message."""
        found = self._views.get(row)
        if found is None:
            fields = parse_row(row)
            if len(self._views) >= KEPT_VIEWS:
                self._views.clear()
            found = self._views[row] = RowView(fields, self)
        return found

    def count_folder(self, text: str) -> None:
        """Counts the work of taking a folder apart."""
        self.spent += _TAG * tags_in(text)

    def read(self, fields: Row) -> Message:
        """The message of a row; the work is counted."""
        self.spent += _READ + min(fields.length, HEADERS_WITHIN) // _BYTES_READ
        return self._read(fields)


class HandleSelector:
    """The selector of one handle at its queue."""

    __slots__ = (
        "_begun",
        "_index",
        "_remembers",
        "_shared",
        "_surely",
        "_views",
        "looked_at",
        "rejected",
        "selector",
        "spent",
    )

    def __init__(self, selector: Selector, views: QueueViews) -> None:
        self.selector = selector
        self._views = views
        self._remembers = not selector.names & _CHANGING
        self._shared = views.rejected_by(selector)
        self.rejected = self._shared.positions
        """Positions of messages that are remembered as not selected."""
        self._begun: tuple[object, ...] = ()
        self._index, self._surely = _demanded(selector)
        self.looked_at = 0
        """Messages found not to be selected, and remembered."""
        self.spent = 0
        """Units of work that looking at messages has taken."""

    @property
    def views(self) -> QueueViews:
        """What takes the messages of the queue apart."""
        return self._views

    def admits(self, row: bytes) -> bool:
        """Whether a message is selected. One that cannot be read is not; that it is damaged is in the log."""
        position = row[:POSITION_BYTES]
        if position in self.rejected:
            return False
        views = self._views
        before = views.spent
        try:
            return self._decide(row, position)
        finally:
            self.spent += _ASKED + 2 * self.selector.size + views.spent - before

    def _decide(self, row: bytes, position: bytes) -> bool:
        fields = group_fields(row) if flags_of(row) & GROUPED else NO_GROUP
        try:
            if fields.offset:
                return self._admits_segment(fields)
            if self.selector.selects(self._views.view(row).get):
                self._begun = fields[:2]
                return True
        except (MQError, StoreError):
            return False
        if self._remembers:
            self._views.remember(self.rejected, position)
            self.looked_at += 1
        return False

    def _admits_segment(self, fields: GroupFields) -> bool:
        """Of a logical message in segments the first one decides; once that was got, the others follow it."""
        first = self._views.queue.groups().item(fields.group_id, fields.msg_seq_number, 0)
        if first is None:
            return self._begun == fields[:2]
        return self.selector.selects(self._views.view(first).get)

    def not_rejected(self, rows: list[bytes]) -> list[bytes]:
        """Those of some rows that are not remembered as not selected."""
        rejected = self.rejected
        return [row for row in rows if row[:POSITION_BYTES] not in rejected] if rejected else rows

    def phases(self, *, in_order: bool, turns: Turns | None) -> Sequence[Rows]:
        """What gives messages that may be selected, by the index where the selector demands an id.

        A text as JMSCorrelationID stands with its first 24 bytes in CorrelId too, by all writers known but not by
        rule: what the index has comes first then, unless everything must come ``in_order``, and the others after it.
        """
        queue = self._views.queue
        if self._index is None or (in_order and not self._surely):
            return (queue,)
        kind, key = self._index
        found = queue.index(kind, turns).of(key)
        return (found,) if self._surely else (found, queue)


def _demanded(selector: Selector) -> tuple[tuple[IdKind, bytes] | None, bool]:
    """The id that every message selected has, and whether that is sure."""
    demanded = selector.required()
    for name, kind in _ID_FIELDS.items():
        value = demanded.get(name)
        if isinstance(value, bytes) and len(value) == _ID_LENGTH and value != _NO_ID:
            return (kind, value), True
    for name, kind in (("JMSMessageID", IdKind.MSG_ID), ("JMSCorrelationID", IdKind.CORREL_ID)):
        value = demanded.get(name)
        if not isinstance(value, str):
            continue
        written = _ID_TEXT.match(value)
        if written:
            return (kind, bytes.fromhex(written[1])), True
        if kind is IdKind.CORREL_ID and value:
            return (kind, value.encode("utf-8", "replace")[:_ID_LENGTH].ljust(_ID_LENGTH, b"\0")), False
    return None, False


def compiled(selection_string: str, options: int) -> Selector | None:
    """The selector of an MQOPEN with these MQOO bits; None for an empty string.

    Raises `MQError` 2516 for a handle that neither gets nor browses, 2519, 2551 and 2504 as `compile_selector` does.
    """
    if not selection_string:
        return None
    if not options & _INPUT_OR_BROWSE:
        raise MQError(MQRC.SELECTOR_INVALID_FOR_TYPE, "the queue is opened neither to get nor to browse")
    try:
        return compile_selector(selection_string)
    except SelectorError as error:
        raise MQError(error.reason, str(error)) from error
