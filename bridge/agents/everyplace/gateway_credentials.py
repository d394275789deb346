"""How the ends of a gateway's connections prove who they are (mqe.md 19, E-249, E-250)."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Protocol

from mqbridge.bridge.everyplace.definitions.connection_definition import ConnectionDefinition
from mqbridge.bridge.everyplace.definitions.listener_definition import ListenerDefinition
from mqbridge.bridge.everyplace.network.calling_proofs import calling_proofs
from mqbridge.bridge.everyplace.network.settings import Peer
from mqbridge.bridge.everyplace.secrets import KEY, Secrets
from mqbridge.bridge.security import is_loopback
from mqbridge.protocol.everyplace.authenticators import (
    CERTIFICATE,
    NONE,
    Authenticator,
    ByCertificate,
    ByKey,
    NoProof,
)
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.token import KEY as KEY_BYTES

from .enrolments import Enrolments


class Told(Protocol):
    """Who is told what callers prove, or cannot."""

    def turned_away(self, name: str, error: EveryplaceError) -> None:
        """A caller may not prove a name."""
        ...

    def proved(self, name: str, incarnation: bytes) -> None:
        """A caller has proved its name. Raises `EveryplaceError` AUTHENTICATE."""
        ...


class GatewayCredentials:
    """The credentials of one gateway. ``secrets``: of the connections that it opens. ``source``: of randomness that
    nobody can guess. ``date``: returns seconds since 1970.

    A caller that is not enrolled, or no longer, is asked for a proof by key all the same, which it then cannot give: so
    nobody learns which names there are. One that was enrolled for a web server in front proves its key for the
    certificate of that: whoever is in between has not its key.
    """

    def __init__(
        self,
        enrolments: Enrolments,
        secrets: Secrets,
        source: random.Random,
        date: Callable[[], float],
        told: Told,
    ) -> None:
        self._enrolments = enrolments
        self._secrets = secrets
        self._random = source
        self._date = date
        self._told = told

    def for_calling(self, connection: ConnectionDefinition, peer: Peer) -> Sequence[Authenticator]:
        """See `Credentials.for_calling`."""
        key = self._secrets.value(connection.name, KEY)
        return calling_proofs(connection, peer, key, loopback=is_loopback(peer.address))

    def for_called(self, name: str, listener: ListenerDefinition, peer: Peer) -> Authenticator:
        """See `Credentials.for_called`."""
        if listener.authenticator == NONE:
            return NoProof()
        try:
            found = self._enrolments.admitted(name, int(self._date() * 1000))
            key = self._enrolments.key_of(found)
        except EveryplaceError as error:
            self._told.turned_away(name, error)
            if listener.authenticator == CERTIFICATE:
                raise EveryplaceError(Code.AUTHENTICATE, f"{name} may not connect") from None
            found, key = None, b""
        if listener.authenticator == CERTIFICATE:
            return ByCertificate(peer.certificate_name)
        binding = found.front if found is not None and found.front else peer.binding
        return ByKey(key or self._random.randbytes(KEY_BYTES), binding)

    def proved(self, name: str, incarnation: bytes) -> None:
        """See `Credentials.proved`."""
        self._told.proved(name, incarnation)
