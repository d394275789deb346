"""The helper process of a test session: creates queue managers in memory on demand.

It reads requests as JSON objects from standard input, one per line, and answers each on standard output::

    {"do": "new", "tls": false}  → {"name", "host", "port", "admin", "number"}: a new queue manager, listening;
                                   with TLS also {"authority", "certificate"}: files for its clients
    {"do": "end", "number": 3}   → {}: it has ended, with all connections
    {"do": "log", "number": 3}   → {"log": …}: its log

A failure is answered with ``{"error": …}``. The end of standard input ends the process. While a test runs, the queue
manager for the next one is started in advance.
"""

from __future__ import annotations

import io
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from twisted.internet.defer import Deferred
from twisted.internet.stdio import StandardIO
from twisted.protocols.basic import LineReceiver
from twisted.python.failure import Failure

from mqbridge.bridge.config import Configuration
from mqbridge.bridge.config.settings import ListenerSettings, QueueManagerSettings, StoreSettings
from mqbridge.bridge.endpoints.clock import make_steady
from mqbridge.bridge.endpoints.lean_reactor import install_lean_reactor
from mqbridge.bridge.service.discovery import RUNNING_FILE
from mqbridge.bridge.service.operator_log import OperatorLog
from mqbridge.bridge.service.service import Service

from .keys import SessionKeys

NAME: Final = "QM1"
"""Name of each queue manager."""
ENDPOINT: Final = "tcp:0:interface=127.0.0.1"
MAX_LINE: Final = 1 << 16


@dataclass(slots=True)
class Running:
    """A queue manager: its service and what it logs."""

    number: int
    service: Service
    log: io.StringIO

    @property
    def described(self) -> dict[str, Any]:
        """Return the answer for the fixture."""
        data = self.service.configuration.queue_manager.data
        ready = json.loads((data / RUNNING_FILE).read_text(encoding="utf-8"))
        return {"number": self.number, "name": NAME, "admin": ready["admin"], **ready["listeners"][0]}


class QueueManagerPool:
    """Creates queue managers in a folder, one in advance."""

    def __init__(self, folder: Path, reactor: Any) -> None:
        self._folder = folder
        self._reactor = reactor
        self._made = 0
        self._next: Deferred[Running] | None = None
        self._keys: SessionKeys | None = None
        self._running: dict[int, Running] = {}

    async def new(self, tls: bool = False) -> dict[str, Any]:
        """Return a new one. ``tls``: with a certificate."""
        ready, self._next = self._next or Deferred.fromCoroutine(self._make()), None
        running = await ready
        self._running[running.number] = running
        self._reactor.callLater(0, self._ahead)
        return running.described | (self._give_keys(running) if tls else {})

    def _give_keys(self, running: Running) -> dict[str, str]:
        """Give a queue manager its certificate, which is read when it is first needed."""
        keys = self._keys
        if keys is None:
            keys = self._keys = SessionKeys(self._folder / "keys", NAME)
        keys.give(running.service.configuration.key_folder)
        return {"authority": str(keys.authority), "certificate": str(keys.client)}

    def _ahead(self) -> None:
        if self._next is None:
            self._next = Deferred.fromCoroutine(self._make())
            self._next.addErrback(lambda failure: failure)

    async def _make(self) -> Running:
        self._made += 1
        settings = Configuration(
            queue_manager=QueueManagerSettings(name=NAME, data=self._folder / str(self._made), stop_wait=0.0),
            store=StoreSettings(kind="memory"),
            listeners=[ListenerSettings(endpoint=ENDPOINT)],
        )
        log = io.StringIO()
        number = self._made
        service = Service(settings, OperatorLog(log), self._reactor)
        await service.start()
        return Running(number, service, log)

    async def end(self, number: int) -> dict[str, Any]:
        """End one: it accepts no connection, and closes those that exist in its own time."""
        running = self._running.pop(number)
        for _ in ("in order", "by force"):
            if not running.service.ended.called:
                running.service.stop("the test has ended")
        return {}

    async def log(self, number: int) -> dict[str, Any]:
        """Return the log of one."""
        return {"log": self._running[number].log.getvalue()}


class ControlPipe(LineReceiver):
    """Standard input and output."""

    delimiter = b"\n"
    MAX_LENGTH = MAX_LINE

    def __init__(self, makers: QueueManagerPool, reactor: Any) -> None:
        self._makers = makers
        self._reactor = reactor

    def lineReceived(self, line: bytes) -> None:
        """Handle one request."""
        order = json.loads(line)
        verb = {"new": self._makers.new, "end": self._makers.end, "log": self._makers.log}[order.pop("do")]
        Deferred.fromCoroutine(verb(**order)).addCallbacks(self._answer, self._failed)

    def _failed(self, failure: Failure) -> None:
        self._answer({"error": failure.getErrorMessage() or failure.type.__name__})

    def _answer(self, document: dict[str, Any]) -> None:
        self.sendLine(json.dumps(document).encode())

    def connectionLost(self, reason: Failure | None = None) -> None:
        """End with the session."""
        if self._reactor.running:
            self._reactor.stop()


def main() -> None:
    """Serve until standard input ends; the argument names the folder."""
    install_lean_reactor()
    from twisted.internet import reactor

    make_steady(reactor)
    OperatorLog(sys.stderr, "error").take_over_twisted()
    StandardIO(ControlPipe(QueueManagerPool(Path(sys.argv[1]), reactor), reactor))
    reactor.run(installSignalHandlers=False)  # type: ignore[attr-defined]
