"""Ports for who must know one beforehand and keeps it while it is killed and started again."""

from __future__ import annotations

import random
import socket
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Final

LOWEST: Final = 10_000
RANGE: Final = Path("/proc/sys/net/ipv4/ip_local_port_range")
USUAL_RANGE: Final = "32768 60999"


def free_ports(part: int = 0, parts: int = 1) -> Iterator[int]:
    """Ports of the loopback interface on which nobody listens, each once.

    They lie below those that the machine gives to sockets that ask for any, and to connections that go out: such a
    port, found free, may be somebody else's a moment later. They begin anywhere, since others may search too. ``part``
    of ``parts``: the share of the range that a process takes which knows its neighbours.
    """
    text = RANGE.read_text(encoding="ascii") if RANGE.exists() else USUAL_RANGE
    highest = max(int(text.split()[0]), LOWEST + 1000)
    span = (highest - LOWEST) // parts
    start = random.SystemRandom().randrange(span)
    for number in count():
        port = LOWEST + part * span + (start + number) % span
        # It may be somebody's, or that of a connection whose end is not long ago.
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        yield port
