"""MQPUT, MQPUT1, MQSTAT and the reserving of message ids for a client."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mqbridge.bridge.agents.svrconn.descriptors import as_version, message_of
from mqbridge.bridge.agents.svrconn.distribution_lists import is_list, put_list, put_one_list
from mqbridge.bridge.agents.svrconn.topics import alternate_user_of, topic_handle
from mqbridge.bridge.queue_manager import MQError, PutOptions
from mqbridge.bridge.queue_manager.connections import Connection, PutNames
from mqbridge.bridge.security import options_of_put1
from mqbridge.mappings.descriptor import place
from mqbridge.mappings.message import Message
from mqbridge.protocol.constants import MQCO, MQOT, MQPMO, MQRC
from mqbridge.protocol.mqi import Put, Put1, Reserve, Stat

if TYPE_CHECKING:
    from mqbridge.bridge.agents.svrconn.hconn import Hconn

_NAME: Final = 48
_VERSION: Final = place("version")
_SYNCPOINT: Final = int(MQPMO.SYNCPOINT)
_RESOLVE_LOCAL: Final = int(MQPMO.RESOLVE_LOCAL_Q)
RESERVED_POSITION: Final = 24
"""Byte, from 1, in which the ids of asynchronous puts count up."""
MAX_RESERVED: Final = 256
"""Ids of one block: how a client carries into the next byte is not known (client-observed.md O-066)."""


class _Outcome:
    """Answers a put when it was placed and, if it is not part of a unit of work, when it is on disk."""

    __slots__ = ("call", "message", "names", "placed", "program", "stored", "warning")

    def __init__(self, program: Hconn, call: Put, message: Message) -> None:
        self.program = program
        self.call = call
        self.message = message
        self.names = PutNames()
        self.stored = False
        self.placed = False
        self.warning = 0

    def on_disk(self, error: MQError | None) -> None:
        """The store has answered."""
        if error is not None:
            self.program.fail(self.call, error)
            return
        self.stored = True
        self._finish()

    def in_place(self, warning: int) -> None:
        """The queue manager has taken it."""
        self.placed, self.warning = True, warning
        self._finish()

    def _finish(self) -> None:
        if not self.stored or not self.placed:
            return
        call, record, raw = self.call, self.call.options.record, self.message.raw_md
        if not call.wanted:
            return
        version = 1 if len(call.descriptor) < len(raw) else int.from_bytes(raw[_VERSION], call.order)
        call.descriptor = as_version(raw, version, call.order)
        record.resolved_q_name = call.field(self.names.resolved_object_name, _NAME)
        record.resolved_q_mgr_name = call.field(self.names.resolved_q_mgr_name, _NAME)
        remote = self.names.remote
        record.known_dest_count, record.unknown_dest_count = int(not remote), int(remote)
        self.program.reply(call, self.warning)


def _begin(program: Hconn, call: Put) -> tuple[Message, PutOptions, _Outcome]:
    message = message_of(call)
    options = PutOptions(call.options.record.options, program.application, delay=call.delay)
    outcome = _Outcome(program, call, message)
    outcome.stored = bool(options.options & _SYNCPOINT)
    return message, options, outcome


def _require_no_records(call: Put) -> None:
    """Raises 2154 for records of a put that is to no distribution list."""
    if call.options.record.recs_present:
        raise MQError(MQRC.RECS_PRESENT_ERROR, str(call.options.record.recs_present))


def put(program: Hconn, call: Put, now: float) -> None:
    """MQPUT."""
    connection = program.connected()
    message, options, outcome = _begin(program, call)
    opened = connection.list_of(call.handle)
    if opened is not None:
        put_list(program, call, opened, options, now)
        return
    _require_no_records(call)
    if call.wanted:
        outcome.names = connection.names(call.handle, local=bool(options.options & _RESOLVE_LOCAL))
    then = None if outcome.stored else outcome.on_disk
    outcome.in_place(connection.put(call.handle, message, options, now, then, context=call.options.record.context))


def put_one(program: Hconn, call: Put1, now: float) -> None:
    """MQPUT1."""
    connection, record = program.connected(), call.od.record
    message, options, outcome = _begin(program, call)
    if is_list(call.od):
        put_one_list(program, call, options, now)
        return
    _require_no_records(call)
    if record.object_type == MQOT.TOPIC:
        _publish_one(program, call, message, options, outcome, now)
        return
    name, manager_name = call.text(record.object_name), call.text(record.object_q_mgr_name)
    then = None if outcome.stored else outcome.on_disk
    warning = connection.put1(
        name,
        manager_name,
        message,
        options,
        now,
        then,
        context=call.options.record.context,
        alternate_user=alternate_user_of(call, call.od) if options.options & MQPMO.ALTERNATE_USER_AUTHORITY else "",
    )
    if call.wanted:
        outcome.names = _describe(program, call, name, manager_name)
    outcome.in_place(warning)


def _describe(program: Hconn, call: Put1, name: str, manager_name: str) -> PutNames:
    """Writes into the OD where a message went that was put in one step; the names."""
    manager, od = program.end.manager, call.od
    target = manager.resolve(name, manager_name)
    if target.model is not None:
        return PutNames(name, manager_name)  # its queue is gone again
    resolved = target.resolved(manager.name if call.options.record.options & _RESOLVE_LOCAL else "")
    if od.has("known_dest_count"):
        od.record.known_dest_count, od.record.unknown_dest_count = int(not target.remote), int(target.remote)
    if od.has("resolved_q_name"):
        od.record.resolved_q_name, od.record.resolved_q_mgr_name = (call.field(each, _NAME) for each in resolved)
    return PutNames(name, manager_name, *resolved, target.remote)


def _publish_one(
    program: Hconn, call: Put1, message: Message, options: PutOptions, outcome: _Outcome, now: float
) -> None:
    """MQPUT1 to a topic: opens, publishes and closes."""
    connection = program.connected()
    hobj = connection.handles.add(topic_handle(program, call, call.od, options_of_put1(options.options), now))
    options.options &= ~MQPMO.ALTERNATE_USER_AUTHORITY
    try:
        outcome.in_place(
            connection.put(
                hobj,
                message,
                options,
                now,
                None if outcome.stored else outcome.on_disk,
                context=call.options.record.context,
            )
        )
    finally:
        connection.close(hobj, int(MQCO.NONE), now)


def failed_unheard(program: Hconn, call: Put, error: MQError) -> None:
    """A put that nobody waits for was refused before it was tried: MQSTAT and MQCMIT tell."""
    connection, options = program.connection, call.options.record.options
    if connection is None:
        return
    if isinstance(call, Put1):
        names = PutNames(call.text(call.od.record.object_name), call.text(call.od.record.object_q_mgr_name))
        connection.put_failed(names, options, error)
    else:
        count_failed(connection, call.handle, options, error)


def count_failed(connection: Connection, hobj: int, options: int, error: MQError) -> None:
    """Counts a put through a handle as failed."""
    names = connection.names(hobj) if hobj in connection.handles else PutNames()
    connection.put_failed(names, options, error)


def reserve(program: Hconn, call: Reserve, now: float) -> None:
    """SPI RESERVE: ids that nobody else gets, for asynchronous puts."""
    del now
    program.connected()
    first = program.end.manager.connections.core.ids.block(MAX_RESERVED)
    count = min(call.count, MAX_RESERVED)
    program.end.machine.replies.reserve(call, count=count, position=RESERVED_POSITION, first_id=first)
    program.end.answered()


def status(program: Hconn, call: Stat, now: float) -> None:
    """MQSTAT."""
    del now
    found, record = program.connected().status(call.status_type), call.report.record
    record.comp_code, record.reason = found.completion, found.reason
    record.put_success_count = found.success_count
    record.put_warning_count = found.warning_count
    record.put_failure_count = found.failure_count
    record.object_type = found.object_type
    record.object_name = call.field(found.object_name, _NAME)
    record.object_q_mgr_name = call.field(found.object_q_mgr_name, _NAME)
    record.resolved_object_name = call.field(found.resolved_object_name, _NAME)
    record.resolved_q_mgr_name = call.field(found.resolved_q_mgr_name, _NAME)
    program.reply(call)
