"""Text of one command and where its characters came from."""

from __future__ import annotations

import bisect
from dataclasses import dataclass, field

from .errors import MQSCSyntaxError


@dataclass(slots=True)
class Source:
    """A command as one line, made of pieces of input lines.

    `starts[i]` is the offset in `text` at which piece i begins, `places[i]` its (line, column) in the input.
    """

    text: str
    starts: list[int] = field(default_factory=lambda: [0])
    places: list[tuple[int, int]] = field(default_factory=lambda: [(1, 1)])

    def position(self, offset: int) -> tuple[int, int]:
        """(line, column) of a character, both from 1."""
        piece = bisect.bisect_right(self.starts, offset) - 1
        line, column = self.places[piece]
        return line, column + offset - self.starts[piece]

    def error(self, offset: int, expected: str, found: str = "", *, reason: int | None = None) -> MQSCSyntaxError:
        """A syntax error at a character."""
        line, column = self.position(offset)
        return MQSCSyntaxError(line, column, expected, found, reason=reason)
