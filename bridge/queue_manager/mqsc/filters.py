"""WHERE(attribute operator value) of DISPLAY (channels.md 17.2 rule 6)."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from mqbridge.bridge.queue_manager.objects import Attribute, ObjectError, matches
from mqbridge.bridge.queue_manager.objects.values import Integer, TextList, Word, WordList

from .parser import Command
from .replies import Cell

OPERATORS = ("LT", "GT", "EQ", "NE", "LE", "GE", "LK", "NL", "CT", "EX", "CTG", "EXG")

_ORDER: dict[str, Callable[[Any, Any], bool]] = {
    "LT": operator.lt,
    "GT": operator.gt,
    "EQ": operator.eq,
    "NE": operator.ne,
    "LE": operator.le,
    "GE": operator.ge,
}


@dataclass(slots=True)
class Filter:
    """One condition on one attribute.

    Numbers are compared by size and texts by their characters with LT, GT, EQ, NE, LE, GE. LK and NL take a generic
    value for texts. CT and EX ask whether a list holds the value, CTG and EXG whether it holds one that a generic
    value means; for a text they look at the text as a list of one.
    """

    keyword: str
    operator: str
    value: str
    number: int | None = None

    def accepts(self, cell: Cell | None) -> bool:
        """Whether a cell fulfils the condition; an object without the attribute does not."""
        if cell is None:
            return False
        if self.operator in _ORDER:
            if isinstance(cell.value, int) and not isinstance(cell.value, bool):
                return self.number is not None and _ORDER[self.operator](cell.value, self.number)
            return _ORDER[self.operator](self._text(cell), self.value)
        if self.operator in ("LK", "NL"):
            return matches(self.value, self._text(cell)) == (self.operator == "LK")
        items = cell.value if isinstance(cell.value, tuple) else (cell.text,)
        generic = self.operator in ("CTG", "EXG")
        held = any(matches(self.value, item) if generic else item == self.value for item in items)
        return held == (self.operator in ("CT", "CTG"))

    @staticmethod
    def _text(cell: Cell) -> str:
        if isinstance(cell.value, bool):
            return "YES" if cell.value else "NO"
        return cell.text


def take_filter(command: Command, find: Callable[[str], Attribute | None]) -> Filter | None:
    """Parse and remove WHERE of a command. Raises `MQSCSyntaxError`.

    `find`: from keyword to attribute, None for a field that is not an attribute; raises `AttributeUnknown` for others.
    """
    parameter = command.take("WHERE")
    if parameter is None:
        return None
    values = parameter.values or []
    if len(values) != 3 or values[1].upper() not in OPERATORS:
        expected = f"WHERE(attribute operator value) with an operator out of {', '.join(OPERATORS)}"
        raise command.error(parameter.offset, expected)
    keyword, sign, value = values[0].upper(), values[1].upper(), values[2].rstrip(" ")
    attribute = command.located(parameter, lambda: find(keyword))
    if attribute is not None:
        keyword = attribute.name
    kind = attribute.type if attribute is not None else None
    number: int | None = None
    if isinstance(kind, Integer):
        if sign not in _ORDER:
            raise command.error(parameter.offset, f"one of {', '.join(_ORDER)} for {keyword}", f"'{sign}'")
        number = command.located(parameter, lambda: _number(kind, value))
    elif kind is not None and sign in ("CT", "EX", "CTG", "EXG") and not isinstance(kind, TextList | WordList):
        raise command.error(parameter.offset, f"an operator for {keyword} other than {sign}, which is for lists")
    elif isinstance(kind, Word) and sign in _ORDER:
        value = command.located(parameter, lambda: str(kind.parse([value])))
    elif value.lstrip("+-").isdecimal():
        number = int(value)
    return Filter(keyword, sign, value, number)


def _number(kind: Integer, value: str) -> int:
    word = kind.words.get(value.upper())
    if word is not None:
        return word
    if not value.lstrip("+-").isdecimal() or len(value) > 19:
        raise ObjectError(f"'{value}' is not {kind.expected()}")
    return int(value)
