"""DISPLAY CHLAUTH MATCH(RUNCHECK): the record that would decide about a caller (channels.md 14)."""

from __future__ import annotations

import pytest

from mqbridge.bridge.queue_manager.objects import MQRCCF
from support.queue_manager.mqsc_bench import Bench
from support.queue_manager.security_records import people

pytestmark = pytest.mark.spec("channels.md 17.2")


@pytest.fixture
def bench() -> Bench:
    bench = Bench()
    for command in (
        "DEFINE CHANNEL(TO.US) CHLTYPE(RCVR) MCAUSER('fred')",
        "DEFINE CHANNEL(IN.TO.US) CHLTYPE(RCVR)",
        "DEFINE CHANNEL(FREE) CHLTYPE(SVRCONN)",
        "SET CHLAUTH('TO.*') TYPE(QMGRMAP) QMNAME('BAD*') USERSRC(NOACCESS)",
        "SET CHLAUTH('TO.*') TYPE(QMGRMAP) QMNAME('QM1') MCAUSER('qm1')",
        "SET CHLAUTH('FREE') TYPE(USERMAP) CLNTUSER('joe') MCAUSER('mqm')",
        "SET CHLAUTH('FREE') TYPE(USERMAP) CLNTUSER('ann') MCAUSER('guest') DESCR('for ann')",
        "SET CHLAUTH('*') TYPE(BLOCKADDR) ADDRLIST('10.66.*')",
    ):
        bench.good(command)
    return bench


@pytest.mark.parametrize(
    ("command", "record"),
    [
        ("TO.US) ADDRESS('10.0.0.1') QMNAME('BAD1'", {"CHLAUTH": "TO.*", "TYPE": "QMGRMAP", "QMNAME": "BAD*"}),
        ("TO.US) ADDRESS('10.0.0.1') QMNAME('QM1'", {"CHLAUTH": "TO.*", "TYPE": "QMGRMAP", "MCAUSER": "qm1"}),
        ("TO.US) ADDRESS('10.66.0.1') QMNAME('QM1'", {"CHLAUTH": "*", "TYPE": "BLOCKADDR", "ADDRLIST": "10.66.*"}),
        ("FREE) ADDRESS('10.0.0.1') CLNTUSER('ann'", {"CHLAUTH": "FREE", "TYPE": "USERMAP", "DESCR": "for ann"}),
        ("FREE) ADDRESS('10.0.0.1') CLNTUSER('joe'", {"CHLAUTH": "*", "TYPE": "BLOCKUSER", "USERLIST": "*MQADMIN"}),
        ("FREE) ADDRESS('10.0.0.1') CLNTUSER('mqm'", {"CHLAUTH": "*", "TYPE": "BLOCKUSER"}),
        ("SYSTEM.DEF.RECEIVER) ADDRESS('10.0.0.1') QMNAME('QM1'", {"CHLAUTH": "SYSTEM.*", "USERSRC": "NOACCESS"}),
        ("SYSTEM.ADMIN.SVRCONN) ADDRESS('::1') CLNTUSER('joe'", {"CHLAUTH": "SYSTEM.ADMIN.SVRCONN"}),
    ],
)
def test_the_record_that_decides(bench: Bench, command: str, record: dict[str, str]) -> None:
    reply = bench.good(f"DISPLAY CHLAUTH({command}) MATCH(RUNCHECK) ALL")
    assert [response.amq for response in reply.responses] == ["AMQ8878"]
    (row,) = [{keyword: cell.text for keyword, cell in row.items()} for row in reply.rows]
    assert row.items() >= record.items()


@pytest.mark.parametrize(
    ("command", "user"),
    [
        ("TO.US) ADDRESS('10.0.0.1') QMNAME('QM2'", "fred"),
        ("IN.TO.US) ADDRESS('10.0.0.1') QMNAME('QM2'", "mca"),
        ("FREE) ADDRESS('0.0.0.0') CLNTUSER('carol'", "carol"),
        ("DEV.APP.SVRCONN) ADDRESS('10.0.0.1') CLNTUSER('carol'", "app"),
        ("NOT.DEFINED) ADDRESS('10.0.0.1') CLNTUSER('carol'", "carol"),
    ],
)
def test_where_no_record_decides_the_user_is_told(bench: Bench, command: str, user: str) -> None:
    (response,) = bench.good(f"DIS CHLAUTH({command}) MATCH(RUNCHECK)").responses
    assert response.line == f"AMQ9783I: Channel will run using MCAUSER('{user}')."


def test_only_the_attributes_asked_for(bench: Bench) -> None:
    command = "DISPLAY CHLAUTH(FREE) MATCH(RUNCHECK) ADDRESS('10.0.0.1') CLNTUSER('ann') MCAUSER"
    assert bench.rows(command) == [{"CHLAUTH": "FREE", "TYPE": "USERMAP", "MCAUSER": "guest"}]


def test_members_of_the_administrators_group_are_blocked(bench: Bench) -> None:
    bench.manager.security.take_users(people({"alice": ("mqm",)}))
    command = "DISPLAY CHLAUTH(FREE) MATCH(RUNCHECK) ADDRESS('10.0.0.1') CLNTUSER('{}')"
    assert bench.rows(command.format("alice"))[0]["TYPE"] == "BLOCKUSER"
    assert bench.good(command.format("bob")).responses[0].amq == "AMQ9783"


def test_disabled_records_are_looked_at_and_marked(bench: Bench) -> None:
    bench.good("ALTER QMGR CHLAUTH(DISABLED)")
    reply = bench.good("DISPLAY CHLAUTH(TO.US) MATCH(RUNCHECK) ADDRESS('10.0.0.1') QMNAME('BAD1')")
    assert reply.responses[0].amq == "AMQ8898"


@pytest.mark.parametrize(
    "command",
    [
        "TO.*) ADDRESS('10.0.0.1') QMNAME('QM1'",
        "TO.US) QMNAME('QM1'",
        "TO.US) ADDRESS('10.0.0.1'",
        "TO.US) ADDRESS('10.0.0.1') QMNAME('QM1') CLNTUSER('joe'",
        "TO.US) ADDRESS('10.0.*') QMNAME('QM1'",
        "TO.US) ADDRESS('mars') QMNAME('QM1'",
    ],
)
def test_questions_that_are_refused(bench: Bench, command: str) -> None:
    bench.bad(f"DISPLAY CHLAUTH({command}) MATCH(RUNCHECK)", "AMQ8405", MQRCCF.CHLAUTH_RUNCHECK_ERROR)


def test_records_of_a_users_groups(bench: Bench) -> None:
    bench.manager.security.take_users(people({"bob": ("readers",)}))
    bench.good("SET AUTHREC PROFILE(Q) OBJTYPE(QUEUE) PRINCIPAL('bob') GROUP('readers','others') AUTHADD(GET)")
    whose = [row["ENTITY"] for row in bench.rows("DISPLAY AUTHREC PRINCIPAL('bob') MATCH(MEMBERSHIP)")]
    assert whose == ["readers", "bob"]
    assert [row["ENTITY"] for row in bench.rows("DISPLAY AUTHREC PRINCIPAL('bob')")] == ["bob"]


@pytest.mark.spec("tls.md T-11")
@pytest.mark.parametrize(
    ("certificate", "user"),
    [
        ("", "fred"),
        ("SSLPEER('CN=MARS,O=Space')", "mars"),
        ("SSLPEER('SERIALNUMBER=4C:D0,O=Space,CN=mars')", "mars"),
        ("SSLPEER('CN=MARS,O=Space') SSLCERTI('CN=Authority')", "sure"),
        ("SSLPEER('CN=MARS,O=Space') SSLCERTI('CN=Another')", "mars"),
        ("SSLPEER('CN=VENUS,O=Space') SSLCERTI('CN=Authority')", "fred"),
    ],
)
def test_callers_with_a_certificate(bench: Bench, certificate: str, user: str) -> None:
    bench.good("SET CHLAUTH('*') TYPE(SSLPEERMAP) SSLPEER('CN=M*') MCAUSER('mars')")
    bench.good("SET CHLAUTH('*') TYPE(SSLPEERMAP) SSLPEER('CN=M*') SSLCERTI('CN=Authority') MCAUSER('sure')")
    command = f"DISPLAY CHLAUTH(TO.US) MATCH(RUNCHECK) ADDRESS('10.0.0.1') QMNAME('QM2') {certificate}"
    if user == "fred":
        assert bench.good(command).responses[0].amq == "AMQ9783"
    else:
        (row,) = bench.rows(f"{command} ALL")
        assert (row["TYPE"], row["MCAUSER"]) == ("SSLPEERMAP", user)


def test_certificates_shown(bench: Bench) -> None:
    bench.good("SET CHLAUTH('*') TYPE(SSLPEERMAP) SSLPEER('CN=M*') MCAUSER('mars')")
    command = "DISPLAY CHLAUTH(TO.US) MATCH(RUNCHECK) ADDRESS('10.0.0.1') QMNAME('QM2') SSLPEER('CN=MARS') MCAUSER"
    assert bench.rows(command) == [{"CHLAUTH": "*", "TYPE": "SSLPEERMAP", "MCAUSER": "mars"}]
    command = "DISPLAY CHLAUTH(TO.US) MATCH(RUNCHECK) ADDRESS('10.0.0.1') QMNAME('QM1') SSLPEER MCAUSER"
    assert bench.rows(command) == [{"CHLAUTH": "TO.*", "TYPE": "QMGRMAP", "MCAUSER": "qm1"}]


@pytest.mark.parametrize(
    "certificate",
    ["SSLPEER('CN=M*')", "SSLPEER('MARS')", "SSLCERTI('CN=x')", "SSLPEER('CN=x') SSLCERTI('CN=*')", "SSLPEER(' ')",
     "SSLPEER('SERIALNUMBER=xyz')"],
)  # fmt: skip
def test_certificates_that_are_refused(bench: Bench, certificate: str) -> None:
    command = f"DISPLAY CHLAUTH(TO.US) MATCH(RUNCHECK) ADDRESS('10.0.0.1') QMNAME('QM1') {certificate}"
    bench.bad(command, "AMQ8405", MQRCCF.CHLAUTH_RUNCHECK_ERROR)
