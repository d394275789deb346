"""The table of negotiated numbers, and what else machines, observer and rules share."""

from __future__ import annotations

import pytest

from mqbridge.protocol.channel.agreement import NEGOTIATED_NUMBERS, can_share
from mqbridge.protocol.channel.parameters import ChannelParameters
from mqbridge.protocol.channel.proposal import own_proposal
from mqbridge.protocol.channel.sequence import number_after
from mqbridge.protocol.observer.channel import ChannelValues
from mqbridge.protocol.structures import ID

NUMBERS = {number.value: number for number in NEGOTIATED_NUMBERS}


@pytest.mark.spec("mq-wire.md 7.2")
@pytest.mark.parametrize(
    ("value", "one", "other", "agreed"),
    [
        ("fap_level", 13, 7, 7),
        ("transmission_size", 32766, 65535, 32766),
        ("batch_size", 50, 20, 20),
        ("batch_size", 0, 20, 20),
        ("message_length", 4194304, 0, 4194304),
        ("heartbeat_interval", 60, 300, 300),
        ("heartbeat_interval", 60, 0, 0),
        ("sequence_wrap", 999_999_999, 999_999, 999_999),
    ],
)
def test_what_two_numbers_come_to(value: str, one: int, other: int, agreed: int) -> None:
    assert NUMBERS[value].agree(one, other) == agreed


def test_numbers_are_named_as_proposals_fields_and_observers_name_them() -> None:
    proposal = own_proposal(ChannelParameters(channel_name="C", queue_manager="Q"), caller=True, requester=False)
    names = {slot.field.key: slot.field.name for slot in ID.slots}
    for number in NEGOTIATED_NUMBERS:
        assert isinstance(getattr(proposal, number.value), int)
        assert hasattr(ChannelValues, number.value)
        assert names[number.field] == number.name
    assert len({number.changed for number in NEGOTIATED_NUMBERS}) == len(NEGOTIATED_NUMBERS)


@pytest.mark.spec("channels.md 5.3")
@pytest.mark.parametrize("wrap", [100, 999_999_999])
def test_numbers_go_back_as_they_went_on(wrap: int) -> None:
    for start in (1, 2, 99, wrap):
        for count in (1, 5, 98):
            assert number_after(number_after(start, count, wrap), -count, wrap) == start
    assert number_after(wrap, 1, wrap) == 1


@pytest.mark.spec("client-observed.md O-001")
def test_who_can_share() -> None:
    assert [can_share(*values) for values in ((10, 9), (10, 8), (0, 17))] == [True, False, False]
