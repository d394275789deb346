"""The calls of a client, and what a failing reply repeats of them (mq-wire.md 8.3); puts and gets: `message_calls`.

Descriptors and options that the queue manager only stores stay raw; structures that are acted upon are parsed. Integers
and text of raw parts are in the byte order and CCSID of the call (``order``, ``ccsid``), normally those of the
connection. A reply repeats the structures of its call: set their fields (``call.od.record.object_name =
call.field("DYN.1", 48)``) before replying.
"""

from __future__ import annotations

from typing import Any

from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.layouts.conn import Conn
from mqbridge.protocol.layouts.spi_subscribe import Lsd
from mqbridge.protocol.layouts.sro import Sro
from mqbridge.protocol.structures import Body, ObjectDescriptor
from mqbridge.protocol.structures.sd import SubscriptionDescriptor
from mqbridge.protocol.structures.xid import TransactionId
from mqbridge.protocol.text import decode_field, encode_field

from .spi_replies import notify_reply, open_reply, subscribe_reply

NO_HANDLE = -1
"""The unusable handle, MQHO_UNUSABLE_HOBJ."""


class CallHead:
    """What the headers in front of a call say; the attributes are those of :class:`Call`."""

    __slots__ = ("ccsid", "conversation", "handle", "order", "request", "room", "type")

    def __init__(
        self, conversation: int, request: int, kind: int, order: ByteOrder, ccsid: int, handle: int, room: int
    ) -> None:
        self.conversation = conversation
        self.request = request
        self.type = kind
        self.order = order
        self.ccsid = ccsid
        self.handle = handle
        self.room = room


class Call:
    """A call that awaits its reply."""

    __slots__ = (
        "answered", "beside", "ccsid", "conversation", "handle", "order", "request", "room", "type", "wanted",
    )  # fmt: skip

    def __init__(self, head: CallHead, *, wanted: bool = True) -> None:
        self.conversation = head.conversation
        """Id of its conversation; 0 on a connection that is not shared."""
        self.request = head.request
        """Request id, repeated by the reply."""
        self.type = head.type
        """SegmentType of the call; that of its reply is 0x10 more."""
        self.order = head.order
        self.ccsid = head.ccsid
        self.handle = head.handle
        """API.ObjectHandle; 0 for an XA call."""
        self.room = head.room
        """Bytes that the client has for the reply, as stated by it; 0 for an XA call."""
        self.wanted = wanted
        """A reply is expected."""
        self.answered = False
        """A reply was sent."""
        self.beside = False
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


class Connect(Call):
    """MQCONN or MQCONNX. Answer with ``replies.connect`` or ``refuse``."""

    __slots__ = ("application", "connection", "lost_connection", "options", "queue_manager", "tag")

    def __init__(
        self,
        head: CallHead,
        connection: Conn,
        options: Body | None,
        queue_manager: str,
        application: str,
        tag: bytes,
        lost_connection: bytes,
    ) -> None:
        super().__init__(head)
        self.connection = connection
        """CONN."""
        self.options = options
        """FCNO; often leftover bytes of the client's buffer."""
        self.queue_manager = queue_manager
        """Requested name; empty, or with a leading ``*``: any."""
        self.application = application
        self.tag = tag
        """Connection tag that the client was given earlier, else empty."""
        self.lost_connection = lost_connection
        """Beginning of the lost connection's id, from a client that reconnects; else empty."""

    def repeated(self) -> bytes:
        """Return CONN and FCNO."""
        options = b"" if self.options is None else self.options.build()
        return self.connection.build() + options


class Disconnect(Call):
    """MQDISC: uncommitted work is committed, unless the agent must fail the call. Answer with ``replies.answer``."""

    __slots__ = ()


class Commit(Call):
    """MQCMIT. Answer with ``replies.answer``."""

    __slots__ = ()


class Backout(Call):
    """MQBACK. Answer with ``replies.answer``."""

    __slots__ = ()


class Open(Call):
    """MQOPEN or SPI OPEN. Answer with ``replies.open`` or ``refuse``."""

    __slots__ = ("attributes", "behind", "od", "options", "spi", "spi_version")

    def __init__(
        self,
        head: CallHead,
        od: ObjectDescriptor,
        options: int,
        attributes: Body | None,
        *,
        behind: bytes = b"",
        spi: bytes = b"",
        spi_version: int = 0,
    ) -> None:
        super().__init__(head)
        self.od = od
        self.options = options
        """MQOO bits."""
        self.attributes = attributes
        """FOPA of MQOPEN, LPOO of SPI OPEN; the reply returns the queue's defaults in it. None below FAP 9."""
        self.behind = behind
        """FCMI and any further bytes."""
        self.spi = spi
        """Header of the call for SPI OPEN; empty for MQOPEN."""
        self.spi_version = spi_version
        """Version of SPI OPEN: 1 or 2."""

    def repeated(self) -> bytes:
        """Return OD, options and FOPA; for SPI OPEN, in the layout of ``spi_replies``."""
        if self.spi and self.attributes is not None:
            return open_reply(self.spi, self.order, self.attributes, self.od)
        attributes = b"" if self.attributes is None else self.attributes.build()
        return self.od.build() + self.word(self.options) + attributes + self.behind


class Close(Call):
    """MQCLOSE. Answer with ``replies.answer`` or ``refuse``; nothing more is delivered for the handle."""

    __slots__ = ("last_index", "options", "unreceived")

    def __init__(self, head: CallHead, options: int, last_index: int) -> None:
        super().__init__(head)
        self.options = options
        """MQCO bits."""
        self.last_index = last_index
        """Index of the last message that the client received on the handle; 0 for none."""
        self.unreceived: list[Any] = []
        """``reference`` of each message that was sent but not received, oldest first: put them back."""


class Inquire(Call):
    """MQINQ. Answer with ``replies.inquire`` or ``refuse``."""

    __slots__ = ("char_attr_length", "int_attr_count", "selectors")

    def __init__(self, head: CallHead, selectors: tuple[int, ...], int_attr_count: int, char_attr_length: int) -> None:
        super().__init__(head)
        self.selectors = selectors
        self.int_attr_count = int_attr_count
        """Number of integer values that the client has room for."""
        self.char_attr_length = char_attr_length
        """Bytes of character values that the client has room for."""


class Set(Call):
    """MQSET. Answer with ``replies.answer`` or ``refuse``."""

    __slots__ = ("body", "char_attrs", "int_attrs", "selectors")

    def __init__(
        self,
        head: CallHead,
        selectors: tuple[int, ...],
        int_attrs: tuple[int, ...],
        char_attrs: bytes,
        body: bytes,
    ) -> None:
        super().__init__(head)
        self.selectors = selectors
        self.int_attrs = int_attrs
        self.char_attrs = char_attrs
        """Concatenated character values, each with its attribute's length."""
        self.body = body
        """INQ as received."""

    def repeated(self) -> bytes:
        """Return INQ with its values."""
        return self.body


class Subscribe(Call):
    """MQSUB or SPI SUBSCRIBE. ``handle``: of the queue to use, 0 or -1 for a managed one. Answer with
    ``replies.subscribe`` or ``refuse``."""

    __slots__ = ("local", "sd", "spi", "subscription", "unknown")

    def __init__(
        self,
        head: CallHead,
        sd: SubscriptionDescriptor,
        subscription: int,
        *,
        unknown: int = 0,
        local: Lsd | None = None,
        spi: bytes = b"",
    ) -> None:
        super().__init__(head)
        self.sd = sd
        self.subscription = subscription
        """Handle of the subscription as received, -1 or 0."""
        self.unknown = unknown
        """The word behind it, in MQSUB; meaning not known."""
        self.local = local
        """LSD of SPI SUBSCRIBE: OpenOptions of the managed queue, kind of subscription."""
        self.spi = spi
        """Header of the call for SPI SUBSCRIBE; empty for MQSUB."""

    def repeated(self) -> bytes:
        """Return subscription handle and SD; for SPI SUBSCRIBE, in the layout of ``spi_replies``."""
        if self.local is not None:
            return subscribe_reply(self.spi, self.order, self.subscription, self.local, self.sd)
        return self.word(self.subscription) + self.word(self.unknown) + self.sd.build()


class SubscriptionRequest(Call):
    """MQSUBRQ; ``handle`` is that of the subscription. Set NumPubs in ``options`` and answer with
    ``replies.answer``."""

    __slots__ = ("action", "options")

    def __init__(self, head: CallHead, action: int, options: Sro) -> None:
        super().__init__(head)
        self.action = action
        """MQSR."""
        self.options = options
        """SRO."""

    def repeated(self) -> bytes:
        """Return action and SRO."""
        return self.word(self.action) + self.options.build()


class Notify(Call):
    """SPI NOTIFY: the waits of a connection are to end. Answer with ``replies.answer``.

    Clients send it from another thread than their other calls, with a request id of its own.
    """

    __slots__ = ("connection_id", "reason", "spi")

    def __init__(self, head: CallHead, connection_id: bytes, reason: int, spi: bytes) -> None:
        super().__init__(head)
        self.beside = True
        self.connection_id = connection_id
        """24 bytes, as passed to ``replies.connect``."""
        self.reason = reason
        """Reason with which the waits end."""
        self.spi = spi
        """Header of the call."""

    def repeated(self) -> bytes:
        """Return header, SPNU and SPNO."""
        return notify_reply(self.spi, self.order)


class Xa(Call):
    """An XA call; ``type`` says which. Answer with ``replies.xa``; ``refuse`` answers XAER_RMFAIL."""

    __slots__ = ("behind", "count", "flags", "info", "resource_manager", "xid")

    def __init__(
        self,
        head: CallHead,
        flags: int,
        resource_manager: int,
        xid: TransactionId | None,
        behind: bytes,
        *,
        info: str = "",
        count: int = 0,
    ) -> None:
        super().__init__(head)
        self.flags = flags
        """TMFlags."""
        self.resource_manager = resource_manager
        self.xid = xid
        """None for XA_OPEN, XA_CLOSE and XA_RECOVER."""
        self.behind = behind
        """Body behind the header, as received."""
        self.info = info
        """XA_OPEN and XA_CLOSE: the xa_info string."""
        self.count = count
        """XA_RECOVER: number of XIDs requested."""

    def repeated(self) -> bytes:
        """Return the body behind the API header as received."""
        return self.behind
