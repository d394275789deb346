"""A study: what a codec in C would bring. Heads of put calls, read by a small module in C and by ours.

    python bench/native.py            short rounds
    python bench/native.py --full     longer ones

What is read are the bytes of IBM's JMS client in the recording ``async`` of `calls`: segments are cut, and of each
MQPUT the descriptor, the options and the place of the data are found. Ours are `protocol.framing` and `read_put_head`,
in the build that runs. The module in C is compiled in a folder that is deleted afterwards; it needs a C compiler and
the headers of Python. Both must find the same.
"""

from __future__ import annotations

import argparse
import importlib.util
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from calls_recording import CALLS
from calls_replay import Replay
from compiled import BUILD
from figures import figure, ratios, skipped

from mqbridge.protocol.constants import ControlFlags1, SegmentType
from mqbridge.protocol.framing import LARGEST_SEGMENT, SegmentReader
from mqbridge.protocol.mqi.message_heads import read_put_head
from mqbridge.protocol.structures.pmo import PMO_SIZES

NAME = "heads of puts"
SOURCE = Path(__file__).parent / "native" / "heads.c"
PUTS = 1_000
ROUNDS = 7


def compiled_module(folder: Path) -> ModuleType:
    """Compile and load the module in C. Raises ``OSError`` or ``CalledProcessError`` where that does not work."""
    target = folder / f"heads{sysconfig.get_config_var('EXT_SUFFIX')}"
    compiler = (sysconfig.get_config_var("CC") or "cc").split()[0]
    include = f"-I{sysconfig.get_path('include')}"
    subprocess.run([compiler, "-O2", "-shared", "-fPIC", include, str(SOURCE), "-o", str(target)], check=True)
    spec = importlib.util.spec_from_file_location("heads", target)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def ours(data: bytes) -> list[tuple[Any, ...]]:
    """What the module in C finds, by our codec."""
    found = []
    for segment in SegmentReader(LARGEST_SEGMENT).feed(data):
        head: tuple[Any, ...] | None = None
        if segment.type == SegmentType.MQPUT and segment.flags1 & ControlFlags1.FIRST:
            _, descriptor, options, at, length = read_put_head(segment.body_view, segment.order, segment.type)
            head = descriptor, options.record.options, at, length
        ids = segment.conversation_id, segment.request_id
        found.append((segment.type, *ids, segment.flags1, segment.start, segment.length, head))
    return found


def seconds(read: Callable[[bytes], list[tuple[Any, ...]]], reads: list[bytes], times: int) -> float:
    """Processor time for reading all, so many times."""
    began = time.process_time()
    for _ in range(times):
        for data in reads:
            read(data)
    return time.process_time() - began


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--full", action="store_true")
    times = 50 if parser.parse_args().full else 10
    reads = Replay(CALLS["async"]).prepare(PUTS)
    with tempfile.TemporaryDirectory(prefix="mqbridge-bench-") as folder:
        try:
            heads = compiled_module(Path(folder)).heads
        except (OSError, subprocess.CalledProcessError) as problem:
            skipped(NAME, "C", str(problem))
            return 0
        sizes = tuple(PMO_SIZES[version] for version in sorted(PMO_SIZES))

        def native(data: bytes) -> list[tuple[Any, ...]]:
            found: list[tuple[Any, ...]] = heads(data, sizes)
            return found

        segments = [each for data in reads for each in ours(data)]
        if segments != [each for data in reads for each in native(data)]:
            print("the module in C finds something else", file=sys.stderr)
            return 1
        puts = sum(each[-1] is not None for each in segments)
        taken: dict[str, list[float]] = {"ours": [], "C": []}
        for _ in range(ROUNDS):
            taken["ours"].append(seconds(ours, reads, times))
            taken["C"].append(seconds(native, reads, times))
    print(f"{len(segments):,} segments with {puts:,} puts of 2 KiB, {BUILD}")
    for name, rounds in taken.items():
        each = statistics.median(rounds) / puts / times * 1e6
        print(f"  {name:5} {each:6.2f} us a put with its share of other segments")
    figure(NAME, "the same in C", ratios(taken["ours"], taken["C"]), lower=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
