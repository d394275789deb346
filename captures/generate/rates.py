"""Rates of detection and false alarms of rules, over many seeds, sizes and kinds of noise.

python -m mqbridge.captures.generate.rates --seeds 20
python -m mqbridge.captures.generate.rates C-201 C-3 --seeds 100
"""

from __future__ import annotations

import argparse
import io
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from mqbridge.captures.analysis import AnalysisOptions, analyse_file
from mqbridge.captures.generate.cases import NOT_OF_TRAFFIC, load
from mqbridge.captures.generate.scenario import Case, MadeCapture, Noise, capture_of
from mqbridge.captures.rules import load as load_rules
from mqbridge.captures.tables.rows import FindingRow

#: Effects of captures on packets, none of which may change a verdict.
NOISES: Final = {
    "as sent": Noise(),
    "each packet twice": Noise(duplicate=1.0),
    "out of order": Noise(reorder=0.5),
    "both": Noise(duplicate=0.5, reorder=0.5),
}
SIZES: Final = (1, 4, 20)
_FINDINGS: Final = AnalysisOptions(tables=frozenset(("findings",)))


class Verdict(NamedTuple):
    """Result for both sides of a case.

    ``found``: whether the rule had a finding at the mark (anywhere, without a mark). ``false``: whether it had one on
    the lawful traffic. ``details``: what is wrong, empty for a right verdict.
    """

    found: bool
    false: bool
    details: str


def findings_of(made: MadeCapture) -> list[FindingRow]:
    """Return all findings on a capture."""
    rows = analyse_file(io.BytesIO(made.data), _FINDINGS, keylog=made.keylog)
    return [row for row in rows if isinstance(row, FindingRow)]


def judge_case(number: str, case: Case, seed: int = 0, *, size: int = 1, noise: Noise | None = None) -> Verdict:
    """Run both sides of the case of a rule through the complete analysis."""
    positive = capture_of(case.positive, seed, size=size, noise=noise)
    said = [(row.flow, row.packet) for row in findings_of(positive) if row.rule == number]
    places = positive.truth.places
    found = bool(said) and all(
        any(place.flow == flow and place.first <= packet <= place.last for flow, packet in said) for place in places
    )
    negative = capture_of(case.negative, seed, size=size, noise=noise)
    wrong = [row for row in findings_of(negative) if row.rule == number]
    details = [] if found else [f"expected at {list(map(tuple, places))}, said at {said}"]
    details += [f"false alarm at {(row.flow, row.packet)}: expected {row.expected}; seen {row.seen}" for row in wrong]
    return Verdict(found, bool(wrong), "; ".join(details))


class Rate(NamedTuple):
    """Results of one rule: number of positive (and of negative) captures judged, of detections, and of false alarms;
    ``details``: the first wrong verdict."""

    number: str
    captures: int
    found: int
    false: int
    details: str


def measure(number: str, seeds: Iterable[int]) -> Rate:
    """Judge the case of a rule for each seed with every noise, with alternating sizes."""
    case = load()[number]
    captures = found = false = 0
    details = ""
    for seed in seeds:
        for name, noise in NOISES.items():
            size = SIZES[captures % len(SIZES)]
            verdict = judge_case(number, case, seed, size=size, noise=noise)
            captures += 1
            found += verdict.found
            false += verdict.false
            if verdict.details and not details:
                details = f"seed {seed}, size {size}, {name}: {verdict.details}"
    return Rate(number, captures, found, false, details)


def lines(rates: Iterable[Rate]) -> Iterator[str]:
    """Yield the table, one line per rule, and the totals."""
    titles = {number: row.title for number, row in load_rules().items()}
    yield f"{'rule':6} {'captures':>9} {'found':>8} {'false':>8}   title"
    captures = found = false = 0
    for rate in rates:
        captures, found, false = captures + rate.captures, found + rate.found, false + rate.false
        shares = f"{rate.found / rate.captures:8.1%} {rate.false / rate.captures:8.1%}"
        yield f"{rate.number:6} {rate.captures:9,} {shares}   {titles[rate.number]}"
        if rate.details:
            yield f"{'':6} {rate.details}"
    if captures:
        shares = f"{found / captures:8.1%} {false / captures:8.1%}"
        yield f"{'all':6} {captures:9,} {shares}   of captures with and without a fault"


def chosen(wanted: Sequence[str]) -> list[str]:
    """Return the numbers of rules with these prefixes, by default all, without rules that have no case."""
    numbers = [number for number in load_rules() if number not in NOT_OF_TRAFFIC]
    return [number for number in numbers if not wanted or number.startswith(tuple(wanted))]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the rates; return 1 if any verdict was wrong, 2 for wrong usage."""
    parser = argparse.ArgumentParser(
        prog="python -m mqbridge.captures.generate.rates", description=__doc__.partition("\n")[0]
    )
    parser.add_argument("rules", nargs="*", help="numbers, or how they begin; all when none is given")
    parser.add_argument("--seeds", type=int, default=5, help="captures of each kind and noise (5)")
    asked = parser.parse_args(arguments)
    if asked.seeds < 1:
        parser.error("at least one seed is needed")
    numbers = chosen(asked.rules)
    if not numbers:
        parser.error(f"no rule begins with {' or '.join(asked.rules)}")
    wrong = False
    rates = []
    for number in numbers:
        rate = measure(number, range(asked.seeds))
        wrong |= rate.found != rate.captures or rate.false > 0
        rates.append(rate)
    for line in lines(rates):
        sys.stdout.write(line + "\n")
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main())
