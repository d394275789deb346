"""A socket in front of an adapter that has none: two threads carry its bytes, one for each direction (E-476)."""

from __future__ import annotations

import socket
from contextlib import suppress
from threading import Thread
from typing import Final

from mqbridge.protocol.everyplace.errors import Code, EveryplaceError

from .adapters.interface import Adapter

_CHUNK: Final = 1 << 16


class Pump:
    """``socket``: what is written to it goes to the adapter, and back. ``error``: why it has ended, if it is known."""

    def __init__(self, adapter: Adapter, name: str) -> None:
        self.error: EveryplaceError | None = None
        self._adapter = adapter
        self.socket, self._inner = socket.socketpair()
        self._reader = Thread(target=self._read, name=f"reads {name}", daemon=True)
        self._reader.start()
        Thread(target=self._write, name=f"writes {name}", daemon=True).start()

    def _read(self) -> None:
        try:
            while data := self._adapter.read():
                self._inner.sendall(data)
        except Exception as error:  # adapters of others may raise anything
            self._failed(error)
        with suppress(OSError):
            self._inner.shutdown(socket.SHUT_WR)

    def _write(self) -> None:
        try:
            while data := self._inner.recv(_CHUNK):
                self._adapter.write(data)
        except Exception as error:
            self._failed(error)
        self._adapter.close()
        with suppress(OSError):
            self._inner.shutdown(socket.SHUT_RDWR)
        self._reader.join()  # the adapter is closed, so it ends
        self._inner.close()

    def _failed(self, error: Exception) -> None:
        if self.error is None and not isinstance(error, OSError):
            self.error = as_everyplace(error)


def as_everyplace(error: Exception) -> EveryplaceError:
    """Return what an adapter has raised as an error of Everyplace."""
    if isinstance(error, EveryplaceError):
        return error
    return EveryplaceError(Code.ADAPTER_EXCEPTION, f"the adapter has failed: {type(error).__name__}: {error}")
