"""Tables of a TOML description, read key by key; faults name file, line, key and the nearest key that exists."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Iterator, Mapping
from difflib import get_close_matches
from typing import Any, Final, NoReturn

from mqbridge.mappings.key_lines import KeyPath, key_lines

from .errors import TemplateError
from .limits import MAX_TEXT

NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")
"""Names of transactions, fields and states."""
_MAX_SHOWN: Final = 60


def shown(value: object) -> str:
    """Return a value as a fault has it, shortened."""
    text = repr(value)
    return text if len(text) <= _MAX_SHOWN else text[: _MAX_SHOWN - 2] + " …"


def near(word: str, known: Collection[str], otherwise: str = "known here") -> str:
    """Return the hint for an unknown word: the nearest that is known, or all."""
    found = get_close_matches(word.lower(), known, n=1, cutoff=0.6)
    if found:
        return f"did you mean {found[0]!r}?"
    return f"{otherwise}: {', '.join(sorted(known)[:40])}" if known else ""


class Table:
    """One table. ``content``: keys and values. ``path``: from the top of the document."""

    __slots__ = ("content", "file", "lines", "path")

    def __init__(self, file: str, lines: Mapping[KeyPath, int], content: Mapping[str, Any], path: KeyPath) -> None:
        self.file = file
        self.lines = lines
        self.content = content
        self.path = path

    @property
    def name(self) -> str:
        """The table as in the file."""
        keys = ".".join(key for key in self.path if isinstance(key, str))
        return f"[{keys}]" if keys else "the top level"

    def fault(self, key: str | tuple[str | int, ...], problem: str, hint: str = "") -> TemplateError:
        """Return the error for a key, or for the table itself (empty)."""
        keys = (key,) if isinstance(key, str) and key else tuple(key)
        path = (*self.path, *keys)
        text = ".".join(str(each) for each in path)
        while path and path not in self.lines:
            path = path[:-1]
        return TemplateError(self.file, self.lines.get(path, 1), text, problem, hint)

    def wrong(self, key: str, expected: str) -> NoReturn:
        """Raise the error for a value that is not what it must be."""
        raise self.fault(key, f"{key!r} in {self.name} must be {expected}, not {shown(self.content[key])}")

    def allow(self, *keys: str) -> Table:
        """Return the table. Raises `TemplateError` for a key that is none of these."""
        for key in self.content:
            if key not in keys:
                raise self.fault(key, f"unknown key {key!r} in {self.name}", near(key, keys))
        return self

    def __contains__(self, key: str) -> bool:
        return key in self.content

    def need(self, key: str) -> Any:
        """Return the value of a key that must be there."""
        if key not in self.content:
            raise self.fault("", f"{self.name} has no {key!r}")
        return self.content[key]

    def text(self, key: str, default: str = "") -> str:
        """Return text."""
        value = self.content.get(key, default)
        return value if isinstance(value, str) else self.wrong(key, "text")

    def named(self, key: str) -> str:
        """Return a name that must be there."""
        value = self.need(key)
        if not isinstance(value, str) or not NAME.fullmatch(value):
            self.wrong(key, "a name: a letter, then letters, digits, - or _, at most 64")
        return str(value)

    def number(self, key: str, least: int, most: int, default: int | None = None) -> int:
        """Return a whole number; without default it must be there."""
        value = self.need(key) if default is None else self.content.get(key, default)
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            self.wrong(key, f"a whole number from {least} to {most}")
        return int(value)

    def seconds(self, key: str, least: float, most: float) -> float:
        """Return a time; 0 without the key."""
        if key not in self.content:
            return 0.0
        value = self.content[key]
        if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
            self.wrong(key, f"seconds from {least:g} to {most:g}")
        return float(value)

    def flag(self, key: str) -> bool:
        """Return true or false, which is the default."""
        value = self.content.get(key, False)
        return value if isinstance(value, bool) else self.wrong(key, "true or false")

    def choice(self, key: str, options: Collection[str], default: str = "") -> str:
        """Return one of some words; without default the key must be there."""
        value = self.content.get(key, default) if default else self.need(key)
        if not isinstance(value, str) or value not in options:
            hint = near(value, options, "there are") if isinstance(value, str) else ""
            raise self.fault(
                key, f"{key!r} in {self.name} must be one of {', '.join(options)}, not {shown(value)}", hint
            )
        return value

    def hex(self, key: str, most: int) -> bytes:
        """Return the bytes of hexadecimal digits, of which there may be blanks between."""
        value = self.need(key)
        found = unhex(value) if isinstance(value, str) else None
        if found is None or len(found) > most:
            self.wrong(key, f"hexadecimal digits of at most {most} bytes")
        return found or b""

    def table(self, key: str, content: Any = None) -> Table:
        """Return a table inside this one, empty without the key."""
        value = self.content.get(key, {}) if content is None else content
        if not isinstance(value, dict):
            self.wrong(key, "a table")
        return Table(self.file, self.lines, value, (*self.path, key))

    def tables(self, key: str, most: int) -> Iterator[Table]:
        """Yield the tables of an array, each with its place."""
        value = self.content.get(key, [])
        if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
            self.wrong(key, f"tables [[{key}]]")
        if len(value) > most:
            raise self.fault(key, f"{len(value)} of {key!r} in {self.name}; {most} are allowed")
        for index, each in enumerate(value):
            yield Table(self.file, self.lines, each, (*self.path, key, index))


def unhex(text: str) -> bytes | None:
    """Return the bytes of hexadecimal digits with blanks and line ends between them; None for any other text."""
    try:
        return bytes.fromhex(text)
    except ValueError:
        return None


def read_document(text: str, name: str) -> Table:
    """Return the top table of a description; ``name`` is that of its file. Raises `TemplateError`."""
    if len(text) > MAX_TEXT:
        raise TemplateError(name, None, "", f"longer than {MAX_TEXT} characters", "is it a protocol?")
    try:
        content = tomllib.loads(text)
        lines = key_lines(text)
    except tomllib.TOMLDecodeError as error:
        message = str(error)
        place = re.search(r" \(at (?:line (\d+), column \d+|end of document)\)$", message)
        line = int(place[1]) if place and place[1] else text.rstrip("\n").count("\n") + 1
        problem = message[: place.start()] if place else message
        raise TemplateError(name, line, "", f"not valid TOML: {problem[:1].lower()}{problem[1:]}") from None
    except RecursionError:
        raise TemplateError(name, None, "", "values inside values, too deep to read") from None
    return Table(name, lines, content, ())
