"""Instrumentation events: messages that the queue manager puts about itself (MQSC: ALTER QMGR PERFMEV …)."""

from .events import EVENT_QUEUES, Events
from .metering import Meter

__all__ = ["EVENT_QUEUES", "Events", "Meter"]
