"""The loop alone: a server that returns what comes, on Twisted's epoll reactor, on ours, and on ours that spins.

    python bench/loop.py            a few seconds
    python bench/loop.py --full     longer rounds

Each server is a process; one blocking socket sends 200 bytes and waits for them, then so do eight at once. Processor
time of the server is user and system time in microseconds for each event; rates count round trips. Rounds alternate,
medians are shown, ratios are against Twisted's reactor. Spinning takes processor time for shorter round trips.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import socket
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from servers import processor

from mqbridge.bridge.endpoints.lean_reactor import install_lean_reactor

SPIN = 0.0002
BODY = bytes(200)
TOGETHER = (1, 8)
"""Sockets that send at once."""
LOOPS: dict[str, Callable[[], None] | None] = {
    "Twisted": None,
    "lean": install_lean_reactor,
    "lean, spins": lambda: install_lean_reactor(SPIN),
}


def serve(install: Callable[[], None] | None, told: Connection) -> None:
    """The server; tells its port."""
    if install is not None:
        install()
    from twisted.internet import reactor as installed
    from twisted.internet.protocol import Factory, Protocol

    from mqbridge.bridge.endpoints.accepted_sockets import read_by_ourselves

    class Echo(Protocol):
        def dataReceived(self, data: bytes) -> None:
            self.transport.writeSomeData(data)  # type: ignore[union-attr]

    reactor: Any = installed
    factory = Factory.forProtocol(Echo)
    factory.noisy = False
    port = reactor.listenTCP(0, factory, interface="127.0.0.1")
    if install is not None:
        read_by_ourselves(port)
    told.send(port.getHost().port)
    reactor.run()


class Server:
    """A server with its sockets; ``measured``: processor microseconds and rates by number of sockets."""

    def __init__(self, process: multiprocessing.Process, sockets: list[socket.socket]) -> None:
        self._process = process
        self._sockets = sockets
        self.measured: dict[int, list[tuple[float, float]]] = {each: [] for each in TOGETHER}

    def round(self, together: int, count: int) -> None:
        """Send and wait so many times."""
        pid = self._process.pid or os.getpid()
        sockets = self._sockets[:together]
        before, began = processor(pid), time.perf_counter()
        for _ in range(count // together):
            for each in sockets:
                each.sendall(BODY)
            for each in sockets:
                each.recv(len(BODY), socket.MSG_WAITALL)
        took, used = time.perf_counter() - began, processor(pid) - before
        self.measured[together].append((used / count * 1e6, count / took))


@contextmanager
def running(install: Callable[[], None] | None) -> Iterator[Server]:
    """A server, until the end of the context."""
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("fork").Process(target=serve, args=(install, theirs), daemon=True)
    process.start()
    try:
        port = ours.recv()
        with ExitStack() as stack:
            sockets = [stack.enter_context(socket.create_connection(("127.0.0.1", port))) for _ in range(max(TOGETHER))]
            for each in sockets:
                each.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            yield Server(process, sockets)  # type: ignore[arg-type]
    finally:
        process.kill()
        process.join()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="longer rounds")
    rounds, count = (7, 40_000) if parser.parse_args().full else (5, 8_000)
    with ExitStack() as stack:
        servers = {name: stack.enter_context(running(install)) for name, install in LOOPS.items()}
        for _ in range(rounds + 1):
            for together in TOGETHER:
                for server in servers.values():
                    server.round(together, count)
        for together in TOGETHER:
            print(f"{together} at once, {rounds} rounds of {count:,} behind one to warm up")
            shown = {
                name: tuple(map(statistics.median, zip(*server.measured[together][1:], strict=True)))
                for name, server in servers.items()
            }
            used, rate = shown["Twisted"]
            for name, (mine, trips) in shown.items():
                cost, speed = f"{mine:5.1f} us an event ({mine / used:.2f})", f"{trips:8,.0f}/s ({trips / rate:.2f})"
                print(f"  {name:12} server {cost}, {speed}")


if __name__ == "__main__":
    main()
