"""Programs that no other test runs whole: benches, examples and those that write the documents."""

from __future__ import annotations

import ast
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

TOP = Path(__file__).parents[2]
PROGRAMS = sorted(path for folder in ("bench", "docs", "examples") for path in (TOP / folder).rglob("*.py"))


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: str(path.relative_to(TOP)))
def test_what_a_program_imports_is_there(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("mqbridge"):
            assert node.module is not None
            module = import_module(node.module)
            for name in (alias.name for alias in node.names):
                assert hasattr(module, name) or find_spec(f"{node.module}.{name}"), f"{node.module} has no {name}"
        elif isinstance(node, ast.Import):
            for name in (alias.name for alias in node.names if alias.name.startswith("mqbridge")):
                assert find_spec(name), name
