"""How the ends of a connection that this queue manager opens prove who they are, at a device and a gateway."""

from __future__ import annotations

from collections.abc import Sequence

from mqbridge.bridge.everyplace.definitions.connection_definition import ConnectionDefinition
from mqbridge.protocol.everyplace.authenticators import (
    CERTIFICATE,
    KEY,
    NONE,
    Authenticator,
    ByCertificate,
    ByKey,
    NoProof,
)
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError

from .settings import Peer


def calling_proofs(
    connection: ConnectionDefinition, peer: Peer, key: bytes, *, loopback: bool
) -> Sequence[Authenticator]:
    """Return them, best first. ``key``: of the enrolment at the other end, empty without one: then TLS, or the
    ``loopback`` interface, must do. Raises `EveryplaceError` AUTHENTICATE where nothing can be used."""
    wanted = connection.authenticator
    found: list[Authenticator] = []
    if key and wanted in ("", KEY):
        found.append(ByKey(key, peer.binding))
    if wanted == CERTIFICATE or (not wanted and peer.certificate_name == connection.name):
        found.append(ByCertificate(peer.certificate_name))
    if not key and wanted in ("", NONE) and (peer.secure or loopback):
        found.append(NoProof())
    if not found:
        text = (
            f"connection {connection.name}: {wanted or 'no authenticator'} cannot be used; enrol this queue manager at"
            " the gateway with 'mqbridge everyplace enrol', or use TLS"
        )
        raise EveryplaceError(Code.AUTHENTICATE, text)
    return found
