"""A line between two managers that a test can have swallow answers, and cut."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress


class HoldingProxy:
    """Listens on ``port`` and passes bytes to and from ``target`` on this machine. While ``holding``, what comes back
    is swallowed."""

    def __init__(self, target: int) -> None:
        self._target = target
        self.holding = False
        self._pairs: list[tuple[socket.socket, socket.socket]] = []
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listening.getsockname()[1])
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                caller, _ = self._listening.accept()
            except OSError:
                return
            try:
                called = socket.create_connection(("127.0.0.1", self._target), 10)
                called.settimeout(None)
            except OSError:
                caller.close()
                continue
            self._pairs.append((caller, called))
            for source, sink, back in ((caller, called, False), (called, caller, True)):
                threading.Thread(target=self._pass, args=(source, sink, back), daemon=True).start()

    def _pass(self, source: socket.socket, sink: socket.socket, back: bool) -> None:
        with suppress(OSError):
            while data := source.recv(1 << 16):
                if not (back and self.holding):
                    sink.sendall(data)
        for each in (source, sink):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)

    def cut(self) -> None:
        """End all connections, and pass answers again."""
        pairs, self._pairs = self._pairs, []
        for pair in pairs:
            for each in pair:
                with suppress(OSError):
                    each.shutdown(socket.SHUT_RDWR)
                each.close()
        self.holding = False

    def close(self) -> None:
        """Listen no more."""
        with suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        self.cut()
