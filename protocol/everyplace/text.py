"""The string form of fields objects, and the ini form of start-up parameters, mqe.md 2 (E-027 to E-031)."""

from __future__ import annotations

import re
from typing import Any, Final

from .errors import Code, EveryplaceError
from .field_types import WORDS, FieldType
from .fields import Fields

LINE: Final = "(#0)#1=#2\r\n"
"""The usual template: ``#0`` type, ``#1`` name, ``#2`` value (E-028)."""
MAX_TEXT: Final = 1 << 20
"""Longest text that is read, in characters."""
_MARKS: Final = re.compile("#[012]")
_ESCAPED: Final = {"\\": "\\\\", "\n": "\\n", "\r": "\\r", ",": "\\,"}
_UNESCAPE: Final = re.compile(r"\\(.)", re.DOTALL)
_ELEMENT: Final = re.compile(r"((?:[^,\\]|\\.)*)(,|$)", re.DOTALL)
_SECTION: Final = re.compile(r"\[([^\]]+)\]")


def to_text(fields: Fields, template: str = LINE, title: str = "") -> str:
    """Return the string form: the title, and the template for each field."""
    parts = [title]
    for name in fields:
        kind = fields.type_of(name)
        values = {"#0": kind.word, "#1": name, "#2": _text(kind, fields.get(name))}
        parts.append(_MARKS.sub(lambda found, values=values: values[found[0]], template))  # type: ignore[misc]
    return "".join(parts)


def from_text(text: str, template: str = LINE, title: str = "") -> tuple[Fields, list[str]]:
    """Read the string form. Returns the fields object, and the names that could not be restored (E-029).

    Raises `EveryplaceError` SYNTAX for text that does not fit the template.
    """
    if len(text) > MAX_TEXT:
        raise EveryplaceError(Code.TOO_LONG, f"{len(text)} characters; {MAX_TEXT} are allowed")
    if not text.startswith(title):
        raise EveryplaceError(Code.SYNTAX, "the title is missing")
    groups = {"#0": r"(?P<type>[a-z]+(?:\[\])?)", "#1": r"(?P<name>[^=\r\n]+?)", "#2": r"(?P<value>[^\r\n]*?)"}
    if not template.endswith("\n") or any(mark not in template for mark in groups):
        raise EveryplaceError(Code.SYNTAX, "a template that can be read back has #0, #1 and #2, and ends its line")
    pieces = re.split("(#[012])", template)
    seen: set[str] = set()
    pattern = ""
    for piece in pieces:
        pattern += groups[piece] if piece in groups and piece not in seen else re.escape(piece)
        seen.add(piece)
    line = re.compile(pattern)
    found, lost, at = Fields(), [], len(title)
    while at < len(text):
        match = line.match(text, at)
        if match is None:
            raise EveryplaceError(Code.SYNTAX, f"{text[at : at + 40]!r} does not fit the template")
        at = match.end()
        name = match["name"]
        kind = WORDS.get(match["type"])
        if kind is None:
            raise EveryplaceError(Code.SYNTAX, f"{match['type']!r} is no type")
        if kind is FieldType.FIELDS:
            lost.append(name)
        else:
            found.put(name, _value(kind, match["value"]), kind)
    return found, lost


def read_ini(text: str) -> Fields:
    """Read start-up parameters: lines ``(type)name=value`` under ``[Section]``, each section a fields object (E-031).

    Blank lines, and lines that begin with ``*`` or ``;``, are passed over. Raises `EveryplaceError` SYNTAX.
    """
    if len(text) > MAX_TEXT:
        raise EveryplaceError(Code.TOO_LONG, f"{len(text)} characters; {MAX_TEXT} are allowed")
    whole, section, name = Fields(), Fields(), ""
    for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), 1):
        stripped = line.strip()
        if not stripped or stripped[0] in "*;":
            continue
        header = _SECTION.fullmatch(stripped)
        if header is not None:
            if name:
                whole.put(name, section)
            name, section = header[1].strip(), Fields()
            if name in whole:
                raise EveryplaceError(Code.SYNTAX, f"line {number}: there are two sections [{name}]")
            continue
        if not name:
            raise EveryplaceError(Code.SYNTAX, f"line {number}: a value in front of the first section")
        try:
            one, lost = from_text(line.lstrip() + "\r\n")
        except EveryplaceError as error:
            raise EveryplaceError(Code.SYNTAX, f"line {number}: {error.text}") from None
        for each in one:
            section.put(each, one.get(each), one.type_of(each))
        if lost:
            raise EveryplaceError(Code.SYNTAX, f"line {number}: a fields object is a section of its own")
    if name:
        whole.put(name, section)
    return whole


def write_ini(fields: Fields) -> str:
    """Return start-up parameters as text. Raises `EveryplaceError` TYPE if a field is no section."""
    parts = []
    for name in fields:
        parts.append(to_text(fields.get(name, FieldType.FIELDS), title=f"[{name}]\r\n"))
    return "\r\n".join(parts)


def _text(kind: FieldType, value: Any) -> str:
    if value is None or value == ():
        return "\\0"
    if kind is FieldType.FIELDS:
        return "{" + to_text(value, "(#0)#1=#2;") + "}"
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, tuple):
        return ",".join(_one(each) for each in value)
    return _one(value)


def _one(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return "".join(_ESCAPED.get(each, each) for each in value)
    return repr(value)


def _value(kind: FieldType, text: str) -> Any:
    """Return the value that a text means. Raises `EveryplaceError` SYNTAX."""
    if text == "\\0":
        return None
    try:
        if kind in (FieldType.UNTYPED, FieldType.BYTE_ARRAY):
            return bytes.fromhex(text)
        if kind.is_array:
            return [_scalar(kind.element, each) for each in _split(text)]
        return _scalar(kind, text)
    except ValueError:
        raise EveryplaceError(Code.SYNTAX, f"{text[:40]!r} is no {kind.word}") from None


def _scalar(kind: FieldType, text: str) -> Any:
    if kind in (FieldType.ASCII, FieldType.UNICODE):
        return _UNESCAPE.sub(lambda found: {"n": "\n", "r": "\r"}.get(found[1], found[1]), text)
    if kind is FieldType.BOOLEAN:
        if text not in ("true", "false"):
            raise ValueError(text)
        return text == "true"
    return float(text) if kind in (FieldType.FLOAT, FieldType.DOUBLE) else int(text)


def _split(text: str) -> list[str]:
    """Split at commas that are not escaped."""
    found = []
    for match in _ELEMENT.finditer(text):
        found.append(match[1])
        if not match[2]:
            break
    return found
