"""Rate from packets to findings and a table of messages, on one core, beside tshark with all fields.

    python bench/captures_findings.py            60,000 packets
    python bench/captures_findings.py --full     200,000 packets

The traffic of message channels and clients is made by our own machines. Both programs are started anew for each round,
in turn; wall time includes the start, and processor time is shown as well. Ours reassembles, applies all rules, and
makes the rows of findings and messages, with descriptor, header chain and SHA-256 of each body; tshark dissects
segments and descriptors (``-T json`` as data, ``-V`` as text) without any verdict.
"""

from __future__ import annotations

import argparse
import gc
import shutil
import statistics
import sys
import tempfile
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from measured_process import run
from mixed_capture import make_capture

from mqbridge.captures.analysis import AnalysisOptions, analyse_file

TO_REACH = 5
COLLECT_EVERY = 100_000
WANTED = frozenset(("findings", "messages"))


def read(capture: str) -> None:
    """The measured program."""
    gc.freeze()
    gc.set_threshold(COLLECT_EVERY)  # as in mqbridge replay
    print(Counter(type(row).__name__ for row in analyse_file(capture, AnalysisOptions(tables=WANTED)))["MessageRow"])


def measure(folder: Path, packets: int, rounds: int) -> None:
    """Print the table, and beside each peer whether the figure was reached."""
    path = folder / "capture.pcap"
    written = make_capture(path, packets)
    packets, messages = written.packets, written.messages
    ours = [sys.executable, __file__, "--read", str(path)]
    found = int(run(ours, keep_output=True).output)
    assert found == messages, f"{found} messages found, {messages} are there"
    shark = ["tshark", "-n", "-r", str(path)]
    subjects = {"mqbridge": ours, "tshark -T json": [*shark, "-T", "json"], "tshark -V": [*shark, "-V"]}
    seconds: dict[str, list[float]] = {name: [] for name in subjects}
    for _ in range(rounds):
        for name, command in subjects.items():
            seconds[name].append(run(command).processor)
    print(f"{packets:,} packets, {path.stat().st_size / 1e6:,.0f} MB, {messages:,} messages; processor time")
    medians = {name: statistics.median(measured) for name, measured in seconds.items()}
    for name, median in medians.items():
        ratio = median / medians["mqbridge"]
        verdict = "" if name == "mqbridge" else "  reached" if ratio >= TO_REACH else "  NOT REACHED"
        print(f"  {name:20}{packets / median:12,.0f} packets/s{ratio:8.1f} times the time{verdict}")
    print(f"(to reach: {TO_REACH} times each)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--full", action="store_true", help="a longer capture")
    parser.add_argument("--read", metavar="CAPTURE", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.read:
        read(arguments.read)
        return
    if shutil.which("tshark") is None:
        sys.exit("tshark is not installed")
    with tempfile.TemporaryDirectory(dir=".", prefix=".bench-captures-") as name:
        print("packets to findings and a table of messages, one core")
        measure(Path(name), *((200_000, 3) if arguments.full else (60_000, 3)))


if __name__ == "__main__":
    main()
