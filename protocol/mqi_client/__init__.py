"""Client connections: the program's side of the MQI, without sockets and clocks, to any queue manager.

``connection.link`` has the verbs of every machine (``protocol.channel``), ``connection.calls`` the MQI. A connection
has one conversation, and one call at a time::

    connection = ClientConnection(ClientParameters(channel_name="DEV.APP.SVRCONN", …), now)
    … write out link.wire.take(), hand in what comes; events: Connected, or Refused, or Closed
    call = connection.calls.open(ObjectName(name="DEV.QUEUE.1"), MQOO.OUTPUT, now)
    … the call comes back as an event: call.failed, call.reason; opened(call).handle

**Events**: :class:`Connected` once, or :class:`Refused`; each :class:`Call` when it is done; :class:`Quiescing`;
``Closed`` last, after the call that waited, which fails with ``ended``: the reason code of an end that nobody here
wished (2009 and others).

**Gets** are calls too; ``Wanted`` says which message, how long to wait and how long it may be. On a shared connection
they go by REQUEST_MSGS, on others by MQGET, and look the same from outside. A message that is longer than
``max_length`` comes cut, with a warning: 2079 where that was allowed, else 2080, and then it stays on its queue.

**Passwords** go in clear text, at level 12; nothing here shows one.

The bytes are those that IBM's clients send, but for the differences that ``docs/client.md`` lists.
"""

from __future__ import annotations

from mqbridge.protocol.channel.events import Closed

from .calls import (
    FIRST_CHARACTER,
    Calls,
    MessageTooLong,
    Opened,
    PutStatus,
    inquired,
    opened,
    publications,
    put_descriptor,
    put_status,
    subscribed,
)
from .connection import ClientConnection, reason_for
from .events import Call, Connected, Event, Message, Quiescing, Refused
from .parameters import ClientParameters
from .requests import ObjectName, SubscriptionName
from .states import GETTING, TABLES, GetState, GetTrigger
from .stream import NO_ID, NO_TOKEN, Wanted

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
    "GetState",
    "GetTrigger",
    "Message",
    "MessageTooLong",
    "ObjectName",
    "Opened",
    "PutStatus",
    "Quiescing",
    "Refused",
    "SubscriptionName",
    "Wanted",
    "inquired",
    "opened",
    "publications",
    "put_descriptor",
    "put_status",
    "reason_for",
    "subscribed",
]
