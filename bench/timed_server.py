"""Run ``mqbridge`` with its turns timed: processor time of its main thread for each call of the reactor.

The file of MQBRIDGE_TURNS gets, each second, p99 and maximum in milliseconds since the file was last removed. Processor
time excludes other loads of the machine.
"""

from __future__ import annotations

import gc
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mqbridge.bridge.endpoints.channel_protocol import ChannelProtocol
from mqbridge.bridge.endpoints.driver import Driver

FILE = Path(os.environ["MQBRIDGE_TURNS"])


_collecting = 0.0
_longest_collection = 0.0


def _collected(phase: str, _: dict[str, int]) -> None:
    """The collector of garbage has a share in turns."""
    global _collecting, _longest_collection
    if phase == "start":
        _collecting = time.thread_time()
    else:
        _longest_collection = max(_longest_collection, time.thread_time() - _collecting)


def _forget_collections() -> None:
    global _longest_collection
    _longest_collection = 0.0


class Stopwatch:
    """Durations of turns."""

    def __init__(self) -> None:
        self.turns: list[float] = []
        self.inside = False
        self.worst = ""
        self.next = 0.0

    def timed(self, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        """The same call, timed where it is not made inside another one."""

        def timed(*given: Any, **named: Any) -> Any:
            if self.inside:
                return call(*given, **named)
            self.inside = True
            began = time.thread_time()
            try:
                return call(*given, **named)
            finally:
                self.inside = False
                self.took(name, time.thread_time() - began)

        return timed

    def took(self, name: str, seconds: float) -> None:
        """One turn."""
        if not FILE.exists():
            self.turns, self.worst = [], ""
            _forget_collections()
        if not self.turns or seconds > max(self.turns):
            self.worst = name
        self.turns.append(seconds)
        now = time.monotonic()
        if now >= self.next or not FILE.exists() or seconds > 0.02:
            self.next = now + 1
            ordered = sorted(self.turns)
            told: dict[str, Any] = {"collection": 1e3 * _longest_collection}
            told |= {"p99": 1e3 * ordered[int(0.99 * len(ordered))], "max": 1e3 * ordered[-1], "where": self.worst}
            FILE.write_text(json.dumps(told | {"turns": len(ordered)}))


def main() -> None:
    from mqbridge.bridge.cli import main as command

    gc.callbacks.append(_collected)
    watch = Stopwatch()
    kinds: Any = ((ChannelProtocol, ("dataReceived", "connectionLost", "resumeProducing", "_resume")),)
    from twisted.web.http import HTTPChannel

    kinds += ((HTTPChannel, ("dataReceived",)),)
    kinds += ((Driver, ("_time_out", "_committed", "_checked", "pump")),)
    for kind, names in kinds:
        for name in names:
            setattr(kind, name, watch.timed(name, getattr(kind, name)))
    command()


if __name__ == "__main__":
    sys.argv[0] = "mqbridge"
    main()
