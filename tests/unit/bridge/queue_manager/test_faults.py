"""What goes wrong at the edges: rows that cannot be read, queues that vanish, stores that refuse."""

from __future__ import annotations

from typing import Any

import pytest

from mqbridge.bridge.queue_manager import Application, Disposal, MQError, PutOptions
from mqbridge.bridge.queue_manager.objects import Kind
from mqbridge.bridge.store.interface import AddMessage, MessageMissing, StoreDamaged, StoreFull
from mqbridge.mappings.message import Message
from mqbridge.protocol.constants import MQGMO, MQMF, MQOO, MQPMO, MQRC, MQRO, ByteOrder
from support.queue_manager.direct_calls import browse, dispose_undelivered
from support.queue_manager.host import FailingStore, Host

DIRECT = PutOptions(direct=True)
CHANNEL = PutOptions(0, Application(appl_name="a channel"), direct=True)


@pytest.fixture
def queue(host: Host) -> str:
    return host.local("Q")


def refusal(call: Any, *arguments: Any, **more: Any) -> int:
    with pytest.raises(MQError) as caught:
        call(*arguments, **more)
    assert str(caught.value)
    return caught.value.reason


# Start


def test_rows_of_no_queue_are_passed_over_and_told(host: Host, queue: str) -> None:
    host.put(queue, b"kept", persistence=1)
    host.store.commit([[AddMessage(999, 5, b"row", b"body")]])
    host.restart()
    assert host.contents(queue) == [b"kept"]
    assert host.logged() == ["AMQ7472"]


def test_rows_of_other_owners_are_left_alone(host: Host, queue: str) -> None:
    host.put(queue, b"kept", persistence=1)
    host.store.commit([[AddMessage(2**31, 5, b"row", b"body"), AddMessage(2**32 - 1, 5, b"row", b"body")]])
    host.restart()
    assert host.contents(queue) == [b"kept"]
    assert host.logged() == []
    assert host.store.read(2**31, 5) == b"body"


@pytest.mark.parametrize("row", [b"", b"short", bytes(88)])
def test_a_row_that_is_none_stops_the_start(host: Host, queue: str, row: bytes) -> None:
    found = host.queue_manager.queue(queue)
    assert found is not None
    host.store.commit([[AddMessage(found.number, 5, row, b"body")]])
    with pytest.raises(StoreDamaged, match="queue Q"):
        host.restart()


def test_a_body_that_is_cut_short_is_damage(host: Host, queue: str) -> None:
    host.put(queue, persistence=1)
    ((number, position, row, _),) = host.store.scan_all()
    host.store._tables.queues[number][position].pieces[:] = [b"MD  "]
    assert refusal(host.get, queue) == MQRC.OBJECT_DAMAGED
    assert (host.depth(queue), host.logged()) == (1, ["AMQ7472"])
    del row


# Stores that refuse


def test_any_other_error_of_the_store_is_unexpected(host: Host, queue: str) -> None:
    host.store.failure = MessageMissing(1, 2)
    host.put(queue, persistence=1, then=host.then())
    assert [error and error.reason for error in host.outcomes] == [MQRC.UNEXPECTED_ERROR]
    assert host.logged() == ["AMQ6118"]


def test_a_queue_that_could_not_be_cleared_keeps_its_messages(host: Host, queue: str) -> None:
    host.put(queue, b"one", persistence=1)
    host.put(queue, b"two", persistence=0)
    host.store.failure = StoreFull("no room")
    host.queue_manager.clear_queue(queue, host.now, host.then())
    assert host.queue_manager.queue(queue).uncommitted == 2  # type: ignore[union-attr]
    host.pump()
    assert host.outcomes[0] is not None
    assert host.contents(queue) == [b"one", b"two"]


def test_an_operation_that_could_not_be_done_tells_its_reason(host: Host) -> None:
    host.store.failure = StoreDamaged("torn", "data.mdb")
    host.queue_manager.submit([], host.then())
    host.pump()
    (error,) = host.outcomes
    assert error is not None
    assert (error.reason, error.completion) == (MQRC.OBJECT_DAMAGED, 2)


# Queues that vanish


@pytest.mark.parametrize("end", ["commit", "backout"])
def test_a_unit_outlives_a_temporary_queue(host: Host, end: str) -> None:
    host.define(Kind.QMODEL, "M", DEFTYPE="TEMPDYN", SHARE=True)
    handle = host.queue_manager.open("M", options=MQOO.INPUT_SHARED, owner=b"me", now=host.now)
    name = handle.object_name
    host.put(name, b"got")
    unit = host.begin()
    host.got(name, unit)
    host.put(name, b"put", unit)
    host.queue_manager.close(handle, 0, host.now)
    getattr(host, end)(unit)
    assert host.queue_manager._core.memory_used == 0
    assert host.queue_manager.queue(name) is None


# Descriptors


@pytest.mark.parametrize(
    ("fields", "reason"),
    [({"persistence": 3}, MQRC.PERSISTENCE_ERROR), ({"expiry": 0}, MQRC.EXPIRY_ERROR), ({"priority": -5}, 2050)],
)
def test_what_a_channel_brings_is_checked_for_what_would_break_a_queue(
    host: Host, queue: str, fields: dict[str, int], reason: int
) -> None:
    message = Message.build(b"", **{"priority": 0, "persistence": 0, **fields})
    assert refusal(host.send, queue, message, options=DIRECT) == reason
    assert host.depth(queue) == 0


def test_a_program_cannot_put_what_is_no_descriptor(host: Host, queue: str) -> None:
    message = Message(bytes(324), b"", order=ByteOrder.LITTLE, ccsid=1208)
    assert refusal(host.send, queue, message) == MQRC.MD_ERROR
    unknown_page = Message.build(b"", user_identifier="x")
    unknown_page.ccsid = 4711
    assert refusal(host.send, queue, Message(unknown_page.raw_md, order=ByteOrder.LITTLE, ccsid=4711)) == MQRC.MD_ERROR


def test_a_name_that_fits_no_header_is_refused(host: Host) -> None:
    host.transmission("X")
    for name in ("N" * 49, "日本" * 20):
        message = Message.build(b"", priority=0, persistence=0)
        assert refusal(host.send, name, message, queue_manager="X", options=DIRECT) == MQRC.MD_ERROR
    assert host.depth("X") == 0


@pytest.mark.spec("mqi.md 5.2")
def test_logical_order_without_a_handle_is_refused_and_not_ignored(host: Host, queue: str) -> None:
    options = PutOptions(MQPMO.LOGICAL_ORDER)
    assert refusal(host.put, queue, options=options) == MQRC.OPTIONS_ERROR


@pytest.mark.spec("mqi.md 6.1")
def test_flags_that_end_a_group_imply_those_that_begin_it(host: Host, queue: str) -> None:
    last = host.put(queue, msg_flags=MQMF.LAST_MSG_IN_GROUP | MQMF.LAST_SEGMENT)
    assert last.md.msg_flags == 0x1E
    assert refusal(host.put, queue, msg_flags=MQMF.SEGMENT, offset=1_000_000_000) == MQRC.OFFSET_ERROR


@pytest.mark.spec("mqi.md 5.4")
def test_passing_all_context_may_pass_discard_and_expiry(host: Host, queue: str) -> None:
    report = MQRO.PASS_DISCARD_AND_EXPIRY | MQRO.DISCARD_MSG
    source = Message.build(b"", report=report, expiry=70)
    passed = host.put(queue, options=PutOptions(MQPMO.PASS_ALL_CONTEXT, context_from=source))
    assert (passed.md.expiry, passed.md.report) == (70, MQRO.DISCARD_MSG)


def test_quiescing_refuses_those_who_ask(host: Host, queue: str) -> None:
    from mqbridge.bridge.queue_manager import Cursor, GetOptions

    host.queue_manager.quiesce()
    options = PutOptions(MQPMO.FAIL_IF_QUIESCING)
    assert refusal(host.put, queue, options=options) == MQRC.Q_MGR_QUIESCING
    target = host.queue_manager.local_queue(queue)
    browsing = GetOptions(MQGMO.BROWSE_NEXT | MQGMO.FAIL_IF_QUIESCING)
    assert refusal(browse, host.queue_manager, target, Cursor(), browsing, host.now) == MQRC.Q_MGR_QUIESCING
    assert refusal(host.get, queue, options=MQGMO.BROWSE_FIRST) == MQRC.OPTIONS_ERROR


# Channels


def dispose(host: Host, message: Message, then: Any = None, **more: Any) -> Disposal:
    given = {"use_dead_letter_queue": True, "fast": False, **more}
    try:
        return dispose_undelivered(
            host.queue_manager,
            message,
            "GONE",
            "EARTH",
            MQRC.UNKNOWN_OBJECT_NAME,
            CHANNEL,
            None,
            host.now,
            then=then,
            **given,
        )
    finally:
        host.pump()


@pytest.mark.spec("channels.md 7.2 step 4")
def test_without_a_unit_of_work_disposal_is_one_of_its_own(host: Host) -> None:
    host.local("DLQ")
    message = Message.build(b"dead", persistence=1, priority=0)
    assert refusal(dispose, host, message, host.then()) == MQRC.UNKNOWN_OBJECT_NAME
    host.alter_manager(DEADQ="DLQ")
    assert dispose(host, message, host.then()).dead_lettered
    assert host.outcomes == [None]
    host.restart()
    assert host.depth("DLQ") == 1


def test_a_descriptor_that_is_none_cannot_be_dead_lettered(host: Host) -> None:
    host.local("DLQ")
    host.alter_manager(DEADQ="DLQ")
    message = Message(bytes(324), b"", order=ByteOrder.LITTLE, ccsid=1208)
    assert refusal(dispose, host, message) == MQRC.UNKNOWN_OBJECT_NAME
    assert dispose(host, message, fast=True) is Disposal.LOST
    assert host.depth("DLQ") == 0


@pytest.mark.spec("channels.md 9.2")
def test_a_report_that_cannot_be_put_ends_the_batch_of_a_persistent_message_only(host: Host) -> None:
    host.local("DLQ", MAXDEPTH=1)
    host.alter_manager(DEADQ="DLQ")
    fields: dict[str, Any] = {"report": MQRO.EXCEPTION, "reply_to_q": "NOWHERE", "priority": 0}
    assert refusal(dispose, host, Message.build(b"", persistence=1, **fields)) == MQRC.UNKNOWN_OBJECT_NAME
    assert host.depth("DLQ") == 0
    assert dispose(host, Message.build(b"", persistence=0, **fields), fast=True) is Disposal.DEAD_LETTERED
    assert (host.depth("DLQ"), host.logged()) == (1, ["AMQ7310"])


def test_a_trigger_message_that_cannot_be_put_is_told(host: Host) -> None:
    host.local("INITQ", MAXDEPTH=0)
    host.define(Kind.PROCESS, "P", APPLTYPE="70000")
    host.queue_manager.open("INITQ", options=MQOO.INPUT_SHARED, owner=b"me", now=host.now)
    host.local("Q", TRIGGER=True, INITQ="INITQ", PROCESS="P")
    host.put("Q")
    assert host.logged() == ["AMQ7305"]
    host.alter(Kind.QLOCAL, "INITQ", MAXDEPTH=10)
    host.got("Q")
    host.put("Q")
    assert host.depth("INITQ") == 1


def test_a_spilled_body_that_must_be_kept_is_staged_and_given_back(host: Host) -> None:
    host.alter_manager(MAXMSGL=20 << 20)
    host.local("Q", MAXMSGL=20 << 20)
    writer = host.queue_manager.body_writer(persistent=False)
    writer.write(bytes(6 << 20))
    host.send("Q", Message.build(writer.finish(), persistence=1, priority=0), options=DIRECT)
    store: FailingStore = host.store
    assert (len(store.staged.kept), len(store.spilled.kept)) == (0, 0)
    host.restart()
    assert len(host.got("Q").data) == 6 << 20
