"""A description as Construct grammars, in the style of ``protocol/structures``."""

from __future__ import annotations

import json
import keyword
import re
from collections.abc import Iterator
from typing import Final

from mqbridge.mappings.templates import Protocol, Transaction
from mqbridge.mappings.templates.fields import Field, Size, SizeFrom
from mqbridge.mappings.templates.layout import Piece
from mqbridge.mappings.templates.types.numbers import Base128, Float, Integer
from mqbridge.mappings.templates.types.times import BinaryTime
from mqbridge.protocol.fields import snake_case

_ROW: Final = 16
"""Constant bytes of a field at most."""
_SIZES: Final = {1: "Int8", 2: "Int16", 4: "Int32", 8: "Int64"}
_LINE: Final = 120
_INDENT: Final = " " * 8


def grammar(protocol: Protocol) -> str:
    """Return a module with a `Structure` for each transaction."""
    bodies = [_Grammar(each) for each in protocol.transactions.values()]
    used = sorted({"Struct", *(name for body in bodies for name in body.constructs)}, key=_import_order)
    helpers = sorted({"Numbers", *(name for body in bodies for name in body.helpers)}, key=_import_order)
    names = [body.constant for body in bodies]
    listed = "".join(f"    {name},\n" for name in names)
    return "\n\n\n".join(
        [
            f'"""Messages of {_plain(protocol.name)}: a draft by mqbridge protocol learn."""\n\n'
            "from __future__ import annotations\n\n"
            "from typing import Any, Final\n\n"
            f"{_imports('construct', used)}\n\n"
            f"{_imports('mqbridge.protocol.fields', helpers)}\n"
            "from mqbridge.protocol.grammar import Structure",
            *(body.text for body in bodies),
            f"MESSAGES: Final = (\n{listed})\n",
        ]
    )


class _Grammar:
    """The grammar of one transaction. ``constructs``, ``helpers``: names that it needs; ``constant``: its own."""

    def __init__(self, transaction: Transaction) -> None:
        self.constructs: set[str] = set()
        self.helpers: set[str] = set()
        self.constant = re.sub(r"\W", "_", transaction.name).upper()
        function = f"_{self.constant.lower()}"
        lines = [line for piece in self._pieces(transaction) for line in piece]
        body = "".join(f"{_INDENT}{line}\n" for line in lines)
        name = json.dumps(transaction.name)
        about = _plain(transaction.description) or f"From the {transaction.sender}"
        self.text = (
            f"def {function}(_n: Numbers) -> Any:\n    return Struct(\n{body}    )\n\n\n"
            f'{self.constant} = Structure({name}, {function})\n"""{about}."""'
        )

    def _pieces(self, transaction: Transaction) -> Iterator[list[str]]:
        layout = transaction.layout
        tail = [piece.key for piece in layout.tail]
        for piece in (*layout.head, *layout.middle):
            if piece.field is None:
                yield self._constant(piece)
            elif piece.field.length is Size.REST:
                self.constructs.add("GreedyBytes")
                meaning = _meaning(piece.field) + (f", and at its end {', '.join(tail)}" if tail else "")
                yield [self._call("part", piece.field.name, "GreedyBytes", meaning, 'kind="bytes"')]
                return
            else:
                yield [self._field(piece.field)]
        for piece in layout.tail:
            assert piece.field is not None, "the tail has fields alone"
            yield [self._field(piece.field)]

    def _constant(self, piece: Piece) -> list[str]:
        lines = []
        for at in range(0, piece.size, _ROW):
            data = piece.bytes[at : at + _ROW]
            value = f'default=bytes.fromhex("{data.hex()}")'
            lines.append(self._call("raw", f"Bytes{piece.offset + at}", str(len(data)), "constant", value))
        return lines

    def _field(self, field: Field) -> str:
        length = field.length
        kind = field.type
        if isinstance(kind, Base128):
            if kind.order == "little" and length is Size.OWN:
                self.constructs.add("VarInt")
                return self._call("part", field.name, "VarInt", _meaning(field), 'kind="int"')
        elif isinstance(length, int) and isinstance(kind, (Integer, BinaryTime)):
            signed = isinstance(kind, Integer) and kind.signed
            return self._call(
                "part", field.name, self._integer(length, kind.order, signed), _meaning(field), 'kind="int"'
            )
        elif isinstance(length, int) and isinstance(kind, Float):
            name = f"Float{8 * length}{kind.order[0]}"
            self.constructs.add(name)
            return self._call("part", field.name, name, _meaning(field))
        return self._call("char" if field.kind == "text" else "raw", field.name, self._length(field), _meaning(field))

    def _integer(self, length: int, order: str, signed: bool) -> str:
        if length in _SIZES:
            name = f"{_SIZES[length]}{'s' if signed else 'u'}{order[0]}"
            self.constructs.add(name)
            return name
        self.constructs.add("BytesInteger")
        return f"BytesInteger({length}, signed={signed}, swapped={order == 'little'})"

    def _length(self, field: Field) -> str:
        length = field.length
        if isinstance(length, SizeFrom):
            self.constructs.add("this")
            key = snake_case(_camel(length.field))
            text = f'this["{key}"]' if keyword.iskeyword(key) else f"this.{key}"
            text += f" * {length.unit}" if length.unit != 1 else ""
            return text + (f" {'+' if length.plus > 0 else '-'} {abs(length.plus)}" if length.plus else "")
        return str(length) if isinstance(length, int) else "1"

    def _call(self, helper: str, name: str, what: str, meaning: str, more: str = "") -> str:
        self.helpers.add(helper)
        end = f", {more})," if more else "),"
        start = f'{helper}("{_camel(name)}", {what}, '
        room = _LINE - len(_INDENT) - len(start) - len(end) - 2
        return f'{start}"{meaning[:room].rstrip()}"{end}'


def _camel(name: str) -> str:
    return "".join(part[:1].upper() + part[1:] for part in re.split(r"[^A-Za-z0-9]", name))


def _meaning(field: Field) -> str:
    return _plain(field.description) or field.kind


def _plain(text: str) -> str:
    """Return text that can stand in a string and a docstring: one line, without quotes and backslashes."""
    return " ".join("".join(each if each.isprintable() and each not in '"\\' else " " for each in text).split())


def _imports(module: str, names: list[str]) -> str:
    line = f"from {module} import {', '.join(names)}"
    if len(line) <= _LINE:
        return line
    return f"from {module} import (\n" + "".join(f"    {name},\n" for name in names) + ")"


def _import_order(name: str) -> list[tuple[bool, int, str]]:
    """Classes before others, numbers in names by their value."""
    parts = re.findall(r"[0-9]+|[^0-9]+", name)
    return [(name[:1].islower(), int(each) if each.isdigit() else 0, each) for each in parts]
