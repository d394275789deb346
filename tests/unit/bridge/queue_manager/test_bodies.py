from __future__ import annotations

from typing import Any

import pytest

from mqbridge.bridge.queue_manager import MQError, PutOptions
from mqbridge.bridge.queue_manager.queues import bodies
from mqbridge.bridge.queue_manager.queues.bodies import BodyInParts
from mqbridge.bridge.store.interface import MAX_CHUNK, ChunkMissing
from mqbridge.mappings.body import BodyPieces, in_pieces
from mqbridge.mappings.message import Message
from mqbridge.protocol.constants import MQRC
from support.queue_manager.host import Host

MIB = 1 << 20
DIRECT = PutOptions(direct=True)


def pattern(length: int) -> bytes:
    return (bytes(range(251)) * (length // 251 + 1))[:length]


@pytest.fixture
def big(host: Host) -> Host:
    host.alter_manager(MAXMSGL=100 * MIB)
    host.local("Q", MAXMSGL=100 * MIB)
    host.transmission("X", MAXMSGL=100 * MIB)
    return host


def staged(host: Host) -> int:
    return len(host.store.staged.kept)


def spilled(host: Host) -> int:
    return len(host.store.spilled.kept)


@pytest.mark.parametrize("persistent", [False, True])
@pytest.mark.parametrize("length", [0, 1, 5 * MIB, 5 * MIB + 3])
def test_a_body_written_in_pieces_reads_as_one(big: Host, persistent: bool, length: int) -> None:
    data = pattern(length)
    writer = big.queue_manager.body_writer(persistent=persistent)
    for start in range(0, length, 70_000):
        writer.write(data[start : start + 70_000])
    assert len(writer) == length
    body = writer.finish()
    assert len(body) == length
    assert b"".join(in_pieces(body)) == data
    assert isinstance(body, BodyInParts) is (length > bodies.UNIT_MEMORY)
    if isinstance(body, BodyInParts):
        assert body.read(MIB - 5, 10) == data[MIB - 5 : MIB + 5]
        assert body.read(length - 2, 10) == data[-2:]
        assert max(body.lengths) <= MAX_CHUNK


@pytest.mark.parametrize("persistent", [False, True])
def test_a_body_that_will_not_come_leaves_nothing_behind(big: Host, persistent: bool) -> None:
    writer = big.queue_manager.body_writer(persistent=persistent)
    writer.write(pattern(6 * MIB))
    assert staged(big) + spilled(big) > 0
    writer.abandon()
    assert staged(big) + spilled(big) == 0
    writer = big.queue_manager.body_writer(persistent=persistent)
    writer.write(pattern(6 * MIB))
    writer.finish().give_back()
    assert staged(big) + spilled(big) == 0


@pytest.mark.parametrize("written_as", [False, True])
@pytest.mark.parametrize("persistence", [0, 1])
def test_a_big_message_arrives_whole_whatever_it_was_taken_for(big: Host, written_as: bool, persistence: int) -> None:
    data = pattern(6 * MIB + 17)
    writer = big.queue_manager.body_writer(persistent=written_as)
    writer.write(data)
    message = Message.build(writer.finish(), persistence=persistence, priority=0, format="MQSTR")
    raw = message.raw_md
    big.send("Q", message, options=DIRECT)
    unit = big.begin()
    got = big.got("Q", unit)
    assert got.raw_md == raw
    assert len(got) == len(data)
    assert b"".join(in_pieces(got.body)) == data
    big.backout(unit)
    assert big.got("Q").data == data
    assert (staged(big), spilled(big), big.queue_manager._core.memory_used) == (0, 0, 0)


@pytest.mark.parametrize("persistence", [0, 1])
def test_a_big_message_is_wrapped_without_being_copied_into_memory(big: Host, persistence: int) -> None:
    from mqbridge.mappings.mq import unwrap

    data = pattern(5 * MIB)
    writer = big.queue_manager.body_writer(persistent=bool(persistence))
    writer.write(data)
    message = Message.build(writer.finish(), persistence=persistence, priority=0)
    target = big.queue_manager.resolve("THERE", "X")
    big.queue_manager.put(target, message, DIRECT, None, big.now)
    big.pump()
    unit = big.begin()
    inner = unwrap(big.got("X", unit)).message
    assert not isinstance(inner.body, bytes)
    assert inner.data == data


def test_a_unit_of_many_big_messages_stages_what_it_cannot_keep(big: Host) -> None:
    unit = big.begin()
    for number in range(12):
        message = Message.build(pattern(MIB + number), persistence=1, priority=0)
        big.send("Q", message, unit, options=DIRECT)
    in_memory = sum(sum(map(len, put.stored)) for put in unit.puts if isinstance(put.stored, list))
    assert in_memory <= bodies.UNIT_MEMORY + MIB
    assert staged(big) > 8
    big.commit(unit)
    assert staged(big) == 0
    assert [len(big.got("Q").data) - MIB for _ in range(12)] == list(range(12))


def test_backing_such_a_unit_out_gives_the_parts_back(big: Host) -> None:
    unit = big.begin()
    for _ in range(8):
        big.send("Q", Message.build(pattern(MIB), persistence=1, priority=0), unit, options=DIRECT)
    assert staged(big) > 0
    big.backout(unit)
    assert staged(big) == 0


def test_small_messages_of_a_long_unit_are_not_staged(big: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mqbridge.bridge.queue_manager.putting.placing.UNIT_MEMORY", 100)
    unit = big.begin()
    for _ in range(5):
        big.put("Q", pattern(2_048), unit, persistence=1)
    assert staged(big) == 0


@pytest.mark.spec("mqi.md 4.2 row 5")
def test_a_store_without_room_for_parts_refuses_the_put(big: Host) -> None:
    big.store.fail_parts = True
    unit = big.begin()
    for persistence in (0, 1):
        message = Message.build(BodyPieces([pattern(6 * MIB)]), persistence=persistence)
        if not persistence:
            big.queue_manager._core.memory_used = bodies.NONPERSISTENT_MEMORY
        with pytest.raises(MQError) as caught:
            big.send("Q", message, unit)
        assert caught.value.reason == MQRC.Q_SPACE_NOT_AVAILABLE
    assert (unit.count, big.depth("Q"), staged(big), spilled(big)) == (0, 0, 0, 0)


def put_many(host: Host, count: int, length: int, **fields: Any) -> list[bytes]:
    data = [pattern(length + number) for number in range(count)]
    for each in data:
        host.put("Q", each, persistence=0, **fields)
    return data


@pytest.mark.parametrize("length", [100, 2_000, MIB + 5])
@pytest.mark.interpreted("sets a constant")
def test_light_messages_are_spilled_once_memory_is_used_up(
    big: Host, monkeypatch: pytest.MonkeyPatch, length: int
) -> None:
    monkeypatch.setattr("mqbridge.bridge.queue_manager.putting.placing.NONPERSISTENT_MEMORY", 3 * length)
    data = put_many(big, 8, length)
    small = length < bodies.SPILL_MINIMUM
    assert (spilled(big) == 0) is small
    if not small:
        assert big.queue_manager._core.memory_used < 6 * length + 8 * 400
    unit = big.begin()
    assert [big.got("Q", unit).data for _ in range(4)] == data[:4]
    big.backout(unit)
    assert big.contents("Q") == data
    assert [big.got("Q").data for _ in range(8)] == data
    assert (spilled(big), big.queue_manager._core.memory_used) == (0, 0)


@pytest.mark.interpreted("sets a constant")
def test_light_messages_of_a_deleted_queue_leave_nothing_behind(big: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    from mqbridge.bridge.queue_manager.objects import Kind

    monkeypatch.setattr("mqbridge.bridge.queue_manager.putting.placing.NONPERSISTENT_MEMORY", 5_000)
    put_many(big, 8, 2_000)
    big.queue_manager.clear_queue("Q", big.now)
    assert (spilled(big), big.queue_manager._core.memory_used) == (0, 0)
    put_many(big, 8, 2_000)
    big.delete(Kind.QLOCAL, "Q")
    assert (spilled(big), big.queue_manager._core.memory_used) == (0, 0)


def test_a_lazy_body_is_gone_when_its_unit_has_ended(big: Host) -> None:
    big.put("Q", pattern(2 * MIB), persistence=1)
    unit = big.begin()
    got = big.got("Q", unit)
    assert not isinstance(got.body, bytes)
    big.commit(unit)
    with pytest.raises(Exception, match="no message") as caught:
        _ = got.data
    assert not isinstance(caught.value, ChunkMissing)
