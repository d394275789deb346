"""No file imports, by whatever way, a file that imports it: names that only a type checker sees count as well.

A package's parents and the front door's names do not count.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from support.project.syntax import trees

HOME = Path(__file__).parents[2]
ROOMS = ("protocol", "mappings", "bridge", "captures")
INSTALLED = "mqbridge."


def module_name(file: Path) -> str:
    parts = file.relative_to(HOME).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


FILES = {module_name(file): file for room in ROOMS for file in (HOME / room).rglob("*.py")}


def imported(tree: ast.Module, package: str, known: Mapping[str, object]) -> Iterator[str]:
    """Names of the modules that a file of a package imports, wherever in the file."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.removeprefix(INSTALLED) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = (node.module or "").removeprefix(INSTALLED)
            if node.level:
                above = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*above, *([base] if base else [])])
            for alias in node.names:
                full = f"{base}.{alias.name}"
                yield full if full in known else base


def graph() -> dict[str, set[str]]:
    """Module → the modules that it imports, but for packages that it is in."""
    found = {}
    for file, tree in trees(FILES.values()):
        name = module_name(file)
        package = name if file.name == "__init__.py" else name.rpartition(".")[0]
        names = imported(tree, package, FILES)
        found[name] = {each for each in names if each in FILES and not f"{name}.".startswith(f"{each}.")}
    return found


def circles(edges: Mapping[str, set[str]]) -> list[set[str]]:
    """Sets of modules that reach one another (Tarjan's strongly connected components of more than one)."""
    index: dict[str, int] = {}
    lowest: dict[str, int] = {}
    stack: list[str] = []
    found = []

    def visit(name: str) -> None:
        index[name] = lowest[name] = len(index)
        stack.append(name)
        for other in edges[name]:
            if other not in index:
                visit(other)
                lowest[name] = min(lowest[name], lowest[other])
            elif other in stack:
                lowest[name] = min(lowest[name], index[other])
        if lowest[name] == index[name]:
            at = stack.index(name)
            together = set(stack[at:])
            del stack[at:]
            if len(together) > 1:
                found.append(together)

    for name in edges:
        if name not in index:
            visit(name)
    return found


def test_there_is_no_circle_of_imports() -> None:
    assert [sorted(circle) for circle in circles(graph())] == []


@pytest.mark.parametrize(
    ("edges", "expected"),
    [
        ({"a": {"b"}, "b": {"c"}, "c": set()}, []),
        ({"a": {"b"}, "b": {"a"}, "c": {"a"}}, [{"a", "b"}]),
        ({"a": {"b"}, "b": {"c"}, "c": {"a", "d"}, "d": {"e"}, "e": {"d"}}, [{"d", "e"}, {"a", "b", "c"}]),
    ],
)
def test_circles_are_found(edges: dict[str, set[str]], expected: list[set[str]]) -> None:
    assert circles(edges) == expected


def test_imports_that_only_a_type_checker_sees_count() -> None:
    source = (
        "if TYPE_CHECKING:\n    from mqbridge.protocol.framing import Segment\ndef f():\n    from ..errors import E\n"
    )
    assert list(imported(ast.parse(source), "protocol.mqi", FILES)) == ["protocol.framing", "protocol.errors"]
