"""Write the tables of ``everyplace.md`` that come from rows: ``python docs/write_everyplace_tables.py``."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path
from typing import Any

from construct import Struct

from mqbridge.bridge.everyplace.administration.actions import Action
from mqbridge.bridge.everyplace.administration.connection import ConnectionResource
from mqbridge.bridge.everyplace.administration.listener import ListenerResource
from mqbridge.bridge.everyplace.administration.manager import PROPERTIES as MANAGER
from mqbridge.bridge.everyplace.administration.manager import ManagerResource
from mqbridge.bridge.everyplace.administration.queue import actions_of
from mqbridge.bridge.everyplace.administration.vocabulary import text_of
from mqbridge.bridge.everyplace.definitions.bridge_properties import AFFECT_CHILDREN
from mqbridge.bridge.everyplace.definitions.bridge_properties import PROPERTIES as BRIDGE_ROWS
from mqbridge.bridge.everyplace.definitions.connection_definition import PROPERTIES as CONNECTIONS
from mqbridge.bridge.everyplace.definitions.listener_definition import PROPERTIES as LISTENERS
from mqbridge.bridge.everyplace.definitions.properties import Property
from mqbridge.bridge.everyplace.definitions.queue_kinds import QueueKind
from mqbridge.bridge.everyplace.definitions.queue_properties import PROPERTIES as QUEUES
from mqbridge.protocol.everyplace.errors import Code
from mqbridge.protocol.everyplace.frames import Kind
from mqbridge.protocol.everyplace.grammars.frames import BODIES
from mqbridge.protocol.everyplace.transitions import ANSWERS

PAGE = Path(__file__).with_name("everyplace.md")
BEGIN, END = "<!-- table of {name} -->\n", "<!-- end -->\n"
_HEAD = "| option | field | type | default | altered |"


def _properties(rows: Iterable[Property]) -> str:
    """A table of properties; of queues with the kinds that have them."""
    rows, every = list(rows), frozenset(QueueKind)
    of_queues = any(row.queues != every for row in rows)
    lines = [_HEAD, "| --- | --- | --- | --- | --- |"]
    if of_queues:
        lines = [f"{lines[0]} queues |", f"{lines[1]} --- |"]
    for row in rows:
        default = text_of(row, row.default)
        kinds = "all" if row.queues == every else ", ".join(each.value for each in QueueKind if each in row.queues)
        altered = f"{row.alterable.value}; never given back" if row.secret else row.alterable.value
        cells = [f"`--{row.option}`", f"`{row.field}`", row.type.word, f"`{default}`" if default else "", altered]
        lines.append("| " + " | ".join([*cells, kinds] if of_queues else cells) + " |")
    return "\n".join(lines) + "\n"


def _bridge_properties() -> str:
    """A table of properties of bridge objects, with the kinds that have them."""
    lines = ["| option | field | type | default | altered | objects |", "| --- | --- | --- | --- | --- | --- |"]
    for row in dict.fromkeys(row for rows in BRIDGE_ROWS.values() for row in rows):
        default = text_of(row, row.default)
        kinds = [kind.value for kind, rows in BRIDGE_ROWS.items() if row in rows]
        altered = "in requests to start and delete" if row is AFFECT_CHILDREN else row.alterable.value
        cells = [
            f"`--{row.option}`",
            f"`{row.field}`",
            row.type.word,
            f"`{default}`" if default else "",
            f"{altered}; never given back" if row.secret else altered,
            "all" if len(kinds) == len(BRIDGE_ROWS) else ", ".join(kinds),
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def _actions() -> str:
    """A table of classes and what each can do."""
    found = {kind.value: actions_of(kind.value) for kind in QueueKind}
    found |= {each.name: each.actions for each in (ConnectionResource, ListenerResource, ManagerResource)}
    words = {name: ", ".join(each.word for each in Action if each in those) for name, those in found.items()}
    lines = [f"| `{name}` | {those} |" for name, those in words.items()]
    return "\n".join(["| class | actions |", "| --- | --- |", *lines]) + "\n"


def _errors() -> str:
    """A table of codes: their numbers, and what is said below each."""
    source = ast.parse(inspect.getsource(Code)).body[0]
    assert isinstance(source, ast.ClassDef)
    lines = ["| number | code | meaning |", "| --- | --- | --- |"]
    for member, text in pairwise(source.body):
        if isinstance(member, ast.Assign):
            assert isinstance(member.targets[0], ast.Name)
            assert isinstance(text, ast.Expr), "each code has a text below it"
            assert isinstance(text.value, ast.Constant)
            name, meaning = member.targets[0].id, re.sub(r" \(E-\d+(, E-\d+)*\)", "", text.value.value)
            lines.append(f"| {Code[name]:d} | `{name}` | {meaning} |")
    return "\n".join(lines) + "\n"


def _frames() -> str:
    """A table of frames: who sends each, its body by the grammar, and the answers."""
    lines = ["| number | frame | body | answered by |", "| --- | --- | --- | --- |"]
    first = {Kind.HELLO: (Kind.CHALLENGE, Kind.READY), Kind.PROOF: (Kind.READY,)}
    for kind in Kind:
        answers = first.get(kind) or sorted(ANSWERS.get(kind, ()))
        names = ", ".join(filter(None, map(_field, BODIES[kind].subcons)))
        said = f"{', '.join(each.name for each in answers)}, ERROR" if answers else ""
        lines.append(f"| {kind:d} | `{kind.name}` | {names} | {said} |")
    return "\n".join(lines) + "\n"


def _field(part: Any) -> str:
    """The name of a part of a body; empty for what only checks."""
    if isinstance(part, Struct):
        return ", ".join(filter(None, map(_field, part.subcons)))
    return str(part.name or "").replace("_", " ")


TABLES = {
    "frames": _frames,
    "errors": _errors,
    "properties of queues": lambda: _properties(QUEUES),
    "properties of connections": lambda: _properties(CONNECTIONS),
    "properties of listeners": lambda: _properties(LISTENERS),
    "properties of a queue manager": lambda: _properties(MANAGER),
    "properties of bridge objects": _bridge_properties,
    "actions": _actions,
}


def written(text: str, name: str) -> str:
    """The table that a page has. Raises ``ValueError`` where it has none."""
    begin = text.index(BEGIN.format(name=name)) + len(BEGIN.format(name=name))
    return text[begin : text.index(END, begin)]


def main() -> None:
    """Write all tables."""
    text = PAGE.read_text(encoding="utf-8")
    for name, table in TABLES.items():
        mark = BEGIN.format(name=name)
        text = text.replace(mark + written(text, name), mark + table())
    PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
