"""The door of MyOpenQ: packets in, answers out, in the order of myopenq.md M-051 to M-058."""

from __future__ import annotations

import pytest

from mqbridge.bridge.agents.linking.source import SourceQueue
from mqbridge.bridge.agents.myopenq.rights import read_rights
from mqbridge.bridge.queue_manager.objects import Kind
from mqbridge.bridge.store.interface import StoreFull
from mqbridge.protocol.constants import MQMODE
from mqbridge.protocol.myopenq import BareRequest, Browse, Command, Create, Get, NamedRequest, Put, QueueType
from support.myopenq.door_stage import DoorStage


def count(stage: DoorStage, name: str) -> int:
    return int(stage.ask(NamedRequest(Command.COUNT, name)).payload)


@pytest.fixture
def stage() -> DoorStage:
    made = DoorStage()
    assert made.create("A").code == 0
    return made


# Puts


@pytest.mark.spec("M-055", "M-058", "M-110")
def test_success_is_said_when_the_message_is_on_disk(stage: DoorStage) -> None:
    stage.hold = True
    caller = stage.ask(Put("A", b"x"), sign=True)
    assert caller.code is None
    stage.restart()
    assert (caller.code, stage.texts("A")) == (None, [])
    assert stage.ask(Put("A", b"x"), sign=True).code == 0
    assert stage.texts("A") == [b"x"]


@pytest.mark.spec("M-053", "M-056", "M-090", "myopenq.md K-07")
def test_a_repeat_is_answered_and_not_done_again_after_a_restart_too(stage: DoorStage) -> None:
    for _ in range(2):
        assert stage.ask(Put("A", b"x"), 5, sign=True).code == 0
    stage.restart()
    assert stage.ask(Put("A", b"x"), 5, sign=True).code == 0
    assert stage.texts("A") == [b"x"]
    assert stage.ask(Put("A", b"x"), 6, sign=True).code == 0
    assert stage.texts("A") == [b"x", b"x"]


@pytest.mark.spec("M-058")
def test_a_repeat_waits_for_its_first(stage: DoorStage) -> None:
    stage.hold = True
    callers = [stage.ask(Put("A", b"x"), sign=True) for _ in range(3)]
    assert [each.code for each in callers] == [None] * 3
    stage.release()
    assert [each.code for each in callers] == [0] * 3
    assert stage.texts("A") == [b"x"]


@pytest.mark.spec("M-058", "M-049")
def test_what_the_store_refuses_is_not_remembered(stage: DoorStage) -> None:
    stage.store.failure = StoreFull("no room")
    first = stage.ask(Put("A", b"x"), sign=True)
    assert first.code == 9001
    stage.store.failure = None
    assert stage.ask(Put("A", b"x"), sign=True).code == 0
    assert stage.texts("A") == [b"x"]


@pytest.mark.spec("M-052")
def test_packets_without_digest_are_never_repeats(stage: DoorStage) -> None:
    for _ in range(2):
        assert stage.ask(Put("A", b"x")).code == 0
    assert stage.texts("A") == [b"x", b"x"]


@pytest.mark.spec("M-087", "M-092", "M-112")
def test_a_list_is_as_long_as_it_says_and_each_peer_has_its_own() -> None:
    stage = DoorStage(md5_list=3)
    stage.create("A")
    for stamp in range(5):
        stage.ask(Put("A", b"x"), stamp, sign=True)
    stage.ask(Put("A", b"x"), 0, sign=True, address="127.0.0.2")
    assert (stage.lists.count("127.0.0.1"), stage.lists.count("127.0.0.2")) == (3, 1)
    stage.restart()
    assert stage.lists.count("127.0.0.1") == 3
    before = len(stage.texts("A"))
    stage.ask(Put("A", b"x"), 4, sign=True)
    assert len(stage.texts("A")) == before
    stage.ask(Put("A", b"x"), 0, sign=True)  # long forgotten
    assert len(stage.texts("A")) == before + 1
    assert stage.lists.count("127.0.0.1") == 3


# Gets


@pytest.mark.spec("M-073")
def test_a_get_waits_and_gets_what_comes(stage: DoorStage) -> None:
    waiting = stage.ask(Get("A", 5))
    assert waiting.code is None
    stage.advance(4)
    stage.ask(Put("A", b"late"))
    assert waiting.payload == b"late"


@pytest.mark.spec("M-073", "M-068")
def test_a_wait_ends_with_not_found(stage: DoorStage) -> None:
    waiting = stage.ask(Get("A", 5))
    stage.advance(4.9)
    assert waiting.code is None
    stage.advance(0.2)
    assert waiting.code == 1007
    stage.ask(Put("A", b"x"))
    assert stage.texts("A") == [b"x"]


def test_a_caller_that_has_gone_gets_nothing(stage: DoorStage) -> None:
    waiting = stage.ask(Get("A", 5))
    assert waiting.asking is not None
    waiting.asking.gone()
    stage.ask(Put("A", b"x"))
    assert (waiting.code, stage.texts("A")) == (None, [b"x"])
    stage.door.stop(MQMODE.QUIESCE, stage.now)
    assert stage.door.quiet


@pytest.mark.spec("M-074", "myopenq.md K-13")
def test_a_message_leaves_when_its_answer_has_been_written(stage: DoorStage) -> None:
    stage.reads = False
    stage.ask(Put("A", b"x"))
    lost = stage.ask(Get("A"), 7, sign=True)
    assert (lost.payload, count(stage, "A")) == (b"x", 0)
    assert lost.written is not None
    lost.written(False)
    stage.pump()
    assert stage.texts("A") == [b"x"]
    read = stage.ask(Get("A"), 7, sign=True)
    assert read.written is not None
    read.written(True)
    stage.pump()
    stage.restart()
    assert stage.texts("A") == []
    assert stage.ask(Get("A"), 7, sign=True).payload == b"x"
    assert stage.ask(Get("A"), 8, sign=True).code == 1007


@pytest.mark.spec("M-074")
@pytest.mark.parametrize("whole", [True, False])
def test_an_equal_get_waits_until_the_first_is_settled(stage: DoorStage, whole: bool) -> None:
    stage.ask(Put("A", b"1"))
    stage.ask(Put("A", b"2"))
    stage.reads = False
    first, second = stage.ask(Get("A"), 7, sign=True), stage.ask(Get("A"), 7, sign=True)
    assert (first.payload, second.code) == (b"1", None)
    assert first.written is not None
    first.written(whole)
    stage.pump()
    assert second.payload == b"1"
    if second.written is not None:
        second.written(True)
        stage.pump()
    assert stage.texts("A") == [b"2"]


@pytest.mark.spec("M-074")
def test_in_plain_mode_a_message_leaves_before_its_answer() -> None:
    stage = DoorStage(framed=False)
    stage.create("A")
    stage.ask(Put("A", b"x"))
    stage.hold = True
    caller = stage.ask(Get("A"))
    assert caller.code is None
    stage.release()
    assert (caller.payload, caller.written) == (b"x", None)
    assert stage.texts("A") == []


@pytest.mark.spec("M-056")
def test_reading_commands_never_see_the_past(stage: DoorStage) -> None:
    for number in range(3):
        assert stage.ask(NamedRequest(Command.COUNT, "A"), 5, sign=True).payload == b"%d" % number
        stage.ask(Put("A", b"%d" % number))
        assert stage.ask(Browse("A", number + 1), 5, sign=True).payload == b"%d" % number


# Definitions


@pytest.mark.spec("M-060", "M-071", "M-114")
def test_a_queue_is_a_local_queue_of_mq(stage: DoorStage) -> None:
    assert stage.create("T", 7, 50, timeout=2).code == 0
    made = stage.manager.objects.queue("T")
    assert made is not None
    assert (made.integer("MAXDEPTH"), made.integer("MAXMSGL"), made.integer("CAPEXPRY")) == (7, 50, 20)
    assert made.text("MSGDLVSQ") == "FIFO"
    shown = stage.ask(NamedRequest(Command.DISPLAY, "T")).payload
    assert shown == b"name=T;size=7;length=50;timeout=2;type=local;ip=;port=;count=0"


@pytest.mark.spec("M-062")
def test_delete_touches_only_what_create_has_made(stage: DoorStage) -> None:
    stage.define("OPERATORS")
    assert stage.ask(NamedRequest(Command.DELETE, "OPERATORS")).code == 4001
    assert stage.ask(NamedRequest(Command.DELETE, "NOBODYS")).code == 1003
    stage.ask(Put("A", b"lost"))
    assert stage.ask(NamedRequest(Command.DELETE, "A")).code == 0
    assert stage.manager.queue("A") is None
    stage.restart()
    assert stage.manager.queue("A") is None
    assert list(stage.definitions) == []
    assert stage.create("A").code == 0
    assert stage.texts("A") == []


@pytest.mark.spec("M-062")
def test_delete_ends_the_waits_for_its_messages(stage: DoorStage) -> None:
    waiting = stage.ask(Get("A", 60))
    assert stage.ask(NamedRequest(Command.DELETE, "A")).code == 0
    assert waiting.code == 1003


@pytest.mark.spec("M-062")
def test_delete_passes_over_answers_that_are_being_written(stage: DoorStage) -> None:
    stage.ask(Put("A", b"x"))
    stage.reads = False
    got = stage.ask(Get("A"), 3, sign=True)
    assert stage.ask(NamedRequest(Command.DELETE, "A")).code == 0
    assert got.written is not None
    got.written(True)
    stage.pump()
    stage.door.stop(MQMODE.QUIESCE, stage.now)
    assert stage.door.quiet


def test_delete_waits_for_puts_under_way(stage: DoorStage) -> None:
    stage.hold = True
    put = stage.ask(Put("A", b"x"))
    deleted = stage.ask(NamedRequest(Command.DELETE, "A"))
    assert stage.ask(Put("A", b"y")).code == 1003
    stage.release()
    assert (put.code, deleted.code) == (0, None)
    stage.advance(0.1)
    assert deleted.code == 0
    assert stage.manager.queue("A") is None


def test_a_queue_that_a_program_holds_open_stays() -> None:
    stage = DoorStage()
    stage.create("A")
    source = stage.door.program()
    held = SourceQueue(source, "A", lambda: None)
    held.get(1, 0, stage.now)
    deleted = stage.ask(NamedRequest(Command.DELETE, "A"), 1, sign=True)
    stage.advance(6)
    assert deleted.code == 9001
    held.close(stage.now)
    assert stage.ask(Put("A", b"x")).code == 0
    assert stage.ask(NamedRequest(Command.DELETE, "A"), 1, sign=True).code == 0


def test_a_queue_that_an_operator_deletes_is_gone_here_too(stage: DoorStage) -> None:
    operations = stage.manager.drop_queue("A", purge=True)
    change = stage.manager.objects.delete(Kind.QLOCAL, "A")
    stage.manager.submit([*operations, *change.operations])
    stage.pump()
    stage.restart()
    assert list(stage.definitions) == []
    assert stage.create("A").code == 0


@pytest.mark.spec("M-061", "M-062", "M-072")
def test_remote_queues_are_told_of_and_keep_what_waits(stage: DoorStage) -> None:
    told: list[str] = []

    class Follower:
        def created(self, queue: Create) -> None:
            told.append(f"created {queue.queue} for {queue.remote_name} at {queue.address}:{queue.port}")

        def deleting(self, name: str) -> None:
            told.append(f"deleting {name}")

    stage.definitions.follow(Follower())
    remote = Create("R", 10, 10, QueueType.REMOTE, "10.0.0.7", 9803, remote_name="THERE")
    assert stage.ask(remote).code == 0
    assert stage.ask(Put("R", b"waits")).code == 0
    assert count(stage, "R") == 1
    shown = stage.ask(NamedRequest(Command.DISPLAY, "R")).payload
    assert shown == b"name=R;size=10;length=10;timeout=0;type=remote;ip=10.0.0.7;port=9803;count=1"
    assert stage.ask(NamedRequest(Command.PURGE, "R")).code == 0
    assert count(stage, "R") == 0
    assert stage.ask(NamedRequest(Command.DELETE, "R")).code == 0
    assert told == ["created R for THERE at 10.0.0.7:9803", "deleting R"]


@pytest.mark.spec("M-070")
def test_purge_removes_more_than_one_step_has(stage: DoorStage) -> None:
    stage.create("MANY", 5000)
    for number in range(2300):
        stage.ask(Put("MANY", b"%d" % number))
    assert stage.ask(NamedRequest(Command.PURGE, "MANY"), 1, sign=True).code == 0
    assert count(stage, "MANY") == 0
    stage.ask(Put("MANY", b"new"))
    assert stage.ask(NamedRequest(Command.PURGE, "MANY"), 1, sign=True).code == 0
    assert stage.texts("MANY") == [b"new"]


# Who may do what


@pytest.mark.spec("M-095", "M-096", "M-099", "M-051")
def test_shutdown_is_answered_once_and_can_be_off(stage: DoorStage) -> None:
    for _ in range(2):
        assert stage.ask(BareRequest(Command.SHUTDOWN), 5, sign=True).code == 0
    assert stage.shut_down == 1
    off = DoorStage(allow_shutdown=False)
    assert off.ask(BareRequest(Command.SHUTDOWN)).code == 4001
    assert off.shut_down == 0


@pytest.mark.spec("M-093", "M-098", "M-049")
def test_a_secret_is_demanded_of_every_packet() -> None:
    secret = b"sixteen bytes or more"
    stage = DoorStage(secret=secret)
    create = Create("A", 1, 1, QueueType.LOCAL)
    for wrong in (stage.packet(create), stage.packet(create, sign=True), stage.packet(create, secret=b"another")):
        assert stage.send(wrong).code == 4002
    assert stage.manager.queue("A") is None
    assert stage.send(stage.packet(create, secret=secret)).code == 0


@pytest.mark.spec("M-051", "M-094", "M-095")
def test_an_address_without_right_learns_nothing(stage: DoorStage) -> None:
    stage.door.rights, faults = read_rights("10.0.0.1", "10.0.0.2, A")
    assert faults == []
    wrong = bytearray(stage.packet(Put("A", b"x"), sign=True))
    wrong[0] ^= 1
    assert stage.send(bytes(wrong), "10.0.0.3").code == 4001
    assert stage.send(bytes(wrong), "10.0.0.2").code == 2002
    assert stage.ask(Put("NOBODYS", b"x"), address="10.0.0.2").code == 4001
    assert stage.ask(Put("NOBODYS", b"x"), address="10.0.0.1").code == 1003
    assert stage.create("B").code == 4001
    assert stage.ask(Create("B", 1, 1, QueueType.LOCAL), address="10.0.0.2").code == 4001
    assert stage.texts("A") == []


def test_a_wrong_packet_does_not_end_the_wait_of_its_double(stage: DoorStage) -> None:
    right = stage.packet(Put("A", b"x"), sign=True)
    wrong = right[:-1] + b"y"
    stage.hold = True
    first = stage.send(right)
    assert stage.send(wrong).code == 2002
    second = stage.send(right)
    stage.release()
    assert (first.code, second.code, stage.texts("A")) == (0, 0, [b"x"])


@pytest.mark.parametrize("name", ["SYSTEM.ADMIN.COMMAND.QUEUE", "SYSTEM.DEFAULT.LOCAL.QUEUE", "XMIT"])
def test_queues_of_the_queue_manager_are_nobodys(stage: DoorStage, name: str) -> None:
    stage.define("XMIT", USAGE="XMITQ")
    stage.define("ALIAS", Kind.QALIAS, TARGET=name)
    for queue in (name, "ALIAS"):
        requests = (Put(queue, b"x"), Get(queue), Browse(queue), NamedRequest(Command.COUNT, queue))
        assert [stage.ask(each).code for each in requests] == [1003] * 4
    assert stage.create("SYSTEM.MINE").code == 1001


# Stopping


def test_a_stop_waits_for_what_is_under_way(stage: DoorStage) -> None:
    stage.hold = True
    put = stage.ask(Put("A", b"x"))
    stage.door.stop(MQMODE.QUIESCE, stage.now)
    assert not stage.door.quiet
    stage.release()
    assert put.code == 0
    assert stage.door.quiet


def test_quiescing_ends_waits(stage: DoorStage) -> None:
    waiting = stage.ask(Get("A", 60))
    stage.manager.quiesce()
    stage.door.stop(MQMODE.QUIESCE, stage.now)
    stage.pump()
    assert waiting.code == 1007
    assert stage.door.quiet
