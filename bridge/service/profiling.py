"""``mqbridge run --profile SECONDS``: py-spy looks at this process for a while, and its samples are counted by room.

py-spy is a program of its own (``pip install 'mqbridge[profile]'``), which reads the stacks of all threads from outside
and so costs the queue manager hardly anything. What it writes, ``profile-TIME.folded``, is a line for each stack, which
flame graph tools and speedscope.app read; ``profile-TIME.txt`` is the same as a table.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Final

from mqbridge.bridge.service.errors import WRONG_CONFIGURATION, StartError

RATE: Final = 200
"""Samples a second."""
MOST_FUNCTIONS: Final = 40
_DEEPEST_ROOM: Final = 3
"""Names of a room in the table: ``bridge.queue_manager``."""
_SET_PTRACER: Final = 0x59616D61
_ANYBODY, _NOBODY = -1, 0
_PATIENCE: Final = 10.0
"""Seconds that py-spy has to write what it has seen."""


def sampler() -> str:
    """Return the path of py-spy. Raises `StartError` where it is not installed."""
    beside = Path(sys.executable).with_name("py-spy")
    found = str(beside) if beside.exists() else shutil.which("py-spy")
    if found is None:
        raise StartError(
            "--profile needs py-spy, which is not installed: pip install 'mqbridge[profile]'", WRONG_CONFIGURATION
        )
    return found


class Profile:
    """A profile of this process. ``log``: takes the id of an operator message and its inserts, in any thread.

    Raises `StartError` where py-spy is not installed.
    """

    def __init__(self, folder: Path, seconds: int, log: Callable[[str, tuple[str | int, ...]], None]) -> None:
        self._program = sampler()
        self._folder = folder
        self._seconds = seconds
        self._log = log
        self._process: subprocess.Popen[bytes] | None = None
        self._waiting: threading.Thread | None = None

    def start(self) -> None:
        """Begin to look; the table is written when the time is over."""
        samples = self._folder / f"profile-{time.strftime('%Y%m%d-%H%M%S', time.gmtime())}.folded"
        _let_be_read_by(_ANYBODY)
        words = [self._program, "record", "--pid", str(os.getpid()), "--duration", str(self._seconds)]
        words += ["--rate", str(RATE), "--format", "raw", "--function", "--full-filenames", "--threads"]
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            self._process = subprocess.Popen(
                [*words, "--output", str(samples)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except OSError as error:
            self._log("AMQ5162", (str(error),))
            return
        self._log("AMQ5160", (self._seconds,))
        self._waiting = threading.Thread(target=self._await, args=(self._process, samples), daemon=True)
        self._waiting.start()

    def end(self) -> None:
        """Have the table written now, of what was seen so far, and wait for it."""
        if self._process is None or self._waiting is None:
            return
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)
        self._waiting.join(_PATIENCE)
        if self._process.poll() is None:
            self._process.kill()

    def _await(self, process: subprocess.Popen[bytes], samples: Path) -> None:
        _, errors = process.communicate()
        _let_be_read_by(_NOBODY)
        try:
            with samples.open(encoding="utf-8", errors="replace") as lines:
                table = report(lines)
            target = samples.with_suffix(".txt")
            target.write_text("\n".join(table) + "\n", encoding="utf-8")
        except OSError as error:
            said = (line.strip() for line in errors.decode(errors="replace").splitlines())
            self._log("AMQ5162", (next(filter(None, said), str(error)),))
        else:
            self._log("AMQ5161", (str(target),))


def _let_be_read_by(whom: int) -> None:
    """Let other processes of the user read this one, or no longer, where Linux by itself would not (Yama)."""
    if sys.platform == "linux":
        libc: Any = ctypes.CDLL(None)
        libc.prctl(_SET_PTRACER, whom, 0, 0, 0)


def report(lines: Iterable[str]) -> list[str]:
    """Return the table of samples: a share for each thread, room and function. ``lines``: stacks from the outermost
    function in, ``;`` between them, and how often each was seen."""
    threads: Counter[str] = Counter()
    rooms: Counter[str] = Counter()
    functions: Counter[str] = Counter()
    for line in lines:
        stack, _, seen = line.rstrip().rpartition(" ")
        if not stack or not seen.isdigit():
            continue
        thread, *frames = stack.split(";")
        innermost = frames[-1] if frames else thread
        own = next((room for room in map(_room_of, reversed(frames)) if room), "(others)")
        count = int(seen)
        threads[thread] += count
        rooms[own] += count
        functions[_short(innermost)] += count
    total = threads.total()
    made = [f"{total} samples, {RATE} a second of each thread that ran"]
    for title, counter, most in (
        ("thread", threads, MOST_FUNCTIONS),
        ("room, with what it calls of others", rooms, MOST_FUNCTIONS),
        ("function", functions, MOST_FUNCTIONS),
    ):
        made += ["", f"  share  {title}"]
        made += [f"{100 * count / total:6.1f}%  {name}" for name, count in counter.most_common(most)]
    return made


def _room_of(frame: str) -> str:
    """Return the room of a function, by the file behind it; empty for what is not of mqbridge."""
    _, found, path = frame.rpartition("/mqbridge/")
    return ".".join(path.rstrip(")").split("/")[:-1][:_DEEPEST_ROOM]) or "mqbridge" if found else ""


def _short(frame: str) -> str:
    name, _, path = frame.partition(" (")
    return f"{name} ({path.rpartition('/mqbridge/')[2]}" if path else name
