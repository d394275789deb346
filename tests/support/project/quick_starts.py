"""Pytest plugin: programs that tests start begin quickly.

They keep the bytecode of what they import, as Python does by default: where ``PYTHONDONTWRITEBYTECODE`` is set, as in
many images of containers, each of them would compile a thousand files. And Java compiles for a short life of Spark.
"""

from __future__ import annotations

import os

JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


def pytest_configure() -> None:
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    for name in ("SPARK_SUBMIT_OPTS", "SPARK_LAUNCHER_OPTS"):
        os.environ.setdefault(name, JAVA)
