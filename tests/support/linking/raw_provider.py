"""A provider that says what a test writes, byte by byte, to one connection of a link."""

from __future__ import annotations

from typing import Any

from mqbridge.bridge.agents.linking.provider import Lost, ProviderEvent, Refused
from mqbridge.bridge.links.connection import AmqpConnection
from mqbridge.bridge.links.settings import ConnectionSettings

from . import amqp_bytes as amqp

SENDER, RECEIVER = 1, 2
"""Handles of the link's two ends."""
START = 1.0


class RawProvider:
    """``connection``: of the link, at time ``now``. ``happened``: all its events. ``sent``: all it wrote."""

    def __init__(self, **settings: Any) -> None:
        self.now = START
        self.connection = AmqpConnection(ConnectionSettings("us", **settings), self.now)
        self.happened: list[ProviderEvent] = []
        self.sent = b""
        self._transfers = 0
        self.hears()

    def hears(self) -> bytes:
        """What the link has written since the last call."""
        written = b"".join(iter(self.connection.take, b""))
        self.happened += self.connection.events()
        self.sent += written
        return written

    def says(self, *data: bytes) -> bytes:
        """Bytes come to the link; what it answers."""
        for each in data:
            self.connection.receive_data(each, self.now)
        return self.hears()

    def waits(self, seconds: float) -> bytes:
        """Time passes for the link, which looks at its clock when it wanted to."""
        end, written = self.now + seconds, b""
        while (due := self.connection.next_timeout) is not None and due <= end and not self.connection.over:
            self.now = max(self.now, due)
            self.connection.tick(self.now)
            written += self.hears()
        self.now = end
        return written

    # The usual beginning

    def opens(self, *fields: bytes) -> bytes:
        """Sign on, open, begin a session. ``fields``: of the open frame."""
        opened = amqp.performative(amqp.OPEN, *(fields or (amqp.text("raw"),)))
        window = amqp.uint(1000)
        begun = amqp.performative(amqp.BEGIN, amqp.ushort(0), amqp.uint(0), window, window)
        return self.says(amqp.sasl("ANONYMOUS"), amqp.HEADER + amqp.frame(opened)) + self.says(amqp.frame(begun))

    def attaches(self, *, credit: int = 10, most: int = 0) -> None:
        """The link attaches both ends; the provider grants, and is granted, credit."""
        self.connection.attach_sender(SENDER, "in")
        self.connection.attach_receiver(RECEIVER, "out")
        self.says(attach(SENDER, most=most), attach(RECEIVER), flow(0, credit))
        self.connection.grant_credit(RECEIVER, credit)
        self.hears()

    def transfers(self, payload: bytes, *, more: bool = False, first: bool = True) -> bytes:
        """One transfer frame to the receiving end."""
        data = transfer(self._transfers, payload, more=more, first=first)
        self._transfers += not more
        return self.says(data)

    @property
    def ended(self) -> list[ProviderEvent]:
        """The events that end a connection."""
        return [each for each in self.happened if isinstance(each, Lost) or _of_connection(each)]


def _of_connection(event: ProviderEvent) -> bool:
    return isinstance(event, Refused) and event.handle is None


def attach(handle: int, *, name: str = "", most: int = 0, source: bytes = b"", target: bytes = b"") -> bytes:
    """The answer to an attach of the link; the provider's handles are the link's order of attaching."""
    receiver = handle == SENDER
    return amqp.frame(
        amqp.performative(
            amqp.ATTACH,
            amqp.text(name or f"us:{handle}"),
            amqp.uint(handle - 1),
            amqp.TRUE if receiver else amqp.FALSE,
            amqp.NULL,
            amqp.NULL,
            source or amqp.performative(amqp.SOURCE, amqp.text("out")),
            target or amqp.performative(amqp.TARGET, amqp.text("in")),
            amqp.NULL,
            amqp.NULL,
            amqp.uint(0),
            amqp.ulong(most) if most else amqp.NULL,
        )
    )


def flow(handle: int, credit: int) -> bytes:
    """Credit for a sending end of the link."""
    window = amqp.uint(1000)
    fields = amqp.uint(0), window, amqp.uint(0), window, amqp.uint(handle), amqp.uint(0), amqp.uint(credit)
    return amqp.frame(amqp.performative(amqp.FLOW, *fields))


def transfer(number: int, payload: bytes, *, more: bool = False, first: bool = True) -> bytes:
    """A transfer to the receiving end; ``number``: delivery id and tag."""
    identity = (amqp.uint(number), amqp.binary(b"%d" % number), amqp.uint(0)) if first else (amqp.NULL,) * 3
    fields = amqp.uint(1), *identity, amqp.FALSE, amqp.TRUE if more else amqp.FALSE
    return amqp.frame(amqp.performative(amqp.TRANSFER, *fields) + payload)


def detach(handle: int, condition: str, description: str = "") -> bytes:
    """The provider ends an end, with an error."""
    fields = amqp.uint(handle - 1), amqp.TRUE, amqp.error(condition, description)
    return amqp.frame(amqp.performative(amqp.DETACH, *fields))


def disposition(first: int, last: int, state: bytes) -> bytes:
    """The provider states outcomes of deliveries of the link, and settles them."""
    return amqp.frame(
        amqp.performative(amqp.DISPOSITION, amqp.TRUE, amqp.uint(first), amqp.uint(last), amqp.TRUE, state)
    )


def body(data: bytes) -> bytes:
    """A message with one data section."""
    return amqp.described(0x75, amqp.binary(data))
