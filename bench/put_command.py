"""Rate of ``mqbridge put`` and ``mqbridge get`` with a running queue manager, start-up included.

python bench/put_command.py            10,000 messages of 2 KiB
python bench/put_command.py --full     100,000
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from figures import figure

SIZE = 2048
TO_REACH = 5_000
START_LIMIT = 30.0
COMMAND = [sys.executable, "-m", "mqbridge"]


def started(folder: Path) -> subprocess.Popen[bytes]:
    """Start a queue manager on a free port and wait until it accepts connections."""
    ready = folder / "ready.json"
    arguments = ["run", "--data", str(folder / "data"), "--listen", "tcp:0:interface=127.0.0.1"]
    arguments += ["--ready-file", str(ready)]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen([*COMMAND, *arguments], stdout=log, stderr=log)
    until = time.monotonic() + START_LIMIT
    while not ready.exists():
        if process.poll() is not None or time.monotonic() > until:
            sys.exit((folder / "log").read_text(encoding="utf-8"))
        time.sleep(0.02)
    return process


def timed(folder: Path, *arguments: str) -> float:
    """Run a command. Returns its seconds."""
    environment = {**os.environ, "MQBRIDGE_DATA": str(folder / "data")}
    begin = time.perf_counter()
    subprocess.run([*COMMAND, *arguments], env=environment, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - begin


def measure(folder: Path, count: int) -> float:
    """Print a table; returns the rate of persistent puts."""
    rates = {}
    process = started(folder)
    try:
        timed(folder, "mqsc", "-e", "ALTER QLOCAL(DEV.QUEUE.1) MAXDEPTH(999999)")
        for kind in ("persistent", "non-persistent"):
            put = timed(folder, "put", "DEV.QUEUE.1", "--count", str(count), "--size", str(SIZE), f"--{kind}")
            get = timed(folder, "get", "DEV.QUEUE.1", "--all")
            rates[kind] = count / put
            print(f"  {kind:15} put {count / put:8,.0f}  get {count / get:8,.0f} a second")
    finally:
        process.terminate()
        process.wait()
    return rates["persistent"]


def main() -> None:
    parser = argparse.ArgumentParser(description="rates of mqbridge put and mqbridge get")
    parser.add_argument("--full", action="store_true", help="ten times as many messages")
    options = parser.parse_args()
    count = 100_000 if options.full else 10_000
    with tempfile.TemporaryDirectory(dir=".", prefix=".bench-put-") as name:
        print(f"the commands, {count:,} messages of {SIZE:,} bytes")
        rate = measure(Path(name).resolve(), count)
    figure("mqbridge put", "", [rate], least=TO_REACH, unit="/s")


if __name__ == "__main__":
    main()
