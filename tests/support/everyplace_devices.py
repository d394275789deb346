"""Two device queue managers over real sockets: EARTH, which listens, and MOON, which calls it."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from mqbridge.bridge.everyplace.definitions import queue_properties as rows
from mqbridge.bridge.everyplace.definitions.connection_definition import ConnectionDefinition
from mqbridge.bridge.everyplace.definitions.listener_definition import ListenerDefinition
from mqbridge.bridge.everyplace.definitions.queue_definition import QueueDefinition
from mqbridge.bridge.everyplace.definitions.queue_kinds import QueueKind
from mqbridge.bridge.everyplace.device.adapters.interface import AdapterKind
from mqbridge.bridge.everyplace.device.device_file import Gateway
from mqbridge.bridge.everyplace.effects import Alarm
from mqbridge.everyplace import Address, QueueManager
from support.processes.ports import free_port


class DevicePair:
    """``listener``: how EARTH listens, beside its port. ``connection``: how MOON calls, beside its address."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = free_port()
        self.alarms: list[Alarm] = []
        self._open: list[QueueManager] = []

    def earth(self, adapters: Mapping[str, AdapterKind] | None = None, **listener: Any) -> QueueManager:
        found = self._keep(
            QueueManager.create(self.folder / "earth.mqe", "EARTH", alarm=self.alarms.append, adapters=adapters or {})
        )
        found.definitions.define(QueueDefinition(QueueKind.LOCAL, Address("ORDERS", "EARTH")))
        waiting = QueueDefinition(QueueKind.STORE_AND_FORWARD, Address("WAITING", "EARTH"))
        waiting.set(rows.ENTRIES, ["MOON"])
        found.definitions.define(waiting)
        values = {"adapter": "tcp", "endpoint": f"127.0.0.1:{self.port}"} | listener
        found.definitions.define(ListenerDefinition("DOOR", **values))
        eventually(self._answers)
        return found

    def _answers(self) -> bool:
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    def moon(
        self,
        adapter: str = "tcp",
        endpoint: str = "",
        path: str = "",
        secrets: dict[str, bytes] | None = None,
        **options: Any,
    ) -> QueueManager:
        connection = ConnectionDefinition("EARTH", adapter, endpoint or f"localhost:{self.port}", path)
        options = {"alarm": self.alarms.append} | options
        found = self._keep(
            QueueManager.create(self.folder / "moon.mqe", "MOON", Gateway(connection, (), secrets or {}), **options)
        )
        found.definitions.define(QueueDefinition(QueueKind.LOCAL, Address("REPLIES", "MOON")))
        return found

    def _keep(self, found: QueueManager) -> QueueManager:
        self._open.append(found)
        return found

    def close(self) -> None:
        for each in reversed(self._open):
            each.close()


def blocked(moon: QueueManager, word: str) -> str:
    """Return what blocks the way to EARTH, once it has a word."""
    return eventually(lambda: next((text for row in moon.status() for text in row.blocks if word in text), ""))


def eventually(find: Callable[[], Any], seconds: float = 60.0) -> Any:
    """Return what is found, once it is true."""
    until = time.monotonic() + seconds
    while not (found := find()):
        assert time.monotonic() < until, "it did not come"
        time.sleep(0.01)
    return found
