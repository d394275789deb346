"""A device that is killed while it puts and sends: messages lost and doubled, beside MQTT, and an outbox before MQTT.

    python bench/everyplace_killed.py            10 kills in about 100 puts
    python bench/everyplace_killed.py --full     100 kills in about 1,000 puts

A program puts numbered messages and says of each that the call has returned; in between they are sent. After some of
them it is killed by SIGKILL, and started again with the number behind the one that it may have been putting: that one
may arrive or not. In the end it runs until nothing waits. Lost is what was put and does not arrive, doubled what
arrives twice.

``ours``: a device queue manager and a gateway. ``paho``: QoS 2 with a session that is kept, mosquitto with persistence;
its call returns when the message is in memory. ``persist-queue, paho``: the call returns when the message is in a
`SQLiteAckQueue`, from which a thread publishes with QoS 2, and acknowledges what is settled.
"""

from __future__ import annotations

import argparse
import contextlib
import queue
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

sys.path.insert(0, str(Path(__file__).parent))

from mqtt_peers import Mosquitto, require_paho
from servers import NoServer, free_port

from mqbridge.bridge.everyplace.definitions.connection_definition import ConnectionDefinition
from mqbridge.bridge.everyplace.definitions.listener_definition import ListenerDefinition
from mqbridge.bridge.everyplace.definitions.queue_definition import QueueDefinition
from mqbridge.bridge.everyplace.definitions.queue_kinds import QueueKind
from mqbridge.bridge.everyplace.device.device_file import Gateway
from mqbridge.everyplace import Address, QueueManager

PUTS: Final = 10
"""Puts between two kills, as a mean."""
PAUSE: Final = 0.004
"""Most seconds between the last word of a program and its end, so that it is doing something."""
PATIENCE: Final = 60.0
QUIET: Final = 3.0
"""Seconds without a message after which a broker has no more."""
TOPIC: Final = "orders"
Puts = Callable[[int], object]


class Program(NamedTuple):
    """What a device's program does. ``put``: returns when a message is put. ``finish``: returns when none waits."""

    put: Puts
    finish: Callable[[], object]


class Way(NamedTuple):
    """``words``: arguments of the device's program. ``arrived``: how often each number has come, asked in the end."""

    words: list[str]
    arrived: Callable[[], Counter[int]]


# The device's programs


def ours(file: str) -> Program:
    """A device queue manager."""
    moon = QueueManager.open(file)

    def finish() -> None:
        moon.trigger()
        until = time.monotonic() + PATIENCE
        engine = moon._engine
        while moon.view.waiting("EARTH") and time.monotonic() < until:
            with engine.lock:
                engine.wait_changed(engine.changes, 0.2)

    return Program(lambda number: moon.put("ORDERS@EARTH", {"n": number}), finish)


def paho(port: str) -> Program:
    """A client of paho with a thread."""
    client = _client("device")
    client.connect("127.0.0.1", int(port))
    client.loop_start()
    last: list[Any] = []

    def put(number: int) -> None:
        last[:] = [client.publish(TOPIC, str(number), qos=2)]

    def finish() -> None:
        for each in last:
            each.wait_for_publish(PATIENCE)

    return Program(put, finish)


def outbox(port: str, folder: str) -> Program:
    """A queue on disk, from which a thread publishes."""
    from persistqueue import SQLiteAckQueue

    waiting = SQLiteAckQueue(folder, multithreading=True)
    client = _client("outbox")
    client.connect("127.0.0.1", int(port))
    client.loop_start()
    empty = threading.Condition()

    def send() -> None:
        while True:
            number = waiting.get()
            client.publish(TOPIC, str(number), qos=2).wait_for_publish(PATIENCE)
            with empty:
                waiting.ack(number)
                empty.notify_all()

    def finish() -> None:
        with empty:
            empty.wait_for(lambda: not waiting.size and not waiting.unack_count(), PATIENCE)

    threading.Thread(target=send, daemon=True).start()
    return Program(waiting.put, finish)


PROGRAMS: Final[dict[str, Callable[..., Program]]] = {"ours": ours, "paho": paho, "outbox": outbox}


def _client(name: str) -> Any:
    from paho.mqtt import client as mqtt
    from paho.mqtt.enums import CallbackAPIVersion

    return mqtt.Client(CallbackAPIVersion.VERSION2, client_id=name, protocol=mqtt.MQTTv311, clean_session=False)


def act(first: int, kind: str, *words: str) -> None:
    """Be the device: put numbers from ``first`` on until killed; with a negative one, see that nothing waits."""
    program = PROGRAMS[kind](*words)
    if first < 0:
        program.finish()
        print("finished", flush=True)
        sys.stdin.readline()
        return
    for _ in sys.stdin:
        program.put(first)
        print(first, flush=True)
        first += 1


# The other ends


@contextlib.contextmanager
def gateway(folder: Path) -> Iterator[Way]:
    """A gateway with a queue, and a device's file."""
    port = free_port()
    with QueueManager.create(folder / "earth.mqe", "EARTH") as earth:
        earth.definitions.define(QueueDefinition(QueueKind.LOCAL, Address("ORDERS", "EARTH")))
        earth.definitions.define(ListenerDefinition("TCP", "tcp", f"127.0.0.1:{port}"))
        there = Gateway(ConnectionDefinition("EARTH", "tcp", f"127.0.0.1:{port}"))
        QueueManager.create(folder / "moon.mqe", "MOON", there, connect=False).close()

        def arrived() -> Counter[int]:
            return Counter(message["n"] for message in earth.browse("ORDERS"))

        yield Way(["ours", str(folder / "moon.mqe")], arrived)


@contextlib.contextmanager
def broker(*words: str) -> Iterator[Way]:
    """Mosquitto with somebody who subscribes. ``words``: of the program, in front of those behind the port."""
    server = Mosquitto()
    come: queue.SimpleQueue[int] = queue.SimpleQueue()
    subscribed = threading.Event()
    client = _client("subscriber")
    client.on_message = lambda _client, _data, message: come.put(int(message.payload))
    client.on_subscribe = lambda *_: subscribed.set()
    client.connect("127.0.0.1", server.port)
    client.loop_start()
    client.subscribe(TOPIC, qos=2)
    subscribed.wait(PATIENCE)

    def arrived() -> Counter[int]:
        found: Counter[int] = Counter()
        with contextlib.suppress(queue.Empty):
            while True:
                found[come.get(timeout=QUIET)] += 1
        return found

    try:
        yield Way([words[0], str(server.port), *words[1:]], arrived)
    finally:
        client.disconnect()
        client.loop_stop()
        server.close()


def start(way: Way, first: int) -> subprocess.Popen[bytes]:
    """Start the device's program."""
    command = [sys.executable, __file__, "--act", str(first), *way.words]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def killed(way: Way, kills: int, dice: random.Random) -> set[int]:
    """Have the program put, and kill it so often. Returns the numbers that are put."""
    put: set[int] = set()
    first = 0
    for _ in range(kills):
        with start(way, first) as device:
            assert device.stdout is not None
            said = []
            for _ in range(dice.randrange(1, 2 * PUTS)):
                _order(device)
                said.append(int(device.stdout.readline()))
            _order(device)
            time.sleep(dice.uniform(0, PAUSE))
            device.kill()
            said += [int(line) for line in device.stdout if line.endswith(b"\n")]
        put.update(said)
        first = said[-1] + 2
    with start(way, -1) as device:
        assert device.stdout is not None
        device.stdout.readline()
        device.kill()
    return put


def _order(device: subprocess.Popen[bytes]) -> None:
    """Let it put the next number."""
    assert device.stdin is not None
    device.stdin.write(b"\n")
    device.stdin.flush()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="100 kills")
    parser.add_argument("--act", nargs="+", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.act:
        act(int(options.act[0]), *options.act[1:])
        return 0
    kills = 100 if options.full else 10
    print(f"everyplace_killed: {kills} kills, about {PUTS} puts between two")
    good = True
    # Not in memory, where nothing is written.
    with tempfile.TemporaryDirectory(dir=Path(__file__).parent, prefix=".bench-") as text:
        folder = Path(text)
        ways = {
            "ours": lambda: gateway(folder),
            "paho": lambda: broker("paho"),
            "persist-queue, paho": lambda: broker("outbox", str(folder / "outbox")),
        }
        for name, make in ways.items():
            try:
                if name != "ours":
                    require_paho()
                with make() as way:
                    put = killed(way, kills, random.Random(1))
                    arrived = way.arrived()
            except (NoServer, ImportError) as error:
                print(f"  {name}: not measured, {error}")
                continue
            lost, doubled = len(put - set(arrived)), sum(count - 1 for count in arrived.values())
            print(f"  {name:<20} {len(put):5} put   lost {lost:4}   doubled {doubled:4}")
            good &= name != "ours" or not (lost or doubled)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
