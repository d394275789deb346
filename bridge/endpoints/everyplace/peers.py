"""Who is at the other end of a transport."""

from __future__ import annotations

from typing import Any

from mqbridge.bridge.endpoints.addresses import host_and_port
from mqbridge.bridge.endpoints.tls import TlsTransport
from mqbridge.bridge.everyplace.network.settings import Peer
from mqbridge.bridge.security.tls import TlsConnection
from mqbridge.protocol.everyplace.token import fingerprint_of


def peer_of(transport: Any, binding: bytes = b"") -> Peer:
    """Return the partner: its address, and the name in its certificate, which TLS has checked. ``binding``: of the
    listener."""
    agreed = transport.agreed if isinstance(transport, TlsTransport) else None
    return Peer(host_and_port(transport.getPeer())[0], certificate_name(agreed), agreed is not None, binding)


def called_peer(transport: Any, host: str = "") -> Peer:
    """Return the partner that was called: it is bound to the certificate that it has shown. ``host``: where it is, if
    the transport leads to a proxy."""
    agreed = transport.agreed if isinstance(transport, TlsTransport) else None
    certificate = None if agreed is None else agreed.certificate
    binding = b"" if certificate is None else fingerprint_of(certificate.der)
    address = host or host_and_port(transport.getPeer())[0]
    return Peer(address, certificate_name(agreed), agreed is not None, binding)


def certificate_name(agreed: TlsConnection | None) -> str:
    """Return the one common name in the partner's certificate; blank without one."""
    if agreed is None or agreed.certificate is None:
        return ""
    names = [value for kind, value in agreed.certificate.subject.attributes if kind == "CN"]
    return names[0] if len(names) == 1 else ""
