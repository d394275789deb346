"""MQ, the layer of a segment; conversion of the bytes behind a header to layers; binding to TCP.

The structures of a segment are found by :mod:`protocol.dissection`; each becomes a layer of
:mod:`captures.scapy_layer.layers`, one behind the other, with the next segment of the same bytes behind the last.
"""

from __future__ import annotations

from typing import Any, ClassVar, Final

from scapy.config import conf
from scapy.fields import ConditionalField, StrField
from scapy.layers.inet import TCP
from scapy.packet import NoPayload, Packet, bind_layers

from mqbridge.captures.scapy_layer.fields import fields_of
from mqbridge.captures.scapy_layer.layers import BY_NAME, LAYERS, MQLayer, little_notes
from mqbridge.protocol.constants import ByteOrder, ControlFlags1, SegmentType
from mqbridge.protocol.dissection import MASK, Findings, dissect_segments
from mqbridge.protocol.segment import HEADER_SIZES, SHARED_HEADERS
from mqbridge.protocol.structures import TSH, TSHM

#: Port of MQ listeners by IANA.
MQ_PORT: Final = 1414
#: Connections on other ports that are remembered as carrying MQ; beyond it the oldest is forgotten.
MAX_CONNECTIONS: Final = 65_536

_connections: dict[frozenset[tuple[Any, int]], None] = {}
_LENGTH_AT: Final = 4
_LENGTH_KNOWN: Final = 8
# Types that are never split, and sent without FIRST and LAST (mq-wire.md 4.1).
_WITHOUT_PARTS: Final = frozenset(
    (
        *range(SegmentType.MESSAGE_DATA),
        *range(SegmentType.STATUS_DATA, SegmentType.USERID_DATA),
        SegmentType.HEARTBEAT,
        SegmentType.RENEGOTIATE_DATA,
    )
)
_FOLDER: Final = "NameValueData"
# Types that may contain a password, as in dissections.
_SECRETS: Final = frozenset((SegmentType.USERID_DATA, SegmentType.CONAUTH_INFO))


#: Notes of the header's fields; a new header is a little-endian TSH.
_HEADER_NOTES: Final = {
    **{field.key: field for field in little_notes(TSHM)},
    **{field.key: field for field in little_notes(TSH)},
}


def begins_segment(data: bytes) -> bool:
    """Whether bytes begin with a plausible segment header."""
    size = HEADER_SIZES.get(data[:_LENGTH_AT])
    if size is None:
        return False
    length = int.from_bytes(data[_LENGTH_AT:_LENGTH_KNOWN], "big")
    return len(data) < _LENGTH_KNOWN or length >= size


class DataField(StrField):
    """Bytes without structure."""

    def i2repr(self, pkt: Packet | None, x: Any) -> str:
        """Return Python's notation; masked if they may contain a password."""
        if isinstance(pkt, MQData) and pkt.secret and bytes(x).strip(b" \0"):
            return MASK
        return repr(bytes(x))


class MQData(MQLayer):
    """Bytes without structure: message data, padding, and what has no public layout. ``title``: which of these."""

    __slots__ = ["secret", "title"]
    name = "MQData"
    fields_desc: ClassVar[list[Any]] = [DataField("load", b"")]

    def __init__(
        self, _pkt: bytes = b"", *arguments: Any, title: str = "data", secret: bool = False, **more: Any
    ) -> None:
        self.title = title
        self.secret = secret
        super().__init__(_pkt, *arguments, **more)

    def extract_padding(self, s: bytes) -> tuple[bytes, None]:
        """Return everything as content."""
        return s, None

    def _described(self, other: Any) -> Any:
        other.title, other.secret = self.title, self.secret
        return super()._described(other)


class MQ(MQLayer):
    """A segment: TSH, TSHC or TSHM by ``StrucId``, followed by the layers of its body.

    Without a value ``SegLength`` is the length of what is built, ``Encoding`` follows from ``ByteOrder``, and
    ``ControlFlags1`` marks messages and calls as whole.
    """

    __slots__ = []
    name = "MQ"
    structure = None
    is_segment: ClassVar[bool] = True
    fields_desc: ClassVar[list[Any]] = [
        ConditionalField(field, lambda packet: packet.shared)
        if field.about.key in ("conversation_id", "request_id")
        else field
        for field in fields_of(
            TSHM.grammar(ByteOrder.LITTLE),
            _HEADER_NOTES,
            frozenset(("seg_length", "conversation_id", "request_id")),
            ("SegLength", "Encoding", "ControlFlags1"),
        )
    ]

    @property
    def shared(self) -> bool:
        """Whether the header contains conversation and request."""
        return bytes(self.getfieldval("StrucId"))[:4].ljust(4) in SHARED_HEADERS

    def mq_default(self, name: str) -> int:
        """Return the value of a header field that was not given."""
        if name == "Encoding":
            return self.mq_order().encoding
        if name == "ControlFlags1" and int(self.getfieldval("SegmentType")) not in _WITHOUT_PARTS:
            return int(ControlFlags1.FIRST | ControlFlags1.LAST)
        return 0

    def post_build(self, pkt: bytes, pay: bytes) -> bytes:
        """Insert the length of the segment."""
        if self.getfieldval("SegLength") is None:
            length = len(pkt) + self.behind(pay)
            pkt = pkt[:_LENGTH_AT] + length.to_bytes(4, "big") + pkt[_LENGTH_KNOWN:]
        return pkt + pay

    def do_dissect_payload(self, s: bytes) -> None:
        """Add the layers of the body, and what follows the segment."""
        own = len(self.raw_packet_cache or b"")
        length = max(int(self.getfieldval("SegLength")) - own, 0)
        body, rest = s[:length], s[length:]
        last: Packet = self
        for layer in _layers((self.raw_packet_cache or b"") + body, self):
            last.add_payload(layer)
            last = layer
        if rest:
            last.add_payload(MQ(rest) if begins_segment(rest) else conf.raw_layer(rest))

    def mysummary(self) -> str:
        """Return a one-line summary."""
        return f"MQ {SegmentType(int(self.getfieldval('SegmentType')))}"

    @classmethod
    def dispatch_hook(cls, _pkt: bytes | None = None, *_arguments: Any, **_keywords: Any) -> Any:
        """Leave bytes on an MQ port that are no segment as raw bytes."""
        if _pkt and not begins_segment(bytes(_pkt)):
            return conf.raw_layer
        return cls

    @classmethod
    def tcp_reassemble(cls, data: bytes, metadata: dict[str, Any], _session: dict[str, Any]) -> Packet | None:
        """Return all whole segments for ``TCPSession``; the rest waits for more."""
        at = 0
        while begins_segment(data[at:]) and len(data) >= at + _LENGTH_KNOWN:
            length = int.from_bytes(data[at + _LENGTH_AT : at + _LENGTH_KNOWN], "big")
            if len(data) < at + length:
                break
            at += length
        if not at:
            if begins_segment(data) and not metadata.get("tcp_end"):
                if len(data) >= _LENGTH_KNOWN:
                    metadata["tcp_min_len"] = int.from_bytes(data[_LENGTH_AT:_LENGTH_KNOWN], "big")
                return None
            return cls(data) if begins_segment(data) else conf.raw_layer(data)
        packet = cls(data[:at])
        if len(data) > at:
            packet.lastlayer().add_payload(conf.padding_layer(data[at:]))
        return packet


def _layers(segment: bytes, header: MQ) -> list[MQLayer]:
    """Return the layers of a segment behind its header."""
    shown = next(iter(dissect_segments(segment, Findings())), None)
    structures = [] if shown is None else shown["structures"]
    layers: list[MQLayer] = []
    at = HEADER_SIZES[segment[:_LENGTH_AT]]
    secret = int(header.getfieldval("SegmentType")) in _SECRETS
    for structure in structures[1:]:
        begin, end = structure["offset"], structure["offset"] + structure["length"]
        if begin < at or end > len(segment) or end <= begin:
            continue
        if begin > at:
            layers.append(MQData(segment[at:begin], title="data", secret=secret))
        layers += _taken(structure, segment[begin:end], header, secret)
        at = end
    if at < len(segment):
        layers.append(MQData(segment[at:], title="left-over", secret=secret))
    return layers


def _taken(shown: dict[str, Any], data: bytes, header: MQ, secret: bool) -> list[MQLayer]:
    """Return the layers of one dissected structure."""
    name = str(shown["structure"])
    if "fields" in shown:
        for layer in BY_NAME.get(name, ()):
            taken = _fitted(layer, shown, data, header)
            if taken is not None:
                return taken
    return [MQData(data, title=name, secret=secret)]


def _fitted(layer: type[MQLayer], shown: dict[str, Any], data: bytes, header: MQ) -> list[MQLayer] | None:
    """Return a layer with the dissected values, and what is behind it; None if it has another layout."""
    names = list(shown["fields"])
    known = None
    length = len(data)
    if layer.is_fixed():
        assert layer.structure is not None
        slots = layer.structure.slots
        count = sum(slot.offset + slot.size <= length for slot in slots)
        own = [slot.field.name for slot in slots[:count]]
        if own != names[: len(own)]:
            return None
        known = slots[count - 1].offset + slots[count - 1].size if count else 0
        if not known:
            return None
    segment_order = header.mq_order()
    for order in sorted(ByteOrder, key=lambda order: order != segment_order):
        made = layer(
            data[:known],
            _internal=1,
            _underlayer=header,
            known=known,
            order=None if order == segment_order else order,
        )
        if not isinstance(made.payload, NoPayload):
            rest = bytes(made.payload)
            made.remove_payload()
        else:
            rest = data[known:] if known is not None else b""
        if _agrees(made, shown["fields"]):
            return [made, *_behind(rest, shown, made)]
    return None


def _agrees(made: MQLayer, values: dict[str, Any]) -> bool:
    """Whether all integers equal the dissected ones."""
    names = list(made.fields)
    return names == list(values)[: len(names)] and all(
        values[name] == value for name, value in made.fields.items() if isinstance(value, int)
    )


def _behind(rest: bytes, shown: dict[str, Any], layer: MQLayer) -> list[MQLayer]:
    """Return the folders of an MQRFH2 one by one; otherwise the bytes."""
    found: list[MQLayer] = []
    if "folders" in shown:
        while len(rest) >= 4:
            length = 4 + int.from_bytes(rest[:4], layer.mq_order().endian)
            if length > len(rest):
                break
            found.append(LAYERS[_FOLDER](rest[:length], _internal=1, order=layer.order))
            rest = rest[length:]
    if rest:
        found.append(MQData(rest, title=f"{shown['structure']} rest"))
    return found


def bind() -> None:
    """Let TCP find MQ by its port, and by the first bytes of a payload that no other layer claims; idempotent.

    A connection on another port counts as MQ from its first segment header on, so that ``TCPSession`` also takes
    packets that begin within a segment.
    """
    if getattr(TCP.default_payload_class, "finds_mq", False):
        return
    bind_layers(TCP, MQ, dport=MQ_PORT)
    bind_layers(TCP, MQ, sport=MQ_PORT)
    default = TCP.default_payload_class

    def default_payload_class(self: Packet, payload: bytes) -> Any:
        ends = _ends(self)
        if begins_segment(payload):
            _connections[ends] = None
            if len(_connections) > MAX_CONNECTIONS:
                del _connections[next(iter(_connections))]
            return MQ
        # No payload: ``TCPSession`` asks at the SYN for the layer that reassembles a connection.
        return MQ if ends in _connections or not payload else default(self, payload)

    default_payload_class.finds_mq = True  # type: ignore[attr-defined]
    TCP.default_payload_class = default_payload_class  # type: ignore[method-assign]


def _ends(segment: Packet) -> frozenset[tuple[Any, int]]:
    below = segment.underlayer
    source, target = getattr(below, "src", None), getattr(below, "dst", None)
    return frozenset(((source, segment.sport), (target, segment.dport)))
