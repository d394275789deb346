"""The real MQSeries session of 2003, played with our machines at either end."""

from __future__ import annotations

import pytest

from mqbridge.protocol.channel import (
    ChannelParameters,
    ChannelRequested,
    ConfirmRequested,
    EndOfBatch,
    MessageReceived,
    ReceiverState,
    SenderChannel,
    SenderState,
    Started,
)
from mqbridge.protocol.constants import ByteOrder, SegmentType
from support.captures.vectors import thesis
from support.channels.playbook import Play, listening

LUWID = thesis(3)[12:20]
CONFIRM = thesis(4)[:12] + LUWID + thesis(4)[20:]


def masked(initial_data: bytes) -> bytes:
    """INITIAL_DATA without distribution lists (CapFlags2 0x01) and without the two left-over bytes."""
    changed = bytearray(initial_data)
    changed[72] &= 0xFE
    changed[130:132] = b"\0\0"
    return bytes(changed)


@pytest.mark.spec("mq-wire.md 7.9")
@pytest.mark.spec("mq-wire.md 4.3")
@pytest.mark.parametrize("ours", [{}, {"ccsid": 1208, "order": ByteOrder.BIG}], ids=["as theirs", "other code page"])
def test_our_receiver_answers_as_the_real_one_did(ours: dict[str, int]) -> None:
    play = listening()
    (asked,) = play.they_send(thesis(1))
    assert isinstance(asked, ChannelRequested)
    assert (asked.channel_name, asked.partner, asked.fap_level) == ("ch.clon.hp", "QM_cmolina", 7)
    definition = ChannelParameters(channel_name="ch.clon.hp", queue_manager="QM_carlitosway", **ours)
    machine, (started,) = play.machine.accept(definition, ReceiverState(), play.now)
    assert isinstance(started, Started)
    assert b"".join(machine.link.wire.take()) == masked(thesis(2))

    play = Play(machine)
    (message,) = play.they_send(thesis(3))
    assert isinstance(message, MessageReceived)
    assert (message.sequence, message.luwid, message.data) == (1, LUWID, b"hola")
    assert message.remote_q_name.rstrip() == b"MyHPQ"
    assert message.remote_q_mgr_name.rstrip() == b"QM_carlitosway"
    assert (message.persistent, message.fast, message.ccsid, message.order) == (False, True, 437, ByteOrder.LITTLE)
    assert message.descriptor == thesis(3)[152:476]

    assert play.they_send(CONFIRM) == [ConfirmRequested(luwid=LUWID, sequence=1, count=1)]
    play.agent(machine.confirm)
    answer = play.we_answer(SegmentType.STATUS_DATA)
    assert (answer.length, answer.flags, answer.luwid) == (28, 0x00, LUWID)


@pytest.mark.spec("mq-wire.md 7.9")
def test_our_sender_sends_what_the_real_one_did() -> None:
    definition = ChannelParameters(channel_name="ch.clon.hp", queue_manager="QM_cmolina", ccsid=437)
    machine = SenderChannel(definition, SenderState(), lambda: LUWID, 1000.0)
    assert b"".join(machine.link.wire.take()) == masked(thesis(1))

    machine.link.receive_data(thesis(2), 1000.0)
    machine.batches.send_message(thesis(3)[48:], 1000.0, persistent=False)
    assert machine.batches.queue_empty(1000.0) == [EndOfBatch(luwid=LUWID, sequence=1, count=1, persistent=0)]
    machine.batches.request_confirm(1000.0)
    assert b"".join(machine.link.wire.take()) == thesis(3) + CONFIRM


@pytest.mark.spec("mq-wire.md 7.9")
def test_the_bridge_of_the_thesis_may_state_a_wrong_message_length() -> None:
    play = listening()
    play.they_send(thesis(5))
    definition = ChannelParameters(channel_name="ch.myopenq.clon", queue_manager="QM_cmolina")
    machine, _ = play.machine.accept(definition, ReceiverState(sequence=6), play.now)
    (message,) = machine.link.receive_data(thesis(6), play.now)
    assert (message.sequence, message.data) == (7, b"Mensaje 0")
