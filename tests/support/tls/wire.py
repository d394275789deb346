"""A line between two ends that keeps what passes, and can be cut at any byte."""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
from collections.abc import Callable

LOCAL = "127.0.0.1"
READ_SIZE = 1 << 16
_RESET = struct.pack("ii", 1, 0)


class Wire:
    """Passes bytes on to a port. ``target``: returns the port, None while nobody listens there."""

    def __init__(self, target: Callable[[], int | None]) -> None:
        self._target = target
        self._listener = socket.create_server((LOCAL, 0))
        self.port: int = self._listener.getsockname()[1]
        self._lock = threading.Lock()
        self._passed: list[bytearray] = []
        self._open: set[socket.socket] = set()
        self._cut_at: int | None = None
        self._mute_in: int | None = None
        self.bytes = 0
        """How many bytes have passed, both ways."""
        self.cuts = 0
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def heard(self) -> list[bytes]:
        """What has passed, one value for each direction of each connection."""
        with self._lock:
            return [bytes(each) for each in self._passed]

    def cut(self, after: int = 0) -> None:
        """Reset all connections when so many more bytes have passed."""
        with self._lock:
            self._cut_at = self.bytes + after

    def mute(self, after: int) -> None:
        """When so many more bytes have come from the port, nothing more reaches it, until all connections are reset."""
        with self._lock:
            self._mute_in = after

    def reset(self) -> None:
        """Reset all connections."""
        with self._lock:
            self._mute_in = None
            ends, self._open = self._open, set()
        for end in ends:
            with contextlib.suppress(OSError):
                end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
                end.shutdown(socket.SHUT_RDWR)
            end.close()

    def close(self) -> None:
        """End the line and its connections."""
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.reset()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listener.accept()
            except OSError:
                return
            port = self._target()
            try:
                if port is None:
                    raise ConnectionRefusedError
                far = socket.create_connection((LOCAL, port))
            except OSError:
                near.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
                near.close()
                continue
            for end in (near, far):
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with self._lock:
                self._open |= {near, far}  # from now on both may be closed by a cut
            for source, sink in ((near, far), (far, near)):
                threading.Thread(target=self._pass, args=(source, sink, sink is far), daemon=True).start()

    def _pass(self, source: socket.socket, sink: socket.socket, to_port: bool) -> None:
        kept = bytearray()
        with self._lock:
            self._passed.append(kept)
        with contextlib.suppress(OSError):
            while data := source.recv(READ_SIZE):
                with self._lock:
                    if self._mute_in is not None:
                        if to_port and self._mute_in <= 0:
                            continue
                        self._mute_in -= 0 if to_port else len(data)
                    room = len(data) if self._cut_at is None else max(self._cut_at - self.bytes, 0)
                    cut, data = room < len(data), data[:room]
                    kept += data
                    self.bytes += len(data)
                sink.sendall(data)
                if cut:
                    self._cut_at = None
                    self.cuts += 1
                    self.reset()
                    return
        with contextlib.suppress(OSError):
            sink.shutdown(socket.SHUT_WR)
