"""Capture for benches with traffic of message channels and clients, made by our own machines."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mqbridge.captures.generate import Written


def make_capture(path: Path, packets: int) -> Written:
    """Write so many packets, in whole connections. Returns what was written."""
    from mqbridge.captures.generate import (  # not loaded by measured programs
        Builder,
        ChannelTraffic,
        ClientTraffic,
        Replica,
    )

    builder = Builder(1)
    builder.channel(ChannelTraffic(sizes=(200, 1_000, 4_000) * 10, batch_size=10))
    builder.client(ClientTraffic(puts=(200, 1_000, 4_000) * 5, gets=15))
    with path.open("wb") as file:
        return Replica(builder.connections).write(file, packets=packets)
