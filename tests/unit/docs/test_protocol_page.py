from __future__ import annotations

import re
from pathlib import Path

from protocol.constants import StatusCode

HOME = Path(__file__).parents[3]
PAGE = (HOME / "docs" / "protocol.md").read_text(encoding="utf-8")
BAD_INPUT = PAGE[PAGE.index("## Bad input") :]


def rows() -> list[list[str]]:
    lines = [line for line in BAD_INPUT.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def test_every_row_of_bad_input_names_a_test_that_exists() -> None:
    tests = {
        name
        for file in (HOME / "tests").rglob("test_*.py")
        for name in re.findall(r"^ *def (test_\w+)", file.read_text(encoding="utf-8"), re.MULTILINE)
    }
    named = {name for row in rows() for name in re.findall(r"`(test_\w+)`", row[-1])}
    assert len(rows()) > 20
    assert all("test_" in row[-1] for row in rows())
    assert named <= tests


def test_status_codes_have_their_names() -> None:
    codes = re.findall(r"`([0-9A-F]{2})` ([A-Z][A-Z0-9_]+)", BAD_INPUT)
    assert codes
    assert [name for number, name in codes if str(StatusCode(int(number, 16))) != name] == []
