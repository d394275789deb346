"""Place a message on a queue: from a target and a message to a row, in a unit of work (mqi.md 4, 5).

A few fields of the descriptor are read; descriptor and data are kept unchanged. Descriptors of programs have been
completed before (``descriptors``).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mqbridge.bridge.queue_manager.committing import require_room
from mqbridge.bridge.queue_manager.core import Core
from mqbridge.bridge.queue_manager.errors import MQError
from mqbridge.bridge.queue_manager.objects import NO_LIMIT
from mqbridge.bridge.queue_manager.queues.bodies import (
    NONPERSISTENT_MEMORY,
    STAGE_MINIMUM,
    UNIT_MEMORY,
    BodyInParts,
    hold,
    memory_of,
    stage,
    stage_tail,
    staged_for_store,
)
from mqbridge.bridge.queue_manager.queues.rows import (
    GROUPED,
    ORDER_FLAGS,
    PERSISTENT,
    PUT_BY,
    REPORTS,
    STORED,
    VERSION_2,
    milliseconds,
    pack_group,
    pack_report,
    pack_tail,
    pack_user,
)
from mqbridge.bridge.queue_manager.target import Target
from mqbridge.bridge.queue_manager.uncommitted_puts import UncommittedPut
from mqbridge.bridge.queue_manager.units_of_work import UnitOfWork, UnitState
from mqbridge.bridge.store.interface import Body as StoreBody
from mqbridge.bridge.store.interface import StoreError
from mqbridge.mappings.body import Body, BodyPieces
from mqbridge.mappings.descriptor import bounds, patcher, reader
from mqbridge.mappings.message import Message
from mqbridge.mappings.moment import Time
from mqbridge.mappings.mq import (
    NATIVE_ORDER,
    announces_extension,
    has_format,
    merge_extension,
    native_descriptor,
    wrap_head,
)
from mqbridge.mappings.reports import ANY_REPORT
from mqbridge.protocol.constants import MQEI, MQFMT, MQMT, MQPER, MQPRI, MQRC, ByteOrder
from mqbridge.protocol.constants.lengths import MQMD_LENGTH_1, MQXQH_LENGTH_1
from mqbridge.protocol.errors import MQBridgeError

_READ = {
    o: reader(o, "version", "report", "expiry", "priority", "persistence", "msg_id", "correl_id") for o in ByteOrder
}
_READ_GROUP = {order: reader(order, "group_id", "msg_seq_number", "offset", "msg_flags") for order in ByteOrder}
_READ_REPORT = {order: reader(order, "msg_type", "feedback", "original_length") for order in ByteOrder}
_SET_EXPIRY = {order: patcher(order, "expiry") for order in ByteOrder}
_SET_PRIORITY = {order: patcher(order, "priority") for order in ByteOrder}
_SET_PERSISTENCE = {order: patcher(order, "persistence") for order in ByteOrder}
_MD_IDS: Final = (b"MD  ", b"\xd4\xc4\x40\x40")
_XQH_IDS: Final = (b"XQH ", b"\xe7\xd8\xc8\x40")
_NO_GROUP: Final = (bytes(24), 1, 0, 0)
_REPORT: Final = int(MQMT.REPORT)
_AS_Q_DEF: Final = int(MQPER.AS_Q_DEF)
_UNLIMITED: Final = int(MQEI.UNLIMITED)
_PERSISTENT: Final = int(MQPER.PERSISTENT)
_ACTIVE: Final = UnitState.ACTIVE
_MSG_ID, _BEHIND_MSG_ID = bounds("msg_id")
_MDE_FORMAT: Final = bounds("format")[0]
_MDE_FORMAT_END: Final = _MDE_FORMAT + 6
_MDE_FORMATS: Final = tuple(MQFMT.MD_EXTENSION.rstrip().encode(page) for page in ("ascii", "cp500"))
"""First bytes of a Format that announces an MQMDE, in ASCII and in EBCDIC."""
MAX_PRIORITY: Final = 9


def place(
    core: Core, target: Target, message: Message, user: str, work: UnitOfWork, now: Time, uncounted: int = 0
) -> tuple[int, bool]:
    """Add a message to a unit of work; only descriptor fields that the definitions on the path determine are changed.

    ``user``: with whose authority it is put, already checked; recorded in the row if needed later. ``uncounted``: bytes
    of properties in the data that the queue manager has added, which MAXMSGL does not limit.

    Returns its Report options and whether its priority is above 9. Raises `MQError`: 2013, 2024, 2026, 2030, 2031,
    2047, 2048, 2050 to 2053, 2056, 2260.
    """
    queue = target.require_puttable()
    require_room(core, work)
    raw_md = message.raw_md
    if raw_md[:4] not in _MD_IDS:
        raise MQError(MQRC.MD_ERROR, f"begins with {raw_md[:4].hex()}")
    if raw_md[_MDE_FORMAT:_MDE_FORMAT_END] in _MDE_FORMATS and announces_extension(raw_md):
        merged = merge_extension(message)
        raw_md = message.raw_md = merged.raw_md
        message.body = merged.body
    order, ccsid, body = message.order, message.ccsid, message.body
    version, report, expiry, priority, persistence, msg_id, correl_id = _READ[order](raw_md)
    first = len(raw_md) == MQMD_LENGTH_1
    if version != (1 if first else 2):
        raise MQError(MQRC.MD_ERROR, f"version {version} in {len(raw_md)} bytes")
    if priority < 0 or persistence == _AS_Q_DEF or target.cap_expiry:
        raw_md = _effective(target, order, raw_md, expiry, priority, persistence)
        message.raw_md = raw_md
        version, report, expiry, priority, persistence, msg_id, correl_id = _READ[order](raw_md)
    if persistence > 1:
        raise MQError(MQRC.PERSISTENCE_ERROR, str(persistence))
    if expiry <= 0 and expiry != _UNLIMITED:
        raise MQError(MQRC.EXPIRY_ERROR, str(expiry))
    data_length = len(body)
    length = data_length - uncounted
    flags = PUT_BY if report & ANY_REPORT or queue.names_putter else 0
    if queue.is_transmission_queue and not target.remote:
        _require_header(message)
        length -= MQXQH_LENGTH_1
        flags = PUT_BY
    if length > queue.max_message_length:
        raise MQError(MQRC.MSG_TOO_BIG_FOR_Q, f"{queue.name}: {length} bytes, MAXMSGL {queue.max_message_length}")
    if length > core.max_message_length:
        raise MQError(MQRC.MSG_TOO_BIG_FOR_Q_MGR, f"{length} bytes, MAXMSGL {core.max_message_length}")
    if queue.visible + queue.uncommitted_puts >= queue.max_depth:
        if queue.meter is not None:
            queue.meter.full(queue, now)
        raise MQError(MQRC.Q_FULL, f"{queue.name}: MAXDEPTH {queue.max_depth}")
    if persistence and queue.temporary:
        raise MQError(MQRC.PERSISTENT_NOT_ALLOWED, queue.name)
    group = None
    if not first:
        group = _READ_GROUP[order](raw_md)
    head = raw_md
    if target.remote:
        head, order, ccsid, msg_id, correl_id = _wrapped(core, target, message, expiry)
        group = None
    elif group is not None:
        flags |= VERSION_2
        if group != _NO_GROUP:
            flags |= GROUPED
            if _READ_REPORT[order](raw_md)[0] == _REPORT:
                flags |= REPORTS
    flags |= ORDER_FLAGS[order]
    if persistence:
        flags |= PERSISTENT | STORED
    elif queue.keeps_nonpersistent:
        flags |= STORED
    put_time = int(now * 1000) if type(now) is float else milliseconds(now)
    tail = pack_tail(
        flags,
        priority if priority < MAX_PRIORITY else MAX_PRIORITY,
        ccsid,
        report,
        put_time,
        0 if expiry < 0 else put_time + expiry * 100,
        data_length + len(head) - MQMD_LENGTH_1 if target.remote else data_length,
        0,
        msg_id,
        correl_id,
    )
    if flags & GROUPED and group is not None:
        tail += pack_group(*group)
        if flags & REPORTS:
            _, feedback, original_length = _READ_REPORT[order](raw_md)
            tail += pack_report(original_length, feedback)
    if flags & PUT_BY:
        tail += pack_user(user)
    uncommitted = UncommittedPut(queue, priority, tail, None, None)
    try:
        if flags & STORED:
            if type(body) is bytes and data_length <= STAGE_MINIMUM:
                work.bytes_held += data_length
                uncommitted.stored = [head, body]
            else:
                uncommitted.stored = _for_store(core, work, head, body)
        else:
            uncommitted.held = held = hold(core.store, head, body, core.memory_used >= NONPERSISTENT_MEMORY)
            core.memory_used += memory_of(held)
    except StoreError as error:
        raise core.store_error(error, queue.name) from error
    work.puts.append(uncommitted)
    queue.uncommitted_puts += 1
    if queue.meter is not None:
        queue.meter.put(queue, now)
    return report, priority > MAX_PRIORITY


def place_usual(
    core: Core,
    target: Target,
    messages: Sequence[bytes],
    start: int,
    order: ByteOrder,
    ccsid: int,
    user: str,
    work: UnitOfWork,
    now: Time,
) -> int:
    """Add the messages from ``start`` on to a unit of work, up to the first that is not usual. Returns how many.

    ``messages``: descriptor of version 1 and data of each, in one piece. Usual is a message of moderate length, without
    reports, expiry, and values that definitions determine, for which a local queue has room. Each is added as `put`
    does it for an agent, which is to put the others, or to find why they cannot be put.
    """
    queue = target.queue
    if queue is None or target.remote or target.cap_expiry or (queue.reserved and user):
        return 0
    if queue.is_transmission_queue or queue.names_putter or queue.meter is not None or work.state is not _ACTIVE:
        return 0
    target.require_puttable()
    room = queue.max_depth - queue.visible - queue.uncommitted_puts
    if not work.implicit:
        room = min(room, core.max_uncommitted - work.count)
    longest = MQMD_LENGTH_1 + min(queue.max_message_length, core.max_message_length, STAGE_MINIMUM)
    read, form = _READ[order], ORDER_FLAGS[order]
    put_time = int(now * 1000) if type(now) is float else milliseconds(now)
    puts, first = work.puts, len(work.puts)
    for content in messages[start : start + max(room, 0)]:
        length = len(content)
        if length > longest or content[:4] not in _MD_IDS:
            break
        if content[_MDE_FORMAT:_MDE_FORMAT_END] in _MDE_FORMATS:
            break
        version, report, expiry, priority, persistence, msg_id, correl_id = read(content)
        if version != 1 or report or expiry != _UNLIMITED or priority < 0:
            break
        stored: bytes | None = content
        if persistence == _PERSISTENT and not queue.temporary:
            flags = form | PERSISTENT | STORED
        elif persistence:
            break
        elif queue.keeps_nonpersistent:
            flags = form | STORED
        elif core.memory_used < NONPERSISTENT_MEMORY:
            flags, stored = form, None
            core.memory_used += length
        else:
            break
        length -= MQMD_LENGTH_1
        if stored is not None:
            work.bytes_held += length
        band = priority if priority < MAX_PRIORITY else MAX_PRIORITY
        tail = pack_tail(flags, band, ccsid, 0, put_time, 0, length, 0, msg_id, correl_id)
        puts.append(UncommittedPut(queue, priority, tail, stored, content if stored is None else None))
    added = len(puts) - first
    queue.uncommitted_puts += added
    return added


def _effective(target: Target, order: ByteOrder, raw_md: bytes, expiry: int, priority: int, persistence: int) -> bytes:
    """Return the descriptor with priority, persistence and expiry set by the definitions on the path (mqi.md 4.4)."""
    first = target.path[0]
    if priority < 0:
        if priority != MQPRI.AS_Q_DEF:
            raise MQError(MQRC.PRIORITY_ERROR, str(priority))
        raw_md = _SET_PRIORITY[order](raw_md, first.def_priority)
    if persistence == _AS_Q_DEF:
        raw_md = _SET_PERSISTENCE[order](raw_md, first.def_persistence)
    if target.cap_expiry:
        cap = min(part.cap_expiry for part in target.path if part.cap_expiry != NO_LIMIT)
        if expiry > cap or expiry == _UNLIMITED:
            raw_md = _SET_EXPIRY[order](raw_md, cap)
    return raw_md


def _require_header(message: Message) -> None:
    """Raise 2260 unless a message put directly on a transmission queue begins with an MQXQH."""
    body = message.body
    front = bytes(body[:4]) if isinstance(body, bytes | memoryview) else body.read(0, 4)
    if front not in _XQH_IDS or len(body) < MQXQH_LENGTH_1 or not has_format(message.raw_md, MQFMT.XMIT_Q_HEADER):
        raise MQError(MQRC.XQH_ERROR)


def _wrapped(core: Core, target: Target, message: Message, expiry: int) -> tuple[bytes, ByteOrder, int, bytes, bytes]:
    """Return the descriptor and MQXQH of a message on a transmission queue, and its ids there."""
    ccsid = core.ccsid
    try:
        native = native_descriptor(message.raw_md, message.order, message.ccsid, ccsid)
        new_id = core.ids.message_id()
        head = wrap_head(native, target.queue_name, target.queue_manager_name, ccsid, msg_id=new_id, expiry=expiry)
    except MQBridgeError as error:
        raise MQError(MQRC.MD_ERROR, str(error)) from error
    return head, NATIVE_ORDER, ccsid, new_id, message.raw_md[_MSG_ID:_BEHIND_MSG_ID]


def _for_store(core: Core, work: UnitOfWork, head: bytes, body: Body) -> StoreBody:
    """Return the store's form of a message; its data is staged in parts if the unit has reached its limit of memory."""
    size = len(body)
    if isinstance(body, BodyInParts) and body.staged and body.owned:
        if len(body.tail) > STAGE_MINIMUM:
            if work.bytes_held + len(body.tail) > UNIT_MEMORY:
                stage_tail(core.store, body)
            work.bytes_held += len(body.tail)
        return staged_for_store(head, body)
    small = size <= STAGE_MINIMUM or work.bytes_held + size <= UNIT_MEMORY
    if small and isinstance(body, bytes | memoryview | BodyPieces):
        work.bytes_held += size
        return [head, *body.pieces] if isinstance(body, BodyPieces) else [head, body]
    staged = stage(core.store, body)
    if isinstance(body, BodyInParts):
        body.give_back()
    return staged_for_store(head, staged)
