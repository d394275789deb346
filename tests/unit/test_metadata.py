"""What the base install asks for: nothing that the code does not import, nothing older than what it calls."""

from __future__ import annotations

import ast
import configparser
import re
from pathlib import Path

from support.project.syntax import trees

HOME = Path(__file__).parents[2]
MODULES = {
    "Twisted": {"twisted", "zope"},
    "pyOpenSSL": {"OpenSSL"},
    "service-identity": {"service_identity"},
}
"""Distribution → the modules that it brings, where their name differs."""


def requirements() -> dict[str, tuple[int, ...]]:
    setup = configparser.ConfigParser()
    setup.read(HOME / "setup.cfg", encoding="utf-8")
    lines = setup["options"]["install_requires"].split()
    pairs = (line.split(">=") for line in lines)
    return {name: tuple(int(part) for part in version.split(".")) for name, version in pairs}


def imported() -> set[str]:
    modules: set[str] = set()
    rooms = ("mqbridge", "protocol", "mappings", "bridge", "captures")
    wanted = {name for each in requirements() for name in MODULES.get(each, {each})}
    for _, tree in trees((file for room in rooms for file in (HOME / room).rglob("*.py")), "|".join(wanted)):
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                modules |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                modules.add(node.module.partition(".")[0])
    return modules


def test_every_requirement_is_imported() -> None:
    modules = imported()
    assert [name for name in requirements() if not MODULES.get(name, {name}) & modules] == []


def test_every_requirement_has_an_exact_version_in_the_constraints() -> None:
    pinned = re.findall(r"^([\w.-]+)==", (HOME / "constraints.txt").read_text(encoding="utf-8"), re.MULTILINE)
    assert {name.lower() for name in requirements()} <= {name.lower() for name in pinned}


def test_the_release_of_lmdb_has_the_verifier_that_check_uses() -> None:
    assert "from lmdb import verify" in (HOME / "bridge" / "store" / "environment.py").read_text(encoding="utf-8")
    assert requirements()["lmdb"] >= (3, 0)
