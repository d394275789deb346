"""Rate from packets to segments with all fields of their headers, on one core, beside tshark.

    python bench/captures_segments.py            500,000 packets
    python bench/captures_segments.py --full     1,000,000 packets, more rounds

tshark prints the same fields of the same segments (``-T fields``), with its analysis of sequence numbers off. Both
programs are started anew for each round, in turn; times include the start. Ours keeps the fields in lists; "as text"
prints them in lines, as tshark does.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1]))

from captured_traffic import make_capture
from figures import figure, ratios
from measured_process import run

from mqbridge.captures import read_segment_columns

TO_REACH = 8
FIELDS = "packet time source destination struc_id seg_length conversation_id request_id byte_order segment_type"
FIELDS += " control_flags1 control_flags2 luwid encoding ccsid reserved"
TSHARK = "frame.number frame.time_epoch ip.src tcp.srcport ip.dst tcp.dstport"
TSHARK_HEADER = "structid seglength convid requestid byteorder type cflags1 cflags2 luwid encoding ccsid reserved"


def tshark_command(capture: str) -> list[str]:
    command = ["tshark", "-r", capture, "-o", "tcp.analyze_sequence_numbers:FALSE", "-Y", "mq", "-T", "fields"]
    for name in (*TSHARK.split(), *(f"mq.tsh.{name}" for name in TSHARK_HEADER.split())):
        command += ["-e", name]
    return command


def read(capture: str, *, text: bool) -> None:
    """The measured program."""
    fields = FIELDS.split()
    segments = 0
    for columns in read_segment_columns(capture, fields):
        segments += len(columns)
        if text:
            columns_of_text = [map(str, columns[name]) for name in fields]
            sys.stdout.writelines("\t".join(row) + "\n" for row in zip(*columns_of_text, strict=True))
        else:
            for name in fields:
                assert len(columns[name]) == len(columns)
    print(segments)


def measure(folder: Path, packets: int, rounds: int) -> None:
    """Print the table and the figure."""
    path = folder / "capture.pcap"
    packets = make_capture(path, packets=packets)
    capture = str(path)
    ours = [sys.executable, __file__, "--read", capture]
    found = int(run(ours, keep_output=True).output)
    shown = run(tshark_command(capture), keep_output=True).output.count(b"\n")
    assert found == shown, f"{found} segments here, {shown} lines of tshark"
    subjects = {"mqbridge": ours, "mqbridge, as text": [*ours, "--text"], "tshark": tshark_command(capture)}
    seconds: dict[str, list[float]] = {name: [] for name in subjects}
    for _ in range(rounds):
        for name, command in subjects.items():
            seconds[name].append(run(command).processor)
    print(f"{packets:,} packets, {path.stat().st_size / 1e6:,.0f} MB, {found:,} segments; processor time")
    medians = {name: statistics.median(measured) for name, measured in seconds.items()}
    for name, median in medians.items():
        print(f"  {name:20}{packets / median:12,.0f} packets/s{medians['tshark'] / median:8.1f}")
    times = ratios(seconds["tshark"], seconds["mqbridge"])
    figure("captures to headers of segments", "tshark -T fields", times, least=TO_REACH)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--full", action="store_true", help="a longer capture and more rounds")
    parser.add_argument("--read", metavar="CAPTURE", help=argparse.SUPPRESS)
    parser.add_argument("--text", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.read:
        read(arguments.read, text=arguments.text)
        return
    if shutil.which("tshark") is None:
        sys.exit("tshark is not installed")
    with tempfile.TemporaryDirectory(dir=".", prefix=".bench-captures-") as name:
        print("packets to segments with the fields of their headers, one core")
        measure(Path(name), *((1_000_000, 7) if arguments.full else (200_000, 7)))


if __name__ == "__main__":
    main()
