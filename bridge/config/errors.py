"""Errors of the configuration."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from mqbridge.protocol.errors import MQBridgeError


class ConfigError(MQBridgeError):
    """An invalid configuration.

    ``file``: the configuration file. ``line``: from 1; None if the fault has no line (a missing file). ``problem``:
    what is wrong, one clause. ``hint``: how to correct it, or empty.
    """

    def __init__(self, file: Path, line: int | None, problem: str, hint: str = "") -> None:
        place = f"{file}, line {line}" if line is not None else str(file)
        super().__init__(f"{place}: {problem}" + (f"; {hint}" if hint else ""))
        self.file = file
        self.line = line
        self.problem = problem
        self.hint = hint


class WrongValueError(ValueError):
    """A value of the wrong type or outside its range; the text says what is expected and what was found.

    ``index``: which element of an array, from 0, or which key of a table; None: the value itself.
    """

    def __init__(self, text: str, index: int | str | None = None) -> None:
        super().__init__(text)
        self.index = index


class TablePlace:
    """Place of a table in a configuration file, for faults that are found when its values are put together.

    ``lines``: by path of keys and array indexes from the top of the document.
    ``path``: of the table.
    """

    __slots__ = ("file", "lines", "path")

    def __init__(self, file: Path, lines: Mapping[tuple[str | int, ...], int], path: tuple[str | int, ...]) -> None:
        self.file = file
        self.lines = lines
        self.path = path

    def error(self, key: str | tuple[str | int, ...], problem: str, hint: str = "") -> ConfigError:
        """Build the error for a key of the table, for an element or key inside it, or for the table (no key)."""
        keys = (key,) if isinstance(key, str) and key else tuple(key)
        path = (*self.path, *keys)
        while path and path not in self.lines:
            path = path[:-1]
        return ConfigError(self.file, self.lines.get(path, 1), problem, hint)


NOWHERE: Final = TablePlace(Path("the configuration"), {}, ())
"""The place of settings that were not read from a file."""
