"""Channel events for message channels that start and stop, put to SYSTEM.ADMIN.CHANNEL.EVENT if CHLEV asks for them.

CHLEV(EXCEPTION) leaves out normal ends. Server connections have no such events.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mqbridge.bridge.agents.message_channel.channel import Channel, MessageChannelAgent
from mqbridge.bridge.queue_manager import QueueManager
from mqbridge.bridge.queue_manager.objects import Definition
from mqbridge.mappings.events import EventParameter
from mqbridge.mappings.moment import Time
from mqbridge.protocol.channel import Closed
from mqbridge.protocol.constants import MQCACF, MQCACH, MQCMD, MQIACF, MQRC, MQRQ

_TEXTS: Final = (MQCACF.AUX_ERROR_DATA_STR_1, MQCACF.AUX_ERROR_DATA_STR_2, MQCACF.AUX_ERROR_DATA_STR_3)


def started(manager: QueueManager, end: MessageChannelAgent) -> None:
    """Report that a channel is running (MQRC_CHANNEL_STARTED)."""
    if manager.events.channel == "ENABLED":
        _put(manager, MQRC.CHANNEL_STARTED, end.definition, (), end.connection.peer, end.started_at)


def stopped(manager: QueueManager, channel: Channel, end: MessageChannelAgent, event: Closed, now: Time) -> None:
    """Report that a running channel has ended; its state tells what happens next."""
    events = manager.events
    if channel.status.stopped:
        qualifier = MQRQ.CHANNEL_STOPPED_DISABLED
    elif channel.retrying:
        qualifier = MQRQ.CHANNEL_STOPPED_RETRY
    else:
        qualifier = MQRQ.CHANNEL_STOPPED_OK if event.normal else MQRQ.CHANNEL_STOPPED_ERROR
    if events.channel == "DISABLED" or (events.channel == "EXCEPTION" and qualifier == MQRQ.CHANNEL_STOPPED_OK):
        return
    about: list[EventParameter] = [
        (MQIACF.REASON_QUALIFIER, qualifier),
        *_error(int(event.amq[3:]) if not event.normal else 0, str(event.reason) if not event.normal else ""),
    ]
    _put(manager, MQRC.CHANNEL_STOPPED, end.definition, about, end.connection.peer, now)


def stopped_by_user(manager: QueueManager, definition: Definition, now: Time) -> None:
    """Report that an operator has stopped a channel."""
    if manager.events.channel != "ENABLED":
        return
    qualifier = MQRQ.CHANNEL_STOPPED_DISABLED
    about: list[EventParameter] = [(MQIACF.REASON_QUALIFIER, qualifier), *_error(0, "")]
    _put(manager, MQRC.CHANNEL_STOPPED_BY_USER, definition, about, definition.text("CONNAME"), now)


def _error(number: int, text: str) -> list[EventParameter]:
    """Parameters of an error: number of the operator message and its text."""
    return [
        (MQIACF.ERROR_ID, number),
        (MQIACF.AUX_ERROR_DATA_INT_1, 0),
        (MQIACF.AUX_ERROR_DATA_INT_2, 0),
        *((each, text if each == _TEXTS[0] else "") for each in _TEXTS),
    ]


def _put(
    manager: QueueManager,
    reason: int,
    definition: Definition,
    about: Sequence[EventParameter],
    connection_name: str,
    now: Time,
) -> None:
    parameters: list[EventParameter] = [(MQCACH.CHANNEL_NAME, definition.name), *about]
    if definition.get("XMITQ"):
        parameters.append((MQCACH.XMIT_Q_NAME, definition.text("XMITQ")))
    parameters.append((MQCACH.CONNECTION_NAME, connection_name))
    manager.events.put(MQCMD.CHANNEL_EVENT, reason, parameters, now)
