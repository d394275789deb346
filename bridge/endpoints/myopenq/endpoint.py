"""The listener of a door: its connections, the rights of callers, and the driver that does what they ask."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twisted.internet.protocol import Factory

from mqbridge.bridge.agents.myopenq.asking import Asking, OnAnswer
from mqbridge.bridge.agents.myopenq.door import Door
from mqbridge.bridge.endpoints.arrivals import Arrivals
from mqbridge.bridge.endpoints.driver import Driver
from mqbridge.bridge.endpoints.opening import open_endpoint, with_backlog
from mqbridge.bridge.endpoints.tls import TlsTransport
from mqbridge.bridge.endpoints.tls_factories import TlsServerFactory
from mqbridge.bridge.endpoints.tls_sessions import Session
from mqbridge.protocol.constants import MQMODE
from mqbridge.protocol.myopenq import Packet, Responder

from .connection import DoorConnection
from .rights_files import RightsFiles


class DoorEndpoint:
    """The sockets of one door. ``most``: connections. ``packet_time``: seconds in which a packet must be whole.
    ``certified``: callers need a certificate, inside TLS."""

    def __init__(
        self, driver: Driver, door: Door, files: RightsFiles, *, most: int, packet_time: float, certified: bool
    ) -> None:
        self._driver = driver
        self._door = door
        self._files = files
        self._packet_time = packet_time
        self._certified = certified
        self.reactor = driver.reactor
        self.stalled = driver.stalled
        self.descriptor_guard = driver.descriptor_guard
        self.arrivals = Arrivals(driver.reactor, most)
        self._open: set[DoorConnection] = set()
        self.port: Any = None
        self.connections: set[DoorConnection] = set()
        door.ending = self._end
        door.connected = lambda: bool(self.connections)
        self._read_rights()

    async def listen(self, endpoint: str, make_session: Callable[[], Session] | None) -> None:
        """Listen on a Twisted endpoint string, inside TLS with sessions of ``make_session``. Raises what opening
        raises."""
        factory: Any = Factory.forProtocol(self._connection)
        factory.noisy = False
        if make_session is not None:
            patience = self._driver.gateway.connections.patience()
            factory = TlsServerFactory(self.reactor, factory, make_session, patience)
        self.port = await open_endpoint(self.reactor, with_backlog(endpoint), factory)
        self.descriptor_guard.ports.append(self.port)

    async def close(self) -> None:
        """Close the listener; its connections stay."""
        port, self.port = self.port, None
        if port is not None:
            self.descriptor_guard.ports.remove(port)
            await port.stopListening()

    def stop(self) -> None:
        """End all connections at once."""
        self.arrivals.abort_all()

    def _connection(self) -> DoorConnection:
        return DoorConnection(self)

    def _end(self, mode: MQMODE) -> None:
        for each in list(self.connections):
            if mode is MQMODE.FORCE:
                each.abort()
            else:
                each.end()

    def _read_rights(self) -> None:
        rights = self._files.changed()
        if rights is not None:
            self._door.rights = rights

    # See `DoorHost`

    @property
    def running(self) -> bool:
        """See `DoorHost.running`."""
        return self._door.running

    def now(self) -> float:
        """See `DoorHost.now`."""
        return self._driver.now()

    def responder(self) -> Responder:
        """See `DoorHost.responder`."""
        return Responder(framed=self._door.settings.framed, now=self.now(), packet_time=self._packet_time)

    def admits(self, transport: TlsTransport) -> bool:
        """See `DoorHost.admits`."""
        agreed = transport.agreed
        if not self._certified or (agreed is not None and agreed.certificate is not None):
            return True
        self._driver.log("AMQ5132", (self._door.name, transport.getPeer().host))
        return False

    def ask(self, packet: Packet, address: str, then: OnAnswer) -> Asking:
        """See `DoorHost.ask`."""
        self._read_rights()
        return self._door.ask(packet, address, then, self.now())

    def settle(self) -> None:
        """See `DoorHost.settle`."""
        self._driver.pump()
