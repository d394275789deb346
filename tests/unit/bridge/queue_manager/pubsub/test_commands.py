from __future__ import annotations

from typing import Any

import pytest

from mqbridge.bridge.queue_manager.mqsc import CommandReply, Commands, dump, read_script
from mqbridge.bridge.queue_manager.objects import Kind
from mqbridge.bridge.queue_manager.pubsub.retained import RETAINED_QUEUE
from mqbridge.bridge.store.interface import StoreFull
from mqbridge.protocol.constants import MQOO, MQPMO, MQRC, MQSO
from support.queue_manager.mqsc_bench import RememberingControl
from support.queue_manager.pubsub_host import BOB, DURABLE, PubSubHost, reason_of


class Desk:
    """Types commands to a host's queue manager."""

    def __init__(self, host: PubSubHost) -> None:
        self.host = host

    def run(self, text: Any) -> CommandReply:
        replies: list[CommandReply] = []
        Commands(self.host.queue_manager, RememberingControl()).execute(text, self.host.now, replies.append)
        self.host.pump()
        assert len(replies) == 1
        return replies[0]

    def good(self, text: str) -> CommandReply:
        reply = self.run(text)
        assert reply.ok, reply.responses[0].line
        return reply

    def bad(self, text: str) -> int:
        reply = self.run(text)
        assert not reply.ok
        return reply.reason

    def rows(self, text: str) -> list[dict[str, Any]]:
        return [{key: cell.value for key, cell in row.items()} for row in self.good(text).rows]


@pytest.fixture
def desk(host: PubSubHost) -> Desk:
    host.local("Q")
    return Desk(host)


@pytest.mark.spec("channels.md 17.2")
def test_a_subscription_that_is_replaced_still_has_a_correlation_identifier(desk: Desk) -> None:
    desk.good("DEFINE SUB(S) TOPICSTR(news) DEST(Q)")
    before = desk.rows("DISPLAY SUB(S)")[0]
    desk.good("DEFINE SUB(S) TOPICSTR(news) DEST(Q) REPLACE")
    after = desk.rows("DISPLAY SUB(S)")[0]
    assert after["SUBID"] == before["SUBID"]
    assert after["DESTCORL"] == after["SUBID"]


@pytest.mark.spec("channels.md 17.2")
def test_an_administrative_subscription_delivers(desk: Desk) -> None:
    host = desk.host
    desk.good("DEFINE SUB(S) TOPICSTR('news/#') DEST(Q) USERDATA('mine')")
    host.publish("news/sport", b"1", persistence=1)
    (message,) = host.messages("Q")
    row = desk.rows("DISPLAY SUB(S)")[0]
    assert message.md.correl_id.hex().upper() == row["DESTCORL"] == row["SUBID"]
    assert b"<Top>news/sport</Top><Sud>mine</Sud>" in message.data
    assert (row["SUBTYPE"], row["DURABLE"], row["DEST"]) == ("ADMIN", "YES", "Q")
    host.restart()
    host.publish("news/x", b"2", persistence=1)
    assert host.bodies("Q") == [b"2"]
    desk.good("DELETE SUB(S)")
    host.publish("news/x", b"3")
    assert host.bodies("Q") == []


def test_a_managed_administrative_subscription_has_a_queue_of_its_own(desk: Desk) -> None:
    host = desk.host
    desk.good("DEFINE SUB(S) TOPICSTR('a') DESTCLAS(MANAGED)")
    queue = desk.rows("DISPLAY SUB(S) DEST")[0]["DEST"]
    assert queue.startswith("SYSTEM.MANAGED.DURABLE.")
    host.publish("a", b"1", persistence=1)
    host.restart()
    assert host.bodies(queue) == [b"1"]
    handle = host.subscribe("", int(MQSO.RESUME | MQSO.DURABLE | MQSO.MANAGED), name="S", application=BOB)
    assert desk.bad("DELETE SUB(S)") == MQRC.SUBSCRIPTION_IN_USE
    host.close(handle)
    desk.good("ALTER SUB(S) USERDATA('x')")
    desk.good("DEFINE SUB(S) TOPICSTR('a') DESTCLAS(MANAGED) REPLACE")
    assert desk.rows("DISPLAY SUB(S) DEST")[0]["DEST"] == queue
    desk.good("DELETE SUB(S)")
    assert host.objects.queue(queue) is None
    host.restart()
    assert host.objects.queue(queue) is None


def test_topic_object_and_string_are_put_together(desk: Desk) -> None:
    host = desk.host
    desk.good("DEFINE TOPIC(T) TOPICSTR('root')")
    desk.good("DEFINE SUB(S) TOPICOBJ(T) TOPICSTR('x') DEST(Q)")
    desk.good("DEFINE SUB(R) TOPICOBJ(T) DEST(Q)")
    assert desk.rows("DISPLAY SUB(S) TOPICSTR")[0]["TOPICSTR"] == "root/x"
    assert desk.rows("DISPLAY SUB(R) TOPICSTR")[0]["TOPICSTR"] == "root"
    host.publish("root/x", b"1")
    host.publish("x", b"2", topic_object="T")
    host.publish("", b"3", topic_object="T")
    assert host.bodies("Q") == [b"1", b"2", b"3"]
    desk.good("DEFINE SUB(S) TOPICOBJ(T) TOPICSTR('root/x') DEST(Q) REPLACE")
    assert desk.bad("DEFINE SUB(S) TOPICSTR('other') DEST(Q) REPLACE")
    assert desk.bad("DEFINE SUB(S2) TOPICOBJ(NONE) DEST(Q)") == MQRC.UNKNOWN_OBJECT_NAME


def test_alter_acts_at_once(desk: Desk) -> None:
    host = desk.host
    host.local("Q2")
    desk.good("DEFINE SUB(S) TOPICSTR('a') DEST(Q)")
    desk.good("ALTER SUB(S) DEST(Q2) PUBPRTY(7) PSPROP(NONE) SUBUSER('carol') PUBAPPID('ident')")
    host.publish("a", b"1", priority=1)
    (message,) = host.messages("Q2")
    assert message.data == b"1"
    assert message.md.priority == 7
    assert (message.md.user_identifier, message.md.appl_identity_data) == ("carol", "ident")
    identifier = desk.rows("DISPLAY SUB(S)")[0]["SUBID"]
    desk.good(f"ALTER SUB SUBID({identifier}) REQONLY(YES)")
    host.publish("a", b"2")
    assert host.bodies("Q2") == []
    assert desk.rows(f"DISPLAY SUB SUBID({identifier}) ALL")[0]["SUB"] == "S"
    desk.good(f"DELETE SUB SUBID({identifier})")
    assert desk.bad("DISPLAY SUB(S)") == MQRC.NO_SUBSCRIPTION
    assert desk.bad(f"DELETE SUB SUBID({identifier})")
    desk.good("DELETE SUB(S) IGNSTATE(YES)")
    assert desk.bad("DISPLAY SUB")


def test_a_dump_defines_the_same_subscriptions_again(desk: Desk) -> None:
    desk.good("DEFINE TOPIC(T) TOPICSTR('root')")
    desk.good("DEFINE SUB(S) TOPICOBJ(T) TOPICSTR('x') DESTCLAS(MANAGED) USERDATA('y')")
    desk.host.subscribe("a", DURABLE, name="D")
    desk.host.subscribe("a")
    script = "\n".join(dump(desk.host.objects, desk.host.now))
    again = Desk(PubSubHost())
    for source in read_script(script.splitlines()):
        again.run(source)
    rows = {row["SUB"]: row for row in again.rows("DISPLAY SUB(*) ALL")}
    assert set(rows) == {"S", "D", "SYSTEM.DEFAULT.SUB"}
    assert rows["S"]["TOPICSTR"] == "root/x"
    assert rows["S"]["DEST"].startswith("SYSTEM.MANAGED.DURABLE.")
    assert rows["S"]["DEST"] != desk.rows("DISPLAY SUB(S) DEST")[0]["DEST"]


@pytest.mark.parametrize(
    ("attributes", "reason"),
    [
        ("TOPICSTR('closed') DEST(Q)", MQRC.SUB_INHIBITED),
        ("TOPICSTR('fleeting') DEST(Q)", MQRC.DURABILITY_NOT_ALLOWED),
        ("TOPICSTR('a') DEST(Q) SELECTOR('a =')", MQRC.SELECTION_NOT_AVAILABLE),
    ],
)
def test_what_a_topic_does_not_allow_is_refused(desk: Desk, attributes: str, reason: int) -> None:
    desk.good("DEFINE TOPIC(CLOSED) TOPICSTR('closed') SUB(DISABLED)")
    desk.good("DEFINE TOPIC(FLEETING) TOPICSTR('fleeting') DURSUB(NO)")
    before = len(desk.host.objects)
    assert desk.bad(f"DEFINE SUB(S) {attributes}") == reason
    assert len(desk.host.objects) == before


def test_a_definition_that_cannot_be_stored_is_taken_back(desk: Desk) -> None:
    host = desk.host
    host.publish("a", b"kept", options=MQPMO.RETAIN, persistence=1)
    before = {each.name for each in host.objects}
    host.store.failure = StoreFull("no room")
    assert desk.bad("DEFINE SUB(S) TOPICSTR('a') DESTCLAS(MANAGED)") == MQRC.Q_SPACE_NOT_AVAILABLE
    host.store.failure = None
    assert {each.name for each in host.objects} == before
    assert host.pubsub.subscription("S") is None
    desk.good("DEFINE SUB(S) TOPICSTR('a') DESTCLAS(MANAGED)")
    queue = desk.rows("DISPLAY SUB(S) DEST")[0]["DEST"]
    host.publish("a", b"new")
    host.store.failure = StoreFull("no room")
    assert desk.bad("DELETE SUB(S)") == MQRC.Q_SPACE_NOT_AVAILABLE
    host.store.failure = None
    assert host.pubsub.subscription("S") is not None
    assert host.bodies(queue) == [b"kept"]


def test_a_definition_of_like_and_defaults(desk: Desk) -> None:
    desk.good("ALTER SUB(SYSTEM.DEFAULT.SUB) USERDATA('default')")
    desk.good("DEFINE SUB(A) TOPICSTR('a') DEST(Q) PUBPRTY(3)")
    desk.good("DEFINE SUB(B) LIKE(A) TOPICSTR('b')")
    assert desk.rows("DISPLAY SUB(B)")[0] | {} == desk.rows("DISPLAY SUB(B) ALL")[0]
    row = desk.rows("DISPLAY SUB(B)")[0]
    assert (row["PUBPRTY"], row["DEST"], row["USERDATA"], row["TOPICSTR"]) == (3, "Q", "default", "b")
    assert desk.bad("DEFINE SUB(A) TOPICSTR('a') DEST(Q)")
    desk.good("DELETE SUB(SYSTEM.DEFAULT.SUB)")


@pytest.mark.spec("mqi.md 17")
def test_clear_topicstr(desk: Desk) -> None:
    host = desk.host
    for topic in ("a", "a/b", "a/c", "z"):
        host.publish(topic, topic.encode(), options=MQPMO.RETAIN, persistence=1)
    desk.good("CLEAR TOPICSTR('a') CLRTYPE(RETAINED)")
    assert host.depth(RETAINED_QUEUE) == 3
    desk.good("CLEAR TOPICSTR('a/+') CLRTYPE(RETAINED) SCOPE(LOCAL)")
    assert host.depth(RETAINED_QUEUE) == 1
    desk.good("CLEAR TOPICSTR('nothing') CLRTYPE(RETAINED)")
    host.restart()
    assert host.bodies(host.subscribe("#")) == [b"z"]


@pytest.mark.spec("channels.md 17.4")
def test_display_tpstatus(desk: Desk) -> None:
    host = desk.host
    desk.good("DEFINE TOPIC(A) TOPICSTR('a') DEFPRTY(4) DEFPSIST(YES)")
    host.subscribe("a/b", DURABLE, name="D")
    host.subscribe("a/b")
    handle = host.pubsub.open_topic("", "a/b", options=MQOO.OUTPUT, owner=b"1", now=host.now)
    host.publish("a/b", b"x", options=MQPMO.RETAIN)
    row = desk.rows("DISPLAY TPSTATUS('a/b')")[0]
    assert (row["SUBCOUNT"], row["PUBCOUNT"], row["RETAINED"], row["ADMIN"]) == (2, 1, "YES", "")
    assert (row["DEFPRTY"], row["DEFPSIST"], row["DURSUB"], row["PUB"]) == (4, "YES", "YES", "ENABLED")
    assert [row["TOPICSTR"] for row in desk.rows("DISPLAY TPSTATUS('a/#')")] == ["a", "a/b"]
    assert desk.rows("DISPLAY TPSTATUS('a') ADMIN")[0] == {"TOPICSTR": "a", "TYPE": "TOPIC", "ADMIN": "A"}
    assert desk.rows("DIS TPS('') ADMIN")[0]["ADMIN"] == "SYSTEM.BASE.TOPIC"
    subscribers = desk.rows("DISPLAY TPSTATUS('a/b') TYPE(SUB) DURABLE WHERE(DURABLE EQ YES)")
    assert [row["DURABLE"] for row in subscribers] == ["YES"]
    assert desk.rows("DISPLAY TPSTATUS('#') TYPE(PUB)") == [{"TOPICSTR": "a/b", "TYPE": "PUB"}]
    host.queue_manager.close(handle, 0, host.now)
    assert desk.rows("DISPLAY TPSTATUS('a/b') PUBCOUNT")[0]["PUBCOUNT"] == 0
    assert desk.bad("DISPLAY TPSTATUS('none')")


@pytest.mark.spec("channels.md 17.4")
def test_display_sbstatus_and_pubsub(desk: Desk) -> None:
    host = desk.host
    desk.good("DEFINE SUB(S) TOPICSTR('a') DEST(Q)")
    host.subscribe("a", DURABLE, name="D")
    host.subscribe("a")
    host.publish("a")
    rows = {row["SUB"]: row for row in desk.rows("DISPLAY SBSTATUS(*) ALL")}
    assert set(rows) == {"S", "D", ""}
    assert rows["S"]["NUMMSGS"] == 1
    assert rows["S"]["LMSGDATE"] == "2027-01-15"
    assert rows["S"]["RESMDATE"] == ""
    assert rows["D"]["RESMDATE"] == "2027-01-15"
    assert rows["D"]["SUBUSER"] == "alice"
    assert [row["SUB"] for row in desk.rows("DIS SBS(*) DURABLE(NO)")] == [""]
    assert [row["SUB"] for row in desk.rows("DISPLAY SUB(*) SUBTYPE(API) DURABLE(YES)")] == ["D"]
    row = desk.rows("DISPLAY PUBSUB")[0]
    assert (row["QMNAME"], row["TYPE"], row["STATUS"], row["SUBCOUNT"]) == ("EARTH", "LOCAL", "ACTIVE", 3)
    assert desk.bad("DISPLAY PUBSUB TYPE(CHILD)")
    desk.good("ALTER QMGR PSMODE(DISABLED)")
    assert desk.rows("DISPLAY PUBSUB STATUS")[0]["STATUS"] == "INACTIVE"
    assert reason_of(host.publish, "a") == MQRC.PUBSUB_INHIBITED
    assert reason_of(host.subscribe, "a") == MQRC.PUBSUB_INHIBITED


def test_unknown_displays(desk: Desk) -> None:
    assert desk.bad("DISPLAY SBSTATUS(NONE)")
    assert desk.host.objects.find(Kind.SUB, "SYSTEM.DEFAULT.SUB") is not None
    assert desk.rows("DISPLAY SUB(SYSTEM.DEFAULT.SUB) SUB")[0]["SUB"] == "SYSTEM.DEFAULT.SUB"
    assert desk.bad("DISPLAY SBSTATUS(SYSTEM.DEFAULT.SUB)")
