"""State machine of a client connection at the program, to any queue manager, without sockets or clocks.

``connection.link`` has the methods common to all machines (``protocol.channel``), ``connection.calls`` the MQI. A
connection has one conversation and at most one pending call::

    connection = ClientConnection(ClientParameters(channel_name="DEV.APP.SVRCONN", …), now)
    … write link.wire.take(), pass in received bytes; events: Connected, or Refused, or Closed
    call = connection.calls.open(ObjectName(name="DEV.QUEUE.1"), MQOO.OUTPUT, now)
    … the completed call is an event: call.failed, call.reason; opened(call).handle

**Events**: :class:`Connected` once, or :class:`Refused`; each :class:`Call` when it is complete;
:class:`QueueManagerQuiescing`; ``Closed`` last, after the pending call, which fails with ``ended``: the reason code of
an end that we did not request (2009 and others).

**Gets** are calls too; ``GetParameters`` holds the selection, the wait interval and the longest accepted data. On a
shared connection they use REQUEST_MSGS, on others MQGET, with the same interface. A message longer than ``max_length``
is cut, with a warning: 2079 if truncation was accepted, else 2080, and then it stays on its queue.

**Passwords** are sent in clear text, inside TLS at any level, else at level 12; no repr shows one.

The bytes sent are those of IBM's clients, except for the differences listed in ``docs/client.md``.
"""

from __future__ import annotations

from mqbridge.protocol.channel.events import Closed

from .call import Call, GotMessage
from .calls import (
    FIRST_CHARACTER,
    Calls,
    MessageTooLong,
    OpenReply,
    PutStatus,
    inquired,
    opened,
    publications,
    put_descriptor,
    put_status,
    subscribed,
)
from .connection import ClientConnection, reason_for
from .events import Connected, Event, QueueManagerQuiescing, Refused
from .get_parameters import NO_ID, NO_TOKEN, GetParameters
from .parameters import ClientParameters
from .requests import ObjectName, SubscriptionName
from .states import GETTING, TABLES, GetState, GetTrigger

__all__ = [
    "FIRST_CHARACTER",
    "GETTING",
    "NO_ID",
    "NO_TOKEN",
    "TABLES",
    "Call",
    "Calls",
    "ClientConnection",
    "ClientParameters",
    "Closed",
    "Connected",
    "Event",
    "GetParameters",
    "GetState",
    "GetTrigger",
    "GotMessage",
    "MessageTooLong",
    "ObjectName",
    "OpenReply",
    "PutStatus",
    "QueueManagerQuiescing",
    "Refused",
    "SubscriptionName",
    "inquired",
    "opened",
    "publications",
    "put_descriptor",
    "put_status",
    "reason_for",
    "subscribed",
]
