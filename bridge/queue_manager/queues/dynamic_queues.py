"""Dynamic queues: created from a model queue by MQOPEN, deleted by MQCLOSE (mqi.md 2.5, 3)."""

from __future__ import annotations

from typing import Final

from mqbridge.bridge.queue_manager.core import Core
from mqbridge.bridge.queue_manager.errors import MQError
from mqbridge.bridge.queue_manager.objects import NAME_LENGTH, Change, Definition, Kind, date_and_time, is_name
from mqbridge.bridge.queue_manager.resolution import resolve
from mqbridge.bridge.queue_manager.security_records import remove_records
from mqbridge.bridge.queue_manager.target import Target
from mqbridge.bridge.store.interface import DropQueue
from mqbridge.mappings.moment import Time
from mqbridge.protocol.constants import MQRC

from .local_queue import LocalQueue

DEFAULT_NAME: Final = "AMQ.*"
MAX_PREFIX: Final = 33
"""Characters of DynamicQName before its ``*``."""
_ATTEMPTS: Final = 100


def make_dynamic_queue(core: Core, model: Definition, dynamic_name: str, now: Time) -> Target:
    """Create a local queue with the attributes of a model queue; durable with DEFTYPE(PERMDYN).

    ``dynamic_name``: the name, or a prefix and ``*`` for a unique suffix. Raises `MQError` 2011 and 2100.
    """
    change = add_dynamic_queue(core, model, dynamic_name, now)
    if change.operations:
        core.submit(change.operations)
    assert change.new is not None  # it was added
    return resolve(core, change.new.name, "")


def add_dynamic_queue(core: Core, model: Definition, dynamic_name: str, now: Time) -> Change:
    """As `make_dynamic_queue`, but the caller commits the change with others of its own."""
    name = _new_name(core, dynamic_name or DEFAULT_NAME)
    number = core.objects.next_number()
    plain = Definition(Kind.QLOCAL, name, {}, number)
    shared = {word: value for word, value in model.attributes.items() if word in plain.attributes}
    day, clock = date_and_time(now)
    dates = {"CRDATE": day, "CRTIME": clock, "ALTDATE": day, "ALTTIME": clock}
    return core.objects.add(Definition(Kind.QLOCAL, name, {**shared, **dates}, number))


def _new_name(core: Core, wanted: str) -> str:
    if not wanted.endswith("*"):
        if not is_name(wanted):
            raise MQError(MQRC.DYNAMIC_Q_NAME_ERROR, wanted)
        if core.objects.queue(wanted) is not None:
            raise MQError(MQRC.OBJECT_ALREADY_EXISTS, wanted)
        return wanted
    prefix = wanted[:-1]
    if len(prefix) > MAX_PREFIX or (prefix and not is_name(prefix)):
        raise MQError(MQRC.DYNAMIC_Q_NAME_ERROR, wanted)
    for _ in range(_ATTEMPTS):
        name = (prefix + core.ids.suffix())[:NAME_LENGTH]
        if core.objects.queue(name) is None:
            return name
    raise MQError(MQRC.OBJECT_ALREADY_EXISTS, wanted)


def delete_dynamic_queue(core: Core, queue: LocalQueue) -> None:
    """Delete a dynamic queue and its messages."""
    change = core.objects.delete(Kind.QLOCAL, queue.name)
    records = [] if queue.temporary else remove_records(core.objects, "QUEUE", queue.name)
    if change.operations:
        operations = [operation for each in (change, *records) for operation in each.operations]
        core.submit([DropQueue(queue.number), *operations])
