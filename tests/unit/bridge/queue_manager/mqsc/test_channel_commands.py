from __future__ import annotations

import pytest

from mqbridge.bridge.queue_manager.control import ControlError
from mqbridge.bridge.queue_manager.objects import MQRCCF
from support.queue_manager.mqsc_bench import Bench


@pytest.fixture
def bench() -> Bench:
    bench = Bench()
    for text in (
        "DEFINE CHANNEL(SENDER) CHLTYPE(SDR) CONNAME('h(1)') XMITQ(X)",
        "DEFINE CHANNEL(SERVER) CHLTYPE(SVR) XMITQ(X)",
        "DEFINE CHANNEL(RECEIVER) CHLTYPE(RCVR)",
        "DEFINE CHANNEL(REQUESTER) CHLTYPE(RQSTR) CONNAME('h(1)')",
        "DEFINE CHANNEL(CLIENTS) CHLTYPE(SVRCONN)",
        "DEFINE CHANNEL(CLIENT) CHLTYPE(CLNTCONN) CONNAME('h(1)')",
    ):
        bench.good(text)
    return bench


@pytest.mark.spec("channels.md 17.2")
@pytest.mark.parametrize("name", ["SENDER", "SERVER", "RECEIVER", "REQUESTER", "CLIENTS"])
def test_start(bench: Bench, name: str) -> None:
    assert bench.good(f"START CHANNEL({name})").responses[0].amq == "AMQ8018"
    assert bench.control.calls == [("start", name)]


def test_start_that_is_refused(bench: Bench) -> None:
    bench.bad("START CHANNEL(CLIENT)", "AMQ8101", MQRCCF.WRONG_CHANNEL_TYPE)
    bench.bad("START CHANNEL(SYSTEM.DEF.AMQP)", "AMQ8101", MQRCCF.WRONG_CHANNEL_TYPE)
    bench.bad("START CHANNEL(NONE)", "AMQ8227", MQRCCF.CHANNEL_NOT_FOUND)
    bench.bad("START CHANNEL", "AMQ8405")
    bench.control.running.add("SENDER")
    bench.bad("START CHANNEL(SENDER)", "AMQ9514", MQRCCF.CHANNEL_IN_USE)
    assert bench.control.calls == []


@pytest.mark.parametrize(
    ("attribute", "amq"),
    [("MSGEXIT('a(b)')", "AMQ9536"), ("SCYEXIT('a(b)')", "AMQ9536")],
)
def test_a_channel_with_what_is_not_acted_on_does_not_start(bench: Bench, attribute: str, amq: str) -> None:
    bench.good(f"ALTER CHANNEL(SENDER) CHLTYPE(SDR) {attribute}")
    reply = bench.bad("START CHANNEL(SENDER)", amq, MQRCCF.CHANNEL_DISABLED)
    assert attribute.split("(")[0] in reply.responses[0].text
    bench.bad("PING CHANNEL(SENDER)", amq)
    assert bench.control.calls == []


@pytest.mark.spec("tls.md T-06")
@pytest.mark.parametrize(
    "attribute", ["SSLCRLNL(REVOKED)", "SSLCRYP('GSK_PKCS11')", "SSLFIPS(YES)", "SUITEB(128_BIT)", "SSLRKEYC(32768)"]
)
def test_what_is_not_built_of_tls_keeps_channels_with_tls_from_starting(bench: Bench, attribute: str) -> None:
    bench.good(f"ALTER QMGR {attribute}")
    bench.good("START CHANNEL(SENDER)")
    bench.good("ALTER CHANNEL(SENDER) CHLTYPE(SDR) SSLCIPH(ANY_TLS12_OR_HIGHER)")
    reply = bench.bad("START CHANNEL(SENDER)", "AMQ5546", MQRCCF.CHANNEL_DISABLED)
    assert attribute.split("(")[0] in reply.responses[0].text
    bench.bad("PING CHANNEL(SENDER)", "AMQ5546")


@pytest.mark.spec("channels.md 6.3")
@pytest.mark.parametrize(
    ("options", "call"),
    [
        ("", ("QUIESCE", "STOPPED", "", "")),
        ("MODE(FORCE)", ("FORCE", "STOPPED", "", "")),
        ("MODE(TERMINATE) STATUS(INACTIVE)", ("TERMINATE", "INACTIVE", "", "")),
        ("CONNAME('10.0.0.1')", ("QUIESCE", "INACTIVE", "10.0.0.1", "")),
        ("QMNAME(SATURN) STATUS(INACTIVE)", ("QUIESCE", "INACTIVE", "", "SATURN")),
    ],
)
def test_stop(bench: Bench, options: str, call: tuple[str, ...]) -> None:
    assert bench.good(f"STOP CHANNEL(RECEIVER) {options}").responses[0].amq == "AMQ8019"
    assert bench.control.calls == [("stop", "RECEIVER", *call)]


@pytest.mark.spec("channels.md 6.3")
def test_stop_that_is_refused(bench: Bench) -> None:
    bench.bad("STOP CHANNEL(CLIENT)", "AMQ8101", MQRCCF.WRONG_CHANNEL_TYPE)
    bench.bad("STOP CHANNEL(RECEIVER) QMNAME(A) STATUS(STOPPED)", "AMQ8405")
    bench.bad("STOP CHANNEL(RECEIVER) MODE(SOON)", "AMQ8405")
    assert bench.control.calls == []


@pytest.mark.spec("channels.md 6.3")
def test_ping_is_answered_by_the_partner(bench: Bench) -> None:
    replies = bench.ask("PING CHANNEL(SENDER) DATALEN(16)")
    bench.ask("PING CHANNEL(SERVER)")
    assert replies == []
    assert bench.control.calls == [("ping", "SENDER", 16), ("ping", "SERVER", 64)]
    bench.control.pings[0](None)
    assert replies[0].responses[0].amq == "AMQ8020"


def test_ping_that_fails_or_is_refused(bench: Bench) -> None:
    replies = bench.ask("PING CHANNEL(SENDER)")
    bench.control.pings[0](ControlError("no answer", amq="AMQ9202", reason=MQRCCF.HOST_NOT_AVAILABLE))
    assert (replies[0].responses[0].line, replies[0].reason) == ("AMQ9202E: no answer.", MQRCCF.HOST_NOT_AVAILABLE)
    bench.bad("PING CHANNEL(RECEIVER)", "AMQ9512", MQRCCF.WRONG_CHANNEL_TYPE)
    for length in ("15", "32769", "X", "'1 2'"):
        bench.bad(f"PING CHANNEL(SENDER) DATALEN({length})", "AMQ8405")
    bench.control.running.add("SENDER")
    bench.bad("PING CHANNEL(SENDER)", "AMQ9514", MQRCCF.CHANNEL_IN_USE)


@pytest.mark.spec("channels.md 5.6")
def test_reset(bench: Bench) -> None:
    assert bench.good("RESET CHANNEL(SENDER)").responses[0].amq == "AMQ8023"
    bench.good("RESET CHL(RECEIVER) SEQNUM(999999999)")
    assert bench.control.calls == [("reset", "SENDER", 1), ("reset", "RECEIVER", 999999999)]
    for name in ("CLIENTS", "CLIENT"):
        bench.bad(f"RESET CHANNEL({name})", "AMQ8101", MQRCCF.WRONG_CHANNEL_TYPE)
    bench.bad("RESET CHANNEL(SENDER) SEQNUM(0)", "AMQ8405")


@pytest.mark.spec("channels.md 5.5")
def test_resolve(bench: Bench) -> None:
    assert bench.good("RESOLVE CHANNEL(SENDER) ACTION(COMMIT)").responses[0].amq == "AMQ8025"
    bench.good("RESOLVE CHANNEL(SERVER) ACTION(BACKOUT)")
    assert bench.control.calls == [("resolve", "SENDER", True), ("resolve", "SERVER", False)]
    bench.bad("RESOLVE CHANNEL(RECEIVER) ACTION(COMMIT)", "AMQ8101", MQRCCF.WRONG_CHANNEL_TYPE)
    bench.bad("RESOLVE CHANNEL(SENDER)", "AMQ8405")


def test_listeners(bench: Bench) -> None:
    bench.good("DEFINE LISTENER(L) TRPTYPE(TCP) PORT(1415)")
    assert bench.good("START LISTENER(L)").responses[0].amq == "AMQ8021"
    bench.good("START LISTENER")
    assert bench.control.calls == [
        ("start listener", "L", 1415),
        ("start listener", "SYSTEM.DEFAULT.LISTENER.TCP", 1414),
    ]
    bench.bad("START LISTENER(NONE)", "AMQ8147")
    bench.bad("START LISTENER(SYSTEM.DEFAULT.LISTENER.SPX)", "AMQ8101", MQRCCF.LISTENER_NOT_STARTED)
    bench.bad("STOP LISTENER(L)", "AMQ8731", MQRCCF.LISTENER_STOPPED)
    bench.good("STOP LISTENER(L) IGNSTATE(YES)")
    bench.bad("STOP LISTENER(NONE) IGNSTATE(YES)", "AMQ8147")
    bench.control.open = [{"LISTENER": "L", "STATUS": "RUNNING"}]
    assert bench.good("STOP LISTENER(L)").responses[0].amq == "AMQ8706"


def test_services(bench: Bench) -> None:
    bench.good("DEFINE SERVICE(S) STARTCMD('x')")
    assert bench.good("START SERVICE(S)").responses[0].amq == "AMQ8733"
    bench.bad("START SERVICE(S)", "AMQ8101", MQRCCF.SERVICE_RUNNING)
    bench.good("START SERVICE(S) IGNSTATE(YES)")
    assert bench.rows("DISPLAY SVSTATUS(*)") == [{"SERVICE": "S", "STATUS": "RUNNING", "PID": "4711"}]
    assert bench.names("DISPLAY SVSTATUS(S*) WHERE(PID EQ 4711) ALL") == ["S"]
    bench.bad("DISPLAY SVSTATUS(T*)", "AMQ8147", MQRCCF.SERV_STATUS_NOT_FOUND)
    bench.bad("STOP SERVICE(S)", "AMQ8101", MQRCCF.NO_STOP_CMD)
    bench.bad("DELETE SERVICE(S)", "AMQ8148", MQRCCF.SERVICE_RUNNING)
    bench.good("ALTER SERVICE(S) STOPCMD('y')")
    assert bench.good("STOP SERVICE(S)").responses[0].amq == "AMQ8732"
    assert bench.control.calls == [("start service", "S"), ("stop service", "S")]
    bench.bad("START SERVICE(NONE)", "AMQ8147")
    bench.good("ALTER SERVICE(S) STARTCMD(' ')")
    bench.bad("START SERVICE(S)", "AMQ8101", MQRCCF.NO_START_CMD)


def test_commands_without_an_object(bench: Bench) -> None:
    assert bench.good("PING QMGR").responses[0].line == "AMQ8415I: queue manager command PING complete."
    assert bench.good("START CHINIT").responses[0].amq == "AMQ8024"
    assert bench.good("REFRESH QMGR TYPE(CONFIGEV)").responses[0].amq == "AMQ8415"
    for text in ("REFRESH SECURITY", "REFRESH SECURITY(*)", "REF SEC TYPE(CONNAUTH)", "REFRESH SECURITY TYPE(SSL)"):
        assert bench.good(text).responses[0].amq == "AMQ8560"
    bench.bad("REFRESH SECURITY TYPE(OTHER)", "AMQ8405")
    bench.bad("CLEAR TOPICSTR('a')", "AMQ8405")
    assert bench.good("CLEAR TOPICSTR('a') CLRTYPE(RETAINED)").responses[0].amq == "AMQ8749"


@pytest.mark.parametrize("command", ["START CHANNEL(S.R)", "STOP CHANNEL(S.R) STATUS(INACTIVE)", "START LISTENER(L)"])
def test_the_state_may_be_the_one_that_is_wanted(bench: Bench, command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.good("DEFINE CHANNEL(S.R) CHLTYPE(RCVR)")
    bench.good("DEFINE LISTENER(L) TRPTYPE(TCP)")
    reasons = {
        "START C": MQRCCF.CHANNEL_IN_USE,
        "STOP CH": MQRCCF.CHANNEL_NOT_ACTIVE,
        "START L": MQRCCF.LISTENER_RUNNING,
    }
    reason = reasons[command[:7]]

    def refuses(*_: object) -> None:
        raise ControlError("it is so already", reason=reason)

    for method in ("start", "stop", "start_listener"):
        monkeypatch.setattr(bench.control, method, refuses)
    bench.bad(command, "AMQ8101", reason)
    bench.bad(f"{command} IGNSTATE(NO)", "AMQ8101", reason)
    bench.good(f"{command} IGNSTATE(YES)")
    reason = MQRCCF.COMMAND_FAILED
    bench.bad(f"{command} IGNSTATE(YES)", "AMQ8101", reason)


@pytest.mark.spec("tls.md T-10")
def test_keys_are_read_again_by_refresh_security_type_ssl_alone(bench: Bench) -> None:
    for text in ("REFRESH SECURITY", "REFRESH SECURITY(*)", "REFRESH SECURITY TYPE(AUTHSERV)"):
        bench.good(text)
    assert bench.control.calls == []
    assert bench.good("REF SEC TYPE(SSL)").responses[0].amq == "AMQ8560"
    assert bench.control.calls == [("refresh tls",)]
