"""Two ends of TLS, joined by their bytes."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from mqbridge.bridge.security.tls import TlsConnection, TlsOffer
from mqbridge.bridge.tls import KeyRepository, TlsContexts, TlsError

from .authority import Authority

TLS_1_3 = ("TLS_AES_256_GCM_SHA384", "TLS_AES_128_GCM_SHA256")
TLS_1_2 = ("ECDHE_ECDSA_AES_256_GCM_SHA384", "ECDHE_RSA_AES_256_GCM_SHA384", "TLS_RSA_WITH_AES_256_GCM_SHA384")
ALL = TLS_1_3 + TLS_1_2


class End(Protocol):
    """What both kinds of session have."""

    @property
    def agreed(self) -> TlsConnection | None: ...

    @property
    def ended(self) -> bool: ...

    def receive_data(self, data: bytes) -> bytes: ...

    def data_to_send(self) -> bytes: ...

    def write(self, data: bytes) -> None: ...

    def close(self) -> None: ...

    def receive_end(self) -> None: ...


def join(client: End, server: End, *, piece: int = 1 << 16) -> dict[str, TlsError]:
    """Carry bytes both ways until both ends are silent; returns what went wrong, by end."""
    errors: dict[str, TlsError] = {}
    if client.agreed is None:
        client.receive_data(b"")
    while True:
        silent = True
        for name, one, other in (("server", client, server), ("client", server, client)):
            data = one.data_to_send()
            silent &= not data
            for at in range(0, len(data), piece):
                try:
                    other.receive_data(data[at : at + piece])
                except TlsError as error:
                    errors[name] = error
        if silent:
            return errors


def repository(folder: Path, authority: Authority, label: str = "", *, name: str = "O=Space,CN=EARTH") -> TlsContexts:
    """Sessions of an end that trusts an authority; with a certificate of it if it has a label."""
    authority.trust_file(folder / "trusted" / "authority.pem")
    if label:
        authority.issue(name, curve=True).save(folder / f"{label}.pem")
    return TlsContexts(KeyRepository(folder), label)


def offer(*cipher_specs: str, label: str = "", channel: str = "", server_name: str = "", own: bool = False) -> TlsOffer:
    """An offer, of everything unless CipherSpecs are named."""
    return TlsOffer(cipher_specs or ALL, label, channel, server_name, own)
