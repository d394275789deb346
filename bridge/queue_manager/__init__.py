"""The queue manager: objects, queues, units of work and the rules of the message queue interface."""

from mqbridge.bridge.queue_manager.putting.undelivered_messages import Disposal

from .effects import Effect, Log, StartChannel, Wake
from .errors import MQError, SearchYielded
from .getting.waiter import Waiter
from .handle import Cursor, Handle
from .manager import QueueManager
from .options import ANY_LENGTH, NO_ID, GetOptions, PutOptions, RetrievedMessage
from .programs import Application
from .queues.local_queue import LocalQueue
from .target import Target
from .units_of_work import PendingCommit, Then, UnitOfWork, UnitState

__all__ = [
    "ANY_LENGTH",
    "NO_ID",
    "Application",
    "Cursor",
    "Disposal",
    "Effect",
    "GetOptions",
    "Handle",
    "LocalQueue",
    "Log",
    "MQError",
    "PendingCommit",
    "PutOptions",
    "QueueManager",
    "RetrievedMessage",
    "SearchYielded",
    "StartChannel",
    "Target",
    "Then",
    "UnitOfWork",
    "UnitState",
    "Waiter",
    "Wake",
]
