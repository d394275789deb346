"""The tables of docs/everyplace.md are those of the rows."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[3] / "docs"))

from write_everyplace_tables import PAGE, TABLES, written


@pytest.mark.parametrize("name", TABLES)
def test_a_table_is_that_of_its_rows(name: str) -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert written(page, name) == TABLES[name](), "python docs/write_everyplace_tables.py writes the tables"
