"""PING: the body of PING_DATA, a length and data to be returned, mq-wire.md 5.14."""

from __future__ import annotations

from typing import Any

from construct import GreedyBytes, Struct

from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.fields import Numbers, part
from mqbridge.protocol.grammar import Structure
from mqbridge.protocol.records import Buffer


def _ping(n: Numbers) -> Any:
    return Struct(
        n.u32("Length", "bytes of data"),
        part("Data", GreedyBytes, "anything, up to the end of the segment", kind="bytes", default=b""),
    )


PING = Structure("PING", _ping, spec="mq-wire.md 5.14")
"""4 bytes and the data."""


def parse_ping(body: Buffer, order: ByteOrder) -> Any:
    """Read the body of PING_DATA: a ``Container`` of ``length`` (as stated) and ``data`` (all of it).

    Raises ``StructureError`` when fewer than 4 bytes are there.
    """
    return PING.parse(body, 0, order)


def ping_data(order: ByteOrder, data: bytes) -> bytes:
    """Return a body to send."""
    return PING.build({"length": len(data), "data": data}, order)
