"""Qpid JMS judges links: what it sends to Artemis reads here as it says, and it reads what programs here put."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

pytest.importorskip("proton", reason="python-qpid-proton is not installed (extra amqp)")

import mqbridge
from mqbridge import JmsMessage
from mqbridge.bridge.client import Queue
from mqbridge.bridge.links.codec import decode
from support.jms.described import described
from support.jms.dictated import Dictated
from support.jms.exchange import Exchange
from support.jms.matrix import FOREIGN, FOREIGN_HEADERS, IBM_ALONE, MATRIX
from support.jms.qpid_vectors import comparable, vectors, without_moment
from support.linking.transfer_tap import TransferTap
from support.processes.artemis import PASSWORD, USER, Artemis
from support.processes.ports import free_port
from support.processes.running_service import RunningService
from support.rules.judged_recordings import demand_conforming

pytestmark = [pytest.mark.interop("artemis"), pytest.mark.slow]
OBJECTS = """\
SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('checks') AUTHADD(ALL)
SET AUTHREC PROFILE('**') OBJTYPE(QUEUE) PRINCIPAL('checks') AUTHADD(ALL)
SET AUTHREC PROFILE('**') OBJTYPE(TOPIC) PRINCIPAL('checks') AUTHADD(ALL)
DEFINE CHANNEL(EXCHANGE) CHLTYPE(SVRCONN) SHARECNV(10) MCAUSER('checks')
DEFINE QMODEL(CHECKS.TEMPORARY) DEFTYPE(TEMPDYN) SHARE DEFSOPT(SHARED)
DEFINE QLOCAL(TO.PROVIDER)
DEFINE QLOCAL(FROM.PROVIDER)
DEFINE QLOCAL(ASK.PROVIDER)
DEFINE QLOCAL(ASKED)
DEFINE QLOCAL(ANSWERS)
DEFINE QLOCAL(TO.TOPIC)
DEFINE QLOCAL(FROM.TOPIC)
"""
LINK = """
[[link]]
name = "{name}"
endpoint = "{endpoint}"
user = "{user}"
password_file = "provider.pw"
"""
FIELDS = """\
send = [{ queue = "TO.PROVIDER", address = "to.provider" }, { queue = "TO.TOPIC", address = "topic://news" }]
receive = [
    { address = "from.provider", queue = "FROM.PROVIDER" },
    { address = "topic://sport", queue = "FROM.TOPIC" },
]
"""
REQUESTS = """\
send = [{ queue = "ASK.PROVIDER", address = "ask.provider" }]
receive = [{ address = "ask.queue", queue = "ASKED" }]
reply_queue = "ANSWERS"
reply_address = "answers"
"""
TO_PROVIDER, FROM_PROVIDER = "queue:///TO.PROVIDER", "queue:///FROM.PROVIDER"


@dataclass(frozen=True, slots=True)
class Stand:
    """Artemis with Qpid JMS, a queue manager with IBM's client and ours, links between the two. ``received``: the queue
    for messages of the provider, ``sent``: that for messages to it. ``tap``: what Qpid JMS puts on the wire."""

    service: RunningService
    tap: TransferTap
    url: str
    qpid: Exchange
    ibm: Exchange
    received: Queue
    sent: Queue


@pytest.fixture(scope="module")
def stand(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stand]:
    folder = tmp_path_factory.mktemp("links")
    with ExitStack() as opened:
        broker = Artemis(folder / "broker", anonymous=False)
        opened.callback(broker.close)
        broker.start()
        (folder / "provider.pw").write_text(f"{PASSWORD}\n", encoding="utf-8")
        links = [("fields", FIELDS), ("requests", REQUESTS)]
        configuration = folder / "links.toml"
        text = [LINK.format(name=name, endpoint=broker.endpoint, user=USER) + rest for name, rest in links]
        configuration.write_text("".join(text), encoding="utf-8")
        service = RunningService(
            folder / "EARTH",
            mqsc=OBJECTS,
            listen=f"tcp:{free_port()}:interface=127.0.0.1",
            options=("--config", str(configuration)),
        )
        opened.callback(service.close)
        service.start()
        tap = TransferTap(broker.port)
        opened.callback(tap.close)
        url = f"amqp://127.0.0.1:{tap.port}"
        qpid = opened.enter_context(Exchange.qpid(folder / "qpid", url=url, user=USER, password=PASSWORD))
        ibm = opened.enter_context(
            Exchange.ibm("javax", folder / "ibm", port=service.port, channel="EXCHANGE", queue_manager=service.name)
        )
        manager = opened.enter_context(
            mqbridge.connect(f"mq://127.0.0.1:{service.port}/{service.name}?channel=EXCHANGE")
        )
        queues = [opened.enter_context(manager.queue(name)) for name in ("FROM.PROVIDER", "TO.PROVIDER")]
        yield Stand(service, tap, url, qpid, ibm, *queues)
    demand_conforming([service.recordings])


AT_THE_PROVIDER = {"JMSDestination": "string queue://to.provider", ".JMSXDeliveryCount": "i4 1"}
AT_THE_QUEUE = {
    "JMSDestination": "string queue:///FROM.PROVIDER",
    "JMSDeliveryTime": "i8 0",
    ".JMSXUserID": "string ",
    ".JMSXAppID": "string fields",
}
NO_REPLY = {"JMSReplyTo": "null "}
CHANGED_AT_THE_QUEUE = {
    "reply-queue": NO_REPLY,
    "reply-topic": NO_REPLY,
    "group-without-number": {".JMSXGroupSeq": "i4 1"},
    "group-zero": {".JMSXGroupSeq": "i4 1"},
} | FOREIGN_HEADERS
"""What differs by necessity (docs/links.md, "What changes on the way")."""


def differences(expected: dict[str, str], read: dict[str, str]) -> dict[str, tuple[str | None, str | None]]:
    names = [name for name in {*expected, *read} if expected.get(name) != read.get(name)]
    return {name: (expected.get(name), read.get(name)) for name in names}


def of_ibm(facts: dict[str, str]) -> dict[str, str]:
    """Without what the descriptor alone says."""
    return {name: value for name, value in facts.items() if not name.startswith(".JMS_IBM_")}


@pytest.mark.spec("jms-mapping.md 6")
def test_what_qpid_jms_sends_is_read_here(stand: Stand) -> None:
    found = {}
    on_the_wire = {vector.name: vector.encoded for vector in vectors()}
    for name, message in (MATRIX | FOREIGN).items():
        sent = stand.qpid.read("write from.provider", message.lines())
        arrived = next(iter(stand.received.browse(wait=30)))
        ours, theirs = described(JmsMessage.of(arrived).content), stand.ibm.read(f"receive {FROM_PROVIDER}")
        assert ours["JMSMessageID"].startswith("string ID:414d514c")
        if name in on_the_wire:
            once, now = [without_moment(decode(each).message) for each in (on_the_wire[name], stand.tap.messages[-1])]
            assert comparable(now) == comparable(once)
        expected = sent | AT_THE_QUEUE | {"JMSMessageID": ours["JMSMessageID"]} | CHANGED_AT_THE_QUEUE.get(name, {})
        found[name] = differences(expected, of_ibm(ours)), differences(ours, theirs)
    assert {name: each for name, each in found.items() if each != ({}, {})} == {}


@pytest.mark.spec("jms-mapping.md 6")
@pytest.mark.parametrize("client", ["ibm", "ours"])
def test_what_is_put_here_qpid_jms_reads(stand: Stand, client: str) -> None:
    found = {}
    for name, message in (MATRIX | IBM_ALONE).items():
        if client == "ibm":
            sent = stand.ibm.read(f"write {TO_PROVIDER}", message.lines())
        else:
            made = message.message(time.time()).message(TO_PROVIDER)
            identifier = stand.sent.put(made)
            sent = described(JmsMessage.of(made).content) | {"JMSMessageID": f"string ID:{identifier.hex()}"}
        read = stand.qpid.read("receive to.provider")
        expected = {key: value for key, value in of_ibm(sent).items() if key not in (".JMSXUserID", ".JMSXAppID")}
        expected |= AT_THE_PROVIDER | {"JMSDeliveryTime": sent["JMSTimestamp"].replace("string", "i8")}
        if name.startswith("reply"):
            expected |= NO_REPLY
        if sent["JMSDeliveryMode"] == "i4 2":
            assert re.fullmatch("string [0-9a-f]{24}-[0-9a-f]+", read.pop("._AMQ_DUPL_ID"))
        found[name] = differences(expected, read)
    assert {name: each for name, each in found.items() if each} == {}


@pytest.mark.spec("jms-mapping.md 6.1")
@pytest.mark.parametrize(
    ("form", "kind", "body"), [("MQSTR", "text", "string plain"), ("", "bytes", "bin.hex 706c61696e")]
)
def test_what_a_program_without_jms_puts_qpid_jms_reads(stand: Stand, form: str, kind: str, body: str) -> None:
    stand.sent.put(b"plain", format=form, coded_char_set_id=819, correl_id=b"c" * 24, priority=7, expiry=600)
    read = stand.qpid.read("receive to.provider")
    assert (read["kind"], read["body"], read["JMSPriority"]) == (f"string {kind}", body, "i4 7")
    assert (read["JMSCorrelationID"], read["JMSType"]) == ("string ID:" + "63" * 24, "null ")
    left = int(read["JMSExpiration"].split()[1]) - int(read["JMSTimestamp"].split()[1])
    assert 590_000 < left < 601_000


def test_what_qpid_jms_sends_is_shown_by_command(stand: Stand) -> None:
    stand.qpid.read("write from.provider", Dictated("map", {"count": 5}, {}, {"colour": "red"}).lines())
    next(iter(stand.received.browse(wait=30)))
    shown = stand.service.command("get", "FROM.PROVIDER", "--jms").output
    assert shown.startswith("map  ID:414d514c")
    assert re.search(r"count +int +5\n", shown)
    assert re.search(r"colour +String +red\n", shown)


def test_the_user_at_the_provider_is_none_here(stand: Stand, tmp_path: Path) -> None:
    url = f"{stand.url}?jms.populateJMSXUserID=true"
    with Exchange.qpid(tmp_path, url=url, user=USER, password=PASSWORD) as qpid:
        sent = qpid.read("write from.provider", Dictated("text", "x").lines())
    read = stand.ibm.read(f"receive {FROM_PROVIDER}")
    assert (sent[".JMSXUserID"], read[".JMSXUserID"]) == (f"string {USER}", "string ")
    assert read["body"] == "string x"


def test_topics_of_the_provider(stand: Stand) -> None:
    stand.qpid.ask("subscribe topic://news")
    stand.ibm.ask("write queue:///TO.TOPIC", Dictated("text", "to all").lines())
    read = stand.qpid.read("next topic://news")
    assert (read["body"], read["JMSDestination"]) == ("string to all", "string topic://news")
    sent = stand.qpid.read("write topic://sport", Dictated("text", "to us").lines())
    assert sent["JMSDestination"] == "string topic://sport"
    read = stand.ibm.read("receive queue:///FROM.TOPIC")
    assert (read["body"], read["JMSDestination"]) == ("string to us", "string queue:///FROM.TOPIC")


CORRELATIONS = ["order 4711", "Grüße 世界 " * 9, "ID:" + "0a" * 24, b"\xfe" * 24]
THEIRS_ALONE = ["ID:c8ddfc31-b8b7-4ddc-9f7e-0f3b3f3a8f52:1:1:1-1", "ID:AMQP_ULONG:5"]


def test_qpid_jms_asks_and_ibms_client_answers(stand: Stand) -> None:
    asked = stand.qpid.read("ask ask.queue", Dictated("text", "how many?").lines())
    assert asked["JMSReplyTo"].startswith("string temporary-queue://")
    there = stand.ibm.read("receive queue:///ASKED")
    assert (there["body"], there["JMSReplyTo"]) == ("string how many?", "string queue://EARTH/ANSWERS")
    stand.ibm.ask("answer message-id", Dictated("map", {"count": 5}).lines())
    reply = stand.qpid.read("answered")
    assert (reply["kind"], reply["body[count]"]) == ("string map", "i4 5")
    assert reply["JMSCorrelationID"] == asked["JMSMessageID"]
    for correlation in [*CORRELATIONS, *THEIRS_ALONE]:
        request = Dictated("text", "how many?", {"JMSCorrelationID": correlation})
        asked = stand.qpid.read("ask ask.queue", request.lines())
        stand.ibm.read("receive queue:///ASKED")
        stand.ibm.ask("answer correlation-id", Dictated("text", "6").lines())
        reply = stand.qpid.read("answered")
        assert (reply["body"], reply["JMSCorrelationID"]) == ("string 6", asked["JMSCorrelationID"])


def test_ibms_client_asks_and_qpid_jms_answers(stand: Stand) -> None:
    asked = stand.ibm.read("ask queue:///ASK.PROVIDER", Dictated("text", "how many?").lines())
    there = stand.qpid.read("receive ask.provider")
    assert (there["body"], there["JMSReplyTo"]) == ("string how many?", "string queue://answers")
    assert there["JMSMessageID"] == asked["JMSMessageID"]
    stand.qpid.ask("answer message-id", Dictated("map", {"count": 5}).lines())
    reply = stand.ibm.read("answered")
    assert (reply["kind"], reply["body[count]"]) == ("string map", "i4 5")
    assert reply["JMSCorrelationID"] == asked["JMSMessageID"]
    for correlation in CORRELATIONS:
        request = Dictated("text", "how many?", {"JMSCorrelationID": correlation})
        asked = stand.ibm.read("ask queue:///ASK.PROVIDER", request.lines())
        stand.qpid.read("receive ask.provider")
        stand.qpid.ask("answer correlation-id", Dictated("text", "6").lines())
        reply = stand.ibm.read("answered")
        assert (reply["body"], reply["JMSCorrelationID"]) == ("string 6", asked["JMSCorrelationID"])


def test_replies_to_topics(stand: Stand) -> None:
    request = Dictated("text", "how many?", {"JMSReplyTo": "topic://answers/theirs"})
    stand.qpid.ask("subscribe topic://answers/theirs")
    asked = stand.qpid.read("write ask.queue", request.lines())
    stand.ibm.read("receive queue:///ASKED")
    stand.ibm.ask("answer message-id", Dictated("text", "5").lines())
    reply = stand.qpid.read("next topic://answers/theirs")
    assert (reply["body"], reply["JMSCorrelationID"]) == ("string 5", asked["JMSMessageID"])
    assert reply["JMSDestination"] == "string topic://answers/theirs"
    stand.ibm.ask("subscribe topic://answers/theirs")
    asked = stand.ibm.read("write queue:///ASK.PROVIDER", request.lines())
    stand.qpid.read("receive ask.provider")
    stand.qpid.ask("answer message-id", Dictated("text", "6").lines())
    reply = stand.ibm.read("next topic://answers/theirs")
    assert (reply["body"], reply["JMSCorrelationID"]) == ("string 6", asked["JMSMessageID"])
    assert reply["JMSDestination"] == "string topic://answers/theirs"
