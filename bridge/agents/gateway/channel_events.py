"""Channel events: message channels that start and stop, on SYSTEM.ADMIN.CHANNEL.EVENT while CHLEV says so.

CHLEV(EXCEPTION) leaves out what is in order. Clients have no such events.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from mqbridge.mappings.events import EventParameter
from mqbridge.protocol.channel import Closed
from mqbridge.protocol.constants import MQCACF, MQCACH, MQCMD, MQIACF, MQRC, MQRQ

if TYPE_CHECKING:
    from mqbridge.bridge.agents.gateway.channel import Channel
    from mqbridge.bridge.agents.gateway.channel_manager import ChannelManager
    from mqbridge.bridge.agents.message_channel.receiver.mca import ReceiverMCA
    from mqbridge.bridge.agents.message_channel.sender.mca import SenderMCA
    from mqbridge.bridge.queue_manager.objects import Definition

_TEXTS: Final = (MQCACF.AUX_ERROR_DATA_STR_1, MQCACF.AUX_ERROR_DATA_STR_2, MQCACF.AUX_ERROR_DATA_STR_3)


def started(channel_manager: ChannelManager, channel: Channel, end: SenderMCA | ReceiverMCA) -> None:
    """A channel runs."""
    if channel_manager.manager.events.channel == "ENABLED":
        peer = end.connection.peer
        _put(channel_manager, MQRC.CHANNEL_STARTED, channel, end.definition, (), peer, end.started_at)


def stopped(
    channel_manager: ChannelManager, channel: Channel, end: SenderMCA | ReceiverMCA, event: Closed, now: float
) -> None:
    """A channel that ran has ended; its state says how it goes on."""
    events = channel_manager.manager.events
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
    _put(channel_manager, MQRC.CHANNEL_STOPPED, channel, end.definition, about, end.connection.peer, now)


def stopped_by_user(channel_manager: ChannelManager, channel: Channel, definition: Definition, now: float) -> None:
    """An operator has stopped a channel."""
    if channel_manager.manager.events.channel != "ENABLED":
        return
    qualifier = MQRQ.CHANNEL_STOPPED_DISABLED
    about: list[EventParameter] = [(MQIACF.REASON_QUALIFIER, qualifier), *_error(0, "")]
    _put(channel_manager, MQRC.CHANNEL_STOPPED_BY_USER, channel, definition, about, definition.text("CONNAME"), now)


def _error(number: int, text: str) -> list[EventParameter]:
    """What was wrong: number of the operator's message and its text."""
    return [
        (MQIACF.ERROR_ID, number),
        (MQIACF.AUX_ERROR_DATA_INT_1, 0),
        (MQIACF.AUX_ERROR_DATA_INT_2, 0),
        *((each, text if each == _TEXTS[0] else "") for each in _TEXTS),
    ]


def _put(
    channel_manager: ChannelManager,
    reason: int,
    channel: Channel,
    definition: Definition,
    about: Sequence[EventParameter],
    connection_name: str,
    now: float,
) -> None:
    parameters: list[EventParameter] = [(MQCACH.CHANNEL_NAME, channel.name), *about]
    if definition.get("XMITQ"):
        parameters.append((MQCACH.XMIT_Q_NAME, definition.text("XMITQ")))
    parameters.append((MQCACH.CONNECTION_NAME, connection_name))
    channel_manager.manager.events.put(MQCMD.CHANNEL_EVENT, reason, parameters, now)
