"""Who must prove what to a device, and the device to others: keys of enrolments, and certificates."""

from __future__ import annotations

from collections.abc import Sequence

from mqbridge.bridge.everyplace import secrets
from mqbridge.bridge.everyplace.definitions.connection_definition import ConnectionDefinition
from mqbridge.bridge.everyplace.definitions.listener_definition import ListenerDefinition
from mqbridge.bridge.everyplace.network.calling_proofs import calling_proofs
from mqbridge.bridge.everyplace.network.settings import Peer
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


class DeviceCredentials:
    """Credentials of one device, from its file; `network.settings.Credentials` describes the methods."""

    def __init__(self, kept: secrets.Secrets) -> None:
        self._kept = kept

    def for_calling(self, connection: ConnectionDefinition, peer: Peer) -> Sequence[Authenticator]:
        """The key of the enrolment if there is one; else TLS, or the loopback interface, must do."""
        key = self._kept.value(connection.name, secrets.KEY)
        return calling_proofs(connection, peer, key, loopback=is_loopback(peer.address))

    def for_called(self, name: str, listener: ListenerDefinition, peer: Peer) -> Authenticator:
        """What the listener's definition says."""
        wanted = listener.authenticator
        key = self._kept.value(name, secrets.KEY)
        if key and wanted in ("", KEY):
            return ByKey(key, peer.binding)
        if wanted == CERTIFICATE or (not wanted and peer.certificate_name):
            return ByCertificate(peer.certificate_name)
        if wanted in ("", NONE) and is_loopback(peer.address):
            return NoProof()
        text = f"listener {listener.name}: {name} has no key here, and authenticator {wanted or NONE!r} wants one"
        raise EveryplaceError(Code.AUTHENTICATE, text)

    def proved(self, name: str, incarnation: bytes) -> None:
        """A device has no list of incarnations: lanes find one that was restored or cloned."""


def is_loopback(address: str) -> bool:
    """Whether ``host:port`` or ``[host]:port`` is on this machine."""
    import ipaddress

    host = address.rpartition("//")[2].rpartition(":")[0].strip("[]")
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
