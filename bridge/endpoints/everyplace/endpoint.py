"""The endpoint of a gateway: gives its agent turns, opens listeners and connections, and carries the bytes of lines."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from twisted.internet.protocol import Factory

from mqbridge.bridge.agents.everyplace.agent import EveryplaceAgent
from mqbridge.bridge.agents.gateway.serve_everyplace import ServeEveryplace
from mqbridge.bridge.endpoints.arrivals import Arrivals
from mqbridge.bridge.endpoints.driver import Driver, HeldBack
from mqbridge.bridge.endpoints.opening import open_endpoint, with_backlog
from mqbridge.bridge.endpoints.tls_factories import TlsServerFactory
from mqbridge.bridge.endpoints.tls_sessions import Session
from mqbridge.bridge.everyplace.definitions.listener_definition import ListenerDefinition
from mqbridge.bridge.everyplace.effects import StartListener, StopListener
from mqbridge.bridge.everyplace.network.called_line import CalledLine
from mqbridge.bridge.everyplace.network.calling_line import CallingLine
from mqbridge.bridge.everyplace.network.outgoing import Line
from mqbridge.bridge.everyplace.network.settings import Peer
from mqbridge.mappings.moment import date_of
from mqbridge.protocol.everyplace.errors import EveryplaceError

from .carrier import LineCarrier
from .http_lines import HttpLines
from .http_server import FrameFactory
from .outgoing import Outgoing
from .stream import StreamProtocol, make_caller

STREAMS: Final = ("tcp", "tls")
ENCRYPTED: Final = ("tls", "https")


class Door:
    """An open listener."""

    def __init__(self, definition: ListenerDefinition, arrivals: Arrivals, lines: HttpLines | None) -> None:
        self.definition = definition
        self.arrivals = arrivals
        self.lines = lines
        self.port: Any = None

    def abort_all(self) -> None:
        """End all its connections."""
        if self.lines is not None:
            self.lines.abort_all()
        self.arrivals.abort_all()


class EveryplaceEndpoint:
    """The sockets of one gateway. ``new_id``: returns random ids of HTTP channels. ``outgoing``: opens connections."""

    def __init__(
        self,
        driver: Driver,
        agent: EveryplaceAgent,
        outgoing: Outgoing,
        new_id: Callable[[], str],
    ) -> None:
        self._driver = driver
        self._agent = agent
        self._new_id = new_id
        self._outgoing = outgoing
        self._carriers: dict[Line, LineCarrier] = {}
        self.doors: dict[str, Door] = {}
        self.listening: Callable[[StartListener | StopListener], None] = lambda _: None
        """Opens and closes listeners that administration has defined."""
        self.reactor = driver.reactor
        self.stalled = driver.stalled
        self.descriptor_guard = driver.descriptor_guard

    # Turns

    def serve(self, effect: ServeEveryplace) -> None:
        """Perform the effect."""
        agent, now = self._agent, self._driver.now()
        agent.turn(now)
        for change in agent.take_listener_changes():
            self.listening(change)
        if not agent.running:
            self._abort_callers()
        if not agent.sending:
            self._abort_all()
            return
        for definition in agent.network.openings(date_of(now)):
            self._outgoing.open(self, definition)
        for line in agent.network.lines_to_send():
            carrier = self._carriers.get(line)
            if carrier is not None:
                carrier.flush()

    def _abort_callers(self) -> None:
        for door in self.doors.values():
            door.abort_all()
        for line, carrier in list(self._carriers.items()):
            if isinstance(line, CalledLine):
                carrier.abort()

    def _abort_all(self) -> None:
        self._abort_callers()
        for carrier in list(self._carriers.values()):
            carrier.abort()
        self._outgoing.abort_all()

    def _woken(self) -> None:
        self._agent.wake()
        self._driver.pump()

    # Lines, see `EveryplaceHost`

    def date(self) -> float:
        """See `EveryplaceHost.date`."""
        return date_of(self._driver.now())

    def called(self, listener: ListenerDefinition, peer: Peer, carrier: LineCarrier) -> Line:
        """See `EveryplaceHost.called`."""
        line = self._agent.called(listener, peer, self._driver.now())
        self._carriers[line] = carrier
        return line

    def calls(self, name: str, peer: Peer, carrier: LineCarrier) -> CallingLine:
        """See `Caller.calls`."""
        line = self._agent.network.opened(name, self.date(), peer)
        self._carriers[line] = carrier
        self._woken()
        return line

    def broken(self, line: CallingLine, error: EveryplaceError) -> None:
        """See `Caller.broken`."""
        self._carriers.pop(line, None)
        line.fail(error)
        self._woken()

    def failed(self, name: str, error: EveryplaceError) -> None:
        """See `Caller.failed`."""
        self._agent.network.failed(name, error, self.date())
        self._woken()

    def received(self, line: Line, data: bytes) -> None:
        """See `EveryplaceHost.received`."""
        line.receive_data(data, self.date())
        carrier = self._carriers.get(line)
        if carrier is not None and line.ended:
            carrier.flush()
        self._woken()

    def cut(self, line: Line) -> None:
        """See `EveryplaceHost.cut`."""
        self._carriers.pop(line, None)
        line.cut(self.date())
        self._woken()

    def refused(self, peer: str, error: EveryplaceError) -> None:
        """See `EveryplaceHost.refused`."""
        self._agent.refused(peer, error)

    def hold_back(self, held: HeldBack) -> bool:
        """See `EveryplaceHost.hold_back`."""
        return self._driver.hold_back(held)

    # Listeners

    async def listen(
        self,
        definition: ListenerDefinition,
        endpoint: str,
        make_session: Callable[[], Session] | None = None,
        binding: bytes = b"",
    ) -> Door:
        """Open a listener on a Twisted endpoint string, inside TLS with sessions of ``make_session``.

        ``binding``: see `Peer`. Raises what opening raises.
        """
        arrivals = Arrivals(self.reactor, definition.max_channels)
        if definition.adapter in STREAMS:
            make = make_caller(self, definition, binding)
            factory: Any = Factory.forProtocol(lambda: StreamProtocol(self, make, arrivals))
            factory.noisy = False
            door = Door(definition, arrivals, None)
        else:
            lines = HttpLines(self, definition, self._new_id, binding)
            factory = FrameFactory(self, definition.path, lines, arrivals)
            door = Door(definition, arrivals, lines)
        if make_session is not None:
            factory = TlsServerFactory(self.reactor, factory, make_session, self._driver.gateway.connections.patience())
        door.port = await open_endpoint(self.reactor, with_backlog(endpoint), factory)
        self.descriptor_guard.ports.append(door.port)
        self.doors[definition.name] = door
        return door

    async def close_door(self, name: str) -> None:
        """Close a listener; its connections stay."""
        door = self.doors.pop(name, None)
        if door is not None:
            self.descriptor_guard.ports.remove(door.port)
            await door.port.stopListening()

    def stop(self) -> None:
        """Close all connections at once."""
        self._abort_all()
