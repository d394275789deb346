"""Page that compares our implementation with real traffic: participants, equal fields, allowed differences and
reasons."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from mqbridge.captures.differential.comparison import KINDS, AnswerComparison
from mqbridge.captures.differential.masks import GIVEN_REASONS, Mask, Tally, tally


@dataclass(slots=True)
class TrafficComparison:
    """One kind of real traffic, and the implementation in its place.

    ``conversations``: their number. ``comparisons``: of all conversations. ``passed_over``: parts of the traffic that
    are not compared, and why, one sentence each.
    """

    traffic: str
    ours: str
    conversations: int
    comparisons: Sequence[AnswerComparison]
    masks: Sequence[Mask]
    passed_over: tuple[str, ...] = ()
    tally: Tally = field(init=False)

    def __post_init__(self) -> None:
        self.tally = Tally()
        for comparison in self.comparisons:
            self.tally.add(tally(comparison, self.masks))

    @property
    def segments(self) -> int:
        """Number of whole answers or requests of the real product that were compared."""
        return sum(comparison.answers for comparison in self.comparisons)


HEAD = """\
# Conformance with real traffic

What is known of the protocol stands on real bytes, and here our own machines are held against them. Where a real
product was recorded, ours takes its place: it is told what the other side had said, and each answer must be the
recorded one, segment by segment, structure by structure, field by field, headers and filling included. Values that a
server gives out (handles, ids, tokens, tags) are paired and must then be used throughout. What else may differ is
listed below, with the reason; a row that nothing needs, or a difference that no row allows, fails the tests.

`make conformance` writes this page from `tests/vectors`, and a test fails where it is out of date. The same comparison
judges any endpoint: `mqbridge replay capture.pcap --against host:1414` ([captures.md](captures.md)).
"""


def conformance_page(encounters: Sequence[TrafficComparison]) -> str:
    """Return the page ``docs/conformance.md``, Markdown."""
    lines = [HEAD]
    lines += _table(
        ("real traffic", "our part", "conversations", "segments", "fields", "equal", "allowed", "different"),
        (
            (
                one.traffic,
                one.ours,
                one.conversations,
                one.segments,
                one.tally.fields,
                one.tally.equal,
                one.tally.allowed.total(),
                len(one.tally.different),
            )
            for one in encounters
        ),
    )
    for one in encounters:
        lines += ["", f"## {one.traffic}: our {one.ours}", "", *one.passed_over, *([""] if one.passed_over else [])]
        lines += _table(("structure", "fields", "equal", "allowed", "different"), _by_structure(one))
        if one.tally.allowed:
            lines += ["", "What differs and may:", ""]
            lines += _table(("mask", "fields", "times", "reason"), _allowed(one))
        if one.tally.different:
            lines += ["", "What differs and may not:", ""]
            lines += [f"- {difference}" for difference in one.tally.different]
    return "\n".join(lines) + "\n"


def _by_structure(one: TrafficComparison) -> Iterator[tuple[object, ...]]:
    compared: Counter[str] = Counter()
    allowed: Counter[str] = Counter()
    different = Counter(each.structure for each in one.tally.different)
    for comparison in one.comparisons:
        for key, count in comparison.compared.items():
            compared[key.partition(".")[0]] += count
        for key, count in comparison.mapped.items():
            allowed[key.partition(".")[0]] += count
        for difference in comparison.differences:
            allowed[difference.structure] += 1
    allowed.subtract(Counter(each.structure for each in one.tally.different if each.field != KINDS))
    for structure in sorted(compared):
        equal = compared[structure] - allowed[structure] - different[structure]
        yield structure, compared[structure], equal, allowed[structure], different[structure]


def _allowed(one: TrafficComparison) -> Iterator[tuple[object, ...]]:
    times: Counter[tuple[str, str, str]] = Counter()
    for comparison in one.comparisons:
        for difference in [*comparison.order(), *comparison.differences]:
            mask = next((mask for mask in one.masks if mask.covers(difference)), None)
            if mask is not None:
                times[mask.name, _code(mask.fields), mask.reason] += 1
    given = one.tally.allowed.copy()
    for (name, _, _), count in times.items():
        given[name] -= count
    for name, count in given.items():
        if count:
            times[name, "wherever it is given or used", GIVEN_REASONS.get(name, "")] += count
    for (name, fields, reason), count in sorted(times.items()):
        yield name, fields, count, reason


def _code(fields: str) -> str:
    return ", ".join(f"`{each}`" for each in fields.split())


def _table(head: Sequence[str], rows: Iterator[tuple[object, ...]]) -> Iterator[str]:
    yield "| " + " | ".join(head) + " |"
    yield "|" + " --- |" * len(head)
    for row in rows:
        yield "| " + " | ".join(_cell(value) for value in row) + " |"


def _cell(value: object) -> str:
    text = f"{value:,}" if isinstance(value, int) else str(value)
    return text.replace("|", "\\|")
