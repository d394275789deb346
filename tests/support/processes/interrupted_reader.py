"""Interrupts a program while it reads standard input."""

from __future__ import annotations

import signal
import subprocess

PATIENCE = 60
"""Seconds until a program must have ended."""


def interrupt_reader(process: subprocess.Popen[bytes], data: bytes) -> None:
    """Write ``data``, which is more than a pipe holds, then send SIGINT, and wait for the end.

    The program was started with an unbuffered pipe; once all is written it reads. Then the pipe is closed: Python may
    not look whether a signal came until a read is over.
    """
    assert process.stdin is not None
    while data:
        data = data[process.stdin.write(data) :]
    process.send_signal(signal.SIGINT)
    process.stdin.close()
    process.wait(PATIENCE)
