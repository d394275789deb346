"""Senders of remote queues: what is on disk before a byte goes out, what an answer means, and what comes again."""

from __future__ import annotations

import pytest

from mqbridge.bridge.agents.gateway.carriers import CarrierState
from mqbridge.bridge.agents.myopenq.sending.context import LONGEST_RETRY
from mqbridge.bridge.agents.myopenq.sending.outgoing import MOST
from mqbridge.bridge.queue_manager.objects import Kind
from mqbridge.bridge.store.interface import StoreFull
from mqbridge.protocol.constants import MQMODE
from mqbridge.protocol.myopenq import Code, Command, digest
from mqbridge.protocol.myopenq.initiator import ANSWER_TIME
from support.myopenq.sender_stand import QUEUE, SenderStand, remote_queue, text_of


def started(*texts: bytes, **context: object) -> SenderStand:
    stand = SenderStand(**context)
    stand.put(*texts)
    stand.accept()
    return stand


@pytest.mark.spec("M-101", "M-102")
def test_a_message_leaves_its_queue_when_the_other_manager_has_it():
    stand = started(b"two apples")
    (packet,) = stand.sent()
    assert packet.command is Command.PUT
    assert packet.variable == b"THERE.ORDERS".ljust(32) + b"00010two apples"
    assert packet.digest == digest(packet.signed)
    assert stand.hidden() == 1
    stand.answer()
    assert stand.hidden() == 0
    assert not stand.contents()
    assert not stand.rows()
    assert not stand.sent()


@pytest.mark.spec("M-089")
def test_nothing_goes_out_before_its_stamp_is_on_disk():
    stand = started(b"one")
    stand.answer()
    stand.sent()
    stand.hold = True
    stand.put(b"two")
    stand.let_commit()
    stand.hold = True
    assert [text_of(each) for each in stand.sent()] == [b"two"]
    stand.answer()
    stand.put(b"three")
    assert not stand.sent()
    stand.let_commit()
    assert list(stand.rows()) == [b"ORDERS"]
    assert [text_of(each) for each in stand.sent()] == [b"three"]


@pytest.mark.spec("M-056", "M-086", "M-089")
def test_what_was_not_answered_goes_out_again_as_it_was():
    stand = started(b"one", b"two")
    first = stand.sent()
    stand.cut()
    assert stand.contents() == [b"two"], "what has not gone out may be got here"
    stand.wait(LONGEST_RETRY)
    stand.accept()
    assert stand.sent() == first
    stand.restart()
    stand.accept()
    assert stand.sent() == first
    assert not stand.contents()


def test_of_a_crash_everything_that_may_have_arrived_comes_again_in_order():
    stand = started(b"one", b"two", b"three")
    stand.answer()
    stand.answer()
    before = stand.sent()
    stand.restart()
    assert stand.hidden() == 3
    stand.put(b"four")
    stand.accept()
    again = []
    while packets := stand.sent():
        again += packets
        stand.answer()
    assert again[:3] == before
    assert text_of(again[3]) == b"four"


@pytest.mark.spec("M-016", "M-091")
def test_equal_texts_never_have_the_same_stamp_whatever_queue_they_come_from_and_after_a_restart():
    stand = SenderStand()
    stand.queues.append(remote_queue("OTHER", "THERE.ORDERS"))
    stand.manager.submit(stand.manager.objects.define(Kind.QLOCAL, "OTHER", {}, stand.now).operations)
    stand.senders.created(stand.queues[1])
    stand.put(*[b"same"] * 50)
    stand.put(*[b"same"] * 50, queue="OTHER")
    digests = []
    for _ in range(2):
        stand.accept()
        for _ in range(100):
            name, packet = stand.packets.pop(0)
            digests.append(packet.digest)
            stand.answer(name=name)
        stand.now -= 100
        stand.restart()
        stand.put(*[b"same"] * 50)
        stand.put(*[b"same"] * 50, queue="OTHER")
    assert len(set(digests)) == 200


@pytest.mark.spec("M-005")
def test_the_connection_stays_and_is_made_again_when_there_is_something_to_send():
    stand = started(b"one")
    stand.answer()
    stand.put(b"two")
    stand.answer()
    assert not stand.calling
    stand.cut()
    stand.wait(1000)
    assert not stand.calling, "there is nothing to send"
    stand.put(b"three")
    stand.accept()
    assert [text_of(each) for each in stand.sent()] == [b"one", b"two", b"three"]


def test_a_manager_that_hangs_up_again_and_again_is_named_once_in_the_log():
    stand = SenderStand()
    stand.put(b"one")
    for _ in range(5):
        stand.accept()
        stand.cut()
        stand.wait(LONGEST_RETRY)
    assert [each[0] for each in stand.logged] == ["AMQ5150", "AMQ5151"]
    stand.accept()
    stand.answer()
    assert [each[0] for each in stand.logged] == ["AMQ5150", "AMQ5151", "AMQ5150"]


def test_nobody_is_called_while_there_is_nothing_to_send():
    stand = SenderStand()
    stand.wait(1000)
    assert not stand.calling


@pytest.mark.spec("M-008", "M-102")
def test_it_is_tried_again_after_growing_waits():
    stand = SenderStand()
    stand.put(b"one")
    for _ in range(20):
        stand.unreachable()
        assert stand.sender().status(stand.now).state is CarrierState.RETRYING
        before = stand.now
        while not stand.calling:
            stand.wait(0.5)
        assert stand.now - before <= LONGEST_RETRY + 1
    assert stand.now > 1_000
    assert len([each for each in stand.logged if each[0] == "AMQ5151"]) == 1
    stand.accept()
    stand.answer()
    assert not stand.rows()


@pytest.mark.parametrize(
    "code", [Code.QUEUE_FULL, Code.WRONG_DIGEST, Code.MALFORMED, Code.NOT_AUTHENTICATED, 9001, 7777]
)
@pytest.mark.spec("M-102")
def test_a_refusal_that_may_pass_leaves_the_message_where_it_is(code):
    stand = started(b"one", b"two")
    (first,) = stand.sent()
    stand.receive(b"MOQ-%04d  00000" % code)
    assert stand.hidden() == 0, "others may get it, and it may expire"
    assert stand.sender().status(stand.now).detail.startswith(f"MOQ-{int(code)}")
    stand.wait(LONGEST_RETRY)
    assert stand.sent() == [first], "over the same connection, with the same stamp"
    stand.restart()
    stand.accept()
    assert stand.sent() == [first]


@pytest.mark.parametrize(
    ("code", "hidden"),
    [
        (Code.NOT_PERMITTED, 1),
        (Code.NOT_AUTHENTICATED, 1),
        (Code.INTERNAL, 1),
        (Code.QUEUE_FULL, 0),
        (Code.TOO_LONG, 0),
    ],
)
@pytest.mark.spec("M-051", "M-053", "M-102", "M-103")
def test_a_repeat_that_is_refused_before_its_digest_is_looked_for_stays_in_doubt(code, hidden):
    stand = started(b"one")
    (first,) = stand.sent()
    stand.cut()
    stand.wait(LONGEST_RETRY)
    stand.accept()
    assert stand.sent() == [first]
    stand.refuse(code)
    assert stand.hidden() == hidden
    assert stand.contents() == [b"one"] * (1 - hidden)


@pytest.mark.parametrize("code", [Code.UNKNOWN_QUEUE, Code.TOO_LONG, Code.NOT_PERMITTED])
@pytest.mark.spec("M-103")
def test_a_refusal_that_does_not_pass_stops_the_sender_until_it_is_started(code):
    stand = started(b"one")
    (first,) = stand.sent()
    stand.refuse(code)
    stand.put(b"two")
    stand.wait(10_000)
    assert not stand.calling
    assert stand.sender().status(stand.now).state is CarrierState.STOPPED
    assert [each for each in stand.logged if each[0] == "AMQ5152"]
    stand.sender().start(stand.now)
    stand.pump()
    stand.accept()
    assert stand.sent() == [first]
    assert stand.takes_all() == []
    stand.answer()
    assert stand.takes_all() == [b"two"]


def test_a_message_that_has_no_place_in_a_packet_stops_the_sender_behind_those_before_it():
    stand = started(b"one", b"x" * 100_000, b"three")
    assert stand.takes_all() == [b"one"]
    assert stand.sender().status(stand.now).detail.startswith("MOQ-2001")
    assert len(stand.contents()) == 2


@pytest.mark.spec("M-102")
def test_an_answer_that_does_not_come_in_time_is_none():
    stand = started(b"one")
    first = stand.sent()
    stand.wait(ANSWER_TIME)
    assert stand.left == 1
    assert stand.hidden() == 1
    stand.wait(LONGEST_RETRY)
    stand.accept()
    assert stand.sent() == first


def test_what_answers_something_else_is_left():
    stand = started(b"one")
    stand.receive(b"HTTP/1.1 400 Bad Request\r\n")
    assert stand.left == 1
    assert stand.hidden() == 1


@pytest.mark.spec("M-105")
def test_messages_expire_while_they_wait():
    stand = started(b"short")
    stand.refuse(Code.QUEUE_FULL)
    stand.put(b"timed", expiry=20)
    stand.put(b"lasting")
    stand.now += 3
    stand.wait(1)
    stand.answer()
    assert [text_of(each) for each in stand.sent()][1:] == [b"short", b"lasting"]


def test_a_refused_message_that_expires_takes_its_stamp_with_it():
    stand = SenderStand()
    stand.put(b"timed", expiry=20)
    stand.accept()
    stand.refuse(Code.QUEUE_FULL)
    assert stand.rows()
    stand.now += 3
    stand.wait(1)
    assert not stand.rows()


def test_a_few_messages_are_held_and_the_store_writes_for_all_of_them_together():
    stand = SenderStand()
    stand.put(*[b"%d" % number for number in range(3 * MOST)])
    units = len(stand.store.units)
    stand.accept()
    assert stand.hidden() == MOST
    assert stand.takes_all() == [b"%d" % number for number in range(3 * MOST)]
    assert len(stand.store.units) == units + 4


@pytest.mark.spec("M-092")
def test_nothing_new_goes_out_once_a_digest_in_doubt_might_leave_the_list_of_the_other_manager():
    stand = SenderStand("A", "B", md5list=100)
    stand.put(b"in doubt", queue="A")
    stand.put(*[b"%d" % number for number in range(80)], queue="B")
    stand.accept()
    stand.cut("A")
    stand.packets = [each for each in stand.packets if each[0] == "B"]
    assert len(stand.takes_all()) == 49
    stand.wait(LONGEST_RETRY)
    stand.accept()
    assert [text_of(packet) for _, packet in stand.packets] == [b"in doubt"]
    assert len(stand.takes_all()) == 32


@pytest.mark.spec("M-092")
def test_after_a_restart_what_is_in_doubt_goes_first_of_all_queues():
    stand = SenderStand("A", "B")
    stand.put(b"in doubt", queue="A")
    stand.accept()
    stand.restart()
    stand.put(b"new", queue="B")
    assert len(stand.calling) == 2
    stand.accept()
    assert stand.takes_all() == [b"in doubt", b"new"]


def test_the_store_may_refuse_to_note_a_stamp():
    stand = SenderStand()
    stand.put(b"one")
    stand.store.failure = StoreFull("full")
    stand.accept()
    assert not stand.sent()
    assert stand.hidden() == 0
    stand.store.failure = None
    stand.wait(2)
    assert stand.takes_all() == [b"one"]


def test_the_store_may_refuse_to_remove_a_message():
    stand = started(b"one")
    stand.store.failure = StoreFull("full")
    stand.answer()
    assert stand.hidden() == 1
    stand.store.failure = None
    stand.wait(2)
    assert stand.hidden() == 0
    assert len(stand.sent()) == 1


@pytest.mark.spec("M-093")
def test_a_secret_keys_the_digests_and_a_repeat_keeps_the_one_it_had():
    stand = started(b"one", secret=b"hunter2")
    (packet,) = stand.sent()
    assert packet.digest == digest(packet.signed, b"hunter2")
    stand.given["secret"] = b"another"
    stand.restart()
    stand.accept()
    assert stand.sent() == [packet]


@pytest.mark.spec("M-020")
def test_the_text_is_the_data_unchanged():
    stand = SenderStand()
    stand.put(b"RFH \x00\xff text")
    stand.accept()
    assert text_of(stand.sent()[0]) == b"RFH \x00\xff text"


# Stopping


def test_a_stopped_sender_awaits_the_answer_and_goes_on_when_started():
    stand = started(b"one", b"two")
    stand.sender().stop(MQMODE.QUIESCE, stand.now)
    stand.pump()
    assert not stand.sender().quiet
    stand.answer()
    assert stand.sender().quiet
    assert stand.left == 1
    assert stand.hidden() == 0
    stand.sender().start(stand.now)
    stand.pump()
    stand.accept()
    assert [text_of(each) for each in stand.sent()] == [b"one", b"two"]


def test_a_forced_stop_leaves_what_is_in_doubt_hidden():
    stand = started(b"one", b"two")
    first = stand.sent()
    stand.sender().stop(MQMODE.FORCE, stand.now)
    stand.pump()
    assert stand.sender().quiet
    assert stand.contents() == [b"two"]
    stand.sender().start(stand.now)
    stand.pump()
    stand.accept()
    assert stand.sent() == first


def test_messages_whose_stamps_are_written_after_a_forced_stop_go_back_and_hold_up_nobody():
    stand = SenderStand("A", "B", md5list=2)
    stand.hold = True
    stand.put(b"stopped", queue="A")
    stand.let_commit()
    stand.hold = True
    stand.accept()
    stand.sender("A").stop(MQMODE.FORCE, stand.now)
    stand.let_commit()
    assert stand.hidden("A") == 0
    stand.put(b"one", b"two", queue="B")
    stand.accept()
    assert stand.takes_all() == [b"one", b"two"]


@pytest.mark.spec("M-092")
def test_a_row_of_messages_that_are_gone_holds_up_nobody():
    stand = SenderStand("A", "B", md5list=2)
    stand.put(b"fast", queue="A", persistence=0)
    stand.accept()
    stand.restart()
    assert stand.rows()
    stand.put(b"one", b"two", queue="B")
    stand.accept()
    assert stand.takes_all() == [b"one", b"two"]
    stand.put(b"three", queue="A")
    stand.accept()
    assert stand.takes_all() == [b"three"]
    assert not stand.rows()


def test_a_sender_that_is_stopped_while_it_waits_or_calls_ends_at_once():
    stand = SenderStand()
    stand.sender().stop(MQMODE.QUIESCE, stand.now)
    assert stand.sender().quiet
    stand.sender().start(stand.now)
    stand.put(b"one")
    assert stand.calling
    stand.sender().stop(MQMODE.QUIESCE, stand.now)
    stand.pump()
    assert stand.sender().quiet
    assert not stand.calling


@pytest.mark.spec("M-061", "M-062")
def test_the_sender_of_a_deleted_queue_ends_first():
    stand = started(b"one", b"two")
    stand.delete()
    assert stand.left == 1
    assert not list(stand.gateway.carriers)
    assert stand.hidden() == 0
    queue = stand.manager.queue(QUEUE)
    assert queue is not None
    assert not queue.handles
    stand.delete("UNKNOWN")


def test_the_sender_of_a_queue_that_stays_after_all_goes_on():
    stand = started(b"one", b"two")
    first = stand.sent()
    stand.delete()
    stand.senders.created(stand.queues[0])
    stand.pump()
    stand.accept()
    assert stand.sent() == first


def test_a_deleted_queue_is_let_go_of_when_what_is_being_written_is_on_disk():
    stand = started(b"one", b"two")
    stand.hold = True
    stand.answer()
    stand.answer()
    stand.delete()
    stand.let_commit()
    assert stand.hidden() == 0
    assert not stand.contents()


def test_what_a_queue_left_behind_is_tidied_at_the_start():
    stand = started(b"one")
    assert stand.rows()
    stand.queues.clear()
    stand.restart()
    assert not stand.rows()
