"""Results of playing captures to an endpoint, as tables for the terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from mqbridge.captures.against import PlayedFlow
from mqbridge.captures.differential import GIVEN_REASONS, KINDS, Difference, Tally, shown_value
from mqbridge.captures.differential.known_masks import ANY_ENDPOINT

MAX_SHOWN: Final = 200
"""Maximum number of differences printed; --json prints all."""
_OUTCOME: Final = ("API.CompCode", "API.Reason", "XA.ReturnValue")


def print_report(target: str, flows: Sequence[PlayedFlow]) -> None:
    """Print how many fields of each flow are equal, allowed and different, and the differences."""
    console = Console(highlight=False)
    table = Table(title=f"Played against {target}", title_justify="left")
    for column in ("flow", "segments played", "equal", "allowed", "different"):
        table.add_column(column, justify="right")
    whole = Tally()
    for flow in flows:
        whole.add(flow.tally)
        table.add_row(*map(str, (flow.number, flow.played, *_counts(flow.tally))))
    table.add_section()
    table.add_row("all", str(sum(flow.played for flow in flows)), *map(str, _counts(whole)))
    console.print(table)
    if whole.allowed:
        reasons = Table(title="Allowed", title_justify="left")
        for column in ("mask", "fields", "reason"):
            reasons.add_column(column)
        for name, count in sorted(whole.allowed.items()):
            reasons.add_row(name, str(count), _reason(name))
        console.print(reasons)
    for flow in flows:
        for note in flow.notes:
            console.print(f"flow {flow.number}: {note}", markup=False)
    if not whole.different:
        console.print("No answer is different.")
        return
    shown = Table(title="Different", title_justify="left")
    for column in ("flow", "segment", "field", "recorded", "seen"):
        shown.add_column(column, overflow="fold")
    rows = _rows(whole.different)
    for row in rows[:MAX_SHOWN]:
        shown.add_row(*row)
    console.print(shown)
    if len(rows) > MAX_SHOWN:
        console.print(f"… and {len(rows) - MAX_SHOWN} more lines; --json has all of it")


def _rows(different: Sequence[Difference]) -> list[tuple[str, ...]]:
    """Return the differences as table rows; for an answer with another outcome, only that and the number of resulting
    differences."""
    failed = {(each.socket, each.segment) for each in different if each.field in _OUTCOME}
    rows: dict[tuple[Any, ...], tuple[str, ...]] = {}
    follow: Counter[tuple[int, int]] = Counter()
    for place, each in enumerate(different):
        answer = each.socket, each.segment
        if each.segment and answer in failed and each.field not in (*_OUTCOME, KINDS):
            follow[answer] += 1
            rows[answer] = (*map(str, answer), f"and what follows in this answer: {follow[answer]} fields", "", "")
            continue
        values = (_cell(shown_value(value, secret=each.secret)) for value in (each.recorded, each.ours))
        rows[(*answer, place)] = (str(each.socket), str(each.segment or ""), f"{each.structure}.{each.name}", *values)
    return list(rows.values())


def _counts(tally: Tally) -> tuple[int, int, int]:
    return tally.equal, tally.allowed.total(), len(tally.different)


def _cell(value: Any) -> str:
    return "—" if value is None else escape(str(value))


def _reason(name: str) -> str:
    given = GIVEN_REASONS.get(name)
    return given or next((mask.reason for mask in ANY_ENDPOINT if mask.name == name), "fewer or more were needed")
