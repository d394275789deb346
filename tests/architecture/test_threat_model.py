"""The threat model of ``docs/security.md`` names tests that there are."""

from __future__ import annotations

import re
from pathlib import Path

HOME = Path(__file__).parents[2]


def named() -> list[str]:
    """What the column of tests in the table names, as patterns below the project's folder."""
    text = (HOME / "docs" / "security.md").read_text(encoding="utf-8")
    table = text[text.index("## Threat model") : text.index("## Users")]
    cells = [line.rsplit("|", 2)[-2] for line in table.splitlines() if line.startswith("| ")]
    found = [name for cell in cells for name in re.findall(r"`([^`]+)`", cell)]
    return [name if "/" in name else f"tests/hostile/{name}" for name in found]


def test_every_test_that_it_names_is_there() -> None:
    names = named()
    assert len(names) > 15
    assert [name for name in names if not list(HOME.glob(name))] == []


def test_every_test_of_authority_is_named() -> None:
    """A hole that was closed once has its place in the table."""
    names = named()
    files = [file.relative_to(HOME).as_posix() for file in (HOME / "tests" / "hostile").glob("test_authority*.py")]
    upgrade = "tests/hostile/test_authority_upgrade.py"
    assert [file for file in files if file not in names and file != upgrade] == []
