"""Scenario SC-35: MyOpenQ delivers once over crashes of either manager and lost answers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from support.myopenq.holding_proxy import HoldingProxy
from support.myopenq.managers import SOURCE, TARGET, Manager, local, remote
from support.processes.running_service import MakeService, wait_for

DIGESTS = 100
EQUAL = 1000


@pytest.fixture
def managers(make_service: MakeService, tmp_path: Path) -> tuple[Manager, Manager]:
    """EARTH, and MARS with a short list of digests."""
    return (
        Manager(make_service, tmp_path, "EARTH", f"md5_list = {DIGESTS}"),
        Manager(make_service, tmp_path, "MARS", f"md5_list = {DIGESTS}"),
    )


@pytest.fixture
def line(managers: tuple[Manager, Manager]) -> Iterator[HoldingProxy]:
    proxy = HoldingProxy(managers[1].port)
    yield proxy
    proxy.close()


@pytest.mark.faulty_traffic
@pytest.mark.spec(
    *("M-001", "M-005", "M-008", "M-016", "M-053", "M-056", "M-058", "M-086", "M-087", "M-088", "M-089", "M-090"),
    *("M-091", "M-092", "M-101", "M-102", "M-110", "M-112", "SC-35"),
)
def test_every_message_arrives_once_whatever_dies(managers: tuple[Manager, Manager], line: HoldingProxy) -> None:
    earth, mars = managers
    mars.create(local())
    earth.create(remote(line.port))
    expected = []

    def put_unanswered(text: bytes) -> None:
        """The other manager has stored a message, and the answer is lost."""
        line.holding = True
        with earth.client() as client:
            client.put(SOURCE, text)
        expected.append(text)
        mars.wait_for_count(TARGET, len(expected))
        assert earth.count(SOURCE) == 1

    put_unanswered(b"the answer is lost")
    line.cut()
    earth.wait_for_count(SOURCE, 0)

    put_unanswered(b"EARTH is killed before it has removed this")
    earth.service.kill()
    line.cut()
    earth.service.start()
    earth.wait_for_count(SOURCE, 0)

    put_unanswered(b"MARS is killed when it has stored this")
    mars.service.kill()
    line.cut()
    mars.service.start()
    earth.wait_for_count(SOURCE, 0)

    assert mars.take_all(TARGET) == expected
    with earth.client() as client:
        for _ in range(EQUAL):
            client.put(SOURCE, b"the same")
    earth.wait_for_count(SOURCE, 0)
    assert mars.count(TARGET) == EQUAL
    for each in (earth, mars):
        each.service.restart()
    assert mars.count(TARGET) == EQUAL
    mars.service.stop()
    assert 0 < mars.digests() <= DIGESTS


@pytest.mark.spec("M-103", "M-061", "SC-35")
def test_a_queue_that_is_not_there_stops_the_sender_until_it_is_started(managers: tuple[Manager, Manager]) -> None:
    earth, mars = managers
    earth.create(remote(mars.port))
    with earth.client() as client:
        client.put(SOURCE, b"early")
    started = earth.service.command("routes")
    assert "sender" in started.output
    wait_for("the alarm", lambda: "AMQ5152E" in earth.service.log)
    mars.create(local())
    assert earth.count(SOURCE) == 1
    assert earth.service.command("routes", "--start", SOURCE).exit_code == 0
    mars.wait_for_count(TARGET, 1)
    earth.wait_for_count(SOURCE, 0)
