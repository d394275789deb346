"""Domain JSON: ``JSON.Data`` is the document, elements of an array are called ``Item``.

A scan of brackets and commas bounds depth and number of elements before Python's reader begins. Floating-point numbers
that are not changed are written as they were read.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any, Final, NamedTuple, NoReturn

from mqbridge.mappings.conversion.text import DataEncoding

from .content import body_bytes, body_text, required_bytes
from .element import MAX_DEPTH, MAX_ELEMENTS, Element, Kind
from .errors import ContentError
from .finding import ITEM
from .rules import Rules

MAX_DIGITS: Final = 400
"""Longest number in characters."""
DATA: Final = "Data"
"""Name of the document in the tree."""

_MARKS: Final = re.compile(r'"(?:[^"\\]++|\\.)*+"|[{}\[\],]', re.DOTALL)
_ROOT: Final = "JSON"


class _Number(NamedTuple):
    """A floating-point number, and how it was written."""

    value: float
    literal: str


class JsonRules:
    """Any names; text, numbers, booleans, null, mappings and lists; see `rules.Rules`."""

    __slots__ = ()
    arrays = True
    depth = 0

    def leaf(self, element: Element, value: object) -> None:
        """See `Rules.leaf`."""
        if not isinstance(value, str | int | float | bool | None):
            raise ContentError(f"JSON has no {type(value).__name__}")
        if isinstance(value, float) and not math.isfinite(value):
            raise ContentError(f"JSON has no {value}")
        if isinstance(value, int) and abs(value) >= 10 ** (MAX_DIGITS - 1):
            raise ContentError(f"a number has {MAX_DIGITS} characters at most")
        element.value, element.literal = value, None

    def name(self, name: str) -> str:
        """See `Rules.name`."""
        return name

    def attribute(self, element: Element, name: str, value: object) -> None:
        """See `Rules.attribute`."""
        raise ContentError("JSON has no attributes")


class JsonContent:
    """See `content.Content`."""

    __slots__ = ("in_form", "name", "rules")

    def __init__(self) -> None:
        self.name = _ROOT
        self.in_form = True
        self.rules: Rules = JsonRules()

    def read(self, data: bytes, form: DataEncoding) -> Element:
        """See `Content.read`."""
        return Element(_ROOT, children=[read_json(body_text(data, form))])

    def write(self, root: Element, form: DataEncoding) -> bytes:
        """See `Content.write`. Characters that the set lacks are written as numbers, behind ``\\u``."""
        documents = list(root)
        if len(documents) != 1 or documents[0].name != DATA:
            raise ContentError(f"a JSON body is one {_ROOT}.{DATA}")
        data = body_bytes(json_text(documents[0]), form)
        return required_bytes(json_text(documents[0], ascii_only=True), form) if data is None else data

    def empty(self) -> Element:
        """See `Content.empty`."""
        return Element(_ROOT, children=[])


def read_json(text: str) -> Element:
    """Read a document as element ``Data``. Raises `ContentError`."""
    _check_size(text)
    try:
        found = json.loads(
            text, object_pairs_hook=_object, parse_float=_float, parse_int=_int, parse_constant=_constant
        )
    except ValueError as fault:
        raise ContentError(f"no JSON: {fault}") from None
    return _named(DATA, found)


def _check_size(text: str) -> None:
    depth, count = 0, 1
    for mark in _MARKS.finditer(text):
        character = text[mark.start()]
        if character in "{[":
            depth += 1
            count += 1
            if depth > MAX_DEPTH:
                raise ContentError(f"nested deeper than {MAX_DEPTH} at {mark.start()}")
        elif character in "}]":
            depth -= 1
        elif character == ",":
            count += 1
        if count > MAX_ELEMENTS:
            raise ContentError(f"more than {MAX_ELEMENTS} elements")


def _object(pairs: list[tuple[str, Any]]) -> Element:
    return Element("", children=[_named(name, value) for name, value in pairs])


def _named(name: str, value: Any) -> Element:
    if isinstance(value, Element):
        value.name = name
        return value
    if isinstance(value, list):
        return Element(name, kind=Kind.ARRAY, children=[_named(ITEM, each) for each in value])
    if isinstance(value, _Number):
        return Element(name, value.value, literal=value.literal)
    return Element(name, value)


def _float(literal: str) -> _Number:
    if len(literal) > MAX_DIGITS:
        raise ContentError(f"a number has {MAX_DIGITS} characters at most")
    return _Number(float(literal), literal)


def _int(literal: str) -> int:
    if len(literal) > MAX_DIGITS:
        raise ContentError(f"a number has {MAX_DIGITS} characters at most")
    return int(literal)


def _constant(word: str) -> NoReturn:
    raise ContentError(f"JSON has no {word}")


def json_text(document: Element, *, ascii_only: bool = False) -> str:
    """Return the text of an element, without blanks. Raises `ContentError` for what is nested too deep."""
    parts: list[str] = []
    _write(document, parts, ascii_only, 1)
    return "".join(parts)


def _write(element: Element, parts: list[str], ascii_only: bool, depth: int) -> None:
    if element.children is None:
        parts.append(element.literal or json.dumps(element.value, ensure_ascii=ascii_only))
        return
    if depth > MAX_DEPTH:
        raise ContentError(f"nested deeper than {MAX_DEPTH}")
    array = element.kind is Kind.ARRAY
    parts.append("[" if array else "{")
    for number, child in enumerate(element.children):
        if number:
            parts.append(",")
        if not array:
            parts.append(json.dumps(child.name, ensure_ascii=ascii_only) + ":")
        _write(child, parts, ascii_only, depth + 1)
    parts.append("]" if array else "}")
