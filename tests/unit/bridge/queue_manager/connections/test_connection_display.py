from __future__ import annotations

import pytest

from mqbridge.bridge.queue_manager import Application, GetOptions
from mqbridge.bridge.queue_manager.connections import connection_rows
from mqbridge.bridge.queue_manager.mqsc import CommandReply, Commands
from mqbridge.bridge.store.interface import StoreFull
from mqbridge.protocol.constants import MQAT, MQCNO, MQGMO, MQOO, MQOT, TMFlags, XAReturn
from support.queue_manager.host import Host
from support.queue_manager.mqsc_bench import RememberingControl
from support.queue_manager.program import BOTH, PUT_SYNC, Program, xid

pytestmark = pytest.mark.spec("channels.md 17.4")


class Control(RememberingControl):
    host: Host

    def connections(self, now: float):
        return connection_rows(self.host.queue_manager.connections)


def mqsc(host: Host, text: str) -> CommandReply:
    control = Control()
    control.host = host
    replies: list[CommandReply] = []
    Commands(host.queue_manager, control).execute(text, host.now, replies.append)
    host.pump()
    (reply,) = replies
    return reply


def rows(host: Host, text: str) -> list[dict[str, object]]:
    return [{keyword: cell.value for keyword, cell in row.items()} for row in mqsc(host, text).rows]


@pytest.fixture
def program(host: Host) -> Program:
    host.local("Q")
    application = Application("joe", MQAT.JAVA, "orders", channel="DEV.APP.SVRCONN", connection="10.0.0.1")
    return Program(host, application=application, options=MQCNO.HANDLE_SHARE_BLOCK | MQCNO.RECONNECT)


def branch(program: Program, number: int, *, prepared: bool) -> None:
    assert program.mq.xa.open() == 0
    assert program.mq.xa.start(xid(number), 0, program.host.now) == 0
    program.put(program.open("Q"), b"m", PUT_SYNC, persistence=1)
    if prepared:
        program.mq.xa.end(xid(number), int(TMFlags.SUCCESS))
        assert program.prepare(number) == 0


def test_a_program_is_shown(host: Host, program: Program) -> None:
    (row,) = rows(host, "DISPLAY CONN(*) ALL")
    assert row["CONN"] == program.mq.id[16:].hex().upper()
    assert bytes.fromhex(str(row["EXTCONN"])) == b"AMQCEARTH       "
    shown = {word: row[word] for word in ("APPLTAG", "APPLTYPE", "CHANNEL", "CONNAME", "USERID", "UOWSTATE", "URTYPE")}
    assert list(shown.values()) == ["orders", "USER", "DEV.APP.SVRCONN", "10.0.0.1", "joe", "NONE", "QMGR"]
    assert row["CONNOPTS"] == ("MQCNO_HANDLE_SHARE_BLOCK", "MQCNO_RECONNECT")
    assert rows(host, f"DISPLAY CONN({row['CONN']}) APPLTAG")[0]["APPLTAG"] == "orders"


def test_a_unit_of_work_is_shown(host: Host, program: Program) -> None:
    program.put(program.open("Q"), b"m", PUT_SYNC)
    (row,) = rows(host, "DISPLAY CONN(*) WHERE(UOWSTATE NE NONE) ALL")
    assert (row["UOWSTATE"], row["UOWSTDA"], row["UOWSTTI"]) == ("ACTIVE", "2027-01-15", "08.00.00")
    program.backout()
    assert not mqsc(host, "DISPLAY CONN(*) WHERE(UOWSTATE NE NONE) ALL").ok


def test_handles_are_shown(host: Host, program: Program) -> None:
    waits = program.open("Q", BOTH)
    program.open("", MQOO.INQUIRE | MQOO.FAIL_IF_QUIESCING, object_type=MQOT.Q_MGR)
    program.mq.wait(waits, GetOptions(MQGMO.WAIT), None, None, host.now)
    shown = rows(host, "DISPLAY CONN(*) TYPE(HANDLE) ALL")
    assert [(row["OBJNAME"], row["OBJTYPE"], row["HSTATE"]) for row in shown] == [
        ("Q", "QUEUE", "ACTIVE"),
        ("EARTH", "QMGR", "INACTIVE"),
    ]
    assert shown[0]["OPENOPTS"] == ("MQOO_INPUT_SHARED", "MQOO_OUTPUT")
    assert len(rows(host, "DISPLAY CONN(*) TYPE(ALL)")) == 3
    (row,) = rows(host, "DISPLAY QMSTATUS CONNS")
    assert row["CONNS"] == 1


def test_a_branch_at_work_is_shown_with_its_program(host: Host, program: Program) -> None:
    branch(program, 1, prepared=False)
    (row,) = rows(host, "DISPLAY CONN(*) ALL")
    assert (row["UOWSTATE"], row["URTYPE"]) == ("ACTIVE", "XA")
    assert row["EXTURID"] == f"XA_FORMATID[000004D2] XA_GTRID[{b'gtrid001'.hex().upper()}] XA_BQUAL[62]"


def test_a_branch_in_doubt_is_shown(host: Host, program: Program) -> None:
    branch(program, 1, prepared=True)
    assert [row["UOWSTATE"] for row in rows(host, "DISPLAY CONN(*) UOWSTATE")] == ["NONE", "PREPARED"]
    program.lost()
    assert [row["UOWSTATE"] for row in rows(host, "DISPLAY CONN(*) UOWSTATE")] == ["UNRESOLVED"]
    host.restart()
    (row,) = rows(host, "DISPLAY CONN(*) WHERE(UOWSTATE EQ UNRESOLVED) ALL")
    assert row["URTYPE"] == "XA"
    assert b"gtrid001".hex().upper() in str(row["EXTURID"])


@pytest.mark.parametrize(("action", "code", "left"), [("COMMIT", XAReturn.HEURCOM, 1), ("BACKOUT", XAReturn.HEURRB, 0)])
def test_an_operator_decides(host: Host, program: Program, action: str, code: int, left: int) -> None:
    branch(program, 1, prepared=True)
    program.lost()
    host.restart()
    (row,) = rows(host, "DISPLAY CONN(*) ALL")
    reply = mqsc(host, f"RESOLVE INDOUBT({row['CONN']}) ACTION({action})")
    assert reply.ok
    assert reply.responses[0].amq == "AMQ8415"
    assert len(host.contents("Q")) == left
    assert not mqsc(host, "DISPLAY CONN(*)").ok
    after = Program(host)
    after.mq.xa.open()
    assert after.xa_commit(1) == code


def test_decisions_that_cannot_be_made(host: Host, program: Program) -> None:
    branch(program, 1, prepared=True)
    number = f"{next(iter(host.queue_manager.connections.branches)).number:016X}"
    for name in ("0000000000000001", "XYZ", program.mq.id[16:].hex().upper()):
        reply = mqsc(host, f"RESOLVE INDOUBT({name}) ACTION(COMMIT)")
        assert (reply.ok, reply.responses[0].amq) == (False, "AMQ8147")
    assert mqsc(host, f"RESOLVE INDOUBT({number})").syntax
    assert mqsc(host, f"RESOLVE INDOUBT({number}) ACTION(FORGET)").syntax
    host.store.failure = StoreFull("no room")
    reply = mqsc(host, f"RESOLVE INDOUBT({number}) ACTION(COMMIT)")
    host.store.failure = None
    assert (reply.ok, reply.reason) == (False, 2056)
    assert mqsc(host, f"RESOLVE INDOUBT({number}) ACTION(COMMIT)").ok
