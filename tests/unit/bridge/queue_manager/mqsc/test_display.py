from __future__ import annotations

from types import SimpleNamespace

import pytest

from mqbridge.bridge.queue_manager.mqsc import CommandReply, RunSummary, format_echo, format_response
from mqbridge.bridge.queue_manager.objects import MQRCCF
from mqbridge.protocol.constants import MQOO, MQRC
from support.queue_manager.mqsc_bench import NOW, Bench, FakeQueue


def lines_of(reply: CommandReply) -> list[str]:
    return [line for response in reply.responses for line in format_response(response)]


@pytest.fixture
def bench() -> Bench:
    bench = Bench()
    for text in (
        "DEFINE QLOCAL(A.1) MAXDEPTH(10) DESCR('first')",
        "DEFINE QLOCAL(A.2) MAXDEPTH(20) TRIGGER INITQ(SYSTEM.CHANNEL.INITQ)",
        "DEFINE QALIAS(A.3) TARGET(A.1)",
        "DEFINE NAMELIST(N.1) NAMES(RED,GREEN)",
        "DEFINE NAMELIST(N.2) NAMES(BLUE)",
        "DEFINE CHANNEL(C.1) CHLTYPE(RCVR) KAINT(5) COMPMSG(RLE,NONE)",
        "DEFINE CHANNEL(C.2) CHLTYPE(SDR) CONNAME('h(1)') XMITQ(A.2)",
    ):
        bench.good(text)
    return bench


def test_one_object_is_shown_whole_and_a_generic_name_gives_names(bench: Bench) -> None:
    (row,) = bench.rows("DISPLAY QUEUE(A.1)")
    assert list(row)[:2] == ["QUEUE", "TYPE"]
    assert list(row)[2:] == sorted(list(row)[2:])
    assert {"CURDEPTH", "IPPROCS", "OPPROCS", "CRDATE", "ALTTIME", "MAXDEPTH", "CAPEXPRY", "STREAMQ"} <= set(row)
    assert bench.rows("DISPLAY QUEUE(A.*)") == [
        {"QUEUE": "A.1", "TYPE": "QLOCAL"},
        {"QUEUE": "A.2", "TYPE": "QLOCAL"},
        {"QUEUE": "A.3", "TYPE": "QALIAS"},
    ]
    assert len(bench.rows("DISPLAY QUEUE(A.*) ALL")[0]) == len(row)


def test_an_attribute_list_shows_what_each_kind_has(bench: Bench) -> None:
    assert bench.rows("DISPLAY QUEUE(A.*) MAXDEPTH TARGQ") == [
        {"QUEUE": "A.1", "TYPE": "QLOCAL", "MAXDEPTH": "10"},
        {"QUEUE": "A.2", "TYPE": "QLOCAL", "MAXDEPTH": "20"},
        {"QUEUE": "A.3", "TYPE": "QALIAS", "TARGET": "A.1"},
    ]


@pytest.mark.parametrize(
    ("command", "names"),
    [
        ("DISPLAY QLOCAL(A.*)", ["A.1", "A.2"]),
        ("DISPLAY QUEUE(A.*) TYPE(QALIAS)", ["A.3"]),
        ("DISPLAY QUEUE(A.*) TYPE(ALL)", ["A.1", "A.2", "A.3"]),
        ("DISPLAY CHANNEL(C.*) CHLTYPE(SDR)", ["C.2"]),
        ("DISPLAY CHANNEL(C.*) TYPE(RCVR)", ["C.1"]),
        ("DISPLAY TOPIC(DEV*) TYPE(LOCAL)", ["DEV.BASE.TOPIC"]),
        ("DISPLAY AUTHINFO(*) AUTHTYPE(OCSP)", ["SYSTEM.DEFAULT.AUTHINFO.OCSP"]),
        ("DISPLAY LISTENER(*) TRPTYPE(TCP)", ["SYSTEM.DEFAULT.LISTENER.TCP"]),
        ("DISPLAY QUEUE(A.*) CLUSINFO", ["A.1", "A.2", "A.3"]),
    ],
)
def test_types_narrow_a_display(bench: Bench, command: str, names: list[str]) -> None:
    assert bench.names(command) == names


@pytest.mark.spec("channels.md 17.2 rule 6")
@pytest.mark.parametrize(
    ("command", "names"),
    [
        ("QUEUE(A.*) WHERE(MAXDEPTH GT 10)", ["A.2"]),
        ("QUEUE(A.*) WHERE(MAXDEPTH GE 10)", ["A.1", "A.2"]),
        ("QUEUE(A.*) WHERE(MAXDEPTH LT 20)", ["A.1"]),
        ("QUEUE(A.*) WHERE(MAXDEPTH LE 20)", ["A.1", "A.2"]),
        ("QUEUE(A.*) WHERE(MAXDEPTH EQ 10)", ["A.1"]),
        ("QUEUE(A.*) WHERE(MAXDEPTH NE 10)", ["A.2"]),
        ("QUEUE(A.*) WHERE(DESCR EQ 'first')", ["A.1"]),
        ("QUEUE(A.*) WHERE(DESCR NE 'first')", ["A.2", "A.3"]),
        ("QUEUE(A.*) WHERE(DESCR EQ ' ')", ["A.2", "A.3"]),
        ("QUEUE(A.*) WHERE(DESCR LK 'fi*')", ["A.1"]),
        ("QUEUE(A.*) WHERE(DESCR NL 'fi*')", ["A.2", "A.3"]),
        ("QUEUE(A.*) WHERE(TARGQ EQ A.1)", ["A.3"]),
        ("QUEUE(A.*) WHERE(TRIGGER EQ YES)", ["A.2"]),
        ("QUEUE(A.*) WHERE(CURDEPTH EQ 0)", ["A.1", "A.2"]),
        ("QUEUE(*) WHERE(QUEUE LK A.*)", ["A.1", "A.2", "A.3"]),
        ("QUEUE(A.*) WHERE(CAPEXPRY EQ NOLIMIT)", ["A.1", "A.2", "A.3"]),
        ("NAMELIST(N.*) WHERE(NAMES CT RED)", ["N.1"]),
        ("NAMELIST(N.*) WHERE(NAMES EX RED)", ["N.2"]),
        ("NAMELIST(N.*) WHERE(NAMES CTG GR*)", ["N.1"]),
        ("NAMELIST(N.*) WHERE(NAMES EXG B*)", ["N.1"]),
        ("NAMELIST(N.*) WHERE(NAMCOUNT EQ 2)", ["N.1"]),
        ("CHANNEL(C.*) WHERE(COMPMSG CT RLE)", ["C.1"]),
        ("CHANNEL(C.*) WHERE(KAINT EQ 5)", ["C.1"]),
        ("CHANNEL(C.*) WHERE(KAINT EQ AUTO)", ["C.2"]),
        ("CHANNEL(C.*) WHERE(XMITQ EQ A.2)", ["C.2"]),
    ],
)
def test_where(bench: Bench, command: str, names: list[str]) -> None:
    assert bench.names(f"DISPLAY {command}") == names


@pytest.mark.spec("channels.md 17.2 rule 6")
def test_a_word_that_the_attribute_cannot_have_is_no_condition(bench: Bench) -> None:
    reply = bench.run("DISPLAY QUEUE(A.*) WHERE(GET EQ MAYBE)")
    assert "'MAYBE' is not one of ENABLED, DISABLED" in str(reply)
    assert bench.names("DISPLAY QUEUE(A.*) WHERE(GET EQ ENABLED)") == ["A.1", "A.2", "A.3"]


def test_what_where_looks_at_is_shown(bench: Bench) -> None:
    assert bench.rows("DISPLAY QUEUE(A.*) WHERE(MAXDEPTH EQ 10) PUT") == [
        {"QUEUE": "A.1", "TYPE": "QLOCAL", "MAXDEPTH": "10", "PUT": "ENABLED"}
    ]


@pytest.mark.spec("channels.md 17.2 rule 6")
@pytest.mark.parametrize(
    "condition",
    [
        "MAXDEPTH",
        "MAXDEPTH GT",
        "MAXDEPTH XX 1",
        "MAXDEPTH GT X",
        "MAXDEPTH LK 1*",
        "NOTHING EQ 1",
        "DESCR CT x",
        "A B C D",
    ],
)
def test_a_wrong_condition_is_a_syntax_error(bench: Bench, condition: str) -> None:
    assert bench.bad(f"DISPLAY QUEUE(*) WHERE({condition})", "AMQ8405").syntax


@pytest.mark.spec("channels.md 17.2 rule 7")
@pytest.mark.parametrize(
    ("command", "amq"),
    [
        ("QUEUE(NONE*)", "AMQ8147"),
        ("QUEUE(NONE)", "AMQ8147"),
        ("QALIAS(A.1)", "AMQ8147"),
        ("CHANNEL(NONE)", "AMQ8147"),
        ("QUEUE(A.*) WHERE(MAXDEPTH EQ 11)", "AMQ8147"),
        ("CHSTATUS(C.1)", "AMQ8420"),
        ("CHSTATUS(*) SAVED", "AMQ8420"),
        ("CHLAUTH(NONE)", "AMQ8879"),
        ("LSSTATUS(*)", "AMQ8147"),
        ("SVSTATUS(*)", "AMQ8147"),
        ("CONN(*)", "AMQ8147"),
        ("QSTATUS(NONE)", "AMQ8147"),
    ],
)
def test_a_display_that_finds_nothing(bench: Bench, command: str, amq: str) -> None:
    bench.bad(f"DISPLAY {command}", amq)


@pytest.mark.parametrize(
    "command",
    ["QUEUE(A.1) NOTHING", "QUEUE(A.1) MAXDEPTH(1)", "QUEUE", "CHSTATUS(*) MAXDEPTH", "QMGR(EARTH)", "QMGR X"],
)
def test_a_display_of_what_there_is_not_is_a_syntax_error(bench: Bench, command: str) -> None:
    assert bench.bad(f"DISPLAY {command}", "AMQ8405").syntax


def test_the_layout_is_that_of_two_columns(bench: Bench) -> None:
    reply = bench.good("DISPLAY QUEUE(A.2) DESCR INITQ TRIGGER SHARE CAPEXPRY")
    assert lines_of(reply) == [
        "AMQ8409I: queue details:",
        "   QUEUE(A.2)                              TYPE(QLOCAL)",
        "   CAPEXPRY(NOLIMIT)                       DESCR( )",
        "   INITQ(SYSTEM.CHANNEL.INITQ)             SHARE",
        "   TRIGGER",
    ]
    assert lines_of(bench.good("DISPLAY QMGR CONNAUTH DEADQ")) == [
        "AMQ8408I: queue manager details:",
        "   QMNAME(EARTH)                           CONNAUTH(DEV.AUTHINFO)",
        "   DEADQ( )",
    ]


def test_a_password_is_not_shown(bench: Bench) -> None:
    bench.good("ALTER CHANNEL(C.2) CHLTYPE(SDR) PASSWORD('secret')")
    assert bench.rows("DISPLAY CHANNEL(C.2) PASSWORD")[0]["PASSWORD"] == "********"


def test_the_summary_counts_commands() -> None:
    bench, summary = Bench(), RunSummary()
    assert summary.lines()[0] == "No MQSC commands read."
    for text in ("PING QMGR", "DEFINE QLOCAL(A)", "DEFINE QLOCAL(A)", "NONSENSE"):
        summary.count(bench.run(text))
    assert summary.lines() == [
        "4 MQSC commands read.",
        "One command has a syntax error.",
        "One valid MQSC command could not be processed.",
    ]
    assert summary.failed
    assert format_echo(3, "PING QMGR") == "     3 : PING QMGR"
    assert format_echo(None, "* note") == "       : * note"


@pytest.mark.spec("channels.md 17.4")
def test_channel_status(bench: Bench) -> None:
    row = {
        "CHANNEL": "C.2", "CHLTYPE": "SDR", "CONNAME": "10.0.0.1(1414)", "XMITQ": "A.2", "STATUS": "RUNNING",
        "SUBSTATE": "MQGET", "RQMNAME": "SATURN", "STOPREQ": "NO", "MSGS": 12, "INDOUBT": "NO", "CURSEQNO": 12,
        "LSTSEQNO": 10, "CURLUWID": "0123456789ABCDEF", "LSTLUWID": "0123456789ABCDEE", "BATCHSZ": 50,
    }  # fmt: skip
    bench.control.current = [row, {**row, "CHANNEL": "C.1", "MSGS": 1, "XMITQ": "", "CONNAME": "10.0.0.2"}]
    reply = bench.good("DISPLAY CHSTATUS(*)")
    assert lines_of(reply)[-5:] == [
        "   CHANNEL(C.2)                            CHLTYPE(SDR)",
        "   CONNAME(10.0.0.1(1414))                 CURRENT",
        "   RQMNAME(SATURN)                         STATUS(RUNNING)",
        "   SUBSTATE(MQGET)                         XMITQ(A.2)",
        "   STOPREQ(NO)",
    ]
    assert bench.names("DISPLAY CHSTATUS(*)") == ["C.1", "C.2"]
    assert bench.names("DIS CHS(C.*) WHERE(MSGS GT 5) CURRENT") == ["C.2"]
    assert bench.names("DIS CHS(*) XMITQ(A.2)") == ["C.2"]
    assert bench.names("DIS CHS(*) CONNAME('10.0.0.2')") == ["C.1"]
    (whole,) = bench.rows("DISPLAY CHSTATUS(C.2) ALL")
    assert {"MSGS": "12", "CURSEQNO": "12", "LSTLUWID": "0123456789ABCDEE", "BATCHSZ": "50"}.items() <= whole.items()
    assert bench.rows("DISPLAY CHSTATUS(C.2) SHORT MSGS")[0]["MSGS"] == "12"


@pytest.mark.spec("channels.md 17.4")
def test_saved_channel_status(bench: Bench) -> None:
    bench.control.saved = [{"CHANNEL": "C.2", "CHLTYPE": "SDR", "RQMNAME": "SATURN", "INDOUBT": "YES", "CURSEQNO": 5}]
    (row,) = bench.rows("DISPLAY CHSTATUS(C.2) SAVED ALL")
    assert row == {
        "CHANNEL": "C.2", "CHLTYPE": "SDR", "SAVED": "SAVED", "RQMNAME": "SATURN", "CURSEQNO": "5", "INDOUBT": "YES",
    }  # fmt: skip
    bench.bad("DISPLAY CHSTATUS(C.2)", "AMQ8420", MQRCCF.CHANNEL_STATUS_NOT_FOUND)


@pytest.mark.spec("channels.md 17.4")
def test_queue_status(bench: Bench) -> None:
    bench.manager.state["A.1"] = FakeQueue(
        "A.1", depth=3, input_count=1, output_count=2, uncommitted=1, last_put=NOW, oldest_message=NOW
    )
    (row,) = bench.rows("DISPLAY QSTATUS(A.1)")
    assert {
        "QUEUE": "A.1", "TYPE": "QUEUE", "CURDEPTH": "3", "IPPROCS": "1", "OPPROCS": "2", "UNCOM": "1",
        "MSGAGE": "60", "LPUTDATE": "2027-01-15", "LPUTTIME": "08.00.00", "LGETDATE": "", "LGETTIME": "",
    }.items() <= row.items()  # fmt: skip
    assert bench.names("DISPLAY QSTATUS(A.*) WHERE(CURDEPTH GT 0)") == ["A.1"]
    assert bench.names("DISPLAY QSTATUS(A.*)") == ["A.1", "A.2"]
    (row,) = bench.rows("DISPLAY QLOCAL(A.1) CURDEPTH IPPROCS OPPROCS")
    assert (row["CURDEPTH"], row["IPPROCS"], row["OPPROCS"]) == ("3", "1", "2")


@pytest.mark.spec("channels.md 17.4")
def test_open_handles(bench: Bench) -> None:
    application = SimpleNamespace(appl_name="echo", appl_type=6, channel="", connection="", user="joe")
    handles = [
        SimpleNamespace(options=MQOO.OUTPUT, exclusive=False, application=application, target=SimpleNamespace(path=[])),
        SimpleNamespace(
            options=MQOO.INPUT_EXCLUSIVE, exclusive=True, application=None, target=SimpleNamespace(path=[])
        ),
    ]
    bench.manager.state["A.1"] = FakeQueue("A.1", handles=handles)
    writer, reader = bench.rows("DISPLAY QSTATUS(A.1) TYPE(HANDLE) ALL")
    assert (writer["APPLTAG"], writer["APPLTYPE"], writer["OUTPUT"], writer["INPUT"]) == ("echo", "USER", "YES", "NO")
    assert (reader["APPLTYPE"], reader["OUTPUT"], reader["INPUT"]) == ("SYSTEM", "NO", "EXCL")
    assert len(bench.rows("DISPLAY QSTATUS(A.1) TYPE(HANDLE) OPENTYPE(INPUT)")) == 1
    bench.bad("DISPLAY QSTATUS(A.2) TYPE(HANDLE)", "AMQ8147", MQRCCF.Q_STATUS_NOT_FOUND)


@pytest.mark.spec("channels.md 17.4")
def test_connections_listeners_and_the_queue_manager(bench: Bench) -> None:
    bench.control.programs = [{"CONN": "577C406B", "EXTCONN": "414D5143", "APPLTAG": "echo", "USERID": "joe"}]
    assert bench.rows("DISPLAY CONN(*) APPLTAG")[0]["APPLTAG"] == "echo"
    assert bench.rows("DISPLAY CONN(577C406B)")[0]["USERID"] == "joe"
    bench.bad("DISPLAY CONN(00000000)", "AMQ8147", MQRCCF.CONNECTION_ID_ERROR)
    bench.control.open = [{"LISTENER": "L", "STATUS": "RUNNING", "PID": 7, "PORT": 1414}]
    assert bench.rows("DISPLAY LSSTATUS(*) PORT") == [
        {"LISTENER": "L", "STATUS": "RUNNING", "PID": "7", "PORT": "1414"}
    ]
    (row,) = bench.rows("DISPLAY QMSTATUS ALL")
    assert (row["QMNAME"], row["STATUS"], row["CONNS"], row["STARTDA"]) == ("EARTH", "RUNNING", "1", "2027-01-15")
    assert row["CMDSERV"] == "STOPPED"


@pytest.mark.parametrize(
    "text",
    [
        "DISPLAY QMSTATUS WHERE(CONNS GT 99)",
        "DISPLAY AUTHSERV WHERE(IFVER GT 99)",
        "DISPLAY ENTAUTH OBJTYPE(QMGR) PRINCIPAL('app') WHERE(ENTTYPE EQ GROUP)",
    ],
)
def test_a_display_of_one_row_that_where_leaves_out_is_answered(bench: Bench, text: str) -> None:
    bench.bad(text, "AMQ8147", MQRC.UNKNOWN_OBJECT_NAME)


def test_reasons_are_those_of_the_command_format(bench: Bench) -> None:
    assert bench.run("DISPLAY QUEUE(NONE)").reason == MQRC.UNKNOWN_OBJECT_NAME
    assert bench.run("DEFINE QLOCAL(A.1)").reason == MQRCCF.OBJECT_ALREADY_EXISTS
    assert bench.run("DEFINE QLOCAL(X) MAXDEPTH(A)").reason == MQRCCF.ATTR_VALUE_ERROR
    assert bench.run("DEFINE CHANNEL(X) CHLTYPE(SDR) XMITQ(Q)").reason == MQRCCF.MISSING_CONN_NAME
