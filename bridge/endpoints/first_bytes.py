"""The first bytes of an inbound connection: they tell whether the partner speaks TLS."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

from twisted.internet import protocol
from twisted.python.failure import Failure

from mqbridge.bridge.tls import TlsError

from .channel_protocol import ChannelProtocol
from .driver import Driver
from .tls import TlsTransport
from .tls_sessions import NoTls, RefusingSession

TLS_HANDSHAKE: Final = 0x16
"""The first byte of a partner that speaks TLS (tls.md T-01): the type of a record."""


class FirstBytes(protocol.Protocol):
    """The protocol of an inbound connection until its first bytes; then it leaves its place to the channel's protocol,
    or to TLS below that."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver
        self._channel = ChannelProtocol(driver, driver.gateway.connections.inbound, called=True)

    def connectionMade(self) -> None:
        """Connect the channel's protocol, which counts the connection and its time."""
        self._channel.makeConnection(self.transport)  # type: ignore[arg-type]

    def dataReceived(self, data: bytes) -> None:
        """Leave the place to who reads these bytes."""
        channel, raw = self._channel, self.transport
        assert raw is not None
        if data[0] == TLS_HANDSHAKE and channel.receives:
            self._begin_tls(raw, data)
        else:
            raw.protocol = channel  # type: ignore[attr-defined]
            channel.dataReceived(data)

    def _begin_tls(self, raw: Any, hello: bytes) -> None:
        driver, channel = self._driver, self._channel
        offer_for = partial(driver.gateway.connections.answering_offer, channel.connection)
        try:
            session = (driver.tls or NoTls()).answer(offer_for)
        except TlsError as error:
            session = RefusingSession(error)
        tls = TlsTransport(raw, session, driver.reactor, channel.established)
        channel.put_inside(tls)
        tls.begin(channel, hello)

    def connectionLost(self, reason: Failure = protocol.connectionDone) -> None:
        """The connection is closed without a byte."""
        self._channel.connectionLost(reason)
