"""A provider for links that have nothing to do: it attaches whatever it is asked for, and grants credit.

    python bench/idle_provider.py        prints its port, and ends when its standard input does

It is proton's engine on Twisted, in a process of its own. It neither sends a message nor takes one.
"""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import proton
from twisted.internet import reactor as installed_reactor
from twisted.internet.protocol import Factory, Protocol

reactor: Any = installed_reactor
CREDIT = 1000
TICK = 10.0
"""Seconds between two signs of life."""
_ANSWERED = {
    proton.Event.CONNECTION_REMOTE_OPEN: lambda event: event.connection.open(),
    proton.Event.SESSION_REMOTE_OPEN: lambda event: event.session.open(),
    proton.Event.CONNECTION_REMOTE_CLOSE: lambda event: event.connection.close(),
    proton.Event.LINK_REMOTE_CLOSE: lambda event: event.link.close(),
    proton.Event.LINK_REMOTE_OPEN: lambda event: attach(event.link),
}


def attach(link: Any) -> None:
    """Attach a link as it is asked for."""
    link.source.copy(link.remote_source)
    link.target.copy(link.remote_target)
    link.open()
    if link.is_receiver:
        link.flow(CREDIT)


class Provided(Protocol):
    """One connection."""

    def connectionMade(self) -> None:
        self._engine = engine = proton.Transport(proton.Transport.SERVER)
        engine.sasl().allowed_mechs("ANONYMOUS")
        self._connection = connection = proton.Connection()
        connection.container = "idle"
        self._collector = proton.Collector()
        connection.collect(self._collector)
        engine.bind(connection)
        self._alive()

    def _alive(self) -> None:
        if self.connected:
            self._engine.tick(time.monotonic())
            self._write()
            reactor.callLater(TICK, self._alive)

    def dataReceived(self, data: bytes) -> None:
        while data and (room := self._engine.capacity()) > 0:
            self._engine.push(data[:room])
            data = data[room:]
            while (event := self._collector.peek()) is not None:
                answer = _ANSWERED.get(event.type)
                if answer is not None:
                    answer(event)
                self._collector.pop()
        self._write()

    def _write(self) -> None:
        while (pending := self._engine.pending()) > 0:
            part = bytes(self._engine.peek(pending))
            self.transport.write(part)  # type: ignore[union-attr]
            self._engine.pop(len(part))


class IdleProvider:
    """The process, for a bench. ``port``: where it listens on the loopback interface."""

    def __init__(self) -> None:
        command = [sys.executable, str(Path(__file__))]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        self.port = int(self._process.stdout.readline())

    def close(self) -> None:
        """End it."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()


def main() -> None:
    listening = reactor.listenTCP(0, Factory.forProtocol(Provided), interface="127.0.0.1")
    print(listening.getHost().port, flush=True)

    def wait() -> None:
        sys.stdin.read()
        reactor.callFromThread(reactor.stop)

    threading.Thread(target=wait, daemon=True).start()
    reactor.run()


if __name__ == "__main__":
    main()
