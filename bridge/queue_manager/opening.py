"""MQOPEN and MQCLOSE: handles, shared and exclusive input, dynamic queues (mqi.md 2 and 3)."""

from __future__ import annotations

from typing import Final

from mqbridge.mappings.message import Message
from mqbridge.mappings.moment import Time
from mqbridge.mappings.selectors import Selector
from mqbridge.protocol.constants import MQCO, MQOO, MQRC

from .core import Core
from .errors import MQError
from .getting.handle_state import HandleState
from .getting.locks import release
from .getting.marking import forget_co_op_marks
from .getting.message_selection import HEADERS_AT_ONCE, HandleSelector, QueueViews, compiled
from .handle import INPUTS, Handle
from .programs import Application, ProgramId
from .putting.triggering import initiation_queue_opened, look_again
from .queues.dynamic_queues import delete_dynamic_queue, make_dynamic_queue
from .queues.local_queue import LocalQueue
from .queues.reading import read_message
from .queues.rows import Row
from .resolution import resolve
from .target import Target

_ACCESS: Final = INPUTS | int(MQOO.BROWSE | MQOO.OUTPUT | MQOO.INQUIRE | MQOO.SET)
_OUTPUT, _CO_OP, _QUIESCING = int(MQOO.OUTPUT), int(MQOO.CO_OP), int(MQOO.FAIL_IF_QUIESCING)
_DELETE, _DELETE_PURGE = int(MQCO.DELETE), int(MQCO.DELETE_PURGE)
_LOCAL_ONLY: Final = INPUTS | int(MQOO.BROWSE | MQOO.SET)
_ANY_CONTEXT: Final = int(
    MQOO.PASS_IDENTITY_CONTEXT | MQOO.PASS_ALL_CONTEXT | MQOO.SET_IDENTITY_CONTEXT | MQOO.SET_ALL_CONTEXT
)
_checked_options: set[int] = set()
"""Cache of valid combinations of MQOO bits; programs use few."""
_MAX_CHECKED: Final = 1000
_EXCLUSIVE_CHOICES: Final = (
    (MQOO.INPUT_AS_Q_DEF, MQOO.INPUT_SHARED, MQOO.INPUT_EXCLUSIVE),
    (MQOO.BIND_ON_OPEN, MQOO.BIND_NOT_FIXED, MQOO.BIND_ON_GROUP),
    (MQOO.READ_AHEAD, MQOO.NO_READ_AHEAD),
)
_NEEDS: Final = (
    (int(MQOO.SAVE_ALL_CONTEXT), INPUTS),
    (_ANY_CONTEXT, int(MQOO.OUTPUT)),
    (int(MQOO.CO_OP), int(MQOO.BROWSE)),
    (int(MQOO.NO_MULTICAST), int(MQOO.OUTPUT)),
)


def check_open_options(options: int) -> None:
    """Raise `MQError` 2046 for conflicting MQOO bits (mqi.md 2.2)."""
    if options in _checked_options:
        return
    if not options & _ACCESS:
        raise MQError(MQRC.OPTIONS_ERROR, "no access is asked for")
    for choices in _EXCLUSIVE_CHOICES:
        if sum(options & choice != 0 for choice in choices) > 1:
            raise MQError(MQRC.OPTIONS_ERROR, " with ".join(str(each) for each in choices if options & each))
    for bits, needed in _NEEDS:
        if options & bits and not options & needed:
            raise MQError(MQRC.OPTIONS_ERROR, str(MQOO(options & bits)))
    if len(_checked_options) < _MAX_CHECKED:
        _checked_options.add(options)


def local_target(core: Core, name: str) -> Target:
    """The target of a get or browse: a local queue, or an alias of one. Raises `MQError`, such as 2045 if remote."""
    target = resolve(core, name, "")
    if target.remote or target.queue is None:
        raise MQError(MQRC.OPTION_NOT_VALID_FOR_TYPE, name)
    return target


def open_queue(
    core: Core,
    object_name: str,
    object_q_mgr_name: str,
    options: int,
    owner: ProgramId,
    now: Time,
    dynamic_name: str,
    selection_string: str = "",
    application: Application | None = None,
) -> Handle:
    """Open a queue (mqi.md 2), for a model queue after creating the dynamic queue.

    ``selection_string``: selector of the gets, browses and waits through the handle (mqi.md 18). Raises `MQError` 2046,
    2042, 2045, 2161, 2011, 2100, for a selector 2551, 2519, 2504, 2516, and what `resolve` raises.
    """
    options = int(options)
    check_open_options(options)
    selector = compiled(selection_string, options)
    if options & _QUIESCING:
        core.require_not_quiescing()
    target = resolve(core, object_name, object_q_mgr_name)
    if target.topic is not None:
        return open_topic(core, target, options, owner, (object_name, object_q_mgr_name), application)
    handle = Handle(target, options, owner, names=(object_name, object_q_mgr_name), application=application)
    if target.model is not None:
        handle.target = target = make_dynamic_queue(core, target.model, dynamic_name, now)
        handle.creator, handle.names = True, (target.queue_name, "")
    if options & _LOCAL_ONLY and target.remote:
        raise MQError(MQRC.OPTION_NOT_VALID_FOR_TYPE, object_name)
    queue = target.queue
    if queue is None:
        raise MQError(MQRC.UNKNOWN_OBJECT_NAME, object_name)
    if handle.inputs:
        handle.exclusive = _exclusive(queue, options)
        _require_shareable(queue, handle)
    if selector is not None:
        handle.selection = _selection_at(core, queue, selector)
    _count(queue, handle, 1)
    queue.handles.append(handle)
    if handle.inputs and queue.input_count == 1:
        initiation_queue_opened(core, queue.name, now)
    return handle


def open_topic(
    core: Core,
    target: Target,
    options: int,
    owner: ProgramId,
    names: tuple[str, str] = ("", ""),
    application: Application | None = None,
) -> Handle:
    """Open a topic, or an alias queue of one, for output or inquiry. Raises `MQError` 2045."""
    if options & _LOCAL_ONLY:
        raise MQError(MQRC.OPTION_NOT_VALID_FOR_TYPE, f"topic {target.topic}")
    own = Target(None, target.path, target.queue_name, target.queue_manager_name, topic=target.topic, owner=owner)
    handle = Handle(own, options, owner, names=names, application=application)
    if options & MQOO.OUTPUT:
        core.publishers.add(handle)
    return handle


def _selection_at(core: Core, queue: LocalQueue, selector: Selector) -> HandleSelector:
    """The selector for a queue; all handles with selectors on one queue share its parsed messages."""
    views = core.views.get(queue)
    if views is None:

        def read(fields: Row) -> Message:
            return read_message(core, queue, fields, fields.put_time, HEADERS_AT_ONCE)

        views = core.views[queue] = QueueViews(queue, read)
    return HandleSelector(selector, views)


def _exclusive(queue: LocalQueue, options: int) -> bool:
    if not queue.shareable or options & MQOO.INPUT_EXCLUSIVE:
        return True
    return bool(options & MQOO.INPUT_AS_Q_DEF) and queue.exclusive_by_default


def _require_shareable(queue: LocalQueue, handle: Handle) -> None:
    """Raise `MQError` 2042 if the queue is open for input and either that handle or this one is exclusive."""
    if queue.input_count and (handle.exclusive or any(other.exclusive for other in queue.handles)):
        raise MQError(MQRC.OBJECT_IN_USE, queue.name)


def _count(queue: LocalQueue, handle: Handle, step: int) -> None:
    if handle.inputs:
        queue.input_count += step
    if handle.options & _OUTPUT:
        queue.output_count += step


def close_queue(core: Core, handle: Handle, options: int, now: Time) -> int:
    """Close a queue (mqi.md 3) with MQCO bits. Raises `MQError` 2019, 2045, 2055.

    Returns 0 or the reason of a warning: 2241 or 2242 for an incomplete group or logical message.
    """
    if handle.closed:
        raise MQError(MQRC.HOBJ_ERROR, handle.object_name)
    queue = handle.target.queue
    purge = options & _DELETE_PURGE != 0
    deletes = purge or options & _DELETE != 0
    if deletes and handle.target.topic is not None:
        raise MQError(MQRC.OPTION_NOT_VALID_FOR_TYPE, handle.object_name)
    if queue is None or queue.deleted:
        handle.closed = True
        core.publishers.discard(handle)
        return 0
    own_temporary = queue.temporary and handle.creator
    if deletes and not own_temporary and (queue.temporary or not queue.dynamic):
        raise MQError(MQRC.OPTION_NOT_VALID_FOR_TYPE, queue.name)
    if deletes and not own_temporary and (queue.uncommitted or (queue.visible and not purge)):
        raise MQError(MQRC.Q_NOT_EMPTY, queue.name)
    handle.closed = True
    queue.handles.remove(handle)
    _count(queue, handle, -1)
    if handle.options & _CO_OP:
        forget_co_op_marks(queue)
    if handle.state is not None and not own_temporary:
        release(core, queue, handle.state, now)
    if own_temporary or deletes or (queue in core.abandoned and not queue.handles):
        delete_dynamic_queue(core, queue)
    elif handle.inputs and not queue.input_count and queue.trigger and not queue.is_transmission_queue:
        look_again(core, queue, now)
    return 0 if handle.state is None else _unfinished(handle, handle.state)


def _unfinished(handle: Handle, state: HandleState) -> int:
    """2242 or 2241 if a logical message or group, put or got in logical order, is incomplete (mqi.md 6.3, 12.4)."""
    places = (state.puts, state.gets) if handle.inputs else (state.puts,)
    left = [place for place in places if place.logical and place.current]
    if any(place.in_message for place in left):
        return int(MQRC.INCOMPLETE_MSG)
    return int(MQRC.INCOMPLETE_GROUP) if left else 0
