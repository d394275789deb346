"""Java programs with IBM's JMS client and our server, beside the same programs with Apache Artemis and RabbitMQ.

    python bench/jms.py            short rounds, some three minutes
    python bench/jms.py --full     longer rounds

Each client keeps its JVM and its server over all rounds. It is warmed up until three rounds differ by under 5 % (or a
number of rounds is over: the line says "not steady"); then seven rounds count, in which the servers alternate. Messages
of 2 KiB. (c) is a bare Twisted server that replays answers recorded from ours: the limit of IBM's client, sockets and
Python for any server in one thread. Processor time is user and system time in microseconds a message, of server and
client apart, which says more than rates when other programs share the machine. Artemis syncs its journal for each
commit (with AIO if libaio is available) and is used with its own JMS client; RabbitMQ is used by AMQP with publisher
confirms. Without Java nothing is measured.
"""

from __future__ import annotations

import argparse
import contextlib
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parent))

from canned_recording import Relay
from compiled import BUILD, COMPILED
from figures import figure, ratios, skipped, spread_of
from java_side import JavaClient, NoJava, build
from programs import ASKED, ASYNC, BATCH, CHANNEL, FLOW, OBJECTS, SIZE
from rounds import alternating, warm
from servers import Artemis, NoServer, Ours, Rabbit, processor

ROUNDS = 7
RECORDED = 200
"""Messages of a recording."""
WARM = 1_000
"""Messages with which the clients of (c) begin."""
SPIN = 200
"""Microseconds for which a server polls before it sleeps."""
STAGES = ("send", "request", "answer", "reply")
BATCHES = f"JMS 1+1, transactions of {BATCH}"
SERVER = "server, us a message, 1+1 synchronous"


class Peer(NamedTuple):
    """A server with its client. ``processor``: user and system seconds that the server has used."""

    name: str
    client: JavaClient
    processor: Callable[[], float]


class Absent(NamedTuple):
    """A server that is not there, and why."""

    name: str
    reason: str


class Line:
    """Programs with one server: what each round does, and what was measured. ``count``: messages of a round."""

    def __init__(self, peer: Peer, note: str, what: str, queue: str, count: int, *more: object) -> None:
        self.peer, self.note = peer, note
        self._round = what, (queue, count, SIZE, *more)
        self._count = count
        self._steady = False
        self.measured: list[dict[str, Any]] = []

    def round(self) -> float:
        """Run one round; its rate."""
        before = self.peer.processor()
        what, arguments = self._round
        found = self.peer.client.round(what, *arguments)
        used = self.peer.processor() - before
        each = 1e6 / self._count
        found |= {"rate": self._count / found["seconds"], "server": used * each, "client": found["cpu"] * each}
        self.measured.append(found)
        return float(found["rate"])

    def warm(self, most: int) -> None:
        """Run rounds that do not count until they are steady."""
        self._steady = warm(self.round, most)
        self.measured.clear()

    def values(self, figure: str) -> list[float]:
        """A figure of each round."""
        return [found[figure] for found in self.measured]

    def median(self, figure: str) -> float:
        """Its median."""
        return statistics.median(self.values(figure))

    def __str__(self) -> str:
        rates = self.values("rate")
        return (
            f"  {self.peer.name:18} {self.note:15} {statistics.median(rates):8,.0f}/s, spread {spread_of(rates):.2f}"
            f"   processor us a message: server {self.median('server'):4.0f}, client {self.median('client'):4.0f}"
            f"{'' if self._steady else '   not steady'}"
        )


class Canned:
    """The bare server with one recording."""

    def __init__(self, recording: Path) -> None:
        command = [sys.executable, str(Path(__file__).with_name("canned_server.py")), str(recording)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        self.port = int(self.process.stdout.readline())

    def processor(self) -> float:
        """User and system seconds that it has used."""
        return processor(self.process.pid)

    def close(self) -> None:
        """End it."""
        self.process.kill()
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()


def record(ours: Ours, path: Path, what: str, queue: str, *more: object) -> None:
    """Record the answers of our server to one round; messages lie ready, so that nothing ever waits."""
    relay = Relay(ours.port)
    client = JavaClient("ibm", relay.port, CHANNEL)
    try:
        if what == "flow":
            client.round("fill", queue, RECORDED, SIZE, *more)
            relay.forget()
        client.round(what, queue, RECORDED, SIZE, *more)
    finally:
        client.close()
        relay.close()
    relay.save(path)


class Bench:
    """All servers of a run. ``count``: messages of a round of one pair; ``most``: rounds to warm up."""

    def __init__(self, stack: contextlib.ExitStack, count: int, most: int) -> None:
        self._stack, self._count, self._most = stack, count, most
        self.ours = self._kept(Ours(OBJECTS))
        self.mqbridge = self._peer("mqbridge", "ibm", self.ours, CHANNEL)
        self.spinning = self._other(f"--spin {SPIN}", "ibm", lambda: Ours(OBJECTS, "--spin", str(SPIN)), CHANNEL)
        self.pure = self._pure()
        self.artemis = self._other(Artemis.name, "artemis", Artemis)
        self.rabbit = self._other(Rabbit.name, "rabbit", Rabbit)
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="mqbridge-bench-")))
        self.canned: dict[str, Peer] = {}
        for name, asked in (("flow", ("flow", ASYNC, BATCH, 1)), ("ask", ("ask", ASKED, "one"))):
            record(self.ours, folder / name, *asked)
            server = Canned(folder / name)
            stack.callback(server.close)
            client = self._client("ibm", server.port, CHANNEL)
            client.round(asked[0], asked[1], WARM, SIZE, *asked[2:])
            self.canned[name] = Peer("(c)", client, server.processor)

    def _kept(self, server: Any) -> Any:
        self._stack.callback(server.close)
        return server

    def _client(self, kind: str, port: int, *more: str) -> JavaClient:
        client = JavaClient(kind, port, *more)
        self._stack.callback(client.close)
        return client

    def _peer(self, name: str, kind: str, server: Any, *more: str) -> Peer:
        return Peer(name, self._client(kind, server.port, *more), server.processor)

    def _other(self, name: str, kind: str, make: Callable[[], Any], *more: str) -> Peer | Absent:
        try:
            server = self._kept(make())
        except NoServer as error:
            reason = f"this server has no option {name.split()[0]}" if "No such option" in str(error) else str(error)
            return Absent(name, reason)
        return self._peer(name if isinstance(server, Ours) else server.name, kind, server, *more)

    def _pure(self) -> Peer | Absent:
        if not COMPILED:
            return self.mqbridge
        return self._other("pure Python", "ibm", lambda: Ours(OBJECTS, environment={"MQBRIDGE_PURE": "1"}), CHANNEL)

    def line(
        self, peer: Peer | Absent, note: str, what: str, queue: str, factor: float, *more: object
    ) -> Line | Absent:
        """A line of a server that may be absent; ``factor``: of the number of messages."""
        return peer if isinstance(peer, Absent) else Line(peer, note, what, queue, int(self._count * factor), *more)

    def measure(self, title: str, lines: Sequence[Line | Absent]) -> None:
        """Run the rounds of lines that are compared, and print them."""
        print(title, flush=True)
        present = [each for each in lines if isinstance(each, Line)]
        for each in present:
            each.warm(self._most)
        for each in alternating(present, ROUNDS):
            each.round()
        print(*present, sep="\n", flush=True)

    # The groups of lines

    def batches(self) -> None:
        """One pair, transactions."""
        sync, puts = (
            self.line(self.mqbridge, note, "flow", queue, 1, BATCH, 1)
            for note, queue in (("", FLOW), ("DEFPRESP(ASYNC)", ASYNC))
        )
        spinning = self.line(self.spinning, "DEFPRESP(ASYNC)", "flow", ASYNC, 1, BATCH, 1)
        canned = self.line(self.canned["flow"], "DEFPRESP(ASYNC)", "flow", ASYNC, 1, BATCH, 1)
        artemis = self.line(self.artemis, "", "flow", FLOW, 2, BATCH, 1)
        pure = self.line(self.pure, "", "flow", FLOW, 1, BATCH, 1) if COMPILED else sync
        lines = [sync, puts, spinning, canned, artemis, *([pure] if COMPILED else [])]
        self.measure(f"persistent, 1 producer + 1 consumer, transactions of {BATCH}", lines)
        compare(BATCHES, puts, artemis, 0.5, 1.0)
        compare(f"{BATCHES}, --spin {SPIN}", spinning, artemis, 0.6, 1.2)
        compare(f"{BATCHES}, synchronous puts", sync, artemis)
        compare(f"{BATCHES}, of what a bare server reaches", puts, canned)
        for what, line, least, goal in (("compiled", sync, 120, 60), ("pure Python", pure, 200, 160)):
            if isinstance(line, Absent) or (what != BUILD and not COMPILED):
                skipped(SERVER, what, f"this build is {BUILD}", least=least, goal=goal)
            else:
                figure(SERVER, what, line.values("server"), least=least, goal=goal, unit="us", lower=True)

    def alone(self) -> None:
        """One pair, no transactions."""
        ours, artemis = (self.line(peer, "", "flow", FLOW, 1 / 4, 0, 1) for peer in (self.mqbridge, self.artemis))
        self.measure("persistent, each message committed alone", [ours, artemis])
        compare("JMS, each message committed alone", ours, artemis, 1.0, 1.3)

    def many(self) -> None:
        """Eight pairs, transactions."""
        ours = self.line(self.mqbridge, "DEFPRESP(ASYNC)", "flow", ASYNC, 2, BATCH, 8)
        artemis, rabbit = (self.line(peer, "", "flow", FLOW, 3, BATCH, 8) for peer in (self.artemis, self.rabbit))
        self.measure(f"persistent, 8 producers + 8 consumers, transactions of {BATCH}", [ours, artemis, rabbit])
        compare(f"JMS 8+8, transactions of {BATCH}", ours, artemis, 0.6, 1.0)
        compare(f"JMS 8+8, transactions of {BATCH}", ours, rabbit, 0.8, 1.2)

    def requests(self) -> None:
        """Requests and replies."""
        ours, artemis = (self.line(peer, "", "ask", ASKED, 1 / 4, "threads") for peer in (self.mqbridge, self.artemis))
        self.measure("request and reply, non-persistent, one connection, a thread at either end", [ours, artemis])
        compare("JMS, request and reply, non-persistent", ours, artemis, 1.0, 1.3)
        alone, canned = (
            self.line(peer, "", "ask", ASKED, 1 / 4, "one") for peer in (self.mqbridge, self.canned["ask"])
        )
        self.measure("the same calls one behind the other in one thread: nobody waits for a message", [alone, canned])
        compare("JMS, requests in one thread, of what a bare server reaches", alone, canned, 0.5, 1.0)
        print("microseconds by stage: send; until the request is there; reply's send; until the reply is there")
        for row, line in (("threads", ours), ("threads", artemis), ("one thread", alone), ("one thread", canned)):
            if isinstance(line, Line):
                stages = "  ".join(f"{stage} {line.median(stage):6.0f}" for stage in STAGES)
                print(f"  {line.peer.name:18} {row:11} {stages}")


def compare(
    name: str, ours: Line | Absent, other: Line | Absent, least: float | None = None, goal: float | None = None
) -> None:
    """Report the ratio of rates, or why there is none."""
    peer = other.name if isinstance(other, Absent) else other.peer.name
    for each in (ours, other):
        if isinstance(each, Absent):
            skipped(name, peer, each.reason, least=least, goal=goal)
            return
    assert isinstance(ours, Line)
    assert isinstance(other, Line)
    figure(name, peer, ratios(ours.values("rate"), other.values("rate")), least=least, goal=goal)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="longer rounds")
    options = parser.parse_args()
    try:
        build()
    except NoJava as error:
        skipped(BATCHES, Artemis.name, str(error), least=0.5, goal=1.0)
        return 0
    count, most = (10_000, 10) if options.full else (1_200, 6)
    print(f"JMS, messages of {SIZE} bytes, {BUILD}, {ROUNDS} rounds behind at most {most} to warm up, medians")
    with contextlib.ExitStack() as stack:
        bench = Bench(stack, count, most)
        for group in (bench.batches, bench.alone, bench.many, bench.requests):
            group()
    return 0


if __name__ == "__main__":
    sys.exit(main())
