"""Keys of a queue manager EARTH that does not run."""

from __future__ import annotations

from pathlib import Path

from mqbridge.bridge.config import Configuration
from mqbridge.bridge.config.settings import QueueManagerSettings, TlsSettings
from mqbridge.bridge.queue_manager import QueueManager
from mqbridge.bridge.queue_manager.objects import Kind, Objects, define_supplied
from mqbridge.bridge.service.channel_keys import ChannelKeys
from mqbridge.bridge.store.memory import MemoryStore


def keys_of(data: Path, tls: TlsSettings | None = None, **attributes: str) -> tuple[ChannelKeys, Objects]:
    """Its keys and its definitions. ``attributes``: of the queue manager."""
    objects = Objects("EARTH", 0.0)
    define_supplied(objects, 0.0)
    if attributes:
        objects.alter(Kind.QMGR, "EARTH", dict(attributes), 0.0)
    configuration = Configuration(queue_manager=QueueManagerSettings(name="EARTH", data=data), tls=tls or TlsSettings())
    return ChannelKeys(configuration, QueueManager("EARTH", MemoryStore(), objects, 0.0)), objects
