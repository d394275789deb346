"""Players on sockets."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from twisted.internet import reactor as installed_reactor
from twisted.internet.error import CannotListenError
from twisted.internet.protocol import Factory, Protocol, connectionDone
from twisted.python.failure import Failure

from mqbridge.bridge.cli.ending import fail
from mqbridge.bridge.endpoints.addresses import host_and_port, is_tcp
from mqbridge.bridge.endpoints.opening import open_endpoint, with_backlog
from mqbridge.bridge.links.places import read_place
from mqbridge.captures.play import Player

reactor: Any = installed_reactor
Say = Callable[[str], None]
_CANNOT = 20


class PlayerProtocol(Protocol):
    """One connection of a player. ``ended``: called when it is over."""

    transport: Any

    def __init__(self, player: Player, say: Say, ended: Callable[[Player], None]) -> None:
        self._player = player
        self._say = say
        self._ended = ended
        self._timer: Any = None

    def connectionMade(self) -> None:
        """Begin."""
        self._player.connected(time.time())
        self._go_on()

    def dataReceived(self, data: bytes) -> None:
        """Pass bytes on."""
        self._player.receive_data(data, time.time())
        self._go_on()

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        """The connection is closed."""
        self._stop_timer()
        self._player.receive_data(b"", time.time())
        self._tell()
        self._ended(self._player)

    def _go_on(self) -> None:
        data = self._player.take()
        if data:
            self.transport.write(data)
        self._tell()
        self._stop_timer()
        due = self._player.next_timeout
        if self._player.over:
            self.transport.loseConnection()
        elif due is not None:
            self._timer = reactor.callLater(max(due - time.time(), 0), self._time_out)

    def _time_out(self) -> None:
        self._timer = None
        self._player.timeout(time.time())
        self._go_on()

    def _tell(self) -> None:
        for line in self._player.take_lines():
            self._say(line)

    def _stop_timer(self) -> None:
        timer, self._timer = self._timer, None
        if timer is not None and timer.active():
            timer.cancel()


def answer_at(endpoint: str, make: Callable[[], Player], say: Say) -> None:
    """Listen until the program is ended. A wrong or taken endpoint ends the command with status 20."""
    factory = Factory.forProtocol(lambda: PlayerProtocol(make(), say, lambda _: None))
    factory.noisy = False

    def opened(port: Any) -> None:
        address = port.getHost()
        say("listening on " + ("{}:{}".format(*host_and_port(address)) if is_tcp(address) else endpoint))

    faults: list[str] = []

    def failed(failure: Failure) -> None:
        error = failure.value
        faults.append(str(error.socketError if isinstance(error, CannotListenError) else error))
        reactor.stop()

    def begin() -> None:
        try:
            open_endpoint(reactor, with_backlog(endpoint), factory).addCallbacks(opened, failed)
        except (ValueError, TypeError) as error:
            faults.append(str(error))
            reactor.stop()

    reactor.callWhenRunning(begin)
    reactor.run()
    if faults:
        fail(f"mqbridge: cannot listen on {endpoint}: {faults[0]}", _CANNOT)


def ask_at(endpoint: str, make: Callable[[], Player], say: Say) -> bool:
    """Play one connection; whether all was as recorded. An endpoint that is not reached ends the command."""
    try:
        place = read_place(endpoint)
    except ValueError as error:
        fail(f"mqbridge: {error}", _CANNOT)
    players: list[Player] = []
    faults: list[str] = []

    def ended(player: Player) -> None:
        players.append(player)
        reactor.stop()

    def failed(failure: Failure) -> None:
        faults.append(failure.getErrorMessage())
        reactor.stop()

    factory = Factory.forProtocol(lambda: PlayerProtocol(make(), say, ended))
    factory.noisy = False
    reactor.callWhenRunning(lambda: place.endpoint(reactor).connect(factory).addErrback(failed))
    reactor.run()
    if faults:
        fail(f"mqbridge: {endpoint} is not reached: {faults[0]}", _CANNOT)
    return bool(players) and players[0].complete
