"""Classes are made of parts: a class of ours inherits from one other at most, no base has a single child, and no public
class has more than 25 methods of its own.

Protocols, exceptions, enums and NamedTuples do not count, nor bases that only say what values have in common.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

HOME = Path(__file__).parents[2]
ROOMS = ("protocol", "mappings", "bridge", "captures")
MAX_METHODS = 25
SEVERAL_BASES: set[str] = set()
"""Classes that still inherit from several of ours."""
SINGLE_CHILDREN: set[str] = {"Fields"}
"""Bases that have a single child here: the child is what the base is (mqe.md 3: a message is a fields object)."""
MANY_METHODS: dict[str, int] = {}
"""Public classes that still have more methods, and how many."""


def base_names(node: ast.ClassDef) -> list[str]:
    """Names of the bases, without what they are parametrised with and where they come from."""
    names = []
    for base in node.bases:
        plain = base.value if isinstance(base, ast.Subscript) else base
        names.append(plain.attr if isinstance(plain, ast.Attribute) else getattr(plain, "id", ""))
    return names


def is_value(node: ast.ClassDef) -> bool:
    """Whether a class holds values and no behaviour of a tower: a record."""
    return any("dataclass" in ast.unparse(each) for each in node.decorator_list)


def foreign_names(tree: ast.Module) -> set[str]:
    """Names that a file imports from packages that are not ours."""
    return {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and not node.level and not (node.module or "").startswith("mqbridge")
        for alias in node.names
    }


FILES = {
    file.relative_to(HOME).as_posix(): ast.parse(file.read_text(encoding="utf-8"))
    for room in ROOMS
    for file in sorted((HOME / room).rglob("*.py"))
}
FOREIGN = {name: foreign_names(tree) for name, tree in FILES.items()}
CLASSES = [(name, node) for name, tree in FILES.items() for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
PROTOCOLS = {node.name for _, node in CLASSES if "Protocol" in base_names(node)}
OURS = {node.name for _, node in CLASSES} - PROTOCOLS


def exceptions() -> set[str]:
    found = {
        "Exception",
        "ValueError",
        "ImportError",
        "OSError",
        "LookupError",
        "KeyError",
        "TypeError",
        "RuntimeError",
    }
    while True:
        more = {node.name for _, node in CLASSES if set(base_names(node)) & found} - found
        if not more:
            return found
        found |= more


EXCEPTIONS = exceptions()


def own_bases(file: str, node: ast.ClassDef) -> list[str]:
    """Bases that are classes of ours and count."""
    return [name for name in base_names(node) if name in OURS - EXCEPTIONS - FOREIGN[file]]


def test_no_class_inherits_from_several_of_ours() -> None:
    found = {node.name for file, node in CLASSES if len(own_bases(file, node)) > 1}
    assert found <= SEVERAL_BASES


def test_no_base_has_a_single_child() -> None:
    children = defaultdict(set)
    for file, node in CLASSES:
        for base in own_bases(file, node):
            children[base].add((file, node.name))
    values = {node.name for _, node in CLASSES if is_value(node)}
    assert {base for base, those in children.items() if len(those) == 1 and base not in values} <= SINGLE_CHILDREN


def test_no_public_class_has_too_many_methods() -> None:
    found = {}
    for _, node in CLASSES:
        count = sum(isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef) for each in node.body)
        if count > MAX_METHODS and not node.name.startswith("_") and node.name not in PROTOCOLS:
            found[node.name] = count
    assert all(count <= MANY_METHODS.get(name, 0) for name, count in found.items()), found
