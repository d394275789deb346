"""The calls of a client as values, and what a failing reply repeats of them (mq-wire.md 8.3).

Descriptors and options that the queue manager only stores stay raw; structures that are acted upon are parsed. Integers
and text of raw parts are in the byte order and CCSID of the call (``order``, ``ccsid``), normally those of the
connection. A reply repeats the structures of its call: set their fields (``call.od.record.object_name =
call.field("DYN.1", 48)``) before replying.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.layouts.conn import Conn
from mqbridge.protocol.layouts.spi_subscribe import Lsd
from mqbridge.protocol.layouts.sro import Sro
from mqbridge.protocol.structures import Body, ObjectDescriptor
from mqbridge.protocol.structures.pmo import PutMessageOptions
from mqbridge.protocol.structures.sd import SubscriptionDescriptor
from mqbridge.protocol.structures.sts import StatusReport
from mqbridge.protocol.structures.xid import TransactionId
from mqbridge.protocol.text import decode_field, encode_field

from .spi_replies import notify_reply, open_reply, put_reply, subscribe_reply

NO_HANDLE = -1
"""The unusable handle, MQHO_UNUSABLE_HOBJ."""


@dataclass(kw_only=True, eq=False, slots=True)
class Call:
    """A call that awaits its reply. ``conversation``: 0 on a connection that is not shared."""

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
    """Bytes that the client has for the reply, as stated by it."""
    wanted: bool = True
    """A reply is expected."""
    answered: bool = False
    """A reply was sent."""
    beside: ClassVar[bool] = False
    """It may be made while another call of the conversation is pending."""

    def text(self, raw: bytes) -> str:
        """Decode a fixed-length field of the call."""
        return decode_field(raw, self.ccsid)

    def field(self, text: str, length: int) -> bytes:
        """Encode text as a fixed-length field. Raises ``ConversionError`` if it cannot be encoded."""
        return encode_field(text, length, self.ccsid)

    def word(self, number: int) -> bytes:
        """Encode a u32 in the byte order of the call."""
        return (number & 0xFFFFFFFF).to_bytes(4, self.order.endian)

    def repeated(self) -> bytes:
        """Return the body of the reply behind its API header, from the call's structures in their current state."""
        return b""


@dataclass(kw_only=True, eq=False, slots=True)
class Connect(Call):
    """MQCONN or MQCONNX. Answer with ``replies.connect`` or ``refuse``."""

    connection: Conn
    """CONN."""
    options: Body | None
    """FCNO; often leftover bytes of the client's buffer."""
    queue_manager: str
    """Requested name; empty, or with a leading ``*``: any."""
    application: str
    tag: bytes
    """Connection tag that the client was given earlier, else empty."""
    lost_connection: bytes
    """Beginning of the lost connection's id, from a client that reconnects; else empty."""
    rest: bytes = b""
    """Bytes behind FCNO."""

    def repeated(self) -> bytes:
        """Return CONN and FCNO."""
        options = b"" if self.options is None else self.options.build()
        return self.connection.build() + options


@dataclass(kw_only=True, eq=False, slots=True)
class Disconnect(Call):
    """MQDISC: uncommitted work is committed, unless the agent must fail the call. Answer with ``replies.answer``."""


@dataclass(kw_only=True, eq=False, slots=True)
class Commit(Call):
    """MQCMIT. Answer with ``replies.answer``."""


@dataclass(kw_only=True, eq=False, slots=True)
class Backout(Call):
    """MQBACK. Answer with ``replies.answer``."""


@dataclass(kw_only=True, eq=False, slots=True)
class Open(Call):
    """MQOPEN or SPI OPEN. Answer with ``replies.open`` or ``refuse``."""

    od: ObjectDescriptor
    options: int
    """MQOO bits."""
    attributes: Body | None
    """FOPA of MQOPEN, LPOO of SPI OPEN; the reply returns the queue's defaults in it. None below FAP 9."""
    behind: bytes = b""
    """FCMI and any further bytes."""
    spi: bytes = b""
    """Header of the call for SPI OPEN; empty for MQOPEN."""
    spi_version: int = 0
    """Version of SPI OPEN: 1 or 2."""

    def repeated(self) -> bytes:
        """Return OD, options and FOPA; for SPI OPEN, in the layout of ``spi_replies``."""
        if self.spi and self.attributes is not None:
            return open_reply(self.spi, self.order, self.attributes, self.od)
        attributes = b"" if self.attributes is None else self.attributes.build()
        return self.od.build() + self.word(self.options) + attributes + self.behind


@dataclass(kw_only=True, eq=False, slots=True)
class Close(Call):
    """MQCLOSE. Answer with ``replies.answer`` or ``refuse``; nothing more is delivered for the handle."""

    options: int
    """MQCO bits."""
    last_index: int
    """Index of the last message that the client received on the handle; 0 for none."""
    unreceived: list[Any] = field(default_factory=list)
    """``reference`` of each message that was sent but not received, oldest first: put them back."""


@dataclass(kw_only=True, eq=False, slots=True)
class Put(Call):
    """MQPUT or SPI PUT. Answer with ``replies.answer`` or ``refuse`` if it is ``wanted``. An asynchronous put is not:
    only MQSTAT and MQCMIT report its outcome.

    The reply repeats ``descriptor`` and ``options``: set message id, context, time and resolved names there.
    """

    descriptor: bytes
    """MQMD, version 1 or 2 (324 or 364 bytes)."""
    options: PutMessageOptions
    data: bytes | list[bytes]
    """Message data, in one piece or in the pieces in which they arrived."""
    length: int
    """Length of the data in bytes."""
    delay: int = 0
    """Delivery delay in milliseconds."""
    spi: bytes = b""
    """Header of the call for SPI PUT; empty for MQPUT."""

    def repeated(self) -> bytes:
        """Return MD, PMO and the length word."""
        if self.spi:
            return put_reply(self.spi, self.order, self.descriptor, self.options)
        return b"".join((self.descriptor, self.options.build(), self.word(self.length)))


@dataclass(kw_only=True, eq=False, slots=True)
class Put1(Put):
    """MQPUT1: a :class:`Put` with the object descriptor."""

    od: ObjectDescriptor

    def repeated(self) -> bytes:
        """Return OD, MD, PMO and the length word."""
        return self.od.build() + Put.repeated(self)


@dataclass(kw_only=True, eq=False, slots=True)
class Get(Call):
    """MQGET, on connections that are not shared. Answer with ``replies.get`` or ``refuse``, at the latest after
    GMO.WaitInterval; until then heartbeats are sent to the client."""

    descriptor: bytes
    """MQMD with the values to match, version 1 or 2."""
    options: Body
    """GMO."""
    buffer_length: int

    def repeated(self) -> bytes:
        """Return MD, GMO and a length of 0."""
        return self.descriptor + self.options.build() + self.word(0)


@dataclass(kw_only=True, eq=False, slots=True)
class Inquire(Call):
    """MQINQ. Answer with ``replies.inquire`` or ``refuse``."""

    selectors: tuple[int, ...]
    int_attr_count: int
    """Number of integer values that the client has room for."""
    char_attr_length: int
    """Bytes of character values that the client has room for."""


@dataclass(kw_only=True, eq=False, slots=True)
class Set(Call):
    """MQSET. Answer with ``replies.answer`` or ``refuse``."""

    selectors: tuple[int, ...]
    int_attrs: tuple[int, ...]
    char_attrs: bytes
    """Concatenated character values, each with its attribute's length."""
    body: bytes
    """INQ as received."""

    def repeated(self) -> bytes:
        """Return INQ with its values."""
        return self.body


@dataclass(kw_only=True, eq=False, slots=True)
class Stat(Call):
    """MQSTAT. Set the fields of ``report`` and answer with ``replies.answer``."""

    status_type: int
    """MQSTAT_TYPE."""
    report: StatusReport

    def repeated(self) -> bytes:
        """Return type and STS."""
        return self.word(self.status_type) + self.report.build()


@dataclass(kw_only=True, eq=False, slots=True)
class Subscribe(Call):
    """MQSUB or SPI SUBSCRIBE. ``handle``: of the queue to use, 0 or -1 for a managed one. Answer with
    ``replies.subscribe`` or ``refuse``."""

    sd: SubscriptionDescriptor
    subscription: int
    """Handle of the subscription as received, -1 or 0."""
    unknown: int = 0
    """The word behind it, in MQSUB; meaning not known."""
    local: Lsd | None = None
    """LSD of SPI SUBSCRIBE: OpenOptions of the managed queue, kind of subscription."""
    spi: bytes = b""
    """Header of the call for SPI SUBSCRIBE; empty for MQSUB."""

    def repeated(self) -> bytes:
        """Return subscription handle and SD; for SPI SUBSCRIBE, in the layout of ``spi_replies``."""
        if self.local is not None:
            return subscribe_reply(self.spi, self.order, self.subscription, self.local, self.sd)
        return self.word(self.subscription) + self.word(self.unknown) + self.sd.build()


@dataclass(kw_only=True, eq=False, slots=True)
class SubscriptionRequest(Call):
    """MQSUBRQ; ``handle`` is that of the subscription. Set NumPubs in ``options`` and answer with
    ``replies.answer``."""

    action: int
    """MQSR."""
    options: Sro
    """SRO."""

    def repeated(self) -> bytes:
        """Return action and SRO."""
        return self.word(self.action) + self.options.build()


@dataclass(kw_only=True, eq=False, slots=True)
class Reserve(Call):
    """SPI RESERVE: message ids for asynchronous puts. Answer with ``replies.reserve``."""

    count: int
    """Number of ids requested."""
    tag_length: int
    """Length of an id in bytes, 24."""
    spi: bytes
    """Header of the call."""

    def repeated(self) -> bytes:
        """Return the header of the call only."""
        return self.spi


@dataclass(kw_only=True, eq=False, slots=True)
class Notify(Call):
    """SPI NOTIFY: the waits of a connection are to end. Answer with ``replies.answer``.

    Clients send it from another thread than their other calls, with a request id of its own.
    """

    beside: ClassVar[bool] = True
    connection_id: bytes
    """24 bytes, as passed to ``replies.connect``."""
    reason: int
    """Reason with which the waits end."""
    spi: bytes
    """Header of the call."""

    def repeated(self) -> bytes:
        """Return header, SPNU and SPNO."""
        return notify_reply(self.spi, self.order)


@dataclass(kw_only=True, eq=False, slots=True)
class Xa(Call):
    """An XA call; ``type`` says which. Answer with ``replies.xa``; ``refuse`` answers XAER_RMFAIL."""

    flags: int
    """TMFlags."""
    resource_manager: int
    xid: TransactionId | None
    """None for XA_OPEN, XA_CLOSE and XA_RECOVER."""
    info: str = ""
    """XA_OPEN and XA_CLOSE: the xa_info string."""
    count: int = 0
    """XA_RECOVER: number of XIDs requested."""
    behind: bytes = b""
    """Body behind the header, as received."""

    def repeated(self) -> bytes:
        """Return the body behind the API header as received."""
        return self.behind
