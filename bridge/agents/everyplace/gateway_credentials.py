"""How the ends of a gateway's connections prove who they are (mqe.md 19, E-249, E-250)."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Protocol

from mqbridge.bridge.everyplace.definitions.connection_definition import ConnectionDefinition
from mqbridge.bridge.everyplace.definitions.listener_definition import ListenerDefinition
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
    """The credentials of one gateway. ``source``: of randomness that nobody can guess. ``date``: returns seconds since
    1970.

    A caller that is not enrolled, or no longer, is asked for a proof by key all the same, which it then cannot give: so
    nobody learns which names there are.
    """

    def __init__(self, enrolments: Enrolments, source: random.Random, date: Callable[[], float], told: Told) -> None:
        self._enrolments = enrolments
        self._random = source
        self._date = date
        self._told = told

    def for_calling(self, connection: ConnectionDefinition, peer: Peer) -> Sequence[Authenticator]:
        """See `Credentials.for_calling`."""
        if connection.authenticator == CERTIFICATE:
            return (ByCertificate(peer.certificate_name),)
        if connection.authenticator == KEY:
            found = self._enrolments.find(connection.name)
            if found is None or not found.key:
                text = f"there is no key for connection {connection.name}"
                raise EveryplaceError(Code.AUTHENTICATE, text)
            return (ByKey(found.key, peer.binding),)
        return (NoProof(),)

    def for_called(self, name: str, listener: ListenerDefinition, peer: Peer) -> Authenticator:
        """See `Credentials.for_called`."""
        if listener.authenticator == NONE:
            return NoProof()
        try:
            found = self._enrolments.admitted(name, int(self._date() * 1000))
        except EveryplaceError as error:
            self._told.turned_away(name, error)
            if listener.authenticator == CERTIFICATE:
                raise EveryplaceError(Code.AUTHENTICATE, f"{name} may not connect") from None
            found = None
        if listener.authenticator == CERTIFICATE:
            return ByCertificate(peer.certificate_name)
        key = found.key if found is not None else b""
        return ByKey(key or self._random.randbytes(KEY_BYTES), peer.binding)

    def proved(self, name: str, incarnation: bytes) -> None:
        """See `Credentials.proved`."""
        self._told.proved(name, incarnation)
