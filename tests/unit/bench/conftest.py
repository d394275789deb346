"""Modules of the benches can be imported, and are gone behind a test."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest

BENCH = Path(__file__).parents[3] / "bench"


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], ModuleType]]:
    """Import a module by name."""
    monkeypatch.syspath_prepend(str(BENCH))
    monkeypatch.delenv("MQBRIDGE_FIGURES", raising=False)
    yield importlib.import_module
    for name, module in list(sys.modules.items()):
        if (getattr(module, "__file__", None) or "").startswith(str(BENCH)):
            del sys.modules[name]
