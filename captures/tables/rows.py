"""Rows of the tables: one NamedTuple per table, whose annotations are the schema.

``capture`` is the path of the capture as given, ``flow`` the number of the connection in it: (``capture``, ``flow``)
joins all tables. Packets are counted as in tshark, 0 for none. Times are seconds since the epoch, UTC, and timestamps
with microseconds in Arrow and Spark. Ids are hexadecimal text, names have no padding. Passwords are masked. Unknown
values are None if the annotation allows it, otherwise empty or 0.
"""

from __future__ import annotations

from typing import Annotated, Final, NamedTuple

SCHEMA_VERSION: Final = 1
"""Incremented when a column changes its name, type or meaning; not for new columns at the end."""

Time = Annotated[float, "timestamp"]
"""A moment: seconds since the epoch, UTC."""
Int = Annotated[int, "int"]
"""32 bits, signed."""
Long = Annotated[int, "long"]
"""64 bits, signed."""


class CommonFields(NamedTuple):
    """Fields common to many segments, in whatever structure: the first occurrence in the segment."""

    channel: str | None = None
    queue_manager: str | None = None
    user: str | None = None
    object_name: str | None = None
    handle: Long | None = None
    comp_code: Long | None = None
    reason: Long | None = None
    options: Long | None = None
    fap_level: Long | None = None
    sequence_number: Long | None = None
    data_length: Long | None = None
    format: str | None = None
    persistence: Long | None = None
    msg_id: str | None = None
    correl_id: str | None = None
    reply_to_q: str | None = None


class SegmentRow(NamedTuple):
    """One segment of a connection, mq-wire.md 2.

    ``time``, ``packet``: of the packet with its first byte; ``last_packet``: of the packet that completed it.
    ``offset``: of its first byte in its direction. ``direction``: ``initiator`` or ``responder``. ``fields``: all
    fields that ``mqbridge decode`` shows, ``STRUCTURE.Field`` to text; repeated names get the suffix ``#2``.
    ``findings``: numbers of the rules with findings on this segment as it passed; ``severity``: the worst of them.
    """

    capture: str
    flow: Int
    direction: str
    time: Time
    packet: Long
    last_packet: Long
    offset: Long
    struc_id: str
    seg_length: Long
    conversation_id: Long
    request_id: Long
    byte_order: Int
    segment_type: Int
    segment_name: str
    control_flags1: Int
    control_flags2: Int
    luwid: str
    encoding: Long
    ccsid: Int
    common: CommonFields | None
    fields: dict[str, str] | None
    findings: list[str]
    severity: str | None


class FlowRow(NamedTuple):
    """One TCP connection.

    ``kind``: ``client-connection``, ``message-channel``, ``tls`` or ``unknown``; flows of other protocols have no row.
    ``outcome``: ``ended``, ``refused``, ``cut`` or ``open``, with ``reason`` of the refusal or error. ``whole``:
    whether the capture contains the beginning; ``lost``: bytes that the capture lacks or that form no segments.
    ``bytes``: of TCP payload in both directions. ``agreed``: negotiated values. ``calls``, ``batches``, ``messages``,
    ``segments``, ``findings``, ``errors`` (findings of that severity): number of rows of the other tables.
    """

    capture: str
    flow: Int
    client: str
    server: str
    start: Time
    end: Time
    kind: str
    channel: str
    queue_manager: str
    user: str
    segments: Long
    messages: Long
    outcome: str
    reason: Long
    ending: str
    first_packet: Long
    packets: Long
    bytes: Long
    lost: Long
    whole: bool
    tls_version: str | None
    tls_server_name: str | None
    agreed: dict[str, str]
    calls: Long
    batches: Long
    findings: Long
    errors: Long


class CaptureRow(NamedTuple):
    """One capture file, read to its end or as far as possible.

    ``bytes``: unpacked, as far as read. ``unread``: number of packets that may contain MQ and cannot be read.
    ``error``: why reading stopped early. ``readable``: whether any of it could be read.
    """

    capture: str
    packets: Long
    bytes: Long
    unread: Long
    readable: bool
    error: str | None


class FindingRow(NamedTuple):
    """A finding on a capture; ``flow`` 0: on the capture as a whole. See ``captures.rules.Finding``."""

    capture: str
    rule: str
    severity: str
    flow: Int
    packet: Long
    time: Time
    title: str
    expected: str
    seen: str
    spec: str


class MessageRow(NamedTuple):
    """One message.

    ``course``: ``channel``, ``put``, ``get`` or ``browse``. ``time``, ``packet``: of its first segment; ``last_time``:
    of its last. ``queue``, ``queue_manager``: destination or origin, as named on the wire. ``length``: bytes behind the
    descriptor; ``body_length``: of those the bytes behind ``headers``, with ``body_format`` and ``body_ccsid``;
    ``body_sha256``: of the body alone, None if the capture lacks parts of it; ``body``: only on request. ``fate``:
    outcome of the message, with ``settled_reason``; ``confirm_time``: when that was seen; ``latency``: seconds from its
    first byte until then. ``sequence_number``, ``batch``, ``luwid``: of message channels. ``properties``: of its
    folders, by full name, with ``property_types``: the ``dt`` of each, ``string`` if it has none, ``nil`` without a
    value. The others are the fields of MQMD, those of group and segment from MQMDE if one follows a version 1
    descriptor; fields that a version lacks have their default values, those of an unreadable descriptor are empty.
    Compressed messages are not ``whole``: ``length`` counts their bytes on the wire, and only their parts in clear are
    read.
    """

    capture: str
    flow: Int
    course: str
    direction: str
    time: Time
    packet: Long
    last_time: Time
    channel: str
    queue: str
    queue_manager: str
    conversation: Long
    handle: Long
    sequence_number: Long
    batch: Long
    luwid: str
    fate: str
    settled_reason: Long
    confirm_time: Time | None
    latency: float | None
    length: Long
    whole: bool
    headers: list[str]
    properties: dict[str, str]
    body_format: str
    body_ccsid: Long
    body_length: Long
    body_sha256: str | None
    body: bytes | None
    msg_id: str
    correl_id: str
    version: Int
    report: Long
    msg_type: Long
    expiry: Long
    feedback: Long
    encoding: Long
    coded_char_set_id: Long
    format: str
    priority: Long
    persistence: Long
    backout_count: Long
    reply_to_q: str
    reply_to_q_mgr: str
    user_identifier: str
    accounting_token: str
    appl_identity_data: str
    put_appl_type: Long
    put_appl_name: str
    put_date: str
    put_time: str
    appl_origin_data: str
    group_id: str
    msg_seq_number: Long
    offset: Long
    msg_flags: Long
    original_length: Long
    property_types: dict[str, str]


class CallRow(NamedTuple):
    """One call of a client.

    ``time``, ``packet``: of the request; ``answered``: None without a reply. ``latency``: seconds. ``request_bytes``,
    ``reply_bytes``: of their segments. ``wait``: wait interval of a get in milliseconds, -1 for unlimited, which its
    latency may include; 0 for other calls.
    """

    capture: str
    flow: Int
    time: Time
    packet: Long
    answered: Time | None
    answer_packet: Long
    latency: float | None
    conversation: Long
    name: str
    handle: Long
    object_name: str
    comp_code: Long
    comp_code_name: str
    reason: Long
    reason_name: str
    request_bytes: Long
    reply_bytes: Long
    wait: Long


class BatchRow(NamedTuple):
    """One batch of a message channel.

    ``direction``: of its sender. ``bytes``: data of its messages. ``latency``: seconds from the request for
    confirmation to the confirmation. ``fate``: as for messages.
    """

    capture: str
    flow: Int
    direction: str
    batch: Long
    luwid: str
    first_sequence: Long
    last_sequence: Long
    messages: Long
    bytes: Long
    begun: Time
    packet: Long
    asked: Time | None
    confirmed: Time | None
    latency: float | None
    fate: str


class ProtocolMessageRow(NamedTuple):
    """One message of another protocol than MQ, by its description; or bytes that the description does not explain.

    ``flow``: counted among all connections. ``offset``: of the first byte in its direction. ``message``: the name of
    its kind, None where it is not explained, and then ``fault`` says why. ``fields``: values as text, bytes as
    hexadecimal digits.
    """

    capture: str
    flow: Int
    direction: str
    time: Time | None
    packet: Long
    offset: Long
    length: Long
    message: str | None
    fields: dict[str, str] | None
    fault: str | None


Row = CaptureRow | SegmentRow | FlowRow | FindingRow | MessageRow | CallRow | BatchRow | ProtocolMessageRow
