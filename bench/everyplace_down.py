"""Messages of MQ to devices: how old they are when they arrive; and how long a killed gateway is missed.

    python bench/everyplace_down.py            1,000 devices inside TLS, 5 seconds
    python bench/everyplace_down.py --full     30 seconds

A program puts 200 messages a second for devices in turn; each device waits with a pull. The age counts from the put to
the message on the device's queue. Then each device has ten messages that wait, the gateway is killed and started again,
and the time is taken from the kill until all messages are on disk at the gateway.
"""

from __future__ import annotations

import argparse
import contextlib
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from everyplace_gateway import FleetProcess, Gateway
from figures import figure
from idle import room_for

import mqbridge

DEVICES = 1_000
RATE = 200
P99_TO_REACH = 100.0
BACK_TO_REACH, BACK_GOAL = 30.0, 10.0
WAITING = 10


def feed(port: int, count: int) -> None:
    """Put messages for devices, on a schedule."""
    with mqbridge.connect(f"mq://127.0.0.1:{port}/BENCH") as manager:
        began = time.time()
        for number in range(count):
            time.sleep(max(0.0, began + number / RATE - time.time()))
            text = f"{time.time():.6f}"
            manager.put("REPLIES", text, queue_manager=f"D{number % DEVICES}", persistent=True, syncpoint=False)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="longer")
    options = parser.parse_args()
    count = RATE * (30 if options.full else 5)
    room_for(DEVICES + 100)
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="mqbridge-bench-")))
        gateway = Gateway(folder, "tls")
        stack.callback(gateway.close)
        gateway.enrol(["SINK"])
        fleet = FleetProcess(gateway, DEVICES, "Q@SINK", pulls=True)
        stack.callback(fleet.close)
        fleet.ask({"idle": 2.0})
        fleet.ask({"arrivals": count})
        feed(gateway.server.port, count)
        ages = sorted(fleet.answer()["ages"])
        fleet.tell({"size": 200, "each": WAITING, "put": True})
        gateway.kill()
        began = time.monotonic()
        fleet.answer()
        gateway.restart()
        started = time.monotonic() - began
        fleet.ask({"drain": True})
        back = time.monotonic() - began
    p99 = ages[int(len(ages) * 0.99)] * 1000
    print(f"everyplace_down: {DEVICES:,} devices inside TLS, {RATE} messages a second from MQ, {count:,} messages")
    print(
        f"  age at arrival     median {statistics.median(ages) * 1000:.1f} ms, p99 {p99:.1f} ms, "
        f"most {ages[-1] * 1000:.1f} ms"
    )
    print(
        f"  gateway killed     runs again after {started:.1f} s; all {DEVICES * WAITING:,} messages there "
        f"after {back:.1f} s"
    )
    figure("message of MQ to a device, p99", "", [p99], least=P99_TO_REACH, unit="ms", lower=True)
    figure("gateway killed: all back", "", [back], least=BACK_TO_REACH, goal=BACK_GOAL, unit="s", lower=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
