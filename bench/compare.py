"""Compare benches of this checkout with those of another one, in alternating rounds: the ratio of every figure.

    python bench/compare.py OTHER codec store channel            three rounds of each
    python bench/compare.py OTHER codec --rounds 7 -- --full     options behind -- go to the benches

OTHER is a folder with another checkout and its environment (``make .venv/.tested`` there). A figure is a number in a
line that both print, whatever it measures; the first round of each warms up and does not count. Under each line stand
the figures of this checkout that change (medians), and in brackets their ratio to the other's: median and spread.
"""

from __future__ import annotations

import argparse
import re
import statistics
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

HOME = Path(__file__).parents[1]
_NUMBER = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?(?![\w.])")

Lines = dict[str, list[float]]


def figures(text: str) -> Lines:
    """Numbers of each line, by the line with ``#`` for them; of lines that are alike the first counts."""
    found: Lines = {}
    for line in text.splitlines():
        line = line.partition("; at least ")[0]  # behind it stands a verdict
        numbers = [float(each.replace(",", "")) for each in _NUMBER.findall(line)]
        if numbers:
            found.setdefault(" ".join(_NUMBER.sub("#", line).split()), numbers)
    return found


def run(checkout: Path, bench: str, options: list[str]) -> Lines:
    """The figures of one run. Raises ``CalledProcessError`` where the bench fails."""
    command = [str(checkout / ".venv/bin/python"), f"bench/{bench}.py", *options]
    return figures(subprocess.run(command, cwd=checkout, check=True, stdout=subprocess.PIPE, text=True).stdout)


def compare(other: Path, bench: str, rounds: int, options: list[str]) -> None:
    """Run a bench here and there, and print its lines."""
    ours, theirs = defaultdict[str, list[list[float]]](list), defaultdict[str, list[list[float]]](list)
    for number in range(rounds + 1):
        turns = [(HOME, ours), (other, theirs)]
        for checkout, found in turns if number % 2 else reversed(turns):
            for line, numbers in run(checkout, bench, options).items():
                if number:
                    found[line].append(numbers)
    print(f"{bench}: {rounds} rounds", flush=True)
    for line, mine in ours.items():
        other_runs = theirs[line]
        if len(mine) == len(other_runs) == rounds and len({len(run) for run in (*mine, *other_runs)}) == 1:
            columns = zip(zip(*mine, strict=True), zip(*other_runs, strict=True), strict=True)
            cells = [cell(*each) for each in columns if len({*each[0], *each[1]}) > 1]
            print(f"  {line}\n      {'  '.join(cells)}" if cells else f"  {line}", flush=True)


def cell(mine: tuple[float, ...], theirs: tuple[float, ...]) -> str:
    """One figure: its median here, and the ratios of the rounds."""
    median = f"{statistics.median(mine):,.6g}"
    if not all(theirs):
        return median
    ratios = sorted(ours / other for ours, other in zip(mine, theirs, strict=True))
    return f"{median} ({statistics.median(ratios):.2f}, {ratios[0]:.2f} to {ratios[-1]:.2f})"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("other", type=Path, help="folder of the other checkout")
    parser.add_argument("benches", nargs="+", help="names of programs in bench/, without .py")
    parser.add_argument("--rounds", type=int, default=3, help="rounds that count")
    options = sys.argv[1:]
    at = options.index("--") if "--" in options else len(options)
    given = parser.parse_args(options[:at])
    for bench in given.benches:
        compare(given.other.resolve(), bench, given.rounds, options[at + 1 :])
    return 0


if __name__ == "__main__":
    sys.exit(main())
