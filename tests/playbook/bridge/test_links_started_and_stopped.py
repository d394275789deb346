"""The life of a link: connecting, refusals, back-off, stopping, and what its display says."""

from __future__ import annotations

import pytest

from mqbridge.bridge.agents.gateway.carriers import CarrierError, CarrierState
from mqbridge.bridge.agents.gateway.effects import ConnectToProvider
from mqbridge.bridge.agents.linking.in_doubt import TABLE
from mqbridge.bridge.agents.linking.link import Link
from mqbridge.bridge.agents.linking.provider import Attached, Lost, Opened, Refused
from mqbridge.bridge.agents.linking.settings import LinkSettings, SendEnd
from mqbridge.protocol.constants import MQMODE
from support.linking.mapping import PlainMapping
from support.linking.stand import SOURCE, STOCK_IN, STOCK_OUT, Stand, amqp


def state(stand: Stand) -> CarrierState:
    return stand.link.status(stand.now).state


def test_a_link_connects_when_it_is_started():
    stand = Stand()
    assert state(stand) is CarrierState.STOPPED
    assert stand.link.quiet
    stand.link.start(stand.now)
    stand.pump()
    assert state(stand) is CarrierState.STARTING
    stand.opens()
    assert state(stand) is CarrierState.RUNNING
    assert ("AMQ5060", "warehouse", "scripted") in stand.logged


def test_its_display():
    stand = Stand()
    stand.start()
    stand.put()
    stand.settles(stand.sent())
    stand.deliver(amqp())
    status = stand.link.status(stand.now)
    assert (status.name, status.kind) == ("warehouse", "link")
    assert status.source == f"{SOURCE}, {STOCK_OUT}"
    assert status.target == f"{STOCK_IN}, FROM.STOCK"
    assert (status.carried, status.dropped, status.failed) == (2, 0, 0)
    assert status.detail == ""


def test_attempts_become_rarer_and_none_is_after_the_same_time():
    stand, waits = Stand(retry_interval=1.0, longest_retry=60.0), []
    stand.link.start(stand.now)
    stand.pump()
    for _ in range(12):
        assert stand.took(ConnectToProvider)
        stand.receive(Lost("refused"))
        began = stand.now
        stand.wait(100)
        waits.append(stand.now - began)
    assert 0.5 <= waits[0] <= 1.0
    assert waits[5] > waits[0]
    assert max(waits) <= 60.0
    assert all(each >= 30.0 for each in waits[7:])
    assert len(set(waits)) == len(waits)


def test_the_first_attempt_after_a_connection_is_early_again():
    stand = Stand()
    stand.start()
    for _ in range(5):
        stand.lose()
        began = stand.now
        stand.wait(100)
        assert stand.now - began <= 1.0
        stand.opens()


def test_a_refusal_that_does_not_pass_by_itself_waits_longest():
    stand = Stand(longest_retry=60.0)
    stand.link.start(stand.now)
    stand.pump()
    assert stand.took(ConnectToProvider)
    stand.receive(Refused(None, "sasl:auth", "wrong password", permanent=True))
    assert state(stand) is CarrierState.RETRYING
    assert stand.given_up
    assert stand.link.status(stand.now).detail == "sasl:auth wrong password"
    stand.wait(29)
    assert not stand.took(ConnectToProvider)
    stand.wait(31)
    assert stand.took(ConnectToProvider)


def test_events_of_a_connection_that_was_given_up_are_ignored():
    stand = Stand()
    stand.start()
    stand.lose()
    stand.receive(Opened("late"), Lost("later"))
    assert state(stand) is CarrierState.RETRYING


def test_a_refused_address_is_tried_again_and_others_go_on():
    stand = Stand()
    stand.link.start(stand.now)
    stand.pump()
    assert stand.took(ConnectToProvider)
    stand.link.connected(stand.connection, stand.now)
    stand.receive(Opened("broker"))
    ((sender, _),) = stand.asked("attach_sender")
    ((receiver, address),) = stand.asked("attach_receiver")
    stand.receive(Refused(sender, "amqp:not-found", "no such queue"))
    stand.receive(Attached(receiver, address=address))
    assert "amqp:not-found" in stand.link.status(stand.now).detail
    stand.deliver(amqp(), handle=receiver)
    assert len(stand.asked("settle")) == 1
    stand.wait(2)
    assert len(stand.asked("attach_sender")) == 1
    assert not stand.asked("attach_receiver")


def test_an_end_that_the_provider_ends_is_attached_again_and_nothing_is_lost():
    stand = Stand()
    stand.put(b"one")
    stand.start()
    ((handle, _, first),) = stand.sent()
    stand.receive(Refused(handle, "amqp:resource-deleted"))
    stand.wait(2)
    stand.attach()
    ((_, _, again),) = stand.sent()
    assert again == first


def test_stopped_in_order_it_waits_for_outcomes():
    stand = Stand()
    stand.put()
    stand.start()
    stand.link.stop(MQMODE.QUIESCE, stand.now)
    stand.pump()
    assert state(stand) is CarrierState.STOPPING
    stand.put(b"later")
    assert len(stand.sent()) == 1
    assert not stand.asked("close")


def test_stopped_in_order_it_closes_when_all_is_settled():
    stand = Stand()
    stand.put()
    stand.start()
    sent = stand.sent()
    stand.link.stop(MQMODE.QUIESCE, stand.now)
    stand.settles(sent)
    assert stand.asked("close") == [()]
    stand.lose()
    assert state(stand) is CarrierState.STOPPED
    assert stand.link.quiet
    assert not stand.rows(TABLE)
    stand.wait(1000)
    assert not stand.took(ConnectToProvider)


def test_stopped_in_order_it_waits_no_longer_than_it_should():
    stand = Stand(stop_wait=5.0)
    stand.put()
    stand.start()
    first = stand.sent()
    stand.link.stop(MQMODE.QUIESCE, stand.now)
    stand.wait(6)
    assert state(stand) is CarrierState.STOPPED
    assert stand.given_up
    assert stand.hidden(SOURCE) == 1
    stand.start()
    assert [each[2] for each in stand.sent()] == [each[2] for each in first]


@pytest.mark.parametrize("connected", [False, True])
def test_stopped_by_force_it_cuts_the_connection(connected):
    stand = Stand()
    stand.put()
    if connected:
        stand.start()
    else:
        stand.link.start(stand.now)
    stand.pump()
    stand.link.stop(MQMODE.FORCE, stand.now)
    stand.pump()
    assert stand.given_up
    assert state(stand) is CarrierState.STOPPED
    assert stand.depth(SOURCE) == (0 if connected else 1)


def test_a_link_that_is_being_stopped_can_be_started():
    stand = Stand()
    stand.put()
    stand.start()
    stand.sent()
    stand.link.stop(MQMODE.QUIESCE, stand.now)
    stand.link.start(stand.now)
    stand.put(b"later")
    assert state(stand) is CarrierState.RUNNING
    assert [message.body for _, _, message in stand.sent()] == [b"later"]


def test_starting_and_stopping_twice_does_nothing_more():
    stand = Stand()
    stand.link.stop(MQMODE.FORCE, stand.now)
    stand.link.start(stand.now)
    stand.link.start(stand.now)
    stand.pump()
    assert len(stand.took(ConnectToProvider)) == 1


def test_the_gateway_stops_its_links():
    stand = Stand()
    stand.start()
    stand.gateway.stop_all(MQMODE.FORCE, stand.now)
    stand.pump()
    assert stand.gateway.carriers.quiet


def test_several_links_have_their_own_connections():
    stand = Stand()
    other = Link(
        LinkSettings(name="other", send=(SendEnd("DLQ", "dead"),)),
        stand.gateway.channel_manager,
        PlainMapping(),
        stand.random,
    )
    stand.gateway.carriers.add(other)
    with pytest.raises(CarrierError):
        stand.gateway.carriers.add(other)
    stand.gateway.carriers.start_all(stand.now)
    stand.pump()
    assert {each.link.name for each in stand.took(ConnectToProvider)} == {"warehouse", "other"}
