"""Types of attribute values: how they are parsed from MQSC, kept and shown.

A value is kept as ``int``, ``str`` (words in upper case, text as given), ``bool`` (SHARE and NOSHARE) or a tuple of
strings (lists). A blank text is kept as the empty string and an empty list as ``()``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias

from .errors import ValueRefused
from .names import CONTROL, NAME_LENGTH, is_name

Value: TypeAlias = int | str | bool | tuple[str, ...]

_BARE = re.compile(r"[A-Z0-9._/%]+")


def quoted(text: str) -> str:
    """A text as an MQSC value: bare if possible, else in quotes; a blank text is ``' '``."""
    if not text:
        return "' '"
    return text if _BARE.fullmatch(text) else "'" + text.replace("'", "''") + "'"


def always_quoted(text: str) -> str:
    """A text in quotes, ``' '`` for a blank one."""
    return "'" + text.replace("'", "''") + "'" if text else "' '"


class ValueType(Protocol):
    """How values of one attribute are read and shown."""

    def parse(self, texts: Sequence[str]) -> Value:
        """The value of the texts between the parentheses in MQSC. Raises `ValueRefused`."""
        ...

    def check(self, value: Value) -> Value:
        """The value from a program in the form that is kept. Raises `ValueRefused`."""
        ...

    def show(self, value: Value) -> str:
        """The text between the parentheses in DISPLAY; empty for a blank value."""
        ...

    def write(self, value: Value) -> str:
        """The text between the parentheses in a script; `parse` returns the same value."""
        ...

    def expected(self) -> str:
        """A short description of valid values, for error messages."""
        ...


def _one(texts: Sequence[str], expected: str) -> str:
    if len(texts) != 1:
        raise ValueRefused(f"{len(texts)} values given, expected {expected}")
    return texts[0]


@dataclass(frozen=True, slots=True)
class Integer:
    """A whole number from `low` to `high`, or one of `words`, each of which stands for a number."""

    low: int
    high: int
    words: dict[str, int] = field(default_factory=dict)

    def parse(self, texts: Sequence[str]) -> Value:
        """A number in decimal digits, with a sign if negative, or a word; raises `ValueRefused`."""
        text = _one(texts, self.expected()).strip()
        word = self.words.get(text.upper())
        if word is not None:
            return word
        if not re.fullmatch(r"[+-]?[0-9]{1,18}", text) or not self.low <= int(text) <= self.high:
            raise ValueRefused(f"'{text}' is not {self.expected()}")
        return int(text)

    def check(self, value: Value) -> Value:
        """An integer within the range, or the number of a word; raises `ValueRefused`."""
        if isinstance(value, str):
            return self.parse([value])
        if not isinstance(value, int) or isinstance(value, bool):
            raise ValueRefused(f"{value!r} is not {self.expected()}")
        if value not in self.words.values() and not self.low <= value <= self.high:
            raise ValueRefused(f"{value} is not {self.expected()}")
        return value

    def show(self, value: Value) -> str:
        """Digits, or the word that stands for the number."""
        for word, number in self.words.items():
            if number == value and not self.low <= number <= self.high:
                return word
        return str(value)

    write = show

    def expected(self) -> str:
        """The range and the words."""
        return " or ".join([f"a number from {self.low} to {self.high}", *self.words])


@dataclass(frozen=True, slots=True)
class Word:
    """One word out of a list; `synonyms` are taken too and kept as the word they stand for."""

    words: tuple[str, ...]
    synonyms: dict[str, str] = field(default_factory=dict)

    def parse(self, texts: Sequence[str]) -> Value:
        """A word in any case; raises `ValueRefused`."""
        text = _one(texts, self.expected()).strip().upper()
        word = self.synonyms.get(text, text)
        if word not in self.words:
            raise ValueRefused(f"'{text}' is not {self.expected()}")
        return word

    def check(self, value: Value) -> Value:
        """A word of the list; raises `ValueRefused`."""
        if not isinstance(value, str):
            raise ValueRefused(f"{value!r} is not {self.expected()}")
        return self.parse([value])

    def show(self, value: Value) -> str:
        """The word."""
        return str(value)

    write = show

    def expected(self) -> str:
        """The words."""
        return "one of " + ", ".join(self.words)


@dataclass(frozen=True, slots=True)
class Text:
    """Up to `length` characters; `name` for names of objects (blank allowed); `secret` ones are never shown."""

    length: int
    name: bool = False
    secret: bool = False

    def parse(self, texts: Sequence[str]) -> Value:
        """One text; trailing blanks do not count. Raises `ValueRefused`."""
        return self.check(_one(texts, self.expected()))

    def check(self, value: Value) -> Value:
        """A text that fits; raises `ValueRefused`."""
        if not isinstance(value, str):
            raise ValueRefused(f"{'it' if self.secret else repr(value)} is not {self.expected()}")
        text = value.rstrip(" ")
        fits = len(text) <= self.length and not CONTROL.search(text)
        if not fits or (self.name and text and not is_name(text, self.length)):
            shown = "it" if self.secret else f"'{text}'"
            raise ValueRefused(f"{shown} is not {self.expected()}")
        return text

    def show(self, value: Value) -> str:
        """The text as it is, stars for a secret one."""
        return "********" if self.secret and value else str(value)

    def write(self, value: Value) -> str:
        """The text in quotes."""
        return always_quoted(str(value))

    def expected(self) -> str:
        """The length, and for names the rule."""
        return f"a name of at most {self.length} characters" if self.name else f"at most {self.length} characters"


@dataclass(frozen=True, slots=True)
class TextList:
    """Up to `count` texts of up to `length` characters each; `name` for names of objects."""

    count: int
    length: int
    name: bool = False

    def parse(self, texts: Sequence[str]) -> Value:
        """Any number of texts; raises `ValueRefused`."""
        return self.check(tuple(texts))

    def check(self, value: Value) -> Value:
        """A tuple of texts that fit, blank ones dropped; raises `ValueRefused`."""
        if isinstance(value, str):
            value = (value,)
        if not isinstance(value, tuple | list) or len(value) > self.count:
            raise ValueRefused(f"{value!r} is not {self.expected()}")
        one = Text(self.length, name=self.name)
        return tuple(text for text in (str(one.check(each)) for each in value) if text)

    def show(self, value: Value) -> str:
        """The texts with commas between them."""
        return ",".join(value) if isinstance(value, tuple) else str(value)

    def write(self, value: Value) -> str:
        """The texts in quotes with commas between them."""
        if not isinstance(value, tuple) or not value:
            return "' '"
        return ",".join(always_quoted(text) for text in value)

    def expected(self) -> str:
        """The count and the length."""
        return f"a list of at most {self.count} values of at most {self.length} characters"


@dataclass(frozen=True, slots=True)
class WordList:
    """Up to `count` different words out of a list, in the order given."""

    words: tuple[str, ...]
    count: int

    def parse(self, texts: Sequence[str]) -> Value:
        """Words in any case; raises `ValueRefused`."""
        return self.check(tuple(texts))

    def check(self, value: Value) -> Value:
        """A tuple of words of the list, at least one; raises `ValueRefused`."""
        if isinstance(value, str):
            value = (value,)
        if not isinstance(value, tuple | list) or not 0 < len(value) <= self.count:
            raise ValueRefused(f"{value!r} is not {self.expected()}")
        words = tuple(str(each).strip().upper() for each in value)
        if len(set(words)) != len(words) or any(word not in self.words for word in words):
            raise ValueRefused(f"'{','.join(words)}' is not {self.expected()}")
        return words

    def show(self, value: Value) -> str:
        """The words with commas between them."""
        return ",".join(value) if isinstance(value, tuple) else str(value)

    write = show

    def expected(self) -> str:
        """The words and how many."""
        return f"up to {self.count} of " + ", ".join(self.words)


@dataclass(frozen=True, slots=True)
class Switch:
    """A keyword without parentheses and its NO form: ``SHARE`` is True, ``NOSHARE`` False."""

    on: str
    off: str

    def parse(self, texts: Sequence[str]) -> Value:
        """Refused: the keyword itself is the value."""
        raise ValueRefused(f"expected {self.expected()} without a value, got {len(texts)} values")

    def check(self, value: Value) -> Value:
        """True or False, or one of the two keywords; raises `ValueRefused`."""
        if isinstance(value, bool):
            return value
        if value in (self.on, self.off):
            return value == self.on
        raise ValueRefused(f"{value!r} is not {self.expected()}")

    def show(self, value: Value) -> str:
        """The keyword that says so."""
        return self.on if value else self.off

    write = show

    def expected(self) -> str:
        """Both keywords."""
        return f"{self.on} or {self.off}"


NAME = Text(NAME_LENGTH, name=True)
"""The name of an object, or blank."""
