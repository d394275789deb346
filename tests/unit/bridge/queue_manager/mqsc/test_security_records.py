from __future__ import annotations

import pytest

from mqbridge.bridge.queue_manager.objects import MQRCCF
from support.queue_manager.mqsc_bench import Bench

pytestmark = pytest.mark.spec("channels.md 14")


@pytest.fixture
def bench() -> Bench:
    return Bench()


GOOD = [
    "SET CHLAUTH('A.*') TYPE(ADDRESSMAP) ADDRESS('10.0.0.*') USERSRC(CHANNEL)",
    "SET CHLAUTH('A.*') TYPE(ADDRESSMAP) ADDRESS('10.*') USERSRC(NOACCESS) WARN(YES)",
    "SET CHLAUTH('A.*') TYPE(ADDRESSMAP) ADDRESS('11.*') MCAUSER('u') CHCKCLNT(REQUIRED) DESCR('x')",
    "SET CHLAUTH('A.*') TYPE(SSLPEERMAP) SSLPEER('CN=x') SSLCERTI('CN=ca') ADDRESS('*') USERSRC(MAP) MCAUSER('u')",
    "SET CHLAUTH('A.*') TYPE(QMGRMAP) QMNAME('QM*') USERSRC(CHANNEL)",
    "SET CHLAUTH('A.*') TYPE(USERMAP) CLNTUSER('joe') MCAUSER('u') ADDRESS('host')",
    "SET CHLAUTH('A.*') TYPE(BLOCKUSER) USERLIST('a','b') WARN(YES)",
    "SET CHLAUTH('*') TYPE(BLOCKADDR) ADDRLIST('1.2.3.4','10.*')",
]


def test_records_of_every_type_are_kept_and_displayed(bench: Bench) -> None:
    for text in GOOD:
        assert bench.good(text).responses[0].amq == "AMQ8877"
    rows = bench.rows("DISPLAY CHLAUTH('A.*') MATCH(EXACT)")
    assert len(rows) == len(GOOD) - 1
    by_type = {row["TYPE"]: row for row in rows}
    assert by_type["SSLPEERMAP"]["SSLCERTI"] == "CN=ca"
    assert by_type["USERMAP"]["CLNTUSER"] == "joe"
    assert by_type["BLOCKUSER"]["USERLIST"] == "a,b"
    assert bench.names("DISPLAY CHLAUTH('A.*') TYPE(QMGRMAP)") == ["A.*"]
    assert len(bench.rows("DISPLAY CHLAUTH(*) ALL")) == len(GOOD) + 3
    assert len(bench.rows("DISPLAY CHLAUTH(*) WHERE(USERSRC EQ NOACCESS)")) == 2


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("SET CHLAUTH('A.*') TYPE(ADDRESSMAP) USERSRC(CHANNEL)", MQRCCF.PARM_MISSING),
        ("SET CHLAUTH('A.*') TYPE(ADDRESSMAP) ADDRESS('*')", MQRCCF.WRONG_CHLAUTH_USERSRC),
        ("SET CHLAUTH('A.*') TYPE(ADDRESSMAP) ADDRESS('*') USERSRC(NOACCESS) MCAUSER('u')", None),
        ("SET CHLAUTH('A.*') TYPE(ADDRESSMAP) ADDRESS('*') USERSRC(CHANNEL) WARN(YES)", MQRCCF.PARM_CONFLICT),
        ("SET CHLAUTH('A.*') TYPE(ADDRESSMAP) ADDRESS('10.999.*') USERSRC(CHANNEL)", MQRCCF.ADDRESS_ERROR),
        ("SET CHLAUTH('A.*') TYPE(BLOCKADDR) ADDRLIST('*')", MQRCCF.PROFILE_NAME_ERROR),
        ("SET CHLAUTH('A.*') TYPE(BLOCKUSER)", MQRCCF.PARM_MISSING),
        ("SET CHLAUTH('A.*') TYPE(BLOCKUSER) USERLIST('a') MCAUSER('b')", None),
        ("SET CHLAUTH('A.*') TYPE(USERMAP) USERSRC(CHANNEL)", MQRCCF.PARM_MISSING),
        ("SET CHLAUTH('A.*') TYPE(OTHER)", None),
        ("SET CHLAUTH('A.*')", None),
        ("SET CHLAUTH TYPE(BLOCKUSER) USERLIST('a')", None),
        ("SET CHLAUTH('XXXXXXXXXXXXXXXXXXXXX') TYPE(BLOCKUSER) USERLIST('a')", MQRCCF.PROFILE_NAME_ERROR),
    ],
)
def test_records_that_are_refused(bench: Bench, text: str, reason: int | None) -> None:
    bench.bad(text, "AMQ8405", reason)


def test_add_takes_a_new_mapping_only_and_lengthens_a_list(bench: Bench) -> None:
    bench.good(GOOD[0])
    bench.bad(GOOD[0] + " ACTION(ADD)", "AMQ8150", MQRCCF.CHLAUTH_ALREADY_EXISTS)
    bench.good("SET CHLAUTH('*') TYPE(BLOCKUSER) USERLIST('joe','*MQADMIN')")
    (row,) = bench.rows("DISPLAY CHLAUTH('*') TYPE(BLOCKUSER) MATCH(EXACT)")
    assert row["USERLIST"] == "*MQADMIN,joe"


def test_replace_makes_the_record_anew(bench: Bench) -> None:
    bench.good(GOOD[2])
    bench.good("SET CHLAUTH('A.*') TYPE(ADDRESSMAP) ADDRESS('11.*') USERSRC(CHANNEL) ACTION(REPLACE)")
    (row,) = bench.rows("DISPLAY CHLAUTH('A.*') MATCH(EXACT)")
    assert (row["USERSRC"], row["MCAUSER"], row["DESCR"]) == ("CHANNEL", "", "")
    bench.good("SET CHLAUTH('*') TYPE(BLOCKUSER) USERLIST('joe') ACTION(REPLACE)")
    assert bench.rows("DISPLAY CHLAUTH('*') MATCH(EXACT) USERLIST")[0]["USERLIST"] == "joe"


def test_remove_takes_a_mapping_or_entries_of_a_list(bench: Bench) -> None:
    bench.good(GOOD[0])
    bench.good("SET CHLAUTH('A.*') TYPE(ADDRESSMAP) ADDRESS('10.0.0.*') ACTION(REMOVE)")
    bench.bad("DISPLAY CHLAUTH('A.*')", "AMQ8879")
    bench.bad("SET CHLAUTH('A.*') TYPE(ADDRESSMAP) ADDRESS('10.0.0.*') ACTION(REMOVE)", "AMQ8879")
    bench.good(GOOD[6])
    bench.good("SET CHLAUTH('A.*') TYPE(BLOCKUSER) USERLIST('a') ACTION(REMOVE)")
    assert bench.rows("DISPLAY CHLAUTH('A.*') USERLIST")[0]["USERLIST"] == "b"
    bench.bad("SET CHLAUTH('A.*') TYPE(BLOCKUSER) USERLIST('a') ACTION(REMOVE)", "AMQ8879", MQRCCF.CHLAUTH_NOT_FOUND)
    bench.good("SET CHLAUTH('A.*') TYPE(BLOCKUSER) USERLIST('b') ACTION(REMOVE)")
    bench.bad("DISPLAY CHLAUTH('A.*')", "AMQ8879")


def test_removeall_takes_every_record_of_profile_and_type(bench: Bench) -> None:
    for text in GOOD:
        bench.good(text)
    bench.good("SET CHLAUTH('A.*') TYPE(ADDRESSMAP) ACTION(REMOVEALL)")
    assert "ADDRESSMAP" not in {row["TYPE"] for row in bench.rows("DISPLAY CHLAUTH('A.*') MATCH(EXACT)")}
    bench.good("SET CHLAUTH('A.*') TYPE(BLOCKUSER) ACTION(REMOVEALL)")
    bench.bad("SET CHLAUTH('A.*') TYPE(BLOCKUSER) ACTION(REMOVEALL)", "AMQ8879")
    bench.bad("SET CHLAUTH('*') TYPE(BLOCKUSER) USERLIST('a') ACTION(REMOVEALL)", "AMQ8405")


def test_records_that_apply_to_a_channel_are_found_by_its_name(bench: Bench) -> None:
    names = {row["CHLAUTH"] for row in bench.rows("DISPLAY CHLAUTH(SYSTEM.DEF.SENDER) MATCH(GENERIC)")}
    assert names == {"*", "SYSTEM.*"}
    bench.bad("DISPLAY CHLAUTH(SYSTEM.DEF.SENDER)", "AMQ8879")
    bench.bad("DISPLAY CHLAUTH(A) MATCH(RUNCHECK)", "AMQ8405")


def given(bench: Bench, command: str = "DISPLAY AUTHREC") -> list[dict[str, str]]:
    """Rows of records that are not supplied."""
    return [row for row in bench.rows(command) if row["ENTITY"] not in ("app", "mca")]


def test_authorities_are_added_and_removed(bench: Bench) -> None:
    text = "SET AUTHREC PROFILE('A.**') OBJTYPE(QUEUE) PRINCIPAL('joe') GROUP('ops','dev')"
    assert bench.good(f"{text} AUTHADD(PUT,GET)").responses[0].amq == "AMQ8862"
    bench.good(f"{text} AUTHADD(BROWSE) AUTHRMV(PUT)")
    rows = bench.rows("DISPLAY AUTHREC PROFILE('A.**')")
    assert [(row["ENTTYPE"], row["ENTITY"], row["AUTHLIST"]) for row in rows] == [
        ("GROUP", "dev", "BROWSE,GET"),
        ("GROUP", "ops", "BROWSE,GET"),
        ("PRINCIPAL", "joe", "BROWSE,GET"),
    ]
    bench.good(f"{text} AUTHRMV(ALL)")
    assert {row["AUTHLIST"] for row in given(bench)} == {"NONE"}


@pytest.mark.parametrize(
    ("objtype", "words", "expected"),
    [
        ("QUEUE", "ALLMQI", "BROWSE,GET,INQ,PASSALL,PASSID,PUT,SET,SETALL,SETID"),
        ("QUEUE", "ALLADM", "CHG,CLR,CRT,DLT,DSP"),
        ("TOPIC", "PUB,SUB", "PUB,SUB"),
        ("QMGR", "CONNECT,INQ", "CONNECT,INQ"),
        ("CHANNEL", "ALLMQI", "NONE"),
        ("CHANNEL", "ALL", "CHG,CRT,CTRL,CTRLX,DLT,DSP"),
        ("RQMNAME", "PUT", "PUT"),
        ("PROCESS", "NONE", "NONE"),
    ],
)
def test_words_for_several_authorities(bench: Bench, objtype: str, words: str, expected: str) -> None:
    bench.good(f"SET AUTHREC PROFILE(P) OBJTYPE({objtype}) PRINCIPAL('joe') AUTHADD({words})")
    (row,) = given(bench, f"DISPLAY AUTHREC OBJTYPE({objtype})")
    assert row["AUTHLIST"] == expected


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("PROFILE(A) PRINCIPAL('joe') AUTHADD(PUT)", None),
        ("OBJTYPE(QUEUE) PRINCIPAL('joe') AUTHADD(PUT)", MQRCCF.PROFILE_NAME_MISSING),
        ("PROFILE(A) OBJTYPE(QUEUE) AUTHADD(PUT)", MQRCCF.ENTITY_NAME_MISSING),
        ("PROFILE(A) OBJTYPE(QUEUE) PRINCIPAL('joe')", None),
        ("PROFILE(A) OBJTYPE(QUEUE) PRINCIPAL('joe') AUTHADD(CONNECT)", MQRCCF.AUTH_VALUE_ERROR),
        ("PROFILE(A) OBJTYPE(QUEUE) PRINCIPAL('joe') AUTHADD(FLY)", MQRCCF.AUTH_VALUE_ERROR),
        ("PROFILE('A B') OBJTYPE(QUEUE) PRINCIPAL('joe') AUTHADD(PUT)", MQRCCF.PROFILE_NAME_ERROR),
        ("PROFILE(A) OBJTYPE(MOON) PRINCIPAL('joe') AUTHADD(PUT)", None),
    ],
)
def test_authority_records_that_are_refused(bench: Bench, text: str, reason: int | None) -> None:
    bench.bad(f"SET AUTHREC {text}", "AMQ8405", reason)


def test_display_and_delete_of_authority_records(bench: Bench) -> None:
    for profile in ("A.B", "A.**", "C"):
        bench.good(f"SET AUTHREC PROFILE('{profile}') OBJTYPE(QUEUE) PRINCIPAL('joe','ann') AUTHADD(PUT)")
    bench.good("SET AUTHREC OBJTYPE(QMGR) GROUP('ops') AUTHADD(CONNECT)")
    assert len(given(bench)) == 7
    assert len(bench.rows("DISPLAY AUTHREC PROFILE('A.*')")) == 4
    assert len(bench.rows("DISPLAY AUTHREC PROFILE('A.**') MATCH(EXACT) PRINCIPAL('joe')")) == 1
    assert given(bench, "DISPLAY AUTHREC OBJTYPE(QMGR) AUTHLIST") == [
        {"PROFILE": "self", "AUTHLIST": "CONNECT", "ENTITY": "ops", "ENTTYPE": "GROUP", "OBJTYPE": "QMGR"}
    ]
    assert bench.good("DELETE AUTHREC PROFILE(C) OBJTYPE(QUEUE) PRINCIPAL('joe')").responses[0].amq == "AMQ8863"
    bench.bad("DELETE AUTHREC PROFILE(C) OBJTYPE(QUEUE) PRINCIPAL('ann','joe')", "AMQ8147")
    assert len(given(bench)) == 6
    bench.bad("DISPLAY AUTHREC PROFILE(NONE)", "AMQ8147")
