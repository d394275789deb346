"""Links to Apache Artemis: messages go to it and come back, over crashes of either end."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("proton", reason="python-qpid-proton is not installed (extra amqp)")

from support.processes.artemis import PASSWORD, USER, Artemis
from support.processes.running_service import MakeService, RunningService, wait_for

pytestmark = [pytest.mark.interop("artemis"), pytest.mark.slow]
LINK = """
[[link]]
name = "warehouse"
endpoint = "{endpoint}"
user = "{user}"
password_file = "warehouse.pw"
send = [{{ queue = "TO.STOCK", address = "stock.q" }}]
receive = [{{ address = "stock.q", queue = "FROM.STOCK" }}]
"""
MESSAGES = 40


@pytest.fixture(scope="module")
def artemis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Artemis]:
    broker = Artemis(tmp_path_factory.mktemp("artemis") / "broker", anonymous=False)
    broker.start()
    yield broker
    broker.close()


@pytest.fixture
def service(make_service: MakeService, artemis: Artemis, tmp_path: Path) -> RunningService:
    (tmp_path / "warehouse.pw").write_text(f"{PASSWORD}\n", encoding="utf-8")
    configuration = tmp_path / "links.toml"
    configuration.write_text(LINK.format(endpoint=artemis.endpoint, user=USER), encoding="utf-8")
    mqsc = "DEFINE QLOCAL(TO.STOCK) REPLACE\nDEFINE QLOCAL(FROM.STOCK) REPLACE\n"
    return make_service(options=("--config", str(configuration)), mqsc=mqsc)


def carried(service: RunningService, expected: set[str]) -> None:
    """Get what has come back: each message once, nothing else."""
    found = []
    for _ in expected:
        message = wait_for("a message", lambda: service.get("FROM.STOCK"))
        found.append(message["body"]["text"])
    assert sorted(found) == sorted(expected)
    assert not service.get("FROM.STOCK")


def test_messages_go_to_artemis_and_come_back_once(service: RunningService) -> None:
    texts = {f"order {number} \u20ac" for number in range(MESSAGES)}
    for text in texts:
        service.put("TO.STOCK", text, Persistence=1)
    carried(service, texts)


def test_artemis_is_killed(service: RunningService, artemis: Artemis) -> None:
    texts = {f"order {number}" for number in range(MESSAGES)}
    for number, text in enumerate(sorted(texts)):
        service.put("TO.STOCK", text, Persistence=1)
        if number == MESSAGES // 2:
            artemis.kill()
    artemis.start()
    carried(service, texts)


def test_the_queue_manager_is_killed(service: RunningService) -> None:
    texts = {f"order {number}" for number in range(MESSAGES)}
    for number, text in enumerate(sorted(texts)):
        service.put("TO.STOCK", text, Persistence=1)
        if number % (MESSAGES // 3) == 0:
            service.restart(kill=True)
    carried(service, texts)
