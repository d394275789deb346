"""Reading a folder, ``<usr><colour>red</colour><count dt='i4'>5</count></usr>``, jms-mapping.md 4.

A folder looks like XML and is none: JMS clients write ``xsi:nil`` without declaring the prefix, blanks and NULs follow
the end tag, ``>`` and quotes stand in texts as they are. So this is a reader of its own; it knows no documents, no
declarations and no entities but the five of XML and numbered characters, and its work grows with the text only: no
character is looked at twice (the quantifiers are possessive), and a tag has no more than 16 attributes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from mqbridge.protocol.errors import MQBridgeError

from .escaping import unescaped
from .flat import flat_attributes, flat_folder
from .scalars import floating, raw_bytes, whole

MAX_DEPTH: Final = 16
"""Deepest nesting of elements that is read, including the folder itself."""

Scalar = str | int | float | bool | None

MAX_TAGS: Final = 3_000
"""Tags and references (``<`` and ``&``) that a folder may hold, and all folders of a message together."""

_TOKEN: Final = re.compile(
    r"""<(?P<end>/?)(?P<name>[^\s<>/="']++)(?P<attributes>(?:\s++[^\s<>/="']++\s*+=\s*+(?:"[^"]*+"|'[^']*+')){0,16}+)\s*+"""
    r"""(?P<empty>/?)>|(?P<text>[^<]++)"""
)
_ATTRIBUTE: Final = re.compile(r"""([^\s=]+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_PADDING: Final = " \0"
_BITS: Final = {"i1": 8, "i2": 16, "i4": 32, "i8": 64, "int": 64}


def tags_in(text: str) -> int:
    """Return an upper bound of a folder's tags and references: the cost of parsing it."""
    return text.count("<") + text.count("&")


class FolderError(MQBridgeError):
    """Text that is not a folder, or a value that does not match its type; the message gives the position in
    characters."""


@dataclass(slots=True)
class FolderValue:
    """One value. ``name``: of the element, behind the names of the groups it stands in (``group.element``).

    ``type``: the attribute ``dt``, ``"string"`` where there is none. ``value``: an int for ``i1`` … ``i8`` and ``int``,
    a float for ``r4`` and ``r8``, a bool for ``boolean``, None for ``xsi:nil``, otherwise the text; of ``bin.hex`` the
    hexadecimal digits.
    """

    name: str
    type: str
    value: Scalar


@dataclass(slots=True)
class Folder:
    """A folder: its name, the attributes of its tag, and its values in order."""

    name: str
    attributes: dict[str, str]
    values: list[FolderValue]


@dataclass(slots=True)
class _Element:
    name: str
    attributes: dict[str, str]
    place: int
    text: str = ""
    children: int = 0


def read_folder(text: str, *, lenient: bool = False, max_tags: int = MAX_TAGS) -> Folder:
    """Read one folder. ``lenient``: values that are not of their type are passed over, and so are elements with a dot
    in their name, which would read as groups. Raises ``FolderError``, also for more than ``max_tags`` tags and
    references."""
    if tags_in(text) > max_tags:
        raise FolderError(f"more than {max_tags} tags and references")
    return _flat_folder(text) or _any_folder(text, lenient)


def _flat_folder(text: str) -> Folder | None:
    """Return a folder that the quick way can read; None also where a value is not of its type."""
    found = flat_folder(text)
    if found is None:
        return None
    name, elements = found
    values = []
    for element, attributes, content in elements:
        kind, null = flat_attributes(attributes)
        if null:
            values.append(FolderValue(element, kind or "string", None))
            continue
        content = unescaped(content)
        try:
            values.append(FolderValue(element, kind or "string", typed_value(kind, content) if kind else content))
        except ValueError:
            return None
    return Folder(name, {}, values)


def _any_folder(text: str, lenient: bool) -> Folder:
    text = text.rstrip(_PADDING)
    open_elements: list[_Element] = []
    values: list[FolderValue] = []
    folder: Folder | None = None
    for token in tokens(text):
        place = token.start()
        if folder is not None and not open_elements:
            raise FolderError(f"something follows the folder at {place}")
        if token["text"] is not None:
            if open_elements:
                open_elements[-1].text = token["text"]  # of an element with others in it no text is asked for
            elif token["text"].strip():
                raise FolderError(f"text outside the folder at {place}")
            continue
        if not token["end"]:
            element = _Element(token["name"], attributes_of(token["attributes"]), place)
            if folder is None:
                folder = Folder(element.name, element.attributes, values)
            else:
                open_elements[-1].children += 1
            open_elements.append(element)
            if len(open_elements) > MAX_DEPTH:
                raise FolderError(f"elements are nested deeper than {MAX_DEPTH} at {place}")
        if token["end"] or token["empty"]:
            if not open_elements or open_elements[-1].name != token["name"]:
                raise FolderError(f"</{token['name']}> at {place} ends nothing")
            if len(open_elements) > 1 and not open_elements[-1].children:
                _add_value(values, open_elements, lenient)
            open_elements.pop()
    if folder is None or open_elements:
        raise FolderError("no folder" if folder is None else f"<{open_elements[-1].name}> has no end")
    return folder


def tokens(text: str) -> Iterator[re.Match[str]]:
    """Yield the tags and texts of a folder: groups ``end``, ``name``, ``attributes``, ``empty``, or ``text``. Raises
    ``FolderError``."""
    position = 0
    while position < len(text):
        token = _TOKEN.match(text, position)
        if token is None:
            raise FolderError(f"no tag at {position}")
        yield token
        position = token.end()


def attributes_of(text: str) -> dict[str, str]:
    """Return the attributes of a tag by name."""
    return {name: unescaped(double or single) for name, double, single in _ATTRIBUTE.findall(text)}


def _add_value(values: list[FolderValue], path: list[_Element], lenient: bool) -> None:
    if lenient and any("." in element.name for element in path[1:]):
        return
    try:
        values.append(_value(path))
    except FolderError:
        if not lenient:
            raise


def _value(path: list[_Element]) -> FolderValue:
    element = path[-1]
    kind = element.attributes.get("dt", "string")
    name = ".".join(part.name for part in path[1:])
    if element.attributes.get("xsi:nil") == "true":
        return FolderValue(name, kind, None)
    text = unescaped(element.text)
    try:
        return FolderValue(name, kind, typed_value(kind, text))
    except ValueError:
        raise FolderError(f"{text[:40]!r} of {name} at {element.place} is no {kind}") from None


def typed_value(kind: str, text: str) -> Scalar:
    """Return the typed value of a text. Raises ``ValueError``."""
    bits = _BITS.get(kind)
    if bits is not None:
        return whole(text, bits)
    if kind in ("r4", "r8"):
        return floating(text)
    if kind == "boolean":
        if text not in ("0", "1"):
            raise ValueError(text)
        return text == "1"
    if kind == "bin.hex":
        raw_bytes(text)
    elif kind == "char" and len(text) != 1:
        raise ValueError(text)
    return text
