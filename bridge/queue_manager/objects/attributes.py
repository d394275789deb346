"""Attribute tables as data: which attributes a kind of object has, their types, defaults and when they may be set."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from .errors import AttributeUnknown
from .values import Integer, Switch, Text, TextList, Value, ValueType, Word, WordList


@dataclass(frozen=True, slots=True)
class Attribute:
    """One attribute.

    `name` is the MQSC keyword; `synonyms` are taken too. `create_only`: DEFINE sets it, ALTER cannot change it.
    `read_only`: kept or computed, shown, never set by a command. `selects`: it decides which table is used and is
    given with every DEFINE and ALTER (CHLTYPE, AUTHTYPE, TRPTYPE of a listener).
    """

    name: str
    type: ValueType
    default: Value
    synonyms: tuple[str, ...] = ()
    create_only: bool = False
    read_only: bool = False


def integer(
    name: str, low: int, high: int, default: int, *synonyms: str, words: Mapping[str, int] | None = None
) -> Attribute:
    """An attribute that is a number from `low` to `high` or one of `words`."""
    return Attribute(name, Integer(low, high, dict(words or {})), default, synonyms)


def word(name: str, *words: str, default: str | None = None, create_only: bool = False) -> Attribute:
    """An attribute that is one of `words`; the first is the default unless another is named."""
    return Attribute(name, Word(words), default if default is not None else words[0], create_only=create_only)


def text(name: str, length: int, default: str = "", *synonyms: str, secret: bool = False) -> Attribute:
    """An attribute that is a text of up to `length` characters."""
    return Attribute(name, Text(length, secret=secret), default, synonyms)


def named(name: str, default: str = "", *synonyms: str, length: int = 48) -> Attribute:
    """An attribute that is the name of an object, or blank."""
    return Attribute(name, Text(length, name=True), default, synonyms)


def texts(name: str, count: int, length: int) -> Attribute:
    """An attribute that is a list of texts, empty by default."""
    return Attribute(name, TextList(count, length), ())


def names(name: str, count: int = 256, length: int = 48) -> Attribute:
    """An attribute that is a list of names of objects, empty by default."""
    return Attribute(name, TextList(count, length, name=True), ())


def words(name: str, count: int, *choices: str) -> Attribute:
    """An attribute that is a list of words; the first choice alone is the default."""
    return Attribute(name, WordList(choices, count), (choices[0],))


def switch(on: str, default: bool) -> Attribute:
    """An attribute that is a keyword or its NO form, kept as a bool under the keyword."""
    return Attribute(on, Switch(on, "NO" + on), default)


def shown(name: str, length: int = 48, default: Value = "") -> Attribute:
    """An attribute that commands cannot set."""
    kind: ValueType = Text(length) if isinstance(default, str) else Integer(-(2**63), 2**63 - 1)
    return Attribute(name, kind, default, read_only=True)


class Table(Mapping[str, Attribute]):
    """The attributes of one kind of object, by keyword and in alphabetical order.

    `find` also knows synonyms and NO forms.
    """

    __slots__ = ("_attributes", "_keywords", "defaults")

    def __init__(self, attributes: Iterable[Attribute]) -> None:
        ordered = sorted(attributes, key=lambda attribute: attribute.name)
        self._attributes = {attribute.name: attribute for attribute in ordered}
        if len(self._attributes) != len(ordered):
            raise ValueError("an attribute is listed twice")
        self._keywords: dict[str, Attribute] = dict(self._attributes)
        for attribute in ordered:
            self._keywords.update((synonym, attribute) for synonym in attribute.synonyms)
            if isinstance(attribute.type, Switch):
                self._keywords[attribute.type.off] = attribute
        self.defaults: dict[str, Value] = {attribute.name: attribute.default for attribute in ordered}

    def __getitem__(self, name: str) -> Attribute:
        return self._attributes[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._attributes)

    def __len__(self) -> int:
        return len(self._attributes)

    def find(self, keyword: str) -> Attribute:
        """The attribute of a keyword, a synonym or a NO form; raises `AttributeUnknown`."""
        attribute = self._keywords.get(keyword)
        if attribute is None:
            raise AttributeUnknown(f"'{keyword}' is no attribute of this object")
        return attribute
