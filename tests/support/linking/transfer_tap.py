"""A tap on AMQP connections: passes bytes on between clients and a broker, and keeps the encoded messages that the
clients sent."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress

import proton

_HEADER = b"AMQP"
_HEADER_LENGTH = 8
_TRANSFER = 0x14
_MORE = 5


class TransferTap:
    """Accepts connections at ``port`` for a broker at another one of the loopback interface. ``messages``: what clients
    have sent, in order."""

    def __init__(self, broker: int) -> None:
        self._broker = broker
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listening.getsockname()[1]
        self.messages: list[bytes] = []
        self._open: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        """End all connections."""
        for each in (self._listening, *self._open):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listening.accept()
                broker = socket.create_connection(("127.0.0.1", self._broker))
                self._open += [client, broker]
                reading = _Frames(self.messages)
                threading.Thread(target=_pass_on, args=(client, broker, reading), daemon=True).start()
                threading.Thread(target=_pass_on, args=(broker, client, None), daemon=True).start()


class _Frames:
    """The bytes of one client. Each message is kept when its last frame is there, before the broker has that."""

    def __init__(self, messages: list[bytes]) -> None:
        self._messages = messages
        self._bytes = b""
        self._message = b""

    def read(self, received: bytes) -> None:
        self._bytes += received
        while len(self._bytes) >= _HEADER_LENGTH:
            header = self._bytes.startswith(_HEADER)
            length = _HEADER_LENGTH if header else int.from_bytes(self._bytes[:4], "big")
            if len(self._bytes) < length:
                return
            frame, self._bytes = self._bytes[:length], self._bytes[length:]
            if not header and frame[5] == 0:
                self._frame(frame[4 * frame[4] :])

    def _frame(self, body: bytes) -> None:
        if not body:
            return
        data = proton.Data()
        length = data.decode(body)
        data.rewind()
        data.next()
        performative = data.get_object()
        if performative.descriptor != _TRANSFER:
            return
        self._message += body[length:]
        fields = performative.value
        if len(fields) <= _MORE or not fields[_MORE]:
            self._messages.append(self._message)
            self._message = b""


def _pass_on(source: socket.socket, target: socket.socket, reading: _Frames | None) -> None:
    with suppress(OSError):
        while received := source.recv(1 << 16):
            if reading is not None:
                reading.read(received)
            target.sendall(received)
        target.shutdown(socket.SHUT_WR)
