"""Channel and command events, and authority events of those who come from outside."""

from __future__ import annotations

from typing import Any

import pytest

from mqbridge.protocol.constants import (
    MQCA,
    MQCACF,
    MQCACH,
    MQCMD,
    MQEVO,
    MQGACF,
    MQIA,
    MQIACF,
    MQIACH,
    MQRC,
    MQRCCF,
    MQRQ,
)
from mqbridge.protocol.structures.pcf import parse_pcf
from support.gateway.stage import Stage, Station, earth_and_saturn
from support.queue_manager.pcf_operator import PcfOperator, content, operator

pytestmark = [pytest.mark.spec("mq-wire.md 5.16"), pytest.mark.spec("channels.md 6.3")]
CHANNEL, QUEUE_MANAGER = "SYSTEM.ADMIN.CHANNEL.EVENT", "SYSTEM.ADMIN.QMGR.EVENT"


def events(station: Station, queue: str = CHANNEL) -> list[tuple[int, dict[int, Any]]]:
    found = []
    while (message := station.get(queue)) is not None:
        event = parse_pcf(message.data, 0, message.order)
        found.append((int(event.record.reason), content(event)))
    return found


def running(level: str) -> tuple[Stage, Station, Station]:
    stage, earth, saturn = earth_and_saturn(start=False)
    for station in (earth, saturn):
        station.types(f"ALTER QMGR CHLEV({level})")
    earth.types("START CHANNEL(EARTH.SATURN)")
    stage.wait_until(lambda: earth.status("EARTH.SATURN") == "RUNNING")
    return stage, earth, saturn


def test_both_ends_tell_of_start_and_stop() -> None:
    stage, earth, saturn = running("ENABLED")
    ((reason, about),) = events(earth)
    assert reason == MQRC.CHANNEL_STARTED
    assert (about[MQCA.Q_MGR_NAME], about[MQCACH.CHANNEL_NAME]) == ("EARTH", "EARTH.SATURN")
    assert about[MQCACH.XMIT_Q_NAME] == "SATURN"
    assert about[MQCACH.CONNECTION_NAME]
    ((reason, about),) = events(saturn)
    assert reason == MQRC.CHANNEL_STARTED
    assert MQCACH.XMIT_Q_NAME not in about
    earth.types("STOP CHANNEL(EARTH.SATURN)")
    stage.wait()
    (by_user, about), (stopped, how) = events(earth)
    assert (by_user, stopped) == (MQRC.CHANNEL_STOPPED_BY_USER, MQRC.CHANNEL_STOPPED)
    assert about[MQIACF.REASON_QUALIFIER] == how[MQIACF.REASON_QUALIFIER] == MQRQ.CHANNEL_STOPPED_DISABLED
    ((reason, about),) = events(saturn)
    assert (reason, about[MQIACF.REASON_QUALIFIER]) == (MQRC.CHANNEL_STOPPED, MQRQ.CHANNEL_STOPPED_OK)


def test_an_exception_is_told_where_only_these_are_wanted() -> None:
    stage, earth, saturn = running("EXCEPTION")
    assert events(earth) == []
    stage.cut_lines()
    stage.wait()
    ((reason, about),) = events(earth)
    assert (reason, about[MQIACF.REASON_QUALIFIER]) == (MQRC.CHANNEL_STOPPED, MQRQ.CHANNEL_STOPPED_RETRY)
    assert about[MQIACF.ERROR_ID] > 9000
    assert about[MQCACF.AUX_ERROR_DATA_STR_1]
    ((reason, about),) = events(saturn)
    assert (reason, about[MQIACF.REASON_QUALIFIER]) == (MQRC.CHANNEL_STOPPED, MQRQ.CHANNEL_STOPPED_ERROR)


def test_no_channel_events_while_they_are_disabled() -> None:
    stage, earth, _ = running("DISABLED")
    earth.types("STOP CHANNEL(EARTH.SATURN)")
    stage.wait()
    assert events(earth) == []


@pytest.mark.spec("mqi.md 21")
def test_commands_that_are_not_allowed_are_told() -> None:
    pcf = operator("ALTER QMGR AUTHOREV(ENABLED)", user="app")
    assert pcf.bad(MQCMD.CLEAR_Q, (MQCA.Q_NAME, "DEV.QUEUE.1"))[0] == MQRC.NOT_AUTHORIZED
    assert events(pcf.station, QUEUE_MANAGER) == [
        (
            MQRC.NOT_AUTHORIZED,
            {
                MQCA.Q_MGR_NAME: "EARTH",
                MQIACF.REASON_QUALIFIER: MQRQ.CMD_NOT_AUTHORIZED,
                MQCACF.USER_IDENTIFIER: "app",
                MQIACF.COMMAND: MQCMD.CLEAR_Q,
            },
        )
    ]


@pytest.mark.spec("channels.md 17.2")
def test_statistics_of_queues_are_reset_by_pcf() -> None:
    pcf: PcfOperator = operator("DEFINE QLOCAL(Q)")
    assert pcf.bad(MQCMD.RESET_Q_STATS, (MQCA.Q_NAME, "Q"))[0] == MQRCCF.EVENTS_DISABLED
    pcf.station.types("ALTER QMGR PERFMEV(ENABLED)")
    pcf.station.put("Q")
    (counts,) = pcf.good(MQCMD.RESET_Q_STATS, (MQCA.Q_NAME, "Q*"))
    assert counts[MQCA.Q_NAME] == "Q"
    assert (counts[MQIA.HIGH_Q_DEPTH], counts[MQIA.MSG_ENQ_COUNT], counts[MQIA.MSG_DEQ_COUNT]) == (1, 1, 0)


COMMAND = "SYSTEM.ADMIN.COMMAND.EVENT"


def test_commands_are_told_with_their_origin_and_without_passwords() -> None:
    pcf = operator("ALTER QMGR CMDEV(NODISPLAY)")
    station = pcf.station
    ((reason, event),) = events(station, COMMAND)
    assert reason == MQRC.COMMAND_MQSC
    assert event[MQGACF.COMMAND_DATA] == {MQCACF.COMMAND_MQSC: "DEFINE QLOCAL(REPLIES)"}
    assert event[MQGACF.COMMAND_CONTEXT][MQIACF.EVENT_ORIGIN] == MQEVO.CONSOLE
    station.types("DEFINE CHANNEL(C) CHLTYPE(SDR) CONNAME(x) XMITQ(X) PASSWORD('it''s') USERID(u)")
    station.enters("DEFINE QLOCAL('no good')")
    station.types("DISPLAY QMGR")
    pcf.good(MQCMD.CHANGE_CHANNEL, (MQCACH.CHANNEL_NAME, "C"), (MQIACH.CHANNEL_TYPE, 1), (MQCACH.PASSWORD, "hush"))
    pcf.good(MQCMD.PING_Q_MGR)
    found = events(station, COMMAND)
    assert [reason for reason, _ in found] == [MQRC.COMMAND_MQSC, MQRC.COMMAND_PCF, MQRC.COMMAND_PCF]
    text = "DEFINE CHANNEL(C) CHLTYPE(SDR) CONNAME(x) XMITQ(X) PASSWORD('********') USERID(u)"
    assert found[0][1][MQGACF.COMMAND_DATA] == {MQCACF.COMMAND_MQSC: text}
    context = found[1][1][MQGACF.COMMAND_CONTEXT]
    assert (context[MQCACF.EVENT_USER_ID], context[MQIACF.EVENT_ORIGIN]) == ("mqm", MQEVO.MSG)
    assert context[MQIACF.COMMAND] == MQCMD.CHANGE_CHANNEL
    assert found[1][1][MQGACF.COMMAND_DATA] == {
        MQCACH.CHANNEL_NAME: "C",
        MQIACH.CHANNEL_TYPE: 1,
        MQCACH.PASSWORD: "********",
    }
