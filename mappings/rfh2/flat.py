"""A quick way through flat folders, as JMS clients write them: elements with texts, no groups, few attributes.

It takes a folder apart only where `read_folder` would find exactly the same; it gives up on everything else.
"""

from __future__ import annotations

import re
from typing import Final

MOST_ELEMENTS: Final = 256
"""Elements of a folder beyond which the careful way is taken."""

_NAME: Final = re.compile(r"""<([^\s<>/="'.&]++)>""")
_ELEMENT: Final = re.compile(r"""<([^\s<>/="'.&]++)((?: dt='[A-Za-z0-9.]++')?+(?: xsi:nil='true')?+)>([^<]*+)</\1>""")
_BEFORE_TYPE: Final = len(" dt='")
_NIL: Final = " xsi:nil='true'"

Element = tuple[str, str, str]


def flat_elements(text: str) -> tuple[str, list[Element]] | None:
    """Return a folder's name and its elements: name, attributes as they are written, and undecoded text.

    None where the folder is not flat, or might be malformed.
    """
    begin = _NAME.match(text)
    if begin is None:
        return None
    name = begin[1]
    text = text.rstrip(" \0")
    end = len(text) - len(name) - 3
    if end < begin.end() or not text.endswith(f"</{name}>"):
        return None
    inner = text[begin.end() : end]
    elements = _ELEMENT.findall(inner)
    if len(elements) > MOST_ELEMENTS:
        return None
    length = 0
    for element, attributes, content in elements:
        length += 2 * len(element) + len(attributes) + len(content) + 5
    return (name, elements) if length == len(inner) else None


def flat_attributes(attributes: str) -> tuple[str, bool]:
    """Return the attribute ``dt`` of an element, empty for none, and whether it says that the element is null."""
    if not attributes:
        return "", False
    null = attributes.endswith(_NIL)
    if null:
        attributes = attributes[: -len(_NIL)]
    return attributes[_BEFORE_TYPE:-1], null
