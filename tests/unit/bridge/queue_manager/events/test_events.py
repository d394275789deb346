from __future__ import annotations

from typing import Any

import pytest

from mqbridge.bridge.queue_manager import Application, MQError
from mqbridge.bridge.queue_manager.events import EVENT_QUEUES
from mqbridge.bridge.queue_manager.mqsc import CommandReply, Commands
from mqbridge.bridge.queue_manager.objects import Kind
from mqbridge.protocol.constants import MQCA, MQCACF, MQCFT, MQCMD, MQFMT, MQIA, MQIACF, MQMT, MQOO, MQRC, MQRQ
from mqbridge.protocol.structures.pcf import PCFMessage, parse_pcf
from support.queue_manager.host import Host
from support.queue_manager.mqsc_bench import RememberingControl
from support.queue_manager.pcf_operator import content
from support.queue_manager.program import PUT_SYNC, SYNC, Program

pytestmark = pytest.mark.spec("mq-wire.md 5.16")
QUEUE_MANAGER, PERFORMANCE = EVENT_QUEUES[MQCMD.Q_MGR_EVENT], EVENT_QUEUES[MQCMD.PERFM_EVENT]


@pytest.fixture(autouse=True)
def watched(host: Host) -> None:
    for name in EVENT_QUEUES.values():
        host.local(name)


def taken(host: Host, queue: str) -> list[PCFMessage]:
    found = []
    while (got := host.get(queue)) is not None:
        found.append(parse_pcf(got.message.data, 0, got.message.order))
    return found


def events(host: Host, queue: str = QUEUE_MANAGER) -> list[tuple[int, dict[int, Any]]]:
    return [(int(each.record.reason), content(each)) for each in taken(host, queue)]


def reasons(host: Host, queue: str = PERFORMANCE) -> list[int]:
    return [reason for reason, _ in events(host, queue)]


def fails(reason: MQRC, call: Any, *given: Any) -> None:
    with pytest.raises(MQError) as caught:
        call(*given)
    assert caught.value.reason == reason


# The message


def test_the_form_of_an_event(host: Host) -> None:
    host.queue_manager.events.active(host.now)
    message = host.got(QUEUE_MANAGER)
    assert (message.md.format, message.md.msg_type, message.md.persistence) == (MQFMT.EVENT, MQMT.DATAGRAM, 0)
    assert (message.md.put_appl_name, message.md.reply_to_q_mgr) == ("EARTH", "EARTH")
    event = parse_pcf(message.data, 0, message.order)
    header = event.record
    assert (header.type, header.command, header.control) == (MQCFT.EVENT, MQCMD.Q_MGR_EVENT, 1)
    assert (header.comp_code, header.reason) == (1, MQRC.Q_MGR_ACTIVE)
    assert content(event) == {MQCA.Q_MGR_NAME: "EARTH"}
    host.queue_manager.events.stopping(MQRQ.Q_MGR_QUIESCING, host.now)
    ((reason, about),) = events(host)
    assert (reason, about[MQIACF.REASON_QUALIFIER]) == (MQRC.Q_MGR_NOT_ACTIVE, MQRQ.Q_MGR_QUIESCING)
    host.alter_manager(STRSTPEV="DISABLED")
    host.queue_manager.events.active(host.now)
    assert events(host) == []


@pytest.mark.parametrize("missing", [True, False])
def test_an_event_that_cannot_be_put_is_lost(host: Host, missing: bool) -> None:
    if missing:
        host.delete(Kind.QLOCAL, QUEUE_MANAGER)
    else:
        host.alter(Kind.QLOCAL, QUEUE_MANAGER, MAXDEPTH=0)
    host.queue_manager.events.active(host.now)
    host.pump()
    assert host.logged() == ["AMQ7312"]


# Refused calls


def test_inhibited_puts_and_gets(host: Host) -> None:
    host.local("Q")
    program = Program(host)
    handle = program.open("Q")
    host.alter(Kind.QLOCAL, "Q", PUT="DISABLED", GET="DISABLED")
    fails(MQRC.PUT_INHIBITED, program.put, handle)
    assert events(host) == []
    host.alter_manager(INHIBTEV="ENABLED")
    fails(MQRC.PUT_INHIBITED, program.put, handle)
    fails(MQRC.PUT_INHIBITED, program.put1, "Q")
    fails(MQRC.GET_INHIBITED, program.get, handle)
    found = events(host)
    assert [reason for reason, _ in found] == [MQRC.PUT_INHIBITED, MQRC.PUT_INHIBITED, MQRC.GET_INHIBITED]
    assert found[0][1] == {
        MQCA.Q_MGR_NAME: "EARTH",
        MQCA.Q_NAME: "Q",
        MQIA.APPL_TYPE: program.mq.application.appl_type,
        MQCACF.APPL_NAME: "program",
    }


def test_names_that_lead_nowhere(host: Host) -> None:
    host.define(Kind.QALIAS, "ALIAS", TARGET="NONE")
    host.define(Kind.QREMOTE, "REMOTE", RNAME="X", RQMNAME="MARS", XMITQ="NONE")
    program = Program(host)
    host.alter_manager(LOCALEV="ENABLED")
    for name in ("MISSING", "ALIAS", "REMOTE"):
        with pytest.raises(MQError):
            program.open(name, MQOO.OUTPUT)
    assert reasons(host, QUEUE_MANAGER) == [MQRC.UNKNOWN_OBJECT_NAME, MQRC.UNKNOWN_ALIAS_BASE_Q]
    host.alter_manager(LOCALEV="DISABLED", REMOTEEV="ENABLED")
    for name, manager in (("MISSING", ""), ("REMOTE", ""), ("ANY", "MARS")):
        with pytest.raises(MQError):
            program.open(name, MQOO.OUTPUT, object_q_mgr_name=manager)
    found = events(host)
    assert [reason for reason, _ in found] == [MQRC.UNKNOWN_XMIT_Q, MQRC.UNKNOWN_REMOTE_Q_MGR]
    assert found[1][1][MQCACF.OBJECT_Q_MGR_NAME] == "MARS"


@pytest.mark.spec("mqi.md 2")
def test_opens_that_are_not_allowed(host: Host) -> None:
    host.local("Q")
    host.alter_manager(AUTHOREV="ENABLED")
    program = Program(host, application=Application("joe", 28, "orders"), checked=True)
    fails(MQRC.NOT_AUTHORIZED, program.open, "Q", MQOO.OUTPUT)
    ((reason, about),) = events(host)
    assert reason == MQRC.NOT_AUTHORIZED
    assert about == {
        MQCA.Q_MGR_NAME: "EARTH",
        MQIACF.REASON_QUALIFIER: MQRQ.OPEN_NOT_AUTHORIZED,
        MQIACF.OPEN_OPTIONS: MQOO.OUTPUT,
        MQCACF.USER_IDENTIFIER: "joe",
        MQCA.Q_NAME: "Q",
        MQIA.APPL_TYPE: 28,
        MQCACF.APPL_NAME: "orders",
    }
    host.alter_manager(AUTHOREV="DISABLED")
    fails(MQRC.NOT_AUTHORIZED, program.open, "Q", MQOO.OUTPUT)
    assert events(host) == []


# Performance


def measured(host: Host, **attributes: Any) -> Program:
    host.local("Q", MAXDEPTH=10, QDEPTHHI=50, QDEPTHLO=20, **attributes)
    host.alter_manager(PERFMEV="ENABLED")
    return Program(host)


def put(program: Program, count: int, options: int = 0) -> None:
    handle = program.open("Q")
    for _ in range(count):
        program.put(handle, options=options)
    program.close(handle)


def get(program: Program, count: int) -> None:
    handle = program.open("Q")
    for _ in range(count):
        assert program.get(handle) is not None
    program.close(handle)


def switches(host: Host) -> str:
    definition = host.objects.existing(Kind.QLOCAL, "Q", {})
    return " ".join(definition.text(word)[0] for word in ("QDPHIEV", "QDPLOEV", "QDPMAXEV"))


def test_depth_events_take_turns(host: Host) -> None:
    program = measured(host, QDPHIEV="ENABLED")
    assert switches(host) == "E D E"
    host.now += 7
    put(program, 4)
    assert reasons(host) == []
    put(program, 1)
    ((reason, about),) = events(host, PERFORMANCE)
    assert (reason, switches(host)) == (MQRC.Q_DEPTH_HIGH, "D E E")
    assert about == {
        MQCA.Q_MGR_NAME: "EARTH",
        MQCA.BASE_OBJECT_NAME: "Q",
        MQIA.TIME_SINCE_RESET: 7,
        MQIA.HIGH_Q_DEPTH: 5,
        MQIA.MSG_ENQ_COUNT: 5,
        MQIA.MSG_DEQ_COUNT: 0,
    }
    put(program, 5)
    fails(MQRC.Q_FULL, put, program, 1)
    fails(MQRC.Q_FULL, put, program, 1)
    ((reason, about),) = events(host, PERFORMANCE)
    assert (reason, switches(host)) == (MQRC.Q_FULL, "D E D")
    assert (about[MQIA.MSG_ENQ_COUNT], about[MQIA.HIGH_Q_DEPTH]) == (5, 10)
    get(program, 7)
    assert reasons(host) == []
    get(program, 1)
    ((reason, about),) = events(host, PERFORMANCE)
    assert (reason, switches(host)) == (MQRC.Q_DEPTH_LOW, "E D E")
    assert (about[MQIA.MSG_DEQ_COUNT], about[MQIA.HIGH_Q_DEPTH]) == (8, 10)
    get(program, 2)
    assert reasons(host) == []


def test_uncommitted_puts_count_and_the_event_stays_after_a_backout(host: Host) -> None:
    program = measured(host, QDPHIEV="ENABLED")
    put(program, 5, PUT_SYNC)
    program.backout()
    assert (host.depth("Q"), reasons(host)) == (0, [MQRC.Q_DEPTH_HIGH])


def test_gets_under_syncpoint_and_through_a_cursor_count(host: Host) -> None:
    program = measured(host, QDPLOEV="ENABLED")
    put(program, 4)
    handle = program.open("Q")
    assert program.get(handle, SYNC) is not None
    assert program.get(handle, SYNC, correl_id=bytes(24), match=2) is not None
    assert reasons(host) == [MQRC.Q_DEPTH_LOW]


def test_nothing_is_counted_while_performance_events_are_disabled(host: Host) -> None:
    program = measured(host, QDPHIEV="ENABLED")
    host.alter_manager(PERFMEV="DISABLED")
    assert all(queue.meter is None for queue in host.queue_manager._core.queues.values())
    put(program, 9)
    assert reasons(host) == []
    host.alter_manager(PERFMEV="ENABLED")
    host.local("LATER")
    assert host.queue_manager.queue("LATER").meter is not None  # type: ignore[union-attr]
    assert host.queue_manager.queue(PERFORMANCE).meter is None  # type: ignore[union-attr]
    put(program, 1)
    assert reasons(host) == [MQRC.Q_DEPTH_HIGH]


def test_service_interval_events_take_turns(host: Host) -> None:
    program = measured(host, QSVCIEV="HIGH", QSVCINT=1000)
    put(program, 3)
    host.now += 0.5
    get(program, 1)
    assert reasons(host) == []
    host.now += 2
    put(program, 1)
    assert reasons(host) == [MQRC.Q_SERVICE_INTERVAL_HIGH]
    get(program, 1)
    assert reasons(host) == []
    host.now += 0.5
    get(program, 1)
    assert reasons(host) == [MQRC.Q_SERVICE_INTERVAL_OK]
    assert host.objects.existing(Kind.QLOCAL, "Q", {}).text("QSVCIEV") == "HIGH"
    host.now += 2
    get(program, 1)
    assert reasons(host) == [MQRC.Q_SERVICE_INTERVAL_HIGH]


@pytest.mark.spec("channels.md 17.2")
def test_reset_qstats_shows_and_counts_anew(host: Host) -> None:
    program = measured(host)

    def reset() -> CommandReply:
        replies: list[CommandReply] = []
        Commands(host.queue_manager, RememberingControl()).execute("RESET QSTATS(Q)", host.now, replies.append)
        return replies[0]

    host.now += 3
    put(program, 3)
    get(program, 1)
    (row,) = reset().rows
    assert {word: row[word].value for word in ("HIQDEPTH", "MSGSIN", "MSGSOUT", "RESETINT")} == {
        "HIQDEPTH": 3,
        "MSGSIN": 3,
        "MSGSOUT": 1,
        "RESETINT": 3,
    }
    (row,) = reset().rows
    assert (row["HIQDEPTH"].value, row["MSGSIN"].value) == (2, 0)
    host.alter_manager(PERFMEV="DISABLED")
    assert reset().reason == 3224
