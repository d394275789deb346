"""Domain MIME (RFC 2045, 2046): header fields by name, ``Parts.Part[n]`` of a multipart entity, else ``Data.BLOB``.

Data stand as they are in the entity, in its transfer encoding. Parts that were not changed keep their bytes when the
body is written.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final

from mqbridge.mappings.conversion.text import DataEncoding

from .element import Element
from .errors import ContentError
from .rules import Rules

MAX_NESTING: Final = 32
"""Deepest nesting of multipart entities."""
MAX_PARTS: Final = 10_000
"""Most parts of a body, and most header fields of an entity."""

_ROOT: Final = "MIME"
_FIELD: Final = re.compile(rb"([!-9;-~]{1,200}):[ \t]*([^\r\n]*(?:\r?\n[ \t][^\r\n]*)*)(?:\r?\n|\Z)")
_BLANK_LINE: Final = re.compile(rb"\r?\n")
_BOUNDARY: Final = re.compile(r";\s*boundary\s*=\s*(?:\"([^\"]{1,200})\"|([^\s;\"]{1,200}))", re.IGNORECASE)
_MULTIPART: Final = re.compile(r"\s*multipart/", re.IGNORECASE)
_NAME: Final = re.compile(r"[!-9;-~]{1,200}\Z")
_LINE_END: Final = b"\r\n"
_HIDDEN: Final = ("Preamble", "Epilogue")
_ORDER: Final = ("Preamble", "Parts", "Epilogue", "Data")


class MimeRules:
    """Header fields are text, data are bytes; see `rules.Rules`."""

    __slots__ = ("arrays", "depth")

    def __init__(self) -> None:
        self.arrays = False
        self.depth = 0

    def leaf(self, element: Element, value: object) -> None:
        """See `Rules.leaf`."""
        if element.name in ("BLOB", *_HIDDEN):
            if not isinstance(value, bytes):
                value = b"" if value == "" else value
            if not isinstance(value, bytes):
                raise ContentError("data of a part are bytes")
        elif not isinstance(value, str):
            raise ContentError(f"a header field is text, not {type(value).__name__}")
        elif not value.isascii() or re.search(r"\r|\n(?![ \t])|\0", value):
            raise ContentError("a header field is one line of ASCII; further lines begin with a blank")
        element.value = value

    def name(self, name: str) -> str:
        """See `Rules.name`."""
        if not _NAME.match(name):
            raise ContentError(f"{name[:60]!r} can name no header field")
        return name

    def attribute(self, element: Element, name: str, value: object) -> None:
        """See `Rules.attribute`."""
        raise ContentError("there are no attributes")


class MimeContent:
    """See `content.Content`."""

    __slots__ = ("in_form", "name", "rules")

    def __init__(self) -> None:
        self.name = _ROOT
        self.in_form = False
        self.rules: Rules = MimeRules()

    def read(self, data: bytes, form: DataEncoding) -> Element:
        """See `Content.read`."""
        reader = _Reader(data)
        return reader.entity(_ROOT, 0, len(data), 0)

    def write(self, root: Element, form: DataEncoding) -> bytes:
        """See `Content.write`."""
        return _entity_bytes(root, 0)

    def empty(self) -> Element:
        """See `Content.empty`."""
        return Element(_ROOT, children=[])


class _Reader:
    """Reads entities of one body, counting its parts."""

    __slots__ = ("_data", "_parts")

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._parts = 0

    def entity(self, name: str, start: int, end: int, depth: int) -> Element:
        """Return the entity between two offsets. Raises `ContentError`."""
        if depth > MAX_NESTING:
            raise ContentError(f"nested deeper than {MAX_NESTING}")
        fields, start = self._fields(start, end)
        entity = Element(name, children=fields)
        boundary = _boundary(fields)
        children = entity.children or []
        if boundary is None:
            children.append(Element("Data", children=[Element("BLOB", self._data[start:end])]))
        else:
            children += self._multipart(boundary, start, end, depth)
        entity.children = children
        return entity

    def _fields(self, start: int, end: int) -> tuple[list[Element], int]:
        """Return the header fields, and where the content begins behind the empty line."""
        fields: list[Element] = []
        while start < end:
            blank = _BLANK_LINE.match(self._data, start, end)
            if blank is not None:
                return fields, blank.end()
            found = _FIELD.match(self._data, start, end)
            if found is None:
                raise ContentError(f"no header field at {start}")
            if len(fields) >= MAX_PARTS:
                raise ContentError(f"more than {MAX_PARTS} header fields")
            fields.append(Element(found[1].decode("ascii"), found[2].decode("latin_1")))
            start = found.end()
        return fields, end

    def _multipart(self, boundary: bytes, start: int, end: int, depth: int) -> list[Element]:
        """Return what is in a multipart entity: ``Parts``, and texts in front of and behind them."""
        line = re.compile(rb"(?:\A|\r?\n)--" + re.escape(boundary) + rb"(--)?[ \t]*(?=\r?\n|\Z)")
        content = memoryview(self._data)[start:end]
        marks = []
        for found in line.finditer(content):
            marks.append((found.start(), found.end(), found[1] is not None))
            self._parts += 1
            if self._parts > MAX_PARTS:
                raise ContentError(f"more than {MAX_PARTS} parts")
            if found[1] is not None:
                break
        if not marks or not marks[-1][2]:
            raise ContentError(f"no end of the parts: --{boundary.decode('latin_1')}--")
        parts: list[Element] = []
        for (_, behind, _), (before, _, _) in pairwise(marks):
            line_end = _BLANK_LINE.match(content, behind)
            first = min(line_end.end() if line_end is not None else behind, before)
            parts.append(self.entity("Part", start + first, start + before, depth + 1))
        inside = [Element("Parts", children=parts)]
        preamble, epilogue = bytes(content[: marks[0][0]]), bytes(content[marks[-1][1] :])
        if preamble:
            inside.insert(0, Element("Preamble", preamble))
        if epilogue.strip(_LINE_END):
            inside.append(Element("Epilogue", epilogue))
        return inside


def _boundary(fields: list[Element]) -> bytes | None:
    """Return the boundary of a multipart entity, None for another. Raises `ContentError` if it states none."""
    for field in fields:
        if field.name.lower() != "content-type" or not _MULTIPART.match(str(field.value)):
            continue
        found = _BOUNDARY.search(str(field.value))
        if found is None:
            raise ContentError("a multipart Content-Type without boundary")
        return (found[1] or found[2]).encode("latin_1")
    return None


def _entity_bytes(entity: Element, depth: int) -> bytes:
    """Return the bytes of an entity, and bring it into the order of its bytes. Raises `ContentError`."""
    if depth > MAX_NESTING:
        raise ContentError(f"nested deeper than {MAX_NESTING}")
    fields = [child for child in entity if child.children is None and isinstance(child.value, str)]
    others = {child.name: child for child in entity if child.children is not None or not isinstance(child.value, str)}
    head = "".join(f"{field.name}: {field.value!s}\r\n" for field in fields).encode("latin_1")
    boundary = _boundary(fields)
    unknown = set(others) - {"Parts", "Data", *_HIDDEN}
    if unknown or ("Parts" in others and boundary is None) or ("Data" in others and boundary is not None):
        raise ContentError("an entity has Data, or, if its Content-Type is multipart with a boundary, Parts")
    if boundary is None and "Data" not in others:
        others["Data"] = Element("Data", children=[Element("BLOB", b"")])
    entity.children = fields + [others[name] for name in _ORDER if name in others]
    if boundary is None:
        return head + _LINE_END + _bytes_in(others["Data"])
    line = b"--" + boundary
    pieces = []
    for part in others.get("Parts", ()):
        data = _entity_bytes(part, depth + 1)
        if line in data:
            raise ContentError("a part holds the boundary of the parts")
        pieces.append(line + _LINE_END + data)
    preamble = _bytes_of(others.get("Preamble"))
    parts = _LINE_END.join((*([preamble] if preamble else []), *pieces, line + b"--"))
    return head + _LINE_END + parts + (_bytes_of(others.get("Epilogue")) or (b"" if depth else _LINE_END))


def _bytes_in(data: Element) -> bytes:
    inside = list(data)
    if [child.name for child in inside] != ["BLOB"]:
        raise ContentError("Data holds one BLOB")
    return _bytes_of(inside[0])


def _bytes_of(element: Element | None) -> bytes:
    return element.value if element is not None and isinstance(element.value, bytes) else b""
