"""MQRFH2 headers as IBM's clients put them on the wire (tests/vectors/ibm-client)."""

from __future__ import annotations

import re

import pytest

from mqbridge.mappings.destinations import DestinationKind
from mqbridge.mappings.jms import JmsMessage
from mqbridge.mappings.message import Message
from mqbridge.protocol.constants import ByteOrder
from support.captures.vectors import VECTORS

FILES = sorted((VECTORS / "ibm-client").glob("j*.hex.txt"))


def captured() -> list[bytes]:
    """Each header with the data behind it, from the segments of clients."""
    found = {}
    for file in FILES:
        for line in file.read_text(encoding="utf-8").splitlines():
            match = re.match(r"[CS]> [0-9.]+ ([0-9a-f]+)$", line)
            raw = bytes.fromhex(match[1]) if match else b""
            place = raw.find(b"RFH \0\0\0\2")
            if place >= 0:
                found[raw[place:]] = None
    return list(found)


@pytest.mark.spec("jms-mapping.md 4.1")
@pytest.mark.spec("jms-mapping.md 4.3")
def test_captured_headers_are_read_whole() -> None:
    headers = captured()
    assert len(headers) > 30
    for raw in headers:
        length = int.from_bytes(raw[8:12], "big")
        if length > len(raw):  # the rest is in another segment
            continue
        message = Message.build(
            raw, order=ByteOrder.BIG, ccsid=1208, format="MQHRF2", encoding=273, coded_char_set_id=1208
        )
        jms = JmsMessage.of(message)
        assert jms.kind in ("text", "bytes", "map", "stream", "object", "none")
        assert jms.headers.destination is not None
        assert jms.headers.destination.kind in DestinationKind
        assert jms.headers.timestamp > 1_600_000_000_000
        assert jms.headers.delivery_mode in (1, 2)
        assert isinstance(jms.properties, dict)
