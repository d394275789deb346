"""What came to the queue manager of a simulated run is a list, which can be stored and played again."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from mqbridge.bridge.queue_manager import committing
from mqbridge.bridge.queue_manager.connections import Connection
from support.simulation.client_scenario import ClientScenario
from support.simulation.program import commit_and_leave
from support.simulation.recording import Asks, Life, Writes, differences, load, save

HOME = Path(__file__).parents[2]

pytestmark = pytest.mark.interpreted("recording replaces methods of sessions")


@pytest.mark.parametrize("seed", range(20))
def test_a_run_that_is_played_again_has_the_same_outcomes_and_rows(seed: int, tmp_path: Path) -> None:
    problems, lives = ClientScenario(seed).run_recorded()
    assert not problems
    save(lives, tmp_path / "lives")
    again = load(tmp_path / "lives")
    assert [len(life.steps) for life in again] == [len(life.steps) for life in lives]
    assert differences(again) == []


def test_recording_changes_nothing() -> None:
    plain, recorded = ClientScenario(3), ClientScenario(3)
    assert plain.run() == recorded.run_recorded()[0]
    assert plain.events == recorded.events


def test_a_failing_run_fails_again_when_it_is_played_and_not_once_the_fault_is_mended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Connection, "lost", commit_and_leave)
    problems: list[str] = []
    lives: list[Life] = []
    for seed in range(20):
        problems, lives = ClientScenario(seed).run_recorded()
        if problems:
            break
    assert problems
    assert differences(lives) == []
    monkeypatch.undo()
    assert differences(lives)


def test_a_queue_manager_that_works_otherwise_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    _, lives = ClientScenario(1).run_recorded()
    original = committing.with_backout
    monkeypatch.setattr(committing, "with_backout", lambda row: original(original(row)))
    assert differences(lives)


@pytest.mark.parametrize("kind", [Asks, Writes])
def test_every_step_counts(kind: type[Asks | Writes]) -> None:
    _, lives = ClientScenario(1).run_recorded()
    (life,) = lives
    places = [index for index, step in enumerate(life.steps) if isinstance(step, kind)]
    for index in places[:: max(1, len(places) // 5)]:
        without = Life(life.name, life.start, life.tables, life.steps[:index] + life.steps[index + 1 :], life.seen)
        assert differences([without]), life.steps[index]


def test_the_command_records_and_plays(tmp_path: Path) -> None:
    command = [sys.executable, "tests/simulation/simulate.py"]
    file = str(tmp_path / "lives")
    made = [*command, "--clients", "--seed", "4", "--record", file]
    assert "nothing is wrong" in subprocess.run(made, cwd=HOME, check=True, capture_output=True, text=True).stdout
    played = subprocess.run([*command, "--play", file], cwd=HOME, check=True, capture_output=True, text=True)
    assert played.stdout == "the same outcomes, the same rows\n"
