"""Callers inside TLS that are played by hand: the handshake is over, with any outcome, before they say a word."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from mqbridge.bridge.security.tls import PeerCertificate, TlsConnection
from support.gateway.stage import Station
from support.simulation.network import Endpoint, Stream

CIPHER = "TLS_AES_256_GCM_SHA384"


def inside(
    certificate: PeerCertificate | None = None, *, cipher: str = CIPHER, protocol: str = "TLSV13", channel: str = ""
) -> TlsConnection:
    """What a caller has agreed on; ``channel``: as its hello names it."""
    return TlsConnection(protocol, cipher, "some.name" if channel else "", channel, "", certificate)


@contextmanager
def callers_inside(station: Station, tls: TlsConnection) -> Iterator[None]:
    """Whoever calls a station meanwhile has agreed on this."""
    listeners = station.stage.network.listeners
    accept: Callable[[Stream], Endpoint | None] = listeners[station.name]

    def accept_inside(stream: Stream) -> Endpoint | None:
        end = accept(stream)
        found = station.ends
        next(reversed(found)).tls = tls
        return end

    listeners[station.name] = accept_inside
    yield
    listeners[station.name] = accept
