"""Line numbers of the keys of a TOML document, which :mod:`tomllib` does not provide.

The document was parsed by :mod:`tomllib` before, so it is well-formed; this scanner only walks over keys and values and
records lines. It follows the grammar of TOML 1.0: tables, arrays of tables, dotted and quoted keys, inline tables,
multi-line arrays, the four kinds of strings, comments.
"""

from __future__ import annotations

import re
import tomllib

KeyPath = tuple[str | int, ...]
"""Keys and array indexes from the top of the document, such as ``("listener", 0, "endpoint")``."""

_BLANK = re.compile(r"(?:[ \t\n]|#[^\n]*)*")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_STRING = re.compile(
    r'"""(?:[^\\]|\\.)*?"{3,5}(?!")'
    r"|'''.*?'{3,5}(?!')"
    r'|"(?:[^"\\]|\\.)*"'
    r"|'[^']*'",
    re.DOTALL,
)
_BARE_VALUE = re.compile(r"[^,\]}#\n]*")
_ROW_BLANK = re.compile(r"[ \t]*")


def key_lines(text: str) -> dict[KeyPath, int]:
    """Return the line, from 1, of every key, table and array element of a well-formed TOML document."""
    return _Scanner(text.replace("\r\n", "\n")).scan()


class _Scanner:
    """One pass over a document; ``at`` is the offset of the next character."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.line = 1
        self.lines: dict[KeyPath, int] = {}
        self.array_sizes: dict[KeyPath, int] = {}

    def scan(self) -> dict[KeyPath, int]:
        table: KeyPath = ()
        self.take(_BLANK)
        while self.at < len(self.text):
            if self.text.startswith("[[", self.at):
                table = self.header("[[", "]]")
            elif self.text.startswith("[", self.at):
                table = self.header("[", "]")
            else:
                self.pair(table)
            self.take(_BLANK)
        return self.lines

    def take(self, pattern: re.Pattern[str]) -> str:
        """Consume what the pattern matches here, possibly nothing."""
        match = pattern.match(self.text, self.at)
        taken = match.group() if match else ""
        self.at += len(taken)
        self.line += taken.count("\n")
        return taken

    def skip(self, mark: str) -> bool:
        """Consume ``mark`` (which has no line ends) if it is next."""
        found = self.text.startswith(mark, self.at)
        if found:
            self.at += len(mark)
        return found

    def header(self, opening: str, closing: str) -> KeyPath:
        """Consume ``[table]`` or ``[[array of tables]]``; return its path with the index of its element."""
        line = self.line
        self.skip(opening)
        keys = self.keys()
        self.skip(closing)
        path = self.within((), keys[:-1])
        path = (*path, keys[-1])
        if opening == "[[":
            index = self.array_sizes.get(path, 0)
            self.array_sizes[path] = index + 1
            self.lines.setdefault(path, line)
            path = (*path, index)
        self.lines.setdefault(path, line)
        return path

    def within(self, table: KeyPath, keys: list[str]) -> KeyPath:
        """Return the path of a table within another; an array of tables on the way stands for its last element."""
        for key in keys:
            table = (*table, key)
            self.lines.setdefault(table, self.line)
            if table in self.array_sizes:
                table = (*table, self.array_sizes[table] - 1)
        return table

    def keys(self) -> list[str]:
        """Consume a dotted key."""
        keys = []
        while True:
            self.take(_ROW_BLANK)
            bare = self.take(_BARE_KEY)
            keys.append(bare or tomllib.loads(f"key = {self.take(_STRING)}")["key"])
            self.take(_ROW_BLANK)
            if not self.skip("."):
                return keys

    def pair(self, table: KeyPath) -> None:
        """Consume ``key = value``, in a table or in an inline table."""
        keys = self.keys()
        path = (*self.within(table, keys[:-1]), keys[-1])
        self.lines[path] = self.line
        self.skip("=")
        self.value(path)

    def value(self, path: KeyPath) -> None:
        self.take(_ROW_BLANK)
        if self.skip("["):
            index = 0
            while not self.ends("]"):
                element = (*path, index)
                self.lines[element] = self.line
                self.value(element)
                index += 1
        elif self.skip("{"):
            while not self.ends("}"):
                self.pair(path)
        elif not self.take(_STRING):
            self.take(_BARE_VALUE)

    def ends(self, closing: str) -> bool:
        """Consume blanks and a comma; return whether the array or inline table ends here."""
        self.take(_BLANK)
        if self.skip(","):
            self.take(_BLANK)
        return self.skip(closing) or self.at >= len(self.text)
