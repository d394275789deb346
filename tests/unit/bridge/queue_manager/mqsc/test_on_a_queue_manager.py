from __future__ import annotations

import pytest

from mqbridge.bridge.queue_manager import Application, GetOptions, MQError
from mqbridge.bridge.queue_manager.objects import define_supplied
from mqbridge.bridge.store.interface import StoreFull
from mqbridge.protocol.constants import MQGMO, MQOO, MQPER, MQRC
from support.queue_manager.direct_calls import browse
from support.queue_manager.host import NOW, Host
from support.queue_manager.mqsc_bench import Bench


class Gateway:
    """A queue manager with messages, and its commands."""

    def __init__(self) -> None:
        self.host = Host()
        define_supplied(self.host.objects, NOW)
        self.host.queue_manager.submit(self.host.objects.operations())
        self.host.pump()
        self.connect()

    def connect(self) -> None:
        self.mqsc = Bench(self.host.queue_manager, self.host.pump)

    def restart(self) -> None:
        self.host.restart()
        self.connect()


@pytest.fixture
def gateway() -> Gateway:
    return Gateway()


def test_a_queue_can_be_used_as_soon_as_it_is_defined(gateway: Gateway) -> None:
    gateway.mqsc.good("DEFINE QLOCAL(A) MAXDEPTH(2)")
    gateway.host.put("A", b"1")
    gateway.host.put("A", b"2")
    (row,) = gateway.mqsc.rows("DISPLAY QSTATUS(A)")
    assert (row["CURDEPTH"], row["UNCOM"], row["LPUTDATE"]) == ("2", "0", "2027-01-15")
    assert gateway.mqsc.rows("DISPLAY QUEUE(A) CURDEPTH")[0]["CURDEPTH"] == "2"
    gateway.mqsc.good("ALTER QLOCAL(A) PUT(DISABLED)")
    with pytest.raises(Exception, match="MQRC_PUT_INHIBITED"):
        gateway.host.put("A", b"3")


def test_an_alias_follows_its_definition(gateway: Gateway) -> None:
    for text in ("DEFINE QLOCAL(A)", "DEFINE QLOCAL(B)", "DEFINE QALIAS(X) TARGET(A)"):
        gateway.mqsc.good(text)
    gateway.host.put("X", b"to a")
    gateway.mqsc.good("ALTER QALIAS(X) TARGET(B)")
    gateway.host.put("X", b"to b")
    assert (gateway.host.contents("A"), gateway.host.contents("B")) == ([b"to a"], [b"to b"])


@pytest.mark.spec("channels.md 17.2 rule 3")
def test_deleting_a_queue_with_messages(gateway: Gateway) -> None:
    gateway.mqsc.good("DEFINE QLOCAL(A)")
    unit = gateway.host.begin()
    gateway.host.put("A", b"1", unit, persistence=MQPER.PERSISTENT)
    gateway.mqsc.bad("DELETE QLOCAL(A) PURGE", "AMQ8143", MQRC.Q_NOT_EMPTY)
    gateway.host.commit(unit)
    gateway.mqsc.bad("DELETE QLOCAL(A)", "AMQ8143", MQRC.Q_NOT_EMPTY)
    gateway.mqsc.good("DELETE QLOCAL(A) PURGE")
    gateway.mqsc.good("DEFINE QLOCAL(A)")
    gateway.restart()
    assert gateway.host.depth("A") == 0


@pytest.mark.spec("channels.md 17.2 rule 4")
def test_clearing_a_queue(gateway: Gateway) -> None:
    gateway.mqsc.good("DEFINE QLOCAL(A)")
    gateway.host.put("A", b"1", persistence=MQPER.PERSISTENT)
    manager = gateway.host.queue_manager
    handle = manager.open("A", options=MQOO.OUTPUT, now=NOW)
    gateway.mqsc.bad("CLEAR QLOCAL(A)", "AMQ8148", MQRC.OBJECT_IN_USE)
    manager.close(handle, 0, NOW)
    unit = gateway.host.begin()
    gateway.host.put("A", b"2", unit)
    gateway.mqsc.bad("CLEAR QLOCAL(A)", "AMQ8143", MQRC.Q_NOT_EMPTY)
    gateway.host.backout(unit)
    assert gateway.mqsc.good("CLEAR QLOCAL(A)").responses[0].amq == "AMQ8022"
    gateway.restart()
    assert gateway.host.depth("A") == 0


@pytest.mark.spec("channels.md 17.2 rule 2")
def test_open_queues_need_force(gateway: Gateway) -> None:
    for text in (
        "DEFINE QLOCAL(X) USAGE(XMITQ)",
        "DEFINE QLOCAL(A)",
        "DEFINE QALIAS(AA) TARGET(A)",
        "DEFINE QREMOTE(R) RNAME(Q) RQMNAME(SATURN) XMITQ(X)",
    ):
        gateway.mqsc.good(text)
    manager = gateway.host.queue_manager
    handles = [manager.open(name, options=MQOO.OUTPUT, now=NOW) for name in ("AA", "R")]
    gateway.mqsc.bad("ALTER QALIAS(AA) TARGET(B)", "AMQ8148", MQRC.OBJECT_IN_USE)
    gateway.mqsc.bad("ALTER QREMOTE(R) RNAME(B)", "AMQ8148", MQRC.OBJECT_IN_USE)
    gateway.mqsc.bad("ALTER QLOCAL(A) USAGE(XMITQ)", "AMQ8148", MQRC.OBJECT_IN_USE)
    gateway.mqsc.bad("DELETE QREMOTE(R)", "AMQ8148", MQRC.OBJECT_IN_USE)
    gateway.mqsc.bad("DELETE QLOCAL(A)", "AMQ8148", MQRC.OBJECT_IN_USE)
    gateway.mqsc.good("ALTER QREMOTE(R) RNAME(B) FORCE")
    for handle in handles:
        manager.close(handle, 0, NOW)
    gateway.mqsc.good("ALTER QALIAS(AA) TARGET(B)")
    gateway.mqsc.good("DELETE QLOCAL(A)")


@pytest.mark.spec("channels.md 17.2 rule 2")
@pytest.mark.spec("mqi.md 2.3")
def test_handles_that_force_has_altered_fail_at_their_next_call(gateway: Gateway) -> None:
    for text in ("DEFINE QLOCAL(A)", "DEFINE QLOCAL(B)", "DEFINE QALIAS(AA) TARGET(A)"):
        gateway.mqsc.good(text)
    gateway.host.put("A", b"1")
    manager = gateway.host.queue_manager
    access = MQOO.OUTPUT | MQOO.INPUT_SHARED | MQOO.BROWSE
    through, direct = (manager.open(name, options=access, now=NOW) for name in ("AA", "A"))
    gateway.mqsc.good("ALTER QALIAS(AA) DESCR('no reason to fail') FORCE")
    gateway.mqsc.bad("ALTER QALIAS(AA) TARGET(B)", "AMQ8148", MQRC.OBJECT_IN_USE)
    assert through.target.require_puttable().name == "A"
    gateway.mqsc.good("ALTER QALIAS(AA) TARGET(B) FORCE")
    with pytest.raises(MQError, match="MQRC_OBJECT_CHANGED"):
        manager.get(through.target, GetOptions(), None, NOW)
    with pytest.raises(MQError, match="MQRC_OBJECT_CHANGED"):
        browse(manager, through.target, through.cursor, GetOptions(options=int(MQGMO.BROWSE_FIRST)), NOW)
    with pytest.raises(MQError, match="MQRC_OBJECT_CHANGED"):
        through.target.require_puttable()
    assert manager.get(direct.target, GetOptions(), None, NOW) is not None
    manager.close(through, 0, NOW)
    assert manager.open("AA", options=access, now=NOW).target.require_puttable().name == "B"


@pytest.mark.spec("channels.md 17.4")
def test_handles_are_displayed(gateway: Gateway) -> None:
    gateway.mqsc.good("DEFINE QLOCAL(A)")
    application = Application(user="joe", appl_type=6, appl_name="echo")
    options = MQOO.INPUT_SHARED | MQOO.OUTPUT | MQOO.BROWSE
    gateway.host.queue_manager.open("A", options=options, application=application, now=NOW)
    (row,) = gateway.mqsc.rows("DISPLAY QSTATUS(A) TYPE(HANDLE) ALL")
    assert {
        "APPLTAG": "echo", "USERID": "joe", "INPUT": "SHARED", "OUTPUT": "YES", "BROWSE": "YES", "SET": "NO",
    }.items() <= row.items()  # fmt: skip
    (row,) = gateway.mqsc.rows("DISPLAY QSTATUS(A)")
    assert (row["IPPROCS"], row["OPPROCS"]) == ("1", "1")


def test_definitions_and_their_changes_survive_a_restart(gateway: Gateway) -> None:
    for text in (
        "DEFINE QLOCAL(A) DESCR('kept')",
        "ALTER QLOCAL(A) MAXDEPTH(9)",
        "DEFINE QLOCAL(B)",
        "DELETE QLOCAL(B)",
        "DEFINE CHANNEL(A.B) CHLTYPE(RCVR)",
        "SET CHLAUTH('A.*') TYPE(BLOCKUSER) USERLIST('x')",
        "ALTER QMGR DEADQ(SYSTEM.DEAD.LETTER.QUEUE)",
        "DELETE QLOCAL(DEV.QUEUE.3)",
    ):
        gateway.mqsc.good(text)
    gateway.host.put("A", b"kept", persistence=MQPER.PERSISTENT)
    before = {definition.key(): dict(definition) for definition in gateway.host.objects}
    gateway.restart()
    assert {definition.key(): dict(definition) for definition in gateway.host.objects} == before
    assert gateway.host.contents("A") == [b"kept"]
    gateway.mqsc.bad("DISPLAY QUEUE(B)", "AMQ8147")


def test_a_full_disk_refuses_a_definition_and_leaves_nothing(gateway: Gateway) -> None:
    gateway.host.store.failure = StoreFull("no room")
    gateway.mqsc.bad("DEFINE QLOCAL(A)", "AMQ8101", MQRC.Q_SPACE_NOT_AVAILABLE)
    gateway.host.store.failure = None
    gateway.mqsc.bad("DISPLAY QUEUE(A)", "AMQ8147")
    gateway.mqsc.good("DEFINE QLOCAL(A)")
    gateway.host.put("A", b"1")


def test_a_definition_that_waits_for_the_disk_is_answered_once(gateway: Gateway) -> None:
    gateway.host.hold = True
    replies = gateway.mqsc.ask("DEFINE QLOCAL(A)")
    assert replies == []
    gateway.host.hold = False
    gateway.host.pump()
    assert [reply.ok for reply in replies] == [True]


def test_a_dynamic_queue_is_no_part_of_a_dump_and_gone_after_a_restart(gateway: Gateway) -> None:
    manager = gateway.host.queue_manager
    handle = manager.open("SYSTEM.DEFAULT.MODEL.QUEUE", options=MQOO.INPUT_SHARED, now=NOW)
    gateway.host.pump()
    (row,) = gateway.mqsc.rows(f"DISPLAY QLOCAL('{handle.object_name}') DEFTYPE")
    assert row["DEFTYPE"] == "TEMPDYN"
    gateway.restart()
    gateway.mqsc.bad(f"DISPLAY QLOCAL('{handle.object_name}')", "AMQ8147")


def test_get_inhibited_ends_a_wait(gateway: Gateway) -> None:
    gateway.mqsc.good("DEFINE QLOCAL(A)")
    from mqbridge.bridge.queue_manager import Waiter

    waiter = Waiter("me", GetOptions())
    gateway.host.queue_manager.wait(gateway.host.queue_manager.local_queue("A"), waiter, NOW)
    gateway.mqsc.good("ALTER QLOCAL(A) GET(DISABLED)")
    assert gateway.host.woken() == [("me", MQRC.GET_INHIBITED)]
