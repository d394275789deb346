"""``mqbridge run --profile``: py-spy beside a queue manager, and the table of what it saw."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from mqbridge.bridge.service import profiling
from mqbridge.bridge.service.errors import StartError
from mqbridge.bridge.service.profiling import Profile, report, sampler
from support.processes.running_service import MakeService, wait_for

STACKS = [
    "thread (1): Main;run (/x/mqbridge/bridge/cli/run.py);put (/x/mqbridge/bridge/queue_manager/putting/put.py) 6\n",
    "thread (1): Main;run (/x/mqbridge/bridge/cli/run.py);read (/x/mqbridge/protocol/md.py);sub (/lib/re.py) 3\n",
    "thread (2): writer;_run (/lib/threading.py) 1\n",
    "torn",
]


@pytest.fixture
def installed() -> str:
    try:
        return sampler()
    except StartError as error:
        pytest.skip(str(error))


def test_samples_are_counted_by_thread_room_and_function() -> None:
    lines = report(STACKS)
    assert lines[0].startswith("10 samples")
    for share, name in (
        (90, "thread (1): Main"),
        (10, "thread (2): writer"),
        (60, "bridge.queue_manager.putting"),
        (30, "protocol"),
        (10, "(others)"),
        (60, "put (bridge/queue_manager/putting/put.py)"),
        (30, "sub (/lib/re.py)"),
    ):
        assert f"{share:6.1f}%  {name}" in lines


def test_a_profile_of_a_queue_manager_at_work(installed: str, make_service: MakeService) -> None:
    service = make_service(options=("--profile", "2"))
    wait_for("it is taken", lambda: "AMQ5160I" in service.log)
    while "AMQ5161I" not in service.log:
        assert "AMQ5162E" not in service.log, service.log
        service.put("DEV.QUEUE.1", "x" * 1000)
        service.get("DEV.QUEUE.1")
    (table,) = service.data.glob("profile-*.txt")
    assert "bridge." in table.read_text(encoding="utf-8")
    assert table.with_suffix(".folded").stat().st_size > 0
    assert service.stop() == 0


def test_the_end_of_the_queue_manager_ends_the_profile(installed: str, make_service: MakeService) -> None:
    service = make_service(options=("--profile", "3600"))
    for _ in range(100):
        service.put("DEV.QUEUE.1", "x")
    assert service.stop() == 0
    assert "AMQ5161I" in service.log
    assert len(list(service.data.glob("profile-*.txt"))) == 1


def test_what_cannot_be_done_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    said: list[tuple[str, tuple[str | int, ...]]] = []
    monkeypatch.setattr(profiling, "sampler", lambda: shutil.which("false"))
    profile = Profile(tmp_path, 1, lambda amq, inserts: said.append((amq, inserts)))
    profile.start()
    profile.end()
    assert [amq for amq, _ in said] == ["AMQ5160", "AMQ5162"]
    monkeypatch.setattr(profiling, "sampler", lambda: str(tmp_path / "nothing"))
    profile = Profile(tmp_path, 1, lambda amq, inserts: said.append((amq, inserts)))
    profile.start()
    profile.end()
    assert said[-1][0] == "AMQ5162"


def test_without_py_spy_it_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(profiling.sys, "executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(StartError, match=r"needs py-spy.*pip install 'mqbridge\[profile\]'") as caught:
        Profile(tmp_path, 1, lambda *_: None)
    assert caught.value.status == 2
