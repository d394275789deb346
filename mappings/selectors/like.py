"""Patterns of LIKE: ``_`` for one character, ``%`` for any number of them (mqi.md 18.1)."""

from __future__ import annotations

import re
from collections.abc import Callable


def like_pattern(pattern: str, escape: str) -> Callable[[str], bool]:
    """The test of a pattern; ``escape`` is one character or empty.

    What stands between two ``%`` is looked for once, from the left, and never again (an atomic group): the time grows
    with the text times the pattern at worst, not with all the ways in which they could be combined.
    """
    first, *others = _segments(pattern, escape)
    if not others:
        whole = re.compile(_expression(first), re.DOTALL)
        return lambda text: whole.fullmatch(text) is not None
    *middle, last = others
    front = re.compile(
        _expression(first) + "".join(f"(?>.*?{_expression(segment)})" for segment in middle if segment), re.DOTALL
    )
    end, length = re.compile(_expression(last), re.DOTALL), len(last)

    def fits(text: str) -> bool:
        found = front.match(text)
        start = len(text) - length
        return found is not None and start >= found.end() and end.match(text, start) is not None

    return fits


def search_length(pattern: str, escape: str) -> int:
    """Characters of the longest part between two ``%``: looking for it takes as long as their number times that of the
    text at worst."""
    return max(map(len, _segments(pattern, escape)[1:-1]), default=0)


def _segments(pattern: str, escape: str) -> list[list[str | None]]:
    """The parts between ``%``: characters, None for any one."""
    segments: list[list[str | None]] = [[]]
    characters = iter(pattern)
    for character in characters:
        if escape and character == escape:
            segments[-1].append(next(characters, ""))
        elif character == "%":
            segments.append([])
        else:
            segments[-1].append(None if character == "_" else character)
    return segments


def _expression(segment: list[str | None]) -> str:
    found: list[str] = []
    run = 0
    for character in (*segment, ""):
        if character is None:
            run += 1
            continue
        if run:
            found.append(f".{{{run}}}")
            run = 0
        found.append(re.escape(character))
    return "".join(found)
