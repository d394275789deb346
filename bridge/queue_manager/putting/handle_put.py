"""MQPUT through a handle: groups and segments in logical order (mqi.md 6)."""

from __future__ import annotations

from typing import Final

from mqbridge.bridge.queue_manager.core import Core
from mqbridge.bridge.queue_manager.errors import MQError
from mqbridge.bridge.queue_manager.getting.finding import incomplete
from mqbridge.bridge.queue_manager.getting.groups import IN_GROUP, SEGMENT
from mqbridge.bridge.queue_manager.getting.handle_state import GroupPosition
from mqbridge.bridge.queue_manager.handle import Handle
from mqbridge.bridge.queue_manager.options import NO_ID, PutOptions
from mqbridge.bridge.queue_manager.queues.rows import GroupFields
from mqbridge.bridge.queue_manager.units_of_work import UnitOfWork
from mqbridge.mappings.descriptor import Descriptor, reader
from mqbridge.mappings.message import Message
from mqbridge.mappings.moment import Time
from mqbridge.protocol.constants import MQMF, MQOO, MQPER, MQPMO, MQRC, ByteOrder
from mqbridge.protocol.constants.lengths import MQMD_LENGTH_2

from .put import put

_READ_FLAGS: Final = {order: reader(order, "msg_flags") for order in ByteOrder}
_GROUPED: Final = int(IN_GROUP | SEGMENT)
_OUTPUT: Final = int(MQOO.OUTPUT)
_LOGICAL: Final = int(MQPMO.LOGICAL_ORDER)


def put_message(
    core: Core,
    handle: Handle,
    message: Message,
    options: PutOptions,
    unit: UnitOfWork,
    now: Time,
) -> int:
    """Put through a handle in a unit of work, also with MQPMO_LOGICAL_ORDER (mqi.md 6). Otherwise as `put`.

    Further warnings: 2241, 2242, 2245. Further errors: `MQError` 2039, 2185, 2241, 2242, 2245, 2257.
    """
    if not handle.options & _OUTPUT:
        handle.require(MQOO.OUTPUT)
    bits = options.options
    if options.delay:
        return core.put_later(handle, message, options, unit, now)
    state = handle.state
    if not bits & _LOGICAL and (state is None or not state.puts.current):
        reason = put(core, handle.target, message, options, unit, now)
        if len(message.raw_md) == MQMD_LENGTH_2 and _READ_FLAGS[message.order](message.raw_md)[0] & _GROUPED:
            _remember(handle, message, not unit.implicit, logical=False)
        return reason
    position = handle.remembered().puts
    inside = not unit.implicit
    warning = 0
    if bits & _LOGICAL:
        options = options.copy()
        options.options = bits & ~_LOGICAL
        _set_place(core, handle, message.md, position, inside)
    elif position.logical:
        fits = inside is position.in_unit
        warning = incomplete(position, "").reason if fits else int(MQRC.INCONSISTENT_UOW)
    reason = put(core, handle.target, message, options, unit, now)
    _remember(handle, message, inside, logical=bool(bits & _LOGICAL))
    return reason or warning


def _remember(handle: Handle, message: Message, inside: bool, *, logical: bool) -> None:
    md = message.md
    fields = GroupFields(md.group_id, md.msg_seq_number, md.offset, md.msg_flags)
    position = handle.remembered().puts
    position.follow(fields, len(message), in_unit=inside, logical=logical, persistent=md.persistence != 0)


def _set_place(core: Core, handle: Handle, md: Descriptor, position: GroupPosition, inside: bool) -> None:
    """Set GroupId, MsgSeqNumber and Offset in logical order (mqi.md 6.2, upper half of the table).

    Raises `MQError` 2257, 2241, 2242, 2245, 2185 if the message does not continue the handle's current group or
    message.
    """
    if md.version == 1:
        raise MQError(MQRC.WRONG_MD_VERSION, "LOGICAL_ORDER")
    flags = md.msg_flags
    if not position.current:
        new = flags & (IN_GROUP | SEGMENT | MQMF.SEGMENTATION_ALLOWED)
        md.set(group_id=core.ids.message_id() if new else NO_ID, msg_seq_number=1, offset=0)
        return
    if position.in_message and not flags & SEGMENT:
        raise MQError(MQRC.INCOMPLETE_MSG, "the message before is not finished")
    if position.in_group and not flags & IN_GROUP:
        raise MQError(MQRC.INCOMPLETE_GROUP, "the group is not finished")
    if inside is not position.in_unit:
        raise MQError(MQRC.INCONSISTENT_UOW, "the first item of the group was put the other way")
    persistence = md.persistence
    if persistence == MQPER.AS_Q_DEF and handle.target.path:
        persistence = handle.target.path[0].def_persistence
    if (persistence != 0) is not position.persistent:
        raise MQError(MQRC.INCONSISTENT_PERSISTENCE, "the first item of the group was put the other way")
    group_id, msg_seq_number, offset = position.next_item
    md.set(group_id=group_id, msg_seq_number=msg_seq_number, offset=offset)
