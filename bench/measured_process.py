"""Run a program and measure it: seconds, processor seconds, maximum memory."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from typing import NamedTuple


class Taken(NamedTuple):
    """``wall``, ``processor``: seconds; ``memory``: bytes, the most that was resident; ``output``: what it printed."""

    wall: float
    processor: float
    memory: int
    output: bytes


def run(command: Sequence[str], *, keep_output: bool = False) -> Taken:
    """Run a program to its end. Exits if it fails."""
    begin = time.perf_counter()
    pipe = subprocess.PIPE if keep_output else subprocess.DEVNULL
    with subprocess.Popen(command, stdout=pipe, stderr=subprocess.DEVNULL) as process:
        output = process.stdout.read() if process.stdout is not None else b""
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{command[0]} ended with status {process.returncode}")
    wall = time.perf_counter() - begin
    return Taken(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, output)
