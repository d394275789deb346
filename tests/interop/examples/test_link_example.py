"""The example of a link, at an Artemis with the user and the password of its configuration."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("proton", reason="python-qpid-proton is not installed (extra amqp)")

import proton
from proton.reactor import LinkOption
from proton.utils import BlockingConnection

from support.processes.artemis import PASSWORD, Artemis
from support.processes.running_service import MakeService, RunningService, wait_for

pytestmark = [pytest.mark.interop("artemis"), pytest.mark.slow]
EXAMPLE = Path(__file__).parents[3] / "examples" / "links"
USER = "mq"
WAIT = 30


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Artemis]:
    made = Artemis(tmp_path / "broker", anonymous=False, user=USER)
    made.start()
    yield made
    made.close()


@pytest.fixture
def service(make_service: MakeService, broker: Artemis, tmp_path: Path) -> RunningService:
    folder = shutil.copytree(EXAMPLE, tmp_path / "links")
    assert (folder / "warehouse.pw").read_text(encoding="utf-8").strip() == PASSWORD
    file = folder / "queue-manager.toml"
    text = file.read_text(encoding="utf-8")
    assert text.count("tcp:127.0.0.1:5672") == 1
    file.write_text(text.replace("tcp:127.0.0.1:5672", broker.endpoint), encoding="utf-8")
    return make_service("STORES", options=("--config", str(file)))


@pytest.fixture
def program(broker: Artemis) -> Iterator[BlockingConnection]:
    """A program at the broker."""
    connection = BlockingConnection(
        f"amqp://127.0.0.1:{broker.port}", timeout=WAIT, user=USER, password=PASSWORD, allowed_mechs="PLAIN"
    )
    yield connection
    connection.close()


class Queue(LinkOption):  # type: ignore[misc]
    """The address is that of a queue, not of a topic, as JMS clients say it too."""

    def apply(self, link: Any) -> None:
        (link.source if link.is_receiver else link.target).capabilities.put_object(proton.symbol("queue"))


def receive(program: BlockingConnection, address: str) -> Any:
    receiver = program.create_receiver(address, options=Queue())
    message = receiver.receive(timeout=WAIT)
    receiver.accept()
    receiver.close()
    return message


def send(program: BlockingConnection, address: str, body: str, **fields: str) -> None:
    sender = program.create_sender(address, options=Queue())
    sender.send(proton.Message(body=body, durable=True, **fields))
    sender.close()


def test_messages_go_both_ways_and_replies_find_their_requests(
    service: RunningService, program: BlockingConnection
) -> None:
    service.put("TO.STOCK", "ten apples", Persistence=1)
    arrived = receive(program, "stock.in")
    assert (arrived.body, arrived.durable) == ("ten apples", True)
    send(program, "stock.out", "ten crates")
    found = wait_for("a message from the broker", lambda: service.get("FROM.STOCK"))
    assert (found["body"]["text"], found["MQMD"]["Persistence"]) == ("ten crates", 1)

    service.put("TO.STOCK", "how many pears?", Persistence=1, MsgType=1, ReplyToQ="DEV.QUEUE.1")
    request = receive(program, "stock.in")
    assert (request.body, request.reply_to) == ("how many pears?", "stores.replies")
    send(program, request.reply_to, "seven", correlation_id=request.id)
    assert wait_for("the reply", lambda: service.get("DEV.QUEUE.1"))["body"]["text"] == "seven"

    send(program, "stock.out", "how many plums?", id="plums", reply_to="answers")
    asked = wait_for("a request from the broker", lambda: service.get("FROM.STOCK"))
    assert (asked["body"]["text"], asked["MQMD"]["ReplyToQ"]) == ("how many plums?", "STOCK.REPLIES")
    service.put("STOCK.REPLIES", "none", Persistence=1, CorrelId=asked["MQMD"]["MsgId"])
    reply = receive(program, "answers")
    assert (reply.body, reply.correlation_id) == ("none", "plums")
