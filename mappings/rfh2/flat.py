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
_ELEMENT: Final = re.compile(
    r"""<([^\s<>/="'.&]++)((?: dt='[A-Za-z0-9.]++')?+(?: xsi:nil='true')?+)>([^<]*+)</\1>|[\s\S]+"""
)
"""An element, or all that is left where there is none, without a name."""
_BEFORE_TYPE: Final = len(" dt='")
_NIL: Final = " xsi:nil='true'"

Element: TypeAlias = tuple[str, str, str]


def flat_folder(text: str) -> tuple[str, list[Element]] | None:
    """Return a folder's name and its elements: name, attributes as they are written, and undecoded text.

    None where the folder is not flat, or might be malformed.
    """
    begin = text.find(">")
    name = text[1:begin]
    if not text.startswith("<") or (name not in _USUAL and _NAME.match(name) is None):
        return None
    elements = flat_elements(name, text)
    return None if elements is None else (name, elements)


def flat_elements(name: str, text: str) -> list[Element] | None:
    """Return the elements of a folder whose name is known. None as for `flat_folder`."""
    tag = f"{name}>"
    text = text.rstrip(" \0")
    start, end = len(tag) + 1, len(text) - len(tag) - 2
    if end < start or not text.startswith(f"<{tag}") or not text.endswith(f"</{tag}"):
        return None
    elements: list[Element] = _ELEMENT.findall(text, start, end)
    if len(elements) > MOST_ELEMENTS or (elements and not elements[-1][0]):
        return None
    return elements


def flat_attributes(attributes: str) -> tuple[str, bool]:
    """Return the attribute ``dt`` of an element, empty for none, and whether it says that the element is null."""
    if not attributes:
        return "", False
    null = attributes.endswith(_NIL)
    if null:
        attributes = attributes[: -len(_NIL)]
    return attributes[_BEFORE_TYPE:-1], null
