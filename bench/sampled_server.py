"""Run ``mqbridge`` with a sampling profiler that counts, each millisecond of processor time, the room of the code.

    python bench/sampled_server.py run … <the options of mqbridge run>

SIGUSR1 writes the samples since the last one to the file that MQBRIDGE_SAMPLES names, as JSON, by room. While the main
thread waits for sockets, samples count for the writer thread of the store.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections import Counter
from pathlib import Path
from types import FrameType

import mqbridge

INTERVAL = 0.001
HOME = Path(mqbridge.__file__).parent
ROOMS = {
    str(HOME / "bridge" / "endpoints"): "Twisted",
    str(HOME / "bridge" / "store"): "store",
    str(HOME / "bridge" / "agents"): "agents",
    str(HOME / "bridge"): "queue manager",
    str(HOME / "mappings"): "codec",
    str(HOME / "protocol"): "codec",
}
"""Room by the beginning of a file name; the first match counts."""
_known: dict[str, str] = {}


def room_of(file: str) -> str:
    """The room of a file, blank for the standard library."""
    found = _known.get(file)
    if found is None:
        found = next((room for folder, room in ROOMS.items() if file.startswith(folder)), "")
        found = _known[file] = found or ("Twisted" if f"{os.sep}twisted{os.sep}" in file else "")
    return found


class Samples:
    """Samples by room."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._counts: Counter[str] = Counter()

    def take(self, number: int, frame: FrameType | None) -> None:
        """Handler of SIGPROF."""
        del number
        if frame is not None and frame.f_code.co_name in ("doPoll", "_events"):
            self._counts["store"] += 1
            return
        while frame is not None and not room_of(frame.f_code.co_filename):
            frame = frame.f_back
        self._counts[room_of(frame.f_code.co_filename) if frame is not None else "other"] += 1

    def write(self, number: int, frame: FrameType | None) -> None:
        """Handler of SIGUSR1."""
        del number, frame
        counts, self._counts = self._counts, Counter()
        part = Path(self._path + ".part")
        part.write_text(json.dumps(counts), encoding="utf-8")
        part.rename(self._path)


def main() -> None:
    samples = Samples(os.environ["MQBRIDGE_SAMPLES"])
    signal.signal(signal.SIGPROF, samples.take)
    signal.signal(signal.SIGUSR1, samples.write)
    signal.setitimer(signal.ITIMER_PROF, INTERVAL, INTERVAL)
    sys.argv[0] = "mqbridge"
    mqbridge.main()


if __name__ == "__main__":
    main()
