"""The program behind `forked_starts`: imports all of mqbridge, then forks one process per request.

Requests come over a Unix socket, which is its standard input, as JSON in one packet each. A request with ``ended`` asks
for the exit status of a process that is gone. Any other one brings three descriptors, which become the standard streams
of a new process, which runs a module as ``python -m`` does; the answer is its process id.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import resource
import runpy
import signal
import socket
import sys
from typing import Any

from mqbridge.bridge import cli

LONGEST = 1 << 20
"""Bytes of a request."""
MODULES = (
    *(f"mqbridge.bridge.cli.{name}" for name in cli.COMMANDS),
    "mqbridge.bridge.service",
    "mqbridge.bridge.service.everyplace",
    "mqbridge.bridge.store.lmdb",
    "twisted.internet.epollreactor",
)


def become(request: dict[str, Any], streams: list[int]) -> None:
    """In the new process: run the module."""
    for number, descriptor in enumerate(streams):
        os.dup2(descriptor, number)
    for descriptor in streams:
        os.close(descriptor)
    os.chdir(request["folder"])
    os.environ.clear()
    os.environ.update(request["environment"])
    if request["descriptors"] is not None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (request["descriptors"],) * 2)
    sys.stdin = os.fdopen(0, encoding=sys.stdin.encoding, errors=sys.stdin.errors, closefd=False)
    sys.stdout = os.fdopen(1, "w", encoding=sys.stdout.encoding, errors=sys.stdout.errors, closefd=False)
    sys.stderr = os.fdopen(2, "w", 1, sys.stderr.encoding, sys.stderr.errors, closefd=False)
    sys.path[:0] = [os.getcwd(), *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    sys.argv = ["", *request["arguments"]]
    runpy.run_module(request["module"], run_name="__main__", alter_sys=True)


def main() -> None:
    for name in MODULES:
        importlib.import_module(name)
    assert "twisted.internet.reactor" not in sys.modules  # each process needs one of its own
    gc.collect()
    gc.freeze()
    with socket.socket(fileno=os.dup(0)) as asking:
        while True:
            packet, streams, _, _ = socket.recv_fds(asking, LONGEST, 3)
            if not packet:
                break
            request = json.loads(packet)
            if "ended" in request:
                answer = os.waitstatus_to_exitcode(os.waitpid(request["ended"], 0)[1])
            else:
                importlib.import_module(request["module"])
                answer = os.fork()
                if answer == 0:
                    asking.close()
                    become(request, streams)
                    return
                for descriptor in streams:
                    os.close(descriptor)
            asking.send(b"%d" % answer)
    os.killpg(0, signal.SIGKILL)  # whoever asked is gone without a word


if __name__ == "__main__":
    main()
