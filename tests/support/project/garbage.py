"""Pytest plugin: what the collection of tests leaves in memory for good is not searched for garbage, again and again.

Twenty-four thousand tests and what they import are millions of objects: every full search among them takes seconds.
Young objects are searched less often than Python does by itself, which costs simulations a tenth of their time.
"""

from __future__ import annotations

import gc
from collections.abc import Generator

import pytest

YOUNG = 10_000
"""How many objects more than before there are when young ones are searched."""


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection() -> Generator[None, object, object]:
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.set_threshold(YOUNG, *gc.get_threshold()[1:])
        gc.enable()
