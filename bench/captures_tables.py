"""Rate from packets to all tables as Parquet, with all fields of all segments, on one core.

    python bench/captures_tables.py            60,000 packets
    python bench/captures_tables.py --full     200,000 packets, more rounds

The same capture is read by readers made once for each layout, by the general dissection of ``mqbridge decode``, and by
tshark, which prints all fields without any verdict (``-T json``, ``-T ek``). All programs are started anew for each
round, in turn; wall time includes the start, and processor time is shown as well. Both readers of ours must write the
same tables.
"""

from __future__ import annotations

import argparse
import gc
import shutil
import statistics
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1]))

from measured_process import run
from mixed_capture import make_capture

GENERAL, JSON, EK = "the general way", "tshark -T json", "tshark -T ek"
COLLECT_EVERY = 100_000


def write_tables(capture: str, folder: str, *, general: bool) -> None:
    """The measured program."""
    from mqbridge.captures.analysis import ALL_TABLES, AnalysisOptions, analyse_file, segment_rows
    from mqbridge.captures.tables.parquet import ParquetTables

    gc.freeze()
    gc.set_threshold(COLLECT_EVERY)  # as in mqbridge replay
    if general:
        from mqbridge.protocol.dissection.quick_segments import general_structures

        segment_rows.quick_structures = general_structures
    with ParquetTables(folder, ALL_TABLES) as tables:
        for row in analyse_file(capture, AnalysisOptions(tables=ALL_TABLES)):
            tables.write(row)


def compare(folders: list[Path], segments: int) -> None:
    """Exit if the tables differ."""
    import pyarrow.parquet as pq

    quick, general = folders
    for path in sorted(quick.iterdir()):
        table = pq.read_table(path)
        assert table.equals(pq.read_table(general / path.name)), f"{path.name} differs"
        if path.stem == "segments":
            assert table.num_rows == segments, f"{table.num_rows} segments found, {segments} are there"


def measure(folder: Path, packets: int, rounds: int) -> None:
    """Print the table."""
    path = folder / "capture.pcap"
    written = make_capture(path, packets)
    packets, segments = written.packets, written.segments
    folders = [folder / "quick", folder / "general"]
    ours = [sys.executable, __file__, "--write", str(path)]
    shark = ["tshark", "-n", "-r", str(path), "-T"]
    subjects = {
        "mqbridge": [*ours, str(folders[0])],
        GENERAL: [*ours, str(folders[1]), "--general"],
        JSON: [*shark, "json"],
        EK: [*shark, "ek"],
    }
    seconds: dict[str, list[float]] = {name: [] for name in subjects}
    for _ in range(rounds):
        for name, command in subjects.items():
            seconds[name].append(run(command).processor)
    compare(folders, segments)
    print(f"{packets:,} packets, {path.stat().st_size / 1e6:,.0f} MB, {segments:,} segments; processor time")
    medians = {name: statistics.median(measured) for name, measured in seconds.items()}
    for name, median in medians.items():
        ratio = median / medians["mqbridge"]
        rate = f"{packets / median:12,.0f} packets/s{path.stat().st_size / median / 1e6:8.1f} MB/s"
        print(f"  {name:20}{rate}{ratio:8.1f} times the time")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--full", action="store_true", help="a longer capture")
    parser.add_argument("--write", nargs=2, metavar=("CAPTURE", "FOLDER"), help=argparse.SUPPRESS)
    parser.add_argument("--general", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.write:
        write_tables(*arguments.write, general=arguments.general)
        return
    if shutil.which("tshark") is None:
        sys.exit("tshark is not installed")
    with tempfile.TemporaryDirectory(dir=".", prefix=".bench-captures-") as name:
        print("packets to all tables as Parquet, one core")
        measure(Path(name), *((200_000, 3) if arguments.full else (60_000, 1)))


if __name__ == "__main__":
    main()
