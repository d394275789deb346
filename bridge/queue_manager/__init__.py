"""The queue manager: objects, queues, units of work and the rules of the message queue interface."""

from .browsing import Cursor
from .effects import Effect, Log, StartChannel, Wake
from .errors import MQError
from .manager import QueueManager
from .opening import Handle
from .options import ANY_LENGTH, NO_ID, Application, GetOptions, Got, PutOptions
from .queues import LocalQueue
from .resolution import Target
from .undeliverable import Disposal
from .units_of_work import PendingCommit, Then, UnitOfWork, UnitState
from .waiting import Waiter

__all__ = [
    "ANY_LENGTH",
    "NO_ID",
    "Application",
    "Cursor",
    "Disposal",
    "Effect",
    "GetOptions",
    "Got",
    "Handle",
    "LocalQueue",
    "Log",
    "MQError",
    "PendingCommit",
    "PutOptions",
    "QueueManager",
    "StartChannel",
    "Target",
    "Then",
    "UnitOfWork",
    "UnitState",
    "Waiter",
    "Wake",
]
