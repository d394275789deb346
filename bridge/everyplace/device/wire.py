"""One connection of a device: a socket that does not block, and the line whose bytes it carries."""

from __future__ import annotations

import socket
from contextlib import suppress
from selectors import EVENT_READ, EVENT_WRITE
from typing import Final

from mqbridge.bridge.everyplace.network.outgoing import Line
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError

from .adapters.dialling import broken
from .adapters.interface import Adapter, OverSocket
from .pump import Pump

_CHUNK: Final = 1 << 16
_AT_ONCE: Final = 16
"""Most chunks read in one turn."""
_WANTS: Final = ("SSLWantReadError", "SSLWantWriteError")


class Wire:
    """``line``: set once there is one. ``error``: why the transport has ended, None as long as it has not."""

    def __init__(self, adapter: Adapter, name: str) -> None:
        self._adapter = adapter
        self._name = name
        self._pump: Pump | None = None
        if isinstance(adapter, OverSocket):
            self.socket = adapter.socket
        else:
            self._pump = Pump(adapter, name)
            self.socket = self._pump.socket
        self.socket.setblocking(False)
        self.line: Line | None = None
        self.error: EveryplaceError | None = None
        self.more = False
        """Whether there may be bytes that no event tells of."""
        self._out = bytearray()
        self._read_wants = EVENT_READ
        self._write_wants = EVENT_WRITE
        self._closing = False

    @property
    def interest(self) -> int:
        """The events to wait for."""
        return self._read_wants | (self._write_wants if self._out else 0)

    @property
    def done(self) -> bool:
        """Whether it can be closed: the transport has ended, or everything was sent that is to be sent."""
        return self.error is not None or (self._closing and not self._out)

    def read(self) -> bytes:
        """Return what has come; at the end `error` is set."""
        found = []
        self._read_wants, self.more = EVENT_READ, False
        for _ in range(_AT_ONCE):
            try:
                data = self.socket.recv(_CHUNK)
            except BlockingIOError:
                break
            except OSError as error:
                wants = _wanted(error)
                if wants:
                    self._read_wants = EVENT_READ | wants
                else:
                    self._ended(error)
                break
            if not data:
                self._ended(None)
                break
            found.append(data)
        else:
            self.more = True
        return b"".join(found)

    def send(self, data: bytes, *, last: bool) -> None:
        """Send, as fast as the other end takes it. ``last``: nothing comes behind it."""
        self._closing = self._closing or last
        self._out += data
        self.flush()

    def flush(self) -> None:
        """Go on sending."""
        self._write_wants = EVENT_WRITE
        while self._out and self.error is None:
            try:
                sent = self.socket.send(self._out[:_CHUNK])
            except BlockingIOError:
                return
            except OSError as error:
                wants = _wanted(error)
                if wants:
                    self._write_wants = wants
                else:
                    self._ended(error)
                return
            del self._out[:sent]

    def close(self) -> None:
        """Close the transport."""
        if self._pump is None:
            self._adapter.close()
            return
        with suppress(OSError):  # the adapter closes when it has written what is under way
            self.socket.shutdown(socket.SHUT_WR if self.error is None else socket.SHUT_RDWR)
        self.socket.close()

    def _ended(self, error: OSError | None) -> None:
        if self._pump is not None and self._pump.error is not None:
            self.error = self._pump.error
        elif error is None:
            self.error = EveryplaceError(Code.ADAPTER_EXCEPTION, f"{self._name}: the other end has closed it")
        else:
            self.error = broken(self._name, error)


def _wanted(error: OSError) -> int:
    """The event for which TLS waits; 0 for another error. Without TLS, `ssl` is not loaded for this."""
    name = type(error).__name__
    return 0 if name not in _WANTS else EVENT_READ if name == _WANTS[0] else EVENT_WRITE
