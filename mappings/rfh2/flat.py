"""A quick way through flat folders, as JMS clients write them: elements with texts, no groups, few attributes.

It takes a folder apart only where `read_folder` would find exactly the same; it gives up on everything else.
"""

from __future__ import annotations

import re
from typing import Final, TypeAlias

MOST_ELEMENTS: Final = 256
"""Elements of a folder beyond which the careful way is taken."""

_USUAL: Final = frozenset(("mcd", "jms", "usr", "mqext", "mqps"))
_NAME: Final = re.compile(r"""[^\s<>/="'.&]++\Z""")
_ELEMENT: Final = re.compile(r"""<([^\s<>/="'.&]++)((?: dt='[A-Za-z0-9.]++')?+(?: xsi:nil='true')?+)>([^<]*+)</\1>""")
_PARTS: Final = 4
"""Strings that an element becomes: what stands in front of it, its name, its attributes, its text."""
_BEFORE_TYPE: Final = len(" dt='")
_NIL: Final = " xsi:nil='true'"

Columns: TypeAlias = tuple[list[str], list[str], list[str]]
"""Names of elements, their attributes as they are written, and their undecoded texts."""


def flat_folder(text: str) -> tuple[str, Columns] | None:
    """Return a folder's name and its elements. None where the folder is not flat, or might be malformed."""
    begin = text.find(">")
    name = text[1:begin]
    if not text.startswith("<") or (name not in _USUAL and _NAME.match(name) is None):
        return None
    columns = flat_elements(name, text)
    return None if columns is None else (name, columns)


def flat_elements(name: str, text: str) -> Columns | None:
    """Return the elements of a folder whose name is known. None as for `flat_folder`."""
    begin, end = f"<{name}>", f"</{name}>"
    text = text.rstrip(" \0")
    if not text.startswith(begin) or not text.endswith(end):
        return None
    parts = _ELEMENT.split(text[len(begin) : -len(end)])
    if len(parts) > _PARTS * MOST_ELEMENTS + 1 or any(parts[::_PARTS]):
        return None
    return parts[1::_PARTS], parts[2::_PARTS], parts[3::_PARTS]


def flat_attributes(attributes: str) -> tuple[str, bool]:
    """Return the attribute ``dt`` of an element, empty for none, and whether it says that the element is null."""
    if not attributes:
        return "", False
    null = attributes.endswith(_NIL)
    if null:
        attributes = attributes[: -len(_NIL)]
    return attributes[_BEFORE_TYPE:-1], null
