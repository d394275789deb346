"""The rooms that are to be compiled by mypyc hold plain classes: nothing that is made by ``exec``, no attributes that
are looked up by code, no classes that extend builtins. What still differs is named here, and may only become less.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from pathlib import Path

from support.project.syntax import dotted, trees

HOME = Path(__file__).parents[2]
ROOMS = ("protocol", "bridge/queue_manager", "bridge/agents")
LEFT = {
    ("protocol/dissection/quick_layouts.py", "class Texts(dict)"),  # a look-up in C for each text of a capture
    ("protocol/channel/__init__.py", "__getattr__"),  # of a module: names of the machines come when asked for
    ("protocol/constants/__init__.py", "__getattr__"),
    ("protocol/mqi/__init__.py", "__getattr__"),
}
BUILTINS = {name for name, value in vars(builtins).items() if isinstance(value, type)}
EXTENDED = {
    name for name, value in vars(builtins).items() if isinstance(value, type) and issubclass(value, BaseException)
} | {"object", "type"}
DESCRIPTORS = {"__getattr__", "__getattribute__", "__get__", "__set__", "__set_name__"}


def called(node: ast.Call) -> str | None:
    """What of the forbidden calls this is."""
    name = dotted(node.func)
    if name in ("exec", "eval") or (name == "type" and len(node.args) > 1):
        return name
    return None


def oddities(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and (name := called(node)):
            yield name
        elif isinstance(node, ast.Attribute) and dotted(node) == "object.__new__":
            yield "object.__new__"
        elif isinstance(node, ast.FunctionDef) and node.name in DESCRIPTORS:
            yield node.name
        elif isinstance(node, ast.ClassDef):
            bases = [base.value if isinstance(base, ast.Subscript) else base for base in node.bases]
            names = [ast.unparse(base) for base in bases]
            for name in names:
                if name in BUILTINS - EXTENDED and not {"Enum", "IntEnum", "StrEnum"} & set(names):
                    yield f"class {node.name}({name})"
            if names == ["type"] or any(each.arg == "metaclass" for each in node.keywords):
                yield f"metaclass of {node.name}"


def test_classes_are_plain_but_for_those_named() -> None:
    found = {
        (file.relative_to(HOME).as_posix(), oddity)
        for room in ROOMS
        for file, tree in trees((HOME / room).rglob("*.py"))
        for oddity in oddities(tree)
    }
    assert found == LEFT
