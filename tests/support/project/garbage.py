"""Pytest plugin: what the collection of tests leaves in memory for good is not searched for garbage, again and again.

Twenty-four thousand tests and what they import are millions of objects: every full search among them takes seconds.
"""

from __future__ import annotations

import gc
from collections.abc import Generator

import pytest


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection() -> Generator[None, object, object]:
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.enable()
