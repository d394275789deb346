"""PCF commands about what runs, the command server's own life, and who may command what."""

from __future__ import annotations

from typing import Any

import pytest

from mqbridge.bridge.agents.command_server import COMMAND_QUEUE
from mqbridge.bridge.queue_manager import Application
from mqbridge.bridge.queue_manager.connections import ConnectOptions
from mqbridge.protocol.constants import (
    MQBACF,
    MQCA,
    MQCACF,
    MQCACH,
    MQCHS,
    MQCMD,
    MQIA,
    MQIACF,
    MQIACH,
    MQRC,
    MQRCCF,
    ByteOrder,
)
from mqbridge.protocol.structures.pcf import make_pcf
from support.gateway.stage import earth_and_saturn
from support.queue_manager.mq_calls import MqCalls
from support.queue_manager.pcf_operator import PcfOperator, operator

pytestmark = [pytest.mark.spec("mq-wire.md 5.16"), pytest.mark.spec("client-observed.md O-150")]

PING = make_pcf(ByteOrder.BIG, MQCMD.PING_Q_MGR, []).build()
MSG_ID, CORREL_ID = b"M" * 24, b"C" * 24


@pytest.fixture
def pcf() -> PcfOperator:
    return operator("ALTER QMGR DEADQ(DEV.DEAD.LETTER.QUEUE)")


# What runs


def test_channels_are_started_shown_stopped_and_reset() -> None:
    stage, earth, saturn = earth_and_saturn(start=False)
    pcf, name = PcfOperator(earth), (MQCACH.CHANNEL_NAME, "EARTH.SATURN")
    assert pcf.bad(MQCMD.INQUIRE_CHANNEL_STATUS, name)[0] == MQRCCF.CHL_STATUS_NOT_FOUND
    pcf.good(MQCMD.PING_CHANNEL, name)
    pcf.good(MQCMD.START_CHANNEL, name)
    stage.wait_until(lambda: earth.status("EARTH.SATURN") == "RUNNING")
    earth.put("FAR")
    stage.wait_until(lambda: saturn.depth("TARGET") == 1)
    stage.wait()
    (row,) = pcf.good(MQCMD.INQUIRE_CHANNEL_STATUS, name, (MQIACH.CHANNEL_INSTANCE_TYPE, 1011))
    wanted = {
        MQIACH.CHANNEL_STATUS: MQCHS.RUNNING,
        MQIACH.CHANNEL_TYPE: 1,
        MQIACH.CHANNEL_INSTANCE_TYPE: 1011,
        MQIACH.MSGS: 1,
        MQIACH.STOP_REQUESTED: 0,
        MQIACH.INDOUBT_STATUS: 0,
        MQCA.REMOTE_Q_MGR_NAME: "SATURN",
        MQCACH.XMIT_Q_NAME: "SATURN",
    }
    assert {number: row[number] for number in wanted} == {int(number): value for number, value in wanted.items()}
    (saved,) = pcf.good(MQCMD.INQUIRE_CHANNEL_STATUS, name, (MQIACH.CHANNEL_INSTANCE_TYPE, 1012))
    assert (saved[MQIACH.LAST_SEQ_NUMBER], saved[MQIACH.CHANNEL_INSTANCE_TYPE]) == (1, 1012)
    assert pcf.bad(MQCMD.START_CHANNEL, name)[0] == MQRCCF.CHANNEL_IN_USE
    assert pcf.bad(MQCMD.RESET_CHANNEL, name)[0] == MQRCCF.CHANNEL_IN_USE
    pcf.good(MQCMD.STOP_CHANNEL, name, (MQIACF.QUIESCE, 1), (MQIACH.CHANNEL_STATUS, 0))
    stage.wait_until(lambda: earth.status("EARTH.SATURN") == "INACTIVE")
    pcf.good(MQCMD.RESET_CHANNEL, name, (MQIACH.MSG_SEQUENCE_NUMBER, 7))
    assert pcf.bad(MQCMD.RESOLVE_CHANNEL, name, (MQIACH.IN_DOUBT, 1))[0] == MQRCCF.COMMAND_FAILED


def test_a_command_that_takes_long_does_not_hold_up_the_rest(pcf: PcfOperator) -> None:
    pcf.station.types_all("DEFINE QLOCAL(X) USAGE(XMITQ)\nDEFINE CHANNEL(C) CHLTYPE(SDR) XMITQ(X) CONNAME(nowhere)")
    assert pcf.bad(MQCMD.PING_CHANNEL, (MQCACH.CHANNEL_NAME, "C"))[0]
    assert pcf.good(MQCMD.PING_Q_MGR) == [{}]


def test_connections_are_shown(pcf: PcfOperator) -> None:
    station = pcf.station
    application = Application(user="joe", appl_name="orders", channel="APP")
    connection = MqCalls(station.manager, ConnectOptions(application=application), station.clock.now)
    connection.open("DEV.QUEUE.1", options=8208, now=station.clock.now)
    whole = (MQBACF.CONNECTION_ID, connection.id)
    (shown,) = pcf.good(MQCMD.INQUIRE_CONNECTION, whole)
    assert (shown[MQBACF.CONNECTION_ID], shown[MQCACF.APPL_TAG]) == (connection.id, "orders")
    assert shown[MQIACF.UOW_STATE] == 0
    for part in (b"", connection.id[:4], connection.id[:20], connection.id):
        assert len(pcf.good(MQCMD.INQUIRE_CONNECTION, (MQBACF.GENERIC_CONNECTION_ID, part))) == 1
    (handle,) = pcf.good(MQCMD.INQUIRE_CONNECTION, whole, (MQIACF.CONN_INFO_TYPE, MQIACF.CONN_INFO_HANDLE))
    assert (handle[MQCACF.OBJECT_NAME], handle[MQIACF.OPEN_OPTIONS]) == ("DEV.QUEUE.1", 8208)
    assert (handle[MQIACF.OBJECT_TYPE], handle[MQIACF.HANDLE_STATE]) == (1, 0)
    assert pcf.bad(MQCMD.INQUIRE_CONNECTION, (MQBACF.CONNECTION_ID, bytes(24)))[0] == MQRCCF.CONNECTION_ID_ERROR
    assert pcf.bad(MQCMD.INQUIRE_CONNECTION, (MQBACF.CONNECTION_ID, b"short"))[0] == MQRCCF.CONNECTION_ID_ERROR
    assert pcf.bad(MQCMD.INQUIRE_CONNECTION)[0] == MQRCCF.PARM_COUNT_TOO_SMALL


def test_handles_and_the_queue_manager_are_shown(pcf: PcfOperator) -> None:
    (manager,) = pcf.good(MQCMD.INQUIRE_Q_MGR_STATUS)
    assert (manager[MQIACF.Q_MGR_STATUS], manager[MQIACF.CMD_SERVER_STATUS]) == (2, 2)
    name = (MQCA.Q_NAME, COMMAND_QUEUE)
    (handle,) = pcf.good(MQCMD.INQUIRE_Q_STATUS, name, (MQIACF.Q_STATUS_TYPE, MQIACF.Q_HANDLE))
    assert (handle[MQIACF.OPEN_INPUT_TYPE], handle[MQCACF.APPL_TAG]) == (1, "command server")
    (queue,) = pcf.good(MQCMD.INQUIRE_Q_STATUS, name)
    assert (queue[MQIA.OPEN_INPUT_COUNT], queue[MQIACF.Q_STATUS_TYPE]) == (1, MQIACF.Q_STATUS)


def test_listeners_are_started_and_stopped() -> None:
    pcf = operator("DEFINE LISTENER(L) TRPTYPE(TCP) PORT(1515)")
    calls: list[str] = []

    class Remembered:
        def start_listener(self, listener: Any, now: float, outcome: Any) -> None:
            calls.append(f"start {listener.name}")
            outcome(None)

        def stop_listener(self, listener: Any, now: float) -> None:
            calls.append(f"stop {listener.name}")

        def listeners(self, now: float) -> list[dict[str, Any]]:
            return [{"LISTENER": "L", "STATUS": "RUNNING", "PORT": 1515, "TRPTYPE": "TCP"}]

    pcf.station.control._listeners = Remembered()
    name, tcp = (MQCACH.LISTENER_NAME, "L"), (MQIACH.XMIT_PROTOCOL_TYPE, 2)
    pcf.good(MQCMD.START_CHANNEL_LISTENER, name, tcp)
    (row,) = pcf.good(MQCMD.INQUIRE_LISTENER_STATUS, (MQCACH.LISTENER_NAME, "*"))
    assert row == {
        MQCACH.LISTENER_NAME: "L",
        MQIACH.LISTENER_STATUS: 2,
        MQIACH.PORT: 1515,
        MQIACH.XMIT_PROTOCOL_TYPE: 2,
    }
    pcf.good(MQCMD.STOP_CHANNEL_LISTENER, name)
    assert calls == ["start L", "stop L"]


# The server itself


@pytest.mark.spec("channels.md 17.4")
def test_it_is_stopped_and_started_by_command(pcf: PcfOperator) -> None:
    def does(text: str) -> bool:
        replies: list[object] = []
        station = pcf.station
        station.call(lambda: pcf.commands.execute(text, station.clock.now, replies.append))
        return replies[0].ok  # type: ignore[attr-defined, no-any-return]

    assert does("STOP CMDSERV")
    assert not does("STOP CMDSERV")
    assert pcf.ask(MQCMD.PING_Q_MGR) == []
    assert pcf.station.depth(COMMAND_QUEUE) == 1
    assert does("START CMDSERV")
    assert not does("START CMDSERV")
    assert [each.record.command for each in pcf.received()] == [MQCMD.PING_Q_MGR]


def test_it_waits_while_gets_are_inhibited(pcf: PcfOperator) -> None:
    pcf.station.types(f"ALTER QLOCAL({COMMAND_QUEUE}) GET(DISABLED)")
    assert pcf.ask(MQCMD.PING_Q_MGR) == []
    pcf.station.types(f"ALTER QLOCAL({COMMAND_QUEUE}) GET(ENABLED)")
    assert len(pcf.received()) == 1


# Who may what


@pytest.mark.spec("mqi.md 21")
def test_a_user_may_what_its_authorities_allow() -> None:
    pcf = operator(user="app")
    assert pcf.good(MQCMD.INQUIRE_Q, (MQCA.Q_NAME, "DEV.QUEUE.1"))[0][MQIA.MAX_Q_DEPTH] == 5000
    (names,) = pcf.good(MQCMD.INQUIRE_Q_NAMES, (MQCA.Q_NAME, "*"))
    assert "DEV.QUEUE.1" in names[MQCACF.Q_NAMES]
    assert "SYSTEM.ADMIN.PERFM.EVENT" not in names[MQCACF.Q_NAMES]
    assert pcf.bad(MQCMD.INQUIRE_CHANNEL, (MQCACH.CHANNEL_NAME, "*"))[0] == MQRCCF.CHANNEL_NOT_FOUND
    refused = [
        pcf.bad(MQCMD.CREATE_Q, (MQCA.Q_NAME, "MINE"), (MQIA.Q_TYPE, 1)),
        pcf.bad(MQCMD.CLEAR_Q, (MQCA.Q_NAME, "DEV.QUEUE.1")),
        pcf.bad(MQCMD.CHANGE_Q_MGR, (MQIA.AUTHORITY_EVENT, 1)),
        pcf.bad(MQCMD.START_CHANNEL, (MQCACH.CHANNEL_NAME, "X")),
        pcf.bad(MQCMD.SET_AUTH_REC, (MQCACF.AUTH_PROFILE_NAME, "Q"), (MQIACF.OBJECT_TYPE, 1)),
        pcf.bad(MQCMD.ESCAPE, (MQIACF.ESCAPE_TYPE, 1), (MQCACF.ESCAPE_TEXT, "DELETE QLOCAL(DEV.QUEUE.1) PURGE")),
        pcf.bad(MQCMD.ESCAPE, (MQIACF.ESCAPE_TYPE, 1), (MQCACF.ESCAPE_TEXT, "CLEAR TOPICSTR('a') CLRTYPE(RETAINED)")),
    ]
    assert [reason for reason, _ in refused] == [MQRC.NOT_AUTHORIZED] * len(refused)
    assert len(pcf.station.logged("AMQ8077")) == len(refused)


def test_answers_go_only_where_the_user_may_put() -> None:
    pcf = operator("ALTER QMGR DEADQ(DEV.DEAD.LETTER.QUEUE)", user="app")
    pcf.send(PING, reply_to_q="SYSTEM.ADMIN.PERFM.EVENT")
    assert pcf.station.depth("SYSTEM.ADMIN.PERFM.EVENT") == 0
    dead = pcf.got("DEV.DEAD.LETTER.QUEUE")
    assert dead is not None
    assert int.from_bytes(dead.data[8:12], "little") == MQRC.NOT_AUTHORIZED
