"""Where messages go: aliases of queue managers and reply queues, several hops, what has no route (channels.md 12)."""

from __future__ import annotations

import pytest

from mqbridge.mappings.message import Message
from mqbridge.protocol.constants import MQFB, MQRC, MQRO
from mqbridge.protocol.structures.dlh import DLH
from support.channels.partner import calls_as_sender
from support.channels.playbook import L1
from support.gateway.stage import RECEIVER, SENDER, TRIGGERED, Stage, Station, earth_and_saturn

PLANETS = ("EARTH", "MARS", "SATURN")


def dead(station: Station) -> tuple[int, str, str, bytes]:
    """Reason, queue, queue manager and data of the next dead letter."""
    found = station.got("DLQ")
    header = DLH.codec(found.order).parse(found.data[:172])
    names = (header.dest_q_name.decode().rstrip(), header.dest_q_mgr_name.decode().rstrip())
    return header.reason, *names, found.data[172:]


def chain() -> tuple[Stage, Station, Station, Station]:
    """EARTH, MARS and SATURN in a row: a channel each way between neighbours, none between EARTH and SATURN."""
    stage = Stage()
    stations = []
    for place, own in enumerate(PLANETS):
        neighbours = [PLANETS[other] for other in (place - 1, place + 1) if 0 <= other < len(PLANETS)]
        station = stage.station(own, "DEFINE QLOCAL(TARGET)\nDEFINE QLOCAL(DLQ)\nALTER QMGR DEADQ(DLQ)")
        for other in neighbours:
            station.types(f"DEFINE QLOCAL({other}) USAGE(XMITQ) {TRIGGERED}")
            station.types(f"DEFINE CHANNEL({own}.{other}) CHLTYPE(SDR) XMITQ({other}) CONNAME({other})")
            station.types(f"DEFINE CHANNEL({other}.{own}) CHLTYPE(RCVR) MRRTY(0)")
        stations.append(station)
    earth, mars, saturn = stations
    return stage, earth, mars, saturn


# Several hops


@pytest.mark.spec("channels.md 12.3")
@pytest.mark.parametrize(
    "route",
    [
        "DEFINE QREMOTE(SATURN) RQMNAME(SATURN) XMITQ(MARS)",
        "ALTER QMGR DEFXMITQ(MARS)",
    ],
    ids=["queue-manager alias chooses the hop", "default transmission queue"],
)
def test_a_message_goes_over_a_queue_manager_in_between(route: str) -> None:
    stage, earth, mars, saturn = chain()
    earth.types(route)
    earth.put("TARGET", b"far away", "SATURN")
    stage.wait()
    assert saturn.contents("TARGET") == [b"far away"]
    assert (mars.depth("TARGET"), mars.depth("SATURN")) == (0, 0)


@pytest.mark.spec("channels.md 12.3")
def test_a_request_and_its_reply_cross_three_queue_managers_whole() -> None:
    stage, earth, _, saturn = chain()
    earth.types("DEFINE QREMOTE(SATURN) RQMNAME(SATURN) XMITQ(MARS)")
    saturn.types("DEFINE QREMOTE(EARTH) RQMNAME(EARTH) XMITQ(MARS)")
    earth.types("DEFINE QLOCAL(REPLIES)")
    fields = {"priority": 3, "persistence": 1, "correl_id": b"c" * 24, "msg_flags": 0, "coded_char_set_id": 819}
    sent = earth.put("TARGET", b"question", "SATURN", reply_to_q="REPLIES", report=int(MQRO.COA), **fields)
    stage.wait()
    found = saturn.got("TARGET")
    md = found.md
    assert found.data == b"question"
    for name in ("msg_id", "correl_id", "priority", "persistence", "format", "put_date", "put_time", "put_appl_name"):
        assert getattr(md, name) == getattr(sent.md, name), name
    assert (md.reply_to_q, md.reply_to_q_mgr, md.coded_char_set_id) == ("REPLIES", "EARTH", 819)
    saturn.put(md.reply_to_q, b"answer", md.reply_to_q_mgr, correl_id=md.msg_id)
    stage.wait()
    kinds = {message.md.feedback: message for message in (earth.got("REPLIES"), earth.got("REPLIES"))}
    assert kinds[MQFB.COA].md.reply_to_q_mgr == "SATURN"
    assert kinds[MQFB.NONE].data == b"answer"


@pytest.mark.spec("channels.md 12.3")
def test_a_hop_that_knows_no_further_way_dead_letters_the_message() -> None:
    stage, earth, mars, _ = chain()
    earth.types("ALTER QMGR DEFXMITQ(MARS)")
    earth.put("QUEUE", b"lost", "PLUTO")
    stage.wait()
    assert dead(mars) == (MQRC.UNKNOWN_REMOTE_Q_MGR, "QUEUE", "PLUTO", b"lost")


@pytest.mark.spec("channels.md 12.3")
@pytest.mark.spec("channels.md 9.2")
def test_a_full_transmission_queue_on_the_way_is_like_a_full_target() -> None:
    stage, earth, mars, saturn = chain()
    earth.types("ALTER QMGR DEFXMITQ(MARS)")
    saturn.types("STOP CHANNEL(MARS.SATURN)")
    mars.types("ALTER QLOCAL(SATURN) MAXDEPTH(1)")
    earth.types("DEFINE QLOCAL(REPLIES)")
    earth.put("TARGET", b"one", "SATURN")
    earth.put("TARGET", b"two", "SATURN", reply_to_q="REPLIES", report=int(MQRO.EXCEPTION_WITH_FULL_DATA))
    stage.wait()
    assert dead(mars) == (MQRC.Q_FULL, "TARGET", "SATURN", b"two")
    report = earth.got("REPLIES")
    assert (report.md.feedback, report.data) == (MQRC.Q_FULL, b"two")
    saturn.types("START CHANNEL(MARS.SATURN)")
    stage.wait(100)
    assert saturn.contents("TARGET") == [b"one"]


@pytest.mark.spec("channels.md 12.3")
def test_a_message_that_goes_in_a_circle_of_routes_ends_with_its_expiry() -> None:
    stage, earth, mars, _ = chain()
    earth.types("ALTER QMGR DEFXMITQ(MARS)")
    mars.types("ALTER QMGR DEFXMITQ(EARTH)")
    earth.put("QUEUE", b"round and round", "PLUTO", expiry=20)
    stage.wait(10)
    assert (earth.depth("MARS"), mars.depth("EARTH")) == (0, 0)
    assert int(mars.row("EARTH.MARS")["MSGS"]) <= 10


# Queue-manager aliases


@pytest.mark.spec("channels.md 12.1")
def test_messages_for_another_name_are_taken_in_by_an_alias() -> None:
    stage = Stage()
    mars = stage.station(
        "MARS",
        """
        DEFINE QLOCAL(TARGET)
        DEFINE CHANNEL(VENUS.TO.MARS) CHLTYPE(RCVR)
        DEFINE QREMOTE(OLYMPUS) RQMNAME(MARS)
        """,
    )
    partner = calls_as_sender(stage)
    partner.sends_batch(1, luwid=L1, xqh_remote_q_mgr_name=b"OLYMPUS".ljust(48))
    assert mars.contents("TARGET") == [b"message 1"]


@pytest.mark.spec("channels.md 12.1")
def test_an_alias_gives_a_queue_manager_another_name() -> None:
    stage, earth, _, saturn = chain()
    earth.types("DEFINE QREMOTE(RINGS) RQMNAME(SATURN) XMITQ(MARS)")
    earth.put("TARGET", b"hello", "RINGS")
    stage.wait()
    assert saturn.contents("TARGET") == [b"hello"]


@pytest.mark.spec("channels.md 12.2")
def test_a_message_without_a_queue_manager_name_stays_where_it_arrives() -> None:
    stage = Stage()
    mars = stage.station("MARS", "DEFINE QLOCAL(TARGET)\nDEFINE CHANNEL(VENUS.TO.MARS) CHLTYPE(RCVR)")
    calls_as_sender(stage).sends_batch(1, luwid=L1, xqh_remote_q_mgr_name=b" " * 48)
    assert mars.contents("TARGET") == [b"message 1"]


@pytest.mark.spec("channels.md 12.2")
def test_an_alias_queue_at_the_far_end_leads_to_its_target() -> None:
    stage, earth, saturn = earth_and_saturn()
    saturn.types("DEFINE QLOCAL(REAL)")
    saturn.types("DELETE QLOCAL(TARGET)")
    saturn.types("DEFINE QALIAS(TARGET) TARGET(REAL)")
    earth.put("FAR", b"one")
    stage.wait(0.5)
    saturn.types("ALTER QALIAS(TARGET) PUT(DISABLED)")
    earth.put("FAR", b"two")
    stage.wait(20)
    saturn.types("ALTER QALIAS(TARGET) PUT(ENABLED)")
    earth.put("FAR", b"three")
    stage.wait()
    assert saturn.contents("REAL") == [b"one", b"three"]
    assert dead(saturn)[0] == MQRC.PUT_INHIBITED


@pytest.mark.spec("channels.md 12.2")
def test_a_remote_queue_at_the_far_end_sends_the_message_on() -> None:
    stage, earth, mars, saturn = chain()
    mars.types("DEFINE QREMOTE(ONWARD) RNAME(TARGET) RQMNAME(SATURN)")
    earth.put("ONWARD", b"hello", "MARS")
    stage.wait()
    assert saturn.contents("TARGET") == [b"hello"]


@pytest.mark.spec("channels.md 12.2")
@pytest.mark.parametrize(
    ("definition", "reason"),
    [
        ("DEFINE QREMOTE(TARGET) RNAME(X) RQMNAME(SATURN) XMITQ(NO.SUCH)", MQRC.UNKNOWN_XMIT_Q),
        ("DEFINE QREMOTE(TARGET) RNAME(X) RQMNAME(SATURN) XMITQ(DLQ)", MQRC.XMIT_Q_USAGE_ERROR),
        ("DEFINE QREMOTE(TARGET) RNAME(X) RQMNAME(PLUTO)", MQRC.UNKNOWN_REMOTE_Q_MGR),
        ("DEFINE QALIAS(TARGET) TARGET(NO.SUCH)", MQRC.UNKNOWN_ALIAS_BASE_Q),
        ("DEFINE QALIAS(TARGET) TARGET(OTHER.ALIAS)", MQRC.ALIAS_BASE_Q_TYPE_ERROR),
    ],
)
def test_definitions_that_lead_nowhere_make_dead_letters(definition: str, reason: int) -> None:
    stage, earth, mars, _ = chain()
    mars.types("DELETE QLOCAL(TARGET)")
    mars.types("DEFINE QALIAS(OTHER.ALIAS) TARGET(DLQ)")
    mars.types(definition)
    earth.put("TARGET", b"hello", "MARS")
    stage.wait()
    assert dead(mars)[0] == reason


@pytest.mark.spec("channels.md 12.2")
def test_a_route_that_is_mended_serves_the_running_channel() -> None:
    stage, earth, mars, saturn = chain()
    earth.types("ALTER QMGR DEFXMITQ(MARS)")
    mars.types("DEFINE QREMOTE(PLUTO) RQMNAME(PLUTO) XMITQ(NO.SUCH)")
    earth.put("TARGET", b"one", "PLUTO")
    stage.wait()
    assert dead(mars)[0] == MQRC.UNKNOWN_XMIT_Q
    mars.types("ALTER QREMOTE(PLUTO) RQMNAME(SATURN) XMITQ(SATURN)")
    earth.put("TARGET", b"two", "PLUTO")
    stage.wait()
    assert saturn.contents("TARGET") == [b"two"]


# Reply-to aliases


@pytest.mark.spec("channels.md 20.15")
def test_a_reply_to_alias_is_resolved_once_where_the_request_is_put() -> None:
    stage = Stage()
    scripts = {
        own: SENDER.format(own=own, to=to, channel="", queue=TRIGGERED) + RECEIVER.format(own=own, other=to, channel="")
        for own, to in (("EARTH", "SATURN"), ("SATURN", "EARTH"))
    }
    earth, saturn = (stage.station(name, script) for name, script in scripts.items())
    earth.types("DEFINE QLOCAL(REAL.REPLIES)")
    earth.types("DEFINE QREMOTE(REPLIES) RNAME(REAL.REPLIES) RQMNAME(EARTH.BY.NIGHT)")
    earth.types("DEFINE QREMOTE(EARTH.BY.NIGHT) RQMNAME(EARTH)")
    saturn.types("DEFINE QREMOTE(EARTH.BY.NIGHT) RQMNAME(EARTH.BY.NIGHT) XMITQ(EARTH)")
    earth.put("FAR", b"question", reply_to_q="REPLIES")
    stage.wait()
    found: Message = saturn.got("TARGET")
    assert (found.md.reply_to_q, found.md.reply_to_q_mgr) == ("REAL.REPLIES", "EARTH.BY.NIGHT")
    saturn.put(found.md.reply_to_q, b"answer", found.md.reply_to_q_mgr)
    stage.wait()
    assert earth.contents("REAL.REPLIES") == [b"answer"]


# Names


@pytest.mark.spec("channels.md 20.20")
def test_names_may_be_long_and_have_all_characters_allowed() -> None:
    stage = Stage()
    queue_manager, channel, queue = "a%b_c.D/" * 6, "x/y_z.%" * 2 + "123456", "q" * 48
    mars = stage.station(queue_manager, f"DEFINE QLOCAL('{queue}')\nDEFINE CHANNEL('{channel}') CHLTYPE(RCVR)")
    partner = calls_as_sender(stage, queue_manager, channel_name=channel)
    names = {"xqh_remote_q_name": queue.encode(), "xqh_remote_q_mgr_name": queue_manager.encode()}
    partner.sends_batch(1, luwid=L1, **names)
    assert mars.contents(queue) == [b"message 1"]
    assert mars.status(channel) == "RUNNING"


@pytest.mark.spec("channels.md 20.20")
def test_names_of_upper_and_lower_case_are_different() -> None:
    stage = Stage()
    mars = stage.station("MARS", "DEFINE QLOCAL('Target')\nDEFINE QLOCAL(DLQ)\nALTER QMGR DEADQ(DLQ)")
    mars.types("DEFINE CHANNEL(VENUS.TO.MARS) CHLTYPE(RCVR)")
    calls_as_sender(stage).sends_batch(1, luwid=L1)
    assert mars.depth("Target") == 0
    assert dead(mars)[:2] == (MQRC.UNKNOWN_OBJECT_NAME, "TARGET")


@pytest.mark.spec("channels.md 20.20")
@pytest.mark.parametrize("name", [b"bad name", b"TARGET\0\0\0", b"\xff\xfe", b"", b"q*", b"\0" * 48])
def test_names_that_no_queue_can_have_are_dead_letters_not_faults(name: bytes) -> None:
    stage = Stage()
    mars = stage.station("MARS", "DEFINE QLOCAL(TARGET)\nDEFINE QLOCAL(DLQ)\nALTER QMGR DEADQ(DLQ)")
    mars.types("DEFINE CHANNEL(VENUS.TO.MARS) CHLTYPE(RCVR)")
    partner = calls_as_sender(stage)
    partner.sends_batch(1, luwid=L1, xqh_remote_q_name=name.ljust(48))
    assert mars.depth("TARGET") + mars.depth("DLQ") == 1
    assert mars.depth("TARGET") == (1 if name.startswith(b"TARGET") else 0)
