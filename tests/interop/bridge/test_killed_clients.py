"""SIGKILL while clients work at a queue manager on disk: units of work and branches over real sockets."""

from __future__ import annotations

import random
import sys
from collections import Counter

import pytest

from support.processes.killed_programs import KilledClients
from support.processes.running_service import MakeService
from support.queue_manager.unit_fates import Unit, judge

LIVES, MOST_LIVES = 4, 40
LONGEST_LIFE = 0.4
"""Seconds of work after the first units of work, at most."""
SEED: int | None = None
"""A seed that failed, to try it again; what happens when is for the processes to decide."""
OBJECTS = "DEFINE QLOCAL(TARGET) MAXDEPTH(999999)\nDEFINE QLOCAL(STOCK) MAXDEPTH(999999)\n"


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.spec("mqi.md 1", "mqi.md 16.1", "mq-wire.md 5.13", "client-observed.md O-114")
def test_what_clients_were_told_is_true_after_a_kill(make_service: MakeService) -> None:
    """Committed work is there, uncommitted is not, prepared branches are listed and can be finished."""
    seed = random.SystemRandom().getrandbits(32) if SEED is None else SEED
    sys.stdout.write(f"seed {seed}\n")
    stage = KilledClients(make_service(mqsc=OBJECTS), seed)
    doubts, fates = 0, set[str]()
    for life in range(MOST_LIVES):
        stage.live_and_die(LONGEST_LIFE)
        doubts += sum(unit.fate in ("preparing", "prepared") for unit in stage.units)
        assert stage.check() == [], f"life {life + 1}"
        fates = {unit.fate for unit in stage.units}
        if life + 1 >= LIVES and doubts and len(fates) > 1:  # by chance, few units may all have come to the same
            break
    stage.service.restart(kill=True)
    assert stage.check() == []
    assert {"committed", "backed out"} == fates
    assert doubts
    sys.stdout.write(f"{len(stage.units)} units, {doubts} left in doubt\n")


X = (4711, b"x", b"b")
A, B, S = b"a", b"b", b"s"


@pytest.mark.parametrize(
    ("unit", "target", "stock", "doubtful", "problems"),
    [
        (Unit(None, [A, B], [S], "committed"), [A, B], [], set(), []),
        (Unit(None, [A, B], [S], "committing"), [], [S], set(), []),
        (Unit(None, [A, B], [S], "committed"), [A], [], set(), ["a: committed, and there [0, 1]"]),
        (Unit(None, [A, B], [S], "committed"), [], [S], set(), ["a: committed, and gone"]),
        (Unit(None, [A], [S], "open"), [A], [], set(), ["a: open, and done"]),
        (Unit(None, [A], [S], "committed"), [A, A], [], set(), ["a: committed, and there [2]"]),
        (Unit(None, [A], [S], "committed"), [A], [S], set(), ["s: there 1, taken 1"]),
        (Unit(None, [A], [S], "backed out"), [], [], set(), ["s: there 0, taken 0"]),
        (Unit(None, [A], [S], "committed"), [A, B], [], set(), ["b came from nowhere"]),
        (Unit(X, [A], [S], "prepared"), [], [], {X}, []),
        (Unit(X, [A], [S], "prepared"), [], [S], set(), ["a: prepared, and gone"]),
        (Unit(X, [A], [S], "prepared"), [A], [], {X}, ["a: prepared, and in doubt, and visible"]),
        (Unit(None, [A], [S], "committed"), [A], [], {X}, [f"{X} is in doubt, and nobody's"]),
    ],
)
def test_the_oracle(
    unit: Unit, target: list[bytes], stock: list[bytes], doubtful: set[tuple[int, bytes, bytes]], problems: list[str]
) -> None:
    assert list(judge([unit], [S], Counter(target), Counter(stock), doubtful)) == problems
