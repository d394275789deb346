"""What TLS costs: each row beside the same without TLS, in alternating rounds.

    python bench/tls.py            short rounds, about two minutes
    python bench/tls.py --full     more and longer rounds

TLS 1.3 with AES-256-GCM and certificates with P-256 keys, on message channels at both ends. (1) is one channel pair
between two processes; (2) IBM's JMS client with 8 producers and 8 consumers, on a plain and on a TLS channel of one
server; (3) the same with Apache Artemis, its own client, and a plain and a TLS acceptor of one broker. (4) and (5) open
connections of clients: memory is RssAnon of the server by connection; handshakes are counted by the server's processor
time, so a second is one of a core. Without Java (2) and (3) are left out.
"""

from __future__ import annotations

import argparse
import contextlib
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from channel import channel_rate
from figures import figure, ratios
from idle import room_for
from java_side import JavaClient, NoJava, build
from rounds import collect
from servers import Artemis, NoServer, Ours, Server
from tls_clients import STORE_PASSWORD, Certificates, connect_client, open_socket
from workers import Pair, memory

from mqbridge.bridge.security.tls.server_names import server_name

SUITE = "TLS_AES_256_GCM_SHA384"
SIZE, BATCH, PAIRS = 2048, 50, 8
PLAIN, SECURED = "BENCH.PLAIN", "BENCH.TLS"
QUEUE = "BENCH.FLOW"
OBJECTS = f"""\
DEFINE QLOCAL({QUEUE}) MAXDEPTH(1000000) DEFPRESP(ASYNC)
DEFINE CHANNEL({PLAIN}) CHLTYPE(SVRCONN) MCAUSER('app')
DEFINE CHANNEL({SECURED}) CHLTYPE(SVRCONN) MCAUSER('app') SSLCIPH({SUITE}) SSLCAUTH(OPTIONAL)
"""
TO_REACH, GOAL = 0.75, 0.9
OF_ARTEMIS, GOAL_OF_ARTEMIS = 0.9, 1.0
MEMORY_TO_REACH, MEMORY_GOAL = 64, 40
"""KiB a connection."""
HANDSHAKES_TO_REACH, HANDSHAKES_GOAL = 150, 400
SETTLED = 1.0
KIB = 1 << 10


@dataclass(frozen=True, slots=True)
class Round:
    """Messages a second, and processor time of the queue managers in microseconds a message."""

    rate: float
    processor: float


class Row:
    """Rounds with and without TLS, which alternate after those that warm up."""

    def __init__(self, plain: Callable[[], Round], secured: Callable[[], Round]) -> None:
        self._ways = (plain, secured)
        self._rounds: tuple[list[Round], ...] = ()

    def run(self, rounds: int, most: int) -> None:
        """Run rounds of each; ``most`` rounds warm up."""
        self._rounds = tuple(collect(dict(zip(("plain", "TLS"), self._ways, strict=True)), rounds, most).values())

    @property
    def ratios(self) -> list[float]:
        """Ratios of neighbouring rates: TLS of plain."""
        plain, secured = ([each.rate for each in rounds] for rounds in self._rounds)
        return ratios(secured, plain)

    def show(self, name: str, *, least: float | None = TO_REACH, goal: float | None = GOAL) -> None:
        """Print the row and its figure."""
        plain, secured = (
            Round(statistics.median(one.rate for one in rounds), statistics.median(one.processor for one in rounds))
            for rounds in self._rounds
        )
        print(
            f"  {name:34} plain {plain.rate:7,.0f}/s  TLS {secured.rate:7,.0f}/s   "
            f"processor us a message: {plain.processor:.0f}, {secured.processor:.0f}"
        )
        figure(f"TLS of plain, {name}", "plain", self.ratios, least=least, goal=goal)


class Bench:
    """The servers and clients of a run."""

    def __init__(self, stack: contextlib.ExitStack, certificates: Certificates, count: int) -> None:
        self._stack, self._certificates, self._count = stack, certificates, count
        self.rows: dict[str, Row] = {}

    def channels(self, count: int) -> None:
        """Row (1)."""
        folder = self._certificates.repository(self._certificates.folder / "earth", "EARTH")
        self._certificates.repository(folder, "SATURN")
        plain = self._stack.enter_context(Pair())
        secured = self._stack.enter_context(Pair(SSLCIPH=SUITE, keys=folder))
        self.rows["channel"] = Row(lambda: through_channel(plain, count), lambda: through_channel(secured, count))

    def jms(self) -> None:
        """Rows (2) and (3). Raises `NoJava`."""
        build()
        trust = self._certificates.trust_options()
        ours = Ours(OBJECTS, keys=lambda folder: self._certificates.repository(folder, "BENCH"))
        self._stack.callback(ours.close)
        plain = self._client("ibm", ours.port, PLAIN)
        secured = self._client("ibm-tls", ours.port, SECURED, SUITE, options=trust)
        self.rows["jms"] = self._flows(ours, plain, secured, self._count)
        try:
            artemis = Artemis((self._certificates.key_store(), STORE_PASSWORD, SUITE))
        except NoServer as error:
            print(f"  without Artemis: {error}")
            return
        self._stack.callback(artemis.close)
        plain = self._client("artemis", artemis.port)
        secured = self._client("artemis-tls", artemis.port_of_tls, SUITE, options=trust)
        self.rows["artemis"] = self._flows(artemis, plain, secured, 2 * self._count)

    def _client(self, kind: str, port: int, *more: str, options: tuple[str, ...] = ()) -> JavaClient:
        client = JavaClient(kind, port, *more, options=options)
        self._stack.callback(client.close)
        return client

    def _flows(self, server: Server, plain: JavaClient, secured: JavaClient, count: int) -> Row:
        def flow(client: JavaClient) -> Round:
            before = server.processor()
            found: dict[str, Any] = client.round("flow", QUEUE, count, SIZE, BATCH, PAIRS)
            return Round(count / float(found["seconds"]), (server.processor() - before) / count * 1e6)

        return Row(lambda: flow(plain), lambda: flow(secured))

    def report(self) -> None:
        """Print the rows of rates."""
        self.rows["channel"].show("channel pair, persistent")
        if "jms" in self.rows:
            self.rows["jms"].show(f"JMS, {PAIRS} + {PAIRS}, transactions of {BATCH}")
        if "artemis" in self.rows:
            self.rows["artemis"].show("Artemis, the same", least=None, goal=None)
            both = ratios(self.rows["jms"].ratios, self.rows["artemis"].ratios)
            figure("TLS of plain, JMS", "that of Artemis", both, least=OF_ARTEMIS, goal=GOAL_OF_ARTEMIS)


def through_channel(pair: Pair, count: int) -> Round:
    """Persistent messages through one channel, which is stopped afterwards."""
    rate, sender, receiver = channel_rate(pair, count, 1)
    pair.sender.ask("stop")
    return Round(rate, sender + receiver)


def idle_memory(certificates: Certificates, channel: str, count: int) -> float:
    """KiB of a server by connection of an idle client."""
    context = certificates.context() if channel == SECURED else None
    server = Ours(OBJECTS, keys=lambda folder: certificates.repository(folder, "BENCH"))
    doors = [connect_client(server.port, channel, context, server_name(channel))]
    try:
        time.sleep(SETTLED)
        before = memory(server.process.pid)["RssAnon"]
        doors += [connect_client(server.port, channel, context, server_name(channel)) for _ in range(count)]
        time.sleep(SETTLED)
        return (memory(server.process.pid)["RssAnon"] - before) / count / KIB
    finally:
        for door in doors:
            door.close()
        server.close()


def handshakes(certificates: Certificates, count: int) -> float:
    """Handshakes by second of processor time of the server."""
    context = certificates.context()
    server = Ours(OBJECTS, keys=lambda folder: certificates.repository(folder, "BENCH"))
    try:
        for wanted in (10, count):
            before = server.processor()
            for _ in range(wanted):
                open_socket(server.port, context, server_name(SECURED)).close()
            time.sleep(SETTLED)
            used = server.processor() - before
        return count / used
    finally:
        server.close()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="more and longer rounds")
    options = parser.parse_args()
    rounds, count, flow = (9, 40_000, 20_000) if options.full else (3, 8_000, 2_400)
    connections, handshaken = (room_for(900), 2_000) if options.full else (room_for(200), 400)
    print(f"TLS 1.3, {SUITE}, messages of {SIZE} bytes, {rounds} rounds, medians")
    with contextlib.ExitStack() as stack:
        certificates = Certificates(Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="mqbridge-bench-"))))
        bench = Bench(stack, certificates, flow)
        bench.channels(count)
        try:
            bench.jms()
        except NoJava as error:
            print(f"  JMS: not measured, {error}")
        for row in bench.rows.values():
            row.run(rounds, 10 if options.full else 4)
        bench.report()
        plain, secured = (idle_memory(certificates, channel, connections) for channel in (PLAIN, SECURED))
        print(f"  {connections:,} idle clients: plain {plain:.1f} KiB, TLS {secured:.1f} KiB a connection")
        name = "idle client inside TLS, memory"
        figure(name, "", [secured], least=MEMORY_TO_REACH, goal=MEMORY_GOAL, unit="KiB", lower=True)
        rate = handshakes(certificates, handshaken)
        figure("TLS handshakes of one core", "", [rate], least=HANDSHAKES_TO_REACH, goal=HANDSHAKES_GOAL, unit="/s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
