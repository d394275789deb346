"""Ports for who must know one beforehand: nobody else is given them by chance.

The machine gives sockets that ask for any port, and connections that go out, ports of a range of its own; a port of
that range, found free and let go, may be somebody else's a moment later. These lie below it, each process of a test run
has its own ones, and each is given once.
"""

from __future__ import annotations

import os
import random
import socket
from collections.abc import Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path

LOWEST, PROCESSES = 10_000, 16
RANGE = Path("/proc/sys/net/ipv4/ip_local_port_range")
USUAL_RANGE = "32768 60999"


def _ports() -> Iterator[int]:
    """Ports of this process, beginning anywhere: another run on this machine has the same ones."""
    text = RANGE.read_text(encoding="ascii") if RANGE.exists() else USUAL_RANGE
    highest = max(int(text.split()[0]), LOWEST + 1000)
    own = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")) % PROCESSES
    span = (highest - LOWEST) // PROCESSES
    start = random.SystemRandom().randrange(span)
    return (LOWEST + own * span + (start + number) % span for number in count())


_next = _ports()


def free_port() -> int:
    """A port on which nobody listens, and nobody else will."""
    while True:
        port = next(_next)
        # It may be somebody's, or that of a connection whose end is not long ago.
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
