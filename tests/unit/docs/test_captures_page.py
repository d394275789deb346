"""The page about captures names the tables and columns that there are."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mqbridge.captures.rules import Severity
from mqbridge.captures.tables import TABLES, schema

PAGE = (Path(__file__).parents[3] / "docs" / "captures.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("table", TABLES)
def test_each_table_is_listed_with_its_columns(table: str) -> None:
    row = re.search(rf"^\| `{table}` \|[^|]*\|([^|]*)\|$", PAGE, re.MULTILINE)
    assert row is not None
    assert re.findall(r"`(\w+)`", row[1]) == [column.name for column in schema(table)]


def test_each_severity_is_explained() -> None:
    for severity in Severity:
        assert re.search(rf"^\| `{severity.value}` \| \w", PAGE, re.MULTILINE)
