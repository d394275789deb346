"""Parameters in the name of a rule: ``name:value,key=value``."""

from __future__ import annotations

from collections.abc import Sequence

from mqbridge.protocol.everyplace.errors import Code, EveryplaceError


def split(text: str) -> tuple[str, str]:
    """Return the name of a plug-in and its parameters: what stands before and behind the first colon."""
    name, _, parameters = text.partition(":")
    return name.strip(), parameters


class Parameters:
    """The parameters of one rule, taken one after the other; `end` refuses what is left.

    All raise `EveryplaceError` SYNTAX for what they do not understand. ``rule``: its name, for texts.
    """

    def __init__(self, rule: str, text: str) -> None:
        self._rule = rule
        self._words: list[str] = []
        self._values: dict[str, str] = {}
        for part in filter(None, (each.strip() for each in text.split(","))):
            key, equals, value = part.partition("=")
            if not equals:
                self._words.append(part)
            elif key in self._values:
                raise self.error(f"{key} is given twice")
            else:
                self._values[key.strip()] = value.strip()

    def words(self) -> list[str]:
        """Take all that have no key."""
        words, self._words = self._words, []
        return words

    def text(self, key: str, default: str = "") -> str:
        """Take a text."""
        return self._values.pop(key, default)

    def word(self, key: str, default: str, allowed: Sequence[str]) -> str:
        """Take one of some words."""
        found = self.text(key, default)
        if found not in allowed:
            raise self.error(f"{key}={found[:40]} is none of {', '.join(allowed)}")
        return found

    def integer(self, key: str, default: int) -> int:
        """Take a whole number from 0."""
        found = self.text(key, str(default))
        if not (found.isascii() and found.isdecimal() and len(found) < 10):
            raise self.error(f"{key}={found[:40]} is no whole number")
        return int(found)

    def number(self, key: str, default: float) -> float:
        """Take a number from 0."""
        found = self.text(key, str(default))
        try:
            value = float(found)
        except ValueError:
            value = -1.0
        if not 0 <= value < 1e9:
            raise self.error(f"{key}={found[:40]} is no number")
        return value

    def end(self) -> None:
        """Refuse what has not been taken."""
        left = [*self._words, *self._values]
        if left:
            raise self.error(f"it has no {left[0][:40]!r}")

    def error(self, text: str) -> EveryplaceError:
        """Return the error for a parameter."""
        return EveryplaceError(Code.SYNTAX, f"rule {self._rule}: {text}")
