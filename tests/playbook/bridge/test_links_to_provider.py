"""A link sends the messages of a queue: ids, records, outcomes, and what becomes of each message."""

from __future__ import annotations

import pytest

from mqbridge.bridge.agents.gateway.effects import ConnectToProvider
from mqbridge.bridge.agents.linking import sending
from mqbridge.bridge.agents.linking.in_doubt import TABLE
from mqbridge.bridge.agents.linking.message_ids import DUPLICATE_ID
from mqbridge.bridge.agents.linking.provider import Accepted, Credit, Modified, Rejected, Released
from mqbridge.bridge.agents.linking.settings import Duplicates, SendEnd
from mqbridge.bridge.queue_manager.objects import Kind
from mqbridge.bridge.store.interface import PutRecord, RemoveMessage, RemoveRecord, StoreFull
from mqbridge.mappings.message import Message
from mqbridge.mappings.properties import read_properties
from mqbridge.protocol.constants import MQRC
from mqbridge.protocol.structures.dlh import DLH
from support.linking.mapping import UNMAPPABLE
from support.linking.stand import DEAD, SOURCE, Stand


def ids(sent: object) -> list[object]:
    return [message.application_properties.get(DUPLICATE_ID) for _, _, message in sent]  # type: ignore[attr-defined]


def bodies(sent: object) -> list[object]:
    return [message.body for _, _, message in sent]  # type: ignore[attr-defined]


def dead_letter_of(message: Message) -> tuple[int, dict[str, object]]:
    """Reason of the MQDLH, and the properties behind it."""
    header = DLH.codec(message.order).parse(message.data)
    inner = message.copy(message.data[172:])
    inner.md.set(format=header.format.decode().strip(), encoding=header.encoding, coded_char_set_id=1208)
    return header.reason, {each.name: each.value for each in read_properties(inner)}


# Ids and records


def test_nothing_goes_out_before_the_record_is_on_disk():
    stand = Stand()
    stand.start()
    stand.hold = True
    stand.put(b"one")
    stand.let_commit()
    stand.hold = True
    stand.put(b"two")
    assert not [each for each in stand.sent() if each[2].body == b"two"]
    stand.let_commit()
    assert stand.rows(TABLE)
    assert bodies(stand.sent()) == [b"two"]
    assert stand.flushed


def test_each_persistent_message_has_an_id_of_its_own():
    stand = Stand()
    for number in range(5):
        stand.put(b"%d" % number)
    stand.start()
    found = ids(stand.sent())
    assert len(set(found)) == 5
    assert all(isinstance(each, str) for each in found)


def test_no_id_comes_again_in_another_life():
    stand, found = Stand(), set()
    for _ in range(3):
        stand.put()
        stand.start()
        sent = stand.sent()
        found.update(ids(sent))
        stand.settles(sent)
        stand.restart()
    assert len(found) == 3


def test_an_accepted_message_leaves_its_queue_with_its_record():
    stand = Stand()
    stand.put()
    stand.start()
    assert stand.hidden(SOURCE) == 1
    stand.settles(stand.sent())
    assert stand.depth(SOURCE) == stand.hidden(SOURCE) == 0
    assert not stand.rows(TABLE)
    assert stand.link.counts.sent == 1


def test_deletes_share_the_transaction_of_the_next_record():
    stand = Stand()
    stand.put(b"one")
    stand.start(credit=1)
    sent = stand.sent()
    stand.put(b"two")
    stand.store.units.clear()
    stand.receive(Credit(sent[0][0], 1))
    stand.hold = True
    stand.settles(sent)
    stand.let_commit()
    kinds = [{type(operation) for operation in unit} for unit in stand.store.units]
    assert {PutRecord} in kinds  # the record of two goes first, since there was credit
    stand.store.units.clear()
    waiting = stand.sent()
    stand.put(b"three")
    stand.settles(waiting)
    stand.receive(Credit(sent[0][0], 1))
    assert not stand.sent() or stand.rows(TABLE)


def test_a_finished_batch_and_the_next_one_are_one_unit():
    stand = Stand(window=1, batch=1)
    stand.put(b"one")
    stand.put(b"two")
    stand.start()
    stand.store.units.clear()
    stand.settles(stand.sent())
    (removed, *_), *_ = [unit for unit in stand.store.units if any(isinstance(each, RemoveMessage) for each in unit)]
    assert removed
    assert any(isinstance(each, RemoveRecord) for unit in stand.store.units for each in unit)
    assert bodies(stand.sent()) == [b"two"]


def test_the_same_ids_go_out_again_after_the_connection_is_lost():
    stand = Stand()
    for number in range(3):
        stand.put(b"%d" % number)
    stand.start()
    first = stand.sent()
    stand.settles(first[:1])
    stand.reconnect()
    again = stand.sent()
    assert bodies(again) == [b"1", b"2"]
    assert ids(again) == ids(first)[1:]


def test_the_same_ids_go_out_again_after_a_restart():
    stand = Stand()
    for number in range(3):
        stand.put(b"%d" % number)
    stand.start()
    first = stand.sent()
    stand.restart()
    assert stand.hidden(SOURCE) == 3
    assert not stand.contents(SOURCE)
    stand.start()
    again = stand.sent()
    assert bodies(again) == bodies(first)
    assert ids(again) == ids(first)
    stand.settles(again)
    assert not stand.rows(TABLE)
    assert stand.depth(SOURCE) == 0


def test_another_message_at_the_same_position_gets_no_old_id():
    stand = Stand()
    stand.put(b"old")
    stand.start()
    first = stand.sent()
    settings, stand.settings = stand.settings, type(stand.settings)(name="other", send=(SendEnd(DEAD, "x"),))
    stand.restart()
    stand.manager.clear_queue(SOURCE, stand.now)
    stand.put(b"new")
    stand.settings = settings
    stand.restart()
    stand.start()
    again = stand.sent()
    assert bodies(again) == [b"new"]
    assert ids(again) != ids(first)


def test_messages_of_a_queue_that_is_no_longer_sent_are_told():
    stand = Stand()
    stand.put()
    stand.start()
    stand.settings = type(stand.settings)(name="warehouse", send=(SendEnd(DEAD, "x"),))
    stand.logged.clear()
    stand.restart()
    assert ("AMQ5067", "warehouse", SOURCE) in stand.logged


def test_without_detection_of_duplicates_there_are_no_ids_and_no_records():
    stand = Stand(duplicates=Duplicates.NONE)
    stand.put(b"one")
    stand.start()
    sent = stand.sent()
    assert ids(sent) == [None]
    assert not stand.rows(TABLE)
    stand.restart()
    assert stand.depth(SOURCE) == 1
    stand.start()
    stand.settles(stand.sent())
    assert stand.depth(SOURCE) == 0


# Limits


def test_no_more_messages_are_under_way_than_the_window():
    stand = Stand(window=4, batch=2)
    for number in range(10):
        stand.put(b"%d" % number)
    stand.start()
    sent = stand.sent()
    assert len(sent) == 4
    stand.settles(sent[:2])
    assert len(stand.sent()) == 2


def test_no_more_messages_are_got_when_so_many_bytes_are_under_way(monkeypatch):
    monkeypatch.setattr(sending, "MAX_BYTES", 1000)
    stand = Stand(batch=1)
    for number in range(10):
        stand.put(b"%d" % number * 400)
    stand.start()
    found = []
    while sent := stand.sent():
        assert 3 <= len(sent) <= 4 or len(found) + len(sent) == 10
        found += [body[:1] for body in bodies(sent)]
        stand.settles(sent)
    assert found == [b"%d" % number for number in range(10)]
    assert stand.depth(SOURCE) == 0


def test_no_message_is_sent_without_credit():
    stand = Stand()
    for number in range(5):
        stand.put(b"%d" % number)
    stand.start(credit=2)
    sent = stand.sent()
    assert len(sent) == 2
    stand.settles(sent)
    assert not stand.sent()
    stand.receive(Credit(sent[0][0], 3))
    assert len(stand.sent()) == 3


def test_messages_go_in_order():
    stand = Stand(window=7, batch=3)
    for number in range(20):
        stand.put(b"%02d" % number)
    stand.start(credit=20)
    seen = []
    while sent := stand.sent():
        seen += bodies(sent)
        stand.settles(sent)
    assert seen == [b"%02d" % number for number in range(20)]


def test_messages_that_need_no_record_do_not_overtake_those_whose_record_is_being_written():
    stand = Stand(batch=1)
    stand.put(b"0", persistence=0)
    stand.put(b"1")
    stand.put(b"2", persistence=0)
    stand.hold = True
    stand.start()
    stand.wait(0)
    assert bodies(stand.sent()) == [b"0"]
    stand.let_commit()
    assert bodies(stand.sent()) == [b"1", b"2"]


# Outcomes


@pytest.mark.parametrize(
    ("condition", "reason"),
    [
        ("amqp:link:message-size-exceeded", MQRC.MSG_TOO_BIG_FOR_CHANNEL),
        ("amqp:not-found", MQRC.UNKNOWN_OBJECT_NAME),
        ("amqp:unauthorized-access", MQRC.NOT_AUTHORIZED),
        ("amqp:decode-error", MQRC.FORMAT_ERROR),
        ("amqp:not-implemented", MQRC.FORMAT_ERROR),
        ("amqp:precondition-failed", MQRC.UNEXPECTED_ERROR),
        ("", MQRC.UNEXPECTED_ERROR),
    ],
)
def test_a_rejected_message_is_dead_lettered_with_the_condition(condition, reason):
    stand = Stand()
    stand.put(b"bad")
    stand.put(b"good")
    stand.start()
    sent = stand.sent()
    stand.settles(sent[:1], Rejected(condition, "why not"))
    stand.settles(sent[1:])
    (dead,) = stand.contents(DEAD)
    assert dead.data.endswith(b"bad")
    found, properties = dead_letter_of(dead)
    assert found == reason
    assert properties.get("amqp_condition", "") == condition
    assert properties["amqp_description"] == "why not"
    assert stand.depth(SOURCE) == 0
    assert not stand.rows(TABLE)
    assert (stand.link.counts.sent, stand.link.counts.failed) == (1, 1)


@pytest.mark.parametrize(
    ("state", "counted"),
    [
        (Released(), 0),
        (Modified(), 0),
        (Modified(delivery_failed=True), 1),
        (Rejected("amqp:resource-limit-exceeded", "the address is full"), 0),
        (Rejected("amqp:internal-error"), 1),
    ],
)
def test_a_message_that_was_not_taken_goes_out_again_later_with_another_id(state, counted):
    stand = Stand()
    stand.put()
    stand.start()
    first = stand.sent()
    stand.settles(first, state)
    assert not stand.sent()
    assert stand.depth(SOURCE) == 1
    assert not stand.rows(TABLE)
    stand.wait(2)
    again = stand.sent()
    assert ids(again) != ids(first)
    stand.settles(again, Released())
    (left,) = stand.contents(SOURCE)
    assert left.md.backout_count == counted


@pytest.mark.parametrize("restarts", [False, True])
@pytest.mark.parametrize("state", [Released(), Modified(), Modified(True), Rejected("amqp:resource-limit-exceeded")])
def test_a_message_in_doubt_that_was_not_taken_keeps_its_id(state, restarts):
    """The provider may have had it before, and then drops it."""
    stand = Stand()
    stand.alter(SOURCE, BOTHRESH=1)
    stand.start()
    stand.put()
    first = stand.sent()
    if restarts:
        stand.restart()
        stand.start()
    else:
        stand.reconnect()
    for _ in range(2):
        again = stand.sent()
        assert ids(again) == ids(first)
        stand.settles(again, state)
        assert not stand.sent()
        stand.wait(60)
    stand.reconnect()
    again = stand.sent()
    assert ids(again) == ids(first)
    stand.settles(again)
    assert not stand.rows(TABLE)
    assert not stand.depth(SOURCE)
    assert not stand.contents(DEAD)


def test_a_message_at_which_the_connection_ends_does_not_hold_up_others():
    stand = Stand(batch=5)
    stand.start()
    for body in (b"1", b"2", b"poison", b"3", b"4"):
        stand.put(body)
    accepted: list[object] = []
    stand.put(b"5")
    for _ in range(20):
        while sent := stand.sent():
            if b"poison" in bodies(sent):
                stand.lose()
                break
            accepted += bodies(sent)
            stand.settles(sent)
        stand.wait(100)
        if stand.took(ConnectToProvider):
            stand.effects.append(ConnectToProvider(stand.link))
            stand.opens()
    assert sorted(accepted, key=str) == [b"1", b"2", b"3", b"4", b"5"]
    assert (stand.depth(SOURCE), stand.hidden(SOURCE)) == (0, 1)
    assert "the connection ends" in stand.link.status(stand.now).detail


def test_a_message_that_must_not_be_sent_again_is_dead_lettered():
    stand = Stand()
    stand.put()
    stand.start()
    stand.settles(stand.sent(), Modified(delivery_failed=True, undeliverable_here=True))
    assert len(stand.contents(DEAD)) == 1


@pytest.mark.parametrize("aside", ["", "ASIDE", "NO.SUCH.QUEUE"])
def test_a_message_is_moved_aside_when_it_was_backed_out_too_often(aside):
    stand = Stand()
    stand.define("ASIDE")
    stand.alter(SOURCE, BOTHRESH=2, BOQNAME=aside)
    stand.put()
    stand.start()
    stand.settles(stand.sent(), Modified(delivery_failed=True))
    assert stand.depth(SOURCE) == 1
    stand.wait(5)
    stand.settles(stand.sent(), Modified(delivery_failed=True))
    assert stand.depth(SOURCE) == 0
    if aside == "ASIDE":
        assert [each.data for each in stand.contents("ASIDE")] == [b"data"]
    else:
        reason, _ = dead_letter_of(stand.contents(DEAD)[0])
        assert reason == MQRC.BACKOUT_THRESHOLD_REACHED


def test_a_message_that_cannot_be_mapped_is_dead_lettered_and_others_go_on():
    stand = Stand()
    stand.put(UNMAPPABLE)
    stand.put(b"good")
    stand.start()
    sent = stand.sent()
    assert bodies(sent) == [b"good"]
    stand.settles(sent)
    (dead,) = stand.contents(DEAD)
    reason, properties = dead_letter_of(dead)
    assert reason == MQRC.FORMAT_ERROR
    assert "no AMQP type" in str(properties["amqp_description"])


def test_a_batch_of_nothing_but_dead_messages_is_finished():
    stand = Stand()
    stand.put(UNMAPPABLE)
    stand.start()
    assert len(stand.contents(DEAD)) == 1
    stand.put(b"good")
    assert bodies(stand.sent()) == [b"good"]


def test_without_a_dead_letter_queue_the_message_stays():
    stand = Stand()
    stand.manager.objects.alter(Kind.QMGR, "EARTH", {"DEADQ": ""}, stand.now)
    stand.put()
    stand.start()
    stand.settles(stand.sent(), Rejected("amqp:invalid-field"))
    assert stand.depth(SOURCE) == 1
    assert "2085" in stand.link.status(stand.now).detail


# Messages that are not persistent


def test_a_message_that_is_not_persistent_is_not_sent_twice():
    stand = Stand()
    stand.put(b"fast", persistence=0)
    stand.put(b"slow")
    stand.start()
    sent = stand.sent()
    assert bodies(sent) == [b"fast", b"slow"]
    assert ids(sent)[0] is None
    assert stand.hidden(SOURCE) == 1
    stand.reconnect()
    assert bodies(stand.sent()) == [b"slow"]
    assert stand.link.counts.lost == 1


@pytest.mark.parametrize("state", [Released(), Modified(), Modified(True), Rejected("amqp:resource-limit-exceeded")])
def test_a_message_that_is_not_persistent_goes_out_again_if_it_was_not_taken(state):
    stand = Stand()
    stand.start()
    stand.put(b"data", persistence=0)
    stand.settles(stand.sent(), state)
    assert not stand.sent()
    stand.wait(60)
    again = stand.sent()
    assert bodies(again) == [b"data"]
    stand.settles(again)
    assert stand.link.counts.sent == 1
    assert not stand.contents(DEAD)
    assert not stand.depth(SOURCE)


def test_a_message_that_is_not_persistent_is_moved_aside_when_it_failed_too_often():
    stand = Stand()
    stand.alter(SOURCE, BOTHRESH=2)
    stand.start()
    stand.put(b"data", persistence=0)
    for _ in range(2):
        stand.settles(stand.sent(), Modified(True))
        stand.wait(60)
    assert not stand.sent()
    assert len(stand.contents(DEAD)) == 1


def test_a_message_that_is_not_persistent_is_dead_lettered_too():
    stand = Stand()
    stand.put(b"fast", persistence=0)
    stand.start()
    stand.settles(stand.sent(), Rejected("amqp:invalid-field"))
    assert [each.data[-4:] for each in stand.contents(DEAD)] == [b"fast"]


def test_a_stored_message_that_is_not_persistent_is_not_sent_again_after_a_restart():
    stand = Stand()
    stand.alter(SOURCE, NPMCLASS="HIGH")
    stand.put(b"fast", persistence=0)
    stand.start()
    assert stand.sent()
    stand.restart()
    assert stand.depth(SOURCE) == 0


# Faults here


def test_when_the_store_refuses_a_record_the_messages_go_later():
    stand = Stand()
    stand.put()
    stand.store.failure = StoreFull("no room")
    stand.start()
    assert not stand.sent()
    assert stand.depth(SOURCE) == 1
    stand.store.failure = None
    stand.wait(2)
    assert len(stand.sent()) == 1


def test_when_the_store_refuses_the_deletes_they_are_tried_again():
    stand = Stand()
    stand.put()
    stand.start()
    sent = stand.sent()
    stand.store.failure = StoreFull("no room")
    stand.settles(sent)
    assert stand.rows(TABLE)
    stand.store.failure = None
    stand.wait(2)
    assert not stand.rows(TABLE)
    assert not stand.sent()
    assert stand.depth(SOURCE) == stand.hidden(SOURCE) == 0


def test_when_the_store_refuses_a_dead_letter_it_is_tried_again():
    stand = Stand()
    stand.put()
    stand.start()
    sent = stand.sent()
    stand.store.failure = StoreFull("no room")
    stand.settles(sent, Rejected("amqp:invalid-field"))
    stand.store.failure = None
    stand.wait(2)
    assert len(stand.contents(DEAD)) == 1
    assert stand.depth(SOURCE) == 0


def test_gets_that_are_inhibited_are_waited_for():
    stand = Stand()
    stand.alter(SOURCE, GET="DISABLED")
    stand.put()
    stand.start()
    assert not stand.sent()
    assert "2016" in stand.link.status(stand.now).detail
    stand.alter(SOURCE, GET="ENABLED")
    stand.wait(5)
    stand.settles(stand.sent())
    assert stand.link.status(stand.now).detail == ""


def test_a_link_gets_as_its_user():
    stand = Stand(mcauser="nobody")
    stand.put()
    stand.start()
    assert not stand.sent()
    assert "2035" in stand.link.status(stand.now).detail
    assert stand.link.status(stand.now).user == "nobody"


def test_a_message_that_comes_later_is_sent_at_once():
    stand = Stand()
    stand.start()
    assert not stand.sent()
    stand.put(b"later")
    assert bodies(stand.sent()) == [b"later"]
    stand.took(object)


def test_outcomes_of_unknown_deliveries_are_ignored():
    stand = Stand()
    stand.put()
    stand.start()
    sent = stand.sent()
    stand.settles([(sent[0][0], b"unknown", sent[0][2])], Accepted())
    assert stand.hidden(SOURCE) == 1
    stand.settles([*sent, *sent])
    assert stand.link.counts.sent == 1
