"""Scripts: commands assembled from lines (channels.md 17.1 rule 7)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from .lexer import MQSCSyntaxError, Source

MAX_LINE = 2048
"""Longest line of a script in characters."""
MAX_COMMAND = 65536
"""Longest command in characters, all its lines together."""
ENDING_WORDS = ("END", "EXIT", "QUIT")
"""Commands that end a script or a session."""


class ScriptReader:
    """Assembles commands from lines.

    A line that starts with ``*`` is a comment; it and empty lines are skipped, also between continued lines. A trailing
    ``-`` continues at column 1 of the next line, ``+`` at its first nonblank character.
    """

    def __init__(self) -> None:
        self._line = 0
        self._pieces: list[str] = []
        self._starts: list[int] = []
        self._places: list[tuple[int, int]] = []
        self._length = 0
        self._sign = ""

    @property
    def pending(self) -> bool:
        """Whether the last line is to be continued."""
        return bool(self._sign)

    def feed(self, line: str) -> Source | None:
        """Add a line, with or without its line end. Returns the command that it completes, else None.

        Raises `MQSCSyntaxError` for a line or a command that is too long; pending lines are discarded then.
        """
        self._line += 1
        line = line.rstrip("\r\n")
        if len(line) > MAX_LINE:
            self._clear()
            raise MQSCSyntaxError(self._line, MAX_LINE + 1, f"a line of at most {MAX_LINE} characters")
        if line.startswith("*") or not line.strip(" \t"):
            return None
        text = line.rstrip(" \t")
        column = 1
        if self._sign != "-":
            stripped = text.lstrip(" \t")
            column += len(text) - len(stripped)
            text = stripped
        sign = text[-1] if text[-1] in "+-" else ""
        self._take(text[:-1] if sign else text, column)
        self._sign = sign
        return None if sign else self._complete()

    def end(self) -> Source | None:
        """End the script. Raises `MQSCSyntaxError` if the last line is to be continued."""
        if self.pending:
            line = self._line
            self._clear()
            raise MQSCSyntaxError(line + 1, 1, "a line that continues the command", "the end of the script")
        return None

    def _take(self, text: str, column: int) -> None:
        self._starts.append(self._length)
        self._places.append((self._line, column))
        self._pieces.append(text)
        self._length += len(text)
        if self._length > MAX_COMMAND:
            self._clear()
            raise MQSCSyntaxError(self._line, 1, f"a command of at most {MAX_COMMAND} characters")

    def _complete(self) -> Source:
        source = Source("".join(self._pieces), self._starts, self._places)
        self._clear()
        return source

    def _clear(self) -> None:
        self._pieces, self._starts, self._places, self._length, self._sign = [], [], [], 0, ""


def read_script(lines: Iterable[str]) -> Iterator[Source | MQSCSyntaxError]:
    """The commands of a script in order, up to END; a syntax error of a line stands in place of its command."""
    reader = ScriptReader()
    for line in lines:
        try:
            source = reader.feed(line)
        except MQSCSyntaxError as error:
            yield error
            continue
        if source is not None:
            if source.text.rstrip(" ;").upper() in ENDING_WORDS:
                return
            yield source
    try:
        reader.end()
    except MQSCSyntaxError as error:
        yield error
