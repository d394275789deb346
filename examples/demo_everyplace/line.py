"""A bad line: it delays what passes, breaks off, and delivers bytes of a broken connection late."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import struct
import threading
from collections import deque
from collections.abc import Callable
from typing import Final

LOCAL: Final = "127.0.0.1"
READ_SIZE: Final = 1 << 16
LATE: Final = 0.5
"""Seconds after a cut at which the far end still gets what was on its way."""
HELD: Final = 1 << 22
"""Bytes of one direction of a connection that may be on their way."""
_RESET: Final = struct.pack("ii", 1, 0)
"""SO_LINGER with which a close throws away what was not sent."""


class Line:
    """Passes on what arrives at ``port`` of the loopback interface, in a thread of its own.

    ``target``: gives the port to which it leads; None while nobody is there. ``delay``: seconds that each byte is on
    its way. ``passed``: bytes of both directions. ``connections``: how many there have been; ``cuts``: how many of them
    were cut.
    """

    def __init__(self, target: Callable[[], int | None], delay: float = 0.0) -> None:
        self.delay = delay
        self.passed = self.connections = self.cuts = 0
        self.watch: Callable[[int], None] | None = None
        """Is told of each piece that goes to the target, with its length."""
        self._target = target
        self._open: set[_Connection] = set()
        self._listener = socket.create_server((LOCAL, 0), backlog=1024)
        self._listener.setblocking(False)
        self.port: int = self._listener.getsockname()[1]
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name=f"line {self.port}", daemon=True)
        self._thread.start()

    def cut(self, most: int = 1) -> int:
        """Break off up to so many connections, those that carry most first; return how many."""
        return asyncio.run_coroutine_threadsafe(self._cut(most), self._loop).result()

    def close(self) -> None:
        """End the line and its connections."""
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
        self._listener.close()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        accepting = self._loop.create_task(self._accept())
        self._loop.run_forever()
        accepting.cancel()
        for each in list(self._open):
            each.end()
        tasks = asyncio.all_tasks(self._loop)
        for task in tasks:
            task.cancel()
        self._loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
        self._loop.close()

    async def _accept(self) -> None:
        while True:
            near, _ = await self._loop.sock_accept(self._listener)
            port = self._target()
            far = socket.socket()
            far.setblocking(False)
            try:
                if port is None:
                    raise ConnectionRefusedError
                await self._loop.sock_connect(far, (LOCAL, port))
            except OSError:
                for each in (near, far):
                    reset(each)
                continue
            self.connections += 1
            _Connection(self, near, far).start(self._loop)

    async def _cut(self, most: int) -> int:
        chosen = sorted(self._open, key=lambda each: each.passed, reverse=True)[:most]
        for each in chosen:
            each.cut(self._loop)
        self.cuts += len(chosen)
        return len(chosen)

    def opened(self, connection: _Connection) -> None:
        """A connection is there."""
        self._open.add(connection)

    def gone(self, connection: _Connection) -> None:
        """A connection has ended."""
        self._open.discard(connection)


class _Connection:
    """One connection: a task that reads and one that writes for each direction."""

    def __init__(self, line: Line, near: socket.socket, far: socket.socket) -> None:
        self._line = line
        self._near, self._far = near, far
        self._tasks: list[asyncio.Task[None]] = []
        self._on_the_way: dict[socket.socket, deque[tuple[float, bytes]]] = {near: deque(), far: deque()}
        self._arrived = {near: asyncio.Event(), far: asyncio.Event()}
        self._room = {near: asyncio.Event(), far: asyncio.Event()}
        self._held = {near: 0, far: 0}
        self._ended = 0
        self.passed = 0
        for each in (near, far):
            each.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def start(self, loop: asyncio.AbstractEventLoop) -> None:
        """Begin to pass on."""
        self._line.opened(self)
        for source, target in ((self._near, self._far), (self._far, self._near)):
            self._tasks.append(loop.create_task(self._pass_on(loop, source, target)))

    async def _pass_on(self, loop: asyncio.AbstractEventLoop, source: socket.socket, target: socket.socket) -> None:
        queue = self._on_the_way[target]
        writing = loop.create_task(self._write(loop, target))
        self._tasks.append(writing)
        try:
            while data := await loop.sock_recv(source, READ_SIZE):
                queue.append((loop.time() + self._line.delay, data))
                self._arrived[target].set()
                self._held[target] += len(data)
                while self._held[target] > HELD:
                    self._room[target].clear()
                    await self._room[target].wait()
            queue.append((loop.time() + self._line.delay, b""))
            self._arrived[target].set()
            await writing
        except OSError:
            self.end()
        self._ended += 1
        if self._ended == len(self._on_the_way):
            self.end()

    async def _write(self, loop: asyncio.AbstractEventLoop, target: socket.socket) -> None:
        queue = self._on_the_way[target]
        while True:
            while not queue:
                self._arrived[target].clear()
                await self._arrived[target].wait()
            due, data = queue[0]
            if due > loop.time():
                await asyncio.sleep(due - loop.time())
            queue.popleft()
            self._held[target] -= len(data)
            self._room[target].set()
            if not data:
                with contextlib.suppress(OSError):
                    target.shutdown(socket.SHUT_WR)
                return
            try:
                await loop.sock_sendall(target, data)
            except OSError:
                self.end()
                return
            self.passed += len(data)
            self._line.passed += len(data)
            if target is self._far and self._line.watch is not None:
                self._line.watch(len(data))

    def cut(self, loop: asyncio.AbstractEventLoop) -> None:
        """The near end is gone at once; the far end gets what was on its way `LATE` seconds later."""
        for task in self._tasks:
            task.cancel()
        self._line.gone(self)
        reset(self._near)
        late = b"".join(data for _, data in self._on_the_way[self._far])
        loop.create_task(self._deliver_late(loop, late))

    async def _deliver_late(self, loop: asyncio.AbstractEventLoop, data: bytes) -> None:
        try:
            await asyncio.sleep(LATE)
            with contextlib.suppress(OSError):
                await loop.sock_sendall(self._far, data)
        finally:
            reset(self._far)

    def end(self) -> None:
        """Break off."""
        for task in self._tasks:
            task.cancel()
        self._line.gone(self)
        for each in (self._near, self._far):
            reset(each)


def reset(end: socket.socket) -> None:
    """Close a socket without sending what waits."""
    with contextlib.suppress(OSError):
        end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
    end.close()
