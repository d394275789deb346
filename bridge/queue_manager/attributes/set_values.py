"""MQSET: the attributes of a queue that a program may change (mqi.md 16.2)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from mqbridge.bridge.queue_manager.errors import MQError
from mqbridge.bridge.queue_manager.objects import MAX_PRIORITY, Definition, Kind, ObjectError, Value
from mqbridge.bridge.queue_manager.units_of_work import Then
from mqbridge.protocol.constants import MQCA, MQDL, MQIA, MQQA_GET, MQQA_PUT, MQRC, MQTC, MQTT

from .inquire import check_selectors

if TYPE_CHECKING:
    from mqbridge.bridge.queue_manager.manager import QueueManager

MAX_TRIGGER_DEPTH: Final = 999_999_999


@dataclass(frozen=True, slots=True)
class _Settable:
    """An attribute that MQSET changes: its MQSC keyword, what number means what, and the reason for a wrong one."""

    keyword: str
    value: Callable[[int], Value | None]
    reason: int


def _words(words: dict[int, Value]) -> Callable[[int], Value | None]:
    return words.get


def _range(low: int, high: int) -> Callable[[int], Value | None]:
    return lambda number: number if low <= number <= high else None


_INHIBIT: Final = int(MQRC.INHIBIT_VALUE_ERROR)
_PUT: Final = _Settable("PUT", _words({MQQA_PUT.ALLOWED: "ENABLED", MQQA_PUT.INHIBITED: "DISABLED"}), _INHIBIT)
_GET: Final = _Settable("GET", _words({MQQA_GET.ALLOWED: "ENABLED", MQQA_GET.INHIBITED: "DISABLED"}), _INHIBIT)
_TYPES: Final[dict[int, Value]] = {MQTT.NONE: "NONE", MQTT.FIRST: "FIRST", MQTT.EVERY: "EVERY", MQTT.DEPTH: "DEPTH"}
_LOCAL: Final[dict[int, _Settable]] = {
    int(MQIA.INHIBIT_PUT): _PUT,
    int(MQIA.INHIBIT_GET): _GET,
    int(MQIA.DIST_LISTS): _Settable("DISTL", _words({MQDL.NOT_SUPPORTED: "NO", MQDL.SUPPORTED: "YES"}), _INHIBIT),
    int(MQIA.TRIGGER_CONTROL): _Settable(
        "TRIGGER", _words({MQTC.OFF: False, MQTC.ON: True}), int(MQRC.TRIGGER_CONTROL_ERROR)
    ),
    int(MQIA.TRIGGER_DEPTH): _Settable("TRIGDPTH", _range(1, MAX_TRIGGER_DEPTH), int(MQRC.TRIGGER_DEPTH_ERROR)),
    int(MQIA.TRIGGER_MSG_PRIORITY): _Settable("TRIGMPRI", _range(0, MAX_PRIORITY), int(MQRC.TRIGGER_MSG_PRIORITY_ERR)),
    int(MQIA.TRIGGER_TYPE): _Settable("TRIGTYPE", _words(_TYPES), int(MQRC.TRIGGER_TYPE_ERROR)),
}
_SETTABLE: Final[dict[Kind, dict[int, _Settable]]] = {
    Kind.QLOCAL: _LOCAL,
    Kind.QALIAS: {int(MQIA.INHIBIT_PUT): _PUT, int(MQIA.INHIBIT_GET): _GET},
    Kind.QREMOTE: {int(MQIA.INHIBIT_PUT): _PUT},
}


def set_attributes(
    manager: QueueManager,
    definition: Definition,
    selectors: Sequence[int],
    integers: Sequence[int],
    characters: Sequence[str],
    now: float,
    then: Then | None = None,
) -> None:
    """Changes a queue's definition: in force at once, taken back where the store refuses it, which ``then`` tells.

    ``integers`` and ``characters`` are in the order of the selectors of each kind. Raises `MQError` 2066, 2067 (no
    selector, or not one that can be set), 2021 and 2006 (values are missing), 2020, 2075 to 2078 (wrong values).
    """
    check_selectors(selectors)
    allowed = _SETTABLE.get(definition.kind, {})
    numbers, texts = iter(integers), iter(characters)
    given: dict[str, Value] = {}
    for selector in selectors:
        if selector == MQCA.TRIGGER_DATA and definition.kind is Kind.QLOCAL:
            text = next(texts, None)
            if text is None:
                raise MQError(MQRC.CHAR_ATTR_LENGTH_ERROR, str(selector))
            given["TRIGDATA"] = text.rstrip(" \0")
            continue
        settable = allowed.get(selector)
        if settable is None:
            raise MQError(MQRC.SELECTOR_ERROR, f"{selector} of {definition.name} cannot be set")
        number = next(numbers, None)
        if number is None:
            raise MQError(MQRC.INT_ATTR_COUNT_ERROR, str(selector))
        value = settable.value(number)
        if value is None:
            raise MQError(settable.reason, f"{settable.keyword}: {number}")
        given[settable.keyword] = value
    _alter(manager, definition, given, now, then)


def _alter(
    manager: QueueManager, definition: Definition, given: dict[str, Value], now: float, then: Then | None
) -> None:
    try:
        change = manager.objects.alter(definition.kind, definition.name, given, now)
    except ObjectError as error:
        raise MQError(MQRC.CHAR_ATTRS_ERROR, str(error)) from error
    manager.objects_changed(now)

    def stored(error: MQError | None) -> None:
        if error is not None:
            manager.objects.undo(change)
            manager.objects_changed(now)
        if then is not None:
            then(error)

    if change.operations:
        manager.submit(change.operations, stored)
    else:
        stored(None)
