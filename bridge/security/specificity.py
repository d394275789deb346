"""Names with wildcards: what they match, and which of two is more specific.

There are two kinds. In patterns of channel authentication records, ``*`` matches any characters. In profiles of
authority records, names consist of qualifiers separated by periods: ``?`` matches one character of a qualifier, ``*``
any characters of one (alone: one whole qualifier), ``**`` any number of qualifiers.

Of two matching patterns, one without wildcards is more specific; otherwise they are compared character by character
from the left: an ordinary character precedes ``?``, ``?`` precedes ``*``, ``*`` precedes ``**``, and a longer pattern
precedes its own beginning.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Final, TypeAlias

Key: TypeAlias = tuple[bool, tuple[int, ...]]
"""Sorts the most specific pattern first."""

_ORDINARY: Final = 0
_RANKS: Final = {"?": 1, "*": 2, "**": 3}
_END: Final = 4
_CACHE: Final = 4096
_TOKENS = re.compile(r"\*\*|.", re.DOTALL)


@lru_cache(_CACHE)
def specificity(pattern: str, generic: str = "*") -> Key:
    """Return the sort key of a pattern in which the characters ``generic`` are wildcards."""
    ranks = []
    for token in _TOKENS.findall(pattern):
        if token[0] in generic:
            ranks.append(_RANKS[token])
        else:
            ranks.append(_ORDINARY)
    if not any(ranks):
        return False, ()
    return True, (*ranks, _END)


@lru_cache(_CACHE)
def _pattern(pattern: str) -> Callable[[str], object]:
    return re.compile(".*".join(re.escape(part) for part in pattern.split("*")), re.DOTALL).fullmatch


def matches_pattern(pattern: str, name: str) -> bool:
    """Return whether a name matches a pattern of a channel authentication record (channels.md 14)."""
    return pattern == name or ("*" in pattern and _pattern(pattern)(name) is not None)


@lru_cache(_CACHE)
def _profile(profile: str) -> Callable[[str], object]:
    parts = _single(profile.split("."))
    if parts == ["**"]:
        return re.compile(r".*", re.DOTALL).fullmatch
    written = ""
    for index, part in enumerate(parts):
        last = index == len(parts) - 1
        if part == "**" and last:
            written = written.removesuffix(r"\.") + r"(?:\.[^.]*)*"
        elif part == "**":
            written += r"(?:[^.]*\.)*"
        else:
            written += "".join(_character(token) for token in _TOKENS.findall(part)) + ("" if last else r"\.")
    return re.compile(written).fullmatch


def _single(parts: list[str]) -> list[str]:
    """Return the qualifiers with each run of ``**`` collapsed."""
    return [part for index, part in enumerate(parts) if part != "**" or index == 0 or parts[index - 1] != "**"]


def _character(token: str) -> str:
    if token == "?":
        return r"[^.]"
    if token == "**":
        return r".*"
    return r"[^.]*" if token == "*" else re.escape(token)


def matches_profile(profile: str, name: str) -> bool:
    """Return whether a name matches the profile of an authority record; no wildcard matches ``@class``."""
    if profile == name:
        return True
    return not name.startswith("@") and ("*" in profile or "?" in profile) and _profile(profile)(name) is not None
