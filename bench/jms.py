"""Java programs with IBM's JMS client and our server, beside the same programs with Apache Artemis and RabbitMQ.

    python bench/jms.py            short rounds, under a minute
    python bench/jms.py --full     more and longer rounds

Each client keeps its JVM and its server over all rounds, which alternate; the first round warms up and does not count.
Messages of 2 KiB. (c) is a bare Twisted server that replays answers recorded from ours: the limit of IBM's client,
sockets and Python for any server in one thread. Processor time is user and system time in microseconds a message, which
says more than rates when other programs share the machine. Artemis syncs its journal for each commit (with AIO if
libaio is available) and is used with its own JMS client; RabbitMQ is used by AMQP with publisher confirms. Without Java
nothing is measured.
"""

from __future__ import annotations

import argparse
import contextlib
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from canned_recording import Relay
from java_side import JavaClient, NoJava, build
from programs import ASKED, ASYNC, BATCH, CHANNEL, FLOW, OBJECTS, SIZE
from servers import Artemis, NoServer, Ours, Rabbit, processor

RECORDED = 200
"""Messages of a recording."""
WARM = 1_000
"""Messages with which the clients of (c) begin."""
STAGES = ("send", "request", "answer", "reply")


class Peer:
    """A server with its client, and the measurements by row: rates and processor microseconds."""

    def __init__(self, name: str, client: JavaClient, processor_of: Callable[[], float]) -> None:
        self.name = name
        self.client = client
        self._processor = processor_of
        self.measured: dict[str, list[dict[str, Any]]] = {}

    def round(self, row: str, what: str, queue: str, count: int, *more: object) -> None:
        """Run one round of a row."""
        before = self._processor()
        found = self.client.round(what, queue, count, SIZE, *more)
        used = self._processor() - before
        found |= {"rate": count / found["seconds"], "server": used / count * 1e6, "client": found["cpu"] / count * 1e6}
        self.measured.setdefault(row, []).append(found)

    def median(self, row: str, figure: str) -> float:
        """Median of the rounds of a row, without the first."""
        return statistics.median(found[figure] for found in self.measured[row][1:])


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
    """All peers of a run."""

    def __init__(self, stack: contextlib.ExitStack) -> None:
        self._stack = stack
        self.ours = self._kept(Ours(OBJECTS))
        self.mqbridge = self._peer("mqbridge", "ibm", self.ours, CHANNEL)
        self.artemis, self.rabbit = self._other("artemis", Artemis), self._other("rabbit", Rabbit)
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

    def _other(self, kind: str, make: Callable[[], Any]) -> Peer | None:
        try:
            server = self._kept(make())
        except NoServer as error:
            print(f"  without {make.__name__}: {error}")
            return None
        return self._peer(server.name, kind, server)

    def turn(self, count: int) -> None:
        """Run one round of every row."""
        others = [peer for peer in (self.artemis,) if peer is not None]
        self.mqbridge.round("flow", "flow", FLOW, count, BATCH, 1)
        self.mqbridge.round("async", "flow", ASYNC, count, BATCH, 1)
        self.canned["flow"].round("async", "flow", ASYNC, count, BATCH, 1)
        for peer in others:
            peer.round("flow", "flow", FLOW, 2 * count, BATCH, 1)
        for peer in (self.mqbridge, *others):
            peer.round("alone", "flow", FLOW, count // 4, 0, 1)
        self.mqbridge.round("many", "flow", ASYNC, 2 * count, BATCH, 8)
        for peer in (*others, *([self.rabbit] if self.rabbit is not None else [])):
            peer.round("many", "flow", FLOW, 3 * count, BATCH, 8)
        for peer in (self.mqbridge, *others):
            peer.round("ask", "ask", ASKED, count // 4, "threads")
        for peer in (self.mqbridge, self.canned["ask"]):
            peer.round("one thread", "ask", ASKED, count // 4, "one")

    def report(self) -> None:
        """Print the table."""
        ours, artemis, flow = self.mqbridge, self.artemis, self.canned["flow"]
        heading(f"persistent, 1 producer + 1 consumer, transacted batches of {BATCH}")
        line(ours, "flow", "", against(artemis, "flow"))
        line(ours, "async", "DEFPRESP(ASYNC)", against(artemis, "flow"), against(flow, "async"))
        print("      to reach 0.5 of Artemis and of (c), goal 1.0")
        line(flow, "async", "")
        line(artemis, "flow", "")
        heading("persistent, each message acknowledged alone")
        line(ours, "alone", "", against(artemis, "alone"))
        print("      to reach 0.7 of Artemis, goal 1.5")
        line(artemis, "alone", "")
        heading(f"persistent, 8 producers + 8 consumers, batches of {BATCH}")
        line(ours, "many", "DEFPRESP(ASYNC)", against(artemis, "many"), against(self.rabbit, "many"))
        print("      to reach 0.4 of either, goal 1.0")
        line(artemis, "many", "")
        line(self.rabbit, "many", "")
        heading("request and reply, non-persistent, one connection, a thread at either end")
        line(ours, "ask", "", against(artemis, "ask"))
        print("      to reach 0.5 of Artemis, goal 1.0")
        line(artemis, "ask", "")
        heading("the same calls one behind the other in one thread: nobody waits for a message")
        line(ours, "one thread", "", against(self.canned["ask"], "one thread"))
        print("      to reach 0.5 of (c), goal 1.0")
        line(self.canned["ask"], "one thread", "")
        heading("microseconds by stage: send; until the request is there; reply's send; until the reply is there")
        for peer, row in ((ours, "ask"), (artemis, "ask"), (ours, "one thread"), (self.canned["ask"], "one thread")):
            if peer is not None:
                stages = "  ".join(f"{stage} {peer.median(row, stage):6.0f}" for stage in STAGES)
                print(f"  {peer.name:18} {row:11} {stages}")


def heading(text: str) -> None:
    print(text)


def against(peer: Peer | None, row: str) -> tuple[str, float] | None:
    """Name and rate of the peer to compare with."""
    return None if peer is None else (peer.name, peer.median(row, "rate"))


def line(peer: Peer | None, row: str, note: str, *others: tuple[str, float] | None) -> None:
    """One line of the table, with the ratios to others."""
    if peer is None:
        return
    rate = peer.median(row, "rate")
    ratios = "  ".join(f"{rate / other[1]:.2f} of {other[0]}" for other in others if other is not None)
    print(
        f"  {peer.name:18} {note:15} {rate:8,.0f}/s   processor us a message: server {peer.median(row, 'server'):4.0f}"
        f", client {peer.median(row, 'client'):4.0f}   {ratios}".rstrip()
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="more and longer rounds")
    options = parser.parse_args()
    try:
        build()
    except NoJava as error:
        print(f"JMS: not measured, {error}")
        return 0
    rounds, count = (7, 10_000) if options.full else (3, 1_200)
    print(f"JMS, messages of {SIZE} bytes, {rounds} rounds behind one to warm up, medians")
    with contextlib.ExitStack() as stack:
        bench = Bench(stack)
        for _ in range(rounds + 1):
            bench.turn(count)
        bench.report()
    return 0


if __name__ == "__main__":
    sys.exit(main())
