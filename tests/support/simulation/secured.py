"""TLS between two ends of the simulated network: records that are cut, halved and lost like any other bytes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from random import Random
from typing import TYPE_CHECKING

from mqbridge.bridge.agents.gateway.effects import ConnectToPartner
from mqbridge.bridge.endpoints.tls_sessions import Session
from mqbridge.bridge.security.tls import TlsConnection
from mqbridge.bridge.tls import TlsError

from .network import Endpoint, Stream

if TYPE_CHECKING:
    from .node import Node, NodeEnd

HANDSHAKE = 0x16
"""First byte of a TLS connection."""


class SecuredSide:
    """One side of a stream with a TLS session on it: an endpoint of the network, and the stream of a node's end.

    ``opened``: called when the handshake is over; returns the node's end, or None if the connection is wanted no more.
    ``failed``: called with the error when TLS fails, and with None when the connection of a caller is lost before the
    handshake is over. ``inner``: the node's end, if there is one before.
    """

    def __init__(
        self,
        stream: Stream,
        side: int,
        session: Session,
        opened: Callable[[TlsConnection], Endpoint | None],
        failed: Callable[[TlsError | None], None],
        inner: Endpoint | None = None,
    ) -> None:
        self.stream, self.side, self.session = stream, side, session
        self.inner = inner
        self._opened, self._failed = opened, failed
        self._over = False

    @property
    def _random(self) -> Random:
        return self.stream.network.random

    def begin(self) -> None:
        """Begin the handshake, as the caller."""
        self.received(b"")

    # From the network

    def received(self, data: bytes) -> None:
        """Take ciphertext; what is in it goes to the node's end."""
        if self._over:
            return
        session = self.session
        open_before = session.agreed is not None
        try:
            plain = session.receive_data(data)
        except TlsError as error:
            self._flush()
            self._end(error)
            return
        self._flush()
        if not open_before and session.agreed is not None:
            self.inner = self._opened(session.agreed)
            if self.inner is None:
                self._over = True
                self.stream.close(self.side, abort=True)
                return
        if plain and self.inner is not None:
            self.inner.received(plain)

    def lost(self) -> None:
        """The stream is gone, whether close_notify came or not."""
        if self._over:
            return
        self._over = True
        if self.inner is not None:
            self.inner.lost()
        else:
            self._failed(None)

    def _end(self, error: TlsError) -> None:
        self._over = True
        self._failed(error)
        self.stream.close(self.side, abort=False)
        if self.inner is not None:
            self.inner.lost()

    # From the node's end, which takes this for its stream

    def send(self, side: int, data: bytes) -> None:
        """Encrypt and send."""
        del side
        if not self._over:
            self.session.write(data)
            self._flush()

    def close(self, side: int, abort: bool) -> None:
        """Close; now and then without close_notify, as programs do that are in a hurry."""
        del side
        if not abort and not self._over and self._random.random() < 0.8:
            self.session.close()
            self._flush()
        self.stream.close(self.side, abort)

    def drop_side(self, side: int) -> None:
        """The process died."""
        del side
        self._over = True
        self.stream.drop_side(self.side)

    def _flush(self) -> None:
        if data := self.session.data_to_send():
            self.stream.send(self.side, data)


class AnsweringSide:
    """A side that is called: the first byte tells whether the rest is inside TLS. ``end``: the node's end, which is
    there from the beginning."""

    def __init__(self, end: Endpoint, secured: Callable[[], SecuredSide]) -> None:
        self._end, self._secured = end, secured
        self._chosen: Endpoint | None = None

    def received(self, data: bytes) -> None:
        """Pass bytes to the session or to the node's end."""
        if self._chosen is None:
            self._chosen = self._secured() if data[0] == HANDSHAKE else self._end
        self._chosen.received(data)

    def lost(self) -> None:
        """The stream is gone."""
        (self._chosen or self._end).lost()


def calls_secured(node: Node, stream: Stream, effect: ConnectToPartner, wanted: Callable[[], bool]) -> SecuredSide:
    """The caller's side of a stream inside TLS, whose handshake begins. ``wanted``: whether the process that calls is
    still there."""
    attempt, host, connections, clock = effect.attempt, effect.host, node.gateway.connections, node.clock

    def opened(agreed: TlsConnection) -> Endpoint | None:
        if not wanted():
            return None
        return node.end(stream, 0, lambda: connections.connected(attempt, host, 1414, clock.now, agreed), side)

    def failed(error: TlsError | None) -> None:
        if wanted():
            problem, fault = ("lost in the handshake", None) if error is None else (str(error), error.fault)
            node.call(lambda: connections.connect_failed(attempt, problem, clock.now, fault))

    assert node.tls is not None
    assert effect.tls is not None
    if node.random.random() < node.network.refuse_rate:  # the line breaks soon, often in the handshake
        clock.after(node.random.random() * 4 * node.network.delay, stream.cut)
    side = SecuredSide(stream, 0, node.tls.call(effect.tls), opened, failed)
    side.begin()
    return side


def answers_secured(node: Node, stream: Stream, end: NodeEnd) -> AnsweringSide:
    """The side of a stream that was called, and waits for the first byte."""
    connections, connection, clock, tls = node.gateway.connections, end.connection, node.clock, node.tls
    assert tls is not None

    def opened(agreed: TlsConnection) -> Endpoint:
        connection.tls = agreed
        return end

    def failed(error: TlsError | None) -> None:
        if error is not None:
            node.call(lambda: connections.tls_failed(connection, error.fault, clock.now))

    def secured() -> SecuredSide:
        end.stream = side = SecuredSide(
            stream, 1, tls.answer(partial(connections.answering_offer, connection)), opened, failed, end
        )
        return side

    return AnsweringSide(end, secured)
