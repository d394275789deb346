"""A message as programs see it: data, text, properties, and descriptor fields."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

from mqbridge.mappings.descriptor import Descriptor
from mqbridge.mappings.message import Message as StoredMessage
from mqbridge.mappings.moment import put_moment
from mqbridge.mappings.properties import Property, read_properties, without_properties
from mqbridge.mappings.properties.writing import with_properties
from mqbridge.protocol.constants import MQENC, MQFMT, MQPER, ByteOrder
from mqbridge.protocol.numbers import integer_order
from mqbridge.protocol.text import decode_text, encode_text

UTF_8: Final = 1208
NATIVE_ENCODING: Final = (ByteOrder.LITTLE if sys.byteorder == "little" else ByteOrder.BIG).encoding
"""MQENC_NATIVE of this machine."""
_UNLIMITED: Final = -1
_TENTHS: Final = 10
_INTEGERS: Final = int(MQENC.INTEGER_MASK)

Value = str | int | float | bool | bytes | None


def data_of(body: str | bytes) -> bytes:
    """The data of a body; text is encoded in UTF-8. Raises ``ConversionError`` for an unpaired surrogate, ``TypeError``
    if it is neither text nor bytes."""
    if isinstance(body, str):
        return encode_text(body, UTF_8)
    if isinstance(body, (bytes, bytearray, memoryview)):
        return bytes(body)
    raise TypeError(f"the body of a message is str or bytes, not {type(body).__name__}")


class Message:
    """A message.

    ``body``: text, sent in UTF-8 with format MQSTR, or bytes, sent unchanged. ``properties``: by name; a value may be a
    str, int, float, bool, bytes or None, or a `mappings.properties.Property` of another type. Other arguments set
    descriptor fields: ``persistent`` (None: the queue's default), ``priority``, ``expiry`` in seconds, ``correl_id``,
    ``msg_id``, ``reply_to``, ``reply_to_queue_manager``, ``format``, and all fields of MQMD by name (``report``,
    ``msg_type``, ``feedback``, ``group_id`` …). Raises ``ConversionError`` and ``LocalProtocolError`` for invalid
    values, ``PropertyNameError`` and ``PropertyValueError``.
    """

    __slots__ = ("_plain", "_properties", "queue", "stored", "token")

    def __init__(
        self,
        body: str | bytes = b"",
        *,
        properties: Mapping[str, Value | Property] | None = None,
        persistent: bool | None = None,
        expiry: float | None = None,
        reply_to: str = "",
        reply_to_queue_manager: str = "",
        format: str | None = None,
        order: ByteOrder = ByteOrder.LITTLE,
        ccsid: int = UTF_8,
        **fields: Any,
    ) -> None:
        text = isinstance(body, str)
        data = data_of(body)
        values: dict[str, Any] = {
            "format": format if format is not None else str(MQFMT.STRING) if text else "",
            "encoding": NATIVE_ENCODING,
            "coded_char_set_id": UTF_8 if text else 0,
            "persistence": MQPER.PERSISTENCE_AS_Q_DEF if persistent is None else int(persistent),
            "msg_seq_number": 1,
        }
        if expiry is not None:
            values["expiry"] = max(1, round(expiry * _TENTHS))
        if reply_to:
            values["reply_to_q"], values["reply_to_q_mgr"] = reply_to, reply_to_queue_manager
        self.stored = StoredMessage.build(data, order=order, ccsid=ccsid, **(values | fields))
        """The message with all its headers, as on the wire."""
        if properties:
            given = [
                value if isinstance(value, Property) else Property.of(name, value) for name, value in properties.items()
            ]
            self.stored = with_properties(self.stored, given)
        self.queue = ""
        """Name of the queue that it came from."""
        self.token = b""
        """MsgToken of a received message."""
        self._plain: StoredMessage | None = None
        self._properties: dict[str, Value] | None = None

    @classmethod
    def of(cls, stored: StoredMessage, *, queue: str = "", token: bytes = b"") -> Message:
        """The view of a received message."""
        message = cls.__new__(cls)
        message.stored, message.queue, message.token = stored, queue, token
        message._plain = message._properties = None
        return message

    # The data

    @property
    def plain(self) -> StoredMessage:
        """The message without the headers that hold its properties."""
        if self._plain is None:
            self._plain = without_properties(self.stored)
        return self._plain

    @property
    def data(self) -> bytes:
        """The data after the properties."""
        return self.plain.data

    @property
    def text(self) -> str:
        """The data as text, in the message's code page. Raises ``ConversionError``."""
        md = self.plain.md
        ccsid = md.coded_char_set_id if md.coded_char_set_id > 0 else self.stored.ccsid
        encoding = md.encoding & _INTEGERS
        return decode_text(self.plain.data, ccsid, order=integer_order(encoding) if encoding else ByteOrder.BIG)

    @property
    def properties(self) -> dict[str, Value]:
        """The properties by name; those in folder ``usr`` have plain names."""
        if self._properties is None:
            self._properties = {each.name: each.value for each in read_properties(self.stored)}
        return self._properties

    def __len__(self) -> int:
        """Bytes of data after the properties."""
        return len(self.plain)

    # The descriptor

    @property
    def md(self) -> Descriptor:
        """All descriptor fields, by IBM's names in snake case; format and code page of the data after the properties
        are in ``plain.md``."""
        return self.stored.md

    @property
    def msg_id(self) -> bytes:
        """24 bytes."""
        return self.md.msg_id

    @property
    def correl_id(self) -> bytes:
        """24 bytes."""
        return self.md.correl_id

    @property
    def format(self) -> str:
        """Format of the data after the properties."""
        return self.plain.md.format

    @property
    def reply_to(self) -> str:
        """Queue for replies."""
        return self.md.reply_to_q

    @property
    def reply_to_queue_manager(self) -> str:
        """Its queue manager."""
        return self.md.reply_to_q_mgr

    @property
    def persistent(self) -> bool:
        """Whether it survives a restart."""
        return self.md.persistence == MQPER.PERSISTENT

    @property
    def priority(self) -> int:
        """0 to 9."""
        return self.md.priority

    @property
    def expiry(self) -> float | None:
        """Remaining lifetime in seconds; None if unlimited."""
        tenths = self.md.expiry
        return None if tenths == _UNLIMITED else tenths / _TENTHS

    @property
    def backout_count(self) -> int:
        """How often a unit of work with it was backed out."""
        return self.md.backout_count

    @property
    def user(self) -> str:
        """User that put it."""
        return self.md.user_identifier

    @property
    def put_time(self) -> datetime | None:
        """Time of the put; None if the descriptor does not state it."""
        moment = put_moment(self.md.put_date, self.md.put_time)
        return None if moment is None else datetime.fromtimestamp(moment, UTC)

    def __repr__(self) -> str:
        return f"<Message {self.msg_id.hex()} of {len(self.stored)} bytes>"
