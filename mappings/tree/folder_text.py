"""Folders of an MQRFH2 as elements: reading and writing of their text (jms-mapping.md 4.2 to 4.5)."""

from __future__ import annotations

from typing import Final

from mqbridge.mappings.jms.typed import Typed, typed
from mqbridge.mappings.rfh2 import MAX_TAGS, FolderError, tags_in
from mqbridge.mappings.rfh2.escaping import escaped, unescaped
from mqbridge.mappings.rfh2.folder import MAX_DEPTH, attributes_of, tokens, typed_value
from mqbridge.mappings.rfh2.writing import text_of

from .element import Element, Value
from .errors import ContentError

_PADDING: Final = " \0"
_NIL: Final = "xsi:nil"
_UNNAMEABLE: Final = frozenset(" \t\r\n<>/=\"'&\0")
_IMPLIED: Final = {"Tms": "i8", "Exp": "i8", "Pri": "i4", "Dlv": "i4", "Seq": "i4"}
"""Types of elements of folder ``jms``, which carry no dt (jms-mapping.md 4.3)."""
_LONG: Final = 1 << 63
_INTEGERS: Final = ("i1", "i2", "i4", "i8", "int")


class FolderRules:
    """What elements of one folder may be; see `rules.Rules`. Their types are in the attribute ``dt``."""

    __slots__ = ("folder",)
    arrays = False
    depth = MAX_DEPTH - 1

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def implied(self, name: str) -> str | None:
        """Return the type of an element that needs no ``dt``."""
        return _IMPLIED.get(name) if self.folder == "jms" else None

    def leaf(self, element: Element, value: object) -> None:
        """See `Rules.leaf`; an integer or floating-point type stays where the value fits."""
        if isinstance(value, Typed):
            value, given = typed(value)
            element.attributes = None if given in ("null", "string") else {"dt": given}
        if not isinstance(value, str | int | float | bytes | bool | None):
            raise ContentError(f"a folder holds no {type(value).__name__}")
        implied = self.implied(element.name)
        dt = _type_for(value, (element.attributes or {}).get("dt") or (None if value is None else implied))
        if dt is not None and dt == implied:
            dt = None
        attributes = {name: text for name, text in (element.attributes or {}).items() if name != "dt"}
        if dt is not None:
            attributes["dt"] = dt
        element.attributes = attributes or None
        element.value = value

    def name(self, name: str) -> str:
        """See `Rules.name`."""
        if not name or not _UNNAMEABLE.isdisjoint(name):
            raise ContentError(f"{name[:60]!r} can name no element of a folder")
        return name

    def attribute(self, element: Element, name: str, value: object) -> None:
        """See `Rules.attribute`. ``dt`` gives the value its type."""
        if not isinstance(value, str):
            raise ContentError(f"an attribute is text, not {type(value).__name__}")
        if self.name(name) == _NIL:
            raise ContentError("set the value to None instead")
        if name == "dt" and element.is_leaf and element.value is not None:
            element.value = _typed(_text(element.value), value)
        element.attributes = {**(element.attributes or {}), name: value}


def _type_for(value: Value, dt: str | None) -> str | None:
    """Return the ``dt`` of a value; None for text. ``dt``: what it was before. Raises `ContentError`."""
    if value is None:
        return dt
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        if dt in _INTEGERS:
            try:
                typed_value(dt, str(value))
            except ValueError:
                pass
            else:
                return dt
        if not -_LONG <= value < _LONG:
            raise ContentError("the number does not fit into 64 bits")
        return "i8"
    if isinstance(value, float):
        return dt if dt in ("r4", "r8") else "r8"
    if isinstance(value, bytes):
        return "bin.hex"
    return dt if dt == "string" or (dt == "char" and len(str(value)) == 1) else None


def _typed(text: str, dt: str) -> Value:
    try:
        value = typed_value(dt, text)
        return bytes.fromhex(text) if dt == "bin.hex" else value
    except ValueError:
        raise ContentError(f"{text[:40]!r} is no {dt[:20]}") from None


def _text(value: Value) -> str:
    if isinstance(value, bytes):
        return value.hex()
    return text_of(value) if isinstance(value, bool | float) else str(value)


def read_folder_element(text: str) -> Element:
    """Read a folder. Raises `ContentError`."""
    if tags_in(text) > MAX_TAGS:
        raise ContentError(f"more than {MAX_TAGS} tags and references")
    try:
        return _read(text.rstrip(_PADDING))
    except FolderError as fault:
        raise ContentError(str(fault)) from None


def _read(text: str) -> Element:
    open_elements: list[Element] = []
    folder: Element | None = None
    rules = FolderRules("")
    for token in tokens(text):
        place = token.start()
        if folder is not None and not open_elements:
            raise ContentError(f"something follows the folder at {place}")
        if token["text"] is not None:
            if open_elements:
                open_elements[-1].literal = token["text"]
            elif token["text"].strip():
                raise ContentError(f"text outside the folder at {place}")
            continue
        if not token["end"]:
            element = Element(token["name"], attributes=attributes_of(token["attributes"]) or None)
            if folder is None:
                folder = element
                rules = FolderRules(folder.name)
            else:
                parent = open_elements[-1]
                if parent.children is None:
                    parent.children = []
                parent.children.append(element)
            open_elements.append(element)
            if len(open_elements) > MAX_DEPTH:
                raise ContentError(f"elements are nested deeper than {MAX_DEPTH} at {place}")
        if token["end"] or token["empty"]:
            if not open_elements or open_elements[-1].name != token["name"]:
                raise ContentError(f"</{token['name'][:60]}> at {place} ends nothing")
            _close(open_elements.pop(), rules)
    if folder is None or open_elements:
        raise ContentError("no folder" if folder is None else f"<{open_elements[-1].name[:60]}> has no end")
    return folder


def _close(element: Element, rules: FolderRules) -> None:
    """Give an element that has ended its typed value."""
    text, element.literal = element.literal or "", None
    if element.children is not None:
        return
    attributes = element.attributes or {}
    if attributes.get(_NIL) == "true":
        element.attributes = {name: value for name, value in attributes.items() if name != _NIL} or None
        return
    element.value = _typed(unescaped(text), attributes.get("dt") or rules.implied(element.name) or "string")


def folder_text(folder: Element) -> str:
    """Return the text of a folder."""
    parts: list[str] = []
    open_parts: list[Element | str] = [folder]
    while open_parts:
        part = open_parts.pop()
        if isinstance(part, str):
            parts.append(part)
            continue
        nil = " xsi:nil='true'" if part.value is None and part.children is None and part is not folder else ""
        given = "".join(f" {name}='{escaped(value)}'" for name, value in (part.attributes or {}).items())
        parts.append(f"<{part.name}{given}{nil}>")
        open_parts.append(f"</{part.name}>")
        if part.children is None:
            parts.append("" if part.value is None else escaped(_text(part.value)))
        else:
            open_parts += reversed(part.children)
    return "".join(parts)
