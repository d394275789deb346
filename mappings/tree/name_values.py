"""The variable part of an MQRFH of version 1: names and values in one text, separated by blanks (mq-wire.md 5.15)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.structures.bodies import Body
from mqbridge.protocol.text import decode_text, encode_text

from .element import MAX_ELEMENTS, Element, Value
from .errors import ContentError
from .finding import assign, remove, values_at
from .paths import Step

_WORD: Final = re.compile(r' *+(?:"((?:[^"]|"")*+)"|([^ ]++))')
_PADDING: Final = " \0"


class NameValueRules:
    """Names and values are text, without attributes and without others in them; see `rules.Rules`."""

    __slots__ = ()
    arrays = False
    depth = 1

    def leaf(self, element: Element, value: object) -> None:
        """See `Rules.leaf`."""
        if not isinstance(value, str) or "\0" in value:
            raise ContentError(f"a value is text without zero characters, not {type(value).__name__}")
        element.value = value

    def name(self, name: str) -> str:
        """See `Rules.name`."""
        if not name or "\0" in name:
            raise ContentError("a name has characters, and none of them is zero")
        return name

    def attribute(self, element: Element, name: str, value: object) -> None:
        """See `Rules.attribute`."""
        raise ContentError("there are no attributes")


class NameValues:
    """Names and values of a header. ``ccsid``: of the header."""

    __slots__ = ("_ccsid", "_header", "_order", "_root", "changed")

    def __init__(self, header: Body, ccsid: int) -> None:
        self._header = header
        self._ccsid = ccsid
        self._order: ByteOrder = header.record.ORDER
        self._root: Element | None = None
        self.changed = False

    def _read(self) -> Element:
        if self._root is None:
            text = decode_text(self._header.rest, self._ccsid, errors="replace", order=self._order).rstrip(_PADDING)
            self._root = Element("MQRFH", children=list(_pairs(text)))
        return self._root

    def elements(self) -> list[Element]:
        """Return an element for each name, in order."""
        return list(self._read())

    def names(self) -> list[str]:
        """Return the names in order."""
        return [element.name for element in self._read()]

    def values(self, steps: Sequence[Step]) -> list[Value | Element]:
        """Return what steps lead to."""
        return values_at(self._read(), steps)

    def assign(self, steps: Sequence[Step], value: object) -> None:
        """Set what steps lead to. Raises `ContentError`."""
        if len(steps) > 1 or not isinstance(value, str):
            raise ContentError("names and values are text, with nothing below them")
        assign(self._read(), steps, value, NameValueRules())
        self.changed = True

    def remove(self, steps: Sequence[Step]) -> bool:
        """Delete what steps lead to; return whether there was anything."""
        removed = remove(self._read(), steps, NameValueRules())
        if self._read().children is None:
            self._root = Element("MQRFH", children=[])
        self.changed |= removed
        return removed

    def build(self) -> bytes:
        """Return the text in the header's code page, with blanks to a multiple of 4 bytes."""
        words = [_quoted(word) for element in self._read() for word in (element.name, str(element.value))]
        raw = encode_text(" ".join(words), self._ccsid, order=self._order)
        blank = encode_text(" ", self._ccsid, order=self._order)
        return raw + blank * (-len(raw) % 4 // len(blank))


def _pairs(text: str) -> list[Element]:
    words: list[str] = []
    for found in _WORD.finditer(text):
        words.append(found[2] if found[1] is None else found[1].replace('""', '"'))
        if len(words) > MAX_ELEMENTS:
            raise ContentError(f"more than {MAX_ELEMENTS} names and values")
    if len(words) % 2:
        words.append("")
    return [Element(name, value) for name, value in zip(words[::2], words[1::2], strict=True)]


def _quoted(word: str) -> str:
    if word and " " not in word and not word.startswith('"'):
        return word
    return '"' + word.replace('"', '""') + '"'
