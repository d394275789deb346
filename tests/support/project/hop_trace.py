"""Runs a queue manager and notes by which functions one message comes in and goes out: what docs/architecture.md lists.

``python hop_trace.py FOLDER``: as ``mqbridge run`` in that folder; while ``FOLDER/watch`` is there, the stack of
project functions is kept at each point where a message, its row or its outcome is handed on. At the end they lie in
``FOLDER/stacks.json``: (thread, point, functions from the outermost on).
"""

from __future__ import annotations

import atexit
import json
import os
import runpy
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from types import FrameType
from typing import Any

ROOMS = ("protocol", "mappings", "bridge")
OUTSIDE = ("bridge/cli/", "bridge/endpoints/lean_reactor.py", "bridge/endpoints/accepted_sockets.py")
"""Who starts the reactor, its loop and its transports, which stand in for those of Twisted."""
CALLED = {
    "place": "bridge/queue_manager/putting/placing.py",
    "take_first": "bridge/queue_manager/queues/local_queue.py",
    "queue": "protocol/channel/wire.py",
    "dataReceived": "bridge/endpoints/channel_protocol.py",
}
"""Functions whose call is a point."""
CALLS = {
    "put": "bridge/endpoints/writer.py",
    "fdatasync": "bridge/store/",
    "send": "bridge/endpoints/accepted_sockets.py",
}
"""Functions of Python whose call by a project function is a point."""
EVENTS = ("Put", "MessagesWanted")
"""Events of the machine whose making is a point."""
PATIENCE = 30.0
STORED = 0.5
"""Seconds in which the store has done what a get that was answered asks of it."""


def place_of(code: Any) -> str:
    """The file of a function from its room on, blank outside the rooms."""
    parts = Path(code.co_filename).parts
    if "site-packages" in parts or "mqbridge" not in parts:
        return ""
    at = len(parts) - 1 - parts[::-1].index("mqbridge")
    return "/".join(parts[at + 1 :]) if parts[at + 1] in ROOMS else ""


def functions(frame: FrameType | None) -> list[str]:
    found = []
    while frame is not None:
        place = place_of(frame.f_code)
        if place and not place.startswith(OUTSIDE):
            found.append(f"{place}:{frame.f_code.co_name}")
        frame = frame.f_back
    return found[::-1]


def trace(folder: Path) -> None:
    """Runs the queue manager, for the process of `main`."""
    kept: list[tuple[str, str, list[str]]] = []
    watch = str(folder / "watch")

    def profile(frame: FrameType, event: str, argument: Any) -> None:
        name = frame.f_code.co_name
        point, maker = "", frame.f_back
        if event == "call":
            if name == "__init__" and type(frame.f_locals.get("self")).__name__ in EVENTS:
                if maker is not None and maker.f_code.co_name != "__init__":  # not the base class's part of it
                    point, frame = "event", maker
            elif name in CALLED and place_of(frame.f_code) == CALLED[name]:
                point = name
        elif event == "c_call" and argument.__name__ in CALLS:
            outer: FrameType | None = frame
            while outer is not None and not place_of(outer.f_code):
                outer = outer.f_back
            if outer is not None and place_of(outer.f_code).startswith(CALLS[argument.__name__]):
                point = argument.__name__
        if point and os.path.exists(watch):
            kept.append((threading.current_thread().name, point, functions(frame)))

    def end() -> None:
        sys.setprofile(None)
        (folder / "stacks.json").write_text(json.dumps(kept))

    atexit.register(end)
    threading.setprofile(profile)
    sys.setprofile(profile)
    sys.argv = ["mqbridge", "run", "--data", str(folder / "data"), "--listen", "tcp:0:interface=127.0.0.1"]
    sys.argv += ["--ready-file", str(folder / "ready")]
    runpy.run_module("mqbridge", run_name="__main__")


def stacks_of(kind: str) -> list[tuple[str, str, list[str]]]:
    """The stacks of one ``put`` or ``get`` of a persistent message, by our own client."""
    import mqbridge

    with tempfile.TemporaryDirectory(prefix="mqbridge-hops-") as name:
        folder = Path(name)
        log = (folder / "log").open("wb")
        process = subprocess.Popen([sys.executable, __file__, str(folder)], stdout=log, stderr=log)
        try:
            deadline = time.monotonic() + PATIENCE
            while not (folder / "ready").exists():
                assert process.poll() is None, (folder / "log").read_text()
                assert time.monotonic() < deadline, "the queue manager does not start"
                time.sleep(0.05)
            port = json.loads((folder / "ready").read_text())["listeners"][0]["port"]
            with mqbridge.connect(f"mq://127.0.0.1:{port}/MQBRIDGE") as manager:
                queue = manager.queue("DEV.QUEUE.1")
                for _ in range(3):
                    queue.put("before", persistent=True)
                assert queue.get(wait=5)
                (folder / "watch").touch()
                if kind == "put":
                    queue.put("followed", persistent=True)
                else:
                    assert queue.get(wait=5)
                time.sleep(STORED)
                (folder / "watch").unlink()
        finally:
            process.terminate()
            process.wait()
            log.close()
        return [(thread, point, stack) for thread, point, stack in json.loads((folder / "stacks.json").read_text())]


def hops(stacks: list[tuple[str, str, list[str]]]) -> list[str]:
    """Every function that handed something on, once, in order; what the store's thread does follows what it is given,
    whatever the reactor's has done meanwhile."""
    stored = [stack for thread, _, stack in stacks if thread != "MainThread"]
    found: dict[str, None] = {}
    for thread, point, stack in stacks:
        if thread == "MainThread":
            found.update(dict.fromkeys(stack))
            for behind in stored if point == "put" else ():
                found.update(dict.fromkeys(behind))
    return list(found)


if __name__ == "__main__":
    trace(Path(sys.argv[1]))
