"""Pytest plugin: programs that tests start begin quickly, and can be interrupted.

They keep the bytecode of what they import, as Python does by default: where ``PYTHONDONTWRITEBYTECODE`` is set, as in
many images of containers, each of them would compile a thousand files. And Java compiles for a short life of Spark.

A shell has what it starts in the background ignore Ctrl-C, and so would all that tests start from there.
"""

from __future__ import annotations

import os
import signal

JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


def pytest_configure() -> None:
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    for name in ("SPARK_SUBMIT_OPTS", "SPARK_LAUNCHER_OPTS"):
        os.environ.setdefault(name, JAVA)
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
