"""Packets of MyOpenQ: the readers equal the grammar, whatever the cut; what is written is read again."""

from __future__ import annotations

import itertools
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqbridge.protocol.myopenq import (
    Answer,
    AnswerReader,
    BareRequest,
    Browse,
    Command,
    Create,
    Get,
    MoqError,
    NamedRequest,
    PacketReader,
    Put,
    QueueType,
    Request,
    build_packet,
    read_request,
    write_request,
)
from mqbridge.protocol.myopenq.grammars import packet as grammar

NAMES = st.builds(
    str.__add__,
    st.sampled_from(string.ascii_letters + string.digits + "_"),
    st.text(string.ascii_letters + string.digits + "._", max_size=31),
)
NUMBERS = st.integers(1, 99_999)


def creates(framed: bool) -> st.SearchStrategy[Create]:
    behind = (st.integers(0, 10**10 - 1), st.just("") | NAMES) if framed else (st.just(0), st.just(""))
    local = st.builds(Create, NAMES, NUMBERS, NUMBERS, st.just(QueueType.LOCAL), st.just(""), st.just(0), *behind)
    addresses = st.ip_addresses(v=4).map(str)
    remote = st.builds(
        Create, NAMES, NUMBERS, NUMBERS, st.just(QueueType.REMOTE), addresses, st.integers(1, 65_535), *behind
    )
    return local | remote


def requests(framed: bool) -> st.SearchStrategy[Request]:
    named = st.sampled_from([Command.DELETE, Command.DISPLAY, Command.COUNT, Command.PURGE])
    return st.one_of(
        creates(framed),
        st.builds(Put, NAMES, st.binary(max_size=300)),
        st.builds(Get, NAMES, st.integers(0, 99_999) if framed else st.just(0)),
        st.builds(Browse, NAMES, st.integers(0, 99_999)),
        st.builds(NamedRequest, named, NAMES),
        st.just(BareRequest(Command.SHUTDOWN)),
    )


MODES_AND_REQUESTS = st.booleans().flatmap(
    lambda framed: st.tuples(st.just(framed), st.lists(requests(framed), min_size=1, max_size=5))
)


def cut(data: bytes, places: list[int]) -> list[bytes]:
    edges = sorted({0, len(data), *(place % (len(data) + 1) for place in places)})
    return [data[begin:end] for begin, end in itertools.pairwise(edges)]


@pytest.mark.spec("M-019")
@given(MODES_AND_REQUESTS, st.lists(st.integers(0, 10_000), max_size=8), st.integers(0, 10**10 - 1))
def test_requests_come_through_any_cut(case: tuple[bool, list[Request]], places: list[int], stamp: int) -> None:
    framed, asked = case
    data = b"".join(build_packet(*write_request(each, framed), stamp) for each in asked)
    reader = PacketReader(framed)
    found = []
    for piece in cut(data, places):
        reader.receive(piece)
        found += list(reader.packets())
    assert [read_request(each, framed) for each in found] == asked
    assert not reader.pending


@given(MODES_AND_REQUESTS)
def test_the_reader_and_the_grammar_find_the_same_end(case: tuple[bool, list[Request]]) -> None:
    framed, (request, *_) = case
    data = build_packet(*write_request(request, framed), 7)
    parsed = grammar(framed).parse(data)
    reader = PacketReader(framed)
    reader.receive(data)
    (packet,) = reader.packets()
    assert parsed.fixed.digest.decode() == packet.digest
    assert parsed.fixed.command.rstrip().decode() == packet.command.value
    assert int(parsed.fixed.stamp) == packet.stamp
    if isinstance(request, Put):
        assert parsed.variable.text == request.text
    assert grammar(framed).build(parsed) == data


@given(st.booleans(), st.binary(max_size=200), st.integers(0, 200), st.sampled_from([each.value for each in Command]))
def test_any_bytes_are_packets_or_an_error(framed: bool, noise: bytes, at: int, command: str) -> None:
    """Whatever comes, the reader gives packets or one `MoqError`, and holds no more than came."""
    data = bytearray(b" " * 32 + b"0000000001" + command.encode().ljust(10) + b"A".ljust(32) + b"00003")
    data[at : at + len(noise)] = noise
    reader = PacketReader(framed)
    reader.receive(bytes(data))
    try:
        for packet in reader.packets():
            try:
                read_request(packet, framed)
            except MoqError:
                continue
    except MoqError:
        pass
    assert reader.pending <= len(data)


@given(
    st.lists(st.tuples(st.sampled_from([0, 1007, 4001, 9001]), st.binary(max_size=100)), max_size=5),
    st.lists(st.integers(0, 1000), max_size=5),
)
def test_framed_answers_come_through_any_cut(answers: list[tuple[int, bytes]], places: list[int]) -> None:
    sent = [Answer(*each) for each in answers]
    reader = AnswerReader(framed=True)
    found = []
    for piece in cut(b"".join(each.framed() for each in sent), places):
        reader.receive(piece)
        while (answer := reader.next_answer()) is not None:
            found.append(answer)
    assert found == sent
