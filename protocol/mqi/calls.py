"""The calls of a client, one small value each, and what a failing reply repeats of them (mq-wire.md 8.3).

Descriptors and options that the queue manager only keeps stay raw; structures that decide something are read. All
integers and texts of the raw parts are in the byte order and CCSID of the call (``order``, ``ccsid``), which is that
of the connection unless the client did as it liked. A reply repeats the structures of its call: set their fields
(``call.od.record.object_name = call.field("DYN.1", 48)``) before replying.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from mqbridge.protocol.compiled import Record
from mqbridge.protocol.numbers import ByteOrder
from mqbridge.protocol.structures import Body, ObjectDescriptor
from mqbridge.protocol.structures.pmo import PutMessageOptions
from mqbridge.protocol.structures.sd import SubscriptionDescriptor
from mqbridge.protocol.structures.sts import StatusReport
from mqbridge.protocol.structures.xid import TransactionId
from mqbridge.protocol.text import decode_field, encode_field

from .spi_replies import notify_reply, open_reply, put_reply, subscribe_reply

NO_HANDLE = -1
"""A handle that cannot be used."""


@dataclass(kw_only=True, eq=False, slots=True)
class Call:
    """A call that waits for its reply. ``conversation``: 0 on a connection that is not shared."""

    conversation: int
    request: int
    """Request id, repeated by the reply."""
    type: int
    """SegmentType of the call; that of its reply is 0x10 more."""
    order: ByteOrder
    ccsid: int
    handle: int = 0
    """API.ObjectHandle."""
    room: int = 0
    """Bytes that the client has for the reply, as it says."""
    wanted: bool = True
    """A reply is wanted."""
    answered: bool = False
    """A reply was sent."""
    beside: ClassVar[bool] = False
    """It may be made while another call of the conversation waits for its reply."""

    def text(self, raw: bytes) -> str:
        """Text of a fixed-length field of the call."""
        return decode_field(raw, self.ccsid)

    def field(self, text: str, length: int) -> bytes:
        """A text as a fixed-length field. Raises ``ConversionError`` when it cannot be written so."""
        return encode_field(text, length, self.ccsid)

    def word(self, number: int) -> bytes:
        """A u32 in the byte order of the call."""
        return (number & 0xFFFFFFFF).to_bytes(4, self.order)

    def repeated(self) -> bytes:
        """What the reply holds behind its header, from the structures of the call as they stand."""
        return b""


@dataclass(kw_only=True, eq=False, slots=True)
class Connect(Call):
    """MQCONN or MQCONNX. Answer with ``reply_connect`` or ``refuse``."""

    connection: Record
    """CONN."""
    options: Body | None
    """FCNO; mostly left-over bytes of the client."""
    queue_manager: str
    """Name wanted; empty or with ``*`` in front: any."""
    application: str
    tag: bytes
    """Connection tag that the client was given before, else empty."""
    lost_connection: bytes
    """How the id of the lost connection begins, of a client that reconnects; else empty."""
    rest: bytes = b""
    """Bytes behind FCNO."""

    def repeated(self) -> bytes:
        """CONN and FCNO."""
        options = b"" if self.options is None else self.options.build()
        return self.connection.build() + options


@dataclass(kw_only=True, eq=False, slots=True)
class Disconnect(Call):
    """MQDISC: what is not committed is committed, unless the agent must fail it. Answer with ``reply``."""


@dataclass(kw_only=True, eq=False, slots=True)
class Commit(Call):
    """MQCMIT. Answer with ``reply``."""


@dataclass(kw_only=True, eq=False, slots=True)
class Backout(Call):
    """MQBACK. Answer with ``reply``."""


@dataclass(kw_only=True, eq=False, slots=True)
class Open(Call):
    """MQOPEN or SPI OPEN. Answer with ``reply_open`` or ``refuse``."""

    od: ObjectDescriptor
    options: int
    """MQOO bits."""
    attributes: Body | None
    """FOPA of MQOPEN, LPOO of SPI OPEN: the defaults of the queue come back in it. None below FAP 9."""
    behind: bytes = b""
    """FCMI and what else stands behind."""
    spi: bytes = b""
    """Of SPI OPEN: the header of the call; empty for MQOPEN."""
    spi_version: int = 0
    """Of SPI OPEN: 1 or 2."""

    def repeated(self) -> bytes:
        """OD, options and FOPA; of SPI OPEN as ``spi_replies`` lays it out."""
        if self.spi and self.attributes is not None:
            return open_reply(self.spi, self.order, self.attributes, self.od)
        attributes = b"" if self.attributes is None else self.attributes.build()
        return self.od.build() + self.word(self.options) + attributes + self.behind


@dataclass(kw_only=True, eq=False, slots=True)
class Close(Call):
    """MQCLOSE. Answer with ``reply`` or ``refuse``; nothing is delivered for the handle from here on."""

    options: int
    """MQCO bits."""
    last_index: int
    """Last message that the client has received on the handle; 0 for none."""
    unreceived: list[Any] = field(default_factory=list)
    """``reference`` of each message that was sent and not received, oldest first: put them back."""


@dataclass(kw_only=True, eq=False, slots=True)
class Put(Call):
    """MQPUT, or SPI PUT. Answer with ``reply`` (or ``refuse``) while it is ``wanted``. Of an
    asynchronous put it is not: its outcome is told by MQSTAT and by MQCMIT alone.

    ``reply`` repeats ``descriptor`` and ``options``: set message id, context, time and resolved names there.
    """

    descriptor: bytes
    """MQMD, version 1 or 2 (324 or 364 bytes)."""
    options: PutMessageOptions
    data: bytes | list[bytes]
    """Message data, in one piece, or the pieces in which they came."""
    length: int
    """Bytes of it."""
    delay: int = 0
    """Delivery delay, milliseconds."""
    spi: bytes = b""
    """Of SPI PUT: the header of the call; empty for MQPUT."""

    def repeated(self) -> bytes:
        """MD, PMO and the length word."""
        if self.spi:
            return put_reply(self.spi, self.order, self.descriptor, self.options)
        return b"".join((self.descriptor, self.options.build(), self.word(self.length)))


@dataclass(kw_only=True, eq=False, slots=True)
class Put1(Put):
    """MQPUT1. As :class:`Put`, with the object."""

    od: ObjectDescriptor

    def repeated(self) -> bytes:
        """OD, MD, PMO and the length word."""
        return self.od.build() + Put.repeated(self)


@dataclass(kw_only=True, eq=False, slots=True)
class Get(Call):
    """MQGET, of connections that are not shared. Answer with ``reply_get`` or ``refuse``, at the latest when
    GMO.WaitInterval has passed; until then heartbeats go to the client."""

    descriptor: bytes
    """MQMD with the match values, version 1 or 2."""
    options: Body
    """GMO."""
    buffer_length: int

    def repeated(self) -> bytes:
        """MD, GMO and a length of 0."""
        return self.descriptor + self.options.build() + self.word(0)


@dataclass(kw_only=True, eq=False, slots=True)
class Inquire(Call):
    """MQINQ. Answer with ``reply_inquire`` or ``refuse``."""

    selectors: tuple[int, ...]
    int_attr_count: int
    """Integer values that the client has room for."""
    char_attr_length: int
    """Bytes of character values that the client has room for."""


@dataclass(kw_only=True, eq=False, slots=True)
class Set(Call):
    """MQSET. Answer with ``reply`` or ``refuse``."""

    selectors: tuple[int, ...]
    int_attrs: tuple[int, ...]
    char_attrs: bytes
    """Character values one behind the other, each of the length that its attribute has."""
    body: bytes
    """INQ as it came."""

    def repeated(self) -> bytes:
        """INQ with its values."""
        return self.body


@dataclass(kw_only=True, eq=False, slots=True)
class Stat(Call):
    """MQSTAT. Set the fields of ``report`` and answer with ``reply``."""

    status_type: int
    """MQSTAT_TYPE."""
    report: StatusReport

    def repeated(self) -> bytes:
        """Type and STS."""
        return self.word(self.status_type) + self.report.build()


@dataclass(kw_only=True, eq=False, slots=True)
class Subscribe(Call):
    """MQSUB or SPI SUBSCRIBE. ``handle``: that of the queue given, 0 or -1 for a managed one. Answer with
    ``reply_subscribe`` or ``refuse``."""

    sd: SubscriptionDescriptor
    subscription: int
    """Handle of the subscription as it came, -1 or 0."""
    unknown: int = 0
    """Word behind it, of MQSUB."""
    local: Record | None = None
    """LSD, of SPI SUBSCRIBE: OpenOptions of the managed queue, kind of subscription."""
    spi: bytes = b""
    """Of SPI SUBSCRIBE: the header of the call; empty for MQSUB."""

    def repeated(self) -> bytes:
        """Subscription handle and SD; of SPI SUBSCRIBE as ``spi_replies`` lays it out."""
        if self.local is not None:
            return subscribe_reply(self.spi, self.order, self.subscription, self.local, self.sd)
        return self.word(self.subscription) + self.word(self.unknown) + self.sd.build()


@dataclass(kw_only=True, eq=False, slots=True)
class SubscriptionRequest(Call):
    """MQSUBRQ; ``handle`` is that of the subscription. Set NumPubs in ``options`` and answer with ``reply``."""

    action: int
    """MQSR."""
    options: Record
    """SRO."""

    def repeated(self) -> bytes:
        """Action and SRO."""
        return self.word(self.action) + self.options.build()


@dataclass(kw_only=True, eq=False, slots=True)
class Reserve(Call):
    """SPI RESERVE: message ids for asynchronous puts. Answer with ``reply_reserve``."""

    count: int
    """Ids wanted."""
    tag_length: int
    """Bytes of an id, 24."""
    spi: bytes
    """Header of the call."""

    def repeated(self) -> bytes:
        """Only the header of the call."""
        return self.spi


@dataclass(kw_only=True, eq=False, slots=True)
class Notify(Call):
    """SPI NOTIFY: the waits of a connection are to end. Answer with ``reply``.

    A client makes it in another thread than its other calls, with a request id of its own.
    """

    beside: ClassVar[bool] = True
    connection_id: bytes
    """24 bytes, as ``reply_connect`` had given them."""
    reason: int
    """How the waits end."""
    spi: bytes
    """Header of the call."""

    def repeated(self) -> bytes:
        """Header, SPNU and SPNO."""
        return notify_reply(self.spi, self.order)


@dataclass(kw_only=True, eq=False, slots=True)
class Xa(Call):
    """An XA call; ``type`` says which. Answer with ``reply_xa``; ``refuse`` answers XAER_RMFAIL."""

    flags: int
    """TMFlags."""
    resource_manager: int
    xid: TransactionId | None
    """None for XA_OPEN, XA_CLOSE and XA_RECOVER."""
    info: str = ""
    """Of XA_OPEN and XA_CLOSE."""
    count: int = 0
    """Of XA_RECOVER: XIDs wanted."""
    behind: bytes = b""
    """Body behind the header, as it came."""

    def repeated(self) -> bytes:
        """What stood behind the header."""
        return self.behind
