"""Errors of the configuration."""

from __future__ import annotations

from pathlib import Path

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

    ``index``: which element of an array, from 0; None: the value itself.
    """

    def __init__(self, text: str, index: int | None = None) -> None:
        super().__init__(text)
        self.index = index
