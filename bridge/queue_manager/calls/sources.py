"""Calls of agents that are no channels, such as routes: their sources, and topics as their targets."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from mqbridge.bridge.queue_manager.core import Core
from mqbridge.bridge.queue_manager.errors import MQError, SearchYielded
from mqbridge.bridge.queue_manager.getting.get import confirm_delivery
from mqbridge.bridge.queue_manager.getting.get_many import get_first, take_found
from mqbridge.bridge.queue_manager.getting.searching import Search
from mqbridge.bridge.queue_manager.getting.selection import matching
from mqbridge.bridge.queue_manager.opening import open_queue
from mqbridge.bridge.queue_manager.options import GetOptions
from mqbridge.bridge.queue_manager.programs import NO_PROGRAM
from mqbridge.bridge.queue_manager.pubsub.topic_strings import full_topic
from mqbridge.bridge.queue_manager.queues.local_queue import LocalQueue
from mqbridge.bridge.queue_manager.queues.rows import FLAGS, PUT_BY, Row
from mqbridge.bridge.queue_manager.resolution import resolve
from mqbridge.bridge.queue_manager.target import Target
from mqbridge.bridge.queue_manager.units_of_work import UnitOfWork
from mqbridge.mappings.message import Message
from mqbridge.mappings.moment import Time
from mqbridge.protocol.constants import MQGMO, MQOO, MQRC

from .agent_requests import GetMany, OpenSource
from .channel_state import ChannelState
from .outcomes import Opened

_INPUT: Final = int(MQOO.INPUT_SHARED | MQOO.FAIL_IF_QUIESCING)
_WAIT: Final = int(MQGMO.FAIL_IF_QUIESCING)


def open_source(state: ChannelState, request: OpenSource, now: Time) -> Opened:
    """Open a queue for gets. Raises `MQError` 2035 if the agent's user may not get from it, and as `open_queue`."""
    core, name = state.core, request.queue_name
    target = resolve(core, name, "")
    if target.model is not None or target.topic is not None:
        raise MQError(MQRC.OPTION_NOT_VALID_FOR_TYPE, name)
    if request.checked and not state.trusted:
        core.permits.require(state.application.user, target, name, "", _INPUT)
    handle = open_queue(core, name, "", _INPUT, NO_PROGRAM, now, "", request.selection_string, state.application)
    hobj = state.add(handle)
    state.searches[hobj] = GetOptions(
        _WAIT, application=state.application, selection=handle.selection, in_turns=core.turns, search=Search()
    )
    return Opened(hobj)


def end_search(state: ChannelState, hobj: int) -> None:
    """Forget the search of a handle that is closed, if it has one."""
    options = state.searches.pop(hobj, None)
    if options is not None and options.search is not None:
        options.search.end()


def take_many(state: ChannelState, request: GetMany, now: Time) -> tuple[LocalQueue, list[bytes], list[Message], bool]:
    """Take the first messages off a source. Returns its queue, their rows, the messages, and whether the search goes
    on in the next turn. Raises `MQError` as a get does."""
    core, target = state.core, state.opened(request.hobj).target
    queue = target.require_gettable()
    core.require_not_quiescing()
    options = state.searches[request.hobj]
    if options.selection is None:
        rows, messages = get_first(core, target, now, request.most, request.room, request.uncommitted, any_usage=True)
        return queue, rows, messages, False
    found: list[bytes] = []
    more, most = False, min(request.most, core.max_uncommitted - request.uncommitted)
    try:
        for row in matching(queue, options):
            found.append(row)
            if len(found) >= most:
                break
        else:
            assert options.search is not None
            options.search.end()
    except SearchYielded:
        more = True
    rows, messages = take_found(core, queue, found, now)
    return queue, rows, messages, more


def confirm_deliveries(core: Core, taken: Iterable[tuple[LocalQueue, bytes]], unit: UnitOfWork, now: Time) -> None:
    """Put the COD reports that messages request, in the unit of work that removes them (channels.md 9.2)."""
    for queue, row in taken:
        if row[FLAGS] & PUT_BY:
            confirm_delivery(core, queue, row, Row(row), unit, now)


def topic_target(state: ChannelState, topic: str) -> Target:
    """Return the target of a topic string. Raises `MQError` 2035, and logs it, if the agent's user may not publish to
    it, and 2425 for an invalid one."""
    names, generation = ("", topic), state.authorities.generation
    target = state.granted.get(names)
    if target is not None and state.generation == generation:
        return target
    core = state.core
    target = Target(None, (), "", core.name, topic=full_topic(core.objects, "", topic))
    if not state.trusted:
        core.permits.require(state.application.user, target, "", topic)
    if state.generation != generation:
        state.granted.clear()
        state.generation = generation
    state.granted[names] = target
    return target
