"""Distribution of the server's processor time over its rooms, while Java programs with IBM's JMS client use it.

    python bench/shares.py            short rounds
    python bench/shares.py --full     longer ones

The rows are those of jms.py. Shown are user and system time of the whole process in microseconds a message (a round
trip for requests), and the share of each room: ``Twisted`` with sockets and our endpoints, ``codec`` (``protocol`` and
``mappings``: framing, structures, machines, descriptors), ``agents``, ``queue manager``, ``store`` with its writer
thread. Samples are taken each millisecond of processor time. There is no target.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from java_side import JavaClient, NoJava, build
from programs import ASKED, ASYNC, BATCH, CHANNEL, FLOW, OBJECTS, SIZE
from servers import Ours

ROOMS = ("Twisted", "codec", "agents", "queue manager", "store", "other")
ROWS = (
    (f"batches of {BATCH}, DEFPRESP(ASYNC)", 1, ("flow", ASYNC), (BATCH, 1)),
    (f"batches of {BATCH}", 1, ("flow", FLOW), (BATCH, 1)),
    ("each alone", 4, ("flow", FLOW), (0, 1)),
    (f"8 + 8, batches of {BATCH}, ASYNC", 1, ("flow", ASYNC), (BATCH, 8)),
    ("request and reply", 4, ("ask", ASKED), ("threads",)),
)
"""Name, divisor of the number of messages, and the round."""
LIMIT = 10.0


class Sampled(Ours):
    """Our server with the sampling profiler."""

    def launch(self, command: Sequence[str], environment: dict[str, str] | None = None) -> None:
        """Start it under the sampling profiler."""
        self.samples = self.folder / "samples.json"
        sampler = str(Path(__file__).with_name("sampled_server.py"))
        at = list(command).index("-m")
        super().launch(
            [*command[:at], sampler, *command[at + 2 :]],
            (environment or {}) | {"MQBRIDGE_SAMPLES": str(self.samples), "PYTHONPATH": os.pathsep.join(sys.path)},
        )

    def counted(self) -> dict[str, int]:
        """Samples by room since the last call."""
        self.samples.unlink(missing_ok=True)
        os.kill(self.process.pid, signal.SIGUSR1)
        until = time.monotonic() + LIMIT
        while not self.samples.exists():
            if time.monotonic() > until:
                raise SystemExit("the server does not say where it was")
            time.sleep(0.01)
        found: dict[str, int] = json.loads(self.samples.read_text(encoding="utf-8"))
        return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="longer rounds")
    options = parser.parse_args()
    try:
        build()
    except NoJava as error:
        print(f"shares: not measured, {error}")
        return 0
    count = 40_000 if options.full else 6_000
    with contextlib.ExitStack() as stack:
        server = Sampled(OBJECTS)
        stack.callback(server.close)
        client = JavaClient("ibm", server.port, CHANNEL)
        stack.callback(client.close)
        print(f"processor time of the server, us a message of {SIZE} bytes, and shares of it in percent")
        print(f"  {'':32}    us  " + "".join(f"{room:>15}" for room in ROOMS))
        for name, divisor, (what, queue), more in ROWS:
            messages = count // divisor
            client.round(what, queue, messages // 4, SIZE, *more)
            server.counted()
            before = server.processor()
            client.round(what, queue, messages, SIZE, *more)
            used = (server.processor() - before) / messages * 1e6
            found = server.counted()
            whole = sum(found.values()) or 1
            shares = "".join(f"{found.get(room, 0) / whole * 100:15.0f}" for room in ROOMS)
            print(f"  {name:32} {used:5.0f}  {shares}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
