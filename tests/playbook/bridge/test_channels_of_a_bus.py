"""Channels of a service integration bus, between whole queue managers (jms-mapping.md 7.3, 8)."""

from __future__ import annotations

from typing import Any

import pytest

from mqbridge.bridge.agents.message_channel import bus_channel
from mqbridge.mappings.message import Message
from mqbridge.mappings.service_integration import Bus, BusDestination, ChannelRules
from mqbridge.protocol.constants import MQRC
from support.gateway.stage import Stage, Station
from support.service_integration.messages import destinations_in, jms_message

BUS = Bus(
    "WAS",
    "WASQM",
    indirect=frozenset(("PARIS",)),
    aliases={"NEW": BusDestination("WAS", "orders, new"), "P.STOCK": BusDestination("PARIS", "STOCK")},
)
RULES = ChannelRules(BUS, "QM1", {"orders, new": "ORDERS"})
AT_THE_BUS = """
    DEFINE QLOCAL(ORDERS)
    DEFINE QLOCAL(BILLS)
    DEFINE QLOCAL(DLQ)
    ALTER QMGR DEADQ(DLQ)
    DEFINE QLOCAL(QM2) USAGE(XMITQ)
    DEFINE QREMOTE(PARIS) RQMNAME(PARIS) XMITQ(QM2)
    DEFINE CHANNEL(WAS.TO.QM2) CHLTYPE(SDR) XMITQ(QM2) CONNAME(QM2) SHORTTMR(5) {sender}
    DEFINE CHANNEL(QM2.TO.WAS) CHLTYPE(RCVR) MRRTY(0) {receiver}
"""
AT_THE_PARTNER = """
    DEFINE QLOCAL(R)
    DEFINE QLOCAL(PARIS) USAGE(XMITQ)
    DEFINE QLOCAL(DLQ)
    ALTER QMGR DEADQ(DLQ)
    DEFINE QLOCAL(WASQM) USAGE(XMITQ)
    DEFINE CHANNEL(QM2.TO.WAS) CHLTYPE(SDR) XMITQ(WASQM) CONNAME(QM1) SHORTTMR(5)
    DEFINE CHANNEL(WAS.TO.QM2) CHLTYPE(RCVR)
"""
CHANNELS = ("WAS.TO.QM2", "QM2.TO.WAS")


class Scene:
    """QM1 has the bus's destinations, QM2 is across its link."""

    def __init__(self, sender: str = "", receiver: str = "", channels: tuple[str, ...] = CHANNELS) -> None:
        self.stage = Stage()
        script = AT_THE_BUS.format(sender=sender, receiver=receiver)
        self.qm1 = self.stage.station("QM1", script, buses=dict.fromkeys(channels, RULES))
        self.qm2 = self.stage.station("QM2", AT_THE_PARTNER)
        self.qm1.types("START CHANNEL(WAS.TO.QM2)")
        self.qm2.types("START CHANNEL(QM2.TO.WAS)")
        self.stage.wait()

    def puts(self, station: Station, queue: str, queue_manager: str, message: Message) -> None:
        """A program puts a message as it stands."""
        md = message.md
        station.put(
            queue,
            bytes(message.body),
            queue_manager,
            format=md.format,
            encoding=md.encoding,
            coded_char_set_id=md.coded_char_set_id,
            reply_to_q=md.reply_to_q,
            reply_to_q_mgr=md.reply_to_q_mgr,
            persistence=md.persistence,
        )
        self.stage.wait()

    def dead_letter(self, station: Station) -> tuple[int, bytes]:
        """Reason and data of the next message on the dead-letter queue."""
        data = station.got("DLQ").data
        return int.from_bytes(data[8:12], "little"), data[172:]


def request(**fields: Any) -> Message:
    return jms_message(dst="queue://WASQM/NEW?ibmRoutingPath=x,y", persistence=1, **fields)


@pytest.mark.spec("jms-mapping.md 8.3")
@pytest.mark.spec("jms-mapping.md 7.3")
def test_a_request_comes_in_and_its_answer_goes_back() -> None:
    scene = Scene()
    asked = request(rto="queue://QM2/R?ibmRoutingPath=a,b&x=%2C", reply_to_q="R", reply_to_q_mgr="QM2")
    scene.puts(scene.qm2, "NEW", "WASQM", asked)
    arrived = scene.qm1.got("ORDERS")
    assert destinations_in(arrived) == (
        "queue://QM1/ORDERS?ibmRoutingPath=x,y",
        "queue://QM2/R?ibmRoutingPath=a,b&x=%2C",
        "R",
        "QM2",
    )
    assert arrived.data.endswith(b"hello")
    answer = jms_message(dst="queue://QM2/R?ibmRoutingPath=a,b&x=%2C", data=b"answer", persistence=1)
    scene.puts(scene.qm1, "R", "QM2", answer)
    back = scene.qm2.got("R")
    assert destinations_in(back) == ("queue://QM2/R?ibmRoutingPath=a,b&x=%2C", None, "", "")
    assert back.data == bytes(answer.body)


@pytest.mark.spec("jms-mapping.md 8.2")
def test_a_request_goes_out_with_the_names_of_the_bus_and_its_answer_finds_back() -> None:
    scene = Scene()
    asked = jms_message(
        dst="queue://QM2/R", rto="queue:///ORDERS?ibmRoutingPath=a,b", reply_to_q="ORDERS", persistence=1
    )
    scene.puts(scene.qm1, "R", "QM2", asked)
    arrived = scene.qm2.got("R")
    assert destinations_in(arrived) == ("queue://QM2/R", "queue://WASQM/NEW?ibmRoutingPath=a,b", "NEW", "WASQM")
    answer = jms_message(dst="queue://WASQM/NEW?ibmRoutingPath=a,b", data=b"answer", persistence=1)
    scene.puts(scene.qm2, arrived.md.reply_to_q, arrived.md.reply_to_q_mgr, answer)
    back = scene.qm1.got("ORDERS")
    assert destinations_in(back)[0] == "queue://QM1/ORDERS?ibmRoutingPath=a,b"
    assert back.data.endswith(b"answer")


@pytest.mark.spec("jms-mapping.md 8.3")
@pytest.mark.parametrize("length", [5, 200_000, 3_000_000])
@pytest.mark.parametrize("persistence", [0, 1])
def test_messages_of_any_length_keep_their_data(length: int, persistence: int) -> None:
    scene = Scene()
    data = bytes(range(256)) * (length // 256 + 1)
    message = jms_message(dst="queue://WASQM/BILLS", data=data, persistence=persistence)
    scene.puts(scene.qm2, "BILLS", "WASQM", message)
    scene.stage.wait(20)
    arrived = scene.qm1.got("BILLS")
    assert destinations_in(arrived)[0] == "queue://QM1/BILLS"
    assert arrived.data.endswith(data)
    out = jms_message(rto="queue://QM1/BILLS", reply_to_q="BILLS", data=data, persistence=persistence)
    scene.puts(scene.qm1, "R", "QM2", out)
    scene.stage.wait(20)
    arrived = scene.qm2.got("R")
    assert destinations_in(arrived)[1:] == ("queue://WASQM/BILLS", "BILLS", "WASQM")
    assert arrived.data.endswith(data)


def test_messages_without_headers_of_a_bus_pass_unchanged() -> None:
    scene = Scene()
    scene.qm2.put("BILLS", b"plain", "WASQM")
    scene.qm1.put("R", b"plain", "QM2", reply_to_q="MINE", reply_to_q_mgr="QM9")
    scene.qm1.put(
        "R", b"grouped", "QM2", version=2, group_id=b"g" * 24, msg_seq_number=3, msg_flags=8, reply_to_q="BILLS"
    )
    scene.qm2.put("BILLS", b"grouped", "WASQM", version=2, group_id=b"g" * 24, msg_flags=8, reply_to_q="R")
    scene.stage.wait()
    assert scene.qm1.contents("BILLS") == [b"plain", b"grouped"]
    first, second = scene.qm2.got("R"), scene.qm2.got("R")
    assert (first.md.reply_to_q, first.md.reply_to_q_mgr) == ("MINE", "QM9")
    assert (second.md.reply_to_q, second.md.reply_to_q_mgr, second.data) == ("BILLS", "WASQM", b"grouped")
    assert (second.md.group_id, second.md.msg_seq_number, second.md.msg_flags) == (b"g" * 24, 3, 8)


@pytest.mark.spec("jms-mapping.md 8.2")
def test_a_message_for_a_foreign_bus_is_forwarded() -> None:
    scene = Scene()
    scene.puts(scene.qm2, "P.STOCK", "WASQM", jms_message(dst="queue://WASQM/P.STOCK", persistence=1))
    scene.stage.wait()
    waiting = scene.qm2.contents("PARIS")
    assert [data[:4] for data in waiting] == [b"XQH "]
    assert waiting[0][8:104].split() == [b"STOCK", b"PARIS"]


@pytest.mark.spec("jms-mapping.md 8.2")
@pytest.mark.parametrize(
    ("rto", "names", "target"),
    [("queue://QM9/R", ("R", "QM9"), "'R@QM9' on bus MQ"), ("queue://PARIS/R", ("R", "PARIS"), "'R' on bus PARIS")],
)
def test_what_cannot_leave_stays_here_and_others_go_on(rto: str, names: tuple[str, str], target: str) -> None:
    scene = Scene()
    message = jms_message(rto=rto, reply_to_q=names[0], reply_to_q_mgr=names[1], persistence=1)
    scene.puts(scene.qm1, "R", "QM2", message)
    scene.qm1.put("R", b"behind", "QM2")
    scene.stage.wait()
    assert scene.qm2.contents("R") == [b"behind"]
    assert scene.dead_letter(scene.qm1) == (MQRC.OBJECT_NAME_ERROR, bytes(message.body))
    text = f"bus WAS needs an alias with a name of MQ for the reply destination {target}"
    assert scene.qm1.logged("AMQ5110") == [f"WAS.TO.QM2 MQRC_OBJECT_NAME_ERROR (2152): {text}"]
    assert scene.qm1.status("WAS.TO.QM2") == "RUNNING"


@pytest.mark.spec("jms-mapping.md 8.3")
def test_what_has_no_queue_here_goes_to_the_dead_letter_queue_and_others_go_on() -> None:
    scene = Scene()
    message = request()
    scene.puts(scene.qm2, "NO.SUCH", "WASQM", message)
    scene.qm2.put("BILLS", b"behind", "WASQM")
    scene.stage.wait()
    assert scene.qm1.contents("BILLS") == [b"behind"]
    assert scene.dead_letter(scene.qm1) == (MQRC.UNKNOWN_OBJECT_NAME, bytes(message.body))


@pytest.mark.spec("jms-mapping.md 8.3")
def test_a_channel_that_converts_and_one_that_puts_for_users_follow_the_rules() -> None:
    scene = Scene(sender="CONVERT(YES)", receiver="PUTAUT(CTX)")
    scene.puts(scene.qm2, "BILLS", "WASQM", jms_message(dst="queue://WASQM/BILLS", persistence=1))
    scene.puts(scene.qm1, "R", "QM2", jms_message(dst="queue://QM1/BILLS", persistence=1))
    assert destinations_in(scene.qm2.got("R"))[0] == "queue://WASQM/BILLS"
    held = scene.qm1.contents("BILLS") or [scene.dead_letter(scene.qm1)[1]]
    assert len(held) == 1


@pytest.mark.faulty_traffic
def test_damaged_folders_pass_as_they_are() -> None:
    scene = Scene()
    good = jms_message(dst="queue://WASQM/BILLS", rto="queue://WASQM/BILLS", persistence=1)
    for old, new in ((b"</jms>", b"<jms>>"), (b"queue://WASQM", b"queue:::WASQM"), (b"RFH ", b"RFX ")):
        damaged = good.copy(bytes(good.body).replace(old, new))
        scene.puts(scene.qm2, "BILLS", "WASQM", damaged)
        assert scene.qm1.got("BILLS").data == bytes(damaged.body)
        scene.puts(scene.qm1, "R", "QM2", damaged)
        assert scene.qm2.got("R").data == bytes(damaged.body)


def test_other_channels_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bus_channel.BusChannel, "received", None)
    monkeypatch.setattr(bus_channel.BusChannel, "sent", None)
    scene = Scene(channels=("ANOTHER",))
    for count in range(20):
        scene.qm2.put("NEW", b"%d" % count, "WASQM")
    scene.stage.wait()
    reason, _ = scene.dead_letter(scene.qm1)  # QM1 knows no queue manager WASQM
    assert reason == MQRC.UNKNOWN_REMOTE_Q_MGR


@pytest.mark.spec("jms-mapping.md 8.2")
def test_what_becomes_of_a_message_that_leaves_is_explained() -> None:
    scene = Scene()
    manager = scene.qm1.gateway.channel_manager

    def explained(transmission_queue: str, queue: str, queue_manager: str) -> tuple[str, str] | None:
        return bus_channel.explain_bus(
            manager.buses, scene.qm1.manager.objects, transmission_queue, queue, queue_manager
        )

    names = "RemoteQName ORDERS, RemoteQMgrName QM2 (jms-mapping.md 8.2)"
    assert explained("QM2", "ORDERS", "QM2") == ("WAS", names)
    assert explained("QM3", "ORDERS", "QM2") is None
    found = explained("QM2", "ORDERS", "WASQM")
    assert found == ("WAS", "'ORDERS' on bus WAS is not behind the link of that bus")
