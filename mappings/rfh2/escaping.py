"""References in the texts of folders and of map and stream bodies (jms-mapping.md 4.5)."""

from __future__ import annotations

import re
from typing import Final

_REFERENCE: Final = re.compile(r"&(?:#(\d{1,7})|#x([0-9A-Fa-f]{1,6})|(amp|lt|gt|quot|apos));", re.ASCII)
_NAMED: Final = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
_HIGH: Final = re.compile("[\U00010000-\U0010ffff]")
_MARKED: Final = re.compile("[&<>\"'\U00010000-\U0010ffff]")


def unescaped(text: str) -> str:
    """Return the text with references replaced; unknown references are kept."""
    return _REFERENCE.sub(_character, text) if "&" in text else text


def escaped(text: str) -> str:
    """Return text as IBM's client writes it, with references for what tags are made of and for quotes.

    Characters beyond the Basic Multilingual Plane become references too: in folders that client cannot read them as
    they are, and it misreads references for any other.
    """
    if _MARKED.search(text) is None:
        return text
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _HIGH.sub(_reference, text.replace('"', "&quot;").replace("'", "&apos;"))


def _reference(character: re.Match[str]) -> str:
    return f"&#x{ord(character[0]):x};"


def _character(reference: re.Match[str]) -> str:
    decimal, hexadecimal, name = reference.groups()
    if name:
        return _NAMED[name]
    number = int(decimal) if decimal else int(hexadecimal, 16)
    return chr(number) if number <= 0x10FFFF and not 0xD800 <= number <= 0xDFFF else reference[0]
