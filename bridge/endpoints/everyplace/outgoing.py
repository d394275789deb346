"""Connections that a gateway opens to other gateways (mqe.md 13, E-245)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Protocol

from twisted.internet.protocol import Factory
from twisted.python.failure import Failure

from mqbridge.bridge.everyplace.definitions.connection_definition import ConnectionDefinition
from mqbridge.bridge.everyplace.network.calling_line import CallingLine
from mqbridge.bridge.everyplace.network.settings import Peer
from mqbridge.protocol.everyplace.errors import EveryplaceError
from mqbridge.protocol.everyplace.http_requests import HttpRequests

from .carrier import EveryplaceHost, LineCarrier
from .http_caller import HttpCaller
from .http_posts import as_everyplace
from .peers import called_peer
from .places import Place
from .stream import StreamProtocol
from .tunnels import Dialling, MakeSession


class Caller(EveryplaceHost, Protocol):
    """The endpoint, as connections that it opens see it."""

    def calls(self, name: str, peer: Peer, carrier: LineCarrier) -> CallingLine:
        """Make the line of a connection that is there. Raises `EveryplaceError` if it must not be used."""
        ...

    def failed(self, name: str, error: EveryplaceError) -> None:
        """A connection could not be made."""
        ...

    def broken(self, line: CallingLine, error: EveryplaceError) -> None:
        """A line cannot go on."""
        ...


class Outgoing:
    """Opens connections. ``place``: returns where one leads; may raise `EveryplaceError`. ``session``: makes the
    session of a call inside TLS; may raise `TlsError`."""

    def __init__(self, reactor: Any, place: Callable[[ConnectionDefinition], Place], session: MakeSession) -> None:
        self._reactor = reactor
        self._place = place
        self._session = session
        self._attempts: dict[str, Any] = {}

    def open(self, caller: Caller, definition: ConnectionDefinition) -> None:
        """Open a connection; ``caller`` is told when it is there, or that it is not."""
        name = definition.name
        try:
            place = self._place(definition)
            connecting = self._connect(caller, name, place)
        except EveryplaceError as error:
            self._reactor.callLater(0, caller.failed, name, error)
            return
        self._attempts[name] = connecting

        def made(_: Any) -> None:
            self._attempts.pop(name, None)

        def failed(failure: Failure) -> None:
            if self._attempts.pop(name, None) is not None:
                error = as_everyplace(failure)
                text = error.text if error.text.startswith(str(place)) else f"{place}: {error.text}"
                caller.failed(name, EveryplaceError(error.code, text))

        connecting.addCallbacks(made, failed)

    def _connect(self, caller: Caller, name: str, place: Place) -> Any:
        """Connect, and make the line. Returns a Deferred. Raises `EveryplaceError`."""

        requests = HttpRequests(place, secured=place.secured) if place.adapter.startswith("http") else None
        host = place.host if requests is not None and requests.proxy is not None else ""

        def begin(carrier: LineCarrier, transport: Any) -> CallingLine:
            return caller.calls(name, called_peer(transport, host), carrier)

        if requests is not None:
            dialling = Dialling(self._reactor, place, self._session, requests)
            return HttpCaller(caller, dialling.connect, requests, begin).open()

        def make(carrier: StreamProtocol) -> CallingLine:
            return begin(carrier, carrier.transport)

        factory = Factory.forProtocol(partial(StreamProtocol, caller, make, None))
        factory.noisy = False
        return Dialling(self._reactor, place, self._session).connect(factory)

    def abort_all(self) -> None:
        """Give up what is being opened."""
        attempts, self._attempts = self._attempts, {}
        for each in attempts.values():
            each.cancel()
