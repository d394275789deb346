"""Types of the queue manager and the store that a driver of a gateway uses."""

from __future__ import annotations

from mqbridge.bridge.queue_manager import PendingCommit
from mqbridge.bridge.queue_manager.control import ControlError, Outcome, StatusRow
from mqbridge.bridge.queue_manager.objects import MQRCCF, Definition, Kind
from mqbridge.bridge.store.interface import Store, StoreDamaged, StoreError, StoreFailed
from mqbridge.mappings.moment import Moment, date_of

__all__ = [
    "MQRCCF",
    "ControlError",
    "Definition",
    "Kind",
    "Moment",
    "Outcome",
    "PendingCommit",
    "StatusRow",
    "Store",
    "StoreDamaged",
    "StoreError",
    "StoreFailed",
    "date_of",
]
