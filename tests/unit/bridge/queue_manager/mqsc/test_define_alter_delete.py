from __future__ import annotations

from types import SimpleNamespace

import pytest

from mqbridge.bridge.queue_manager.objects import MQRCCF, Kind, Objects
from mqbridge.protocol.constants import MQOO, MQRC
from support.queue_manager.mqsc_bench import NOW, Bench, FakeQueue


@pytest.fixture
def bench() -> Bench:
    return Bench()


KINDS = [
    ("QLOCAL", "", "AMQ8006", "AMQ8008", "AMQ8007"),
    ("QALIAS", "TARGET(X)", "AMQ8006", "AMQ8008", "AMQ8007"),
    ("QREMOTE", "RNAME(X) RQMNAME(Y)", "AMQ8006", "AMQ8008", "AMQ8007"),
    ("QMODEL", "DEFTYPE(PERMDYN)", "AMQ8006", "AMQ8008", "AMQ8007"),
    ("CHANNEL", "CHLTYPE(RCVR)", "AMQ8014", "AMQ8016", "AMQ8015"),
    ("TOPIC", "TOPICSTR('a/b')", "AMQ8690", "AMQ8691", "AMQ8694"),
    ("SUB", "TOPICSTR('a/b') DEST(Q)", "AMQ8094", "AMQ8095", "AMQ8097"),
    ("PROCESS", "APPLICID('run')", "AMQ8010", "AMQ8011", "AMQ8012"),
    ("NAMELIST", "NAMES(A,B)", "AMQ8552", "AMQ8551", "AMQ8553"),
    ("LISTENER", "TRPTYPE(TCP) PORT(1415)", "AMQ8626", "AMQ8623", "AMQ8628"),
    ("SERVICE", "STARTCMD('x')", "AMQ8625", "AMQ8624", "AMQ8627"),
    ("AUTHINFO", "AUTHTYPE(IDPWOS)", "AMQ8563", "AMQ8567", "AMQ8564"),
    ("COMMINFO", "TYPE(MULTICAST)", "AMQ8858", "AMQ8859", "AMQ8860"),
]


@pytest.mark.spec("channels.md 18")
@pytest.mark.parametrize(("noun", "given", "created", "changed", "deleted"), KINDS)
def test_the_life_of_an_object(bench: Bench, noun: str, given: str, created: str, changed: str, deleted: str) -> None:
    assert bench.good(f"DEFINE {noun}(LIFE) {given}").responses[0].amq == created
    word = "USERDATA" if noun == "SUB" else "DESCR"
    assert bench.good(f"ALTER {noun}(LIFE) {word}('new')").responses[0].amq == changed
    (row,) = bench.rows(f"DISPLAY {noun}(LIFE) {word}")
    assert row[word] == "new"
    exists, missing = ("AMQ8226", "AMQ8227") if noun == "CHANNEL" else ("AMQ8150", "AMQ8147")
    bench.bad(f"DEFINE {noun}(LIFE) {given}", exists)
    assert bench.good(f"DEFINE {noun}(LIFE) {given} REPLACE").responses[0].amq == created
    bench.good(f"DEFINE {noun}(OTHER) {given.replace('a/b', 'c')} LIKE(LIFE) NOREPLACE")
    assert bench.good(f"DELETE {noun}(LIFE)").responses[0].amq == deleted
    bench.bad(f"DELETE {noun}(LIFE)", missing)
    bench.bad(f"ALTER {noun}(LIFE) {word}('x')", missing)
    bench.good(f"DELETE {noun}(LIFE) IGNSTATE(YES)")


def test_the_text_of_a_message_has_id_and_severity(bench: Bench) -> None:
    assert bench.good("DEF QL(A)").responses[0].line == "AMQ8006I: queue created."
    assert bench.bad("DEF QL(A)", "AMQ8150", MQRCCF.OBJECT_ALREADY_EXISTS).responses[0].line == (
        "AMQ8150E: queue A already exists."
    )
    assert bench.bad("DELETE QL(B)", "AMQ8147", MQRC.UNKNOWN_OBJECT_NAME).completion == 2


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("DEFINE QLOCAL(A) MAXDEPTH(X)", 18),
        ("DEFINE QLOCAL(A) MAXDEPTH(1 2)", 18),
        ("DEFINE QLOCAL(A) MAXDEPTH", 18),
        ("DEFINE QLOCAL(A) SHARE(YES)", 18),
        ("DEFINE QLOCAL(A) CURDEPTH(1)", 18),
        ("DEFINE QLOCAL(A) CRDATE(1)", 18),
        ("DEFINE QLOCAL(A) BATCHSZ(1)", 18),
        ("DEFINE QLOCAL(A) PUT(MAYBE)", 18),
        ("DEFINE QLOCAL(A) LIKE(A B)", 18),
        ("DEFINE QLOCAL(A) REPLACE(YES)", 18),
        ("DEFINE QALIAS(A) TARGET(B) TARGQ(C)", 28),
        ("DEFINE QLOCAL", 14),
        ("DEFINE CHANNEL(A)", 15),
        ("DEFINE CHANNEL(A) CHLTYPE(SENDER)", 19),
        ("ALTER CHANNEL(SYSTEM.DEF.SENDER) CHLTYPE(SDR) MRRTY(1)", 47),
        ("ALTER TOPIC(SYSTEM.BASE.TOPIC) TOPICSTR('x')", 32),
        ("ALTER QMGR(EARTH) DESCR('x')", 11),
        ("DELETE QALIAS(A) PURGE", 18),
        ("ALTER CHANNEL(SYSTEM.DEF.SENDER) FORCE", 34),
    ],
)
def test_syntax_errors_name_the_place(bench: Bench, text: str, place: int) -> None:
    reply = bench.bad(text, "AMQ8405")
    assert reply.syntax
    assert reply.responses[0].text.startswith(f"line 1, column {place}: expected ")
    assert bench.objects.queue("A") is None


@pytest.mark.spec("channels.md 17.2 rule 1")
def test_replacing_a_queue_of_another_type_is_refused(bench: Bench) -> None:
    bench.good("DEFINE QLOCAL(A)")
    bench.bad("DEFINE QALIAS(A) TARGET(B) REPLACE", "AMQ8151", MQRCCF.OBJECT_WRONG_TYPE)
    bench.bad("ALTER QREMOTE(A) RNAME(B)", "AMQ8151")
    bench.bad("DELETE QALIAS(A)", "AMQ8151")


def test_alter_of_the_queue_manager(bench: Bench) -> None:
    assert bench.good("ALTER QMGR DEADQ(SYSTEM.DEAD.LETTER.QUEUE) MAXUMSGS(7) FORCE").responses[0].amq == "AMQ8005"
    (row,) = bench.rows("DISPLAY QMGR DEADQ MAXUMSGS")
    assert row == {"QMNAME": "EARTH", "DEADQ": "SYSTEM.DEAD.LETTER.QUEUE", "MAXUMSGS": "7"}
    bench.bad("ALTER QMGR CMDLEVEL(1)", "AMQ8405")
    bench.bad("ALTER QMGR DEFXMITQ(SYSTEM.CLUSTER.TRANSMIT.QUEUE)", "AMQ8405")


def test_a_change_is_answered_when_it_is_on_disk(bench: Bench) -> None:
    bench.manager.hold = True
    replies = bench.ask("DEFINE QLOCAL(A)")
    assert replies == []
    assert bench.objects.queue("A") is not None
    bench.manager.release()
    assert [reply.ok for reply in replies] == [True]
    assert b"QUEUE A" in bench.manager.records


def test_a_change_that_cannot_be_stored_is_taken_back(bench: Bench) -> None:
    bench.good("DEFINE QLOCAL(OLD) MAXDEPTH(1)")
    before = {definition.key(): dict(definition) for definition in bench.objects}
    bench.manager.fail = MQRC.Q_SPACE_NOT_AVAILABLE
    for text in (
        "DEFINE QLOCAL(A)",
        "ALTER QLOCAL(OLD) MAXDEPTH(2)",
        "DELETE QLOCAL(OLD)",
        "SET CHLAUTH('*') TYPE(BLOCKUSER) USERLIST('x')",
        "SET AUTHREC PROFILE(A) OBJTYPE(QUEUE) PRINCIPAL('a','b') AUTHADD(GET)",
    ):
        bench.bad(text, "AMQ8101", MQRC.Q_SPACE_NOT_AVAILABLE)
    assert {definition.key(): dict(definition) for definition in bench.objects} == before


def test_what_was_defined_is_there_after_a_restart(bench: Bench) -> None:
    bench.good("DEFINE QLOCAL(A) DESCR('kept') TRIGGER")
    bench.good("ALTER QMGR DESCR('kept too')")
    again = Objects("EARTH", NOW)
    again.load(sorted(bench.manager.records.items()))
    assert again.queue("A") == bench.objects.queue("A")
    assert again.manager == bench.objects.manager


def handle(*names: str, options: int = MQOO.OUTPUT) -> SimpleNamespace:
    path = [SimpleNamespace(name=name) for name in names]
    return SimpleNamespace(options=options, exclusive=False, application=None, target=SimpleNamespace(path=path))


@pytest.mark.spec("channels.md 17.2 rule 2")
@pytest.mark.parametrize(
    ("define", "alter"),
    [
        ("QLOCAL(A)", "USAGE(XMITQ)"),
        ("QALIAS(A) TARGET(B)", "TARGET(C)"),
        ("QREMOTE(A) RNAME(R) RQMNAME(Q) XMITQ(B)", "RQMNAME(S)"),
    ],
)
def test_what_open_handles_rely_on_changes_only_with_force(bench: Bench, define: str, alter: str) -> None:
    bench.good("DEFINE QLOCAL(B)")
    bench.good(f"DEFINE {define}")
    queue = "A" if define.startswith("QLOCAL") else "B"
    bench.manager.state[queue] = FakeQueue(queue, handles=[handle("A", queue)])
    before = bench.objects.queue("A")
    text = f"ALTER {define.split()[0]} {alter}"
    bench.bad(text, "AMQ8148", MQRC.OBJECT_IN_USE)
    assert bench.objects.queue("A") is before
    bench.bad(f"DEFINE {define} {alter} REPLACE" if "QLOCAL" in define else f"DELETE {define.split()[0]}", "AMQ8148")
    bench.good(f"ALTER {define.split()[0]} DESCR('x')")
    bench.good(f"{text} FORCE")


@pytest.mark.spec("channels.md 17.2 rule 2")
def test_a_queue_open_twice_for_input_stays_shared_without_force(bench: Bench) -> None:
    bench.good("DEFINE QLOCAL(A)")
    bench.manager.state["A"] = queue = FakeQueue("A", input_count=2)
    bench.bad("ALTER QLOCAL(A) NOSHARE", "AMQ8148")
    queue.input_count = 1
    bench.good("ALTER QLOCAL(A) NOSHARE")


@pytest.mark.spec("channels.md 17.2 rule 3")
def test_a_queue_with_messages_is_deleted_with_purge_only(bench: Bench) -> None:
    bench.good("DEFINE QLOCAL(A)")
    bench.manager.state["A"] = queue = FakeQueue("A", depth=1)
    bench.bad("DELETE QLOCAL(A)", "AMQ8143", MQRC.Q_NOT_EMPTY)
    bench.bad("DELETE QLOCAL(A) NOPURGE", "AMQ8143")
    queue.handles.append(handle("A"))
    bench.bad("DELETE QLOCAL(A) PURGE", "AMQ8148", MQRC.OBJECT_IN_USE)
    queue.handles.clear()
    queue.uncommitted = 1
    bench.bad("DELETE QLOCAL(A) PURGE", "AMQ8143")
    queue.uncommitted = 0
    bench.good("DELETE QLOCAL(A) PURGE")
    assert bench.objects.queue("A") is None


@pytest.mark.spec("channels.md 17.2 rule 4")
def test_clear(bench: Bench) -> None:
    bench.good("DEFINE QLOCAL(A)")
    bench.manager.state["A"] = queue = FakeQueue("A", depth=3)
    assert bench.good("CLEAR QLOCAL(A)").responses[0].amq == "AMQ8022"
    queue.handles.append(handle("A"))
    bench.bad("CLEAR QLOCAL(A)", "AMQ8148", MQRC.OBJECT_IN_USE)
    queue.handles.clear()
    queue.uncommitted = 1
    bench.bad("CLEAR QLOCAL(A)", "AMQ8143", MQRC.Q_NOT_EMPTY)
    bench.bad("CLEAR QLOCAL(NONE)", "AMQ8147")
    bench.bad("CLEAR QLOCAL(A) PURGE", "AMQ8405")


@pytest.mark.spec("channels.md 17.2 rule 5")
def test_an_active_channel_and_a_running_listener_are_not_deleted(bench: Bench) -> None:
    bench.good("DEFINE CHANNEL(A.B) CHLTYPE(RCVR)")
    bench.control.running.add("A.B")
    bench.bad("DELETE CHANNEL(A.B)", "AMQ9514", MQRCCF.CHANNEL_IN_USE)
    bench.good("ALTER CHANNEL(A.B) CHLTYPE(RCVR) MAXMSGL(100)")
    bench.control.running.clear()
    bench.good("DELETE CHANNEL(A.B)")
    bench.good("DEFINE LISTENER(L) TRPTYPE(TCP)")
    bench.control.open = [{"LISTENER": "L", "STATUS": "RUNNING"}]
    bench.bad("DELETE LISTENER(L)", "AMQ8148", MQRCCF.LISTENER_STILL_ACTIVE)


def test_a_subscription_has_a_name_with_blanks_and_an_id_of_its_own(bench: Bench) -> None:
    bench.good("DEFINE SUB('two words') TOPICSTR('a') DEST(Q)")
    bench.good("DEFINE SUB('three words here') TOPICSTR('a') DESTCLAS(MANAGED)")
    ids = {row["SUBID"] for row in bench.rows("DISPLAY SUB(*)")}
    assert len(ids) == 3
    assert all(len(number) == 48 for number in ids)
    assert bench.objects.find(Kind.SUB, "two words") is not None
    bench.bad("ALTER SUB('two words') TOPICSTR('b')", "AMQ8405")
