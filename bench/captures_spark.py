"""Scaling of Spark from one core to two, from packets to findings, beside a plain pool of processes.

    python bench/captures_spark.py            24 files of 1 MB, one of 40 MB
    python bench/captures_spark.py --full     1,000 files of 1 MB, one of 1 GB

All rounds run in one warm session and one warm pool, in turn; both run the same function on the same pieces: captures
grouped, or divided by flows, and analysed, with the findings returned. One core is Spark with one job at a time, where
the large capture is not divided.
"""

from __future__ import annotations

import argparse
import multiprocessing
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from multiprocessing.pool import Pool
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from figures import figure, ratios

sys.path.insert(0, str(Path(__file__).parents[1]))

from mqbridge.captures.analysis import AnalysisOptions
from mqbridge.captures.generate import ChannelTraffic, ClientTraffic, Replica, Scenario
from mqbridge.captures.spark import session
from mqbridge.captures.spark.replaying import piles_of, replay_paths
from mqbridge.captures.spark.spark_worker import packed_pieces, summary_rows, unpack_rows
from mqbridge.captures.tables import FindingRow, FlowRow

CORES = 2
OF_THE_POOL = 0.8
OF_ONE_CORE = 1.6
FINDINGS = AnalysisOptions(tables=frozenset(("findings",)))
MB = 1_000_000


def make(folder: Path, files: int, large: int) -> dict[str, str]:
    """Make captures of channels and clients: small files with some messages each, a large one with some hundred."""
    many = folder / "many"
    many.mkdir()
    replica = replica_of(messages=3)
    for number in range(files):
        with (many / f"{number:04}.pcap").open("wb") as file:
            replica.write(file, size=MB)
    one = folder / "one.pcap"
    with one.open("wb") as file:
        replica_of(messages=200).write(file, size=large)
    return {f"{files:,} files of 1 MB": str(many), f"one file of {large // MB:,} MB": str(one)}


def replica_of(messages: int) -> Replica:
    """Two channels and two clients with so many messages each."""
    channels = [ChannelTraffic(sizes=[500] * messages)] * 2
    clients = [ClientTraffic(puts=[500] * (messages // 2), gets=messages // 2)] * 2
    return Replica(Scenario(seed=1, channels=channels, clients=clients).builder().connections)


def do(pieces: list[Any]) -> list[bytes]:
    """What a process of the pool does with a pile: what a worker of Spark does."""
    return list(packed_pieces(pieces, FINDINGS))


def by_pool(pool: Pool, path: str) -> Iterator[FindingRow]:
    from mqbridge.captures.spark.paths import find_captures

    piles = piles_of(find_captures([path]), CORES)
    flows: list[FlowRow] = []
    for pile, packed in zip(piles, pool.imap(do, [pile.pieces for pile in piles]), strict=True):
        rows = [row for each in packed for row in unpack_rows(each)]
        yield from (row for row in rows if isinstance(row, FindingRow))
        if pile.divided:
            flows += (row for row in rows if isinstance(row, FlowRow))
        if pile.last:
            found = summary_rows(AnalysisOptions(pile.divided, FINDINGS.tables), pile.summary, flows)
            yield from (row for row in found if isinstance(row, FindingRow))
            flows = []


def timed(run: Callable[[], Any]) -> tuple[float, int]:
    begin = time.perf_counter()
    found = sum(1 for _ in run())
    return time.perf_counter() - begin, found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--full", action="store_true", help="1,000 files of 1 MB and one of 1 GB")
    parser.add_argument("--rounds", type=int, default=1)
    arguments = parser.parse_args()
    files, large = (1000, 1000 * MB) if arguments.full else (24, 40 * MB)
    print(f"packets to findings with Spark, {CORES} cores, warm session")
    with (
        multiprocessing.get_context("fork").Pool(CORES) as pool,  # before there is a Java
        tempfile.TemporaryDirectory(dir=".", prefix=".bench-captures-") as name,
    ):
        captures = make(Path(name), files, large)
        spark = session(f"local[{CORES}]")
        for what, path in captures.items():
            runs: dict[str, Callable[[], Any]] = {
                "Spark, one core": partial(replay_paths, [path], FINDINGS, spark=spark, at_once=1),
                f"Spark, {CORES} cores": partial(replay_paths, [path], FINDINGS, spark=spark),
                f"Pool({CORES})": partial(by_pool, pool, path),
            }
            measure(what, runs, arguments.rounds)
        spark.stop()


def measure(what: str, runs: dict[str, Callable[[], Any]], rounds: int) -> None:
    """Print the rows of one set of captures and the figures."""
    seconds: dict[str, list[float]] = {name: [] for name in runs}
    found = set()
    for number in range(rounds + 1):
        for name, run in runs.items():
            taken, findings = timed(run)
            found.add(findings)
            if number:  # the first round warms
                seconds[name].append(taken)
    assert len(found) == 1, f"not the same findings: {found}"
    one, two, pool = seconds.values()
    print(f"  {what}, {found.pop():,} findings")
    for name, measured in seconds.items():
        print(f"    {name:20}{statistics.median(measured):8.2f} s")
    figure(f"captures on Spark, {CORES} cores, {what}", "a pool of processes", ratios(pool, two), least=OF_THE_POOL)
    figure(f"captures on Spark, {CORES} cores, {what}", "one core", ratios(one, two), least=OF_ONE_CORE)


if __name__ == "__main__":
    main()
