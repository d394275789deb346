"""Events: messages of the queue manager about what happens to it, for those who watch (MQSC: ALTER QMGR PERFMEV …)."""

from .events import EVENT_QUEUES, Events
from .metering import Meter

__all__ = ["EVENT_QUEUES", "Events", "Meter"]
