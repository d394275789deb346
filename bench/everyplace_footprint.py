"""What a device costs: memory with TLS and 10,000 messages that wait, size of ``mqe.pyz``, start to first put.

    python bench/everyplace_footprint.py            five starts
    python bench/everyplace_footprint.py --full     twenty-one

The device is ``mqe.pyz`` in a process of its own; EARTH is another one, which takes the connection over TLS and
refuses the messages, so that they stay. Memory is the resident set that Linux tells; beside it that of Python with
`sqlite3` and `ssl` imported and nothing done.
"""

from __future__ import annotations

import argparse
import contextlib
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
sys.path.insert(0, str(Path(__file__).parents[1] / "packaging"))

from cryptography.hazmat.primitives.serialization import Encoding
from device import write_archive
from measured_process import run

from mqbridge.bridge.everyplace.definitions.connection_definition import ConnectionDefinition
from mqbridge.bridge.everyplace.definitions.listener_definition import ListenerDefinition
from mqbridge.bridge.everyplace.device.device_file import Gateway
from mqbridge.everyplace import QueueManager
from mqbridge.protocol.everyplace.token import fingerprint_of
from support.processes.ports import free_port
from support.tls.authority import Authority

WAITING, SIZE = 10_000, 200
MEMORY, ARCHIVE, START = 30, 300, 0.3
"""MiB, KiB, seconds."""
IDLE = "import sqlite3, ssl; print(flush=True); input()"
EARTH = """
import sys
from mqbridge.everyplace import QueueManager
with QueueManager.open(sys.argv[1]):
    print(flush=True)
    sys.stdin.readline()
"""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--full", action="store_true")
    starts = 21 if parser.parse_args().full else 5
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        archive = folder / "mqe.pyz"
        modules = write_archive(archive)
        size = archive.stat().st_size / 1024
        print(f"mqe.pyz: {size:.0f} KiB, {len(modules)} modules (at most {ARCHIVE} KiB)")
        took = [first_put(archive, folder / f"start{number}.mqe") for number in range(starts)]
        seconds, processor = (statistics.median(each[place] for each in took) for place in (0, 1))
        print(
            f"start to first put: {seconds:.2f} s, {processor:.2f} s of processor time, median of {starts} "
            f"(at most {START} s)"
        )
        port = free_port()
        issued = Authority().issue("O=Space,CN=EARTH", hosts=())
        listener = ListenerDefinition(
            "TLS", "tls", f"127.0.0.1:{port}", certificate=issued.certificates_pem.decode(), key=issued.key_pem.decode()
        )
        key = {"key": bytes(32), "fingerprint": fingerprint_of(issued.certificate.public_bytes(Encoding.DER))}
        with QueueManager.create(folder / "earth.mqe", "EARTH", connect=False) as earth:
            earth.definitions.define(listener)
            earth.definitions.keep_secret("MOON", "key", bytes(32))
        gateway = Gateway(ConnectionDefinition("EARTH", "tls", f"localhost:{port}"), (), key)
        with QueueManager.create(folder / "moon.mqe", "MOON", gateway, connect=False) as moon:
            moon._engine.store._file.connection.execute("PRAGMA synchronous = OFF")
            for _ in range(WAITING):
                moon.put("MISSING@EARTH", bytes(SIZE))
        stack.enter_context(running([sys.executable, "-c", EARTH, str(folder / "earth.mqe")]))
        idle = stack.enter_context(running([sys.executable, "-I", "-S", "-c", IDLE]))
        device = stack.enter_context(
            running([sys.executable, "-I", "-S", str(archive), "run", str(folder / "moon.mqe")], stderr=subprocess.PIPE)
        )
        # EARTH has looked at a batch over TLS when the device says what is refused.
        assert device.stderr is not None
        assert any(b"MISSING@EARTH" in line for line in device.stderr), "the device has ended"
        found, bare = resident(device.pid), resident(idle.pid)
    print(
        f"memory with TLS and {WAITING:,} messages of {SIZE} bytes: {found:.1f} MiB (at most {MEMORY} MiB); "
        f"Python with sqlite3 and ssl: {bare:.1f} MiB"
    )


def first_put(archive: Path, file: Path) -> tuple[float, float]:
    """Seconds, and seconds of processor time, of a command that puts a message."""
    base = [sys.executable, "-I", "-S", str(archive)]
    subprocess.run([*base, "create", str(file)], check=True, stdout=subprocess.DEVNULL)
    taken = run([*base, "put", str(file), "SYSTEM.DEFAULT.LOCAL.QUEUE", "x"])
    return taken.wall, taken.processor


@contextlib.contextmanager
def running(words: list[str], stderr: int = subprocess.DEVNULL) -> Iterator[subprocess.Popen[bytes]]:
    """A process that has said its first line."""
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr) as process:
        assert process.stdout is not None
        process.stdout.readline()
        try:
            yield process
        finally:
            process.kill()


def resident(process: int) -> float:
    """Resident memory of a process in MiB."""
    text = Path(f"/proc/{process}/status").read_text(encoding="ascii")
    line = next(each for each in text.splitlines() if each.startswith("VmRSS:"))
    return int(line.split()[1]) / 1024


if __name__ == "__main__":
    main()
