"""The imports of every file keep to the table of rooms in ``docs/architecture.md``."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from support.project.syntax import dotted, trees

HOME = Path(__file__).parents[2]
ARCHITECTURE = HOME / "docs" / "architecture.md"
PACKAGES = ("protocol", "mappings", "bridge", "captures")
FILES = sorted(
    [
        *(HOME / "mqbridge").glob("*.py"),
        *(HOME / "mqbridge" / "everyplace").glob("*.py"),
        *(file for package in PACKAGES for file in (HOME / package).rglob("*.py")),
    ]
)
OTHERS = sorted(file for folder in ("tests", "bench", "docs", "examples") for file in (HOME / folder).rglob("*.py"))
INSTALLED = "mqbridge."
"""In front of every room where it is imported."""

IMPORTERS = {"importlib.import_module", "import_module", "__import__"}
COMPUTED = "a computed name"


@dataclass
class Room:
    """One row of the table: what the room may import, and whether it is sans-IO."""

    name: str
    may_import: list[str]
    pure: bool


def read_rooms(text: str) -> dict[str, Room]:
    rooms = {}
    for row in re.findall(r"^\| `([\w.]+)` \|[^|]*\|([^|]*)\| (pure|all) \|$", text, re.MULTILINE):
        name, allowed, library = row
        rooms[name] = Room(name, re.findall(r"`([\w.]+)`", allowed), library == "pure")
    return rooms


def read_impure(text: str) -> list[str]:
    listed = re.search(r"They never import\n(.*?);", text, re.DOTALL)
    assert listed
    return re.findall(r"`([\w.]+)`", listed[1])


TEXT = ARCHITECTURE.read_text(encoding="utf-8")
ROOMS = read_rooms(TEXT)
IMPURE = read_impure(TEXT)


def within(module: str, names: list[str]) -> bool:
    return any(module == name or module.startswith(f"{name}.") for name in names)


def room_of(module: str) -> Room | None:
    """Return the row with the longest name that holds the module."""
    names = [name for name in ROOMS if within(module, [name])]
    return ROOMS[max(names, key=len)] if names else None


def module_name(file: Path) -> str:
    parts = list(file.relative_to(HOME).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(tree: ast.Module, module: str, is_package: bool) -> Iterator[tuple[int, str]]:
    """Yield line and full name of everything imported, wherever in the file; relative names made absolute."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                package = module.split(".")[: None if is_package else -1]
                base = ".".join([*package[: len(package) - node.level + 1], *([base] if base else [])])
            for alias in node.names:
                full = f"{base}.{alias.name}"
                yield node.lineno, full if is_module(full) else base
        elif isinstance(node, ast.Call) and dotted(node.func) in IMPORTERS:
            target = node.args[0]
            yield node.lineno, str(target.value) if isinstance(target, ast.Constant) else COMPUTED


def is_module(name: str) -> bool:
    place = HOME.joinpath(*name.split("."))
    return place.with_suffix(".py").exists() or (place / "__init__.py").exists() or name in IMPURE


def forbidden_import(room: Room, importer: str, imported: str) -> str:
    """Say what is wrong with an import, empty when nothing is."""
    top = imported.partition(".")[0]
    if imported == COMPUTED:
        return f"{importer} is pure, it may not import {imported}" if room.pure else ""
    if top in PACKAGES or top == "mqbridge":
        home = room_of(imported)
        if home is room or within(imported, room.may_import):
            return ""
        return f"{importer} ({room.name}) may not import {imported}"
    if top in sys.stdlib_module_names:
        return f"{importer} is pure, it may not import {imported}" if room.pure and within(imported, IMPURE) else ""
    return "" if within(imported, room.may_import) else f"{importer} ({room.name}) may not import {imported}"


def impure_use(node: ast.AST) -> str:
    """Name a use of clock, randomness or files that no import shows, empty for none."""
    if isinstance(node, ast.Attribute):
        name = dotted(node)
        if re.fullmatch(r"random\.(?!Random$)\w+", name) or name in {"uuid.uuid1", "uuid.uuid4"}:
            return name
        if re.fullmatch(r"(datetime\.)?(datetime|date)\.(now|utcnow|today)", name):
            return name
    elif isinstance(node, ast.Call) and dotted(node.func) in {"open", "print", "input"}:
        return f"{dotted(node.func)}()"
    elif isinstance(node, ast.Call) and dotted(node.func) in {"random.Random", "Random"} and not node.args:
        return "a random.Random without seed"
    elif isinstance(node, ast.ImportFrom) and node.module == "random" and [a.name for a in node.names] != ["Random"]:
        return "from random import"
    return ""


def faults(file: Path) -> list[str]:
    module = module_name(file)
    room = room_of(module)
    if room is None:
        return [f"{module} belongs to no room of the table"]
    tree = ast.parse(file.read_text(encoding="utf-8"))
    found = []
    for line, name in imports(tree, module, file.name == "__init__.py"):
        imported = name.removeprefix(INSTALLED)
        if wrong := forbidden_import(room, f"{file.relative_to(HOME)}:{line}", imported):
            found.append(wrong)
    if room.pure:
        for node in ast.walk(tree):
            if wrong := impure_use(node):
                found.append(f"{file.relative_to(HOME)}:{getattr(node, 'lineno', 0)} is pure, it may not use {wrong}")
    return found


BARE = rf"(?:\b(?:import|from)[\s\\]+|,[\s\\]*)(?:{'|'.join(PACKAGES)})\b"
"""What a text has that imports a room so; others may have it too."""


def bare_imports(files: Iterable[Path]) -> list[str]:
    """Imports of a room that leave out the package in which it is installed."""
    found = []
    for file, tree in trees(files, BARE):
        names = []
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                names += [(node.lineno, alias.name) for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names.append((node.lineno, node.module))
        found += [f"{file.relative_to(HOME)}:{line} {name}" for line, name in names if within(name, list(PACKAGES))]
    return found


def test_no_file_imports_a_room_by_its_bare_name() -> None:
    assert bare_imports((*FILES, *OTHERS)) == []


def test_a_bare_import_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{__name__}.HOME", tmp_path)
    file = tmp_path / "some.py"
    file.write_text("def f():\n    from protocol import errors\nimport a,bridge.cli\nimport mqbridge.bridge\n")
    assert bare_imports([file]) == ["some.py:3 bridge.cli", "some.py:2 protocol"]


@pytest.mark.parametrize("package", [*PACKAGES, "mqbridge"])
def test_a_room_imports_only_what_the_table_allows(package: str) -> None:
    inside = [file for file in FILES if within(module_name(file), [package])]
    found = list(dict.fromkeys(fault for file in inside for fault in faults(file)))
    assert not found, "\n".join(found)


def test_the_table_was_read() -> None:
    assert {*PACKAGES, "mqbridge", "bridge.store", "bridge.queue_manager", "bridge.agents"} <= set(ROOMS)
    assert [name for name, room in ROOMS.items() if room.pure] == [
        "protocol",
        "mappings",
        "mappings.templates",
        "bridge.security",
        "bridge.queue_manager",
        "bridge.agents",
        "protocol.everyplace",
        "protocol.everyplace.grammars",
        "bridge.everyplace",
        "bridge.agents.everyplace",
        "captures.learning",
    ]
    assert {"socket", "select", "threading", "time"} <= set(IMPURE)


@pytest.mark.parametrize(
    ("importer", "imported"),
    [
        ("protocol.framing", "mappings.message"),
        ("protocol.framing", "twisted.internet"),
        ("protocol.framing", "socket"),
        ("protocol.framing", "urllib.request"),
        ("mappings.mq", "bridge.queue_manager"),
        ("mappings.mq", "lmdb"),
        ("bridge.store.disk", "protocol.errors"),
        ("bridge.security.login", "bridge.security.users_file"),
        ("bridge.security.channel_rules", "bridge.queue_manager.objects"),
        ("bridge.store.disk", "bridge.queue_manager.queues.local_queue"),
        ("bridge.queue_manager.putting.put", "protocol.channel"),
        ("bridge.queue_manager.putting.put", "bridge.store.memory"),
        ("bridge.queue_manager.putting.put", "time"),
        ("bridge.agents.sender", "bridge.endpoints"),
        ("bridge.endpoints.listener", "bridge.queue_manager"),
        ("captures.streams.reassembly", "bridge.config"),
        ("bridge.config.reader", "twisted.python"),
    ],
)
def test_a_door_that_is_shut_is_found(importer: str, imported: str) -> None:
    room = room_of(importer)
    assert room
    assert forbidden_import(room, importer, imported)


@pytest.mark.parametrize(
    ("importer", "imported"),
    [
        ("protocol.framing", "protocol.errors"),
        ("protocol.framing", "urllib.parse"),
        ("mappings.mq", "protocol.constants"),
        ("bridge.queue_manager.putting.put", "bridge.store.interface"),
        ("bridge.queue_manager.putting.put", "protocol.constants.encodings"),
        ("bridge.agents.sender", "bridge.queue_manager.putting.put"),
        ("bridge.cli.decode", "captures.reading.packets"),
        ("bridge.service", "bridge.endpoints.listener"),
        ("bridge.store.disk", "threading"),
    ],
)
def test_a_door_that_is_open_is_passed(importer: str, imported: str) -> None:
    room = room_of(importer)
    assert room
    assert not forbidden_import(room, importer, imported)


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("import a.b", ["a.b"]),
        ("def f():\n    import lmdb", ["lmdb"]),
        ("from . import errors", ["protocol.errors"]),
        ("from .errors import ProtocolError", ["protocol.errors"]),
        ("from .. import x", [""]),
        ("if TYPE_CHECKING:\n    from bridge import config", ["bridge.config"]),
        ("import importlib\nimportlib.import_module('socket')", ["importlib", "socket"]),
        ("from urllib import request", ["urllib.request"]),
    ],
)
def test_imports_are_read_wherever_they_stand(source: str, names: list[str]) -> None:
    assert [name for _, name in imports(ast.parse(source), "protocol.framing", False)] == names


@pytest.mark.parametrize(
    "source",
    [
        "random.random()",
        "random.Random()",
        "from random import choice",
        "datetime.now()",
        "datetime.datetime.utcnow()",
        "date.today()",
        "open('x')",
        "print(1)",
        "uuid.uuid4()",
    ],
)
def test_hidden_clocks_dice_and_files_are_found(source: str) -> None:
    assert any(impure_use(node) for node in ast.walk(ast.parse(source)))


@pytest.mark.parametrize(
    "source", ["random.Random(5)", "def f(dice: random.Random): dice.random()", "datetime.fromtimestamp(now)"]
)
def test_what_is_handed_in_may_be_used(source: str) -> None:
    assert not any(impure_use(node) for node in ast.walk(ast.parse(source)))
