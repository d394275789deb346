"""What the house asks of a transport, be it that of a socket or `TlsTransport`."""

from __future__ import annotations

from typing import Any

from .tls import TlsTransport


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
