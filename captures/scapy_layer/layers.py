"""Layers of scapy made from wire structures: one class per layout, with IBM's name of the structure."""

from __future__ import annotations

import sys
from typing import Any, ClassVar, Final

from scapy.fields import ConditionalField
from scapy.packet import NoPayload, Packet

import mqbridge.protocol.structures as wire
from mqbridge.captures.scapy_layer.fields import GrammarField, fields_of
from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.fields import Field, notes
from mqbridge.protocol.grammar import Structure
from mqbridge.protocol.structures.fopa import FOPA
from mqbridge.protocol.structures.tsh import TSHM


class MQLayer(Packet):
    """A structure in an MQ segment.

    ``order``: byte order if it differs from that of the segment. ``ccsid``: code page, likewise. ``known``: number of
    bytes of the structure that are there, None for as many as its version requires.
    """

    __slots__ = ["built", "ccsid", "known", "order"]
    name = "MQ layer"
    fields_desc: ClassVar[list[Any]] = []
    structure: ClassVar[Structure[Any] | None] = None
    is_segment: ClassVar[bool] = False

    def __init__(
        self,
        _pkt: bytes = b"",
        *arguments: Any,
        order: ByteOrder | None = None,
        ccsid: int | None = None,
        known: int | None = None,
        **fields: Any,
    ) -> None:
        self.order = order
        self.ccsid = ccsid
        self.known = known if known is not None else len(_pkt) if _pkt and self.is_fixed() else None
        self.built = 0
        super().__init__(_pkt, *arguments, **fields)

    @classmethod
    def is_fixed(cls) -> bool:
        """Whether all fields are at fixed offsets, so that an earlier version is a prefix of it."""
        return cls.structure is not None and _size(cls.structure) is not None

    # What fields ask

    def mq_segment(self) -> Packet | None:
        """Return the segment header below."""
        layer: Packet | None = self
        while layer is not None and not _is_segment(layer):
            layer = layer.underlayer
        return layer

    def mq_order(self) -> ByteOrder:
        """Return the byte order of integers."""
        if self.order is not None:
            return self.order
        header = self.mq_segment()
        return ByteOrder.LITTLE if header is None or header.getfieldval("ByteOrder") != 1 else ByteOrder.BIG

    def mq_ccsid(self) -> int:
        """Return the code page of text."""
        if self.ccsid is not None:
            return self.ccsid
        header = self.mq_segment()
        return 819 if header is None else int(header.getfieldval("CCSID") or 819)

    def mq_ebcdic(self) -> bool:
        """Whether ids are in EBCDIC."""
        header = self.mq_segment()
        return header is not None and bytes(header.getfieldval("StrucId"))[:1] == b"\xe3"

    def mq_default(self, name: str) -> int:
        """Return the value of an integer that was not given; lengths of what follows are patched in later."""
        return 0

    def mq_size(self) -> int:
        """Return the number of bytes of the structure that are there."""
        if self.known is not None:
            return self.known
        structure = type(self).structure
        assert structure is not None
        sizes = _VERSION_SIZES.get(structure.name)
        if sizes is not None:
            return sizes.get(int(self.getfieldval("Version") or 0), structure.size)
        if structure.name == "ID":
            return wire.initial_data_size(int(self.getfieldval("FapLevel") or 0))
        return structure.size

    # scapy

    def copy(self) -> Any:
        """Return a deep copy."""
        return self._described(super().copy())

    def clone_with(self, payload: Any = None, **fields: Any) -> Any:
        """Return a copy with other values."""
        return self._described(super().clone_with(payload=payload, **fields))

    def _described(self, other: Any) -> Any:
        other.order, other.ccsid, other.known = self.order, self.ccsid, self.known
        return other

    def do_build(self) -> bytes:
        """Return the bytes, with all payloads."""
        built: bytes = super().do_build()
        self.built = len(built)
        return built

    def following(self) -> Packet | None:
        """Return the next segment of the same direction in the same bytes, or None."""
        layer: Any = self.payload
        while not isinstance(layer, NoPayload) and not _is_segment(layer):
            layer = layer.payload
        return layer if _is_segment(layer) else None

    def behind(self, payload: bytes) -> int:
        """Return how many bytes of a built payload belong to the segment of this layer."""
        following = self.following()
        return len(payload) - (0 if following is None else following.built)

    def post_build(self, pkt: bytes, pay: bytes) -> bytes:
        """Insert lengths that were not given."""
        title = type(self).__name__
        for name, (at, more) in _LENGTHS_BEHIND.get(title, {}).items():
            if self.getfieldval(name) is None:
                behind = self._folders() if title == "RFH2" else self.behind(pay)
                field: Any = self.get_field(name)
                order = ByteOrder.BIG if getattr(field, "network", False) else self.mq_order()
                pkt = pkt[:at] + max(behind + more, 0).to_bytes(4, order.endian) + pkt[at + 4 :]
        return pkt + pay

    def _folders(self) -> int:
        """Return the length of the folders behind an RFH2."""
        layer, length = self.payload, 0
        while type(layer).__name__ == "NameValueData":
            following = layer.payload
            length += layer.built - (following.built if isinstance(following, MQLayer) else len(bytes(following)))
            layer = following
        return length


def _is_segment(layer: Any) -> bool:
    """Whether a layer is the header of a segment (``captures.scapy_layer.segments.MQ``)."""
    return isinstance(layer, MQLayer) and layer.is_segment


_VERSION_SIZES: Final[dict[str, dict[int, int]]] = {
    "MD": {1: 324, 2: 364},
    "OD": wire.OD_SIZES,
    "PMO": wire.PMO_SIZES,
    "GMO": wire.GMO_SIZES,
    "STAT": wire.STAT_SIZES,
    "FOPA": {1: wire.SHORT_FOPA_SIZE, 2: FOPA.size},
}
# Lengths of what follows: their offset, and a constant to add.
_LENGTHS_BEHIND: Final[dict[str, dict[str, tuple[int, int]]]] = {
    "MSH": {"DataLength": (8, -428), "MessageLength": (16, 0)},
    "DataLength": {"DataLength": (0, 0)},
    "API": {"ReplyLength": (0, wire.TSH.size + wire.API.size)},
    "RFH2": {"StrucLength": (8, wire.RFH2.size)},
}


def _size(structure: Structure[Any]) -> int | None:
    try:
        return structure.size
    except TypeError:
        return None


def little_notes(structure: Structure[Any]) -> list[Field]:
    """Return the notes of a structure's fields, with little-endian defaults."""
    return [field for subcon in structure.grammar(ByteOrder.LITTLE).subcons if (field := notes(subcon)) is not None]


def _network(structure: Structure[Any]) -> frozenset[str]:
    """Return attribute names of integers that are big-endian in both orders."""
    little, big = (structure.grammar(order).subcons for order in (ByteOrder.LITTLE, ByteOrder.BIG))
    return frozenset(
        one.name
        for one, other in zip(little, big, strict=True)
        if (code := _code(one)) is not None and code == _code(other) and len(code) > 1 and code[-1] not in "bBcs"
    )


def _code(subcon: Any) -> str | None:
    while hasattr(subcon, "subcon"):
        subcon = subcon.subcon
    return getattr(subcon, "fmtstr", None)


def _fields(structure: Structure[Any], lengths: dict[str, tuple[int, int]]) -> list[Any]:
    abouts = {field.key: field for field in little_notes(structure)}
    found: list[GrammarField] = fields_of(structure.grammar(ByteOrder.LITTLE), abouts, _network(structure), lengths)
    if _size(structure) is None:
        return list(found)
    ends = {slot.field.name: slot.offset + slot.size for slot in structure.slots}
    first = ends[found[0].name]
    return [
        field if ends[field.name] <= max(first, 8) else ConditionalField(field, _there(ends[field.name]))
        for field in found
    ]


def _there(end: int) -> Any:
    return lambda packet: end <= packet.mq_size()


def _layer(title: str, structure: Structure[Any]) -> type[MQLayer]:
    contents = {
        "name": structure.name,
        "fields_desc": _fields(structure, _LENGTHS_BEHIND.get(title, {})),
        "structure": structure,
        "__doc__": f"{structure.mq_name}, {structure.spec}.",
        "__module__": __name__,
        "__slots__": [],
    }
    made: type[MQLayer] = type(title, (MQLayer,), contents)
    return made


#: Layer by its name in this module; several layouts of one structure have several.
LAYERS: Final[dict[str, type[MQLayer]]] = {}
#: Layers by the name that dissections show, those of longer layouts first.
BY_NAME: Final[dict[str, list[type[MQLayer]]]] = {}

_HEADERS: Final = ("TSH", "TSHC", "TSHM", "MESSAGE_DATA", "MESSAGE_PREFIX", "MQXQH")


def _register() -> None:
    found = [(name, value) for name, value in vars(wire).items() if isinstance(value, Structure)]
    found += [(f"{value.name}", value) for value in wire.PARAMETERS.values()]
    for variable, structure in found:
        if structure.name in _HEADERS or structure is TSHM:
            continue
        title = structure.name if variable in _WORDS else variable
        if title in LAYERS:
            continue
        layer = LAYERS[title] = _layer(title, structure)
        for name in {structure.name, structure.mq_name}:
            BY_NAME.setdefault(name, []).append(layer)
    for layers in BY_NAME.values():
        layers.sort(key=lambda layer: -(_size(layer.structure) or sys.maxsize) if layer.structure else 0)


_WORDS: Final = {"OPEN_OPTIONS", "CLOSE_OPTIONS", "DATA_LENGTH", "STATUS_TYPE", "SUBRQ_ACTION", "FOLDER", "XA_COUNT"}

_register()
