"""Messages of devices to a gateway over HTTP, beside TCP: the device's own adapters, 200 bytes, each on disk once.

    python bench/everyplace_http.py            three rounds that count
    python bench/everyplace_http.py --full     nine, with more messages

Devices with a file each, in one process, put their messages without a connection; then they are opened with one, and
send: from there to the empty queue of the last one, with greeting and proof of the key. MQ's queue is in the process of
the gateway, of which there are two, one with a listener for HTTP. The gateways sync, the devices do not, so that the
way is what is measured. Rounds alternate; the first warms up.
"""

from __future__ import annotations

import argparse
import contextlib
import statistics
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

sys.path.insert(0, str(Path(__file__).parent))

from everyplace_gateway import NAME, Gateway
from everyplace_up import OBJECTS
from figures import figure, ratios

from mqbridge.bridge.everyplace import secrets
from mqbridge.bridge.everyplace.definitions.connection_definition import ConnectionDefinition
from mqbridge.bridge.everyplace.device.device_file import Gateway as Way
from mqbridge.everyplace import QueueManager
from mqbridge.protocol.everyplace.token import Token

DEVICES: Final = 4
SIZE: Final = 200
TARGET: Final = "ORDERS@BENCH"
TO_REACH: Final = 0.4
LIMIT: Final = 120.0


class Fleet:
    """Devices of one adapter, and their gateway."""

    def __init__(self, folder: Path, adapter: str) -> None:
        self._gateway = Gateway(folder, adapter, OBJECTS)
        self.close = self._gateway.close
        self._files = []
        endpoint = f"127.0.0.1:{self._gateway.port}"
        for name, text in self._gateway.enrol([f"D{number}" for number in range(DEVICES)]).items():
            way = Way(
                ConnectionDefinition(NAME, adapter, endpoint), ("BENCH",), {secrets.KEY: Token.parse(text).key(name)}
            )
            file = folder / f"{adapter}-{name}.mqe"
            QueueManager.create(file, name, way, connect=False).close()
            self._files.append(file)

    def round(self, each: int) -> float:
        """Send so many messages from each device. Returns messages a second."""
        for file in self._files:
            with QueueManager.open(file, connect=False) as device:
                device._engine.store._file.connection.execute("PRAGMA synchronous = OFF")
                for _ in range(each):
                    device.put(TARGET, bytes(SIZE))
        began = time.monotonic()
        with ThreadPoolExecutor(DEVICES) as pool:
            ended = max(pool.map(_send, self._files))
        return each * DEVICES / (ended - began)


def _send(file: Path) -> float:
    """Send what waits. Returns when nothing did any more. Raises `TimeoutError`."""
    with QueueManager.open(file) as device:
        device._engine.store._file.connection.execute("PRAGMA synchronous = OFF")
        engine, until = device._engine, time.monotonic() + LIMIT
        while device.view.waiting("BENCH"):
            with engine.lock:
                engine.wait_changed(engine.changes, 0.1)
            if time.monotonic() > until:
                raise TimeoutError(f"{file.name} does not send")
        return time.monotonic()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="more and longer rounds")
    rounds, each = (9, 2_000) if parser.parse_args().full else (3, 500)
    print(f"everyplace_http: {DEVICES} devices, {SIZE} bytes, {each} messages of each")
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="mqbridge-bench-")))
        fleets = {}
        for adapter in ("tcp", "http"):
            fleets[adapter] = Fleet(folder, adapter)
            stack.callback(fleets[adapter].close)
        found: dict[str, list[float]] = {adapter: [] for adapter in fleets}
        for number in range(rounds + 1):
            for adapter in fleets if number % 2 else reversed(fleets):
                rate = fleets[adapter].round(each)
                if number:
                    found[adapter].append(rate)
    for adapter, rates in found.items():
        print(f"  {adapter:<5} {statistics.median(rates):9,.0f}/s")
    figure("devices by HTTP", "TCP", ratios(found["http"], found["tcp"]), least=TO_REACH)
    return 0


if __name__ == "__main__":
    sys.exit(main())
