"""INITIAL_DATA as values: reading it, building it, and the proposal of a channel definition (mq-wire.md 5.1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from mqbridge.protocol import inferred
from mqbridge.protocol.constants import ByteOrder, CapFlags1, CapFlags2, StatusCode
from mqbridge.protocol.errors import ConversionError, StructureError
from mqbridge.protocol.framing import Segment, SegmentWriter
from mqbridge.protocol.numbers import is_known_encoding
from mqbridge.protocol.structures import ID, Body, initial_data_size, parse_initial_data
from mqbridge.protocol.text import decode_field, encode_field, encode_text

from .parameters import MAX_TRANSMISSION_SIZE, ChannelParameters
from .status import ChannelError

_OWN_CAPABILITIES: Final = int(CapFlags1.MSG_SEQ | CapFlags1.CONVERSION_CAPABLE | CapFlags1.SPLIT_MESSAGE)
_ID_STARTS: Final = (b"ID  ", b"\xc9\xc4\x40\x40")
_NO_COMPRESSION: Final[dict[str, Any]] = {"hdr_comp_list": b"\x00\xff", "msg_comp_list": b"\x00" + b"\xff" * 15}
_ALGORITHMS: Final = 10  # in PAL
_UNUSED_ALGORITHM: Final = 0xFFFF


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """What one end states in INITIAL_DATA: values, capabilities and, in an answer, what it changed or refuses."""

    fap_level: int
    """FAP level."""
    cap1: int
    """CapFlags1."""
    cap2: int
    """CapFlags2."""
    batch_size: int
    """MaxMessagesPerBatch; 0 means unspecified."""
    transmission_size: int
    """MaxTransmissionSize, bytes of a segment with its header."""
    message_length: int
    """MaxMessageSize, bytes of data; 0 means unspecified."""
    sequence_wrap: int
    """SequenceWrapValue."""
    heartbeat_interval: int
    """HeartbeatInterval, seconds; 0 for none."""
    channel_name: str
    """ChannelName, blanks removed."""
    queue_manager: str
    """QMgrName, blanks removed."""
    ccsid: int
    """CCSID of the names."""
    cap3: int = 0
    """CapFlags3."""
    refused1: int = 0
    """ECapFlags1."""
    refused2: int = 0
    """ECapFlags2."""
    refused3: int = 0
    """ECapFlags3."""
    changed1: int = 0
    """InitErrFlags1."""
    changed2: int = 0
    """InitErrFlags2."""
    compressed: bool = False
    """A compression list names something other than "none"."""
    product_id: str = ""
    """ProductId, 12 characters; empty below FAP 9."""
    queue_manager_id: str = ""
    """QMgrId; empty below FAP 9."""
    encoding: int = 0
    """Encoding stated in the segment header; 0 for a proposal of our own."""
    length: int = 0
    """Number of bytes that were parsed; 0 for a proposal of our own."""
    conversations: int = 0
    """ConvPerSocket (client channels)."""
    password_algorithms: tuple[int, ...] = ()
    """PAL (client channels)."""
    nonce: bytes = bytes(12)
    """R: random bytes (client channels)."""

    def build(self, writer: SegmentWriter, size: int | None = None) -> bytes:
        """Build the body of INITIAL_DATA in the byte order and CCSID of ``writer``.

        ``size``: its length in bytes, for a client channel; None for that of message channels.
        """
        ccsid = writer.ccsid
        record = ID.codec(writer.order)(
            struc_id=b"ID  ",
            fap_level=self.fap_level,
            cap_flags1=self.cap1,
            e_cap_flags1=self.refused1,
            init_err_flags1=self.changed1,
            max_msgs_per_batch=self.batch_size,
            max_transmission_size=self.transmission_size,
            max_message_size=self.message_length,
            sequence_wrap=self.sequence_wrap,
            channel_name=encode_field(self.channel_name, 20, ccsid),
            cap_flags2=self.cap2,
            e_cap_flags2=self.refused2,
            ccsid=ccsid,
            q_mgr_name=encode_field(self.queue_manager, 48, ccsid),
            heartbeat_interval=self.heartbeat_interval,
            init_err_flags2=self.changed2,
            cap_flags3=self.cap3,
            e_cap_flags3=self.refused3,
            product_id=encode_field(self.product_id, 12, ccsid),
            q_mgr_identifier=encode_field(self.queue_manager_id, 48, ccsid),
            **_NO_COMPRESSION,
            conv_per_socket=self.conversations,
            pal=self._algorithms(writer.order),
            r=self.nonce,
        )
        if size is not None:
            return Body(record, size).build()
        size = initial_data_size(self.fap_level)
        if self.fap_level in (11, 12):
            size = inferred.INITIAL_DATA_LENGTH_LEVEL_12
        padding = -size % inferred.INITIAL_DATA_ALIGNMENT
        return Body(record, size, bytes(padding)).build()

    def _algorithms(self, order: ByteOrder) -> bytes:
        unused = (_UNUSED_ALGORITHM,) * (_ALGORITHMS - len(self.password_algorithms))
        return b"".join(number.to_bytes(2, order.endian) for number in (*self.password_algorithms, *unused))


def read_proposal(segment: Segment) -> Proposal:
    """Parse INITIAL_DATA. Raises ``ChannelError`` with the status that tells the partner what is wrong."""
    try:
        body = parse_initial_data(segment.body_view, segment.order)
    except StructureError as error:
        raise ChannelError(str(error), StatusCode.PROTOCOL_LENGTH_ERROR) from error
    if body.record.struc_id not in _ID_STARTS:
        raise ChannelError(f"INITIAL_DATA begins with {body.record.struc_id.hex()}", StatusCode.PROTOCOL_ID_ERROR)
    ccsid = segment.ccsid
    _check_code(ccsid, segment.encoding)
    return Proposal(
        fap_level=body.record.fap_level,
        cap1=body.record.cap_flags1,
        cap2=body.record.cap_flags2,
        cap3=body.record.cap_flags3,
        refused1=body.record.e_cap_flags1,
        refused2=body.record.e_cap_flags2,
        refused3=body.record.e_cap_flags3,
        changed1=body.record.init_err_flags1,
        changed2=body.record.init_err_flags2,
        batch_size=body.record.max_msgs_per_batch,
        transmission_size=body.record.max_transmission_size,
        message_length=body.record.max_message_size,
        sequence_wrap=body.record.sequence_wrap,
        heartbeat_interval=body.record.heartbeat_interval,
        channel_name=decode_field(body.record.channel_name, ccsid),
        queue_manager=decode_field(body.record.q_mgr_name, ccsid),
        ccsid=ccsid,
        compressed=body.has("msg_comp_list")
        and not _uncompressed_only(body.record.hdr_comp_list + body.record.msg_comp_list),
        product_id=decode_field(body.record.product_id, ccsid),
        queue_manager_id=decode_field(body.record.q_mgr_identifier, ccsid),
        encoding=segment.encoding,
        length=body.known,
        conversations=body.record.conv_per_socket,
    )


def _uncompressed_only(compressions: bytes) -> bool:
    return all(entry in (0x00, 0xFF) for entry in compressions)


def speaks(ccsid: int) -> bool:
    """Return whether names can be decoded in this CCSID: it has a codec with one byte per character of a name."""
    try:
        return len(encode_text("A", ccsid)) == 1
    except ConversionError:
        return False


def _check_code(ccsid: int, encoding: int) -> None:
    if not speaks(ccsid):
        raise ChannelError(
            f"no conversion from CCSID {ccsid}", StatusCode.CCSID_NOT_SUPPORTED, amq="AMQ9541", retryable=False
        )
    if not is_known_encoding(encoding):
        raise ChannelError(
            f"no conversion from encoding {encoding:#x}", StatusCode.ENCODING_INVALID, amq="AMQ9503", retryable=False
        )


def own_proposal(parameters: ChannelParameters, *, caller: bool, requester: bool) -> Proposal:
    """Return the proposal of a definition. ``caller``: we begin. ``requester``: ask the other end to send."""
    level = min(parameters.fap_level, inferred.HIGHEST_FAP_LEVEL)
    return Proposal(
        fap_level=min(parameters.offered_fap_level, level) if caller else level,
        cap1=inferred.REQUESTER_CAPABILITIES if requester else _OWN_CAPABILITIES,
        cap2=int(CapFlags2.RESPONDER_CONVERSION) | (int(CapFlags2.FAST_MESSAGES_REQUIRED) if parameters.fast else 0),
        batch_size=parameters.batch_size,
        transmission_size=min(parameters.transmission_size, MAX_TRANSMISSION_SIZE),
        message_length=parameters.message_limit,
        sequence_wrap=parameters.sequence_wrap,
        heartbeat_interval=parameters.heartbeat_interval,
        channel_name=parameters.channel_name,
        queue_manager=parameters.queue_manager,
        ccsid=parameters.ccsid,
        product_id=parameters.product_id,
        queue_manager_id=parameters.queue_manager_id,
    )
