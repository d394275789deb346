"""Many client connections in one process; each program is a generator that yields the call it waits for."""

from __future__ import annotations

import heapq
import selectors
import socket
import time
from collections.abc import Callable, Generator
from typing import Any

from mqbridge.protocol.mqi_client import Call, ClientConnection, ClientParameters, Closed, Connected

CHANNEL = "DEV.APP.SVRCONN"
READ_SIZE = 1 << 16

Program = Generator["Call | float | None", Any, None]
"""Yields a call that was made (sent back when it is done), or the time of `now` until which it sleeps."""


def now() -> float:
    """Seconds, for deadlines and durations."""
    return time.perf_counter()


class Client:
    """A connection and its program."""

    def __init__(self, crowd: Crowd, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.machine = ClientConnection(ClientParameters(channel_name=CHANNEL), time.time())
        self.connected: Connected | None = None
        self.program: Program | None = None
        self._crowd = crowd
        self._call: Call | None = None
        self.flush()

    def flush(self) -> None:
        """Send pending bytes."""
        while pieces := self.machine.link.wire.take():
            self.socket.sendall(b"".join(pieces))

    def readable(self) -> None:
        """Receive bytes."""
        data = self.socket.recv(READ_SIZE)
        at = time.time()
        for event in self.machine.link.receive_data(data, at) if data else self.machine.link.receive_eof(at):
            if isinstance(event, Connected):
                self.connected = event
            elif isinstance(event, Closed):
                raise SystemExit(f"a client lost its connection: {event.reason}")
            elif isinstance(event, Call) and event is self._call:
                self._call = None
                if event.failed:
                    raise SystemExit(f"a call of a client failed with {event.reason}")
                self.go_on(event)
        self.flush()

    def run(self, program: Program) -> None:
        """Begin a program."""
        self.program = program
        self.go_on(None)
        self.flush()

    def go_on(self, done: Any) -> None:
        """Let the program make its next call."""
        assert self.program is not None
        while True:
            try:
                wanted = self.program.send(done)
            except StopIteration:
                self.program = None
                return
            if isinstance(wanted, Call):
                if not wanted.done:
                    self._call = wanted
                    return
                done = wanted
            elif wanted is not None:
                self._crowd.wake(wanted, self)
                return


class Crowd:
    """All clients."""

    def __init__(self) -> None:
        self._selector = selectors.DefaultSelector()
        self._clients: list[Client] = []
        self._sleepers: list[tuple[float, int, Client]] = []
        self._count = 0

    def join(self, port: int) -> Client:
        """Add a client, which connects while the crowd runs."""
        client = Client(self, port)
        self._clients.append(client)
        self._selector.register(client.socket, selectors.EVENT_READ, client)
        return client

    def wake(self, when: float, client: Client) -> None:
        """Wake a client at a time."""
        self._count += 1
        heapq.heappush(self._sleepers, (when, self._count, client))

    def run_until(self, condition: Callable[[], bool], limit: float) -> None:
        """Run all clients until a condition holds. Exits if that takes more than ``limit`` seconds."""
        until = now() + limit
        while not condition():
            at = now()
            if at > until:
                raise SystemExit(f"the clients did not come to it in {limit:.0f} seconds")
            while self._sleepers and self._sleepers[0][0] <= at:
                client = heapq.heappop(self._sleepers)[2]
                client.go_on(None)
                client.flush()
            due = min(self._sleepers[0][0] if self._sleepers else until, at + 0.05)
            for key, _ in self._selector.select(max(0.0, due - now())):
                key.data.readable()

    def close(self) -> None:
        """Close all sockets, without disconnecting."""
        for client in self._clients:
            client.socket.close()
        self._selector.close()
