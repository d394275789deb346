"""Sender and receiver back to back: random cuts, random kills, exactly once."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mqbridge.protocol.channel import ConfirmRequested, ReceiverState, Responder, SenderChannel, SenderState
from mqbridge.protocol.framing import SegmentReader
from support.channels.pair import Pair, ReceivingSide, SendingSide
from support.channels.playbook import L1, THEY, end_of_batch, initial_data, message, more_of_it, parameters

DEFINITIONS = st.fixed_dictionaries(
    {
        "batch_size": st.sampled_from([1, 2, 3, 50]),
        "sequence_wrap": st.sampled_from([100, 999_999_999]),
        "fast": st.booleans(),
        "batch_limit": st.sampled_from([0, 1, 5000]),
        "transmission_size": st.sampled_from([1024, 2000, 32766]),
    }
)
MESSAGES = st.lists(st.tuples(st.sampled_from([4, 50, 548, 549, 3000]), st.booleans()), min_size=1, max_size=40)


def play(seed: int, ours: dict[str, Any], theirs: dict[str, Any], messages: Any, faults: int, start: int = 0) -> Pair:
    numbered = [(number, length, persistent) for number, (length, persistent) in enumerate(messages, 1)]
    sending = SendingSide(parameters(queue_manager="VENUS", **ours), numbered)
    receiving = ReceivingSide(parameters(**{**theirs, "sequence_wrap": ours["sequence_wrap"]}))
    sending.saved = SenderState(luwid=L1, sequence=start)
    receiving.saved = ReceiverState(luwid=L1, sequence=start)
    pair = Pair(seed, sending, receiving)
    pair.run(faults=faults)
    return pair


def check(pair: Pair, messages: list[tuple[int, bool]], *, lost: bool) -> None:
    arrived = pair.receiving.arrived
    persistent = [number for number, (_, kept) in enumerate(messages, 1) if kept]
    assert [number for number in arrived if number in set(persistent)] == persistent  # once each, in order
    fast = [number for number in arrived if number not in set(persistent)]
    assert len(fast) == len(set(fast))
    if not lost:
        assert set(arrived) == set(range(1, len(messages) + 1))
    assert not pair.sending.queue
    assert pair.sending.saved.in_doubt is None
    assert (pair.sending.saved.luwid, pair.sending.saved.sequence) == (
        pair.receiving.saved.luwid,
        pair.receiving.saved.sequence,
    )


@pytest.mark.spec("channels.md 20.5")
@settings(max_examples=150)
@given(
    st.integers(0, 1 << 32),
    DEFINITIONS,
    DEFINITIONS,
    MESSAGES,
    st.integers(0, 12),
    st.sampled_from([0, 6, 95]),
)
def test_every_message_arrives_once_whatever_is_cut_or_killed(
    seed: int, ours: dict[str, Any], theirs: dict[str, Any], messages: Any, faults: int, start: int
) -> None:
    pair = play(seed, ours, theirs, messages, faults, start)
    check(pair, messages, lost=faults > 0)
    for closed in pair.sending.ended:
        assert closed.amq == "AMQ9209"  # no end but the lost links, and none that needs a hand


def test_kills_do_lead_to_batches_in_doubt() -> None:
    """The adversary reaches both outcomes of a resynchronisation; else the test above would prove little."""
    outcomes: set[bool] = set()
    plain = {"sequence_wrap": 100, "batch_size": 2, "fast": True}
    for seed in range(40):
        pair = play(seed, plain, plain, [(50, seed % 2 == 0)] * 20, faults=10)
        outcomes.update(pair.sending.resolved)
    assert outcomes == {True, False}


def test_a_reset_survives_kills() -> None:
    plain = {"sequence_wrap": 1000, "batch_size": 5, "fast": True}
    for seed in range(20):
        sending = SendingSide(parameters(**plain), [(number, 10, True) for number in range(1, 30)])
        sending.saved = SenderState(luwid=L1, sequence=500).reset_to(20)
        receiving = ReceivingSide(parameters(**plain))
        receiving.saved = ReceiverState(luwid=L1, sequence=7)
        pair = Pair(seed, sending, receiving)
        pair.run(faults=8)
        check(pair, [(10, True)] * 29, lost=False)
        assert pair.receiving.saved.sequence == 48


SESSION = (
    message(1),
    message(2, b"", persistence=0),
    message(3, b"abc", length=8, flags=0x10),
    more_of_it(b"defgh", flags=0x20),
    end_of_batch(),
    THEY.build(0x09, flags1=1),
    message(4),
)


def told(chunks: list[bytes]) -> list[Any]:
    responder = Responder(0.0)
    (asked,) = responder.link.receive_data(initial_data(), 0.0)
    machine, events = responder.accept(parameters(), ReceiverState(), 0.0)
    events = [asked, *events]
    for chunk in chunks:
        new = machine.link.receive_data(chunk, 0.0)
        if new and isinstance(new[-1], ConfirmRequested):
            machine.confirm(0.0)
        events += new
    return events


@pytest.mark.spec("mq-wire.md 1.1")
def test_a_byte_at_a_time_tells_the_same() -> None:
    whole = told([b"".join(SESSION[:5]), b"".join(SESSION[5:])])
    assert told([bytes([byte]) for byte in b"".join(SESSION)]) == whole


@given(st.data())
def test_where_the_stream_is_cut_does_not_matter(data: st.DataObject) -> None:
    whole = told([b"".join(SESSION[:5]), b"".join(SESSION[5:])])
    chunks = []
    for part in (b"".join(SESSION[:5]), b"".join(SESSION[5:])):
        cuts = sorted(data.draw(st.lists(st.integers(0, len(part)), max_size=8)))
        chunks += [part[begin:end] for begin, end in zip([0, *cuts], [*cuts, len(part)], strict=True)]
    assert told(chunks) == whole


@given(st.integers(1, 5000))
def test_how_much_is_taken_at_once_does_not_matter(limit: int) -> None:
    machine = SenderChannel(parameters(transmission_size=1024), SenderState(), lambda: L1, 0.0)
    machine.link.receive_data(initial_data(flags=0, max_transmission_size=1024), 0.0)
    for length in (10, 3000, 0, 548):
        machine.batches.send_message(b"x" * (428 + length), 0.0, persistent=True)
    waiting = machine.link.wire.unsent
    out = bytearray()
    while pieces := machine.link.wire.take(limit):
        out += b"".join(pieces)
    assert machine.link.wire.unsent == 0
    assert waiting <= len(out)
    segments = list(SegmentReader(1 << 20).feed(bytes(out)))
    assert [one.flags1 for one in segments] == [1, 0x30, 0x10, 0, 0, 0x20, 0x30, 0x30]
