"""The build backend: that of setuptools, and mypy beside it where the wheel is to be compiled."""

from __future__ import annotations

import os
from typing import Any

from setuptools import build_meta
from setuptools.build_meta import *  # noqa: F403

COMPILER = "mypy>=2.4"


def get_requires_for_build_wheel(config_settings: Any = None) -> list[str]:
    """What a wheel needs to be built."""
    needed: list[str] = build_meta.get_requires_for_build_wheel(config_settings)
    return needed if os.environ.get("MQBRIDGE_COMPILE", "0") in ("", "0") else [*needed, COMPILER]
