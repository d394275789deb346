"""Sockets, plain or inside TLS, for recorded connections that are played to an endpoint."""

from __future__ import annotations

import selectors
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from typing import Final

from mqbridge.bridge.client import MQError, MQUrl
from mqbridge.bridge.client.sockets import open_socket
from mqbridge.captures.against import MultiPlayer, Player

CONNECT_TIMEOUT: Final = 10.0
"""Seconds for the endpoint to accept a connection."""
READ_SIZE: Final = 1 << 18
SHORT_WAIT: Final = 0.05
"""Seconds between polls while no player waits for an answer."""


class EndpointError(Exception):
    """The endpoint accepts no connections; the text says why."""


class EndpointConnection:
    """One connection to the endpoint, and its player, whose channel TLS names."""

    def __init__(self, player: Player, endpoint: MQUrl) -> None:
        self.player = player
        try:
            self.socket = open_socket(replace(endpoint, channel=player.channel), CONNECT_TIMEOUT)
        except MQError as error:
            raise EndpointError(f"no connection: {error.__cause__ or error}") from error
        self.unsent = memoryview(b"")

    def fileno(self) -> int:
        """Return the descriptor for the selector."""
        return self.socket.fileno()

    def send(self) -> None:
        """Send as much as possible."""
        self.unsent = self.unsent or memoryview(self.player.data_to_send())
        try:
            while self.unsent:
                self.unsent = self.unsent[self.socket.send(self.unsent) :]
                self.unsent = self.unsent or memoryview(self.player.data_to_send())
        except BlockingIOError:
            return
        except OSError as error:
            self._lost(error)

    def receive(self) -> None:
        """Read what has arrived."""
        try:
            data = self.socket.recv(READ_SIZE)
        except BlockingIOError:
            return
        except OSError as error:
            self._lost(error)
            return
        if data:
            self.player.receive_data(data, time.monotonic())
        else:
            self.player.receive_eof()
            self.unsent = memoryview(b"")

    def finish(self) -> None:
        """Send the rest and close."""
        self.unsent = self.unsent or memoryview(self.player.data_to_send())
        with suppress(OSError):
            self.socket.settimeout(CONNECT_TIMEOUT)
            self.socket.sendall(self.unsent)
        self.socket.close()

    def _lost(self, error: OSError) -> None:
        self.player.receive_eof(error.strerror or str(error))
        self.unsent = memoryview(b"")


def play(players: Iterable[Player], endpoint: MQUrl) -> None:
    """Play recorded connections to their end, concurrently. ``endpoint``: host, port and settings of TLS count.

    Raises :class:`EndpointError` if not even the first can be opened; the player of a later one reports it.
    """
    multi_player = MultiPlayer(players)
    lines: dict[Player, EndpointConnection] = {}
    with selectors.DefaultSelector() as selector:
        try:
            while True:
                _connect(multi_player, lines, selector, endpoint)
                for line in lines.values():
                    line.send()
                for player in multi_player.advance(time.monotonic()):
                    if player in lines:
                        line = lines.pop(player)
                        selector.unregister(line)
                        line.finish()
                if not lines and not multi_player.waits:
                    return
                _wait(lines, selector)
        finally:
            for line in lines.values():
                line.socket.close()


def _connect(
    multi_player: MultiPlayer,
    lines: dict[Player, EndpointConnection],
    selector: selectors.BaseSelector,
    endpoint: MQUrl,
) -> None:
    while (player := multi_player.next_to_connect()) is not None:
        player.start(time.monotonic())
        try:
            line = EndpointConnection(player, endpoint)
        except EndpointError as error:
            if multi_player.connected == 1:
                raise
            player.receive_eof(str(error))
            continue
        lines[player] = line
        selector.register(line, selectors.EVENT_READ)


def _wait(lines: dict[Player, EndpointConnection], selector: selectors.BaseSelector) -> None:
    """Wait until something can be sent or read, or is due."""
    for line in lines.values():
        line.send()
        selector.modify(line, selectors.EVENT_READ | (selectors.EVENT_WRITE if line.unsent else 0))
    moments = [due for player in lines if (due := player.next_timeout()) is not None]
    wait = max(0.0, min(moments) - time.monotonic()) if moments else SHORT_WAIT
    for key, events in selector.select(wait):
        line = key.fileobj  # type: ignore[assignment]
        if events & selectors.EVENT_WRITE:
            line.send()
        if events & selectors.EVENT_READ:
            line.receive()
    now = time.monotonic()
    for player in lines:
        player.timeout(now)
