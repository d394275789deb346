"""Messages with a delivery delay, of somebody who may no longer put them when they are due, or has forged them."""

from __future__ import annotations

import re
from typing import Any

import pytest

from mqbridge.bridge.queue_manager import PutOptions
from mqbridge.bridge.queue_manager.queues.rows import PUT_BY, put_by
from mqbridge.mappings.delayed import DELAY_QUEUE, DelayedMessage, delayed_message, when_due
from mqbridge.mappings.message import Message
from mqbridge.protocol.constants import MQCA, MQCMD, MQIA, MQOO, MQRC, ByteOrder
from mqbridge.protocol.errors import MQBridgeError
from mqbridge.protocol.structures.pcf import make_pcf
from mqbridge.protocol.structures.rfh2 import make_rfh2, parse_rfh2
from support.gateway.session import Session
from support.gateway.stage import Stage, Station
from support.gateway.undeliverable_pair import dead_letter
from support.queue_manager.pcf_operator import PcfOperator, parameter

pytestmark = pytest.mark.spec("client-observed.md 6.2")

SCRIPT = """
    DEFINE QLOCAL(DLQ)
    ALTER QMGR DEADQ(DLQ)
    DEFINE QLOCAL(TARGET)
    DEFINE QLOCAL(SATURN) USAGE(XMITQ)
    DEFINE QLOCAL(MINE)
    DEFINE QALIAS(ALIAS) TARGET(MINE)
    SET AUTHREC PROFILE(SATURN) OBJTYPE(QUEUE) PRINCIPAL('app') AUTHADD(PUT)
"""
LATER = 2000
"""Milliseconds."""


def earth() -> Station:
    return Stage().station("EARTH", SCRIPT)


def is_dead(station: Station) -> None:
    assert station.depth("DLQ") == 1
    assert dead_letter(station.got("DLQ")).reason == MQRC.NOT_AUTHORIZED


@pytest.mark.parametrize("restarts", [False, True])
def test_a_message_comes_where_its_user_may_still_put(restarts: bool) -> None:
    station = earth()
    session = Session(station)
    assert session.put("TARGET", delay=LATER, persistence=1) == 0
    assert session.put("TARGET", delay=LATER * 5, persistence=1) == 0
    if restarts:
        station.restart()
    station.stage.wait(3)
    assert station.depth("TARGET") == 1
    station.types("SET AUTHREC PROFILE(TARGET) OBJTYPE(QUEUE) PRINCIPAL('app') AUTHRMV(ALL)")
    station.stage.wait(12)
    assert (station.depth("TARGET"), station.depth(DELAY_QUEUE)) == (1, 0)
    is_dead(station)


@pytest.mark.parametrize("target", ["SYSTEM.CHANNEL.INITQ", "SYSTEM.RETAINED.PUB.QUEUE", DELAY_QUEUE, "SATURN"])
def test_an_alias_that_leads_elsewhere_meanwhile_is_asked_about_as_an_alias_always_is(target: str) -> None:
    """Nobody puts on the queue manager's own queues even so, nor ready-made messages on a transmission queue."""
    station = earth()
    assert Session(station).put("ALIAS", delay=LATER) == 0
    station.types(f"ALTER QALIAS(ALIAS) TARGET({target})")
    station.stage.wait(3)
    allowed = target == "SYSTEM.CHANNEL.INITQ"
    assert station.depth(target) == int(allowed)
    assert station.depth("DLQ") == int(not allowed)


def test_a_delayed_command_has_the_authority_of_its_session() -> None:
    station = earth()
    PcfOperator(station)
    make = [parameter(MQCA.Q_NAME, "MADE"), parameter(MQIA.Q_TYPE, 1)]
    data = make_pcf(ByteOrder.LITTLE, int(MQCMD.CREATE_Q), make).build()
    words: dict[str, Any] = {"format": "MQADMIN", "msg_type": 1, "reply_to_q": "MINE", "delay": LATER}
    for user in ("app", "mqm"):
        assert Session(station, user).put("SYSTEM.ADMIN.COMMAND.QUEUE", data, **words) == 0
        station.stage.wait(3)
        assert (station.manager.queue("MADE") is not None) == (user == "mqm")
        assert station.got("MINE").data


# What somebody could have written there


def forged(station: Station, user: str, **where: Any) -> None:
    """Has a message on the queue of delayed ones as it would be, had this user put it there."""
    message = Message.build(b"forged", expiry=-1, persistence=1, user_identifier="mqm")
    kept = delayed_message(message, DelayedMessage(int(station.clock.now * 1000) + 1000, **where))
    own, done = station.manager.resolve(DELAY_QUEUE), list[object]()
    assert own.queue is not None
    own.queue.reserved = False
    options = PutOptions(direct=True, authority=user)
    station.call(lambda: station.manager.put(own, kept, options, None, station.clock.now, done.append))
    own.queue.reserved = True
    station.stage.wait_until(lambda: done)


@pytest.mark.parametrize("restarts", [False, True])
@pytest.mark.parametrize(
    "where",
    [
        {"queue_name": "SYSTEM.ADMIN.PERFM.EVENT"},
        {"queue_name": "SYSTEM.RETAINED.PUB.QUEUE"},
        {"queue_name": "SATURN"},
        {"topic": "SYSTEM/news"},
    ],
)
def test_what_is_on_the_queue_is_not_believed(where: dict[str, Any], restarts: bool) -> None:
    """Only who put it counts, which no message can say itself."""
    station = earth()
    station.types("DEFINE TOPIC(SYSTEM.NEWS) TOPICSTR('SYSTEM/news')")
    station.types("DEFINE SUB(S) TOPICSTR('SYSTEM/news') DEST(MINE)")
    forged(station, "app", **where)
    if restarts:
        station.restart()
    station.stage.wait(2)
    assert station.depth(where.get("queue_name", "MINE")) == 0
    is_dead(station)


def test_rows_of_the_queue_say_who_put_their_message() -> None:
    station = earth()
    for user in ("app", "mqm", "somebody-with-a-long-name"):
        station.types(f"SET AUTHREC PROFILE(TARGET) OBJTYPE(QUEUE) PRINCIPAL('{user}') AUTHADD(PUT)")
        assert Session(station, user).put("TARGET", delay=LATER * 60, persistence=1) == 0
        station.restart()
        queue = station.manager.queue(DELAY_QUEUE)
        assert queue is not None
        (row,) = queue.rows()
        assert (row[8] & PUT_BY, put_by(row)) == (PUT_BY, user)
        station.got(DELAY_QUEUE)


@pytest.mark.parametrize(
    ("name", "value"),
    [("due", "-1"), ("due", "9" * 400), ("level", "10"), ("level", "-1"), ("due", "x"), ("topic", "zz")],
)
def test_odd_values_are_no_delayed_message(name: str, value: str) -> None:
    kept = delayed_message(Message.build(b"", expiry=-1), DelayedMessage(1, topic="t"))
    header = parse_rfh2(kept.data, 0, kept.order)
    folder = re.sub(rf"(<{name}[^>]*>).*(</{name}>)", rf"\g<1>{value}\g<2>", header.folders[0].decode())
    odd = make_rfh2(kept.order, [folder.encode()], format=header.record.format, name_value_ccsid=1208)
    assert value in folder
    with pytest.raises(MQBridgeError):
        when_due(kept.copy(odd.build()))


def test_programs_may_not_even_look_there() -> None:
    session = Session(earth())
    for options in (MQOO.INPUT_SHARED, MQOO.BROWSE, MQOO.OUTPUT):
        assert session.opens(DELAY_QUEUE, options) == MQRC.NOT_AUTHORIZED
