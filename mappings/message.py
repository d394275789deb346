"""The internal message: a descriptor and data, kept as received until they are read or changed."""

from __future__ import annotations

from typing import Any, Final

from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.constants.lengths import MQMD_LENGTH_1, MQMD_LENGTH_2

from .body import Body, as_bytes
from .descriptor import Descriptor, check_descriptor, new_descriptor, parse_descriptor

_LENGTHS: Final = (MQMD_LENGTH_1, MQMD_LENGTH_2)


class Message:
    """A message: MQMD bytes of version 1 or 2 with their byte order and code page, and the data behind them.

    ``order``: byte order of the descriptor's integers. ``ccsid``: code page of its text. The encoding and code page
    of the *data* are fields of the descriptor. ``body``: the data as they are held (:mod:`mappings.body`).

    ``md`` takes the descriptor apart when first asked for; assigning to its fields changes the message. A message of
    which nothing was changed gives back the bytes it was made from. Raises ``StructureError`` when ``raw_md`` has not
    the length of a descriptor; its other faults show when ``md`` is read.
    """

    __slots__ = ("_md", "_raw", "body", "ccsid", "known", "order")

    def __init__(self, raw_md: bytes, body: Body = b"", *, order: ByteOrder, ccsid: int) -> None:
        if len(raw_md) not in _LENGTHS:
            check_descriptor(raw_md)
        self._raw = raw_md
        self._md: Descriptor | None = None
        self.body = body
        self.order = order
        self.ccsid = ccsid
        self.known: Any = None
        """What `mappings.properties.quick_folders` has found out, and of which bytes."""

    @classmethod
    def build(
        cls, body: Body = b"", *, order: ByteOrder = ByteOrder.LITTLE, ccsid: int = 1208, **fields: Any
    ) -> Message:
        """Build a message: descriptor defaults (mq-wire.md 5.7) with ``fields`` set; version 2 if one of them requires
        it.

        ``coded_char_set_id`` 0 means the queue manager's. Raises ``ConversionError`` and ``LocalProtocolError`` for
        values that do not fit, ``TypeError`` for unknown fields.
        """
        descriptor = new_descriptor(order, ccsid, **fields)
        message = cls(descriptor.build(), body, order=order, ccsid=ccsid)
        descriptor.changed = False
        message._md = descriptor
        return message

    @property
    def md(self) -> Descriptor:
        """The descriptor. Raises ``StructureError`` when its id or version is wrong."""
        if self._md is None:
            self._md = parse_descriptor(self._raw, self.order, self.ccsid)
        return self._md

    @property
    def raw_md(self) -> bytes:
        """The descriptor's bytes, 324 or 364, including changes."""
        if self._md is not None and self._md.changed:
            self._raw = self._md.build()
            self._md.changed = False
        return self._raw

    @raw_md.setter
    def raw_md(self, raw: bytes) -> None:
        if len(raw) not in _LENGTHS:
            check_descriptor(raw)
        self._raw = raw
        self._md = None

    @property
    def data(self) -> bytes:
        """All data, read into memory if they are stored elsewhere."""
        return as_bytes(self.body)

    def __len__(self) -> int:
        """Return the length of the data in bytes."""
        return len(self.body)

    def copy(self, body: Body | None = None) -> Message:
        """Return a message with the same descriptor, and the same or other data."""
        return Message(self.raw_md, self.body if body is None else body, order=self.order, ccsid=self.ccsid)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Message):
            return NotImplemented
        mine, theirs = (self.raw_md, self.order, self.ccsid), (other.raw_md, other.order, other.ccsid)
        return mine == theirs and self.data == other.data

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<Message {self.md.msg_id.hex()} of {len(self)} bytes>"
