"""SC-38: a channel session by script."""

from __future__ import annotations

import random

import pytest

from mqbridge.mappings.templates import Accepted, Counters, Delivered, Ended, Protocol, SessionMachine, read_protocol
from mqbridge.protocol.channel import (
    ChannelParameters,
    ChannelRequested,
    ConfirmRequested,
    MessageReceived,
    ReceiverState,
    Started,
)
from support.channels.playbook import Play, listening
from support.templates.stand_in import Receiver
from support.templates.thesis import packets, shipped, shipped_text

pytestmark = pytest.mark.spec("SC-38")
OWN = {"channel": "ch.myopenq.clon", "source-manager": "MyOpenQ"}
CONFIRM = (
    ', { packet = "confirm", set = { flags = "request" }, copy = { unit-of-work = "message.unit-of-work" } }]'
    ', next = "confirming"'
)


def message(number: int) -> dict[str, str | bytes]:
    return {"queue": "MyLocalQ", "target-manager": "QM_cmolina", "message": f"Mensaje {number}".encode()}


def session(protocol: Protocol) -> SessionMachine:
    machine = SessionMachine(protocol, "initiator", random.Random(1), OWN)
    assert machine.connected(1000.0) == []
    return machine


@pytest.mark.spec("M-131", "M-132", "M-156", "M-158", "M-169", "M-138")
def test_five_messages_are_accepted_on_one_connection() -> None:
    machine, other = session(shipped("mq-capture")), Receiver()
    start = machine.take()
    assert start[:130] == packets()["05-bridge-initial-data-request"][:130]
    machine.receive_data(other.receive(start), 1000.0)
    for number in range(5):
        assert machine.can_put
        assert machine.put(message(number), 1001.0 + number) == []
        assert machine.receive_data(other.receive(machine.take()), 1001.0 + number) == [Accepted()]
    assert other.taken == [f"Mensaje {number}".encode() for number in range(5)]
    assert not other.closed


@pytest.mark.spec("M-156", "M-157")
def test_without_confirm_only_the_first_is_accepted() -> None:
    text = shipped_text("mq-capture")
    assert CONFIRM in text
    machine = session(read_protocol(text.replace(CONFIRM, "], accepted = true"), "without-confirm.toml"))
    other = Receiver()
    machine.receive_data(other.receive(machine.take()), 1000.0)
    for number in range(5):
        assert machine.put(message(number), 1001.0) == [Accepted()]
        machine.receive_data(other.receive(machine.take()), 1001.0)
    assert other.taken == [b"Mensaje 0"]
    assert other.closed
    (ended,) = machine.connection_lost(1002.0)
    assert isinstance(ended, Ended)


@pytest.mark.spec("M-155", "M-137")
def test_the_stand_in_as_initiator_gets_confirm_answers() -> None:
    machine = SessionMachine(shipped("mq-capture"), "responder", random.Random(1), {"source-manager": "QM_carlitosway"})
    assert machine.connected(0.0) == []
    thesis = packets()
    assert machine.receive_data(thesis["01-initial-data-request"], 0.0) == []
    answer = machine.take()
    assert answer[:130] == thesis["02-initial-data-reply"][:130]
    for _ in range(2):
        (delivered,) = machine.receive_data(thesis["03-message-data"] + thesis["04-status-data-confirm"], 1.0)
        assert isinstance(delivered, Delivered)
        assert delivered.values.fields["message"] == b"hola"
        assert not machine.has_output, "nothing is confirmed before it is safe"
        assert machine.settled(2.0) == []
        confirm = thesis["04-status-data-confirm"]
        assert machine.take() == confirm[:10] + b"\0" + confirm[11:]


@pytest.mark.spec("M-175", "mq-wire.md 7.9")
@pytest.mark.parametrize("limits", [{}, {"batch_size": 1, "max_message_length": 10_000}])
def test_five_messages_pass_to_our_own_receiver_channel(limits: dict[str, int]) -> None:
    counters = Counters()
    machine = SessionMachine(shipped("mq-capture"), "initiator", random.Random(1), OWN, counters)
    machine.connected(1000.0)
    play = listening()
    (asked,) = play.they_send(machine.take())
    assert isinstance(asked, ChannelRequested)
    definition = ChannelParameters(channel_name="ch.myopenq.clon", queue_manager="QM_cmolina", **limits)  # type: ignore[arg-type]
    channel, _ = play.machine.accept(definition, ReceiverState(), play.now)
    assert machine.receive_data(b"".join(channel.link.wire.take()), 1000.0) == []
    play = Play(channel)
    if limits:
        (started,) = play.they_send(machine.take())
        assert isinstance(started, Started)
        assert (started.negotiated.batch_size, started.negotiated.max_message_length) == (1, 10_000)
        assert machine.receive_data(b"".join(channel.link.wire.take()), 1000.0) == []
    for number in range(5):
        machine.put(message(number), 1001.0)
        received, asked_to_confirm = play.they_send(machine.take())
        assert isinstance(received, MessageReceived)
        assert (received.sequence, received.data) == (number + 1, f"Mensaje {number}".encode())
        assert received.remote_q_name.rstrip() == b"MyLocalQ"
        assert isinstance(asked_to_confirm, ConfirmRequested)
        play.agent(channel.confirm)
        assert machine.receive_data(b"".join(channel.link.wire.take()), 1001.0) == [Accepted()]
    assert counters.numbers == {"sequence": 5}
