"""The catalogue of rules: how it is filled, and that every row says what a reader needs."""

from __future__ import annotations

import re

import pytest

from mqbridge.captures.rules import CATALOGUE, Deviation, Judge, Rule, Severity, load, rule
from mqbridge.protocol.direction import Direction
from mqbridge.protocol.observer import BytesLost, Observer, Place
from support.project.citations import load_notes
from support.project.spec_coverage import resolve

ROWS = list(load().values())
NUMBER = re.compile(r"C-[0-79]\d\d")
NOTES = load_notes()
PLACE = Place(12.5, 7, 0)


def test_the_catalogue_is_in_the_order_of_the_numbers() -> None:
    assert list(CATALOGUE) == sorted(CATALOGUE)
    assert load() is CATALOGUE


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.number)
def test_a_row_says_what_a_reader_needs(row: Rule) -> None:
    assert NUMBER.fullmatch(row.number)
    assert row.title[0].isupper()
    assert not row.title.endswith(".")
    assert resolve(row.spec, NOTES)  # raises for a section that the notes do not have
    expected, _, seen = row.example.partition("; seen: ")
    assert expected.startswith("expected: ")
    assert len(expected) > len("expected: ")
    assert seen
    assert row.explanation


def test_titles_tell_rules_apart() -> None:
    titles = [row.title for row in ROWS]
    assert len(set(titles)) == len(titles)


def test_a_number_is_given_once() -> None:
    def again(seen: BytesLost, connection: Observer) -> None: ...

    with pytest.raises(ValueError, match="C-201"):
        rule("C-201", Severity.INFO, "Again", spec="channels.md 5")(again)


def test_a_rule_says_what_it_watches() -> None:
    def blind(seen: int, connection: Observer) -> None: ...

    with pytest.raises(TypeError, match="watches"):
        rule("C-299", Severity.INFO, "Blind", spec="channels.md 5")(blind)
    assert "C-299" not in CATALOGUE


def row(judge: object) -> Rule:
    return Rule("C-299", Severity.INFO, "Title", "channels.md 5", "expected: a; seen: b", BytesLost, judge)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("verdict", "count"),
    [(None, 0), (Deviation("a", "b"), 1), ([Deviation("a", "b"), Deviation("a", "b")], 2), (iter(()), 0)],
)
def test_a_judge_takes_every_kind_of_verdict(verdict: object, count: int) -> None:
    seen = BytesLost(Direction.INITIATOR, PLACE, 10)
    found = Judge([row(lambda seen, connection: verdict)]).judge([seen], Observer(), 3)
    assert found == count * [("C-299", Severity.INFO, 3, 7, 12.5, "Title", "a", "b", "channels.md 5")]
