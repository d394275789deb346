"""A description as a dissector for Wireshark and tshark: tables of the protocol in front of an engine in Lua.

It shows the fields that ``mqbridge decode --protocol`` shows, under names such as ``host.request.sequence``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any, Final

from mqbridge.mappings.templates import Protocol, Transaction
from mqbridge.mappings.templates.fields import Field, Size, SizeFrom
from mqbridge.mappings.templates.framing import (
    CloseFraming,
    DelimiterFraming,
    FixedFraming,
    Framing,
    LengthFraming,
)
from mqbridge.mappings.templates.layout import Piece
from mqbridge.mappings.templates.protocol import ROLES
from mqbridge.mappings.templates.recognising import weight
from mqbridge.mappings.templates.types.characters import Decimal, HexDigits, Text
from mqbridge.mappings.templates.types.numbers import Base128, Float, Integer, Packed
from mqbridge.mappings.templates.types.times import BinaryTime, PackedTime, TimeText

_PARTS: Final = re.compile(r"CCYY|YY|MM|DDD|DD|hh|mm|ss|ttt|th|t|.", re.DOTALL)
_WIDTHS: Final = {"CCYY": 4, "YY": 2, "MM": 2, "DDD": 3, "DD": 2, "hh": 2, "mm": 2, "ss": 2, "ttt": 3, "th": 2, "t": 1}


def dissector(protocol: Protocol, port: int = 0) -> str:
    """Return the dissector of a protocol. ``port``: of the responder; 0: to be chosen by "Decode As"."""
    codecs: set[str] = set()
    transactions = sorted(protocol.transactions.values(), key=lambda each: -weight(each))
    tables = {
        "name": protocol.name,
        "filter": filter_name(protocol.name),
        "port": port,
        "framing": {role: _framing(protocol.framing[role], codecs) for role in ROLES},
        "transactions": [_transaction(each, codecs) for each in transactions],
    }
    characters = {codec: table for codec in sorted(codecs) if (table := _characters(codec)) is not None}
    engine = (files(__package__) / "engine.lua").read_text(encoding="utf-8")
    head = f"-- Dissector of {_one_line(protocol.name)}, a draft by mqbridge protocol learn.\n"
    head += f"-- tshark -X lua_script:dissector.lua -d tcp.port==PORT,{tables['filter']} -r FILE\n"
    return f"{head}\nlocal PROTOCOL = {lua(tables)}\n\nlocal CHARACTERS = {lua(characters)}\n\n{engine}"


def filter_name(name: str) -> str:
    """Return a name as filters of Wireshark have it."""
    return re.sub(r"[^a-z0-9_]", "_", name.lower())


def lua(value: Any, indent: str = "") -> str:
    """Return a value of plain tables as Lua; what is None is left out."""
    if isinstance(value, Mapping):
        inner = indent + "  "
        rows = [f"{inner}{_key(key)} = {lua(each, inner)},\n" for key, each in value.items() if each is not None]
        return "{\n" + "".join(rows) + indent + "}" if rows else "{}"
    if isinstance(value, bytes):
        return "{ " + ", ".join(map(str, value)) + " }"
    if isinstance(value, Sequence) and not isinstance(value, str):
        if all(isinstance(each, (str, int)) for each in value):
            return "{ " + ", ".join(lua(each) for each in value) + " }"
        inner = indent + "  "
        return "{\n" + "".join(f"{inner}{lua(each, inner)},\n" for each in value) + indent + "}"
    if isinstance(value, bool):
        return "true" if value else "false"
    return _text(value) if isinstance(value, str) else str(value)


def _text(value: str) -> str:
    """Return text as a string of Lua, with the bytes of UTF-8 that are no plain letters as decimal escapes."""
    shown = "".join(
        chr(byte) if 0x20 <= byte < 0x7F and byte not in b'"\\' else f"\\{byte:03d}"
        for byte in value.encode("utf-8", "replace")
    )
    return f'"{shown}"'


def _key(key: object) -> str:
    return f"[{key}]" if isinstance(key, int) else str(key) if str(key).isidentifier() else f"[{_text(str(key))}]"


def _framing(framing: Framing, codecs: set[str]) -> dict[str, Any]:
    if isinstance(framing, LengthFraming):
        codecs.add(framing.codec)
        return {
            "kind": "length", "position": framing.position, "width": framing.width, "order": framing.order,
            "encoding": framing.encoding, "unit": framing.unit, "counts": framing.counts, "add": framing.add,
            "codec": framing.codec,
        }  # fmt: skip
    if isinstance(framing, DelimiterFraming):
        return {"kind": "delimiter", "value": framing.value, "keep": framing.keep}
    if isinstance(framing, FixedFraming):
        return {"kind": "fixed", "size": framing.size}
    return {"kind": "close" if isinstance(framing, CloseFraming) else "transactions"}


def _transaction(transaction: Transaction, codecs: set[str]) -> dict[str, Any]:
    layout = transaction.layout
    measuring = {field.length.field for field in transaction.fields.values() if isinstance(field.length, SizeFrom)}
    return {
        "name": transaction.name,
        "filter": filter_name(transaction.name),
        **{role: transaction.sent_by(role) for role in ROLES},
        "conditions": [
            {"position": each.position, "value": each.value, "mask": each.mask} for each in transaction.conditions
        ],
        "head_size": layout.head_size,
        "tail_size": layout.tail_size,
        **{
            part: [_field(piece, measuring, codecs) for piece in pieces if piece.field is not None]
            for part, pieces in (("head", layout.head), ("middle", layout.middle), ("tail", layout.tail))
        },
    }


def _field(piece: Piece, measuring: set[str], codecs: set[str]) -> dict[str, Any]:
    field = piece.field
    assert field is not None, "a field"
    found: dict[str, Any] = {"name": field.name, "filter": filter_name(field.name), "kind": field.kind}
    if piece.offset >= 0:
        found["at"] = piece.offset
    if isinstance(field.length, SizeFrom):
        found |= {"from": field.length.field, "unit": field.length.unit, "plus": field.length.plus}
    elif field.length is Size.REST:
        found["rest"] = True
    elif field.length is Size.OWN:
        found["own"] = True
    found["size"] = piece.size
    if field.name in measuring:
        found["measures"] = True
    values = {value: name for name, value in field.values.items() if isinstance(value, int)}
    found["values"] = values or None
    return found | _type(field, codecs)


def _type(field: Field, codecs: set[str]) -> dict[str, Any]:
    kind = field.type
    if isinstance(kind, (Text, Decimal, HexDigits, TimeText)):
        codecs.add(kind.codec)
    if isinstance(kind, (Integer, Float, Base128)):
        return {"order": kind.order}
    if isinstance(kind, Text):
        pad = {kind.pad, *kind.cut_off} if isinstance(field.length, int) else set()
        found: dict[str, Any] = {"codec": kind.codec, "side": "left" if kind.left else "right"}
        return found | ({"pad": "".join(sorted(pad))} if pad else {})
    if isinstance(kind, (Decimal, HexDigits)):
        return {"codec": kind.codec}
    if isinstance(kind, Packed):
        return {"sign": kind.signed}
    if isinstance(kind, BinaryTime):
        return {"order": kind.order, "ticks": kind.ticks}
    if isinstance(kind, PackedTime):
        return {"packed": True, "width": kind.format.width, "parts": _parts(kind.format.text)}
    if isinstance(kind, TimeText):
        return {"codec": kind.codec, "parts": _parts(kind.format.text)}
    return {}


def _parts(format_: str) -> list[list[str | int]]:
    """Return the parts of a format of times, each with its place and width."""
    found: list[list[str | int]] = []
    at = 0
    for part in _PARTS.findall(format_):
        width = _WIDTHS.get(part, 1)
        if part in _WIDTHS:
            found.append([part, at, width])
        at += width
    return found


def _characters(codec: str) -> list[str] | None:
    """Return the character of each byte; None for a character set that has longer ones."""
    try:
        found = [bytes((byte,)).decode(codec, "replace") for byte in range(256)]
    except (LookupError, ValueError):
        return None
    return None if codec.startswith("utf") or any(len(each) != 1 for each in found) else found


def _one_line(text: str) -> str:
    return json.dumps(text)[1:-1]
