"""Settings of a network, and what its host tells of the other end of a transport."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from mqbridge.bridge.everyplace.definitions.connection_definition import ConnectionDefinition
from mqbridge.bridge.everyplace.definitions.listener_definition import ListenerDefinition
from mqbridge.protocol.everyplace.authenticators import Authenticator, NoProof
from mqbridge.protocol.everyplace.handshakes import VERSION


@dataclass(frozen=True, slots=True)
class NetworkSettings:
    """Times in seconds.

    ``hello``: until an end must have said who it is. ``answer``: until a question must be answered. ``ping``: until an
    idle connection is tried. ``retry_first``, ``retry_most``: between tries to connect, and to send what was refused.
    ``pull_wait``: how long a pull may wait at the other end. ``call``: until a call must have a connection.
    ``outcome``: until a call that was sent must have its outcome. ``clock_offset``: from which the difference of two
    clocks is an alarm (E-087). ``compressors``: offered by the end that calls, best first; the other knows all.
    ``version``: the newest of the protocol that is spoken.
    """

    hello: float = 10.0
    answer: float = 60.0
    ping: float = 60.0
    retry_first: float = 1.0
    retry_most: float = 300.0
    pull_wait: float = 60.0
    call: float = 30.0
    outcome: float = 300.0
    clock_offset: float = 5.0
    compressors: tuple[str, ...] = ()
    version: int = VERSION


@dataclass(frozen=True, slots=True)
class Peer:
    """What a transport knows of its other end. ``address``: for texts. ``certificate_name``: the queue manager that its
    certificate names, empty without one. ``secure``: inside TLS. ``binding``: the same bytes at both ends of one
    transport and nowhere else, such as the fingerprint of the certificate of the end that is called."""

    address: str = ""
    certificate_name: str = ""
    secure: bool = False
    binding: bytes = b""

    @property
    def host(self) -> str:
        """The address without its port."""
        host, colon, port = self.address.rpartition(":")
        return host if colon and port.isdecimal() else self.address


NOBODY = Peer()


class Credentials(Protocol):
    """Who must prove what. Both raise `EveryplaceError` AUTHENTICATE where there is no way."""

    def for_calling(self, connection: ConnectionDefinition, peer: Peer) -> Sequence[Authenticator]:
        """Return how the other end may prove who it is, and this one too, best first."""
        ...

    def for_called(self, name: str, listener: ListenerDefinition, peer: Peer) -> Authenticator:
        """Return how a caller of this name must prove it."""
        ...

    def proved(self, name: str, incarnation: bytes) -> None:
        """A caller has proved its name. Raises `EveryplaceError` AUTHENTICATE if it is not the one that may have it."""
        ...


class Trusting:
    """Credentials of ends that believe each other: loopback and tests."""

    def for_calling(self, connection: ConnectionDefinition, peer: Peer) -> Sequence[Authenticator]:
        """Nothing is proved."""
        return (NoProof(),)

    def for_called(self, name: str, listener: ListenerDefinition, peer: Peer) -> Authenticator:
        """Nothing is proved."""
        return NoProof()

    def proved(self, name: str, incarnation: bytes) -> None:
        """Everybody may have any name."""
