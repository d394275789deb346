"""Ports for who must know one beforehand: each process of a test run has its own ones, and each is given once."""

from __future__ import annotations

import os

from support.project.demo_parts import free_ports

PROCESSES = 16
_ports = free_ports(int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")) % PROCESSES, PROCESSES)


def free_port() -> int:
    """A port on which nobody listens, and nobody else will."""
    return next(_ports)
