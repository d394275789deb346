"""A line with a round trip of 600 ms: seconds and bytes of a hundred messages, beside MQTT over the same relay.

    python bench/everyplace_slow_line.py            one round
    python bench/everyplace_slow_line.py --full     five

100 messages of 100 bytes wait at a client. *Connected*: from the first byte to the last answer over a connection that
is there. *From nothing*: the client connects first. MQTT: paho with QoS 2 and its own window of 20, Mosquitto. Bytes
are those of TCP's payload in both directions; the messages are readings, each with figures of its own. Then a message
of 20 MiB goes up, and the line is cut after each MiB.
"""

from __future__ import annotations

import argparse
import contextlib
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(1, str(Path(__file__).parents[1] / "examples" / "demo_everyplace"))

from everyplace_fleet import Fleet
from everyplace_gateway import NAME, Gateway
from figures import figure, ratios
from line import Line
from mqtt_peers import Mosquitto, Publishers
from servers import NoServer

from mqbridge.protocol.everyplace.mq_style import text_message
from mqbridge.protocol.everyplace.names import Address

DELAY = 0.3
COUNT, SIZE = 100, 100
SECONDS_TO_REACH, BYTES_TO_REACH, SECONDS_GOAL, BYTES_GOAL = 0.6, 1.5, 0.4, 0.7
COMPRESSED_TO_REACH = 1.0
LONG, PIECE = 20 << 20, 1 << 20
LONG_TO_REACH = 1.1
PAHO_WINDOW = 20
SINK = Address("Q", "SINK")


class Taken(NamedTuple):
    """Seconds and bytes."""

    seconds: float
    bytes: int


class Ours:
    """One device behind the relay. ``compressors``: that it offers."""

    def __init__(self, gateway: Gateway, line: Line, name: str, compressors: tuple[str, ...] = ()) -> None:
        self._line = line
        self.fleet = Fleet(NAME, "127.0.0.1", line.port, tls=False)
        self.device = self.fleet.add(name, gateway.enrol([name])[name], compressors)
        self.device.route(*SINK)
        self.send(1)

    def send(self, count: int) -> Taken:
        """Put messages and send them."""
        for text in readings(count):
            self.device.put(SINK, text_message(text), time.time())
        self.device.write()
        before, began = self._line.passed, time.monotonic()
        self.fleet.drive(lambda: not self.device.waiting(SINK))
        return Taken(time.monotonic() - began, self._line.passed - before)

    def connected(self) -> Taken:
        """Over the connection that is there."""
        return self.send(COUNT)

    def from_nothing(self) -> Taken:
        """With a new connection."""
        self.fleet.close()
        return self.send(COUNT)


class Theirs:
    """One client of paho behind the relay."""

    def __init__(self, line: Line) -> None:
        self._line = line
        self._publishers = Publishers(line.port, 1, PAHO_WINDOW)

    def _publish(self) -> None:
        self._publishers.publish_all("orders", [text.encode() for text in readings(COUNT)])

    def connected(self) -> Taken:
        """Over the connection that is there."""
        before, began = self._line.passed, time.monotonic()
        self._publish()
        return Taken(time.monotonic() - began, self._line.passed - before)

    def from_nothing(self) -> Taken:
        """With a new connection."""
        self.close()
        before, began = self._line.passed, time.monotonic()
        self._publishers = Publishers(self._line.port, 1, PAHO_WINDOW)
        self._publish()
        return Taken(time.monotonic() - began, self._line.passed - before)

    def close(self) -> None:
        """Disconnect."""
        self._publishers.close()


def readings(count: int) -> list[str]:
    """Texts of `SIZE` bytes, as a meter writes them."""
    dice = random.Random(count)
    form = '{{"meter": "DE0070{:08}", "at": "2026-11-23T{:02}:{:02}:00Z", "kWh": {:11.3f}, "V": {:5.1f}, "ok": 1}}'
    texts = [
        form.format(dice.randrange(10**8), each // 60 % 24, each % 60, dice.uniform(0, 1e6), dice.uniform(220, 240))
        for each in range(count)
    ]
    return [text.ljust(SIZE)[:SIZE] for text in texts]


@contextlib.contextmanager
def relay(port: int, delay: float) -> Iterator[Line]:
    """A line to a port."""
    line = Line(lambda: port, delay)
    try:
        yield line
    finally:
        line.close()


def long_message(gateway: Gateway) -> float:
    """Bytes that go up for a long message, cut after each `PIECE`, as a share of its length."""
    with relay(gateway.port, 0.0) as line:
        ours = Ours(gateway, line, "LONG")
        sent, since = 0, 0

        def watch(length: int) -> None:
            nonlocal sent, since
            sent, since = sent + length, since + length

        line.watch = watch
        ours.device.put(SINK, text_message("x" * LONG), time.time())
        ours.device.write()

        def done() -> bool:
            nonlocal since
            if since >= PIECE:
                since = 0
                line.cut()
            return not ours.device.waiting(SINK)

        ours.fleet.drive(done)
        ours.fleet.close()
        print(f"  a message of {LONG >> 20} MiB, {line.cuts} cuts", end="")
        return sent / LONG


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="more rounds")
    options = parser.parse_args()
    rounds = 5 if options.full else 1
    print(f"everyplace_slow_line: {COUNT} messages of {SIZE} bytes, round trip {DELAY * 2000:.0f} ms")
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="mqbridge-bench-")))
        gateway = Gateway(folder)
        stack.callback(gateway.close)
        gateway.enrol(["SINK"])
        line = stack.enter_context(relay(gateway.port, DELAY))
        ways: dict[str, Ours | Theirs] = {
            "ours": Ours(gateway, line, "PLAIN"),
            "ours, zlib": Ours(gateway, line, "ZLIB", ("zlib",)),
            "ours, zlib-stream": Ours(gateway, line, "STREAM", ("zlib-stream",)),
        }
        try:
            broker = Mosquitto()
            stack.callback(broker.close)
            ways["paho, mosquitto"] = Theirs(stack.enter_context(relay(broker.port, DELAY)))
        except NoServer as error:
            print(f"  MQTT: not measured, {error}")
        for what in ("connected", "from_nothing"):
            found: dict[str, list[Taken]] = {name: [] for name in ways}
            for _ in range(rounds):
                for name, way in ways.items():
                    found[name].append(getattr(way, what)())
            show(what, found)
        for way in ways.values():
            way.fleet.close() if isinstance(way, Ours) else way.close()
        share = long_message(gateway)
        print(f": {share:.3f} of its bytes went up")
        figure("slow line: a long message, cut off", "its bytes", [share], least=LONG_TO_REACH, lower=True)
    return 0


def show(what: str, found: dict[str, list[Taken]]) -> None:
    """Print the rows of one way to begin."""
    theirs = found.get("paho, mosquitto")
    print(f"  {what.replace('_', ' ')}")
    for name, those in found.items():
        seconds = statistics.median(one.seconds for one in those)
        size = statistics.median(one.bytes for one in those)
        print(f"    {name:<18} {seconds:6.2f} s  {size:8,.0f} bytes")
        if theirs and those is not theirs:
            most = COMPRESSED_TO_REACH if "zlib-stream" in name else BYTES_TO_REACH
            for key, least, goal in (("seconds", SECONDS_TO_REACH, SECONDS_GOAL), ("bytes", most, BYTES_GOAL)):
                both = ([getattr(one, key) for one in each] for each in (those, theirs))
                title = f"slow line, {name}, {what.replace('_', ' ')}: {key}"
                figure(title, "MQTT with QoS 2", ratios(*both), least=least, goal=goal, lower=True)


if __name__ == "__main__":
    sys.exit(main())
