"""The structures in the bodies of client segments (mq-wire.md 3 and 5.4 to 5.13, client-observed.md 4 to 6).

This module only locates structures and names their layouts. Unlike the readers of :mod:`protocol.structures`, which
refuse malformed structures, it checks nothing: a truncated structure is a shorter part, and every byte is in a part.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from mqbridge.protocol.constants import REPLY, ByteOrder, ControlFlags1, SegmentType
from mqbridge.protocol.inferred import ALIGNED_CLIENT_SEGMENTS
from mqbridge.protocol.structures import (
    API,
    ASYNC,
    ASYNC_MORE,
    ASYNC_NAMED,
    CLOSE_OPTIONS,
    CONN,
    DATA_LENGTH,
    INQ,
    INQ_VALUES,
    NOTIF,
    OPEN_OPTIONS,
    REQMSG,
    REQMSG_SELECTED,
    SOCKET,
    SPI,
    STATUS_TYPE,
    SUB,
    SUBRQ_ACTION,
    XA,
    XA_COUNT,
    XAINFO,
    XID,
    fcno_form,
)

from .client_parts import BodyReader, Part, selectors_end, take_known

UNUSED: Final = "unused"
"""Unused room in a client's segment, such as that behind the text of an XA_OPEN (client-observed.md O-110)."""
PADDING: Final = "padding"
"""Bytes that pad a segment to a multiple of four, mostly NULs."""
LEFT_OVER: Final = "left-over"
"""Unexplained bytes behind the last structure of a segment."""
DATA: Final = "data"
"""Message data, described by the MD in front."""
EXTRA: Final = "extra"
"""PCF behind the OD of an SPOO."""

_MAX_PADDING: Final = 4  # a queue manager pads messages with one to four NULs (mq-wire.md 5.11)
_REQUEST_FLAGS: Final = 32
_MATCH_OPTIONS: Final = 60
_MATCH_SIZES: Final = ((0x01, 24), (0x02, 24), (0x04, 24), (0x20, 16))
_SELECTION: Final = 0x10
_XA_INFO_ROOM: Final = 257

_Layout = Callable[[BodyReader], None]


def _connect(body: BodyReader) -> None:
    body.take("CONN", CONN, CONN.size)
    form = fcno_form(body.left())
    known = max((end for slot in form.slots if (end := slot.offset + slot.size) <= body.left()), default=0)
    if known:
        body.take("FCNO", form.first(known), known)


def _open(body: BodyReader) -> None:
    body.known("OD")
    body.take("OpenOptions", OPEN_OPTIONS, 4)
    body.known("FOPA", "FCMI")


def _close(body: BodyReader) -> None:
    body.take("CloseOptions", CLOSE_OPTIONS, 4)


def _message(body: BodyReader) -> None:
    """Take the structures of a get or a put, up to the word with the length of the data."""
    body.known("OD", "MD", "GMO", "PMO")
    body.take("DataLength", DATA_LENGTH, 4)


def _message_with_data(body: BodyReader) -> None:
    _message(body)
    body.take(DATA, None, body.number(-4))


def _inquire(body: BodyReader) -> None:
    body.take("INQ", INQ, selectors_end(body))


def _values(body: BodyReader) -> None:
    """Take selectors and values; a reply that only repeats its request has no values."""
    asked = selectors_end(body)
    if body.left() < asked + ALIGNED_CLIENT_SEGMENTS:  # no room for one value
        _inquire(body)
    else:
        body.take("INQ", INQ_VALUES, asked + 4 * body.number(4) + body.number(8))


def _status(body: BodyReader) -> None:
    body.take("StatusType", STATUS_TYPE, 4)
    body.known("STAT")


def _subscribe(body: BodyReader) -> None:
    body.take("SUB", SUB, SUB.size)
    body.known("SD")


def _request_publications(body: BodyReader) -> None:
    body.take("Action", SUBRQ_ACTION, 4)
    body.known("SRO")


def _nothing(_: BodyReader) -> None:
    pass


def _spi(body: BodyReader) -> None:
    body.take("SPI", SPI, SPI.size)
    outer, extra = 0, 0
    while name := body.struc_id():
        if name in ("SPOO", "SPPI", "SPGO"):
            outer = body.at
        elif name == "LPOO":
            extra = body.number(84)
        take_known(body, name)
        if name in ("SPPI", "SPGO"):
            body.take(DATA, None, int.from_bytes(body.data[outer + 16 : outer + 20], body.order.endian))
    if outer:
        body.take(EXTRA, None, min(extra, body.left()))


def _xa_id(body: BodyReader) -> None:
    if body.left():
        body.take("XID", XID, _xid_size(body))


def _xid_size(body: BodyReader) -> int:
    lengths = body.data[body.at + 4 : body.at + 6]
    return -(-(6 + sum(lengths)) // 4) * 4


def _xa_info(body: BodyReader) -> None:
    begin = body.at
    body.take("XAINFO", XAINFO, 1 + sum(body.data[body.at : body.at + 1]))
    body.take(UNUSED, None, begin + _XA_INFO_ROOM - body.at)


def _xa_recover(body: BodyReader) -> None:
    count = body.number(0)
    body.take("XACount", XA_COUNT, 4)
    while count and body.left():
        count -= 1
        _xa_id(body)


_CALLS: Final[dict[int, _Layout]] = {
    SegmentType.MQCONN: _connect,
    SegmentType.MQOPEN: _open,
    SegmentType.MQCLOSE: _close,
    SegmentType.MQGET: _message,
    SegmentType.MQGET_REPLY: _message_with_data,
    SegmentType.MQPUT: _message_with_data,
    SegmentType.MQPUT_REPLY: _message,
    SegmentType.MQPUT1: _message_with_data,
    SegmentType.MQPUT1_REPLY: _message,
    SegmentType.MQSET: _values,
    SegmentType.MQINQ: _inquire,
    SegmentType.MQINQ_REPLY: _values,
    SegmentType.MQSTAT: _status,
    SegmentType.MQSUB: _subscribe,
    SegmentType.MQSUBRQ: _request_publications,
    SegmentType.SPI: _spi,
    SegmentType.XA_OPEN: _xa_info,
    SegmentType.XA_CLOSE: _xa_info,
    SegmentType.XA_RECOVER: _xa_recover,
}
_FIRST: Final = int(ControlFlags1.FIRST)
_API: Final = range(0x81, 0xA0)
_API_REPLIES: Final = range(0x91, 0xA0)
_XA: Final = range(0xA1, 0xBB)
_XA_REPLIES: Final = range(0xB1, 0xBB)


def client_parts(segment_type: int, body: bytes, order: ByteOrder, *, flags: int) -> list[Part]:
    """Return the parts of a client segment's body, in order and without gaps.

    ``flags``: ControlFlags1; without FIRST the body of a call is data. Bytes behind the last structure are
    :data:`PADDING` (up to four NULs, or up to three bytes to a multiple of four) or :data:`LEFT_OVER`.
    """
    reader = BodyReader(body, order)
    _take_parts(reader, segment_type, bool(flags & _FIRST))
    parts = reader.parts
    if reader.at < len(body):
        left = body[reader.at :]
        filled = len(left) < ALIGNED_CLIENT_SEGMENTS and not len(body) % ALIGNED_CLIENT_SEGMENTS
        padding = filled or (len(left) <= _MAX_PADDING and not left.strip(b"\0"))
        parts.append(Part(PADDING if padding else LEFT_OVER, len(body)))
    return parts


def _take_parts(body: BodyReader, segment_type: int, first: bool) -> None:
    if (alone := _ALONE.get(segment_type)) is not None:
        alone(body)
    elif not first:
        body.take(DATA, None, body.left())
    elif segment_type in _API:
        body.take("API", API, API.size)
        _call(segment_type, _API_REPLIES, _nothing)(body)
    elif segment_type in _XA:
        body.take("XA", XA, XA.size)
        _call(segment_type, _XA_REPLIES, _xa_id)(body)


def _call(segment_type: int, replies: range, otherwise: _Layout) -> _Layout:
    """Return the layout behind the header of a call or reply; that of the call if the reply has none of its own."""
    if segment_type not in _CALLS and segment_type in replies:
        segment_type -= REPLY
    return _CALLS.get(segment_type, otherwise)


def _request_messages(body: BodyReader) -> None:
    if body.number(_REQUEST_FLAGS) & _SELECTION:
        options = body.number(_MATCH_OPTIONS)
        size = _MATCH_OPTIONS + 4 + sum(size for option, size in _MATCH_SIZES if options & option)
        body.take("REQMSG", REQMSG_SELECTED, size)
    else:
        body.take("REQMSG", REQMSG, REQMSG.size)


def _asynchronous(body: BodyReader) -> None:
    data_length = body.number(16)
    segment_index = int.from_bytes(body.data[20:22], body.order.endian)
    if segment_index or len(body.data) < ASYNC.size:
        body.take("ASYNC", ASYNC_MORE, ASYNC_MORE.size)
    else:
        name = body.data[ASYNC.size - 1]
        body.take("ASYNC", ASYNC_NAMED, -(-(ASYNC.size + name) // 4) * 4)
        body.known("MD")
    body.take(DATA, None, data_length)


_ALONE: Final[dict[int, _Layout]] = {
    SegmentType.SOCKET_ACTION: lambda body: body.take("SOCKET", SOCKET, SOCKET.size),
    SegmentType.NOTIFICATION: lambda body: body.take("NOTIF", NOTIF, NOTIF.size),
    SegmentType.REQUEST_MSGS: _request_messages,
    SegmentType.ASYNC_MESSAGE: _asynchronous,
}
"""Layouts of segments that are not calls and never span several segments."""
