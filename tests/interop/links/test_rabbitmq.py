"""Links to RabbitMQ, which does not know duplicates: nothing is lost on the way there, nothing doubled on the way back.

RabbitMQ 3.10 keeps messages as those of AMQP 0-9-1, but hands the sections of AMQP 1.0 on as they came.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("proton", reason="python-qpid-proton is not installed (extra amqp)")

from mqbridge.bridge.rest_client.routes import act_on_route, routes
from support.processes.killed_links import as_json, text_of
from support.processes.rabbitmq import PASSWORD, USER, RabbitMQ
from support.processes.running_service import MakeService, RunningService, wait_for
from support.tls.wire import Wire

pytestmark = [pytest.mark.interop("rabbitmq"), pytest.mark.slow]
QUEUES = [f"stock.{number}" for number in range(5)]
"""One for each test."""
LINKS = """
[[link]]
name = "to"
endpoint = "{endpoint}"
user = "{user}"
password_file = "stock.pw"
send = [{{ queue = "TO.STOCK", address = "{address}" }}]
duplicates = "none"
retry_interval = 0.2
longest_retry = 1

[[link]]
name = "from"
endpoint = "tcp:127.0.0.1:{wire}"
user = "{user}"
password_file = "stock.pw"
receive = [{{ address = "{address}", queue = "FROM.STOCK" }}]
duplicates = "none"
retry_interval = 0.2
longest_retry = 1
"""
MQSC = "DEFINE QLOCAL(TO.STOCK) REPLACE\nDEFINE QLOCAL(FROM.STOCK) REPLACE\n"
LENGTH = 1000
"""Bytes of a message at least."""
BEGINNING = 5000
"""Bytes after which RabbitMQ has sent messages, and not yet ten of them."""


@pytest.fixture(scope="module")
def rabbitmq(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RabbitMQ]:
    broker = RabbitMQ(tmp_path_factory.mktemp("rabbitmq") / "broker", tuple(QUEUES))
    try:
        broker.start()
        yield broker
    finally:
        broker.close()


@pytest.fixture(scope="module")
def unused() -> list[str]:
    """Names of queues that no test has used."""
    return list(QUEUES)


@pytest.fixture
def wire(rabbitmq: RabbitMQ) -> Iterator[Wire]:
    """The line on which messages come from RabbitMQ."""
    line = Wire(lambda: rabbitmq.port)
    yield line
    line.close()


@pytest.fixture
def service(
    make_service: MakeService, rabbitmq: RabbitMQ, wire: Wire, unused: list[str], tmp_path: Path
) -> RunningService:
    (tmp_path / "stock.pw").write_text(f"{PASSWORD}\n", encoding="utf-8")
    file = tmp_path / "links.toml"
    address = rabbitmq.address(unused.pop())
    file.write_text(LINKS.format(endpoint=rabbitmq.endpoint, wire=wire.port, user=USER, address=address))
    return make_service(mqsc=MQSC, options=("--config", str(file)))


def put(service: RunningService, texts: list[str]) -> None:
    """Put persistent JMS messages of all kinds in one unit of work."""
    service.client.put_lines("TO.STOCK", "".join(json.dumps(as_json(text)) + "\n" for text in texts).encode())


def orders(number: int, first: int = 0) -> list[str]:
    return [f"{first + each} 0 persistent \u20ac ".ljust(LENGTH, ".") for each in range(number)]


def arrived(service: RunningService) -> list[str]:
    """The texts of the messages, all else of which must be as it was put."""
    lines = service.client.read("FROM.STOCK", takes=False, limit=5000)
    return [text_of(line) for line in b"".join(lines).splitlines()]


def sent(service: RunningService) -> int:
    """How many messages RabbitMQ has accepted since the queue manager started."""
    return next(row["carried"] for row in routes(service.client)["routes"] if row["name"] == "to")


def test_messages_go_to_rabbitmq_and_come_back(service: RunningService) -> None:
    put(service, orders(40))
    wait_for("messages", lambda: arrived(service) == orders(40))


def test_nothing_is_lost_that_goes_to_it_when_the_queue_manager_dies(service: RunningService) -> None:
    put(service, orders(200))
    wait_for("messages", lambda: service.depth("FROM.STOCK") > 20)
    service.restart(kill=True)
    wait_for("all messages", lambda: set(arrived(service)) == set(orders(200)))


@pytest.mark.parametrize("dies", ["connection", "queue manager", "rabbitmq"])
def test_what_comes_again_is_not_put_again(service: RunningService, rabbitmq: RabbitMQ, wire: Wire, dies: str) -> None:
    act_on_route(service.client, "from", "stop")
    put(service, orders(50))
    wait_for("messages at RabbitMQ", lambda: sent(service) == 50)
    wire.mute(BEGINNING)
    act_on_route(service.client, "from", "start")
    wait_for("messages", lambda: len(arrived(service)) == 50)
    # They are on disk here, and RabbitMQ does not know it of most of them.
    if dies == "queue manager":
        service.restart(kill=True)
    elif dies == "rabbitmq":
        put(service, orders(200, 50))
        wait_for("some of them at RabbitMQ", lambda: sent(service) > 60)
        rabbitmq.kill()
    wire.reset()
    passed = wire.bytes
    if dies == "rabbitmq":
        rabbitmq.start()
    put(service, orders(1, 250))
    last = orders(201, 50) if dies == "rabbitmq" else orders(1, 250)
    wait_for("all messages", lambda: set(last) <= set(arrived(service)))
    assert wire.bytes - passed > 40 * LENGTH  # they did come again
    found = arrived(service)
    assert (found[:50], set(found[50:])) == (orders(50), set(last))
    assert len(found) == 50 + len(last) or dies == "rabbitmq"  # what went there when it died may come twice
