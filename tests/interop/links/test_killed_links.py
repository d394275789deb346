"""Exactly once by links, with real processes: Artemis and queue managers at both sides of it die by SIGKILL."""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("proton", reason="python-qpid-proton is not installed (extra amqp)")

from support.processes.artemis import Artemis
from support.processes.killed_links import KINDS, KilledLinks, jms_message
from support.processes.running_service import MakeService, wait_for

ROUNDS, LONG_ROUNDS = 3, 20
UNITS = 5
"""Units of work that each program puts at the least."""
SEED: int | None = None
"""A seed that failed, to try it again; what happens when is for the processes to decide."""


def say(line: str) -> None:
    """For who reads why a run has failed."""
    sys.stdout.write(line + "\n")


@pytest.fixture
def artemis(tmp_path: Path) -> Iterator[Artemis]:
    broker = Artemis(tmp_path / "broker", anonymous=False)
    broker.start()
    yield broker
    broker.close()


@pytest.mark.interop("artemis")
@pytest.mark.slow
@pytest.mark.timeout(300)
def test_every_message_arrives_once_and_in_order(
    make_service: MakeService, artemis: Artemis, tmp_path: Path, long_form: bool
) -> None:
    seed = random.SystemRandom().getrandbits(32) if SEED is None else SEED
    say(f"seed {seed}")
    links = KilledLinks(make_service, artemis, tmp_path, seed)
    began = time.monotonic()
    for putter in links.putters.values():
        putter.start()
    for number in range(LONG_ROUNDS if long_form else ROUNDS):
        say(f"{time.monotonic() - began:5.1f} s, round {number + 1}: {links.kill_one()} killed")
    wait_for("some units of work", lambda: all(len(putter.units) > UNITS for putter in links.putters.values()))
    links.come_to_rest()
    for name, putter in links.putters.items():
        unknown = sum(not committed for _, committed in putter.units)
        messages = sum(len(texts) for texts, _ in putter.units)
        say(f"{name}: {len(putter.units)} units, {unknown} of unknown fate, {messages} messages")
    assert links.check() == []


def test_messages_of_every_kind_carry_texts() -> None:
    texts = [f"{number} 0 persistent abc" for number in range(60)]
    assert {jms_message(text).kind for text in texts} == set(KINDS)
