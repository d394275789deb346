"""DEFINE, ALTER, DELETE and CLEAR (channels.md 17.2)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mqbridge.bridge.queue_manager.control import StatusRow
from mqbridge.bridge.queue_manager.errors import MQError
from mqbridge.bridge.queue_manager.objects import (
    KINDS,
    MQRCCF,
    QUEUE_KINDS,
    Change,
    Definition,
    Kind,
    ObjectMissing,
    Table,
    Value,
    is_supplied,
)
from mqbridge.bridge.queue_manager.objects.attributes import Attribute
from mqbridge.bridge.queue_manager.objects.values import Switch
from mqbridge.bridge.queue_manager.queues.open_handle import OpenHandle
from mqbridge.bridge.queue_manager.security_records import remove_records
from mqbridge.protocol.constants import MQRC

from .context import Context
from .messages import changed, created, deleted
from .parser import Command, CommandParameter

_NEEDS_FORCE: dict[Kind, tuple[str, ...]] = {
    Kind.QLOCAL: ("USAGE",),
    Kind.QALIAS: ("TARGET", "TARGTYPE"),
    Kind.QREMOTE: ("RNAME", "RQMNAME", "XMITQ"),
}
"""Attributes that open handles depend on; while the object is open they are altered only with FORCE."""


def define(context: Context) -> None:
    """DEFINE object(name) [LIKE(object)] [REPLACE | NOREPLACE] attributes."""
    command, kind = context.command, Kind(context.command.noun)
    name = command.required_name("name")
    like = command.one("LIKE") or ""
    replace = command.flag("REPLACE")
    command.flag("NOREPLACE")
    if kind is Kind.TOPIC:
        command.word("TYPE", ("LOCAL",))
    selector, subtype = _selector(command, kind, required=True)
    attributes = take_attributes(command, KINDS[kind].tables[subtype])
    if selector:
        attributes[selector] = subtype
    old = context.objects.find(kind, name, attributes) if replace else None
    change = context.objects.define(
        kind, name, attributes, context.now, like=like, replace=replace, supplied=is_supplied(name)
    )
    if old is not None:
        _check_open(context, change)
    context.commit([change], created(kind))


def alter(context: Context) -> None:
    """ALTER object(name) attributes [FORCE]."""
    command, kind = context.command, Kind(context.command.noun)
    name = context.objects.name if kind is Kind.QMGR else command.required_name("name")
    force = command.flag("FORCE") if kind is Kind.QMGR or kind in QUEUE_KINDS else False
    if kind is Kind.TOPIC:
        command.word("TYPE", ("LOCAL",))
    selector, subtype = _selector(command, kind, required=False)
    given: dict[str, Value] = {selector: subtype} if subtype else {}
    old = context.objects.existing(kind, name, given)
    attributes = take_attributes(command, old.table, altering=True)
    change = context.objects.alter(kind, name, {**given, **attributes}, context.now)
    if force:
        _supersede(context, change)
    else:
        _check_open(context, change)
    context.commit([change], changed(kind))


def delete(context: Context) -> None:
    """DELETE object(name), for local queues with PURGE or NOPURGE, for queues and topics with AUTHREC(YES | NO)."""
    command, kind = context.command, Kind(context.command.noun)
    name = command.required_name("name")
    purge = command.flag("PURGE") if kind is Kind.QLOCAL else False
    if kind is Kind.QLOCAL:
        command.flag("NOPURGE")
    object_type = "QUEUE" if kind in QUEUE_KINDS else "TOPIC" if kind is Kind.TOPIC else ""
    with_records = bool(object_type) and command.word("AUTHREC", ("YES", "NO"), "YES") == "YES"
    ignore = command.word("IGNSTATE", ("YES", "NO"), "NO") == "YES"
    given: dict[str, Value] = {}
    if kind is Kind.CHANNEL and command.word("CHLTABLE", ("QMGRTBL", "CLNTTBL"), "QMGRTBL") == "CLNTTBL":
        given["CHLTYPE"] = "CLNTCONN"
    command.finish()
    try:
        old = context.objects.existing(kind, name, given)
    except ObjectMissing:
        if not ignore:
            raise
        context.answer(deleted(kind))
        return
    operations = []
    if kind is Kind.QLOCAL:
        operations = context.manager.drop_queue(name, purge=purge)
    elif kind in (Kind.QALIAS, Kind.QREMOTE) and _is_open(context, old):
        raise MQError(MQRC.OBJECT_IN_USE, f"{name} is open")
    elif kind is Kind.CHANNEL and old.subtype != "CLNTCONN":
        if context.control.active(name):
            context.refuse("AMQ9514", MQRCCF.CHANNEL_IN_USE, f"channel {name} is in use")
            return
        operations = context.control.deleted(name)
    elif kind is Kind.LISTENER and _runs(context.control.listeners(context.now), "LISTENER", name):
        context.refuse("AMQ8148", MQRCCF.LISTENER_STILL_ACTIVE, f"listener {name} is in use")
        return
    elif kind is Kind.SERVICE and _runs(context.control.services(context.now), "SERVICE", name):
        context.refuse("AMQ8148", MQRCCF.SERVICE_RUNNING, f"service {name} is running")
        return
    changes = [context.objects.delete(kind, name, given)]
    if with_records:
        changes += remove_records(context.objects, object_type, name)
    context.commit(changes, deleted(kind), extra=operations)


def _runs(rows: Iterable[StatusRow], keyword: str, name: str) -> bool:
    """Whether a listener or service with this name has a status other than STOPPED."""
    return any(row[keyword] == name and row["STATUS"] != "STOPPED" for row in rows)


def clear(context: Context) -> None:
    """CLEAR QLOCAL(name): remove all messages; refused while the queue is open or has uncommitted messages."""
    command = context.command
    name = command.required_name("name")
    command.finish()
    context.objects.existing(Kind.QLOCAL, name, {})
    then = context.stored("AMQ8022", failed=f"queue {name} could not be cleared")
    context.manager.clear_queue(name, context.now, then)


def take_attributes(command: Command, table: Table, altering: bool = False) -> dict[str, Value]:
    """Parse the remaining parameters as attributes of a table. Raises `MQSCSyntaxError` at the first wrong one."""
    values: dict[str, Value] = {}
    for parameter in list(command.parameters):
        attribute = _attribute(command, parameter, table, altering)
        if attribute.name in values:
            raise command.error(parameter.offset, f"{attribute.name} only once", f"'{parameter.keyword}'")
        values[attribute.name] = _value(command, parameter, attribute)
        command.parameters.remove(parameter)
    return values


def _attribute(command: Command, parameter: CommandParameter, table: Table, altering: bool) -> Attribute:
    attribute = command.located(parameter, lambda: table.find(parameter.keyword))
    if attribute.read_only:
        raise command.error(parameter.offset, "an attribute that can be set", f"'{parameter.keyword}'")
    if altering and attribute.create_only:
        raise command.error(parameter.offset, "an attribute that can be altered", f"'{parameter.keyword}'")
    return attribute


def _value(command: Command, parameter: CommandParameter, attribute: Attribute) -> Value:
    if isinstance(attribute.type, Switch):
        if parameter.values is not None:
            raise command.error(parameter.offset, f"{parameter.keyword} without a value")
        return parameter.keyword == attribute.type.on
    if parameter.values is None:
        raise command.error(parameter.offset, f"a value in parentheses after {parameter.keyword}")
    values = parameter.values
    return command.located(parameter, lambda: attribute.type.parse(values))


def _selector(command: Command, kind: Kind, required: bool) -> tuple[str, str]:
    """The attribute that selects the table and its word, such as (CHLTYPE, SDR); blank if not given."""
    info = KINDS[kind]
    if not info.selector:
        return "", ""
    word = command.word(info.selector, tuple(info.tables), info.assumed)
    if not word and required:
        raise command.error(command.name_offset, f"{info.selector} with one of {', '.join(info.tables)}")
    return info.selector, word


def _check_open(context: Context, change: Change) -> None:
    """Undo a change and raise `MQError` 2042 if it alters what open handles depend on."""
    old, new = change.old, change.new
    if old is None or new is None or not _affects_open(context, old, new):
        return
    context.objects.undo(change)
    raise MQError(MQRC.OBJECT_IN_USE, f"{old.name} is open; ALTER with FORCE changes it all the same")


def _affects_open(context: Context, old: Definition, new: Definition) -> bool:
    if any(old[keyword] != new[keyword] for keyword in _NEEDS_FORCE.get(old.kind, ())) and _is_open(context, old):
        return True
    queue = context.manager.queue(old.name) if old.flag("SHARE") and not new.flag("SHARE") else None
    return queue is not None and queue.input_count > 1


def _supersede(context: Context, change: Change) -> None:
    """Apply FORCE: further calls of handles that depend on altered attributes fail with 2041."""
    old, new = change.old, change.new
    if old is not None and new is not None and _affects_open(context, old, new):
        for handle in _open_handles(context, old):
            handle.target.superseded = True


def _is_open(context: Context, definition: Definition) -> bool:
    return next(_open_handles(context, definition), None) is not None


def _open_handles(context: Context, definition: Definition) -> Iterator[OpenHandle]:
    """Open handles that were resolved through a definition; those of remote queues are on a transmission queue."""
    own = context.manager.queue(definition.name)
    if own is not None:
        yield from own.handles
        return
    queues = (context.manager.queue(each.name) for each in context.objects.select(Kind.QLOCAL))
    handles = (handle for queue in queues if queue is not None for handle in queue.handles)
    yield from (handle for handle in handles if any(part.name == definition.name for part in handle.target.path))
