"""Triggering: start the program or channel that serves a queue (channels.md 13).

For a transmission queue whose initiation queue is SYSTEM.CHANNEL.INITQ the channel is started (`StartChannel`) whenever
messages arrive while no handle gets from it: at each commit, not only for the first message, so that a channel that has
ended with messages left is started again. The host ignores the effect for channels that are STOPPED or running. For all
other queues a trigger message (MQTM) is put on the initiation queue under the conditions of the table.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from mqbridge.bridge.queue_manager.core import Core
from mqbridge.bridge.queue_manager.effects import StartChannel
from mqbridge.bridge.queue_manager.errors import MQError
from mqbridge.bridge.queue_manager.objects import Definition, Kind
from mqbridge.bridge.queue_manager.queues.local_queue import LocalQueue
from mqbridge.bridge.queue_manager.queues.rows import MAX_PRIORITY, Row
from mqbridge.mappings.message import Message
from mqbridge.mappings.moment import Time
from mqbridge.mappings.trigger import trigger_message
from mqbridge.protocol.constants import MQAT, MQRC
from mqbridge.protocol.errors import ConversionError

if TYPE_CHECKING:
    from mqbridge.bridge.queue_manager.turns import Steps

_TRIGGERED: Final = 1_500
"""Turn units for a trigger message."""
CHANNEL_INITIATION_QUEUE: Final = "SYSTEM.CHANNEL.INITQ"
_WORDS: Final = {"DEF": "DEFAULT", "IMSBRIDGE": "IMS_BRIDGE", "NOTESAGENT": "NOTES_AGENT", "WINDOWSNT": "WINDOWS_NT"}
"""Words of APPLTYPE that differ from the names of MQAT."""


def arrived(core: Core, queue: LocalQueue, rows: Sequence[bytes], now: Time) -> None:
    """Evaluate triggering: messages have become visible on a queue with TRIGGER."""
    definition = queue.definition
    if queue.get_inhibited:
        return
    if queue.is_transmission_queue and definition.text("INITQ") == CHANNEL_INITIATION_QUEUE:
        if not queue.input_count:
            start_channel(core, queue)
        return
    least = definition.integer("TRIGMPRI")
    qualifying = sum(Row(row).priority >= least for row in rows) if least else len(rows)
    kind = definition.text("TRIGTYPE")
    if not qualifying:
        return
    if kind == "EVERY":
        core.turns.begin(_trigger_each(core, queue, qualifying), now)
    elif kind == "FIRST":
        overdue = queue.triggered_at and now - queue.triggered_at >= core.trigger_interval / 1000
        if count_qualifying(queue, least) == qualifying or overdue:
            _trigger_unless_served(core, queue, now)
    elif count_qualifying(queue, least) >= definition.integer("TRIGDPTH"):
        _trigger_unless_served(core, queue, now)


def _trigger_each(core: Core, queue: LocalQueue, count: int) -> Steps:
    now = yield 0
    for _ in range(count):
        if queue.deleted or not _trigger(core, queue, now):
            return
        now = yield _TRIGGERED


def look_again(core: Core, queue: LocalQueue, now: Time) -> None:
    """Evaluate triggering after events other than an arrival.

    These are: the last getter has closed the queue, its initiation queue was opened, its attributes have changed, or
    the queue manager has started.
    """
    definition = queue.definition
    if not queue.trigger or queue.get_inhibited or not queue.visible or queue.input_count:
        return
    if queue.is_transmission_queue and definition.text("INITQ") == CHANNEL_INITIATION_QUEUE:
        start_channel(core, queue)
        return
    kind, least = definition.text("TRIGTYPE"), definition.integer("TRIGMPRI")
    wanted = {"FIRST": 1, "DEPTH": definition.integer("TRIGDPTH")}.get(kind)
    if wanted is not None and count_qualifying(queue, least) >= wanted:
        _trigger_unless_served(core, queue, now)


def initiation_queue_opened(core: Core, name: str, now: Time) -> None:
    """Evaluate triggering for the queues of an initiation queue that was opened for input."""
    for queue in core.queues.values():
        if queue.trigger and queue.definition.text("INITQ") == name:
            look_again(core, queue, now)


def objects_changed(core: Core, now: Time) -> None:
    """Evaluate triggering after definitions were created, altered or deleted."""
    core.refresh()
    core.forget_resolved()
    changed, core.changed = core.changed, set()
    for queue in changed:
        look_again(core, queue, now)


def start_channel(core: Core, queue: LocalQueue) -> None:
    """Start the channel of a transmission queue: the one in TRIGDATA, else the one whose XMITQ it is."""
    name = queue.definition.text("TRIGDATA") or core.channels.get(queue.name)
    if name is None:
        served = [channel for channel in core.objects.select(Kind.CHANNEL) if channel.text("XMITQ") == queue.name]
        name = core.channels[queue.name] = next((channel.name for channel in served), "")
    if name:
        core.emit(StartChannel(name, queue.name))


def count_qualifying(queue: LocalQueue, least_priority: int) -> int:
    """Return the number of visible messages with at least a priority."""
    if least_priority <= 0:
        return queue.visible
    if not queue.fifo:
        return sum(len(chain) for chain in queue.chains[: MAX_PRIORITY - least_priority + 1])
    return sum(Row(row).priority >= least_priority for row in queue.rows())


def _trigger_unless_served(core: Core, queue: LocalQueue, now: Time) -> None:
    if queue.input_count or not _trigger(core, queue, now):
        return
    queue.triggered_at = now
    if queue.definition.text("TRIGTYPE") == "DEPTH":
        change = core.objects.alter(Kind.QLOCAL, queue.name, {"TRIGGER": False}, now)
        core.submit(change.operations)


def _trigger(core: Core, queue: LocalQueue, now: Time) -> bool:
    """Put a trigger message; False if its conditions are not met."""
    definition = queue.definition
    initiation = core.queues.get(definition.text("INITQ"))
    if initiation is None or initiation.put_inhibited or not initiation.input_count:
        return False
    process = core.objects.find(Kind.PROCESS, definition.text("PROCESS")) if definition.text("PROCESS") else None
    if process is None and not queue.is_transmission_queue:
        return False
    try:
        core.put_trigger(initiation, _message(core, definition, process), now)
    except (MQError, ConversionError) as error:
        reason = error.reason if isinstance(error, MQError) else int(MQRC.MD_ERROR)
        core.log("AMQ7305", queue.name, initiation.name, reason)
        return False
    return True


def _message(core: Core, definition: Definition, process: Definition | None) -> Message:
    texts = {"q_name": definition.name, "trigger_data": definition.text("TRIGDATA")}
    appl_type: int = MQAT.DEFAULT
    if process is not None:
        appl_type = _application_type(process.text("APPLTYPE"))
        texts.update(
            process_name=process.name,
            appl_id=process.text("APPLICID"),
            env_data=process.text("ENVRDATA"),
            user_data=process.text("USERDATA"),
        )
    return trigger_message(core.ccsid, appl_type, **texts)


def _application_type(word: str) -> int:
    """Return the MQAT value of a process's APPLTYPE, a word or a number."""
    try:
        return MQAT.from_text(_WORDS.get(word, word))
    except ValueError:
        return MQAT.UNKNOWN
