"""Laws of templates: what is read builds back, the compiled codec reads what a slow reader reads, any cuts of a stream
give the same packets."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mqbridge.mappings.templates import PacketError, Protocol, StreamError, read_protocol
from mqbridge.mappings.templates.values import Values
from support.templates import reference
from support.templates.strategies import descriptions
from support.templates.thesis import context, packets, shipped


def same(one: object, other: object) -> bool:
    """Whether values are the same; a float that is no number is the same as another."""
    return one == other or (one != one and other != other)


def read_or_fault(protocol: Protocol, packet: bytes) -> Values | tuple[str, int]:
    try:
        return protocol.transactions["a"].parse(packet)
    except PacketError as error:
        return error.field, error.offset


@pytest.mark.spec("M-171", "M-162", "M-163")
@given(descriptions(), st.binary(max_size=120))
@settings(max_examples=100, deadline=None)
def test_what_is_read_builds_back_and_is_what_a_slow_reader_reads(text: str, packet: bytes) -> None:
    protocol = read_protocol(text, "p.toml")
    transaction = protocol.transactions["a"]
    found = read_or_fault(protocol, packet)
    try:
        slow = reference.read(transaction, packet)
    except PacketError:
        assert isinstance(found, tuple)
        return
    assert isinstance(found, Values), found
    assert found.fields.keys() == slow.keys()
    assert all(same(found.fields[name], value) for name, value in slow.items())
    assert transaction.build(found, context()) == packet
    places = transaction.places(packet)
    assert sum(end - start for start, end in places.values()) == len(packet)


@pytest.mark.spec("M-171")
@given(descriptions(), st.data())
@settings(max_examples=60, deadline=None)
def test_packets_of_the_right_length_are_always_read(text: str, data: st.DataObject) -> None:
    protocol = read_protocol(text, "p.toml")
    transaction = protocol.transactions["a"]
    if transaction.layout.middle:
        size = transaction.layout.head_size + transaction.layout.tail_size + data.draw(st.integers(0, 40))
    else:
        size = transaction.layout.head_size
    packet = data.draw(st.binary(min_size=size, max_size=size))
    try:
        found = transaction.parse(packet)
    except PacketError:
        assert "data" in transaction.fields
        return
    assert transaction.build(found, context()) == packet
    again = transaction.anew(found, {})
    if "count" not in transaction.fields:
        packet = transaction.build(again, context())
        assert packet[1:5] == len(packet).to_bytes(4, "big")


FRAMINGS = {
    "length": 'kind = "length"\nposition = 2\nwidth = 2\norder = "little"\ncounts = "rest"',
    "digits": 'kind = "length"\nposition = 1\nwidth = 3\nencoding = "digits"\ncounts = { from = 4 }',
    "base128": 'kind = "length"\nposition = 1\nencoding = "base128"\ncounts = "rest"',
    "mark": 'kind = "mark"\nvalue = "aa bb"\nposition = 2\nwidth = 1\ncounts = "rest"',
    "delimiter": 'kind = "delimiter"\nvalue = "0d 0a 0d"',
    "kept": 'kind = "delimiter"\nvalue = "ff"\nkeep = true',
    "fixed": 'kind = "fixed"\nlength = 7',
    "close": 'kind = "close"',
}


def stream_of(kind: str, bodies: list[bytes]) -> tuple[bytes, list[bytes]]:
    """A stream of packets made by hand, and these packets."""
    made = []
    for body in bodies:
        body = body[:100]
        clean = body.replace(b"\r", b"").replace(b"\xff", b"")
        made.append(
            {
                "length": b"xx" + len(body).to_bytes(2, "little") + body,
                "digits": b"x%03d" % len(body) + body,
                "base128": b"x" + bytes([len(body)]) + body,
                "mark": b"\xaa\xbb" + bytes([len(body)]) + body,
                "delimiter": clean,
                "kept": clean + b"\xff",
                "fixed": body[:7].ljust(7, b"\0"),
                "close": body,
            }[kind]
        )
    if kind == "close":
        whole = b"".join(made)
        return whole, [whole] if whole else []
    return b"".join(packet + (b"\r\n\r" if kind == "delimiter" else b"") for packet in made), made


@pytest.mark.spec("M-168")
@pytest.mark.parametrize("kind", FRAMINGS)
@given(st.lists(st.binary(max_size=30), max_size=6), st.lists(st.integers(0, 200), max_size=8))
@settings(max_examples=25, deadline=None)
def test_any_cuts_of_a_stream_give_the_same_packets(kind: str, bodies: list[bytes], cuts: list[int]) -> None:
    text = f'[protocol]\nname = "p"\nmost = 1000\n[framing]\n{FRAMINGS[kind]}\n'
    text += '[[transaction]]\nname = "a"\nfield = [{ name = "all", length = "rest" }]\n'
    protocol = read_protocol(text, "p.toml")
    stream, expected = stream_of(kind, bodies)
    framer = protocol.framer("initiator")
    found = []
    places = sorted({min(cut, len(stream)) for cut in cuts} | {0, len(stream)})
    for start, end in itertools.pairwise(places):
        found += list(framer.receive(stream[start:end]))
    found += list(framer.finish())
    assert found == expected
    if kind != "close":
        assert b"".join(protocol.write("a", {"all": each}, context(), "initiator") for each in expected) == stream


@pytest.mark.spec("M-019", "M-168")
@given(st.lists(st.sampled_from(sorted(packets())), max_size=5), st.lists(st.integers(0, 2500), max_size=8))
@settings(max_examples=25, deadline=None)
def test_any_cuts_of_the_packets_of_the_thesis(names: list[str], cuts: list[int]) -> None:
    expected = [packets()[name] for name in names]
    stream = b"".join(expected)
    framer = shipped("mq-capture").framer("responder")
    found = []
    places = sorted({min(cut, len(stream)) for cut in cuts} | {0, len(stream)})
    for start, end in itertools.pairwise(places):
        found += list(framer.receive(stream[start:end]))
    assert found == expected
    assert framer.pending == 0


@pytest.mark.spec("M-019")
@given(st.lists(st.binary(max_size=40), max_size=5), st.lists(st.integers(0, 700), max_size=8))
@settings(max_examples=25, deadline=None)
def test_any_cuts_of_puts_whose_length_follows_from_the_transaction(texts: list[bytes], cuts: list[int]) -> None:
    protocol = shipped("myopenq")
    expected = [protocol.write("put", {"queue": "A", "message": each}, context(), "initiator") for each in texts]
    stream = b"".join(expected)
    framer = protocol.framer("initiator")
    found = []
    places = sorted({min(cut, len(stream)) for cut in cuts} | {0, len(stream)})
    for start, end in itertools.pairwise(places):
        found += list(framer.receive(stream[start:end]))
    assert found == expected


def test_a_stream_that_ends_inside_a_packet_is_told() -> None:
    framer = shipped("mq-capture").framer("initiator")
    assert list(framer.receive(packets()["03-message-data"][:100])) == []
    with pytest.raises(StreamError, match="100 bytes into a packet"):
        list(framer.finish())
