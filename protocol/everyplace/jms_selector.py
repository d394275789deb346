"""The subset of JMS selectors, mqe.md 22 (E-545 to E-552)::

selector    comparison { AND comparison }
comparison  identifier = literal | identifier IS NULL
literal     'text' | exact number | approximate number | TRUE | FALSE
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from . import jms_fields as names
from .errors import Code, EveryplaceError
from .field_types import FieldType
from .fields import Fields
from .jms_fields import check_identifier
from .jms_message import JmsMessage, group_of, is_jms
from .message import Message
from .reserved import SELECTOR

MAX_SELECTOR: Final = 4096
"""Longest selector, in characters."""
_TOKEN: Final = re.compile(
    r"""[ \t\f\r\n]*(?:
        (?P<text>'(?:[^']|'')*') |
        (?P<approximate>[+-]?(?:[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[+-]?[0-9]+[eE][+-]?[0-9]+) |
        (?P<exact>[+-]?[0-9]+) |
        (?P<word>[A-Za-z_$][A-Za-z0-9_$]*) |
        (?P<equals>=) |
        (?P<end>\Z)
    )""",
    re.VERBOSE,
)
_LONG: Final = range(-(2**63), 2**63)
_TEXTS: Final = (FieldType.UNICODE, FieldType.ASCII)
_HEADERS: Final[dict[str, tuple[tuple[FieldType, ...], Callable[[JmsMessage], Any]]]] = {
    "JMSDeliveryMode": ((FieldType.LONG,), lambda message: message.delivery_mode),
    "JMSPriority": ((FieldType.LONG,), lambda message: message.priority),
    "JMSMessageID": (_TEXTS, lambda message: message.message_id),
    "JMSTimestamp": ((FieldType.LONG,), lambda message: message.timestamp or None),
    "JMSCorrelationID": (_TEXTS, lambda message: message.correlation_id),
    "JMSType": (_TEXTS, lambda message: message.type),
}
"""Header fields that a selector may name: types of literals that they are compared with, and how they are read."""


class Comparison(NamedTuple):
    """One comparison. ``kinds``: types that a property must have; none of them for IS NULL."""

    name: str
    kinds: tuple[FieldType, ...]
    value: str | int | float | bool | None

    def holds(self, message: JmsMessage) -> bool:
        """Whether a message fulfils it; values of different types are never equal (E-549)."""
        header = _HEADERS.get(self.name)
        if header is not None:
            kinds, read = header
            found = read(message)
            return found is None if not self.kinds else self.kinds == kinds and bool(found == self.value)
        for group in (names.JMS_PROPERTIES, names.JMSX_PROPERTIES, names.PROVIDER_PROPERTIES):
            fields = group_of(message.message, group)
            if fields is not None and self.name in fields:
                found = fields.get(self.name)
                if not self.kinds:
                    return found is None
                return fields.type_of(self.name) in self.kinds and bool(found == self.value)
        return not self.kinds


class Selector:
    """A selector. Raises `EveryplaceError` SYNTAX for text that is none of the subset (E-548)."""

    __slots__ = ("comparisons", "text")

    def __init__(self, text: str) -> None:
        if len(text) > MAX_SELECTOR:
            raise EveryplaceError(Code.TOO_LONG, f"a selector of {len(text)} characters; {MAX_SELECTOR} are allowed")
        self.text = text
        self.comparisons = _Reader(text).comparisons()

    def accepts(self, message: Fields) -> bool:
        """Whether a message object is a JMS message that is selected."""
        if not is_jms(message):
            return False
        try:
            found = JmsMessage.of(Message.of(message))
            return all(each.holds(found) for each in self.comparisons)
        except EveryplaceError:
            return False


def selecting(text: str) -> Fields:
    """Return the filter that a selector is, for get, browse and listeners (E-552). Raises `EveryplaceError` SYNTAX."""
    Selector(text)
    found = Fields()
    found.put(SELECTOR, text, FieldType.UNICODE)
    return found


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._kind, self._token = "", ""
        self._next()

    def comparisons(self) -> tuple[Comparison, ...]:
        found: list[Comparison] = []
        while self._kind != "end":
            if found and not self._take("AND"):
                raise self._wrong("AND")
            found.append(self._comparison())
        return tuple(found)

    def _comparison(self) -> Comparison:
        name = self._token
        if self._kind != "word":
            raise self._wrong("a name")
        check_identifier(name)
        if name.startswith("JMS") and name not in _HEADERS and not name.startswith(("JMSX", "JMS_")):
            raise EveryplaceError(Code.SYNTAX, f"a selector cannot name {name}")
        self._next()
        if self._take("IS"):
            if not self._take("NULL"):
                raise self._wrong("NULL")
            return Comparison(name, (), None)
        if self._kind != "equals":
            raise self._wrong("= or IS NULL")
        self._next()
        kinds, value = self._literal()
        self._next()
        return Comparison(name, kinds, value)

    def _literal(self) -> tuple[tuple[FieldType, ...], str | int | float | bool]:
        token = self._token
        if self._kind == "text":
            return _TEXTS, token[1:-1].replace("''", "'")
        if self._kind == "exact" and int(token) in _LONG:
            return (FieldType.LONG,), int(token)
        if self._kind == "approximate" and abs(float(token)) != float("inf"):
            return (FieldType.DOUBLE,), float(token)
        if self._kind == "word" and token.upper() in ("TRUE", "FALSE"):
            return (FieldType.BOOLEAN,), token.upper() == "TRUE"
        raise self._wrong("a literal")

    def _take(self, word: str) -> bool:
        if self._kind == "word" and self._token.upper() == word:
            self._next()
            return True
        return False

    def _next(self) -> None:
        found = _TOKEN.match(self._text, self._at)
        if found is None:
            raise self._wrong("=, AND and IS NULL alone")
        self._at = found.end()
        self._kind = found.lastgroup or ""
        self._token = found[self._kind]

    def _wrong(self, wanted: str) -> EveryplaceError:
        near = self._text[max(self._at - len(self._token), 0) :][:30]
        return EveryplaceError(Code.SYNTAX, f"selector {self._text[:60]!r}, at {near!r}: {wanted} is expected")
