"""Messages of devices to a queue of MQ, beside MQTT: a hundred sockets, 200 bytes, each message on disk once.

    python bench/everyplace_up.py            three rounds that count
    python bench/everyplace_up.py --full     nine, with more messages

Ours: devices in one process put their messages, then they are connected and send; from the first byte to the empty
queue of the last device. MQ's queue is in the same process as the gateway. MQTT: clients of paho in one process publish
with QoS 2, from the first publish to the last one settled; as many messages of a client are on their way as devices
have in a batch. Mosquitto syncs nothing; Artemis syncs its journal. Both kinds of clients are Python in one thread
without a disk. Rounds alternate; the first two warm up. Processor time is user and system time of the server in
microseconds a message.
"""

from __future__ import annotations

import argparse
import contextlib
import statistics
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parent))

from everyplace_gateway import FleetProcess, Gateway
from figures import figure, ratios
from java_side import NoJava, build
from mqtt_peers import Mosquitto, PublisherProcess
from rounds import collect
from servers import Artemis, NoServer, Server

CLIENTS = 100
SIZE = 200
TARGET = "ORDERS@BENCH"
TO_REACH, GOAL = 0.5, 1.0
LEAST = 3_000
OBJECTS = """
DEFINE QLOCAL(ORDERS) DEFPSIST(YES) MAXDEPTH(999999999)
SET AUTHREC PROFILE(ORDERS) OBJTYPE(QUEUE) GROUP('devices') AUTHADD(PUT)
SET AUTHREC OBJTYPE(QMGR) GROUP('devices') AUTHADD(CONNECT)
"""


class Round(NamedTuple):
    """Messages a second; microseconds of processor a message at the server and at the clients."""

    rate: float
    server: float
    clients: float


def ours(gateway: Gateway, fleet: FleetProcess, each: int) -> Round:
    """A round of devices."""
    before = gateway.server.processor()
    found = fleet.ask({"size": SIZE, "each": each})
    used = gateway.server.processor() - before
    count = found["count"]
    return Round(count / found["seconds"], used / count * 1e6, found["cpu"] / count * 1e6)


def theirs(server: Server, publishers: PublisherProcess, each: int) -> Round:
    """A round of MQTT."""
    before = server.processor()
    found = publishers.ask({"size": SIZE, "each": each})
    used = server.processor() - before
    count = found["count"]
    return Round(count / found["seconds"], used / count * 1e6, found["cpu"] / count * 1e6)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="more and longer rounds")
    options = parser.parse_args()
    rounds, each = (9, 300) if options.full else (3, 100)
    print(f"everyplace_up: {CLIENTS} sockets, {SIZE} bytes, {each} messages of each")
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="mqbridge-bench-")))
        gateway = Gateway(folder, "tcp", OBJECTS)
        stack.callback(gateway.close)
        fleet = FleetProcess(gateway, CLIENTS, TARGET)
        stack.callback(fleet.close)
        ways: dict[str, Callable[[], Round]] = {"ours": lambda: ours(gateway, fleet, each)}
        for name, make in (("Artemis", artemis), ("mosquitto", Mosquitto)):
            try:
                server = make()
                stack.callback(server.close)
                publishers = PublisherProcess(server.port, CLIENTS)
                stack.callback(publishers.close)
            except (NoServer, NoJava) as error:
                print(f"  {name}: not measured, {error}")
                continue
            ways[name] = lambda server=server, publishers=publishers: theirs(server, publishers, each)
        found = collect(ways, rounds, 10 if options.full else 4)
    for name, those in found.items():
        server, clients = (statistics.median(getattr(one, key) for one in those) for key in ("server", "clients"))
        print(
            f"  {name:<10} {statistics.median(one.rate for one in those):9,.0f}/s"
            f"   processor: server {server:6.1f} us, clients {clients:6.1f} us"
        )
    rates = {name: [one.rate for one in those] for name, those in found.items()}
    figure("devices to a queue of MQ", "", rates["ours"], least=LEAST, unit="/s")
    for name in list(rates)[1:]:
        least, goal = (TO_REACH, GOAL) if name == "Artemis" else (None, None)
        figure(
            "devices to a queue of MQ",
            f"MQTT with QoS 2 at {name}",
            ratios(rates["ours"], rates[name]),
            least=least,
            goal=goal,
        )
    return 0


def artemis() -> Artemis:
    """Artemis, fetched by Maven."""
    build()
    return Artemis()


if __name__ == "__main__":
    sys.exit(main())
