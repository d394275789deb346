"""The modules that are compiled: patterns that match, and what compiled code cannot do (`packaging/compiling.py`)."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

HOME = Path(__file__).parents[2]
PACKAGE = HOME / "mqbridge"


def patterns(name: str) -> list[str]:
    """A tuple of `packaging/compiling.py`, read without importing mypyc."""
    tree = ast.parse((HOME / "packaging" / "compiling.py").read_text())
    (value,) = (
        node.value for node in tree.body if isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == name
    )
    assert value is not None
    found: list[str] = ast.literal_eval(value)
    return list(found)


def compiled() -> Iterator[Path]:
    left = patterns("INTERPRETED")
    for pattern in patterns("COMPILED"):
        yield from (path for path in PACKAGE.glob(pattern) if not any(path.match(each) for each in left))


@pytest.mark.parametrize("pattern", [*patterns("COMPILED"), *patterns("INTERPRETED")])
def test_each_pattern_names_a_module(pattern: str) -> None:
    assert next(PACKAGE.glob(pattern.removeprefix("*/") if pattern.startswith("*/") else pattern), None) is not None


def test_records_name_no_type_that_only_a_type_checker_imports() -> None:
    """A compiled dataclass looks its types up when its module is loaded, and finds no memory where there is none."""
    found = []
    for path in compiled():
        tree = ast.parse(path.read_text())
        unseen = {
            alias.asname or alias.name
            for block in tree.body
            if isinstance(block, ast.If) and ast.unparse(block.test) == "TYPE_CHECKING"
            for imported in block.body
            if isinstance(imported, ast.ImportFrom)
            for alias in imported.names
        }
        for record in tree.body:
            if not isinstance(record, ast.ClassDef) or not _is_record(record):
                continue
            for line in record.body:
                if isinstance(line, ast.AnnAssign) and unseen & set(re.findall(r"\w+", ast.unparse(line.annotation))):
                    found.append(f"{path.relative_to(PACKAGE)}: {record.name}.{ast.unparse(line.target)}")
    assert found == []


def _is_record(node: ast.ClassDef) -> bool:
    return any("dataclass" in ast.unparse(each) for each in node.decorator_list) or any(
        ast.unparse(base) == "NamedTuple" for base in node.bases
    )
