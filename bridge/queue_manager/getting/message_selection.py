"""Selectors of open queues, for gets, browses and waits (mqi.md 10.3, 18).

A message is parsed only if the selector needs something that its row does not have, and only its headers are read. The
positions of messages that were not selected are cached for all handles with the same selector, so a get on a deep queue
does not examine them again. A get that has many messages to examine can do so in turns. If the selector requires a
certain id, the index of that id is used.
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
"""Cached positions, or twice the depth of the queue, above which those of messages that are gone are dropped."""
KEPT_VIEWS: Final = 32
"""Parsed messages that a queue caches for further handles."""
HEADERS_AT_ONCE: Final = 64 << 10
"""Data up to this many bytes is read whole; of longer data only the beginning."""

_ASKED: Final = 40
"""Turn units for evaluating a selector, beside two for each of its nodes."""
_TAG: Final = 15
"""Turn units for a tag of a folder."""
_READ: Final = 200
"""Turn units for reading a message, beside one for each `_BYTES_READ`."""
_BYTES_READ: Final = 100

_INPUT_OR_BROWSE: Final = int(MQOO.INPUT_AS_Q_DEF | MQOO.INPUT_SHARED | MQOO.INPUT_EXCLUSIVE | MQOO.BROWSE)
_CHANGING: Final = frozenset(("JMSRedelivered", "JMSXDeliveryCount", "Root.MQMD.BackoutCount"))
"""Fields of a message that change when it is backed out."""
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
    """The properties of a message on a queue, from its row if possible."""

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
    """Positions of messages that one selector does not select; freed with the last handle that has it."""

    __slots__ = ("__weakref__", "positions")

    def __init__(self) -> None:
        self.positions: set[bytes] = set()


class QueueViews:
    """Parsed messages of one queue, for all its handles with selectors.

    ``read``: returns the message of a row with its original Expiry and its data, of long data only the beginning.
    """

    __slots__ = ("__weakref__", "_read", "_rejected", "_views", "queue", "spent")

    def __init__(self, queue: LocalQueue, read: Callable[[Row], Message]) -> None:
        self._read = read
        self._views: dict[bytes, RowView] = {}
        self._rejected: WeakValueDictionary[str, Rejected] = WeakValueDictionary()
        self.queue = queue
        self.spent = 0
        """Turn units spent on parsing."""

    def rejected_by(self, selector: Selector) -> Rejected:
        """The shared cache of handles with this selector."""
        found = self._rejected.get(selector.text)
        if found is None:
            found = self._rejected[selector.text] = Rejected()
        return found

    def remember(self, rejected: set[bytes], position: bytes) -> None:
        """Add a message that is not selected."""
        if len(rejected) >= max(MAX_REMEMBERED, 2 * self.queue.visible):
            rejected.intersection_update([row[:POSITION_BYTES] for row in self.queue.rows()])
        rejected.add(position)

    def view(self, row: bytes) -> RowView:
        """The view of a message."""
        found = self._views.get(row)
        if found is None:
            fields = Row(row)
            if len(self._views) >= KEPT_VIEWS:
                self._views.clear()
            found = self._views[row] = RowView(fields, self)
        return found

    def count_folder(self, text: str) -> None:
        """Count the work of parsing a folder."""
        self.spent += _TAG * tags_in(text)

    def read(self, fields: Row) -> Message:
        """Read the message of a row, and count the work."""
        self.spent += _READ + min(fields.length, HEADERS_WITHIN) // _BYTES_READ
        return self._read(fields)


class HandleSelector:
    """The selector of one handle."""

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
        """Positions of messages known not to be selected."""
        self._begun: tuple[object, ...] = ()
        self._index, self._surely = _demanded(selector)
        self.looked_at = 0
        """Number of messages found not to be selected."""
        self.spent = 0
        """Turn units spent on messages."""

    @property
    def views(self) -> QueueViews:
        """The parsed messages of the queue."""
        return self._views

    def admits(self, row: bytes) -> bool:
        """Whether a message is selected. A damaged one is not; that is logged."""
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
        """Whether a segment is selected: the first one decides, and the others follow it."""
        first = self._views.queue.groups().item(fields.group_id, fields.msg_seq_number, 0)
        if first is None:
            return self._begun == fields[:2]
        return self.selector.selects(self._views.view(first).get)

    def not_rejected(self, rows: list[bytes]) -> list[bytes]:
        """The rows that are not known to be unselected."""
        rejected = self.rejected
        return [row for row in rows if row[:POSITION_BYTES] not in rejected] if rejected else rows

    def phases(self, *, in_order: bool, turns: Turns | None) -> Sequence[Rows]:
        """The messages that may be selected, from the index if the selector requires an id.

        All known writers also put the first 24 bytes of a text JMSCorrelationID into CorrelId, but no rule requires it:
        the messages of the index come first, unless they must come ``in_order``, then the others.
        """
        queue = self._views.queue
        if self._index is None or (in_order and not self._surely):
            return (queue,)
        kind, key = self._index
        found = queue.index(kind, turns).of(key)
        return (found,) if self._surely else (found, queue)


def _demanded(selector: Selector) -> tuple[tuple[IdKind, bytes] | None, bool]:
    """The id that every selected message must have, and whether that is certain."""
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
