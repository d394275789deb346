"""A client of queue managers for Python programs, without IBM's library; ``import mqbridge`` gives its names.

::

    with mqbridge.connect("mq://app:secret@host:1414/QM1?channel=DEV.APP.SVRCONN") as qm:
        qm.put("DEV.QUEUE.1", "hello", properties={"colour": "red"})
        with qm.transaction(), qm.queue("DEV.QUEUE.1") as queue:
            for message in queue:
                print(message.text, message.properties)
"""

from __future__ import annotations

from .errors import (
    BackedOut,
    ConnectionBroken,
    Inhibited,
    MQError,
    NotAuthorized,
    NotReachable,
    QueueFull,
    Quiescing,
    TlsFailed,
    TooLong,
    Truncated,
    UnknownObject,
    error_for,
)
from .message import Message
from .queue import Queue, Topic
from .queue_manager import QueueManager, connect
from .subscription import Subscription
from .tls_settings import TlsSettings
from .url import MQUrl, UrlError, from_environment, parse_url

__all__ = [
    "BackedOut",
    "ConnectionBroken",
    "Inhibited",
    "MQError",
    "MQUrl",
    "Message",
    "NotAuthorized",
    "NotReachable",
    "Queue",
    "QueueFull",
    "QueueManager",
    "Quiescing",
    "Subscription",
    "TlsFailed",
    "TlsSettings",
    "TooLong",
    "Topic",
    "Truncated",
    "UnknownObject",
    "UrlError",
    "connect",
    "error_for",
    "from_environment",
    "parse_url",
]
