"""Classes are made of parts: a class of ours inherits from one other at most, no base has a single child, and no public
class has more than 25 methods of its own.

Protocols, exceptions, enums and NamedTuples do not count, nor bases that only say what values have in common.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import NamedTuple

from support.project.syntax import trees

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


class Class(NamedTuple):
    """A class. ``value``: it holds values and no behaviour of a tower, a record; ``methods``: how many of its own."""

    file: str
    name: str
    bases: list[str]
    value: bool
    methods: int

    @property
    def own_bases(self) -> list[str]:
        """Bases that are classes of ours and count."""
        code = read()
        others = code.exceptions, code.foreign[self.file]
        return [name for name in self.bases if name in code.ours and not any(name in those for those in others)]


class Code(NamedTuple):
    """All classes, and names: those from elsewhere by file, protocols, our classes and exceptions."""

    classes: list[Class]
    foreign: dict[str, set[str]]
    protocols: set[str]
    ours: set[str]
    exceptions: set[str]


def foreign_names(tree: ast.Module) -> set[str]:
    """Names that a file imports from packages that are not ours."""
    return {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and not node.level and not (node.module or "").startswith("mqbridge")
        for alias in node.names
    }


@cache
def read() -> Code:
    """Everything that is looked at, of all rooms."""
    classes, foreign = [], {}
    for file, tree in trees(file for room in ROOMS for file in sorted((HOME / room).rglob("*.py"))):
        name = file.relative_to(HOME).as_posix()
        foreign[name] = foreign_names(tree)
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                value = any("dataclass" in ast.unparse(each) for each in node.decorator_list)
                methods = sum(isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef) for each in node.body)
                classes.append(Class(name, node.name, base_names(node), value, methods))
    protocols = {each.name for each in classes if "Protocol" in each.bases}
    ours = {each.name for each in classes} - protocols
    return Code(classes, foreign, protocols, ours, exceptions(classes))


def exceptions(classes: list[Class]) -> set[str]:
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
        more = {each.name for each in classes if set(each.bases) & found} - found
        if not more:
            return found
        found |= more


def test_no_class_inherits_from_several_of_ours() -> None:
    found = {each.name for each in read().classes if len(each.own_bases) > 1}
    assert found <= SEVERAL_BASES


def test_no_base_has_a_single_child() -> None:
    classes = read().classes
    children = defaultdict(set)
    for each in classes:
        for base in each.own_bases:
            children[base].add((each.file, each.name))
    values = {each.name for each in classes if each.value}
    assert {base for base, those in children.items() if len(those) == 1 and base not in values} <= SINGLE_CHILDREN


def test_no_public_class_has_too_many_methods() -> None:
    code = read()
    found = {
        each.name: each.methods
        for each in code.classes
        if each.methods > MAX_METHODS and not each.name.startswith("_") and each.name not in code.protocols
    }
    assert all(count <= MANY_METHODS.get(name, 0) for name, count in found.items()), found
