"""Replay recorded calls in a process of its own, and measure them.

    python bench/calls_worker.py                  one request a line of its input, one line of JSON in reply
    python bench/calls_worker.py KIND COUNT       replay under callgrind, which is switched on for the replay alone

Requests: ``play KIND COUNT`` (processor seconds), ``count KIND COUNT`` (calls of functions), ``profile KIND COUNT``
(own time of functions); all reply with the number of messages, and the first line says which build it is.
"""

from __future__ import annotations

import cProfile
import gc
import json
import os
import pstats
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from types import FrameType
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from calls_recording import CALLS
from calls_replay import Replay
from compiled import BUILD

import mqbridge
from mqbridge.build import note

HOME = Path(mqbridge.__file__).parent
ROOMS = ("protocol", "mappings", "bridge/agents", "bridge/queue_manager", "bridge/store", "bridge", "bench")
OTHER = "other"
WARM = 100
"""Messages before instructions are counted."""


def room_of(path: Path, home: Path = HOME) -> str:
    """The room of a file of the package at ``home``; blank for builtins."""
    if path.is_relative_to(home):
        inside = path.relative_to(home).as_posix()
        return next((room for room in ROOMS if inside.startswith(f"{room}/")), OTHER)
    if path.parent == Path(__file__).parent:
        return "bench"
    return OTHER if path.is_absolute() else ""


def _callgrind(state: str) -> None:
    """Switch the counting of instructions on or off."""
    subprocess.run(["vgdb", f"--pid={os.getpid()}", "instrumentation", state], check=True, stdout=sys.stderr)


class Worker:
    """Carries out requests; programs stay connected between them."""

    def __init__(self) -> None:
        self._replays: dict[str, Replay] = {}

    def _replay(self, name: str) -> Replay:
        if name not in self._replays:
            self._replays[name] = Replay(CALLS[name])
            gc.collect()
            gc.freeze()
        return self._replays[name]

    def play(self, name: str, count: int) -> dict[str, Any]:
        """Processor seconds."""
        replay = self._replay(name)
        reads = replay.prepare(count)
        began = time.process_time()
        sent = replay.feed(reads)
        return {"seconds": time.process_time() - began, "messages": replay.check(sent)}

    def execute(self, name: str, count: int) -> None:
        """Replay under callgrind."""
        replay = self._replay(name)
        replay.check(replay.feed(replay.prepare(WARM)))
        reads = replay.prepare(count)
        _callgrind("on")
        sent = replay.feed(reads)
        _callgrind("off")
        replay.check(sent)

    def count(self, name: str, count: int) -> dict[str, Any]:
        """Calls of functions that are written in Python, and of others; compiled functions of ours are neither."""
        replay = self._replay(name)
        reads = replay.prepare(count)
        calls: Counter[str] = Counter()

        def called(frame: FrameType, event: str, argument: object) -> None:
            del frame, argument
            calls[event] += 1

        sys.setprofile(called)
        try:
            sent = replay.feed(reads)
        finally:
            sys.setprofile(None)
        return {"python": calls["call"], "other": calls["c_call"], "messages": replay.check(sent)}

    def profile(self, name: str, count: int) -> dict[str, Any]:
        """Own seconds by function and by room; the time of builtins is that of the room that calls them."""
        replay = self._replay(name)
        reads = replay.prepare(count)
        profile = cProfile.Profile()
        sent = profile.runcall(replay.feed, reads)
        rooms: Counter[str] = Counter()
        functions = []
        for place, (_, calls, own, _, callers) in pstats.Stats(profile).stats.items():  # type: ignore[attr-defined]
            room = room_of(Path(place[0]))
            if room:
                rooms[room] += own
            for caller, (_, _, share, _) in callers.items() if not room else ():
                rooms[room_of(Path(caller[0])) or OTHER] += share
            where = f"{Path(place[0]).name}:{place[1]}" if room else ""
            functions.append((own, calls, room, f"{place[2]} {where}".rstrip()))
        functions.sort(reverse=True)
        return {"rooms": rooms, "functions": functions[:40], "messages": replay.check(sent)}


def main() -> int:
    worker = Worker()
    if len(sys.argv) == 3:
        worker.execute(sys.argv[1], int(sys.argv[2]))
        return 0
    compiled = list((note() or {}).get("sources", ()))
    hello = {"build": BUILD, "home": str(HOME), "python": sys.version.split()[0], "compiled": compiled}
    print(json.dumps(hello), flush=True)
    for line in sys.stdin:
        what, name, count = line.split()
        print(json.dumps(getattr(worker, what)(name, int(count))), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
