from __future__ import annotations

import re
from pathlib import Path

import pytest

from mqbridge.protocol.constants import StatusCode
from support.project.project_files import files_below

HOME = Path(__file__).parents[3]
PAGE = (HOME / "docs" / "protocol.md").read_text(encoding="utf-8")
CLIENTS = "## What a client is told when its input is bad"
SECTIONS = [PAGE[PAGE.index("## Bad input") :], PAGE[PAGE.index(CLIENTS) : PAGE.index("## Bad input")]]


def rows(section: str) -> list[list[str]]:
    lines = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


@pytest.mark.parametrize("section", SECTIONS)
def test_every_row_of_bad_input_names_a_test_that_exists(section: str) -> None:
    tests = {
        name
        for file in files_below(HOME / "tests", ".py")
        if file.name.startswith("test_")
        for name in re.findall(r"^ *def (test_\w+)", file.read_text(encoding="utf-8"), re.MULTILINE)
    }
    named = {name for row in rows(section) for name in re.findall(r"`(test_\w+)`", row[-1])}
    assert len(rows(section)) > 20
    assert all("test_" in row[-1] for row in rows(section))
    assert named <= tests


@pytest.mark.parametrize("section", SECTIONS)
def test_status_codes_have_their_names(section: str) -> None:
    codes = re.findall(r"`([0-9A-F]{2})` ([A-Z][A-Z0-9_]+)", section)
    assert codes
    assert [name for number, name in codes if str(StatusCode(int(number, 16))) != name] == []
