"""SIGKILL amid transactions: what was confirmed is there, what was not decided is in doubt, and nothing else."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from mqbridge.bridge.queue_manager import Cursor, GetOptions
from mqbridge.bridge.queue_manager.units_of_work import on_complete
from mqbridge.protocol.constants import MQGMO, TMFlags, XAReturn
from support.processes import transacting_process
from support.processes.transacting_process import NOW, KilledHost, xid
from support.queue_manager.direct_calls import browse

HOME = Path(__file__).parents[3]


def killed_after(lines: int, folder: Path) -> list[tuple[str, int]]:
    """What a process confirmed before it was killed, which is at least so many steps."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(HOME), str(HOME / "tests")])}
    command = [sys.executable, transacting_process.__file__, str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment, cwd=HOME, text=True) as process:
        assert process.stdout is not None
        told = [process.stdout.readline() for _ in range(lines)]
        process.kill()
        told += process.stdout.readlines()
    assert all(line.endswith("\n") for line in told[:lines]), "the process died by itself"
    return [(line.split()[0], int(line.split()[1])) for line in told if line.endswith("\n")]


def contents(host: KilledHost) -> list[str]:
    cursor, source = Cursor(), host.manager.resolve("Q")
    found = []
    while got := browse(host.manager, source, cursor, GetOptions(MQGMO.BROWSE_NEXT), NOW):
        found.append(got.message.data.decode())
    return found


@pytest.mark.spec("mqi.md 16.1")
@pytest.mark.spec("mq-wire.md 5.13")
@pytest.mark.parametrize("lines", [1, 2, 40, 41, 42, 300])
def test_what_was_confirmed_survives_and_what_was_prepared_can_be_finished(tmp_path: Path, lines: int) -> None:
    told = killed_after(lines, tmp_path)
    known = {step: {number for each, number in told if each == step} for step in "cpdr"}
    host = KilledHost(tmp_path)
    there = set(contents(host))
    assert len(there) == len(contents(host))
    committed = {int(name[2:]) for name in there if name.startswith("c ")}
    assert known["c"] <= committed <= known["c"] | {len(known["c"]) + 1}
    assert not [name for name in there if name.startswith("u ")]

    connection, hobj = host.connect()
    count, found = connection.xa.recover(1000, int(TMFlags.STARTRSCAN))
    doubtful = {int(each.gtrid) for each in found}
    assert count == len(doubtful)
    decided = {int(name[2:]) for name in there if name.startswith("d ")}
    in_flight = max(known["c"])
    assert known["d"] <= decided <= known["d"] | {in_flight}
    assert not decided & (known["r"] | doubtful)
    left = known["p"] - known["d"] - known["r"]
    assert left - {in_flight} <= doubtful <= left | {in_flight}

    codes: list[int] = []
    for number in sorted(doubtful):
        decide = connection.xa.commit if number % 2 else connection.xa.rollback
        decision = decide(xid(number), 0, NOW)
        on_complete(decision.pending, lambda error, decision=decision: codes.append(decision.answered(error)))
        host.pump()
    assert set(codes) <= {XAReturn.OK}
    assert set(contents(host)) == there | {f"d {number}" for number in doubtful if number % 2}
    host.store.close()
    again = KilledHost(tmp_path)
    assert again.connect()[0].xa.recover(1000, int(TMFlags.STARTRSCAN)) == (0, [])
    assert set(contents(again)) == there | {f"d {number}" for number in doubtful if number % 2}
    again.store.close()
    assert hobj
