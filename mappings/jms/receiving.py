"""What a received message says as JMS; each part is taken apart when it is first asked for (jms-mapping.md 2 to 6)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, TypeAlias

from mqbridge.mappings import jms_headers
from mqbridge.mappings.body import read_slice
from mqbridge.mappings.destinations import Destination, DestinationError, MessageBody
from mqbridge.mappings.message import Message
from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.errors import ConversionError
from mqbridge.protocol.numbers import integer_order
from mqbridge.protocol.text import decode_text

from .bodies import read_map, read_stream
from .errors import JmsFormatError
from .front import Fields, Front, Scalar, field_text, fields_of, front_of, native_front, texts_of, type_texts, values_of
from .headers import JmsHeaders
from .provider import received_properties
from .typed import Typed

Body: TypeAlias = str | bytes | dict[str, Typed] | tuple[Typed, ...] | None
"""Body by kind: text: str, or None for a null text; bytes: bytes; object: the bytes of a Java serialization stream, or
None for a null object; map: a dict of `Typed`; stream: a tuple of `Typed`; none: None."""

_STRING: Final = "MQSTR"
_UTF_8: Final = 1208
_WIDE: Final = frozenset((1200, 13488, 17584))
_BOMS: Final = {b"\xfe\xff": ByteOrder.BIG, b"\xff\xfe": ByteOrder.LITTLE}
_INTEGER: Final = re.compile(r"[+-]?[0-9]{1,20}\Z")
HIDDEN: Final = "XMSC_CLIENT_ID"
"""A property that IBM's client adds to publications and does not show."""


class ReceivedMessage:
    """The JMS parts of a message. ``destination``: where it was got from; ``now``: seconds since the epoch."""

    __slots__ = ("_fields", "_front", "_mcd", "destination", "matching", "message", "now")

    def __init__(self, message: Message, destination: Destination | None, now: float | None, matching: bool) -> None:
        self.message = message
        self.destination = destination
        self.now = now
        self.matching = matching
        self._fields: Fields | None = None
        self._front: Front | None = None
        self._mcd: Mapping[str, Scalar] | None = None

    def fields(self) -> Fields:
        """Return the fields of the descriptor. Raises `JmsFormatError`, as do all methods."""
        if self._fields is None:
            self._fields = fields_of(self.message)
        return self._fields

    def front(self) -> Front:
        """Return what stands in front of the body."""
        if self._front is None:
            there = self.destination
            whole = there is not None and there.message_body is MessageBody.MQ
            self._front = (native_front if whole else front_of)(self.message, self.fields())
        return self._front

    def mcd(self) -> Mapping[str, Scalar]:
        """Return the elements of folder ``mcd``."""
        if self._mcd is None:
            self._mcd = type_texts(self.front().folders.get("mcd"))
        return self._mcd

    def kind(self) -> str:
        """Return the kind of message (jms-mapping.md 6.1)."""
        there = self.destination
        if there is not None and there.message_body is MessageBody.MQ:
            return "bytes"
        front = self.front()
        domain = self.mcd().get("Msd") if front.folders else None
        if domain:
            kind = jms_headers.KIND_OF_DOMAIN.get(str(domain))
            if kind is not None:
                return kind
        elif len(self.message) == front.offset:
            return "none"
        return "text" if front.format == _STRING else "bytes"

    def body(self) -> Body:
        """Return the body by kind."""
        kind = self.kind()
        if kind == "none":
            return None
        front = self.front()
        data = self.message.body
        raw = data[front.offset :] if isinstance(data, bytes) else read_slice(data, front.offset)
        if kind == "bytes":
            return raw
        if kind == "object":
            return raw or None
        if kind == "text":
            return None if "msgbody" in self.mcd() else self._text(raw, front)
        text = self._text(raw, front).removeprefix("\ufeff")
        return read_map(text) if kind == "map" else read_stream(text)

    @staticmethod
    def _text(raw: bytes, front: Front) -> str:
        try:
            if front.ccsid == _UTF_8:
                return raw.decode()
            if front.ccsid not in _WIDE:
                return decode_text(raw, front.ccsid)
            order = _BOMS.get(raw[:2])
            if order is not None:
                return decode_text(raw[2:], front.ccsid, order=order)
            return decode_text(raw, front.ccsid, order=integer_order(front.encoding))
        except (UnicodeError, ConversionError) as error:
            raise JmsFormatError(f"body: {error}") from error

    def properties(self) -> dict[str, Typed]:
        """Return the properties of the application."""
        found = values_of(self.front().folders.get("usr"))
        found.pop(HIDDEN, None)
        return found

    def provider_properties(self) -> dict[str, Typed]:
        """Return the properties JMS_IBM_…."""
        return received_properties(self.message, self.fields(), self.front(), self.destination)

    def headers(self) -> JmsHeaders:
        """Return all header fields."""
        fields, front = self.fields(), self.front()
        folders = front.folders
        jms = texts_of(folders.get("jms")) if folders else {}
        ccsid = self.message.ccsid
        given = jms.get
        flags = fields.msg_flags
        count = fields.backout_count
        correlation = jms_headers.correlation_id(given("Cid"), fields.correl_id)
        kind = jms_headers.jms_type(self.mcd()) if folders else None
        group = jms_headers.group_id(given("Gid"), flags, fields.group_id)
        sent = _number(jms, "Tms")
        values = (
            jms_headers.id_text(fields.msg_id),
            (self._put_time(fields) or 0) if sent is None else sent,
            None if correlation is None else str(correlation),
            self._reply_to(given("Rto"), fields),
            self._destination(given("Dst")),
            int(jms_headers.delivery_mode(_number(jms, "Dlv"), fields.persistence) or 0),
            None if kind is None else str(kind),
            self._expiration(_number(jms, "Exp"), fields),
            fields.priority,
            count + 1,
            0,
            None if group is None else str(group),
            _sequence(jms_headers.group_seq(_number(jms, "Seq"), flags, fields.msg_seq_number)),
            field_text(fields.user_identifier, ccsid),
            field_text(fields.put_appl_name, ccsid),
        )
        return tuple.__new__(JmsHeaders, values)  # quicker than the call of a named tuple with its defaults

    def _put_time(self, fields: Fields) -> int | None:
        ccsid = self.message.ccsid
        return jms_headers.put_time(field_text(fields.put_date, ccsid), field_text(fields.put_time, ccsid))

    def _expiration(self, given: int | None, fields: Fields) -> int:
        if given:
            return given
        if fields.expiry < 0:
            return 0
        since = self._put_time(fields) if self.now is None else int(self.now * 1000)
        found = jms_headers.expiration(given, fields.expiry, since)
        return found if isinstance(found, int) else 0

    def _reply_to(self, given: Scalar | None, fields: Fields) -> Destination | None:
        ccsid = self.message.ccsid
        queue = field_text(fields.reply_to_q, ccsid)
        if not queue and not given:
            return None
        manager = field_text(fields.reply_to_q_mgr, ccsid)
        native = self.matching and self.front().native
        try:
            return jms_headers.reply_to(given, queue, manager, native=native)
        except DestinationError as error:
            raise JmsFormatError(f"jms.Rto: {error}") from error

    def _destination(self, given: Scalar | None) -> Destination | None:
        try:
            if given:
                return Destination.parse(str(given), conforming=False)
            if "mqps" in self.front().folders:
                topic = texts_of(self.front().folders["mqps"]).get("Top")
                if topic:
                    return Destination.topic(str(topic))
        except DestinationError as error:
            raise JmsFormatError(f"jms.Dst: {error}") from error
        return self.destination


def _number(jms: dict[str, Scalar], name: str) -> int | None:
    """Return an element of folder ``jms`` that is a number."""
    found = jms.get(name)
    if found is None or isinstance(found, int):
        return found
    if isinstance(found, str) and _INTEGER.match(found):
        return int(found)
    if found == "":
        return None
    raise JmsFormatError(f"jms.{name}: {str(found)[:40]!r} is no number")


def _sequence(found: jms_headers.Value) -> int | None:
    return found if isinstance(found, int) else None
