"""Processes of the benches of links: they start, and carry messages."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("proton", reason="python-qpid-proton is not installed (extra amqp)")

from support.linking.amqp_peer import AmqpPeer
from support.processes.running_service import wait_for

BENCH = Path(__file__).parents[3] / "bench"


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Modules of the benches can be imported."""
    monkeypatch.syspath_prepend(str(BENCH))
    yield
    for name in ("workers", "idle_provider"):
        sys.modules.pop(name, None)


@pytest.mark.usefixtures("bench")
def test_a_queue_manager_with_idle_routes_and_links(tmp_path: Path) -> None:
    from idle_provider import IdleProvider
    from workers import Worker

    provider = IdleProvider()
    worker = Worker("receive", tmp_path / "data", 0, 1, {})
    try:
        assert worker.ask("idle 2") == {"idle": 2}
        assert worker.ask(f"links 2 {provider.port}") == {"links": 2}
    finally:
        worker.end()
        provider.close()
    assert worker.process.returncode == 0


@pytest.mark.usefixtures("bench")
@pytest.mark.parametrize("way", ["out", "in"])
def test_a_link_that_is_measured(way: str, tmp_path: Path) -> None:
    from workers import Worker

    peer = AmqpPeer()
    worker = Worker("link", tmp_path / "data", peer.port, 1, {}, "link_worker.py")
    try:
        if way == "in":
            peer.produce("bench.in", "text", "ID:1")
            assert worker.ask("in") == {"running": True}
            assert worker.ask("wait 1")["arrived"]
        else:
            assert worker.ask("put 3 2048 1") == {"put": 3}
            assert worker.ask("out")["started"]
            wait_for("the messages", lambda: len(peer.arrived["bench.out"]) == 3)
            assert worker.ask("stop") == {"stopped": True}
    finally:
        worker.end()
        peer.close()
    assert worker.process.returncode == 0
