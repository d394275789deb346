"""Text of one command, where its characters came from, and what is wrong at one of them."""

from __future__ import annotations

import bisect
from dataclasses import dataclass, field

from mqbridge.bridge.queue_manager.objects import MQRCCF
from mqbridge.protocol.errors import MQBridgeError


class MQSCSyntaxError(MQBridgeError):
    """A command breaks the rules of channels.md 17.1, or names what does not exist.

    `line` and `column` count from 1. `expected` says what would have been right, `found` what stands there.
    """

    amq = "AMQ8405"
    reason: int = MQRCCF.PARM_SYNTAX_ERROR

    def __init__(self, line: int, column: int, expected: str, found: str = "", *, reason: int | None = None) -> None:
        clause = f"expected {expected}" + (f", found {found}" if found else "")
        super().__init__(f"line {line}, column {column}: {clause}")
        self.line = line
        self.column = column
        self.expected = expected
        self.found = found
        if reason is not None:
            self.reason = reason


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
