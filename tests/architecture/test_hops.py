"""The lists of hops in docs/architecture.md are those of a traced run; they do not grow."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
sys.path.insert(0, str(DOCS))

from write_hops import PAGE, lines_of, written  # noqa: E402

MOST = {"put": 27, "get": 21}
"""Functions that a message passes at most; twenty and eighteen are the aim."""


@pytest.mark.parametrize("kind", ["put", "get"])
def test_the_list_is_what_a_traced_run_passes(kind: str) -> None:
    traced = lines_of(kind)
    assert written(PAGE.read_text(encoding="utf-8"), kind) == traced, "python docs/write_hops.py writes the list"
    assert traced.count("`") // 2 - traced.count("\n") <= MOST[kind]
