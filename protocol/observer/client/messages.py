"""Messages in client calls: positions of descriptor and data, and the parts that an observer keeps."""

from __future__ import annotations

from typing import Final, NamedTuple

from mqbridge.protocol.constants import MQGMO, MQPER, MQPMO, ByteOrder, SegmentType, SpiVerb
from mqbridge.protocol.errors import StructureError
from mqbridge.protocol.mqi.message_heads import read_descriptor, read_put_head, read_spi_put_head, word_at
from mqbridge.protocol.observer.kept_data import MAX_KEPT_DATA, KeptData, Source
from mqbridge.protocol.observer.observations import Place, persistence_of
from mqbridge.protocol.structures import API, MD, PMO_SIZES, parse_gmo

SYNCPOINT: Final = int(MQPMO.SYNCPOINT)
ASYNC_RESPONSE: Final = int(MQPMO.ASYNC_RESPONSE)
_GET_SYNCPOINT: Final = int(MQGMO.SYNCPOINT)
_GET_IF_PERSISTENT: Final = int(MQGMO.SYNCPOINT_IF_PERSISTENT)
_BROWSE: Final = int(MQGMO.BROWSE_FIRST | MQGMO.BROWSE_NEXT | MQGMO.BROWSE_MSG_UNDER_CURSOR)
_PERSISTENT: Final = int(MQPER.PERSISTENT)
_MSG_ID_AT: Final = next(slot.offset for slot in MD.slots if slot.field.name == "MsgId")
_NO_ID: Final = bytes(24)
_WORD: Final = 4
_MQPUT: Final = int(SegmentType.MQPUT)
_PUTS: Final = frozenset((SegmentType.MQPUT, SegmentType.MQPUT1, SegmentType.SPI))
_PMO_HEAD: Final = 12
_WITH_STRINGS: Final = 4
PMO_BEGINNINGS: Final = (b"PMO ", "PMO ".encode("cp500"))
PMO_RECORDS_AT: Final = 128
NO_RECORDS: Final = bytes(4)


class DeliveredMessage(NamedTuple):
    """A message sent to a client. ``kept``: the data that are kept, and a digest if they are not all. ``there``: bytes
    of data received, of the message's ``length``. ``reason``: accompanying MQRC."""

    descriptor: bytes
    order: ByteOrder
    ccsid: int
    kept: tuple[bytes, bytes]
    there: int
    length: int
    first: Place
    reason: int


class ReplyOutcome(NamedTuple):
    """Outcome in the header of a reply. ``stated``: length of the reply, as if its header had 28 bytes."""

    comp_code: int
    reason: int
    handle: int
    stated: int


def is_browse(options: int) -> bool:
    """Return whether a get with these MQGMO bits leaves the message on the queue."""
    return bool(options & _BROWSE)


def is_no_message(descriptor: bytes, length: int, reason: int) -> bool:
    """Return whether a delivery carries a reason only: no data, and an empty or missing descriptor (client-observed.md
    O-089)."""
    return not descriptor or bool(reason and not length and descriptor[_MSG_ID_AT : _MSG_ID_AT + len(_NO_ID)] == _NO_ID)


def is_in_unit(options: int, descriptor: bytes, order: ByteOrder) -> bool:
    """Return whether a get with these MQGMO bits is under syncpoint."""
    if options & _GET_SYNCPOINT:
        return True
    if not options & _GET_IF_PERSISTENT:
        return False
    return persistence_of(descriptor, order) == _PERSISTENT


class PutHead(NamedTuple):
    """The beginning of a put. ``queue``, ``queue_manager``: raw names of MQPUT1 and the like, else empty. ``at``,
    ``length``: offset of the data in the body, and their length."""

    queue: bytes
    queue_manager: bytes
    string: bytes
    descriptor: bytes
    options: int
    at: int
    length: int


def put_head(body: memoryview, order: ByteOrder, kind: int) -> PutHead:
    """Parse the beginning of MQPUT, MQPUT1 or SPI PUT. Raises ``StructureError``."""
    if kind == _MQPUT:
        quick = _plain_put(body, order)
        if quick is not None:
            return quick
    if kind == SegmentType.SPI:
        descriptor, options, at, length, _ = read_spi_put_head(body, order)
        return PutHead(b"", b"", b"", descriptor, options.record.options, at, length)
    od, descriptor, options, at, length = read_put_head(body, order, kind)
    if od is None:
        return PutHead(b"", b"", b"", descriptor, options.record.options, at, length)
    record = od.record
    string = od.string("object_string") or b"" if record.version >= _WITH_STRINGS else b""
    return PutHead(record.object_name, record.object_q_mgr_name, string, descriptor, options.record.options, at, length)


def _plain_put(body: memoryview, order: ByteOrder) -> PutHead | None:
    """Parse an MQPUT without records, skipping its options; None for others."""
    descriptor = read_descriptor(body, API.size, order)
    at = API.size + len(descriptor)
    head = bytes(body[at : at + _PMO_HEAD])
    size = PMO_SIZES.get(int.from_bytes(head[4:8], order.endian))
    if size is None or head[:4] not in PMO_BEGINNINGS:
        return None
    end = at + size
    if len(body) < end + _WORD or (
        size > PMO_RECORDS_AT and body[at + PMO_RECORDS_AT : at + PMO_RECORDS_AT + _WORD] != NO_RECORDS
    ):
        return None
    options, length = int.from_bytes(head[8:], order.endian), int.from_bytes(body[end : end + _WORD], order.endian)
    return PutHead(b"", b"", b"", descriptor, options, end + _WORD, length)


def data_begins(body: memoryview, order: ByteOrder, kind: int) -> tuple[bytes, int, int] | None:
    """Return the descriptor in the first segment of a call or reply, and offset and length of the data; None if there
    is none."""
    try:
        if kind == SegmentType.MQGET_REPLY:
            got = parse_get_reply(body, order)
            return got[0], got[3], got[4]
        if kind in _PUTS and (kind != SegmentType.SPI or word_at(body, API.size, order, "SPI") == SpiVerb.PUT):
            put = put_head(body, order, kind)
            return put.descriptor, put.at, put.length
    except StructureError:
        pass  # reported when the call is complete
    return None


def kept_data(body: memoryview, at: int, end: int, source: Source) -> tuple[bytes, bytes]:
    """Return the part of the data in one segment that is kept, and a digest if that is not all."""
    data = body[at:end]
    if len(data) <= MAX_KEPT_DATA:
        return bytes(data), b""
    kept = KeptData(source=source)
    kept.add(data)
    return kept.data(), kept.digest()


def parse_get_reply(body: memoryview, order: ByteOrder) -> tuple[bytes, int, bytes, int, int]:
    """Parse the reply to an MQGET: MD, MQGMO bits, resolved queue, offset of the data, length of the whole message.

    Raises ``StructureError``.
    """
    descriptor = read_descriptor(body, API.size, order)
    at = API.size + len(descriptor)
    options = parse_gmo(body, at, order)
    at += options.known + len(options.rest)
    record = options.record
    return descriptor, record.options, record.resolved_q_name, at + _WORD, word_at(body, at, order, "DataLength")
