"""Source text of a command and its tokens: words, quoted texts, parentheses (channels.md 17.1 rules 2 to 4 and 8)."""

from __future__ import annotations

import bisect
import enum
import re
from dataclasses import dataclass, field

from mqbridge.bridge.queue_manager.objects import MQRCCF
from mqbridge.protocol.errors import MQBridgeError

from .secret_values import is_secret

_BARE = re.compile(r"[A-Za-z0-9._/%*]+|[+-][0-9]+")
_SEPARATORS = " \t,"
_DELIMITERS = " \t,();'"


class MQSCSyntaxError(MQBridgeError):
    """A command violates the rules of channels.md 17.1, or has an unknown keyword.

    `line` and `column` count from 1. `expected`, `found`: for the message.
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

    text: str = field(repr=False)
    starts: list[int] = field(default_factory=lambda: [0])
    places: list[tuple[int, int]] = field(default_factory=lambda: [(1, 1)])

    def position(self, offset: int) -> tuple[int, int]:
        """(line, column) of a character, both from 1."""
        piece = bisect.bisect_right(self.starts, offset) - 1
        line, column = self.places[piece]
        return line, column + offset - self.starts[piece]

    def error(self, offset: int, expected: str, found: str = "", *, reason: int | None = None) -> MQSCSyntaxError:
        """A syntax error at a character. What was ``found`` is not told if it is part of a password."""
        line, column = self.position(offset)
        if found and is_secret(self.text, offset):
            found = "something else"
        return MQSCSyntaxError(line, column, expected, found, reason=reason)


class TokenKind(enum.Enum):
    """What a token is."""

    WORD = "word"
    TEXT = "text"
    OPEN = "("
    CLOSE = ")"
    END = "end"


@dataclass(slots=True)
class Token:
    """A word (in upper case), a quoted text (as it is, without quotes), a parenthesis, or the end.

    `offset`: its first character in the source. `separated`: a blank or comma stands before it.
    """

    kind: TokenKind
    text: str
    offset: int
    separated: bool

    def described(self) -> str:
        """Its description in an error message."""
        if self.kind is TokenKind.END:
            return "the end of the command"
        return f"'{self.text}'"


def tokens(source: Source) -> list[Token]:
    """The tokens of a command, the END token last. Raises `MQSCSyntaxError`."""
    text = source.text
    found: list[Token] = []
    offset, separated = 0, True
    while offset < len(text):
        char = text[offset]
        start = offset
        if char in _SEPARATORS:
            offset += 1
            separated = True
            continue
        if char == ";":
            if text[offset + 1 :].strip():
                raise source.error(offset + 1, "nothing after ';'", f"'{text[offset + 1 :].strip()[:20]}'")
            break
        if char in "()":
            found.append(Token(TokenKind.OPEN if char == "(" else TokenKind.CLOSE, char, start, separated))
            offset += 1
        elif char == "'":
            value, offset = _quoted(source, offset)
            found.append(Token(TokenKind.TEXT, value, start, separated))
        else:
            while offset < len(text) and text[offset] not in _DELIMITERS:
                offset += 1
            word = text[start:offset]
            if not _BARE.fullmatch(word):
                raise source.error(start, "quotes around a value that has such characters", f"'{word}'")
            found.append(Token(TokenKind.WORD, word.upper(), start, separated))
        separated = False
    found.append(Token(TokenKind.END, "", len(text), True))
    return found


def _quoted(source: Source, start: int) -> tuple[str, int]:
    """The text in quotes that begins at `start`, and the offset behind it; two quotes inside are one."""
    text = source.text
    parts: list[str] = []
    offset = start + 1
    while True:
        end = text.find("'", offset)
        if end < 0:
            raise source.error(len(text), "a closing quote", "the end of the command")
        parts.append(text[offset:end])
        if text[end + 1 : end + 2] != "'":
            return "".join(parts), end + 1
        parts.append("'")
        offset = end + 2
