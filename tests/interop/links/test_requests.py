"""Requests and replies over Artemis, either way: replies come to the programs that asked, whoever is killed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest

pytest.importorskip("proton", reason="python-qpid-proton is not installed (extra amqp)")

import proton
from proton.reactor import LinkOption
from proton.utils import BlockingConnection

import mqbridge
from mqbridge import JmsMessage
from support.processes.artemis import PASSWORD, USER, Artemis
from support.processes.ports import free_port
from support.processes.running_service import RunningService, wait_for
from support.rules.judged_recordings import demand_conforming

pytestmark = [pytest.mark.interop("artemis"), pytest.mark.slow]
PATIENCE = 30
OBJECTS = """\
SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('checks') AUTHADD(ALL)
SET AUTHREC PROFILE('**') OBJTYPE(QUEUE) PRINCIPAL('checks') AUTHADD(ALL)
DEFINE CHANNEL(CHECKS) CHLTYPE(SVRCONN) SHARECNV(10) MCAUSER('checks') REPLACE
DEFINE QMODEL(CHECKS.TEMPORARY) DEFTYPE(TEMPDYN) SHARE DEFSOPT(SHARED) REPLACE
DEFINE QMODEL(CHECKS.PERMANENT) DEFTYPE(PERMDYN) SHARE DEFSOPT(SHARED) REPLACE
DEFINE QLOCAL(ASK.PROVIDER) REPLACE
DEFINE QLOCAL(ASKED) REPLACE
DEFINE QLOCAL(ANSWERS) REPLACE
DEFINE QLOCAL(OF.TOPIC) REPLACE
DEFINE SUB(OF.TOPIC) TOPICSTR('answers/new') DEST(OF.TOPIC) REPLACE
DEFINE QLOCAL(DLQ) REPLACE
ALTER QMGR DEADQ(DLQ)
"""
LINK = """
[[link]]
name = "requests"
endpoint = "{endpoint}"
user = "{user}"
password_file = "provider.pw"
send = [{{ queue = "ASK.PROVIDER", address = "ask.provider" }}]
receive = [{{ address = "ask.queue", queue = "ASKED" }}]
reply_queue = "ANSWERS"
reply_address = "answers"
retry_interval = 0.2
longest_retry = 1.0
"""


@pytest.fixture(scope="module")
def artemis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Artemis]:
    broker = Artemis(tmp_path_factory.mktemp("artemis") / "broker", anonymous=False)
    broker.start()
    yield broker
    broker.close()


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory, artemis: Artemis) -> Iterator[RunningService]:
    folder = tmp_path_factory.mktemp("requests")
    (folder / "provider.pw").write_text(f"{PASSWORD}\n", encoding="utf-8")
    configuration = folder / "links.toml"
    configuration.write_text(LINK.format(endpoint=artemis.endpoint, user=USER), encoding="utf-8")
    listen = f"tcp:{free_port()}:interface=127.0.0.1"
    made = RunningService(folder / "EARTH", mqsc=OBJECTS, listen=listen, options=("--config", str(configuration)))
    yield made.start()
    made.close()
    demand_conforming([made.recordings])


@pytest.fixture
def service(running: RunningService) -> RunningService:
    """The queue manager, with nothing on its queues that another test has left."""
    if running.process is None:
        running.start()
    for queue in ("ASKED", "OF.TOPIC", "DLQ"):
        while running.get(queue):
            pass
    return running


class OfQueue(LinkOption):
    """The address is that of a queue, which the broker makes if there is none."""

    def apply(self, link: Any) -> None:
        (link.target if link.is_sender else link.source).capabilities.put_object(proton.symbol("queue"))


def provider(artemis: Artemis) -> Any:
    """A program of the provider connects."""
    url = f"amqp://127.0.0.1:{artemis.port}"
    return BlockingConnection(
        url, PATIENCE, user=USER, password=PASSWORD, allowed_mechs="PLAIN", allow_insecure_mechs=True
    )


def client(service: RunningService) -> mqbridge.QueueManager:
    """A program here connects."""
    return mqbridge.connect(f"mq://127.0.0.1:{service.port}/{service.name}?channel=CHECKS")


def nothing_is_left(service: RunningService) -> None:
    for queue in ("ASK.PROVIDER", "ASKED", "ANSWERS", "DLQ"):
        wait_for(f"{queue} to be empty", lambda queue=queue: service.depth(queue) == 0)  # type: ignore[misc]
    assert service.attribute("DISPLAY QSTATUS(ASK.PROVIDER) UNCOM", "UNCOM") == "0"


# Programs of the provider ask


def test_a_reply_comes_to_the_temporary_queue_of_a_program_of_the_provider(
    service: RunningService, artemis: Artemis
) -> None:
    with closing(provider(artemis)) as one, closing(provider(artemis)) as other:
        programs = []
        for number, connection in enumerate((one, other)):
            replies = connection.create_receiver(None, dynamic=True, credit=10)
            address = replies.link.remote_source.address
            message = proton.Message(
                f"question {number}", id=f"ID:{number}", reply_to=address, correlation_id="the same", durable=True
            )
            connection.create_sender("ask.queue", options=OfQueue()).send(message)
            programs.append(replies)
        requests = [wait_for("a request", lambda: service.get("ASKED")) for _ in programs]
        service.restart(kill=True)
        for request in requests:
            md = request["MQMD"]
            assert md["ReplyToQ"].strip() == "ANSWERS"
            answer = request["body"]["text"].replace("question", "answer")
            service.put("ANSWERS", answer, CorrelId=md["MsgId"], Persistence=1)
        for number, replies in enumerate(programs):
            reply = replies.receive(PATIENCE)
            replies.accept()
            assert reply.body == f"answer {number}"
            assert reply.correlation_id == f"ID:{number}"
        nothing_is_left(service)


def test_a_reply_to_a_program_of_the_provider_that_has_ended_stops_no_others(
    service: RunningService, artemis: Artemis
) -> None:
    with closing(provider(artemis)) as gone:
        replies = gone.create_receiver(None, dynamic=True, credit=10)
        address = replies.link.remote_source.address
        gone.create_sender("ask.queue", options=OfQueue()).send(
            proton.Message("question", id="ID:1", reply_to=address, durable=True)
        )
        request = wait_for("a request", lambda: service.get("ASKED"))
    service.put("ANSWERS", "too late", CorrelId=request["MQMD"]["MsgId"], Persistence=1)
    with closing(provider(artemis)) as other:
        replies = other.create_receiver(None, dynamic=True, credit=10)
        address = replies.link.remote_source.address
        other.create_sender("ask.queue", options=OfQueue()).send(
            proton.Message("question", id="ID:2", reply_to=address, durable=True)
        )
        request = wait_for("a request", lambda: service.get("ASKED"))
        service.put("ANSWERS", "in time", CorrelId=request["MQMD"]["MsgId"], Persistence=1)
        assert replies.receive(PATIENCE).body == "in time"
        replies.accept()
    wait_for("ANSWERS to be empty", lambda: service.depth("ANSWERS") == 0)


# Programs here ask


def answers(artemis: Artemis, number: int) -> None:
    """A program of the provider answers requests."""
    with closing(provider(artemis)) as connection:
        receiver = connection.create_receiver("ask.provider", credit=number, options=OfQueue())
        sender = connection.create_sender("answers", options=OfQueue())
        for _ in range(number):
            request = receiver.receive(PATIENCE)
            reply = proton.Message(
                str(request.body).replace("question", "answer"), correlation_id=request.id, durable=True
            )
            assert request.reply_to == "answers"
            sender.send(reply)
            receiver.accept()


@pytest.mark.parametrize(
    ("model", "killed"),
    [("CHECKS.TEMPORARY", ["provider"]), ("CHECKS.PERMANENT", ["provider", "queue manager"])],
    ids=["temporary", "permanent"],
)
def test_replies_come_to_the_dynamic_queues_of_programs_here(
    service: RunningService, artemis: Artemis, model: str, killed: list[str]
) -> None:
    asking = client(service)
    queues = [asking.temporary_queue(model) for _ in range(2)]
    names = [queue.name for queue in queues]
    for number, name in enumerate(names):
        correl_id = b"the same".ljust(24)
        message = mqbridge.Message(f"question {number}", reply_to=name, correl_id=correl_id, persistent=True)
        asking.put("ASK.PROVIDER", message)
    wait_for("requests to be sent", lambda: service.attribute("DISPLAY QSTATUS(ASK.PROVIDER) UNCOM", "UNCOM") == "0")
    wait_for("requests to be sent", lambda: service.depth("ASK.PROVIDER") == 0)
    if "provider" in killed:
        artemis.restart()
    if "queue manager" in killed:
        asking.disconnect()
        service.restart(kill=True)
        asking = client(service)
        queues = [asking.queue(name) for name in names]
    answers(artemis, 2)
    with asking:
        for number, queue in enumerate(queues):
            reply = queue.get(wait=PATIENCE)
            assert reply is not None
            assert reply.text == f"answer {number}"
        for queue in queues:
            assert queue.get() is None
        nothing_is_left(service)


def test_a_reply_is_published_to_the_topic_that_a_jms_program_named(service: RunningService, artemis: Artemis) -> None:
    with client(service) as asking:
        request = JmsMessage("text", "question", reply_to="topic://answers/new")
        asking.put("ASK.PROVIDER", request.message("queue:///ASK.PROVIDER"))
    wait_for("the request to be sent", lambda: service.depth("ASK.PROVIDER") == 0)
    service.restart(kill=True)
    answers(artemis, 1)
    with client(service) as asking, asking.queue("OF.TOPIC") as queue:
        reply = queue.get(wait=PATIENCE)
        assert reply is not None
        assert JmsMessage.of(reply).body == "answer"
        assert queue.get() is None
    nothing_is_left(service)


def test_a_reply_that_nobody_waits_for_is_a_dead_letter(service: RunningService, artemis: Artemis) -> None:
    with closing(provider(artemis)) as connection:
        message = proton.Message("answer", correlation_id="ID:of nobody", durable=True)
        connection.create_sender("answers", options=OfQueue()).send(message)
    dead = wait_for("a dead letter", lambda: service.get("DLQ"))
    assert dead["body"]["text"] == "answer"
    assert dead["headers"][0]["fields"]["Reason"] == 2085
