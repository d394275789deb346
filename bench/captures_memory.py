"""Memory needed for large captures, beside tshark.

    python bench/captures_memory.py            a capture of 200 MB, and one of a quarter of it
    python bench/captures_memory.py --full     2 GB, and a quarter of it

A file is read in four ways, each in a process of its own: headers of all segments as columns, all segments with their
bodies, the index for dividing a capture into many parts, and one of two shares. The capture is made first and deleted
afterwards.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1]))

from captured_traffic import make_capture
from figures import figure
from measured_process import run

from mqbridge.captures import index_capture, read_segment_columns, read_segments
from mqbridge.captures.indexing import share_flows

TO_REACH = 500
NEARLY_FLAT = 1.5  # of a file four times as long
CONNECTIONS = 1000


def read_columns(capture: str) -> None:
    for columns in read_segment_columns(capture):
        for name in columns.fields:
            assert len(columns[name]) == len(columns)


def read_bodies(capture: str) -> None:
    for _ in read_segments(capture):
        pass


def index(capture: str) -> None:
    assert len(index_capture(capture).flows) == CONNECTIONS


def share(capture: str) -> None:
    for _ in share_flows(capture, 2)[0].read():
        pass


WAYS = {"columns": read_columns, "segments": read_bodies, "index": index, "share": share}


def measure(folder: Path, size: int) -> None:
    """Print the table and the figures."""
    memory: dict[str, list[int]] = {}
    for part in (size // 4, size):
        path = folder / "capture.pcap"
        packets = make_capture(path, size=part, connections=CONNECTIONS, messages=True)
        capture = str(path)
        print(f"{part / 1e6:,.0f} MB, {packets:,} packets, {CONNECTIONS:,} connections")
        commands = {name: [sys.executable, __file__, "--read", name, capture] for name in WAYS}
        if shutil.which("tshark") is not None:
            options = ["-o", "tcp.analyze_sequence_numbers:FALSE", "-Y", "mq", "-T", "fields", "-e", "mq.tsh.type"]
            commands["tshark"] = ["tshark", "-r", capture, *options]
        for name, command in commands.items():
            taken = run(command)
            memory.setdefault(name, []).append(taken.memory)
            print(f"  {name:10}{taken.memory / (1 << 20):8,.0f} MiB at most{taken.processor:9,.1f} s processor time")
        path.unlink()
    for way in WAYS:
        quarter, whole = memory[way]
        figure(f"captures, {way}: memory", "", [whole / (1 << 20)], least=TO_REACH, unit="MiB", lower=True)
        name, peer = f"captures, {way}: memory", "a file of a quarter"
        figure(name, peer, [whole / quarter], least=NEARLY_FLAT, lower=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--full", action="store_true", help="a capture of 2 GB")
    parser.add_argument("--read", nargs=2, metavar=("WAY", "CAPTURE"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.read:
        WAYS[arguments.read[0]](arguments.read[1])
        return
    with tempfile.TemporaryDirectory(dir=".", prefix=".bench-captures-") as name:
        print("memory that captures take")
        measure(Path(name), 2_000_000_000 if arguments.full else 200_000_000)


if __name__ == "__main__":
    main()
