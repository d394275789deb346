"""A link puts the messages of an address: once each, settled when they are on disk, as far as there is room."""

from __future__ import annotations

import pytest

from mqbridge.bridge.agents.linking.identities import TABLE
from mqbridge.bridge.agents.linking.provider import Accepted, Attached, Received, Rejected, Released, TooLong
from mqbridge.bridge.queue_manager.objects import Kind
from mqbridge.bridge.store.interface import AddMessage, PutRecord, StoreFull
from mqbridge.protocol.constants import MQRC
from mqbridge.protocol.structures.dlh import DLH
from support.linking.broker import digest_of
from support.linking.mapping import UNMAPPABLE, PlainMapping
from support.linking.stand import DEAD, SINK, STOCK_OUT, Stand, amqp

ACCEPTED = Accepted()


def bodies(stand: Stand, queue: str = SINK) -> list[bytes]:
    return [message.data for message in stand.contents(queue)]


def started(**settings: object) -> Stand:
    """A stand whose link is connected and has given its first credit."""
    stand = Stand(**settings)  # type: ignore[arg-type]
    stand.start()
    return stand


def test_a_message_is_settled_when_it_is_on_disk():
    stand = started()
    stand.hold = True
    stand.deliver(amqp())
    assert not stand.asked("settle")
    stand.let_commit()
    assert stand.asked("settle") == [(1, ACCEPTED)]
    assert stand.flushed
    assert bodies(stand) == [b"data"]
    assert stand.link.counts.received == 1


def test_a_message_and_its_identity_are_one_unit():
    stand = started()
    stand.store.units.clear()
    stand.deliver(amqp(), amqp(b"other", "ID:2"))
    (unit,) = stand.store.units
    assert [type(each) for each in unit] == [AddMessage, AddMessage, PutRecord]
    assert len(stand.rows(TABLE)[0]) == 2 * 32


def test_what_comes_during_a_commit_belongs_to_the_next():
    stand = started()
    stand.hold = True
    stand.deliver(amqp(b"one", "ID:1"))
    stand.deliver(amqp(b"two", "ID:2"), first=2)
    stand.deliver(amqp(b"three", "ID:3"), first=3)
    stand.store.units.clear()
    stand.let_commit()
    assert len(stand.store.units) == 2
    assert [each[0] for each in stand.asked("settle")] == [1, 2, 3]


# Again after a reconnection


def test_a_message_that_comes_again_after_a_reconnection_is_not_put_again():
    stand = started()
    stand.deliver(amqp())
    stand.reconnect()
    stand.deliver(amqp(), handle=4)
    assert stand.asked("settle") == [(1, ACCEPTED)]
    assert bodies(stand) == [b"data"]
    assert stand.link.counts.repeated == 1


def test_a_message_that_comes_again_after_a_restart_is_not_put_again():
    stand = started()
    stand.deliver(amqp())
    stand.restart()
    stand.start()
    stand.deliver(amqp())
    assert stand.asked("settle") == [(1, ACCEPTED)]
    assert bodies(stand) == [b"data"]


def test_it_may_come_again_several_times():
    stand = started()
    stand.deliver(amqp())
    for turn in range(3):
        stand.reconnect()
        stand.deliver(amqp(), handle=4 + 2 * turn)
    stand.restart()
    stand.start()
    stand.deliver(amqp())
    assert bodies(stand) == [b"data"]


def test_each_identity_is_used_once():
    stand = started()
    stand.deliver(amqp())
    stand.reconnect()
    stand.deliver(amqp(), amqp(), handle=4)
    assert bodies(stand) == [b"data", b"data"]


def test_equal_messages_of_one_connection_are_different_messages():
    stand = started()
    stand.deliver(amqp(), amqp())
    stand.deliver(amqp(), first=3)
    assert len(bodies(stand)) == 3


def test_messages_with_one_id_and_other_bytes_are_different_messages():
    stand = started()
    stand.deliver(amqp(b"one", "ID:same"))
    stand.reconnect()
    stand.deliver(amqp(b"two", "ID:same"), handle=4)
    assert bodies(stand) == [b"one", b"two"]


def test_what_was_not_on_disk_is_put_when_it_comes_again():
    stand = started()
    stand.hold = True
    stand.deliver(amqp())
    stand.restart()
    stand.start()
    stand.deliver(amqp())
    assert bodies(stand) == [b"data"]


def test_a_commit_that_ends_after_the_connection_is_known_to_the_next_one():
    stand = started()
    stand.hold = True
    stand.deliver(amqp())
    stand.lose()
    stand.hold = False
    stand.now += 60
    stand.hold = True
    stand.gateway.timeout(stand.now)
    stand.pump()
    stand.opens()
    assert not stand.asked("attach_receiver")
    stand.let_commit()
    stand.attach()
    stand.deliver(amqp(), handle=4)
    assert bodies(stand) == [b"data"]
    assert stand.link.counts.repeated == 1


def test_what_was_put_and_not_committed_is_backed_out_with_the_connection():
    stand = started()
    stand.hold = True
    stand.deliver(amqp(b"one", "ID:1"))
    stand.deliver(amqp(b"two", "ID:2"), first=2)
    stand.lose()
    stand.let_commit()
    assert bodies(stand) == [b"one"]


def test_identities_older_than_the_credit_window_are_forgotten():
    stand = started(credit=2)
    for number in range(20):
        stand.deliver(amqp(b"%d" % number, f"ID:{number}"), first=number + 1)
        stand.now += 30
    assert len(stand.rows(TABLE)) <= 3


def test_identities_stay_while_the_provider_may_not_have_written_the_settlements():
    stand = started(credit=2)
    for number in range(20):
        stand.deliver(amqp(b"%d" % number, f"ID:{number}"), first=number + 1)
    assert len(stand.rows(TABLE)) == 20


def test_identities_are_forgotten_some_time_after_a_reconnection():
    stand = started(remember=100.0)
    stand.deliver(amqp())
    stand.reconnect()
    stand.now += 101
    stand.deliver(amqp(b"other", "ID:2"), handle=4)
    stand.deliver(amqp(), handle=4, first=2)
    assert bodies(stand) == [b"data", b"other", b"data"]


def test_what_comes_again_is_known_however_long_the_provider_was_away():
    stand = started(remember=100.0)
    messages = [amqp(b"%d" % number, f"ID:{number}") for number in range(3)]
    stand.deliver(*messages)
    stand.lose()
    stand.now += 1000
    stand.link.timeout(stand.now)
    stand.pump()
    stand.opens()
    for number, message in enumerate(messages):
        stand.deliver(message, handle=4, first=1 + number)
    assert len(bodies(stand)) == 3
    assert stand.link.counts.repeated == 3


def test_a_settled_message_is_put_and_not_remembered():
    stand = started()
    stand.deliver(amqp(), settled=True)
    assert bodies(stand) == [b"data"]
    assert not stand.asked("settle")
    assert not stand.rows(TABLE)


# Credit


def test_credit_is_given_for_the_room_on_the_queue():
    stand = Stand(credit=50)
    stand.alter(SINK, MAXDEPTH=8)
    stand.start()
    assert stand.asked("grant_credit") == [(2, 8)]


def test_no_credit_is_given_for_a_full_queue_until_there_is_room():
    stand = Stand(credit=50)
    stand.alter(SINK, MAXDEPTH=2)
    stand.start()
    stand.asked("grant_credit")
    stand.deliver(amqp(b"1", "ID:1"), amqp(b"2", "ID:2"))
    stand.wait(5)
    assert not stand.asked("grant_credit")
    assert bodies(stand) == [b"1", b"2"]
    stand.wait(2)
    assert stand.asked("grant_credit") == [(2, 2)]


def test_credit_is_given_again_after_the_settlement():
    stand = started(credit=4)
    assert stand.asked("grant_credit") == [(2, 4)]
    stand.connection.asked.clear()
    stand.deliver(*[amqp(b"%d" % number, f"ID:{number}") for number in range(4)])
    assert [each[0] for each in stand.connection.asked] == ["settle"] * 4 + ["grant_credit"]


# Messages that cannot be put


def test_a_message_for_a_full_queue_goes_back_and_the_link_waits():
    stand = started()
    stand.alter(SINK, MAXDEPTH=1)
    stand.deliver(amqp(b"1", "ID:1"), amqp(b"2", "ID:2"))
    assert sorted(stand.asked("settle"), key=str) == [(1, ACCEPTED), (2, Released())]
    assert "2053" in stand.link.status(stand.now).detail
    assert bodies(stand) == [b"1"]
    stand.asked("grant_credit")
    stand.wait(3)
    stand.deliver(amqp(b"2", "ID:2"), first=3)
    assert bodies(stand) == [b"2"]
    assert stand.link.status(stand.now).detail == ""


@pytest.mark.parametrize("missing", ["queue", "authority", "puts"])
def test_a_fault_of_the_queue_keeps_messages_at_the_provider(missing):
    stand = Stand(mcauser="nobody" if missing == "authority" else "")
    if missing == "puts":
        stand.alter(SINK, PUT="DISABLED")
    if missing == "queue":
        stand.manager.submit(stand.manager.objects.delete(Kind.QLOCAL, SINK).operations)
        stand.pump()
    stand.start()
    stand.deliver(amqp())
    assert stand.asked("settle") == [(1, Released())]
    reason = {"queue": "2085", "authority": "2035", "puts": "2051"}[missing]
    assert reason in stand.link.status(stand.now).detail


def test_a_message_too_long_for_its_queue_is_dead_lettered():
    stand = started()
    stand.alter(SINK, MAXMSGL=3)
    stand.deliver(amqp(b"long"), amqp(b"ok", "ID:2"))
    assert [each[1] for each in stand.asked("settle")] == [ACCEPTED, ACCEPTED]
    (dead,) = stand.contents(DEAD)
    header = DLH.codec(dead.order).parse(dead.data)
    assert header.reason == MQRC.MSG_TOO_BIG_FOR_Q
    assert header.dest_q_name.strip() == SINK.encode()
    assert bodies(stand) == [b"ok"]
    assert stand.link.counts.failed == 1


class InvalidMapping(PlainMapping):
    """Makes messages with a descriptor that no queue manager takes, of all but the body ``ok``."""

    def __init__(self, **fields):
        self.fields = fields

    def to_queue(self, message, queue, now):
        made = super().to_queue(message, queue, now)
        if made.data != b"ok":
            made.md.set(**self.fields)
        return made


@pytest.mark.parametrize(("fields", "reason"), [({"expiry": -5}, "2013"), ({"persistence": 9}, "2047")])
def test_an_invalid_message_that_no_queue_takes_is_rejected_and_others_go_on(fields, reason):
    stand = Stand(InvalidMapping(**fields))
    stand.start()
    stand.deliver(amqp(), amqp(b"ok", "ID:2"))
    settled = dict(stand.asked("settle"))
    assert isinstance(settled[1], Rejected)
    assert reason in settled[1].description
    assert settled[2] == ACCEPTED
    assert bodies(stand) == [b"ok"]
    assert stand.depth(DEAD) == 0


def test_without_a_dead_letter_queue_it_stays_at_the_provider():
    stand = started()
    stand.manager.objects.alter(Kind.QMGR, "EARTH", {"DEADQ": ""}, stand.now)
    stand.alter(SINK, MAXMSGL=3)
    stand.deliver(amqp(b"long"), amqp(b"ok", "ID:2"))
    settled = dict(stand.asked("settle"))
    assert isinstance(settled[1], Rejected)
    assert settled[2] == ACCEPTED


def test_a_message_that_jms_does_not_know_is_rejected_and_others_go_on():
    stand = started()
    stand.deliver(amqp(UNMAPPABLE), amqp(b"ok", "ID:2"))
    settled = dict(stand.asked("settle"))
    assert settled[1] == Rejected("amqp:not-implemented", "JMS has no such body")
    assert settled[2] == ACCEPTED
    assert bodies(stand) == [b"ok"]


def test_bytes_that_are_no_message_are_rejected():
    stand = started()
    message = amqp()
    stand.receive(Received(2, 1, message, digest_of(message), error="no body section"))
    assert stand.asked("settle") == [(1, Rejected("amqp:not-implemented", "no body section"))]
    assert not bodies(stand)


def test_a_message_too_long_for_the_link_uses_up_credit():
    stand = started(credit=1)
    assert [each[1] for each in stand.asked("grant_credit")] == [1]
    for _ in range(3):
        stand.receive(TooLong(2, 1 << 30))
        assert [each[1] for each in stand.asked("grant_credit")] == [1]


def test_a_message_too_long_for_the_link_is_told():
    stand = started()
    stand.receive(TooLong(2, 5_000_000))
    assert ("AMQ5064", "warehouse", STOCK_OUT, "5000000 bytes are too long") in stand.logged


def test_when_the_store_refuses_the_provider_delivers_again():
    stand = started()
    stand.store.failure = StoreFull("no room")
    stand.deliver(amqp())
    assert stand.asked("detach") == [(2,)]
    stand.store.failure = None
    assert not bodies(stand)
    stand.wait(3)
    ((handle, address),) = stand.asked("attach_receiver")
    stand.receive(Attached(handle, address=address))
    stand.deliver(amqp(), handle=handle)
    assert bodies(stand) == [b"data"]


def test_messages_get_ids_of_their_own():
    stand = started()
    stand.deliver(amqp(), amqp(b"other", "ID:1"))
    first, second = [message.md.msg_id for message in stand.contents(SINK)]
    assert first != second
    assert bytes(24) not in (first, second)
