"""Service integration: destinations and paths of messages between a bus and queue managers (jms-mapping.md 8)."""

from __future__ import annotations

from .bus import Bus, BusDestination, BusError
from .bus_data import BusData, bus_data_of, with_bus_data
from .bus_message import BusMessage
from .channel_rules import ChannelRules, LinkNames
from .from_mq import from_mq
from .to_mq import to_mq

__all__ = [
    "Bus",
    "BusData",
    "BusDestination",
    "BusError",
    "BusMessage",
    "ChannelRules",
    "LinkNames",
    "bus_data_of",
    "from_mq",
    "to_mq",
    "with_bus_data",
]
