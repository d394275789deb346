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
from support.channels.partner import calls
from support.channels.playbook import initial_data
from support.clients.door import Door
from support.clients.program import CHANNEL as CLIENTS
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


NO_ACCESS = "SET CHLAUTH('{}') TYPE(QMGRMAP) QMNAME('VENUS') USERSRC(NOACCESS) {}"


def visited(*commands: str, level: str = "EXCEPTION") -> tuple[Stage, Station]:
    """MARS, which VENUS calls from 10.0.0.7."""
    stage = Stage()
    mars = stage.station("MARS", f"DEFINE CHANNEL(VENUS.TO.MARS) CHLTYPE(RCVR)\nALTER QMGR CHLEV({level})")
    for command in commands:
        mars.types(command)
    calls(stage, "MARS", initial_data(), address="10.0.0.7")
    return stage, mars


@pytest.mark.spec("tls.md T-08")
@pytest.mark.parametrize("level", ["ENABLED", "EXCEPTION"])
@pytest.mark.parametrize(("warn", "reason"), [("", MQRC.CHANNEL_BLOCKED), ("WARN(YES)", MQRC.CHANNEL_BLOCKED_WARNING)])
def test_channels_without_access_are_told(level: str, warn: str, reason: int) -> None:
    _, mars = visited(NO_ACCESS.format("VENUS.*", warn), level=level)
    first = next(event for event in events(mars) if event[0] != MQRC.CHANNEL_STARTED)
    assert first[0] == reason
    about = first[1]
    assert about == {
        MQCACH.CONNECTION_NAME: "10.0.0.7",
        MQCA.Q_MGR_NAME: "MARS",
        MQIACF.REASON_QUALIFIER: MQRQ.CHANNEL_BLOCKED_NOACCESS,
        MQCACH.CHANNEL_NAME: "VENUS.TO.MARS",
        MQCA.REMOTE_Q_MGR_NAME: "VENUS",
    }


@pytest.mark.spec("tls.md T-08")
@pytest.mark.parametrize(("warn", "reason"), [("", MQRC.CHANNEL_BLOCKED), ("WARN(YES)", MQRC.CHANNEL_BLOCKED_WARNING)])
def test_blocked_addresses_are_told_without_a_channel(warn: str, reason: int) -> None:
    _, mars = visited(f"SET CHLAUTH('*') TYPE(BLOCKADDR) ADDRLIST('10.0.0.*') {warn}")
    assert events(mars)[0] == (
        reason,
        {
            MQCA.Q_MGR_NAME: "MARS",
            MQIACF.REASON_QUALIFIER: MQRQ.CHANNEL_BLOCKED_ADDRESS,
            MQCACH.CONNECTION_NAME: "10.0.0.7",
        },
    )


@pytest.mark.spec("tls.md T-08")
def test_blocked_users_of_clients_are_told() -> None:
    door = Door("ALTER QMGR CHLEV(EXCEPTION)", f"SET CHLAUTH({CLIENTS}) TYPE(BLOCKUSER) USERLIST('joe')")
    assert door.comes("joe", address="10.0.0.9").connects() == (2, MQRC.NOT_AUTHORIZED)
    ((reason, about),) = events(door.mars)
    assert reason == MQRC.CHANNEL_BLOCKED
    assert about == {
        MQCACH.CONNECTION_NAME: "10.0.0.9",
        MQCA.Q_MGR_NAME: "MARS",
        MQIACF.REASON_QUALIFIER: MQRQ.CHANNEL_BLOCKED_USERID,
        MQCACH.CHANNEL_NAME: CLIENTS,
        MQCACF.USER_IDENTIFIER: "joe",
        MQCACH.CLIENT_USER_ID: "joe",
    }


def test_nobody_is_told_of_blocked_channels_while_their_events_are_disabled() -> None:
    _, mars = visited(NO_ACCESS.format("*", ""), level="DISABLED")
    assert events(mars) == []


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
