"""Ctrl-C while Spark starts: it ends the program, and leaves no Java behind."""

from __future__ import annotations

import os
import signal
from typing import Any

import pytest

pytest.importorskip("pyspark", reason="pyspark is not installed")

from mqbridge.captures.spark import sessions


class Starting:
    """A builder of sessions; whoever waits for it is interrupted ``times`` times before it has started."""

    def __init__(self, times: int) -> None:
        self.times = times
        self.started = False

    def __getattr__(self, name: str) -> Any:
        assert name in ("master", "appName", "config")
        return lambda *_: self

    def getOrCreate(self) -> Any:
        for _ in range(self.times):
            os.kill(os.getpid(), signal.SIGINT)
        self.started = True
        return self


@pytest.fixture
def usual_interrupts() -> Any:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize(("times", "connected", "started"), [(1, False, True), (2, False, False), (1, True, False)])
def test_the_first_interrupt_waits_until_java_is_there(
    usual_interrupts: None, monkeypatch: pytest.MonkeyPatch, times: int, connected: bool, started: bool
) -> None:
    monkeypatch.setattr(sessions.SparkContext, "_gateway", object() if connected else None)
    starting = Starting(times)
    monkeypatch.setenv("JAVA_HOME", "somewhere")
    monkeypatch.setenv("PYSPARK_PYTHON", "python")
    monkeypatch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
    monkeypatch.setattr(sessions, "SparkSession", type("Builders", (), {"builder": starting}))
    with pytest.raises(KeyboardInterrupt):
        sessions.session("local[1]")
    assert starting.started is started
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_without_an_interrupt_nothing_changes(usual_interrupts: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions.SparkContext, "_gateway", None)
    starting = Starting(0)
    monkeypatch.setenv("JAVA_HOME", "somewhere")
    monkeypatch.setenv("PYSPARK_PYTHON", "python")
    monkeypatch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
    monkeypatch.setattr(sessions, "SparkSession", type("Builders", (), {"builder": starting}))
    assert sessions.session("local[1]") is starting
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
