"""tshark finds nothing to complain about in the TCP that the recorder makes."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from mqbridge.captures import Direction, Endpoint
from support.captures.files import record
from support.tshark.run import TSHARK, needs_tshark

pytestmark = [pytest.mark.interop("tshark"), needs_tshark]

IN, OUT = Direction.INITIATOR, Direction.RESPONDER
V6 = {"client": Endpoint("2001:db8::1", 1061), "server": Endpoint("2001:db8::2", 1414)}
CHECKED = [
    *("-o", "tcp.check_checksum:TRUE", "-o", "ip.check_checksum:TRUE", "-o", "tcp.analyze_sequence_numbers:TRUE"),
    *("-T", "fields", "-e", "tcp.checksum.status", "-e", "tcp.len", "-e", "tcp.analysis.flags", "-e", "_ws.malformed"),
]


@pytest.mark.parametrize("ends", [{}, V6], ids=["IPv4", "IPv6"])
def test_checksums_and_numbers_are_those_of_a_clean_conversation(ends: dict[str, Endpoint], tmp_path: Path) -> None:
    assert TSHARK is not None
    capture = tmp_path / "made.pcap"
    sent = [(IN, bytes(range(256)) * 2000), (OUT, b"odd"), (IN, b"\xff" * 65_001), (OUT, bytes(100_000))]
    capture.write_bytes(record(*sent, **ends))
    command = [TSHARK, "-r", str(capture), *CHECKED]
    shown = subprocess.run(command, capture_output=True, text=True, check=True, timeout=100).stdout.splitlines()
    rows = [line.split("\t") for line in shown]
    assert {status for status, *_ in rows} == {"1"}  # good
    assert {complaint for _, _, *complaints in rows for complaint in complaints} == {""}
    assert sum(int(length) for _, length, *_ in rows) == sum(len(data) for _, data in sent)
