"""Transactions of a description: tables ``[[transaction]]`` with recogniser, template and fields (M-161, M-166)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from .fields import Computed, Field, LengthOf, Range, SizeFrom
from .layout import Layout, LayoutError, lay_out
from .limits import MAX_CONDITIONS, MAX_FIELDS, MAX_PACKET, MAX_TEMPLATE
from .reading_fields import Defaults, codec, read_field
from .tables import Table, unhex
from .transaction import Condition, Sender, Transaction

_KEYS: Final = ("name", "from", "recognise", "template", "blank", "field", "description")
_MAX_CONDITION: Final = 1024


def read_transaction(table: Table, defaults: Defaults, files: Mapping[str, bytes], most: int) -> Transaction:
    """Return one transaction. ``files``: what templates name. ``most``: the longest packet. Raises `TemplateError`."""
    table.allow(*_KEYS)
    name = table.named("name")
    template = template_bytes(table, defaults, files)
    tables = list(table.tables("field", MAX_FIELDS))
    fields: list[Field] = []
    indexes: dict[str, int] = {}
    for index, each in enumerate(tables):
        field = read_field(each, defaults)
        if field.name in indexes:
            raise each.fault("name", f"there is a field {field.name!r} already")
        indexes[field.name] = index
        fields.append(field)
    _check_maps(tables, fields)
    fields = _with_lengths(tables, fields, indexes)
    layout = _layout(table, tables, fields, indexes, template)
    if layout.head_size + layout.tail_size > most:
        raise table.fault("", f"{name!r} has {layout.head_size + layout.tail_size} bytes; {most} are allowed")
    _check_computed(tables, fields, indexes)
    return Transaction(name, _sender(table), _conditions(table, defaults), fields, layout, table.text("description"))


def template_bytes(table: Table, defaults: Defaults, files: Mapping[str, bytes]) -> bytes:
    """Return the bytes of a template: hexadecimal digits, a table, or a list of these one after another."""
    value = table.content.get("template", "")
    parts = value if isinstance(value, list) else [value]
    found = bytearray()
    for index, part in enumerate(parts):
        key: tuple[str | int, ...] = ("template", index) if isinstance(value, list) else ("template",)
        found += _template_part(table, key, part, defaults, files)
        if len(found) > MAX_TEMPLATE:
            raise table.fault(key, f"a template of more than {MAX_TEMPLATE} bytes")
    return bytes(found)


def named_files(document: Mapping[str, Any]) -> list[str]:
    """Return the names of the files that templates of a document need, in order; what is no name is left out."""
    names = []
    transactions = document.get("transaction")
    for each in transactions if isinstance(transactions, list) else []:
        value = each.get("template") if isinstance(each, dict) else None
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, dict) and isinstance(part.get("file"), str):
                names.append(part["file"])
    return list(dict.fromkeys(names))


def _template_part(
    table: Table, key: tuple[str | int, ...], part: object, defaults: Defaults, files: Mapping[str, bytes]
) -> bytes:
    if isinstance(part, str):
        found = unhex(part)
        if found is None:
            raise table.fault(key, 'a template in quotes is hexadecimal digits; { text = "…" } is characters')
        return found
    if not isinstance(part, dict):
        raise table.fault(key, "a template is digits, { text = … }, { fill = …, count = … } or { file = … }")
    inner = Table(table.file, table.lines, part, (*table.path, *key))
    if "text" in inner:
        inner.allow("text", "ccsid")
        try:
            return inner.text("text").encode(codec(inner, defaults.ccsid))
        except UnicodeError as error:
            raise inner.fault("text", f"text not in the character set: {error}") from None
    if "fill" in inner:
        inner.allow("fill", "count")
        return inner.hex("fill", 1) * inner.number("count", 1, MAX_TEMPLATE)
    inner.allow("file")
    name = inner.need("file")
    content = files.get(name) if isinstance(name, str) else None
    if content is None:
        raise inner.fault("file", f"there is no file {name!r}", "it must stand in the folder of the description")
    if len(content) > MAX_TEMPLATE * 4:
        raise inner.fault("file", f"{name!r} is too long; a template has {MAX_TEMPLATE} bytes at most")
    return _file_bytes(inner, str(name), content)


def _file_bytes(inner: Table, name: str, content: bytes) -> bytes:
    """A file of hexadecimal digits (``.hex``; lines with # are remarks) or of the bytes themselves."""
    if not name.endswith(".hex"):
        return content
    lines = content.decode("ascii", "replace").splitlines()
    found = unhex(" ".join(line.partition("#")[0] for line in lines))
    if found is None:
        raise inner.fault("file", f"{name!r} is not hexadecimal digits")
    return found


def _sender(table: Table) -> Sender:
    word = table.choice("from", ("initiator", "responder", "both"), "both")
    return "initiator" if word == "initiator" else "responder" if word == "responder" else "both"


def _conditions(table: Table, defaults: Defaults) -> list[Condition]:
    found = []
    for each in table.tables("recognise", MAX_CONDITIONS):
        each.allow("position", "value", "text", "mask", "ccsid")
        if ("value" in each) == ("text" in each):
            raise each.fault("", "a condition has one of value (hexadecimal digits) and text")
        if "text" in each:
            try:
                value = each.text("text").encode(codec(each, defaults.ccsid))
            except UnicodeError as error:
                raise each.fault("text", f"text not in the character set: {error}") from None
        else:
            value = each.hex("value", _MAX_CONDITION)
        if not 0 < len(value) <= _MAX_CONDITION:
            raise each.fault("text" if "text" in each else "value", f"a condition has 1 to {_MAX_CONDITION} bytes")
        mask = each.hex("mask", _MAX_CONDITION) if "mask" in each else b"\xff" * len(value)
        if len(mask) != len(value):
            raise each.fault("mask", f"the mask has {len(mask)} bytes, the value {len(value)}")
        if any(byte & ~bits for byte, bits in zip(value, mask, strict=True)):
            raise each.fault("mask", "the value has bits that the mask leaves out, so it never holds")
        found.append(Condition(each.number("position", 0, MAX_PACKET), value, mask))
    return found


def _check_maps(tables: list[Table], fields: list[Field]) -> None:
    seen: dict[str, str] = {}
    for table, field in zip(tables, fields, strict=True):
        if field.map and field.map in seen:
            raise table.fault("map", f"{field.map!r} is mapped to {seen[field.map]!r} already")
        seen[field.map] = field.name
    names = {field.name for field in fields}
    for table, field in zip(tables, fields, strict=True):
        if field.map in names and field.map != field.name:
            raise table.fault("map", f"{field.map!r} is also the name of a field, to which it is not mapped")


def _with_lengths(tables: list[Table], fields: list[Field], indexes: Mapping[str, int]) -> list[Field]:
    """Fields that give the length of another are computed from it where the description does not say how."""
    found = list(fields)
    for table, field in zip(tables, fields, strict=True):
        if not isinstance(field.length, SizeFrom):
            continue
        index = indexes.get(field.length.field)
        if index is None or found[index].computed is not None or found[index].value is not None:
            continue
        plus, odd = divmod(-field.length.plus, field.length.unit)
        if odd:
            raise table.fault("length", "plus must be a multiple of unit, unless the other field is computed")
        computed: Computed = LengthOf(field.name, field.length.unit, plus)
        found[index] = found[index]._replace(computed=computed)
    return found


def _layout(
    table: Table, tables: list[Table], fields: list[Field], indexes: Mapping[str, int], template: bytes
) -> Layout:
    blank = []
    for each in table.tables("blank", MAX_FIELDS):
        each.allow("position", "length", "what")
        each.text("what")
        start = each.number("position", 0, len(template))
        blank.append((start, start + each.number("length", 1, max(len(template) - start, 1))))
    extends = frozenset(
        field.name for one, field in zip(tables, fields, strict=True) if "extends" in one and one.flag("extends")
    )
    try:
        layout = lay_out(fields, template, blank, extends)
    except LayoutError as error:
        index = indexes.get(error.field)
        raise (table.fault("", str(error)) if index is None else tables[index].fault("", str(error))) from None
    if not layout.pieces:
        raise table.fault("", f"{table.name} has neither template nor fields")
    return layout


def _check_computed(tables: list[Table], fields: list[Field], indexes: Mapping[str, int]) -> None:
    """Computed fields refer to what there is."""
    for table, field in zip(tables, fields, strict=True):
        of = field.computed.of if isinstance(field.computed, LengthOf) else None
        if isinstance(of, str) and of not in indexes:
            raise table.fault(("compute", "of"), f"there is no field {of!r} whose length it could be")
        if isinstance(of, Range) and field.kind not in ("unsigned", "signed", "decimal", "packed", "base128"):
            raise table.fault("compute", f"a field of type {field.kind!r} holds no length")
