"""A queue manager's link, and a provider that says whatever a seed decides: right frames, damaged ones, any bytes."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from mqbridge.bridge.agents.gateway.effects import ConnectToProvider
from mqbridge.bridge.agents.linking.jms_mapping import JmsMapping
from mqbridge.bridge.agents.linking.provider import Accepted

from . import amqp_bytes as amqp
from . import raw_provider as raw
from .raw_provider import RawProvider
from .stand import DEAD, SINK, SOURCE, Stand

CREDIT = 20
STATES = (
    amqp.performative(amqp.ACCEPTED),
    amqp.performative(amqp.RELEASED),
    amqp.performative(amqp.REJECTED, amqp.error("amqp:not-found", "no")),
    amqp.performative(amqp.REJECTED, amqp.error("amqp:internal-error")),
    amqp.performative(amqp.MODIFIED, amqp.TRUE, amqp.FALSE),
    amqp.performative(amqp.MODIFIED, amqp.TRUE, amqp.TRUE),
    amqp.performative(amqp.RECEIVED, amqp.uint(0), amqp.ulong(0)),
    amqp.performative(0x33, amqp.binary(b"declared")),
    amqp.NULL,
)
VALUES = (
    amqp.NULL, amqp.TRUE, amqp.uint(7), amqp.ulong(1 << 63), amqp.text("x"), amqp.symbol("x-opt-jms-msg-type"),
    amqp.binary(b"\xff" * 9), b"\x83" + b"\x7f" * 8, b"\x82\x7f\xf8" + bytes(6), b"\x73\x00\x11\x00\x00",
    b"\x98" + bytes(16), b"\x74" + bytes(4), b"\x94" + bytes(16), amqp.symbols("a", "b"), amqp.nested(3),
    amqp.nested(3, 0xF0), amqp.nested_descriptions(3), amqp.listed(amqp.text("k"), amqp.TRUE, code=0xD1),
    amqp.listed(amqp.uint(1), amqp.TRUE, code=0xD1), b"\x51\xff", b"\x71" + b"\xff" * 4, b"\x55\xff",
    b"\x81" + b"\x80" * 8,
    amqp.text("ID:AMQP_BINARY:00ff"), amqp.text("ID:414d51"), amqp.text("\ud7ff\x00"),
)  # fmt: skip


class AttackedLink:
    """A `Stand` whose connections are to a `RawProvider`. ``put``: messages for the provider. ``accepted``: deliveries
    that the link has settled as accepted."""

    def __init__(self, seed: int) -> None:
        self.stand = Stand(JmsMapping("warehouse"), seed)
        self.provider = RawProvider()
        self.accepted = self.put = 0
        self._seen = 0

    def connect(self) -> None:
        """The link connects to a new provider that does all as it should, up to the credit of both ends."""
        stand = self.stand
        if not stand.took(ConnectToProvider):
            stand.wait(1000)
            assert stand.took(ConnectToProvider), "the link does not connect again"
        self.provider = provider = RawProvider()
        self._seen = 0
        self._count_settlements(provider.connection)
        stand.link.connected(provider.connection, stand.now)
        provider.opens()
        self.pump()
        first = min(end.handle for end in stand.link._ends)
        for place in range(len(stand.link._ends)):
            provider.says(raw.attach(place + 1, name=f"us:{first + place}"))
            self.pump()
        provider.says(raw.flow(0, CREDIT))
        self.pump()

    def _count_settlements(self, connection: Any) -> None:
        settle: Callable[..., None] = connection.settle

        def counted(handle: int, delivery: int, state: Any) -> None:
            self.accepted += isinstance(state, Accepted)
            settle(handle, delivery, state)

        connection.settle = counted

    def pump(self) -> None:
        """What the provider said reaches the link, and what that asks for goes out, until nothing more happens."""
        provider = self.provider
        while True:
            provider.hears()
            new = provider.happened[self._seen :]
            if not new:
                return
            self._seen = len(provider.happened)
            self.stand.receive(*new)

    @property
    def connected(self) -> bool:
        return not self.provider.connection.over

    def lose(self) -> None:
        """The socket is closed."""
        if self.connected:
            self.provider.connection.lost("cut")
            self.pump()


class HostileProvider:
    """Draws what is said after the usual beginning."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self._next = 0

    def says(self) -> bytes:
        """The next bytes."""
        random = self.random
        kind = random.randrange(10)
        if kind == 0:
            return random.randbytes(random.randrange(1, 60))
        frames = b"".join(self._frame() for _ in range(random.randrange(1, 4)))
        return frames if kind < 4 else self._damaged(frames)

    def _damaged(self, data: bytes) -> bytes:
        random, damaged = self.random, bytearray(data)
        for _ in range(random.choice((1, 1, 1, 2, 5))):
            # Mostly behind the length of the first frame, so that more than the framing is tried.
            place = random.randrange(4 if random.randrange(8) else 0, len(damaged))
            damaged[place] = random.choice((random.randrange(256), damaged[place] ^ 1 << random.randrange(8), 0x40))
        if not random.randrange(6):
            del damaged[random.randrange(len(damaged)) :]
        return bytes(damaged)

    def _frame(self) -> bytes:
        random = self.random
        drawn = random.randrange(12)
        if drawn < 5:
            return self._transfer()
        if drawn < 8:
            first = random.randrange(3)
            return raw.disposition(first, first + random.choice((0, 1, 5, 1 << 30)), random.choice(STATES))
        if drawn == 8:
            return raw.flow(random.randrange(3), random.choice((0, 1, 50, 0xFFFFFFFF)))
        if drawn == 9:
            return random.choice((raw.detach(random.choice((1, 2)), "amqp:not-found"), amqp.frame(b"")))
        body = amqp.performative(random.randrange(0x10, 0x19), *self._values(12))
        return amqp.frame(body, channel=random.choice((0, 0, 0, 1, 65535)), kind=random.choice((0, 0, 0, 1)))

    def _values(self, most: int) -> list[bytes]:
        return [self.random.choice(VALUES) for _ in range(self.random.randrange(most))]

    def _transfer(self) -> bytes:
        random = self.random
        more, first = not random.randrange(5), bool(random.randrange(6))
        number = self._next
        self._next += first
        return raw.transfer(number, self.message(), more=more, first=first)

    def message(self) -> bytes:
        """Sections, most of them in order."""
        random = self.random
        sections = [raw.body(b"data %d" % self._next)]
        if random.randrange(3):
            sections = [amqp.described(0x77, random.choice(VALUES))]
        if not random.randrange(4):
            sections = [amqp.described(0x76, amqp.listed(*self._values(4)))]
        for code, most in ((0x74, 4), (0x73, 13), (0x72, 4), (0x71, 2), (0x70, 5)):
            if random.randrange(3):
                continue
            if code in (0x70, 0x73):
                sections.insert(0, amqp.performative(code, *self._values(most)))
            else:
                keys = [
                    amqp.text(f"k{number}") if code == 0x74 else amqp.symbol(f"x-{number}") for number in range(most)
                ]
                pairs = [each for key in keys for each in (key, random.choice(VALUES))]
                sections.insert(0, amqp.described(code, amqp.listed(*pairs, code=0xD1)))
        if not random.randrange(10):
            random.shuffle(sections)
        return b"".join(sections)


def run(seed: int) -> AttackedLink:
    """Several connections with a hostile provider; then a right one takes and gives what is left."""
    link, hostile = AttackedLink(seed), HostileProvider(seed)
    stand = link.stand
    stand.link.start(stand.now)
    stand.pump()
    for _ in range(3):
        for _ in range(4):
            stand.put(b"order %d" % link.put)
            link.put += 1
        link.connect()
        hostile._next = 0
        for _ in range(8):
            link.provider.says(hostile.says())
            link.pump()
            if not link.connected:
                break
        link.lose()
        check(link)
    finish(link)
    return link


def check(link: AttackedLink) -> None:
    """Nothing was settled that is not on a queue, and nothing has left a queue that was not settled."""
    stand = link.stand
    assert len(link.provider.ended) == 1, link.provider.ended
    arrived = stand.depth(SINK) + stand.depth(DEAD) + stand.link.counts.repeated
    assert link.accepted <= arrived, "a delivery was settled that is on no queue"


def finish(link: AttackedLink) -> None:
    """A provider that does all as it should accepts what is left, and one more message comes in."""
    stand = link.stand
    before = stand.depth(SINK)
    link.connect()
    sent = 0
    for _ in range(100):
        if stand.depth(SOURCE) + stand.hidden(SOURCE) == 0:
            break
        sent += CREDIT
        link.provider.says(raw.disposition(0, sent, amqp.performative(amqp.ACCEPTED)), raw.flow(0, sent + CREDIT))
        link.pump()
        stand.wait(1)
        link.pump()
    link.provider.transfers(raw.body(b"the last"))
    link.pump()
    assert stand.depth(SINK) == before + 1
    assert stand.depth(SOURCE) == stand.hidden(SOURCE) == 0
    letters = sum(b"order " in each.data for each in stand.contents(DEAD))
    assert stand.link.counts.sent + letters == link.put, "a message has left its queue for nowhere"
    assert stand.contents(SINK)[-1].data.endswith(b"the last")
