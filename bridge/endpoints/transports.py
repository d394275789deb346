"""What the house asks of a transport, be it that of a socket or `TlsTransport`."""

from __future__ import annotations

from typing import Any, Final

from .addresses import can
from .tls import TlsTransport

LINGER: Final = 2.0
"""Seconds for which a connection that we have ended is still read, so that the partner gets what was sent, no reset."""


def close_behind_last_bytes(transport: Any, reactor: Any, *, read_on: bool = True) -> Any:
    """Close a connection, from which its producer is taken away, behind all that was written.

    With ``read_on``, and where the writing side can be closed alone, what comes is read for `LINGER` seconds; returned
    is the timer of its end then, else None.
    """
    transport.unregisterProducer()
    if read_on and can(transport, "loseWriteConnection"):
        transport.resumeProducing()
        transport.loseWriteConnection()
        return reactor.callLater(LINGER, transport.abortConnection)
    transport.loseConnection()
    return None


def pause_until_taken(transport: Any) -> None:
    """Have a transport pause its push producer until the kernel has taken all bytes, if it has not."""
    if isinstance(transport, TlsTransport):
        transport.pause_until_taken()
        return
    before = transport.bufferSize
    transport.bufferSize = 0  # it pauses only when its buffer is above this limit
    try:
        transport.writeSequence([b""])  # has it look at what it holds
    finally:
        transport.bufferSize = before


def socket_transport(transport: Any) -> Any:
    """Return the transport of the socket: below TLS, or the same."""
    return transport.raw if isinstance(transport, TlsTransport) else transport
