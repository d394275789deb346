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


def test_generator_expressions_are_used_up_where_they_stand() -> None:
    """Compiled code makes lists of them, so one that is kept or returned would be read at once, and whole."""
    found = []
    for path in compiled():
        tree = ast.parse(path.read_text())
        arguments = {id(each) for call in ast.walk(tree) if isinstance(call, ast.Call) for each in call.args}
        found += [
            f"{path.relative_to(PACKAGE)}:{node.lineno}"
            for node in ast.walk(tree)
            if isinstance(node, ast.GeneratorExp) and id(node) not in arguments
        ]
    assert found == []


def test_the_bounds_of_a_slice_change_nothing() -> None:
    """Compiled code may evaluate them twice."""
    found = [
        f"{path.relative_to(PACKAGE)}:{node.lineno}"
        for path in compiled()
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Slice)
        for bound in (node.lower, node.upper, node.step)
        for part in ast.walk(bound or node)
        if isinstance(part, ast.NamedExpr | ast.Await | ast.Yield)
        or (isinstance(part, ast.Call) and ast.unparse(part.func).split(".")[-1] not in ("len", "min", "max", "index"))
    ]
    assert found == []


def test_a_time_that_is_handed_on_keeps_its_date() -> None:
    """Compiled code makes a bare number of a `Moment` that is declared as ``float``; `protocol` knows no dates."""
    found = []
    for path in compiled():
        if path.is_relative_to(PACKAGE / "protocol"):
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.arg) and node.arg == "now" and "float" in ast.unparse(node.annotation or node):
                found.append(f"{path.relative_to(PACKAGE)}:{node.lineno}")
            elif isinstance(node, ast.Subscript) and ast.unparse(node.value) == "Generator":
                _, sent, _ = node.slice.elts if isinstance(node.slice, ast.Tuple) else (None, None, None)
                if sent is not None and ast.unparse(sent) == "float":
                    found.append(f"{path.relative_to(PACKAGE)}:{node.lineno}")
    assert found == []


def test_interpreted_classes_are_no_children_of_compiled_ones() -> None:
    """Python refuses to make an instance of such a class, unless its base says that it may be so derived."""
    bases = {
        (path.relative_to(HOME).with_suffix("").as_posix().replace("/", "."), node.name)
        for path in compiled()
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.ClassDef)
        and not any(ast.unparse(base) == "Protocol" for base in node.bases)
        and not any("allow_interpreted_subclasses" in ast.unparse(each) for each in node.decorator_list)
    }
    found = []
    rooms = [*PACKAGE.glob("*/")]  # links, which `rglob` does not follow
    for path in {path for room in rooms for path in room.rglob("*.py")} - {*compiled()}:
        tree = ast.parse(path.read_text())
        imported = {
            alias.asname or alias.name: (node.module, alias.name)
            for node in tree.body
            if isinstance(node, ast.ImportFrom) and node.module is not None
            for alias in node.names
        }
        found += [
            f"{path.relative_to(PACKAGE)}: {node.name}({ast.unparse(base)})"
            for node in ast.walk(tree)
            if isinstance(node, ast.ClassDef)
            for base in node.bases
            if imported.get(ast.unparse(base)) in bases
        ]
    assert found == []


def _is_record(node: ast.ClassDef) -> bool:
    return any("dataclass" in ast.unparse(each) for each in node.decorator_list) or any(
        ast.unparse(base) == "NamedTuple" for base in node.bases
    )
