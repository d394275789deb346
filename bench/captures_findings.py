"""Rate from packets to findings and a table of messages, on one core, beside tshark.

    python bench/captures_findings.py            20,000 packets
    python bench/captures_findings.py --full     200,000 packets

The traffic of message channels and clients is made by our own machines. Both programs are started anew for each round,
in turn; wall time includes the start, and processor time is shown as well. Ours reassembles, applies all rules, and
makes the rows of findings and messages, with descriptor, header chain and SHA-256 of each body; tshark dissects
segments and descriptors without any verdict: all fields (``-T json`` as data, ``-V`` as text), or those of headers and
descriptors that the table of messages has (``-T fields``).
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

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1]))

from figures import figure, ratios, skipped
from measured_process import run
from mixed_capture import make_capture
from rounds import alternating

from mqbridge.captures.analysis import AnalysisOptions, analyse_file

TARGETS = {"tshark -T json": (5, None), "tshark -V": (5, 10), "tshark -T fields": (3, 6)}
"""How many times its rate is to be reached, and the goal."""
FIELDS = "frame.number frame.time_epoch ip.src tcp.srcport ip.dst tcp.dstport"
HEADER = "structid seglength convid requestid byteorder type cflags1 cflags2 luwid encoding ccsid"
DESCRIPTOR = "version report msgtype expiry feedback encoding ccsid format priority persistence msgid correlid backount"
DESCRIPTOR += " replytoq replytoqmgr userid appltype applname date time groupid msgseqnumber offset msgflags origlength"
COLLECT_EVERY = 100_000
WANTED = frozenset(("findings", "messages"))


def read(capture: str) -> None:
    """The measured program."""
    gc.freeze()
    gc.set_threshold(COLLECT_EVERY)  # as in mqbridge replay
    print(Counter(type(row).__name__ for row in analyse_file(capture, AnalysisOptions(tables=WANTED)))["MessageRow"])


def measure(folder: Path, packets: int, rounds: int) -> None:
    """Print the table and the figures."""
    path = folder / "capture.pcap"
    written = make_capture(path, packets)
    packets, messages = written.packets, written.messages
    ours = [sys.executable, __file__, "--read", str(path)]
    found = int(run(ours, keep_output=True).output)
    assert found == messages, f"{found} messages found, {messages} are there"
    shark = ["tshark", "-n", "-r", str(path)]
    fields = [*FIELDS.split(), *(f"mq.tsh.{name}" for name in HEADER.split())]
    fields += [f"mq.md.{name}" for name in DESCRIPTOR.split()]
    subjects = {"mqbridge": ours, "tshark -T json": [*shark, "-T", "json"], "tshark -V": [*shark, "-V"]}
    subjects["tshark -T fields"] = [
        *shark,
        "-Y",
        "mq",
        "-T",
        "fields",
        *(word for each in fields for word in ("-e", each)),
    ]
    seconds: dict[str, list[float]] = {name: [] for name in subjects}
    for name in alternating(list(subjects), rounds):
        seconds[name].append(run(subjects[name]).processor)
    print(f"{packets:,} packets, {path.stat().st_size / 1e6:,.0f} MB, {messages:,} messages; processor time")
    medians = {name: statistics.median(measured) for name, measured in seconds.items()}
    for name, median in medians.items():
        print(f"  {name:20}{packets / median:12,.0f} packets/s{median / medians['mqbridge']:8.1f} times the time")
    for name, (least, goal) in TARGETS.items():
        figure(
            "captures to findings and messages",
            name,
            ratios(seconds[name], seconds["mqbridge"]),
            least=least,
            goal=goal,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--full", action="store_true", help="a longer capture")
    parser.add_argument("--read", metavar="CAPTURE", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.read:
        read(arguments.read)
        return
    if shutil.which("tshark") is None:
        for name, (least, goal) in TARGETS.items():
            skipped("captures to findings and messages", name, "tshark is not installed", least=least, goal=goal)
        return
    with tempfile.TemporaryDirectory(dir=".", prefix=".bench-captures-") as name:
        print("packets to findings and a table of messages, one core")
        measure(Path(name), *((200_000, 7) if arguments.full else (20_000, 7)))


if __name__ == "__main__":
    main()
