"""Every MQSC command of IBM MQ 9.4 (reference "MQSC commands"), and the answer that each gets here."""

from __future__ import annotations

import pytest

from mqbridge.bridge.queue_manager.mqsc.commands import HANDLERS
from mqbridge.bridge.queue_manager.mqsc.words import ONLY_ZOS, VERBS
from mqbridge.bridge.queue_manager.objects import KINDS, MQRCCF, Kind
from mqbridge.bridge.queue_manager.objects.values import Text, TextList
from mqbridge.protocol.constants import MQRC
from support.queue_manager.mqsc_bench import Bench

BEFORE = """
DEFINE QLOCAL(LQ)
DEFINE QALIAS(AQ) TARGET(LQ)
DEFINE QREMOTE(RQ) RNAME(LQ) RQMNAME(MARS) XMITQ(LQ)
DEFINE QMODEL(MQ)
DEFINE CHANNEL(C) CHLTYPE(SDR) CONNAME('h(1)') XMITQ(LQ)
DEFINE TOPIC(T) TOPICSTR('t')
DEFINE SUB(S) TOPICSTR('t') DEST(LQ)
DEFINE PROCESS(P)
DEFINE NAMELIST(N)
DEFINE LISTENER(L) TRPTYPE(TCP)
DEFINE SERVICE(V) SERVTYPE(SERVER) STARTCMD('/bin/true') STOPCMD('/bin/true')
DEFINE CHANNEL(M) CHLTYPE(MQTT)
SET AUTHREC PROFILE('LQ') OBJTYPE(QUEUE) PRINCIPAL('app') AUTHADD(GET)
DEFINE AUTHINFO(A) AUTHTYPE(IDPWOS)
DEFINE COMMINFO(I) TYPE(MULTICAST)
"""

BUILT = [
    *("ALTER AUTHINFO(A) AUTHTYPE(IDPWOS)", "ALTER CHANNEL(C) CHLTYPE(SDR)", "ALTER COMMINFO(I)", "ALTER LISTENER(L)"),
    *(
        "ALTER NAMELIST(N)",
        "ALTER PROCESS(P)",
        "ALTER QMGR",
        "ALTER QALIAS(AQ)",
        "ALTER QLOCAL(LQ)",
        "ALTER QMODEL(MQ)",
    ),
    *("ALTER QMODEL(MQ)", "ALTER QREMOTE(RQ)", "ALTER SERVICE(V)", "ALTER SUB(S)", "ALTER TOPIC(T)"),
    *("CLEAR QLOCAL(LQ)", "CLEAR TOPICSTR('t') CLRTYPE(RETAINED)"),
    *("DEFINE AUTHINFO(X) AUTHTYPE(IDPWOS)", "DEFINE CHANNEL(X) CHLTYPE(RCVR)", "DEFINE COMMINFO(X) TYPE(MULTICAST)"),
    *("DEFINE LISTENER(X) TRPTYPE(TCP)", "DEFINE NAMELIST(X)", "DEFINE PROCESS(X)", "DEFINE QALIAS(X) TARGET(LQ)"),
    *("DEFINE QLOCAL(X)", "DEFINE QMODEL(X)", "DEFINE QREMOTE(X) RNAME('')", "DEFINE SERVICE(X)"),
    *("DEFINE SUB(X) TOPICSTR('t') DEST(LQ)", "DEFINE TOPIC(X) TOPICSTR('x')"),
    *("DELETE AUTHINFO(A)", "DELETE CHANNEL(C)", "DELETE COMMINFO(I)", "DELETE LISTENER(L)", "DELETE NAMELIST(N)"),
    *("DELETE PROCESS(P)", "DELETE QALIAS(AQ)", "DELETE QLOCAL(LQ)", "DELETE QMODEL(MQ)", "DELETE QREMOTE(RQ)"),
    *("DELETE SERVICE(V)", "DELETE SUB(S)", "DELETE TOPIC(T)"),
    "DELETE AUTHREC PROFILE('LQ') OBJTYPE(QUEUE) PRINCIPAL('app')",
    *("DISPLAY AUTHINFO(A)", "DISPLAY AUTHREC", "DISPLAY AUTHSERV", "DISPLAY CHANNEL(C)", "DISPLAY CHLAUTH(*)"),
    *("DISPLAY COMMINFO(I)", "DISPLAY ENTAUTH OBJTYPE(QMGR) PRINCIPAL('app')", "DISPLAY LISTENER(L)"),
    *("DISPLAY NAMELIST(N)", "DISPLAY PROCESS(P)", "DISPLAY QMGR", "DISPLAY QMSTATUS"),
    *("DISPLAY QSTATUS(LQ)", "DISPLAY QUEUE(*)", "DISPLAY QALIAS(AQ)", "DISPLAY QLOCAL(LQ)", "DISPLAY QMODEL(MQ)"),
    *("DISPLAY QREMOTE(RQ)", "DISPLAY SERVICE(V)", "DISPLAY SUB(S)", "DISPLAY TOPIC(T)"),
    *("PING QMGR", "REFRESH QMGR TYPE(CONFIGEV)", "REFRESH SECURITY", "RESET CHANNEL(C)"),
    *("RESET QMGR TYPE(STATISTICS)", "RESOLVE CHANNEL(C) ACTION(BACKOUT)"),
    "SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('app') AUTHADD(CONNECT)",
    "SET CHLAUTH('X') TYPE(BLOCKUSER) USERLIST('nobody')",
    *("START CHANNEL(C)", "START LISTENER(L)", "START SERVICE(V)", "STOP CHANNEL(C)", "STOP SERVICE(V)"),
    *("DISPLAY CMDSERV", "START CMDSERV", "STOP CMDSERV"),  # of MQ for z/OS, built for tools that administer both
]
"""What is carried out."""
REFUSED = {
    "DISPLAY CHSTATUS(C)": MQRCCF.CHANNEL_STATUS_NOT_FOUND,
    "DISPLAY CONN(00)": MQRCCF.CONNECTION_ID_ERROR,
    "DISPLAY LSSTATUS(L)": MQRCCF.LSTR_STATUS_NOT_FOUND,
    "DISPLAY SVSTATUS(V)": MQRCCF.SERV_STATUS_NOT_FOUND,
    "STOP LISTENER(L)": MQRCCF.LISTENER_STOPPED,
    # Clusters: the queue manager is in none
    "DISPLAY CLUSQMGR(*)": MQRC.UNKNOWN_OBJECT_NAME,
    "DISPLAY QCLUSTER(*)": MQRC.UNKNOWN_OBJECT_NAME,
    "DISPLAY TCLUSTER(*)": MQRC.UNKNOWN_OBJECT_NAME,
    "REFRESH CLUSTER(X)": MQRC.UNKNOWN_OBJECT_NAME,
    "RESET CLUSTER(X) ACTION(FORCEREMOVE) QMNAME(Y)": MQRC.UNKNOWN_OBJECT_NAME,
    "RESUME QMGR CLUSTER(X)": MQRC.UNKNOWN_OBJECT_NAME,
    "SUSPEND QMGR CLUSTER(X)": MQRC.UNKNOWN_OBJECT_NAME,
    # Message protection: there are no policies
    "DELETE POLICY(X)": MQRCCF.POLICY_NOT_FOUND,
    "DISPLAY POLICY(*)": MQRCCF.POLICY_NOT_FOUND,
    "SET POLICY(X) SIGNALG(SHA256)": MQRCCF.FUNCTION_RESTRICTED,
    # MQTT and AMQP: such channels are kept, and do not run
    "PURGE CHANNEL(X) CHLTYPE(MQTT) CLIENTID('c')": MQRCCF.CHANNEL_NOT_FOUND,
    "PURGE CHANNEL(C)": MQRCCF.WRONG_CHANNEL_TYPE,
    "PURGE CHANNEL(M)": MQRCCF.CHANNEL_NOT_ACTIVE,
    "START CHANNEL(M) CHLTYPE(MQTT)": MQRCCF.WRONG_CHANNEL_TYPE,
    "STOP CHANNEL(M) CHLTYPE(MQTT)": MQRCCF.WRONG_CHANNEL_TYPE,
    "DISPLAY CHSTATUS(M) CHLTYPE(MQTT)": MQRCCF.CHANNEL_STATUS_NOT_FOUND,
}
"""What is here for nobody, or for nobody now: the reason that says so."""
ELSEWHERE = [
    *("ALTER BUFFPOOL(1)", "ALTER CFSTRUCT(X)", "ALTER PSID(1)", "ALTER SECURITY", "ALTER SMDS(X)"),
    *("ALTER STGCLASS(X)", "ALTER TRACE(STAT)", "ARCHIVE LOG", "BACKUP CFSTRUCT(X)", "DEFINE BUFFPOOL(1)"),
    *("DEFINE CFSTRUCT(X)", "DEFINE LOG(X)", "DEFINE MAXSMSGS(1)", "DEFINE PSID(1)", "DEFINE STGCLASS(X)"),
    *("DELETE BUFFPOOL(1)", "DELETE CFSTRUCT(X)", "DELETE PSID(1)", "DELETE STGCLASS(X)", "DISPLAY ARCHIVE"),
    *("DISPLAY CFSTATUS(X)", "DISPLAY CFSTRUCT(X)", "DISPLAY CHINIT", "DISPLAY GROUP", "DISPLAY LOG"),
    *("DISPLAY MAXSMSGS", "DISPLAY SECURITY", "DISPLAY SMDS(X)", "DISPLAY SMDSCONN(X)", "DISPLAY STGCLASS(X)"),
    *("DISPLAY SYSTEM", "DISPLAY THREAD(*)", "DISPLAY TRACE(*)", "DISPLAY USAGE", "MOVE QLOCAL(A) TOQLOCAL(B)"),
    *("RECOVER BSDS", "RECOVER CFSTRUCT(X)", "RESET CFSTRUCT(X)", "RESET SMDS(X)", "RESET TPIPE(X)"),
    *("RVERIFY SECURITY(X)", "SET ARCHIVE", "SET LOG", "SET SYSTEM", "START QMGR", "START SMDSCONN(X)"),
    *("START TRACE(STAT)", "STOP CHINIT", "STOP QMGR", "STOP SMDSCONN(X)", "STOP TRACE(STAT)"),
]
"""What only MQ for z/OS has. RESET QSTATS and RESOLVE INDOUBT, which are of z/OS too, are built."""
TRIED_ELSEWHERE = {
    ("PING", "CHANNEL"), ("RESET", "QSTATS"), ("RESOLVE", "INDOUBT"), ("START", "CHINIT"), ("DISPLAY", "SBSTATUS"),
    ("DISPLAY", "TPSTATUS"), ("DISPLAY", "PUBSUB"), ("DISPLAY", "APSTATUS"), ("STOP", "CONN"),
}  # fmt: skip
"""What asks for more than definitions, or is answered later; each has tests of its own."""


class Server:
    """A command server that can be started and stopped."""

    running = True

    def start(self, now: float) -> None:
        self.running = True

    def stop(self, now: float) -> None:
        self.running = False


@pytest.fixture
def bench() -> Bench:
    bench = Bench()
    bench.commands.command_server = Server()
    assert all(reply.ok for reply in bench.script(BEFORE))
    return bench


@pytest.mark.parametrize("text", BUILT)
def test_what_is_built_is_carried_out(bench: Bench, text: str) -> None:
    if text == "START CMDSERV":
        bench.good("STOP CMDSERV")
    if text == "STOP SERVICE(V)":
        bench.good("START SERVICE(V)")
    bench.good(text)


@pytest.mark.parametrize(("text", "reason"), REFUSED.items())
def test_what_is_not_here_is_told_by_its_reason(bench: Bench, text: str, reason: int) -> None:
    reply = bench.run(text)
    assert (reply.ok, reply.reason) == (False, reason)


@pytest.mark.parametrize("text", ELSEWHERE)
def test_commands_of_zos_are_refused_by_name(bench: Bench, text: str) -> None:
    (response,) = bench.bad(text, "AMQ8405").responses
    assert "which only MQ for z/OS has" in response.line


def test_each_command_is_listed_once() -> None:
    listed = [tuple(text.replace("(", " ").split()[:2]) for text in (*BUILT, *REFUSED)]
    pairs = {(verb, noun) for verb, nouns in VERBS.items() for noun in nouns}
    assert set(listed) | TRIED_ELSEWHERE == pairs == set(HANDLERS)
    refused = {tuple(text.replace("(", " ").split()[:2]) for text in ELSEWHERE}
    assert refused == {(verb, noun) for verb, nouns in ONLY_ZOS.items() for noun in nouns}
    assert not refused & pairs


def test_the_command_server_is_displayed_started_and_stopped(bench: Bench) -> None:
    assert bench.rows("DIS CS") == [{"QMNAME": "EARTH", "CMDSERV": "RUNNING"}]
    bench.good("STOP CMDSERV")
    assert bench.rows("DISPLAY CMDSERV") == [{"QMNAME": "EARTH", "CMDSERV": "STOPPED"}]
    assert bench.rows("DISPLAY QMSTATUS CMDSERV")[0]["CMDSERV"] == "STOPPED"


# Blank values


def texts() -> list[tuple[Kind, str, str]]:
    """Kind, subtype and keyword of every attribute that is a text or a list of texts."""
    return [
        (kind, subtype, keyword)
        for kind, info in KINDS.items()
        for subtype, table in info.tables.items()
        for keyword, attribute in table.items()
        if isinstance(attribute.type, Text | TextList) and kind not in (Kind.CHLAUTH, Kind.AUTHREC)
    ]


@pytest.mark.parametrize(("kind", "subtype", "keyword"), texts())
def test_empty_quotes_are_a_blank_value(kind: Kind, subtype: str, keyword: str) -> None:
    """As runmqsc takes them: what is refused as blank is refused as empty, with the same answer."""
    outcomes = []
    for value in ("' '", "''"):
        bench = Bench()
        bench.script(BEFORE)
        word = {Kind.CHANNEL: f"CHLTYPE({subtype})", Kind.AUTHINFO: f"AUTHTYPE({subtype})"}.get(kind, "")
        name = "" if kind is Kind.QMGR else "(NEW)"
        verb = "ALTER" if kind is Kind.QMGR else "DEFINE"
        reply = bench.run(f"{verb} {kind.value}{name} {word} {keyword}({value})")
        outcomes.append((reply.ok, reply.reason, [each.amq for each in reply.responses]))
        if reply.ok and kind is not Kind.QMGR:
            found = bench.objects.find(kind, "NEW")
            assert found is not None
            outcomes[-1] += (found[keyword],)
    assert outcomes[0] == outcomes[1]


def test_a_filter_and_a_record_take_empty_quotes(bench: Bench) -> None:
    assert bench.names("DISPLAY QLOCAL(L*) WHERE(DESCR EQ '')") == ["LQ"]
    bench.good("ALTER QREMOTE(RQ) RNAME('') XMITQ('')")
    assert bench.rows("DISPLAY QREMOTE(RQ) RNAME")[0]["RNAME"] == ""
    bench.good("SET CHLAUTH('X') TYPE(ADDRESSMAP) ADDRESS('*') USERSRC(MAP) MCAUSER('app') DESCR('')")


@pytest.mark.parametrize("text", ["DISPLAY QUEUE('')", "DEFINE QLOCAL('')", "ALTER QLOCAL(LQ) MAXDEPTH('')"])
def test_names_and_numbers_are_never_empty(bench: Bench, text: str) -> None:
    assert not bench.run(text).ok
