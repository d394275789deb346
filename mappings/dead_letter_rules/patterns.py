"""Pattern keywords: the fields they are about, and the tests of their values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from mqbridge.protocol.constants import MQAT, MQFB, MQMT, MQPER, MQRC, MQRCCF
from mqbridge.protocol.constants.base import MQInt

from .entries import RulesError, Value
from .facts import DeadLetter

MAX_NUMBER: Final = 999_999_999
ANY: Final = "*"

_TEXTS: Final = {
    "APPLIDAT": 32,
    "APPLNAME": 28,
    "DESTQ": 48,
    "DESTQM": 48,
    "FORMAT": 8,
    "REPLYQ": 48,
    "REPLYQM": 48,
    "USERID": 12,
}
"""Length of the field, in characters."""
_NUMBERS: Final[dict[str, tuple[type[MQInt], ...]]] = {
    "APPLTYPE": (MQAT,),
    "FEEDBACK": (MQFB, MQRC, MQRCCF),
    "MSGTYPE": (MQMT,),
    "PERSIST": (MQPER,),
    "REASON": (MQRC, MQFB, MQRCCF),
}
"""Families whose names stand for values."""
PATTERNS: Final = frozenset((*_TEXTS, *_NUMBERS))


@dataclass(frozen=True, slots=True)
class Pattern:
    """One test of a rule: the field of a `DeadLetter`, and its pattern as text or number."""

    keyword: str
    wanted: str | int

    def matches(self, letter: DeadLetter) -> bool:
        """Return whether a message has the value."""
        found = _FIELDS[self.keyword](letter)
        if isinstance(self.wanted, int):
            return bool(found == self.wanted)
        return glob(self.wanted, str(found).rstrip(" "))


_FIELDS: Final[dict[str, Callable[[DeadLetter], Any]]] = {
    "APPLIDAT": lambda letter: letter.applidat,
    "APPLNAME": lambda letter: letter.applname,
    "APPLTYPE": lambda letter: letter.appltype,
    "DESTQ": lambda letter: letter.destq,
    "DESTQM": lambda letter: letter.destqm,
    "FEEDBACK": lambda letter: letter.feedback,
    "FORMAT": lambda letter: letter.format,
    "MSGTYPE": lambda letter: letter.msgtype,
    "PERSIST": lambda letter: letter.persist,
    "REASON": lambda letter: letter.reason,
    "REPLYQ": lambda letter: letter.replyq,
    "REPLYQM": lambda letter: letter.replyqm,
    "USERID": lambda letter: letter.userid,
}


def read_pattern(value: Value) -> Pattern | None:
    """Return the test of a keyword; None where anything will do. Raises `RulesError`."""
    if value.text.rstrip(" ") == ANY:
        return None
    if value.keyword in _NUMBERS:
        return Pattern(value.keyword, read_number(value, *_NUMBERS[value.keyword]))
    text = value.text.rstrip(" ")
    longest = _TEXTS[value.keyword]
    if len(text) - text.count(ANY) > longest:
        raise value.wrong(f"{text!r} is longer than the field, which has {longest} characters")
    return Pattern(value.keyword, text)


def read_number(value: Value, *families: type[MQInt]) -> int:
    """Return a number, or the one that a name such as MQRC_Q_FULL stands for. Raises `RulesError`."""
    text = value.text.strip()
    if text.isascii() and text.isdigit():
        number = int(text) if len(text) <= len(str(MAX_NUMBER)) else MAX_NUMBER + 1
        if number > MAX_NUMBER:
            raise value.wrong(f"a number is at most {MAX_NUMBER}, not {text[:20]}")
        return number
    for family in families:
        if text.upper().startswith(family.prefix()):
            try:
                return int(family.from_text(text))
            except ValueError:
                break
    raise _no_number(value, families)


def _no_number(value: Value, families: tuple[type[MQInt], ...]) -> RulesError:
    names = "".join(f", or a name that begins with {family.prefix()}" for family in families[:1])
    return value.wrong(f"a number is expected{names}, not {value.text[:40]!r}; * stands for the whole value only")


def glob(pattern: str, text: str) -> bool:
    """Return whether text matches a pattern: ``?`` is any character, ``*`` any number of them.

    The time grows with the lengths multiplied at worst.
    """
    at = place = 0
    star = mark = -1
    while place < len(text):
        if at < len(pattern) and pattern[at] == "*":
            star, mark = at, place
            at += 1
        elif at < len(pattern) and pattern[at] in ("?", text[place]):
            at += 1
            place += 1
        elif star >= 0:
            mark += 1
            at, place = star + 1, mark
        else:
            return False
    return pattern[at:].strip("*") == ""
