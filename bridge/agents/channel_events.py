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
    from mqbridge.bridge.queue_manager.objects import Definition

    from .channel import Channel
    from .receiving.end import ReceivingEnd
    from .sending.end import SendingEnd
    from .supervisor import Supervisor

_TEXTS: Final = (MQCACF.AUX_ERROR_DATA_STR_1, MQCACF.AUX_ERROR_DATA_STR_2, MQCACF.AUX_ERROR_DATA_STR_3)


def started(supervisor: Supervisor, channel: Channel, end: SendingEnd | ReceivingEnd) -> None:
    """A channel runs."""
    if supervisor.manager.events.channel == "ENABLED":
        peer = end.connection.peer
        _put(supervisor, MQRC.CHANNEL_STARTED, channel, end.definition, (), peer, end.started_at)


def stopped(
    supervisor: Supervisor, channel: Channel, end: SendingEnd | ReceivingEnd, event: Closed, now: float
) -> None:
    """A channel that ran has ended; its state says how it goes on."""
    events = supervisor.manager.events
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
    _put(supervisor, MQRC.CHANNEL_STOPPED, channel, end.definition, about, end.connection.peer, now)


def stopped_by_user(supervisor: Supervisor, channel: Channel, definition: Definition, now: float) -> None:
    """An operator has stopped a channel."""
    if supervisor.manager.events.channel != "ENABLED":
        return
    qualifier = MQRQ.CHANNEL_STOPPED_DISABLED
    about: list[EventParameter] = [(MQIACF.REASON_QUALIFIER, qualifier), *_error(0, "")]
    _put(supervisor, MQRC.CHANNEL_STOPPED_BY_USER, channel, definition, about, definition.text("CONNAME"), now)


def _error(number: int, text: str) -> list[EventParameter]:
    """What was wrong: number of the operator's message and its text."""
    return [
        (MQIACF.ERROR_ID, number),
        (MQIACF.AUX_ERROR_DATA_INT_1, 0),
        (MQIACF.AUX_ERROR_DATA_INT_2, 0),
        *((each, text if each == _TEXTS[0] else "") for each in _TEXTS),
    ]


def _put(
    supervisor: Supervisor,
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
    supervisor.manager.events.put(MQCMD.CHANNEL_EVENT, reason, parameters, now)
