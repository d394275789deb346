"""Every rule of the catalogue finds what breaks it at the right packet, and is silent at the nearest lawful traffic."""

from __future__ import annotations

import pytest

from mqbridge.captures.generate.cases import NOT_OF_TRAFFIC, load
from mqbridge.captures.generate.rates import NOISES, SIZES, judge_case, lines, main, measure
from mqbridge.captures.rules import CATALOGUE
from mqbridge.captures.rules import load as load_rules

load_rules()
CASES = load()
NUMBERS = [number for number in CATALOGUE if number not in NOT_OF_TRAFFIC]
NOISY = [name for name in NOISES if name != "as sent"]


@pytest.mark.parametrize(
    "number", [pytest.param(number, marks=pytest.mark.spec(CATALOGUE[number].spec)) for number in NUMBERS]
)
def test_a_rule_speaks_where_it_should_and_nowhere_else(number: str) -> None:
    assert number in CASES, f"rule {number} ({CATALOGUE[number].title}) has no case in captures/generate/cases"
    verdict = judge_case(number, CASES[number])
    assert verdict.found, verdict.details
    assert not verdict.false, verdict.details


@pytest.mark.parametrize("number", NUMBERS)
def test_noise_and_size_change_no_verdict(number: str) -> None:
    place = NUMBERS.index(number)
    noise = NOISES[NOISY[place % len(NOISY)]]
    verdict = judge_case(number, CASES[number], seed=place + 1, size=SIZES[place % len(SIZES)], noise=noise)
    assert verdict.found, verdict.details
    assert not verdict.false, verdict.details


def test_every_case_is_of_a_rule() -> None:
    assert set(CASES) <= set(CATALOGUE)
    assert set(CATALOGUE) >= set(NOT_OF_TRAFFIC)


def test_rates_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["C-201", "--seeds", "2"]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert printed[1].split() == ["C-201", "8", "100.0%", "0.0%", *CATALOGUE["C-201"].title.split()]
    assert printed[-1].startswith("all")


@pytest.mark.parametrize("arguments", [["C-8"], ["C-201", "--seeds", "0"]])
def test_rates_of_nothing_are_refused(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    capsys.readouterr()


def test_a_wrong_verdict_is_shown(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(CASES, "C-201", type(CASES["C-201"])(CASES["C-201"].negative, CASES["C-201"].positive))
    rate = measure("C-201", range(1))
    assert (rate.captures, rate.found, rate.false) == (4, 0, 4)
    assert any("false alarm at" in line for line in lines([rate]))
    assert main(["C-201", "--seeds", "1"]) == 1
    capsys.readouterr()
