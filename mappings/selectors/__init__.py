"""Selectors: conditions on message properties in a subset of SQL92 (mqi.md 18)."""

from __future__ import annotations

from .building import MAX_DEPTH, MAX_LENGTH, parse_selector
from .errors import SelectorError
from .selector import Selector, compile_selector

__all__ = [
    "MAX_DEPTH",
    "MAX_LENGTH",
    "Selector",
    "SelectorError",
    "compile_selector",
    "parse_selector",
]
