"""How PCF commands and their answers travel, and what becomes of messages that are no good commands."""

from __future__ import annotations

import pytest

from mqbridge.bridge.agents.command_server import COMMAND_QUEUE
from mqbridge.protocol.constants import (
    MQBACF,
    MQCA,
    MQCACF,
    MQCACH,
    MQCMD,
    MQFMT,
    MQIA,
    MQIACF,
    MQMT,
    MQRC,
    MQRCCF,
    MQRO,
    ByteOrder,
)
from mqbridge.protocol.structures.pcf import make_pcf
from support.queue_manager.pcf_operator import REPLIES, PcfOperator, operator, parameter
from support.transcripts.client_transcripts import transcript

pytestmark = [pytest.mark.spec("mq-wire.md 5.16"), pytest.mark.spec("client-observed.md O-150")]

PING = make_pcf(ByteOrder.BIG, MQCMD.PING_Q_MGR, []).build()
MSG_ID, CORREL_ID = b"M" * 24, b"C" * 24


@pytest.fixture
def pcf() -> PcfOperator:
    return operator("ALTER QMGR DEADQ(DEV.DEAD.LETTER.QUEUE)")


# How answers travel


@pytest.mark.parametrize(
    ("report", "same_msg_id", "correl_id"),
    [
        (MQRO.NONE, False, MSG_ID),
        (MQRO.PASS_CORREL_ID, False, CORREL_ID),
        (MQRO.PASS_MSG_ID, True, MSG_ID),
        (MQRO.PASS_MSG_ID | MQRO.PASS_CORREL_ID, True, CORREL_ID),
    ],
)
def test_ids_of_answers_are_those_that_the_report_options_ask_for(
    pcf: PcfOperator, report: MQRO, same_msg_id: bool, correl_id: bytes
) -> None:
    pcf.send(PING, msg_id=MSG_ID, correl_id=CORREL_ID, report=int(report), persistence=1, priority=6)
    pcf.received()
    (answer,) = pcf.messages
    assert (answer.md.msg_id == MSG_ID, answer.md.correl_id) == (same_msg_id, correl_id)
    assert (answer.md.msg_type, answer.md.format) == (MQMT.REPLY, MQFMT.ADMIN)
    assert (answer.md.persistence, answer.md.priority) == (1, 6)


@pytest.mark.parametrize("order", [ByteOrder.BIG, ByteOrder.LITTLE])
@pytest.mark.parametrize("ccsid", [1208, 500])
def test_commands_in_any_form_are_understood(pcf: PcfOperator, order: str, ccsid: int) -> None:
    name = parameter(MQCA.Q_NAME, "x")
    name.value = "DEV.QUEUE.1".encode("cp500" if ccsid == 500 else "utf-8").ljust(48, b"\x40" if ccsid == 500 else b" ")
    name.rest = b""
    data = make_pcf(order, MQCMD.INQUIRE_Q, [name]).build()  # type: ignore[arg-type]
    pcf.send(data, encoding=273 if order == ByteOrder.BIG else 546, coded_char_set_id=ccsid)
    (answer,) = pcf.received()
    assert answer.record.comp_code == 0


def test_a_thousand_answers_and_more_come_in_order(pcf: PcfOperator) -> None:
    rows = pcf.good(MQCMD.INQUIRE_CHANNEL, (MQCACH.CHANNEL_NAME, "*"), (MQIACF.CHANNEL_ATTRS, [MQCACH.CHANNEL_NAME]))
    names = [row[MQCACH.CHANNEL_NAME] for row in rows]
    assert len(names) > 10
    assert names == sorted(names)


def test_answers_that_cannot_be_put_are_dead_letters(pcf: PcfOperator) -> None:
    pcf.send(PING, reply_to_q="NO.SUCH.QUEUE")
    dead = pcf.got("DEV.DEAD.LETTER.QUEUE")
    assert dead is not None
    assert int.from_bytes(dead.data[8:12], "little") == MQRC.UNKNOWN_OBJECT_NAME
    pcf.station.types("ALTER QMGR DEADQ(' ')")
    pcf.send(PING, reply_to_q="NO.SUCH.QUEUE", persistence=1)
    pcf.send(PING, reply_to_q="NO.SUCH.QUEUE", persistence=0)
    pcf.station.stage.wait()
    assert pcf.station.logged("AMQ8507") == [f"NO.SUCH.QUEUE {int(MQRC.UNKNOWN_OBJECT_NAME)}"] * 3
    assert len(pcf.station.logged("AMQ8509")) == 2, "there is nowhere to put them"
    assert pcf.station.depth(COMMAND_QUEUE) == 0
    assert pcf.good(MQCMD.PING_Q_MGR) == [{}]


def test_what_is_no_request_is_put_aside(pcf: PcfOperator) -> None:
    pcf.send(PING, msg_type=int(MQMT.DATAGRAM))
    dead = pcf.got("DEV.DEAD.LETTER.QUEUE")
    assert dead is not None
    assert int.from_bytes(dead.data[8:12], "little") == MQRC.MSG_TYPE_ERROR
    assert pcf.received() == []
    assert pcf.station.logged("AMQ8506") == [f"message type {int(MQMT.DATAGRAM)}, no request"]
    assert pcf.station.logged("AMQ8509") == []
    pcf.station.types("ALTER QMGR DEADQ(' ')")
    pcf.send(PING, msg_type=int(MQMT.DATAGRAM), persistence=0)
    assert pcf.received() == []
    assert len(pcf.station.logged("AMQ8509")) == 1


def test_a_fault_of_our_own_does_not_stop_the_serving(pcf: PcfOperator, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise ZeroDivisionError("a fault")

    with monkeypatch.context() as patched:
        patched.setattr("mqbridge.bridge.agents.command_server.server.translate", fails)
        assert pcf.bad(MQCMD.PING_Q_MGR) == (MQRCCF.COMMAND_FAILED, {})
        patched.undo()
        patched.setattr("mqbridge.bridge.agents.command_server.response_builder.ResponseBuilder.to", fails)
        assert pcf.bad(MQCMD.CREATE_Q, (MQCA.Q_NAME, "A"), (MQIA.Q_TYPE, 1)) == (MQRCCF.COMMAND_FAILED, {})
    assert pcf.station.logged("AMQ8506") == ["ZeroDivisionError: a fault"] * 2
    assert pcf.good(MQCMD.PING_Q_MGR) == [{}]
    with monkeypatch.context() as patched:
        patched.setattr("mqbridge.bridge.agents.command_server.command_replies.CommandReplies._put", fails)
        assert pcf.ask(MQCMD.PING_Q_MGR) == []
    assert pcf.station.logged("AMQ8506") == ["ZeroDivisionError: a fault"] * 4
    assert pcf.station.depth("DEV.DEAD.LETTER.QUEUE") == 1
    assert pcf.good(MQCMD.PING_Q_MGR) == [{}]


def test_a_command_and_its_answer_survive_together() -> None:
    pcf = operator()
    pcf.ask(MQCMD.CREATE_Q, (MQCA.Q_NAME, "KEPT"), (MQIA.Q_TYPE, 1), persistence=1)
    pcf.send(PING, persistence=1)
    pcf.station.stage.wait()
    pcf.station.restart()
    assert pcf.station.depth(REPLIES) == 1
    assert pcf.station.depth("KEPT") == 0


def test_what_ibms_agent_sent_is_carried_out(pcf: PcfOperator) -> None:
    (lines,) = transcript("pcf").sockets()
    begin = PING[:8]
    sent = [line.data[line.data.index(begin) :] for line in lines if line.side == "client" and b"MQADMIN " in line.data]
    outcomes = []
    for data in sent:
        pcf.send(data, report=int(MQRO.PASS_CORREL_ID), correl_id=CORREL_ID, expiry=300)
        (*_, last) = pcf.received()
        assert {message.md.correl_id for message in pcf.messages} == {CORREL_ID}
        outcomes.append((MQCMD(last.record.command), int(last.record.reason)))
    assert outcomes == [
        (MQCMD.INQUIRE_Q_MGR, 0),
        (MQCMD.INQUIRE_Q_MGR, 0),
        (MQCMD.PING_Q_MGR, 0),
        (MQCMD.INQUIRE_Q, 0),
        (MQCMD.CREATE_Q, 0),
        (MQCMD.CLEAR_Q, 0),
        (MQCMD.DELETE_Q, MQRC.UNKNOWN_OBJECT_NAME),
        (MQCMD.INQUIRE_Q_NAMES, 0),
    ]


# What is wrong with a command


def changed(field: str, value: int) -> bytes:
    message = make_pcf(ByteOrder.BIG, MQCMD.PING_Q_MGR, [])
    setattr(message.record, field, value)
    return message.build()


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"short", MQRCCF.CFH_LENGTH_ERROR),
        (changed("type", 2), MQRCCF.CFH_TYPE_ERROR),
        (changed("version", 9), MQRCCF.CFH_VERSION_ERROR),
        (changed("struc_length", 40), MQRCCF.CFH_LENGTH_ERROR),
        (changed("msg_seq_number", 2), MQRCCF.CFH_MSG_SEQ_NUMBER_ERR),
        (changed("control", 0), MQRCCF.CFH_CONTROL_ERROR),
        (changed("command", 9999), MQRCCF.CFH_COMMAND_ERROR),
        (changed("parameter_count", 1), MQRCCF.MSG_LENGTH_ERROR),
        (changed("parameter_count", 2**31), MQRCCF.MSG_LENGTH_ERROR),
        (PING + b"more", MQRCCF.MSG_LENGTH_ERROR),
    ],
)
def test_headers_that_are_wrong(pcf: PcfOperator, data: bytes, reason: MQRCCF) -> None:
    pcf.send(data)
    (answer,) = pcf.received()
    assert (answer.record.comp_code, answer.record.reason) == (2, reason)


@pytest.mark.parametrize(("field", "value"), [("version", 2), ("version", 3), ("type", 16)])
def test_headers_of_later_releases_are_right(pcf: PcfOperator, field: str, value: int) -> None:
    pcf.send(changed(field, value))
    (answer,) = pcf.received()
    assert (answer.record.comp_code, answer.record.type) == (0, 2)


def test_other_formats_and_encodings_are_refused(pcf: PcfOperator) -> None:
    for fields, reason in (({"format": "MQSTR"}, MQRCCF.MD_FORMAT_ERROR), ({"encoding": 0}, MQRCCF.ENCODING_ERROR)):
        pcf.send(PING, **fields)
        assert [each.record.reason for each in pcf.received()] == [reason]


def test_parameters_that_are_wrong(pcf: PcfOperator) -> None:
    queue, local = (MQCA.Q_NAME, "A"), (MQIA.Q_TYPE, 1)
    create = MQCMD.CREATE_Q
    cases = [
        ((create, queue), MQRCCF.PARM_COUNT_TOO_SMALL, MQIA.Q_TYPE),
        ((create, local), MQRCCF.PARM_COUNT_TOO_SMALL, MQCA.Q_NAME),
        ((create, queue, (MQIA.Q_TYPE, 99)), MQRCCF.Q_TYPE_ERROR, MQIA.Q_TYPE),
        ((create, queue, local, (MQIA.MAX_Q_DEPTH, -7)), MQRCCF.ATTR_VALUE_ERROR, MQIA.MAX_Q_DEPTH),
        ((create, queue, local, (MQIA.USAGE, 7)), MQRCCF.ATTR_VALUE_ERROR, MQIA.USAGE),
        ((create, queue, local, (MQIA.SHAREABILITY, 7)), MQRCCF.ATTR_VALUE_ERROR, MQIA.SHAREABILITY),
        ((create, queue, local, (MQIA.USAGE, 0), (MQIA.USAGE, 0)), MQRCCF.CFIN_DUPLICATE_PARM, MQIA.USAGE),
        ((create, queue, local, (MQIA.USAGE, "x")), MQRCCF.STRUCTURE_TYPE_ERROR, MQIA.USAGE),
        ((create, queue, local, (MQCA.Q_DESC, 5)), MQRCCF.STRUCTURE_TYPE_ERROR, MQCA.Q_DESC),
        ((create, queue, local, (MQCACH.MCA_NAME, "x")), MQRCCF.CFST_PARM_ID_ERROR, MQCACH.MCA_NAME),
        ((create, queue, local, (MQCA.BASE_OBJECT_NAME, "x")), MQRCCF.CFST_PARM_ID_ERROR, MQCA.BASE_OBJECT_NAME),
        ((create, queue, local, (MQBACF.SUB_ID, b"x")), MQRCCF.CFBS_PARM_ID_ERROR, MQBACF.SUB_ID),
        ((create, queue, local, (MQIACF.REPLACE, 7)), MQRCCF.PARM_VALUE_ERROR, MQIACF.REPLACE),
        ((MQCMD.CLEAR_Q,), MQRCCF.PARM_COUNT_TOO_SMALL, MQCA.Q_NAME),
    ]
    for (command, *given), reason, at_fault in cases:
        assert pcf.bad(command, *given) == (reason, {MQIACF.PARAMETER_ID: at_fault}), (reason, at_fault)
    assert pcf.bad(create, (MQCA.Q_NAME, "NO GOOD"), local)[0] == MQRCCF.OBJECT_NAME_ERROR


def test_others_have_their_turn_between_two_commands(pcf: PcfOperator) -> None:
    station = pcf.station
    for _ in range(3):
        pcf.send(PING)  # returns when the command is on the queue: no time passes
    assert station.depth(COMMAND_QUEUE) == 2
    assert len(pcf.received()) == 3
    assert station.depth(COMMAND_QUEUE) == 0


def test_commands_that_wait_are_carried_out_at_start(pcf: PcfOperator) -> None:
    station = pcf.station
    station.call(lambda: pcf.server.stop(station.clock.now))
    for _ in range(3):
        pcf.send(PING)
    station.call(lambda: pcf.server.start(station.clock.now))
    assert len(pcf.received()) == 3


# MQSC inside


def test_an_escape_is_answered_in_text(pcf: PcfOperator) -> None:
    kind = (MQIACF.ESCAPE_TYPE, 1)
    (row,) = pcf.good(MQCMD.ESCAPE, kind, (MQCACF.ESCAPE_TEXT, "dis ql(DEV.QUEUE.1) MAXDEPTH"))
    assert row[MQCACF.ESCAPE_TEXT].startswith("AMQ8409I: queue details:\n   QUEUE(DEV.QUEUE.1)")
    assert "MAXDEPTH(5000)" in row[MQCACF.ESCAPE_TEXT]
    (made,) = pcf.good(MQCMD.ESCAPE, kind, (MQCACF.ESCAPE_TEXT, "DEFINE QLOCAL(E)"))
    assert made == {MQIACF.ESCAPE_TYPE: 1, MQCACF.ESCAPE_TEXT: "AMQ8006I: queue created."}
    reason, refused = pcf.bad(MQCMD.ESCAPE, kind, (MQCACF.ESCAPE_TEXT, "DEFINE NONSENSE(E)"))
    assert reason == MQRCCF.PARM_SYNTAX_ERROR
    assert refused[MQCACF.ESCAPE_TEXT].startswith("AMQ8405E")
    assert pcf.bad(MQCMD.ESCAPE, (MQIACF.ESCAPE_TYPE, 2), (MQCACF.ESCAPE_TEXT, "x"))[0] == MQRCCF.ESCAPE_TYPE_ERROR
