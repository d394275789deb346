"""Link headers of generated packets."""

from __future__ import annotations

import struct
from typing import Final

from mqbridge.captures.reading.link_layers import (
    LINKTYPE_ETHERNET,
    LINKTYPE_LINUX_SLL,
    LINKTYPE_LINUX_SLL2,
    LINKTYPE_NULL,
    LINKTYPE_RAW,
)
from mqbridge.captures.recording.packet_template import PacketTemplate
from mqbridge.captures.streams.flow_events import Endpoint
from mqbridge.protocol.direction import Direction
from mqbridge.protocol.states import Member


class LinkType(Member):
    """A kind of link; the value is its name on the command line."""

    ETHERNET = "ethernet"
    VLAN = "vlan"
    QINQ = "qinq"
    COOKED = "sll"
    COOKED_2 = "sll2"
    RAW = "raw"
    NULL = "null"

    @property
    def link_type(self) -> int:
        """LINKTYPE number of its captures."""
        return _LINK_TYPES[self]


_LINK_TYPES: Final = {
    LinkType.ETHERNET: LINKTYPE_ETHERNET,
    LinkType.VLAN: LINKTYPE_ETHERNET,
    LinkType.QINQ: LINKTYPE_ETHERNET,
    LinkType.COOKED: LINKTYPE_LINUX_SLL,
    LinkType.COOKED_2: LINKTYPE_LINUX_SLL2,
    LinkType.RAW: LINKTYPE_RAW,
    LinkType.NULL: LINKTYPE_NULL,
}

# Locally administered addresses of the two ends.
HARDWARE: Final = {
    Direction.INITIATOR: bytes.fromhex("020000000001"),
    Direction.RESPONDER: bytes.fromhex("020000000002"),
}
VLAN_ID: Final = 14
OUTER_VLAN_ID: Final = 1414
INTERFACE: Final = 2
_IPV4: Final = 0x0800
_IPV6: Final = 0x86DD
_TAG: Final = 0x8100
_SERVICE_TAG: Final = 0x88A8
_ETHERNET_HARDWARE: Final = 1
_FAMILIES: Final = {4: 2, 6: 30}
# Cooked packet types: the capture is made at the responder.
_COOKED_TYPES: Final = {Direction.INITIATOR: 0, Direction.RESPONDER: 4}


def packet_template(link: LinkType, direction: Direction, source: Endpoint, target: Endpoint) -> PacketTemplate:
    """Return the template of the packets from ``source`` to ``target`` on a link."""
    header = link_header(link, direction, 6 if ":" in source.address else 4)
    return PacketTemplate(source, target, header)


def link_header(link: LinkType, direction: Direction, version: int) -> bytes:
    """Return the bytes in front of an IP packet of ``version`` (4 or 6) sent in ``direction``."""
    ether_type = _IPV4 if version == 4 else _IPV6
    source = HARDWARE[direction]
    if link is LinkType.RAW:
        return b""
    if link is LinkType.NULL:
        return struct.pack("<I", _FAMILIES[version])
    if link is LinkType.COOKED:
        head = struct.pack(">HHH", _COOKED_TYPES[direction], _ETHERNET_HARDWARE, len(source))
        return head + source.ljust(8, b"\0") + struct.pack(">H", ether_type)
    if link is LinkType.COOKED_2:
        head = struct.pack(
            ">HHIHBB", ether_type, 0, INTERFACE, _ETHERNET_HARDWARE, _COOKED_TYPES[direction], len(source)
        )
        return head + source.ljust(8, b"\0")
    tags = {
        LinkType.ETHERNET: b"",
        LinkType.VLAN: struct.pack(">HH", _TAG, VLAN_ID),
        LinkType.QINQ: struct.pack(">HHHH", _SERVICE_TAG, OUTER_VLAN_ID, _TAG, VLAN_ID),
    }[link]
    return HARDWARE[direction.other] + source + tags + struct.pack(">H", ether_type)
