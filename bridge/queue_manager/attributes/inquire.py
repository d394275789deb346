"""MQINQ: attributes of queues, the queue manager, processes and namelists (mqi.md 16.2, mq-wire.md 5.10)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Final

from mqbridge.bridge.queue_manager.errors import MQError
from mqbridge.bridge.queue_manager.objects import Definition, Kind, inquire
from mqbridge.bridge.queue_manager.queues.local_queue import LocalQueue
from mqbridge.protocol.constants import MQCA, MQCC, MQIA, MQRC
from mqbridge.protocol.constants.attributes_character import character_length

MAX_SELECTORS: Final = 256
NOT_APPLICABLE: Final = -1
"""MQIAV_NOT_APPLICABLE: value of an integer attribute that the object does not have; a character one is asterisks."""
SYNCPOINT_AVAILABLE: Final = 1
CPI_LEVEL: Final = 101

_FIXED: Final[dict[Kind, dict[int, int]]] = {
    Kind.QMGR: {int(MQIA.SYNCPOINT): SYNCPOINT_AVAILABLE, int(MQIA.CPI_LEVEL): CPI_LEVEL}
}
_RUNNING: Final[dict[int, Callable[[LocalQueue], int]]] = {
    int(MQIA.CURRENT_Q_DEPTH): lambda queue: queue.depth,
    int(MQIA.OPEN_INPUT_COUNT): lambda queue: queue.input_count,
    int(MQIA.OPEN_OUTPUT_COUNT): lambda queue: queue.output_count,
}
_PRECEDENCE: Final = (
    int(MQRC.SELECTOR_NOT_FOR_TYPE),
    int(MQRC.INT_ATTR_COUNT_TOO_SMALL),
    int(MQRC.CHAR_ATTRS_TOO_SHORT),
)
"""Order of precedence of warnings."""


@dataclass(slots=True)
class Characters:
    """One character value: ``text`` without padding, None for asterisks, in a field of ``length`` bytes."""

    text: str | None
    length: int

    def packed(self, encode: Callable[[str], bytes]) -> bytes:
        """The field in a code page, padded with its blanks or truncated."""
        text = "*" * self.length if self.text is None else self.text
        data = encode(text)[: self.length]
        return data + encode(" ") * (self.length - len(data))


@dataclass(slots=True)
class InquiredAttributes:
    """Result of MQINQ: values in the order of the selectors, and 0 or the reason of a warning.

    ``char_length``: bytes of CharAttrs to return; the last field may be truncated.
    """

    integers: list[int] = field(default_factory=list)
    characters: list[Characters] = field(default_factory=list)
    char_length: int = 0
    reason: int = 0

    @property
    def completion(self) -> int:
        """MQCC_OK, or MQCC_WARNING."""
        return MQCC.WARNING if self.reason else MQCC.OK

    def packed(self, encode: Callable[[str], bytes]) -> bytes:
        """CharAttrs in a code page."""
        return b"".join(value.packed(encode) for value in self.characters)[: self.char_length]


def check_selectors(selectors: Sequence[int]) -> None:
    """Raise `MQError` 2066 for too many selectors, 2067 for an unknown one."""
    if len(selectors) > MAX_SELECTORS:
        raise MQError(MQRC.SELECTOR_LIMIT_EXCEEDED, str(len(selectors)))
    unknown = next((selector for selector in selectors if selector not in _known()), None)
    if unknown is not None:
        raise MQError(MQRC.SELECTOR_ERROR, str(unknown))


@cache
def _known() -> frozenset[int]:
    numbers = {int(selector) for family in (MQIA, MQCA) for selector in family}
    return frozenset(numbers - {MQIA.LAST, MQCA.LAST})


def inquire_attributes(
    definition: Definition, queue: LocalQueue | None, selectors: Sequence[int], int_count: int, char_length: int
) -> InquiredAttributes:
    """MQINQ of a definition. ``queue``: the local queue at run time, None for other objects.

    ``int_count``: IntAttrCount. ``char_length``: CharAttrLength in bytes. Raises `MQError` 2066, 2067, 2021, 2006.
    Warnings: 2068 (an attribute does not apply to the object), 2022 and 2008 (IntAttrs or CharAttrs too short).
    """
    check_selectors(selectors)
    if int_count < 0:
        raise MQError(MQRC.INT_ATTR_COUNT_ERROR, str(int_count))
    if char_length < 0:
        raise MQError(MQRC.CHAR_ATTR_LENGTH_ERROR, str(char_length))
    found = InquiredAttributes()
    warnings: set[int] = set()
    for selector in selectors:
        integer = selector <= MQIA.LAST
        value = _value(definition, queue, selector)
        if value is None:
            warnings.add(MQRC.SELECTOR_NOT_FOR_TYPE)
        if integer:
            found.integers.append(value if isinstance(value, int) else NOT_APPLICABLE)
        elif selector == MQCA.NAMES and isinstance(value, str):
            length = character_length(selector)
            found.characters += [Characters(name, length) for name in definition.texts("NAMES")]
        else:
            text = None if value is None else str(value)
            found.characters.append(Characters(text, character_length(selector)))
    if len(found.integers) > int_count:
        warnings.add(MQRC.INT_ATTR_COUNT_TOO_SMALL)
        del found.integers[int_count:]
    needed = sum(value.length for value in found.characters)
    if needed > char_length:
        warnings.add(MQRC.CHAR_ATTRS_TOO_SHORT)
    found.char_length = min(needed, char_length)
    found.reason = next((reason for reason in _PRECEDENCE if reason in warnings), 0)
    return found


def _value(definition: Definition, queue: LocalQueue | None, selector: int) -> int | str | None:
    fixed = _FIXED.get(definition.kind, {}).get(selector)
    if fixed is not None:
        return fixed
    if selector == MQIA.NAME_COUNT and definition.kind is Kind.NAMELIST:
        return len(definition.texts("NAMES"))
    running = _RUNNING.get(selector)
    if running is not None:
        return None if queue is None else running(queue)
    return inquire(definition, selector)
