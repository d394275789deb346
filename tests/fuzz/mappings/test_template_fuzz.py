"""Damaged descriptions, packets and streams give a protocol, values and packets, or the documented error, soon."""

from __future__ import annotations

import random
import time
from collections.abc import Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mqbridge.mappings.templates import (
    BuildError,
    Ended,
    PacketError,
    SessionMachine,
    StreamError,
    TemplateError,
    Transaction,
    read_protocol,
)
from mqbridge.mappings.templates.protocol import ROLES
from support.templates.thesis import context, packets, shipped, shipped_text

NAMES = ("mq-capture", "myopenq", "myopenq-framed")
SECONDS = 5.0
"""Of processor time for one description, packet or stream."""
WORDS = (
    "0", "-1", "99999999999", '"rest"', '"x"', "[]", "{}", "true", "1.5", '"length"', '{ field = "message" }',
    '{ after = "queue" }', '{ end = 1 }', '"unsigned"', '"text"', "[[transaction]]", "name", "=", "\n", '"00"', "nan",
)  # fmt: skip


@pytest.mark.spec("M-174")
@given(
    st.sampled_from(NAMES), st.lists(st.tuples(st.floats(0, 1), st.integers(0, 12), st.sampled_from(WORDS)), max_size=4)
)
@settings(max_examples=80, deadline=None)
def test_damaged_descriptions(name: str, damage: list[tuple[float, int, str]]) -> None:
    text = shipped_text(name)
    for place, length, word in damage:
        at = int(place * len(text))
        text = text[:at] + word + text[at + length :]
    started = time.process_time()
    try:
        protocol = read_protocol(text, "p.toml")
    except TemplateError as error:
        fault = str(error)
    else:
        fault = "p.toml"
        for packet in packets().values():
            touch_packet(protocol.transactions.values(), packet)
    assert fault.startswith("p.toml")
    assert len(fault) < 2000
    assert time.process_time() - started < SECONDS


def touch_packet(transactions: Iterable[Transaction], packet: bytes) -> None:
    for transaction in transactions:
        fault = ""
        try:
            values = transaction.parse(packet)
        except PacketError as error:
            fault = str(error)
        else:
            assert transaction.build(values, context()) == packet
            transaction.differing(values)
            try:
                transaction.build(transaction.anew(values, {}), context(values))
            except BuildError as error:
                fault = str(error)
        assert len(fault) < 1000


@given(st.sampled_from(NAMES), st.data())
@settings(max_examples=80, deadline=None)
def test_any_packets(name: str, data: st.DataObject) -> None:
    packet = bytearray(data.draw(st.sampled_from([*packets().values(), b"", bytes(600), b"\xff" * 137])))
    for _ in range(data.draw(st.integers(0, 5))):
        if packet:
            packet[data.draw(st.integers(0, len(packet) - 1))] = data.draw(st.integers(0, 255))
    del packet[data.draw(st.integers(0, len(packet))) :]
    touch_packet(shipped(name).transactions.values(), bytes(packet))


@pytest.mark.spec("M-168", "M-174")
@given(st.sampled_from(NAMES), st.lists(st.binary(max_size=300), max_size=6))
@settings(max_examples=80, deadline=None)
def test_any_streams(name: str, chunks: list[bytes]) -> None:
    protocol = shipped(name)
    for sender in ROLES:
        framer = protocol.framer(sender)
        for chunk in (b"TSH \0\0\0\x1c", *chunks):
            try:
                assert all(isinstance(packet, bytes) for packet in framer.receive(chunk))
            except StreamError:
                break
            assert framer.pending <= protocol.most + 300
    for receiver in ROLES:
        machine = SessionMachine(protocol, receiver, random.Random(1), {"channel": "C"})
        machine.connected(0.0)
        ended: list[object] = []
        for now, chunk in enumerate(chunks):
            ended += machine.receive_data(chunk, float(now))
        ended += machine.close("end")
        assert sum(isinstance(event, Ended) for event in ended) == 1


def test_a_long_stream_of_short_packets_takes_no_longer_than_its_length() -> None:
    protocol = shipped("myopenq")
    stream = protocol.write("count", {"queue": "A"}, context(), "initiator") * 20_000
    started = time.process_time()
    assert sum(1 for _ in protocol.framer("initiator").receive(stream)) == 20_000
    assert time.process_time() - started < SECONDS
