"""Pytest plugin: programs that tests start keep the bytecode of what they import, as Python does by default.

Where ``PYTHONDONTWRITEBYTECODE`` is set, as in many images of containers, each of them would compile a thousand files.
"""

from __future__ import annotations

import os


def pytest_configure() -> None:
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
