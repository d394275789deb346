"""Flips, zeroed ranges, cuts and older pages anywhere in a data folder: nothing is lost without a word."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path
from random import Random

import lmdb
import pytest

from mqbridge.bridge.store import row_file
from mqbridge.bridge.store.offline_maintenance import check
from mqbridge.bridge.store.repair import repair
from support.processes.damaged_folder import KnownFolder, Outcome, copy_of, damage, look

SHORT, LONG = 60, 2000
SHARES = 4


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> KnownFolder:
    made = KnownFolder(tmp_path_factory.mktemp("known") / "data")
    sound = look(made, copy_of(made, made.path.with_name("sound")))
    assert not sound.refused
    assert not sound.faults
    return made


def outcome_of(known: KnownFolder, folder: Path, seed: int) -> tuple[str, Outcome]:
    copy = copy_of(known, folder / str(seed))
    what = damage(known, copy, Random(seed))
    outcome = look(known, copy)
    shutil.rmtree(copy)
    return what, outcome


@pytest.mark.parametrize("share", range(SHARES))
def test_no_damage_loses_anything_without_a_word(
    known: KnownFolder, tmp_path: Path, long_form: bool, share: int
) -> None:
    kinds: Counter[str] = Counter()
    faults = []
    for seed in range(share, LONG if long_form else SHORT, SHARES):
        what, outcome = outcome_of(known, tmp_path, seed)
        kinds["refused" if outcome.refused else "said" if outcome.said else "nothing lost"] += 1
        if outcome.faults:
            faults.append(f"seed {seed}, {what}: {outcome.faults[:3]}")
    assert not faults, "\n".join(faults)
    assert kinds["refused"]
    assert kinds["nothing lost"]


def test_the_write_that_was_never_synced_may_be_missing(known: KnownFolder, tmp_path: Path) -> None:
    copy = copy_of(known, tmp_path / "copy")
    with (copy / "journal").open("r+b") as file:
        file.seek(known.journal_end)
        file.write(bytes(1000))
    outcome = look(known, copy)
    assert not outcome.refused
    assert not outcome.faults


def test_what_is_refused_starts_after_a_repair_and_holds_no_damage(
    known: KnownFolder, tmp_path: Path, long_form: bool
) -> None:
    repaired = 0
    for seed in range(5000, 5400 if long_form else 5030):
        copy = copy_of(known, tmp_path / str(seed))
        what = damage(known, copy, Random(seed))
        if not what.startswith(("users", "running")) and (damages := check(copy)):
            done = repair(copy, "now")
            assert done.lost, what
            assert check(copy) == [], what
            after = look(known, copy)
            assert not after.refused, f"seed {seed}, {what}, {damages[:3]}: {after.refused}"
            assert not after.said, what
            assert not after.verdict.phantom, f"seed {seed}, {what}: {after.verdict}"
            repaired += 1
        shutil.rmtree(copy)
    assert repaired > 5


def test_what_lmdb_finds_while_it_starts_is_damage(
    known: KnownFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a file that is too long to be walked, LMDB meets the damage when the rows of the journal go into it."""
    copy = copy_of(known, tmp_path / "copy")

    def corrupted(*_: object) -> None:
        raise lmdb.CorruptedError("mdb_cursor_del")

    monkeypatch.setattr(row_file, "write_changes", corrupted)
    outcome = look(known, copy)
    assert "messages.mdb: LMDB cannot use it: mdb_cursor_del" in outcome.refused
