"""A thousand devices inside TLS that do nothing: memory of each at the gateway, and the processor that they take.

    python bench/everyplace_idle.py            1,000 devices, 5 seconds
    python bench/everyplace_idle.py --full     30 seconds

Each device is connected, has sent one message, and waits for messages with a pull that the gateway keeps. Memory is
RssAnon of the gateway, less that before they came.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from everyplace_gateway import FleetProcess, Gateway
from figures import figure
from idle import room_for
from workers import memory

DEVICES = 1_000
MEMORY_TO_REACH, PROCESSOR_TO_REACH = 100, 5.0
"""KiB a device; percent of one processor."""
SETTLED = 2.0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="longer")
    parser.add_argument("--devices", type=int, default=DEVICES)
    options = parser.parse_args()
    seconds = 30 if options.full else 5
    room_for(options.devices + 100)
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="mqbridge-bench-")))
        gateway = Gateway(folder, "tls")
        stack.callback(gateway.close)
        gateway.enrol(["SINK"])
        before = memory(gateway.server.process.pid)["RssAnon"]
        began = time.monotonic()
        fleet = FleetProcess(gateway, options.devices, "Q@SINK", pulls=True)
        stack.callback(fleet.close)
        took = time.monotonic() - began
        fleet.ask({"idle": SETTLED})
        used = gateway.server.processor()
        fleet.ask({"idle": seconds})
        share = (gateway.server.processor() - used) / seconds * 100
        each = (memory(gateway.server.process.pid)["RssAnon"] - before) / options.devices / 1024
    print(f"everyplace_idle: {options.devices:,} devices inside TLS, enrolled and connected in {took:.1f} s")
    figure("idle device inside TLS, memory", "", [each], least=MEMORY_TO_REACH, unit="KiB", lower=True)
    figure(f"{options.devices:,} idle devices", "", [share], least=PROCESSOR_TO_REACH, unit="%", lower=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
