"""Figures of benches: median, spread, what is reached, missed or unsure, and the table."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from itertools import count, repeat
from pathlib import Path
from typing import Any, NamedTuple

import pytest


@pytest.fixture
def figures(bench: Callable[[str], Any]) -> Any:
    return bench("figures")


@pytest.fixture
def rounds(bench: Callable[[str], Any]) -> Any:
    return bench("rounds")


@pytest.mark.parametrize(
    ("values", "spread"),
    [([5.0], 0.0), ([2.0, 2.0, 2.0], 0.0), ([1.0, 2.0, 3.0, 4.0, 5.0], 2 / 3), ([0.0, 0.0], 0.0)],
)
def test_the_spread_is_that_of_the_middle_half(figures: Any, values: list[float], spread: float) -> None:
    assert figures.spread_of(values) == pytest.approx(spread)


def test_one_odd_round_does_not_make_a_figure_unsure(figures: Any) -> None:
    assert figures.spread_of([1.0, 1.01, 1.02, 0.99, 0.98, 1.0, 9.0]) < 0.05


def test_ratios_are_those_of_each_round(figures: Any) -> None:
    assert figures.ratios([1.0, 2.0, 3.0], [2.0, 0.0, 2.0]) == [0.5, 1.5]
    with pytest.raises(ValueError):
        figures.ratios([1.0], [])


@pytest.mark.parametrize(
    ("given", "verdict"),
    [
        ({"value": 1.2, "least": 0.5, "goal": 1.0}, "goal"),
        ({"value": 1.0, "least": 0.5, "goal": 1.0}, "goal"),
        ({"value": 0.7, "least": 0.5, "goal": 1.0}, "reached"),
        ({"value": 0.5, "least": 0.5}, "reached"),
        ({"value": 0.4, "least": 0.5, "goal": 1.0}, "missed by 20%"),
        ({"value": 60.0, "least": 120, "goal": 60, "lower": True}, "goal"),
        ({"value": 100.0, "least": 120, "goal": 60, "lower": True}, "reached"),
        ({"value": 150.0, "least": 120, "goal": 60, "lower": True}, "missed by 25%"),
        ({"value": 1.2, "spread": 0.25, "least": 0.5}, "reached"),
        ({"value": 1.2, "spread": 0.26, "least": 0.5}, "unsure"),
        ({"value": 0.9, "goal": 1.0}, "goal missed"),
        ({"value": 0.9}, ""),
        ({"skipped": "no Java", "least": 0.5}, "skipped: no Java"),
    ],
)
def test_what_a_figure_says(figures: Any, given: dict[str, Any], verdict: str) -> None:
    assert figures.Figure("name", "peer", **given).verdict == verdict


def test_the_table_has_all_figures_of_the_file(
    figures: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "figures"
    monkeypatch.setenv("MQBRIDGE_FIGURES", str(file))
    figures.figure("JMS 1+1", "Artemis", [0.4, 0.41, 0.42], least=0.5, goal=1.0)
    figures.figure("channel, fast", "", [44_500.0], least=44_000, goal=80_000, unit="/s")
    figures.skipped("JMS 8+8", "RabbitMQ", "rabbitmq-server\nis not installed", least=0.8, goal=1.2)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].strip() == "= JMS 1+1: 0.41 of Artemis, spread 0.02; at least 0.50, goal 1.00: missed by 18%"
    assert [json.loads(line)["name"] for line in file.read_text().splitlines()] == [
        "JMS 1+1",
        "channel, fast",
        "JMS 8+8",
    ]
    head, rule, *rows = figures.table(figures.load(file)).splitlines()
    assert head.split() == ["figure", "peer", "ratio", "spread", "at", "least", "goal", "what", "is", "missed"]
    assert set(rule) == {"-"}
    assert [" ".join(row.split()) for row in rows] == [
        "JMS 1+1 Artemis 0.41 0.02 0.50 1.00 missed by 18%",
        "channel, fast 44,500 /s 0.00 44,000 80,000 reached",
        "JMS 8+8 RabbitMQ - - 0.80 1.20 skipped: rabbitmq-server is not installed",
    ]


def test_without_a_file_a_figure_is_printed_alone(figures: Any, capsys: pytest.CaptureFixture[str]) -> None:
    figures.figure("codec", "Construct", [90.0], least=80)
    assert "codec: 90 of Construct" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("rates", "steady"),
    [
        ([100.0, 100.0], False),
        ([100.0, 102.0, 104.0], True),
        ([100.0, 105.0, 100.0], False),
        ([10.0, 50.0, 100.0, 101.0, 99.0], True),
    ],
)
def test_a_program_is_warm_when_its_last_rounds_are_alike(rounds: Any, rates: list[float], steady: bool) -> None:
    assert rounds.is_steady(rates) is steady


def test_warming_up_ends_when_steady_or_after_so_many_rounds(rounds: Any) -> None:
    rates = iter([1.0, 2.0, 3.0, 3.0, 3.0, 3.0])
    assert rounds.warm(rates.__next__, 10)
    assert list(rates) == [3.0]
    growing = iter(range(1, 100))
    assert not rounds.warm(growing.__next__, 4)
    assert next(growing) == 5


def test_rounds_alternate(rounds: Any) -> None:
    assert list(rounds.alternating("abc", 3)) == list("abccbaabc")


def test_ways_are_warmed_up_and_then_alternate(rounds: Any, capsys: pytest.CaptureFixture[str]) -> None:
    class Round(NamedTuple):
        rate: float

    order: list[str] = []

    def way(name: str, rates: Iterator[float]) -> Callable[[], Round]:
        return lambda: order.append(name) or Round(next(rates))  # type: ignore[func-returns-value]

    ways = {"steady": way("steady", repeat(5.0)), "growing": way("growing", (2.0**each for each in count()))}
    found = rounds.collect(ways, 2, 4)
    assert order == ["steady"] * 3 + ["growing"] * 4 + ["steady", "growing", "growing", "steady"]
    assert found == {"steady": [(5.0,), (5.0,)], "growing": [(16.0,), (32.0,)]}
    assert "not steady after 4 rounds: growing" in capsys.readouterr().out
