"""``mqbridge run --spin``: its values, its warning, and that a queue manager that spins rests when nothing flows."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import mqbridge
from mqbridge.bridge.cli import cli
from support.processes import counted_polls
from support.processes.running_service import LOCAL_LISTENER, MakeService, RunningService, wait_for

WATCHED = 0.5
"""Seconds for which an idle queue manager is watched."""
POLLS_OF_IDLE = 50
"""More polls than its timers need meanwhile, and a hundredth of those of one that spins."""


@pytest.mark.parametrize("value", ["-1", "10001", "1.5", "fast", ""])
def test_bad_values_are_refused(value: str, tmp_path: Path) -> None:
    result = CliRunner().invoke(cli, ["run", "--data", str(tmp_path / "data"), "--spin", value], prog_name="mqbridge")
    assert result.exit_code == 2
    assert "--spin" in result.output
    assert not (tmp_path / "data").exists()


def test_one_processor_is_warned_of(make_service: MakeService) -> None:
    if not hasattr(os, "sched_setaffinity"):
        pytest.skip("processes cannot be bound to processors")
    mine = os.sched_getaffinity(0)
    service = make_service(start=False, fresh=True, options=("--spin", "50"))
    os.sched_setaffinity(0, {min(mine)})
    try:
        service.start()
    finally:
        os.sched_setaffinity(0, mine)
    assert "AMQ5163W" in service.log
    assert service.stop() == 0


def test_one_that_spins_does_its_work_and_rests_when_nothing_flows(tmp_path: Path) -> None:
    polls = tmp_path / "polls"
    service = Counted(tmp_path / "EARTH", options=("--spin", "10000"), listen=LOCAL_LISTENER)
    service.polls = polls
    service.recordings = None
    service.start()
    try:
        with mqbridge.connect(f"mq://127.0.0.1:{service.port}/?channel=DEV.APP.SVRCONN") as manager:
            with manager.queue("DEV.QUEUE.1") as queue:
                for number in range(100):
                    queue.put(f"{number}", persistent=True)
                    message = queue.get()
                    assert message is not None
            busy = service.count()
            wait_for("it rests", lambda: service.spent(WATCHED) < POLLS_OF_IDLE)
        assert busy > POLLS_OF_IDLE
        assert service.stop() == 0
    finally:
        service.close()


class Counted(RunningService):
    """A queue manager that counts its polls."""

    polls: Path

    def _begin(self, arguments: list[str], environment: dict[str, str], **streams: Any) -> subprocess.Popen[bytes]:
        command = [sys.executable, counted_polls.__file__, *arguments]
        return subprocess.Popen(command, cwd=self.folder, env=environment | {"POLLS": str(self.polls)}, **streams)

    def count(self) -> int:
        """Polls so far."""
        before = self._told()
        self.signal(signal.SIGUSR1)
        wait_for("the count", lambda: len(self._told()) > len(before))
        return int(self._told()[-1])

    def _told(self) -> list[str]:
        return self.polls.read_text(encoding="utf-8").splitlines() if self.polls.exists() else []

    def spent(self, seconds: float) -> int:
        """Polls within a time."""
        before = self.count()
        time.sleep(seconds)
        return self.count() - before
