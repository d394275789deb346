"""Cost of the calls of IBM's JMS client in one process: recorded bytes, a gateway without sockets, replies compared.

    python bench/calls.py                             µs and function calls a message; a minute
    python bench/calls.py --full                      more and longer rounds
    python bench/calls.py batches async               some kinds of programs only: batches, async, alone, ask
    python bench/calls.py --instructions              instructions a message too, by valgrind's callgrind
    python bench/calls.py --rooms                     shares of rooms: of own time; compiled, of instructions
    python bench/calls.py --profile                   own time by function
    python bench/calls.py --against OTHER             ratio to another tree in alternating rounds, with its spread
    python bench/calls.py --record                    record anew with IBM's client (Java 17, Maven)

Producer and consumer share a socket, as sessions of IBM's client do. A message is a put, a get and their share of
commits; of ``ask`` a round trip with its two messages. Commits go to a store in memory and return at once. Each reply
is compared with the recorded one; the bench ends with status 1 if one differs.

OTHER is a folder with another checkout or another build of the package ``mqbridge`` (its own ``.venv`` is used if there
is one), a Python interpreter in whose environment mqbridge is installed, or ``pure``: this build with MQBRIDGE_PURE=1.
Instructions are those of the replay alone, without the start, and hardly depend on other load. Calls of functions are
those that the interpreter sees: compiled functions call each other unseen.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from calls_instructions import Costs, by_module
from calls_recording import CALLS, path_of, save
from calls_worker import room_of
from figures import UNSURE, ratios, spread_of

HERE = Path(__file__).parent
WORKER = "calls_worker.py"
LIMIT = 100 << 10
"""Bytes of a recording."""


class Build:
    """An interpreter with a build of mqbridge: ours, or that of ``--against``."""

    def __init__(self, other: str = "") -> None:
        self.python, self.script, self.environment = sys.executable, HERE / WORKER, dict(os.environ)
        if other == "pure":
            self.environment["MQBRIDGE_PURE"] = "1"
        elif other:
            path = Path(other).absolute()
            if path.is_dir():
                own = path / ".venv" / "bin" / "python"
                self.python = str(own) if own.exists() else self.python
                self.environment["PYTHONPATH"] = str(path)
                self.script = found if (found := path / "bench" / WORKER).exists() else self.script
            elif os.access(path, os.X_OK):
                self.python = str(path)
                self.environment.pop("PYTHONPATH", None)
            else:
                raise SystemExit(f"{other} is neither a folder nor an interpreter")
        self.process: subprocess.Popen[str] | None = None
        self.hello: dict[str, Any] = {}

    def start(self) -> None:
        """Start its worker."""
        command = [self.python, str(self.script)]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, env=self.environment, stdin=pipe, stdout=pipe, text=True)
        self.hello = self._reply()

    def ask(self, what: str, name: str, count: int) -> dict[str, Any]:
        """Have a request carried out."""
        assert self.process is not None
        assert self.process.stdin is not None
        print(what, name, count, file=self.process.stdin, flush=True)
        return self._reply()

    def _reply(self) -> dict[str, Any]:
        assert self.process is not None
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"the replay ended with status {self.process.wait() or 1}")
        found: dict[str, Any] = json.loads(line)
        return found

    def close(self) -> None:
        """End its worker."""
        if self.process is not None:
            self.process.communicate()

    def microseconds(self, name: str, count: int) -> float:
        """Processor time of a message."""
        found = self.ask("play", name, count)
        return float(found["seconds"] / found["messages"] * 1e6)

    def instructions(self, name: str, count: int) -> float:
        """Instructions of a message, by callgrind."""
        return float(sum(Costs(self._callgrind(name, count)).own.values()) / count)

    def rooms(self, name: str, count: int) -> dict[str, float]:
        """Shares of the rooms: of instructions where modules are compiled, else of own time under a profiler."""
        if self.hello["build"] == "compiled":
            found: Counter[str] = Counter()
            for module, cost in by_module(self._callgrind(name, 100), self.hello["compiled"]).items():
                found[room_of(Path(self.hello["home"], module), Path(self.hello["home"])) if module else "bench"] += (
                    cost
                )
        else:
            found = Counter(self.ask("profile", name, count)["rooms"])
        return {room: cost / found.total() for room, cost in found.most_common() if cost}

    def _callgrind(self, name: str, count: int) -> list[str]:
        """What callgrind writes about a replay."""
        with tempfile.TemporaryDirectory(prefix="mqbridge-bench-") as folder:
            out = Path(folder) / "callgrind"
            command = ["valgrind", "--tool=callgrind", "--instr-atstart=no", f"--callgrind-out-file={out}"]
            command += [self.python, str(self.script), name, str(count)]
            environment = self.environment | {"PYTHONHASHSEED": "0"}
            try:
                subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
            except FileNotFoundError:
                raise SystemExit("valgrind is not installed (Debian: apt-get install valgrind)") from None
            except subprocess.CalledProcessError as error:
                raise SystemExit(f"callgrind failed: {error.stderr[-2000:]}") from None
            return out.read_text().splitlines()

    def __str__(self) -> str:
        return f"{self.hello['build']}, Python {self.hello['python']}, {self.hello['home']}"


def record(names: Sequence[str]) -> None:
    """Record all kinds of programs with IBM's client and a server of ours."""
    from canned_recording import Relay
    from java_side import JavaClient, build
    from programs import CHANNEL, OBJECTS
    from servers import Ours

    build()
    server = Ours(OBJECTS)
    try:
        for name in names:
            relay = Relay(server.port)
            client = JavaClient("ibm", relay.port, CHANNEL)
            try:
                what, *arguments = CALLS[name].java
                client.round(str(what), *arguments)
            finally:
                client.close()
                relay.close()
            (said,) = relay.said
            save(name, said)
            size = path_of(name).stat().st_size
            print(f"  {name:10} {len(said)} segments, {size:,} bytes in {path_of(name).name}")
            assert size < LIMIT
    finally:
        server.close()


def show_profile(build: Build, name: str, count: int) -> None:
    """Print the functions that take most time, the profiler's own included, which multiplies it."""
    found = build.ask("profile", name, count)
    each = 1e6 / found["messages"]
    for own, calls, room, function in found["functions"]:
        print(f"      {own * each:7.2f} us {calls / found['messages']:7.2f} calls   {room or 'builtin':22} {function}")


def rate(build: Build, name: str, rounds: int, count: int) -> list[float]:
    """Microseconds a message in each round, one behind the other."""
    build.microseconds(name, count)
    return [build.microseconds(name, count) for _ in range(rounds)]


def compare(ours: Build, other: Build, name: str, rounds: int, count: int) -> None:
    """Alternating rounds of two builds."""
    found: defaultdict[Build, list[float]] = defaultdict(list)
    for number in range(rounds + 1):
        for build in (ours, other) if number % 2 else (other, ours):
            taken = build.microseconds(name, count)
            if number:
                found[build].append(taken)
    each = ratios(found[ours], found[other])
    spread = spread_of(each)
    medians = " against ".join(f"{statistics.median(found[build]):.1f}" for build in (ours, other))
    print(
        f"    us a message: {medians}; ratio {statistics.median(each):.3f}, spread {spread:.3f}, "
        f"{min(each):.3f} to {max(each):.3f}{'   unsure' if spread > UNSURE else ''}",
        flush=True,
    )


def measure(ours: Build, other: Build | None, name: str, given: argparse.Namespace) -> None:
    """Print all of one kind of program."""
    rounds, count = (25, 2_000) if given.full else (11, 1_000)
    print(f"  {name}: {CALLS[name].title}", flush=True)
    if other is not None:
        compare(ours, other, name, rounds, count)
    else:
        times = rate(ours, name, rounds, count)
        print(f"    us a message: {statistics.median(times):.1f}, spread {spread_of(times):.3f}", flush=True)
    builds = [build for build in (ours, other) if build is not None]
    seen = [build.ask("count", name, 500) for build in builds]
    calls = [" + ".join(f"{each[kind] / each['messages']:.1f}" for kind in ("python", "other")) for each in seen]
    print(f"    calls a message, of functions in Python + of others: {' against '.join(calls)}", flush=True)
    if given.instructions:
        executed = [build.instructions(name, 100) for build in builds]
        beside = f"; ratio {executed[0] / executed[1]:.3f}" if other is not None else ""
        shown = " against ".join(f"{each:,.0f}" for each in executed)
        print(f"    instructions a message: {shown}{beside}", flush=True)
    if given.rooms:
        for build in builds:
            shares = build.rooms(name, count)
            print(f"    by room, {build.hello['build']}: ", end="")
            print("  ".join(f"{room} {share:.0%}" for room, share in shares.items()), flush=True)
    if given.profile:
        show_profile(ours, name, count)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="KIND", help=f"of programs: {', '.join(CALLS)}")
    parser.add_argument("--full", action="store_true", help="more and longer rounds")
    parser.add_argument("--instructions", action="store_true", help="count instructions too")
    parser.add_argument("--rooms", action="store_true", help="show which rooms the time goes to")
    parser.add_argument("--profile", action="store_true", help="show which functions the time goes to")
    parser.add_argument("--against", metavar="OTHER", help="another tree, interpreter, or 'pure'")
    parser.add_argument("--record", action="store_true", help="record anew, and measure nothing")
    given = parser.parse_args()
    names = given.names or list(CALLS)
    if unknown := [name for name in names if name not in CALLS]:
        parser.error(f"no kind of program: {', '.join(unknown)}")
    if given.record:
        record(names)
        return 0
    builds = [Build(), Build(given.against)] if given.against else [Build()]
    try:
        for build in builds:
            build.start()
        print("calls of IBM's JMS client replayed in one process, 2 KiB, processor time")
        print("\n".join(f"  {title}{build}" for title, build in zip(("", "against "), builds, strict=False)))
        for name in names:
            measure(builds[0], builds[1] if len(builds) > 1 else None, name, given)
    finally:
        for build in builds:
            build.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
