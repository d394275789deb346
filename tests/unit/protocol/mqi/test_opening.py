"""How a client's connection begins: negotiation, and who the client is."""

from __future__ import annotations

from typing import Any

import pytest

from mqbridge.protocol import inferred
from mqbridge.protocol.channel.proposal import Proposal, read_proposal
from mqbridge.protocol.channel.states import State
from mqbridge.protocol.channel.status import ChannelError
from mqbridge.protocol.constants import ByteOrder, SegmentType
from mqbridge.protocol.framing import SegmentReader
from mqbridge.protocol.mqi import Passwords, Started, UserIdentified
from mqbridge.protocol.mqi.negotiation import answer, own_proposal
from mqbridge.protocol.mqi.opening import Identification, ServerOpening
from mqbridge.protocol.structures import UID
from support.clients.mqi_parts import WRITER, Alone, agreed, shared, single
from support.clients.playbook import initial_data, parameters


def proposal(**changes: Any) -> Proposal:
    (segment,) = SegmentReader().feed(initial_data(**changes))
    return read_proposal(segment)


def opening(**changes: Any) -> tuple[Alone, ServerOpening]:
    alone = Alone()
    return alone, ServerOpening(alone.link, alone.conversations, parameters(**changes), WRITER)


@pytest.mark.parametrize(("conversations", "ids"), [(10, [inferred.FIRST_CONVERSATION]), (0, [0])])
def test_equal_values_are_agreed_at_once(conversations: int, ids: list[int]) -> None:
    alone, part = opening(shared_conversations=conversations)
    part.negotiate(proposal(conv_per_socket=conversations), None)
    (event,) = alone.link.drain()
    assert isinstance(event, Started)
    assert (alone.link.state, alone.link.shared) == (State.RUNNING, conversations > 0)
    assert list(alone.conversations.by_id) == ids
    assert alone.conversations.agreed == event.agreed
    assert alone.link.wire.reader.max_segment >= event.agreed.transmission_size


def test_a_difference_is_told_as_an_error_and_repeated_by_the_client() -> None:
    alone, part = opening(heartbeat_interval=500)
    part.negotiate(proposal(), None)
    (answer,) = alone.sent()
    assert answer.flags1 == int(inferred.NEGOTIATION_ERROR_FLAGS)
    assert alone.link.drain() == []
    (again,) = SegmentReader().feed(initial_data(heartbeat_interval=500, conversation=1))
    part.initial_data(again, 1000.0)
    assert [type(event) for event in alone.link.drain()] == [Started]


@pytest.mark.spec("client-observed.md O-022")
@pytest.mark.parametrize(("level", "algorithms"), [(12, ()), (13, (1, 0))])
def test_an_algorithm_for_passwords_is_agreed_on_from_level_13_on(level: int, algorithms: tuple[int, ...]) -> None:
    told, _ = answer(own_proposal(parameters(fap_level=level)), proposal())
    assert (told.fap_level, told.password_algorithms) == (level, algorithms)


def test_negotiation_has_an_end() -> None:
    alone, part = opening(heartbeat_interval=500)
    for _ in range(inferred.MAX_NEGOTIATION_ROUNDS - 1):
        part.negotiate(proposal(), None)
    with pytest.raises(ChannelError, match="no agreement"):
        part.negotiate(proposal(), None)
    assert len(alone.sent()) == inferred.MAX_NEGOTIATION_ROUNDS


def test_the_user_is_told_without_an_answer() -> None:
    alone = Alone(agreed())
    alone.conversations.start(1)
    part = Identification(alone.link, alone.conversations, Passwords.CLEAR)
    uid = UID.codec(ByteOrder.LITTLE)(user_id=b"APP".ljust(12), long_user_id=b"app".ljust(64)).build()
    part.user_id(shared(SegmentType.USERID_DATA, uid), 1000.0)
    (event,) = alone.link.drain()
    assert isinstance(event, UserIdentified)
    assert (event.conversation, event.user, alone.sent()) == (1, "app", [])


def test_security_exits_are_refused() -> None:
    alone = Alone(agreed())
    part = Identification(alone.link, alone.conversations, Passwords.CLEAR)
    with pytest.raises(ChannelError, match="security exit"):
        part.security_data(single(SegmentType.SECURITY_DATA), 1000.0)
