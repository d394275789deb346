"""Parsing of calls (mq-wire.md 8.3, client-observed.md 4 and 6).

Each reader takes the body of the call behind its segment header and raises ``StructureError`` if it is malformed;
:func:`reason_for` maps the error to the reason code with which the call fails.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from mqbridge.protocol.constants import MQPMO, MQRC, SegmentType, StatusCode
from mqbridge.protocol.errors import StructureError
from mqbridge.protocol.structures import API, CONN, FCNO_4, XA, parse_fcno, parse_fopa, parse_od
from mqbridge.protocol.structures.gmo import parse_gmo
from mqbridge.protocol.structures.inq import parse_inq
from mqbridge.protocol.structures.sd import parse_sd
from mqbridge.protocol.structures.sro import parse_sro
from mqbridge.protocol.structures.sts import parse_sts
from mqbridge.protocol.structures.sub import SUB
from mqbridge.protocol.structures.xid import XAINFO, parse_xid
from mqbridge.protocol.text import decode_field

from .calls import (
    Backout,
    Call,
    CallHead,
    Close,
    Commit,
    Connect,
    Disconnect,
    Inquire,
    Open,
    Set,
    Subscribe,
    SubscriptionRequest,
    Xa,
)
from .message_calls import Get, Put, Put1, Stat
from .message_heads import read_descriptor, read_put_head, word_at
from .reassembly import PADDING

Reader: TypeAlias = Callable[[CallHead, memoryview, Sequence[bytes]], Call]

_AT: Final = API.size
_WORD: Final = 4
_TAG_PASSED: Final = 0x08
ASYNC_RESPONSE: Final = int(MQPMO.ASYNC_RESPONSE)
_FOPA_BEGINNINGS: Final = (b"FOPA", "FOPA".encode("cp500"))

_REASONS: Final = {
    "OD": MQRC.OD_ERROR,
    "MD": MQRC.MD_ERROR,
    "PMO": MQRC.PMO_ERROR,
    "FCNO": MQRC.CNO_ERROR,
    "GMO": MQRC.GMO_ERROR,
    "SD": MQRC.SD_ERROR,
    "STAT": MQRC.STS_ERROR,
    "SRO": MQRC.SRO_ERROR,
    "verb": MQRC.FUNCTION_NOT_SUPPORTED,
    "message": MQRC.MSG_TOO_BIG_FOR_CHANNEL,
}


def reason_for(error: StructureError) -> MQRC | None:
    """Return the reason code for a call with a malformed structure; None if it ends the connection instead."""
    return _REASONS.get(error.structure)


def take_data(body: memoryview, at: int, length: int, more: Sequence[bytes]) -> bytes | list[bytes]:
    """Return message data: the rest of the first body from ``at`` on, and later bodies.

    Raises ``StructureError`` if they do not have the stated length, apart from padding.
    """
    there = len(body) - at
    if not more and length <= there <= length + PADDING:
        return bytes(body[at : at + length])
    there += sum(map(len, more))
    if not length <= there <= length + PADDING:
        raise StructureError("data", at, f"{length} bytes told, {there} there", status=StatusCode.PROTOCOL_LENGTH_ERROR)
    pieces = [bytes(body[at:]), *more]
    pieces[-1] = pieces[-1][: len(pieces[-1]) - (there - length)]
    return pieces


def _put(head: CallHead, body: memoryview, more: Sequence[bytes]) -> Call:
    od, descriptor, options, at, length = read_put_head(body, head.order, head.type)
    data = take_data(body, at, length, more)
    wanted = not options.record.options & ASYNC_RESPONSE
    if od is not None:
        return Put1(head, od, descriptor, options, data, length, wanted=wanted)
    return Put(head, descriptor, options, data, length, wanted=wanted)


def _joined(body: memoryview, more: Sequence[bytes]) -> memoryview:
    return memoryview(b"".join((body, *more))) if more else body


def _connect(head: CallHead, body: memoryview, more: Sequence[bytes]) -> Call:
    body = _joined(body, more)
    order, ccsid = head.order, head.ccsid
    connection = CONN.codec(order).parse(body, _AT)
    at = _AT + CONN.size
    options = parse_fcno(body, at, order) if len(body) >= at + _WORD else None
    passed = options is not None and connection.options & _TAG_PASSED
    lost = options.record.lost_connection_id if options is not None and options.known >= FCNO_4.size else b""
    return Connect(
        head,
        connection,
        options,
        queue_manager=decode_field(connection.q_mgr_name, ccsid),
        application=decode_field(connection.appl_name, ccsid),
        tag=options.record.conn_tag if passed and options is not None else b"",
        lost_connection=lost if any(lost) else b"",
    )


def _open(head: CallHead, body: memoryview, more: Sequence[bytes]) -> Call:
    body = _joined(body, more)
    order = head.order
    od = parse_od(body, _AT, order)
    at = _AT + od.known + len(od.rest)
    options = word_at(body, at, order, "OpenOptions")
    at += _WORD
    attributes = None
    if bytes(body[at : at + _WORD]) in _FOPA_BEGINNINGS:
        attributes = parse_fopa(body, at, order)
        at += attributes.known + len(attributes.rest)
    return Open(head, od, options, attributes, behind=bytes(body[at:]))


def _close(head: CallHead, body: memoryview, more: Sequence[bytes]) -> Call:
    body, order = _joined(body, more), head.order
    return Close(head, word_at(body, _AT, order, "CloseOptions"), word_at(body, _WORD, order, "API"))


def _get(head: CallHead, body: memoryview, more: Sequence[bytes]) -> Call:
    body, order = _joined(body, more), head.order
    descriptor = read_descriptor(body, _AT, order)
    at = _AT + len(descriptor)
    options = parse_gmo(body, at, order)
    length = word_at(body, at + options.known, order, "DataLength")
    return Get(head, descriptor, options, length)


def _inquire(head: CallHead, body: memoryview, more: Sequence[bytes]) -> Call:
    inq = parse_inq(_joined(body, more), _AT, head.order, values=False)
    return Inquire(head, inq.selectors, inq.record.int_attr_count, inq.record.char_attr_length)


def _set(head: CallHead, body: memoryview, more: Sequence[bytes]) -> Call:
    inq = parse_inq(_joined(body, more), _AT, head.order, values=True)
    return Set(head, inq.selectors, inq.int_attrs, inq.char_attrs, inq.build())


def _stat(head: CallHead, body: memoryview, more: Sequence[bytes]) -> Call:
    body, order = _joined(body, more), head.order
    kind = word_at(body, _AT, order, "Type")
    return Stat(head, kind, parse_sts(body, _AT + _WORD, order))


def _subscribe(head: CallHead, body: memoryview, more: Sequence[bytes]) -> Call:
    body, order = _joined(body, more), head.order
    handles = SUB.codec(order).parse(body, _AT)
    sd = parse_sd(body, _AT + SUB.size, order)
    return Subscribe(head, sd, handles.subscription_handle, unknown=handles.unknown)


def _request(head: CallHead, body: memoryview, more: Sequence[bytes]) -> Call:
    body, order = _joined(body, more), head.order
    action = word_at(body, _AT, order, "Action")
    return SubscriptionRequest(head, action, parse_sro(body, _AT + _WORD, order))


def _commit(head: CallHead, _body: memoryview, _more: Sequence[bytes]) -> Call:
    return Commit(head)


def _backout(head: CallHead, _body: memoryview, _more: Sequence[bytes]) -> Call:
    return Backout(head)


def _disconnect(head: CallHead, _body: memoryview, _more: Sequence[bytes]) -> Call:
    return Disconnect(head)


def _xa(head: CallHead, body: memoryview, more: Sequence[bytes]) -> Call:
    body, order, kind = _joined(body, more), head.order, head.type
    header = XA.codec(order).parse(body)
    flags, resource_manager, behind = header.tm_flags, header.rm_id, bytes(body[XA.size :])
    if kind in (SegmentType.XA_OPEN, SegmentType.XA_CLOSE):
        info = decode_field(XAINFO.parse(body, XA.size, order).info, head.ccsid)
        return Xa(head, flags, resource_manager, None, behind, info=info)
    if kind == SegmentType.XA_RECOVER:
        return Xa(head, flags, resource_manager, None, behind, count=word_at(body, XA.size, order, "Count"))
    xid = parse_xid(body, XA.size, order)
    return Xa(head, flags, resource_manager, xid, xid.build())


READERS: Final[dict[int, Reader]] = {
    SegmentType.MQCONN: _connect,
    SegmentType.MQDISC: _disconnect,
    SegmentType.MQOPEN: _open,
    SegmentType.MQCLOSE: _close,
    SegmentType.MQGET: _get,
    SegmentType.MQPUT: _put,
    SegmentType.MQPUT1: _put,
    SegmentType.MQSET: _set,
    SegmentType.MQINQ: _inquire,
    SegmentType.MQCMIT: _commit,
    SegmentType.MQBACK: _backout,
    SegmentType.MQSTAT: _stat,
    SegmentType.MQSUB: _subscribe,
    SegmentType.MQSUBRQ: _request,
    **dict.fromkeys(range(SegmentType.XA_START, SegmentType.XA_COMPLETE + 1), _xa),
}
"""Readers by call type; those of SPI are in ``spi_calls``."""
