"""The wildcard schemes of subscriptions, topic and character (mqi.md 17 rows 3 and 4)."""

from __future__ import annotations

import re
from typing import Final, Protocol

from .topic_strings import SEPARATOR, is_at_or_below, levels_of

MANY_LEVELS: Final = "#"
ONE_LEVEL: Final = "+"
ANY_TEXT: Final = "*"
ANY_CHARACTER: Final = "?"
ESCAPE: Final = "%"


class Pattern(Protocol):
    """Topic string with wildcards. ``prefix``: the part before the first wildcard."""

    prefix: str

    def matches(self, topic: str) -> bool:
        """Whether a topic string matches; wildcard characters in it have no meaning."""
        ...

    def reaches_below(self, blocked: str) -> bool:
        """Whether it matches topics at and below ``blocked``, the topic string of an object with WILDCARD(BLOCK).

        Its first wildcard must not be above that topic.
        """
        ...


def make_pattern(topic: str, *, characters: bool) -> Pattern | str:
    """The pattern of a subscription's topic string, or the plain topic string if it has no wildcard.

    ``characters``: the scheme CHAR, with ``*``, ``?`` and ``%``; otherwise the topic scheme, with ``#`` and ``+``.
    """
    if characters:
        found = CharacterPattern(topic)
        return found.prefix if found.literal else found
    levels = levels_of(topic)
    return TopicPattern(levels) if MANY_LEVELS in levels or ONE_LEVEL in levels else topic


class TopicPattern:
    """The topic scheme: ``#`` matches any number of levels, also none, ``+`` one level; each must be a whole level."""

    __slots__ = ("levels", "prefix")

    def __init__(self, levels: list[str]) -> None:
        self.levels = levels
        first = next(at for at, level in enumerate(levels) if level in (MANY_LEVELS, ONE_LEVEL))
        self.prefix = SEPARATOR.join(levels[:first])

    def matches(self, topic: str) -> bool:
        """See `Pattern.matches`. Time: at most the product of the numbers of levels."""
        wanted, levels = self.levels, levels_of(topic)
        at = here = 0
        retry: tuple[int, int] | None = None
        while here < len(levels):
            if at < len(wanted) and wanted[at] == MANY_LEVELS:
                retry = (at + 1, here)
                at += 1
            elif at < len(wanted) and wanted[at] in (ONE_LEVEL, levels[here]):
                at += 1
                here += 1
            elif retry is not None:
                at, here = retry[0], retry[1] + 1
                retry = (at, here)
            else:
                return False
        return all(level == MANY_LEVELS for level in wanted[at:])

    def reaches_below(self, blocked: str) -> bool:
        """See `Pattern.reaches_below`."""
        return is_at_or_below(self.prefix, blocked)


class CharacterPattern:
    """The character scheme: ``*`` matches any text, ``?`` one character, both across levels; ``%`` escapes.

    ``%`` before anything but ``*``, ``?`` and ``%`` is a plain character. ``literal``: there is no wildcard, and
    ``prefix`` is the topic string.
    """

    __slots__ = ("_lengths", "_pieces", "literal", "prefix")

    def __init__(self, text: str) -> None:
        pieces: list[list[str]] = [[]]
        prefix: list[str] = []
        self.literal = True
        at = 0
        while at < len(text):
            character = text[at]
            if character == ESCAPE and text[at + 1 : at + 2] in (ANY_TEXT, ANY_CHARACTER, ESCAPE):
                at += 1
                character = text[at]
            elif character in (ANY_TEXT, ANY_CHARACTER):
                self.literal = False
                if character == ANY_TEXT:
                    pieces.append([])
                else:
                    pieces[-1].append(".")
                at += 1
                continue
            if self.literal:
                prefix.append(character)
            pieces[-1].append(re.escape(character))
            at += 1
        self.prefix = "".join(prefix)
        self._lengths = [len(piece) for piece in pieces]
        self._pieces = [re.compile("".join(piece), re.DOTALL) for piece in pieces]

    def matches(self, topic: str) -> bool:
        """See `Pattern.matches`. Pieces between asterisks are searched from left to right, the last one at the end."""
        pieces = self._pieces
        if len(pieces) == 1:
            return pieces[0].fullmatch(topic) is not None
        front = pieces[0].match(topic)
        end = len(topic) - self._lengths[-1]
        if front is None or end < front.end() or pieces[-1].match(topic, end) is None:
            return False
        here = front.end()
        for piece in pieces[1:-1]:
            found = piece.search(topic, here, end)
            if found is None:
                return False
            here = found.end()
        return True

    def reaches_below(self, blocked: str) -> bool:
        """See `Pattern.reaches_below`."""
        return is_at_or_below(self.prefix, blocked)
