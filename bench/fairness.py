"""Latency of a bystander's put and get while another program makes large requests.

    python bench/fairness.py                      short form
    python bench/fairness.py --full               larger queues, longer measured
    python bench/fairness.py --only expiry xa     some of the attacks; --list names them
    python bench/fairness.py --persistent         the bystander's messages are persistent

The bystander is a process of its own with four connections, each of which puts and gets 1 KiB twenty times a second:
first without other load, then during each attack. The latency of a put counts from its scheduled time, so it includes
the time in which the queue manager does not answer. Each attack has a queue manager of its own, prepared before the
measurement. The ratio is that of the p99 of both calls together to the p99 without an attack. Turns: processor time of
each call of the queue manager's reactor, p99 and maximum, which other loads of the machine hardly affect, and the
longest garbage collection in one. Target: a p99 below 50 ms during each attack, and no connection lost.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from fairness_attacks import ATTACKS, Attack, Scene
from fairness_doors import DOORS
from figures import figure
from servers import Ours

import mqbridge

CHANNEL = "DEV.APP.SVRCONN"
QUEUE = "BYSTANDER"
RHYTHM = 0.05
CALLERS = 4
SIZE = 1024
TARGET = 50.0
OBJECTS = "".join(f"DEFINE QLOCAL({QUEUE}.{number}) MAXDEPTH(100000)\n" for number in range(CALLERS))


# The bystander's process


class Caller(threading.Thread):
    """One connection of the bystander. Durations in seconds; ``failed``: why it ended."""

    def __init__(self, port: int, number: int, persistent: bool) -> None:
        super().__init__(daemon=True)
        self._queue = mqbridge.connect(f"mq://127.0.0.1:{port}/?channel={CHANNEL}").queue(f"{QUEUE}.{number}")
        self._persistent = persistent
        self._ended = threading.Event()
        self._late = number * RHYTHM / CALLERS
        self.puts: list[float] = []
        self.gets: list[float] = []
        self.failed = ""
        self._queue.put(b"", persistent=persistent)
        self._queue.get(wait=5)

    def run(self) -> None:
        """Put and get on schedule."""
        body = bytes(SIZE)
        turn = time.perf_counter() + self._late
        try:
            while not self._ended.is_set():
                turn += RHYTHM
                rest = turn - time.perf_counter()
                if rest > 0:
                    time.sleep(rest)
                self._queue.put(body, persistent=self._persistent)
                began = time.perf_counter()
                self.puts.append(began - turn)
                self._queue.get(wait=5)
                self.gets.append(time.perf_counter() - began)
        except mqbridge.MQError as error:
            self.failed = str(error)

    def end(self) -> None:
        """Stop."""
        self._ended.set()
        self.join()


def stand_by(port: int, persistent: bool) -> None:
    """Put and get from one line on standard input to the next; print the durations as JSON."""
    callers = [Caller(port, number, persistent) for number in range(CALLERS)]
    print("ready", flush=True)
    sys.stdin.readline()
    for caller in callers:
        caller.start()
    sys.stdin.readline()
    for caller in callers:
        caller.end()
    puts, gets = ([each for caller in callers for each in found(caller)] for found in (_puts, _gets))
    failed = next((caller.failed for caller in callers if caller.failed), "")
    print(json.dumps({"put": puts, "get": gets, "failed": failed}), flush=True)


def _puts(caller: Caller) -> list[float]:
    return caller.puts


def _gets(caller: Caller) -> list[float]:
    return caller.gets


class Bystander:
    """The bystander's process, seen from the bench."""

    def __init__(self, port: int, persistent: bool) -> None:
        command = [sys.executable, __file__, "--bystander", str(port), *(["--persistent"] if persistent else [])]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._hear()

    def _hear(self) -> str:
        assert self.process.stdout is not None
        line = self.process.stdout.readline().decode()
        if not line:
            raise SystemExit("the bystander has ended")
        return line

    def _say(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(b"\n")
        self.process.stdin.flush()

    def begin(self) -> None:
        """Start measuring."""
        self._say()

    def end(self) -> dict[str, Any]:
        """Stop, and return the measurements."""
        self._say()
        found: dict[str, Any] = json.loads(self._hear())
        self.process.wait()
        return found


# The bench


class Timed(Ours):
    """A queue manager that reports the durations of its turns in seconds of processor time."""

    def launch(self, command: Sequence[str], environment: dict[str, str] | None = None) -> None:
        self._turns = self.folder / "turns"
        script = str(Path(__file__).parent / "timed_server.py")
        own = {"MQBRIDGE_TURNS": str(self._turns)}
        super().launch([command[0], script, *command[3:]], (environment or {}) | own)

    def begin(self) -> None:
        """Discard the measurements so far."""
        self._turns.unlink(missing_ok=True)

    def turns(self) -> dict[str, Any]:
        """The measurements since `begin`."""
        try:
            found: dict[str, Any] = json.loads(self._turns.read_text())
        except (OSError, ValueError):
            return {"p99": 0.0, "max": 0.0, "where": ""}
        return found


def measured(attack: Attack | None, full: bool, seconds: float, persistent: bool) -> dict[str, Any]:
    """Durations of a bystander's calls during an attack; None for no attack."""
    server = Timed(
        OBJECTS + (attack.mqsc if attack is not None else ""), *(attack.options if attack is not None else ())
    )
    try:
        scene = Scene(server, CHANNEL, full)
        if attack is not None:
            attack.prepare(scene)
        bystander = Bystander(server.port, persistent)
        server.begin()
        bystander.begin()
        time.sleep(4 * RHYTHM)
        began = time.perf_counter()
        rounds = 0
        failed = ""
        try:
            while True:
                if attack is None:
                    time.sleep(seconds)
                else:
                    attack.run(scene)
                rounds += 1
                if time.perf_counter() - began >= seconds or (attack is not None and attack.once):
                    break
        except mqbridge.MQError as error:
            failed = f"the attack: {error}"
        took = time.perf_counter() - began
        time.sleep(0.3)
        found = bystander.end()
        scene.close()
        found["turns"], found["note"] = server.turns(), scene.note
        return found | {"seconds": took, "rounds": rounds, "attack": failed}
    finally:
        server.close()


def figures(durations: list[float]) -> tuple[float, float, float]:
    """Median, p99 and the longest, in milliseconds."""
    if not durations:
        return (float("inf"),) * 3
    ordered = sorted(durations)
    return tuple(1e3 * each for each in (statistics.median(ordered), ordered[int(0.99 * len(ordered))], ordered[-1]))  # type: ignore[return-value]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--persistent", action="store_true")
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--bystander", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.bystander:
        stand_by(given.bystander, given.persistent)
        return
    if given.list:
        for attack in [*ATTACKS, *DOORS]:
            print(f"{attack.name:16} {attack.what}")
        return
    chosen = [attack for attack in [*ATTACKS, *DOORS] if not given.only or attack.name in given.only]
    seconds = 10.0 if given.full else 3.0
    print("milliseconds: median, p99 and longest of a bystander's calls; target: p99 below 50")
    calls = "".join(f"{each:>8} {'p99':>8} {'max':>8}   " for each in ("put", "get"))
    print(f"{'':16} {calls}{'ratio':>7}  {'turns':>6} {'max':>6} {'gc':>6}  attack")
    alone = measured(None, given.full, seconds, given.persistent)
    base = row("nobody", alone, None)
    for attack in chosen:
        row(attack.name, measured(attack, given.full, seconds, given.persistent), base)


def row(name: str, found: dict[str, Any], base: float | None) -> float:
    """Print a row; returns its p99 of both calls."""
    put, get = figures(found["put"]), figures(found["get"])
    both = figures(found["put"] + found["get"])[1]
    ratio = "" if base is None else f"{both / base:7.1f}"
    turns = found["turns"]
    shares = " ".join(f"{turns.get(each, 0.0):6.1f}" for each in ("p99", "max", "collection"))
    told = f"{shares}  {found['rounds']} in {found['seconds']:.1f} s"
    for failed in (found["note"], found["attack"], found["failed"] and f"BYSTANDER LOST: {found['failed']}"):
        told += f"; {failed}" if failed else ""
    columns = f"{put[0]:8.2f} {put[1]:8.1f} {put[2]:8.1f}   {get[0]:8.2f} {get[1]:8.1f} {get[2]:8.1f}   {ratio:>7}"
    print(f"{name:16} {columns}  {told}", flush=True)
    if base is not None:
        figure(f"bystander of {name}, p99", "", [both], least=TARGET, unit="ms", lower=True)
    return both


if __name__ == "__main__":
    main()
