"""A program has the queue manager put messages for it where it may not put itself (docs/security.md)."""

from __future__ import annotations

import pytest

from mqbridge.bridge.queue_manager import GetOptions, PutOptions
from mqbridge.bridge.queue_manager.calls.requests import OpenTopic, Put
from mqbridge.mappings.delayed import DELAY_QUEUE, DelayedMessage, delayed_message
from mqbridge.mappings.message import Message
from mqbridge.mappings.mq import wrap_head
from mqbridge.protocol.constants import MQCA, MQCMD, MQGMO, MQIA, MQOO, MQPMO, MQRC, MQRO, ByteOrder
from mqbridge.protocol.constants.lengths import MQMD_LENGTH_1
from mqbridge.protocol.structures.pcf import make_pcf
from support.gateway.session import Session
from support.gateway.stage import Stage, Station
from support.gateway.undeliverable_pair import dead_letter
from support.queue_manager.pcf_operator import parameter

pytestmark = pytest.mark.spec("channels.md 9")

COA = int(MQRO.COA_WITH_FULL_DATA)
COD = int(MQRO.COD_WITH_FULL_DATA)
EXPIRATION = int(MQRO.EXPIRATION_WITH_FULL_DATA)
SCRIPT = """
    DEFINE QLOCAL(DLQ)
    ALTER QMGR DEADQ(DLQ)
    DEFINE QLOCAL(OWN)
    DEFINE QLOCAL(SECRET)
    DEFINE QLOCAL(SATURN) USAGE(XMITQ)
    DEFINE QALIAS(INNOCENT) TARGET(SATURN)
    DEFINE QALIAS(SYSTEM.THROUGH) TARGET(OWN)
    DEFINE QALIAS(LIKE.DDELAY) TARGET(SYSTEM.DDELAY.LOCAL.QUEUE)
    SET AUTHREC PROFILE(SECRET) OBJTYPE(QUEUE) PRINCIPAL('app') AUTHRMV(ALL)
"""
FORBIDDEN = [
    DELAY_QUEUE,
    "LIKE.DDELAY",
    "SYSTEM.CHANNEL.INITQ",
    "SYSTEM.ADMIN.PERFM.EVENT",
    "SYSTEM.RETAINED.PUB.QUEUE",
    "SYSTEM.AUTH.DATA.QUEUE",
    "SYSTEM.THROUGH",
    "SECRET",
]


def earth() -> Station:
    return Stage().station("EARTH", SCRIPT)


def is_dead(station: Station, reason: int = int(MQRC.NOT_AUTHORIZED)) -> Message:
    """The one message on the dead-letter queue, which lies there for this reason."""
    assert station.depth("DLQ") == 1
    found = station.got("DLQ")
    assert dead_letter(found).reason == reason
    return found


def provoke(session: Session, report: int, **fields: object) -> None:
    """Has a report made on a message of the session's own; that the message is discarded, got or has arrived."""
    values = {"report": report, "reply_to_q": "", "expiry": 5 if report == EXPIRATION else -1, **fields}
    assert session.put("OWN", values.pop("data", b"anything at all"), **values) == 0
    if report == EXPIRATION:
        session.station.stage.wait(3)
        assert session.station.depth("OWN") == 0
    elif report == COD:
        assert session.get("OWN") is not None


@pytest.mark.parametrize("report", [COA, COD, EXPIRATION], ids=["COA", "COD", "expiration"])
@pytest.mark.parametrize("queue", FORBIDDEN)
def test_no_report_comes_where_the_program_may_not_put(queue: str, report: int) -> None:
    station = earth()
    session = Session(station)
    assert session.put(queue) == MQRC.NOT_AUTHORIZED
    provoke(session, report, reply_to_q=queue)
    target = station.manager.resolve(queue).queue
    assert target is not None
    assert target.depth == (1 if target.name == "OWN" and report == COA else 0)
    is_dead(station)


def test_a_report_comes_where_the_program_may_put() -> None:
    station = earth()
    session = Session(station)
    provoke(session, COD, reply_to_q="DEV.QUEUE.1")
    assert station.got("DEV.QUEUE.1").data == b"anything at all"
    assert station.depth("DLQ") == 0


def test_the_operator_is_told_once() -> None:
    station = earth()
    session = Session(station)
    for _ in range(5):
        provoke(session, COD, reply_to_q="SECRET")
    assert station.logged("AMQ8077") == ["app SECRET QUEUE put"]
    assert station.depth("DLQ") == 5
    station.types("SET AUTHREC PROFILE(SECRET) OBJTYPE(QUEUE) PRINCIPAL('app') AUTHADD(PUT)")
    provoke(session, COD, reply_to_q="SECRET")
    assert station.depth("SECRET") == 1
    station.types("SET AUTHREC PROFILE(SECRET) OBJTYPE(QUEUE) PRINCIPAL('app') AUTHRMV(PUT)")
    provoke(session, COD, reply_to_q="SECRET")
    assert (station.depth("SECRET"), station.depth("DLQ")) == (1, 6)


@pytest.mark.parametrize("report", [COD, EXPIRATION], ids=["COD", "expiration"])
@pytest.mark.parametrize("persistence", [0, 1])
def test_who_put_a_message_is_known_after_a_restart(report: int, persistence: int) -> None:
    station = earth()
    session = Session(station)
    names = {"reply_to_q": "SECRET", "report": report, "persistence": persistence}
    assert session.put("OWN", expiry=100 if report == EXPIRATION else -1, options=int(MQPMO.NO_CONTEXT), **names) == 0
    station.restart()
    if report == EXPIRATION:
        station.stage.wait(15)
    elif persistence:
        station.got("OWN")  # the operator empties the queue: the report is the program's all the same
    assert station.depth("SECRET") == 0
    if persistence:
        is_dead(station)


def test_a_context_that_is_passed_on_lends_no_authority() -> None:
    """``app`` may pass context, and gets a message of an administrator."""
    station = earth()
    operator, session = Session(station, "mqm"), Session(station)
    assert operator.put("OWN", b"from the administrator") == 0
    assert operator.put("SECRET") == 0
    connection, now = session.connection, station.clock.now
    source = connection.open("OWN", options=int(MQOO.INPUT_SHARED | MQOO.SAVE_ALL_CONTEXT), now=now)
    target = connection.open("DEV.QUEUE.1", options=int(MQOO.OUTPUT | MQOO.PASS_ALL_CONTEXT), now=now)
    connection.get(source, GetOptions(int(MQGMO.NO_WAIT)), now)
    message = Message.build(b"", report=COD, reply_to_q="SECRET", expiry=-1)
    options = PutOptions(int(MQPMO.PASS_ALL_CONTEXT), connection.application)
    station.call(lambda: connection.put(target, message, options, now, context=source))
    assert session.get("DEV.QUEUE.1").md.user_identifier == "mqm"
    assert station.depth("SECRET") == 1
    is_dead(station)


def test_somebody_who_stands_in_for_others_lends_them_nothing() -> None:
    station = earth()
    station.types("SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('server') AUTHADD(CONNECT,ALTUSR)")
    station.types("SET AUTHREC PROFILE(SECRET) OBJTYPE(QUEUE) PRINCIPAL('server') AUTHADD(PUT)")
    server = Session(station, "server")
    given = {"report": COA, "reply_to_q": "SECRET", "options": int(MQPMO.ALTERNATE_USER_AUTHORITY)}
    assert server.put("OWN", alternate="app", **given) == 0
    assert station.depth("SECRET") == 0
    is_dead(station)


@pytest.mark.parametrize("alternate", ["app", ""])
def test_somebody_who_publishes_for_others_lends_them_nothing(alternate: str) -> None:
    station = earth()
    station.types("DEFINE TOPIC(NEWS) TOPICSTR('news')")
    station.types("DEFINE SUB(S) TOPICSTR('news') DEST(OWN)")
    station.types("SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('server') AUTHADD(CONNECT,ALTUSR)")
    station.types("SET AUTHREC PROFILE(SECRET) OBJTYPE(QUEUE) PRINCIPAL('server') AUTHADD(PUT)")
    station.types("SET AUTHREC PROFILE(NEWS) OBJTYPE(TOPIC) PRINCIPAL('server') AUTHADD(PUB)")
    station.types("SET AUTHREC PROFILE(NEWS) OBJTYPE(TOPIC) PRINCIPAL('app') AUTHADD(PUB)")
    station.types("SET AUTHREC PROFILE(NEWS) OBJTYPE(TOPIC) GROUP('nobody') AUTHADD(PUB)")
    program, now = Session(station, "server").connection.session, station.clock.now
    asked = int(MQOO.OUTPUT | MQOO.ALTERNATE_USER_AUTHORITY)
    raw = Message.build(b"", report=EXPIRATION, reply_to_q="SECRET", expiry=5).raw_md

    def publish() -> None:
        opened = program.submit(OpenTopic(1, "NEWS", "", asked, alternate), now)
        program.submit(Put(2, opened.hobj, raw, b"data", int(MQPMO.RETAIN), ByteOrder.LITTLE, 1208), now)

    station.call(publish)
    station.stage.wait(3)
    assert station.depth("SECRET") == 0
    is_dead(station)


# Ready-made transmission messages


def forged(user: str = "mqm") -> bytes:
    """A transmission header for the neighbour's command server, an administrator's descriptor, and a command."""
    command = make_pcf(
        ByteOrder.LITTLE, int(MQCMD.CREATE_Q), [parameter(MQCA.Q_NAME, "FORGED"), parameter(MQIA.Q_TYPE, 1)]
    ).build()
    md = {"msg_type": 1, "format": "MQADMIN", "reply_to_q": "X", "user_identifier": user, "expiry": -1}
    inner = Message.build(command, order=ByteOrder.LITTLE, **md)
    head = wrap_head(
        inner.raw_md[:MQMD_LENGTH_1], "SYSTEM.ADMIN.COMMAND.QUEUE", "SATURN", 1208, msg_id=b"m" * 24, expiry=-1
    )
    return head[MQMD_LENGTH_1:] + command


@pytest.mark.parametrize("report", [COA, COD, EXPIRATION], ids=["COA", "COD", "expiration"])
@pytest.mark.parametrize("user", ["app", "mqm"])
@pytest.mark.parametrize("queue", ["SATURN", "INNOCENT"])
def test_no_report_is_a_transmission_message(queue: str, user: str, report: int) -> None:
    """Not even one of somebody who could put such a message."""
    station = earth()
    session = Session(station, user)
    provoke(session, report, data=forged(), reply_to_q=queue, format="MQXMIT")
    if report == COA:  # a message with this format confirms no arrival (channels.md 9.2)
        assert station.depth("DLQ") == 0
    else:
        is_dead(station)
    assert station.depth("SATURN") == 0


def test_a_report_for_another_queue_manager_gets_its_header_from_us() -> None:
    station = earth()
    provoke(Session(station), COD, data=forged(), reply_to_q="REPLIES", reply_to_q_mgr="SATURN", format="MQXMIT")
    assert station.depth("DLQ") == 0
    found = station.got("SATURN")
    assert found.data[8:56].rstrip() == b"REPLIES"


def test_a_transmission_queue_behind_an_alias_is_no_other_than_under_its_own_name() -> None:
    session = Session(earth())
    assert session.put("SATURN", forged(), format="MQXMIT") == MQRC.NOT_AUTHORIZED
    assert session.put("INNOCENT", forged(), format="MQXMIT") == MQRC.NOT_AUTHORIZED
    assert session.put("DEV.QUEUE.1", b"", "SATURN") == 0


# Publications, returned messages


def test_publications_come_where_their_subscriber_may_put_at_that_time() -> None:
    station = earth()
    station.types("DEFINE SUB(S) TOPICSTR('news') DEST(SECRET) SUBUSER('app')")
    session = Session(station)
    publisher = station.manager.pubsub.open_topic("", "news", options=MQOO.OUTPUT, owner=b"1", now=0)

    def publish() -> None:
        message = Message.build(b"extra", expiry=-1)
        station.call(lambda: station.manager.put(publisher.target, message, PutOptions(), None, station.clock.now))

    publish()
    assert station.depth("SECRET") == 0
    is_dead(station)
    station.types("SET AUTHREC PROFILE(SECRET) OBJTYPE(QUEUE) PRINCIPAL('app') AUTHADD(PUT)")
    publish()
    assert station.depth("SECRET") == 1
    station.types("ALTER SUB(S) DEST(SATURN)")
    publish()
    assert station.depth("SATURN") == 0
    assert session.opens("SECRET", MQOO.OUTPUT) == 0


def test_a_retained_publication_that_expires_is_reported_with_its_publishers_authority() -> None:
    station = earth()
    station.types("DEFINE TOPIC(NEWS) TOPICSTR('news')")
    station.types("DEFINE QALIAS(NEWS) TARGTYPE(TOPIC) TARGET(NEWS)")
    asked = {"report": EXPIRATION, "reply_to_q": "SECRET", "expiry": 5, "options": int(MQPMO.RETAIN)}
    assert Session(station).put("NEWS", **asked) == 0
    station.stage.wait(3)
    assert station.depth("SECRET") == 0
    is_dead(station)


# Queues that are the queue manager's own


@pytest.mark.parametrize("queue", [DELAY_QUEUE, "SYSTEM.RETAINED.PUB.QUEUE", "SATURN"])
def test_whatever_definitions_say_nothing_strange_comes_there(queue: str) -> None:
    """Not even trigger messages and dead letters, which have the queue manager's own authority."""
    station = earth()
    station.types("DEFINE PROCESS(P) APPLICID('p')")
    station.types(f"DEFINE QLOCAL(Q) TRIGGER TRIGTYPE(EVERY) PROCESS(P) INITQ({queue})")
    station.manager.open(queue, options=int(MQOO.INPUT_SHARED), now=station.clock.now)
    station.types(f"ALTER QMGR DEADQ({queue})")
    session = Session(station)
    assert session.put("Q") == 0
    provoke(session, COD, reply_to_q="SECRET")
    station.stage.wait(1)
    target = station.manager.queue(queue)
    assert target is not None
    assert target.depth == 0
    assert (len(station.logged("AMQ7305")), len(station.logged("AMQ7310"))) == (1, 1)


@pytest.mark.parametrize("queue", [DELAY_QUEUE, "LIKE.DDELAY", "SYSTEM.RETAINED.PUB.QUEUE"])
def test_not_even_an_administrators_program_puts_on_the_queue_managers_own_queues(queue: str) -> None:
    station = earth()
    kept = delayed_message(Message.build(b"forged", expiry=-1), DelayedMessage(1, "SECRET"))
    session = Session(station, "mqm")
    assert session.put(queue, kept.data, format="MQHRF2") == MQRC.NOT_AUTHORIZED
    target = station.manager.resolve(queue).queue
    assert target is not None
    assert target.depth == 0
