"""Alarms, once for each trouble and not at each retry."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from mqbridge.bridge.everyplace.effects import Alarm

MAX_TROUBLES: Final = 100_000
"""Most troubles that are remembered; the oldest is forgotten, and would be an alarm again."""


class Alarms:
    """``tell``: takes an alarm when a trouble begins or becomes another one."""

    __slots__ = ("_tell", "_texts")

    def __init__(self, tell: Callable[[Alarm], None]) -> None:
        self._tell = tell
        self._texts: dict[object, str] = {}

    def raise_for(self, key: object, name: str, text: str) -> None:
        """Something is wrong. ``key``: of the trouble. ``name``: of the object that it is about."""
        if self._texts.get(key) != text:
            self._texts[key] = text
            if len(self._texts) > MAX_TROUBLES:
                del self._texts[next(iter(self._texts))]
            self._tell(Alarm(name, text))

    def note(self, key: object, text: str) -> None:
        """Something is wrong that was told under another key, for `text` alone."""
        self._texts[key] = text

    def clear_all(self, *start: object) -> None:
        """Everything is right again whose key begins so."""
        for key in [each for each in self._texts if isinstance(each, tuple) and each[: len(start)] == start]:
            del self._texts[key]

    def clear(self, key: object) -> None:
        """It is right again."""
        self._texts.pop(key, None)

    def text(self, key: object) -> str:
        """Return what is wrong; empty if nothing is."""
        return self._texts.get(key, "")
