"""There is one way for the queue manager to put a message itself, and it asks with whose authority (docs/security.md).

``placing.place`` is the only code that adds a message to a queue. Those who call it are the put of programs
(``calls/puts``), channels and operators, whose right to put was asked for before, and ``on_behalf``, which
asks for everything else. A new caller must be thought about and named here.
"""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from support.project.syntax import dotted, trees

HOME = Path(__file__).parents[2]
BRIDGE = HOME / "bridge"
INSTALLED = "mqbridge."
PUTTING = "bridge/queue_manager/putting"

CALLERS = {
    "bridge.queue_manager.putting.placing.place": {
        f"{PUTTING}/put.py",
        f"{PUTTING}/segmentation.py",
        f"{PUTTING}/on_behalf.py",
    },
    "bridge.queue_manager.putting.on_behalf.put_own": {
        f"{PUTTING}/delivery_delay.py",
        "bridge/queue_manager/pubsub/retained.py",
    },
    "bridge.queue_manager.putting.segmentation.place_segments": {f"{PUTTING}/put.py"},
    "bridge.queue_manager.putting.put.put": {
        "bridge/queue_manager/calls/channels.py",
        f"{PUTTING}/handle_put.py",
        f"{PUTTING}/delivery_delay.py",
    },
    "bridge.queue_manager.putting.handle_put.put_message": {
        "bridge/queue_manager/calls/puts.py",
    },
}
"""Who may import what adds a message somewhere."""
MAKERS = {
    "UncommittedPut": {f"{PUTTING}/placing.py", "bridge/queue_manager/xa/branches.py"},
    "AddMessage": {
        "bridge/queue_manager/committing.py",
        "bridge/everyplace/queues/held_messages.py",
        "bridge/everyplace/transfer/parts_in.py",  # parts, which are on no queue
    },
}
"""Who may make what becomes a message on a queue; the store aside, which keeps what it was given."""
ELSEWHERE = ("bridge/cli/", "bridge/client/")
"""Whose queue manager is at the other end of a connection."""


CALLED = {*MAKERS, "put", "put_message", "publish", "put_later", "PutOptions", "ConnectOptions", "RestProgram"}
"""Names of functions and methods whose calls are looked at."""


class File(NamedTuple):
    """What is looked at in a file: what it imports from modules, the modules it imports whole, and its calls."""

    name: str
    imported: set[str]
    whole: set[str]
    calls: list[ast.Call]


@cache
def files() -> list[File]:
    return [read(file.relative_to(HOME).as_posix(), tree) for file, tree in trees(sorted(BRIDGE.rglob("*.py")))]


def read(name: str, tree: ast.Module) -> File:
    package = name.removesuffix(".py").replace("/", ".").split(".")
    found = File(name, set(), set(), [])
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                base = ".".join([*package[: len(package) - node.level], *([base] if base else [])])
            found.imported.update(f"{base}.{alias.name}".removeprefix(INSTALLED) for alias in node.names)
        elif isinstance(node, ast.Import):
            found.whole.update(alias.name.removeprefix(INSTALLED) for alias in node.names)
        elif isinstance(node, ast.Call) and (function(node) or method(node)) in CALLED:
            found.calls.append(node)
    return found


def function(call: ast.Call) -> str:
    """Name of the function that is called, empty where it is none."""
    return call.func.id if isinstance(call.func, ast.Name) else ""


def method(call: ast.Call) -> str:
    """Name of the method that is called, empty where it is none."""
    return call.func.attr if isinstance(call.func, ast.Attribute) else ""


def importers(wanted: str) -> set[str]:
    return {file.name for file in files() if wanted in file.imported}


@pytest.mark.parametrize("what", CALLERS)
def test_what_adds_a_message_is_called_by_those_who_ask(what: str) -> None:
    assert importers(what) == CALLERS[what]


@pytest.mark.parametrize("what", MAKERS)
def test_messages_are_made_by_what_places_them(what: str) -> None:
    found = {file.name for file in files() for call in file.calls if function(call) == what}
    assert {name for name in found if not name.startswith("bridge/store/")} == MAKERS[what]


@pytest.mark.parametrize("module", ["placing", "on_behalf", "put", "segmentation", "handle_put"])
def test_nobody_takes_these_modules_whole(module: str) -> None:
    """Who had the module could call what it likes without being seen above."""
    whole = f"bridge.queue_manager.putting.{module}"
    assert importers(whole) == set()
    assert not [file.name for file in files() if whole in file.whole]


def _is_manager(node: ast.expr) -> bool:
    return (isinstance(node, ast.Name) and node.id in ("manager", "queue_manager")) or (
        isinstance(node, ast.Attribute) and node.attr in ("manager", "_manager", "queue_manager")
    )


def test_nobody_puts_but_through_a_session() -> None:
    found = {
        file.name
        for file in files()
        if not file.name.startswith(ELSEWHERE)
        for call in file.calls
        if isinstance(call.func, ast.Attribute)
        and call.func.attr in ("put", "put_message")
        and _is_manager(call.func.value)
    }
    assert found == set()


def test_publishing_and_delaying_are_reached_through_a_put() -> None:
    reached = {"publish": f"{PUTTING}/put.py", "put_later": f"{PUTTING}/handle_put.py"}
    for word, place in reached.items():
        found = {
            file.name
            for file in files()
            for call in file.calls
            if isinstance(call.func, ast.Attribute) and call.func.attr == word and dotted(call.func.value) == "core"
        }
        assert found == {place}


UNCHECKED = {
    "bridge/agents/command_server/server.py": "its own gets; each answer is put for the user who gave the command",
}
"""Who may open a session for which the authorities of its user do not count."""


def calls_without(what: str, keyword: str) -> set[str]:
    """Files that call a function without a keyword, or with False for it."""
    return {
        file.name
        for file in files()
        if not file.name.startswith(ELSEWHERE)
        for call in file.calls
        if function(call) == what
        and not any(each.arg == keyword and ast.unparse(each.value) != "False" for each in call.keywords)
    }


def test_whoever_puts_says_with_whose_authority() -> None:
    assert calls_without("PutOptions", "authority") == set()


def test_whoever_opens_a_session_says_whether_authorities_count() -> None:
    assert calls_without("ConnectOptions", "checked") == set(UNCHECKED)
    assert calls_without("RestProgram", "checked") == set()
