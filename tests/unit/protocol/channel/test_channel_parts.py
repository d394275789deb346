"""The small parts of the channel machines."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqbridge.protocol.channel import (
    NO_LUWID,
    ChannelParameters,
    InDoubt,
    LuwidSource,
    ReceiverState,
    SenderState,
    meaning_of,
)
from mqbridge.protocol.channel.sender_recovery import InDoubtOutcome, settle
from mqbridge.protocol.channel.sequence import next_number
from mqbridge.protocol.constants import ByteOrder, StatusCode
from support.channels.playbook import calling, initial_data, parameters, requester


@given(st.integers(0, 1 << 33), st.integers(0, 1 << 17))
def test_luwids_are_never_zero_and_begin_with_the_time(start: int, salt: int) -> None:
    luwid = LuwidSource(start, salt)()
    assert len(luwid) == 8
    assert luwid != NO_LUWID
    if 0 < start < 1 << 32:
        assert luwid[:4] == start.to_bytes(4, "little")


def test_luwids_are_unique_in_a_run_and_over_restarts() -> None:
    source = LuwidSource(1_000_000, 1)
    seen = {source() for _ in range(70_000)}  # more than one second holds
    assert len(seen) == 70_000
    assert LuwidSource(1_000_000, 2)() not in seen
    assert LuwidSource(1_000_002, 1)() not in seen


def test_luwids_after_the_end_of_time() -> None:
    source = LuwidSource(0xFFFFFFFF)
    luwids = {source() for _ in range(70_000)}
    assert len(luwids) == 70_000
    assert NO_LUWID not in luwids


@pytest.mark.spec("channels.md 5.3 rule 1")
@pytest.mark.parametrize(("last", "following"), [(0, 1), (1, 2), (99, 100), (100, 1), (101, 1), (-1, 1)])
def test_numbers_follow_each_other(last: int, following: int) -> None:
    assert next_number(last, 100) == following


def test_nothing_in_doubt_needs_no_decision() -> None:
    assert settle(SenderState(sequence=5), NO_LUWID, 9, 100) is InDoubtOutcome.COMMIT


@pytest.mark.spec("channels.md 5.2")
def test_the_life_of_a_sender_state() -> None:
    state = SenderState(luwid=b"1" * 8, sequence=6)
    asking = state.asking(b"2" * 8, 8, 2)
    assert asking.in_doubt == InDoubt(luwid=b"2" * 8, sequence=8, count=2)
    assert (asking.luwid, asking.sequence) == (b"1" * 8, 6)
    assert asking.settled(commit=False) == state
    assert asking.settled(commit=True) == SenderState(luwid=b"2" * 8, sequence=8)
    reset = state.reset_to(1)
    assert (reset.sequence, reset.reset, reset.luwid) == (0, True, b"1" * 8)
    assert reset.reset_done() == SenderState(luwid=b"1" * 8, sequence=0)
    assert ReceiverState(luwid=b"1" * 8, sequence=6).reset_to(3) == ReceiverState(luwid=b"1" * 8, sequence=2)


@pytest.mark.spec("mq-wire.md 1.5")
def test_the_encoding_says_the_byte_order() -> None:
    assert parameters(order=ByteOrder.BIG).encoding == 0x111
    assert parameters(order=ByteOrder.LITTLE).encoding == 0x222


def test_the_partner_is_known_when_it_has_spoken() -> None:
    for play, capabilities in ((calling(parameters()), 0x07), (requester(), 0x07)):
        assert play.machine.negotiation.partner == ""
        assert play.machine.negotiated is None
        play.they_send(initial_data(flags=0, cap_flags1=capabilities))
        assert play.machine.negotiation.partner == "VENUS"
        assert play.machine.negotiated is not None


@pytest.mark.spec("mq-wire.md 5.14")
@pytest.mark.parametrize("code", list(StatusCode), ids=str)
def test_every_status_code_means_something(code: StatusCode) -> None:
    meaning = meaning_of(code)
    assert meaning.reason
    assert meaning.amq.startswith("AMQ9")
    assert meaning_of(StatusCode(0x77)).reason == "the partner reported 0x77"


def test_defaults_are_those_of_the_supplied_objects() -> None:
    """channels.md 3: what SYSTEM.DEF.SENDER has."""
    defaults = ChannelParameters(channel_name="X", queue_manager="Y")
    assert (defaults.batch_size, defaults.batch_interval, defaults.batch_limit) == (50, 0, 5000)
    assert (defaults.heartbeat_interval, defaults.disconnect_interval, defaults.batch_heartbeat) == (300, 6000, 0)
    assert (defaults.sequence_wrap, defaults.max_message_length, defaults.fast) == (999_999_999, 4_194_304, True)
    assert parameters(max_message_length=0).message_limit == 104_857_600
