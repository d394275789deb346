"""MQSET: change attributes of a queue (mqi.md 16.2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mqbridge.bridge.queue_manager.core import Core
from mqbridge.bridge.queue_manager.errors import MQError
from mqbridge.bridge.queue_manager.objects import Definition, Kind, ObjectError, Value, attribute_of
from mqbridge.bridge.queue_manager.putting.triggering import objects_changed
from mqbridge.bridge.queue_manager.units_of_work import PendingCommit
from mqbridge.mappings.moment import Time
from mqbridge.protocol.constants import MQCA, MQIA, MQRC

from .inquire import check_selectors

_INHIBIT: Final[dict[int, int]] = {
    MQIA.INHIBIT_PUT: MQRC.INHIBIT_VALUE_ERROR,
    MQIA.INHIBIT_GET: MQRC.INHIBIT_VALUE_ERROR,
}
_SETTABLE: Final[dict[Kind, dict[int, int]]] = {
    Kind.QLOCAL: {
        **_INHIBIT,
        MQIA.DIST_LISTS: MQRC.INHIBIT_VALUE_ERROR,
        MQIA.TRIGGER_CONTROL: MQRC.TRIGGER_CONTROL_ERROR,
        MQIA.TRIGGER_DEPTH: MQRC.TRIGGER_DEPTH_ERROR,
        MQIA.TRIGGER_MSG_PRIORITY: MQRC.TRIGGER_MSG_PRIORITY_ERR,
        MQIA.TRIGGER_TYPE: MQRC.TRIGGER_TYPE_ERROR,
    },
    Kind.QALIAS: _INHIBIT,
    Kind.QREMOTE: {MQIA.INHIBIT_PUT: MQRC.INHIBIT_VALUE_ERROR},
}
"""Integer attributes that MQSET may change, and the reason code for a wrong value of each."""


def set_attributes(
    core: Core,
    definition: Definition,
    selectors: Sequence[int],
    integers: Sequence[int],
    characters: Sequence[str],
    now: Time,
) -> PendingCommit | None:
    """MQSET: change a queue's definition at once. Returns the transaction; if it fails the change is undone.

    ``integers``, ``characters``: values in the order of their selectors. Raises `MQError` 2066, 2067 (unknown, or not
    settable), 2021 and 2006 (values missing), 2020, 2075 to 2078 (wrong values).
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
        wrong = allowed.get(selector)
        attribute = attribute_of(definition, selector)
        if wrong is None or attribute is None:
            raise MQError(MQRC.SELECTOR_ERROR, f"{selector} of {definition.name} cannot be set")
        number = next(numbers, None)
        if number is None:
            raise MQError(MQRC.INT_ATTR_COUNT_ERROR, str(selector))
        value = attribute.value_of(number)
        if value is None:
            raise MQError(wrong, f"{attribute.name}: {number}")
        given[attribute.name] = value
    return _alter(core, definition, given, now)


def _alter(core: Core, definition: Definition, given: dict[str, Value], now: Time) -> PendingCommit | None:
    try:
        change = core.objects.alter(definition.kind, definition.name, given, now)
    except ObjectError as error:
        raise MQError(MQRC.CHAR_ATTRS_ERROR, str(error)) from error
    objects_changed(core, now)
    if not change.operations:
        return None

    def stored(error: MQError | None) -> None:
        if error is not None:
            core.objects.undo(change)
            objects_changed(core, now)

    pending = core.submit(change.operations)
    pending.finish = stored
    return pending
