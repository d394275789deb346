"""Every packet of the thesis is recognised by the shipped template and builds back to its bytes."""

from __future__ import annotations

import pytest

from mqbridge.mappings.templates.protocol import ROLES
from support.templates.thesis import context, packets, shipped

PACKETS = packets()
KINDS = {"01": "start", "02": "start", "03": "message", "04": "confirm", "05": "start", "06": "message"}


@pytest.mark.spec("M-122", "M-137", "M-171", "M-173", "M-178")
@pytest.mark.parametrize("name", PACKETS)
def test_packets_are_recognised_and_build_back(name: str) -> None:
    protocol = shipped("mq-capture")
    for sender in ROLES:
        found = protocol.read(PACKETS[name], sender)
        assert found is not None
        assert found.transaction.name == KINDS[name[:2]]
        assert found.transaction.differing(found.values) == ()
        assert found.transaction.build(found.values, context()) == PACKETS[name]


@pytest.mark.spec("M-128", "M-129", "M-130", "M-131", "M-132", "M-133", "M-134", "M-135", "M-136", "M-138")
def test_a_start_is_read() -> None:
    found = shipped("mq-capture").read(PACKETS["01-initial-data-request"], "initiator")
    assert found is not None
    assert dict(found.values.fields) == {
        "flags": 1, "level": 7, "batch": 50, "most-sent": 32766, "most-message": 4194304, "wrap": 999999999,
        "channel": "ch.clon.hp", "manager": "QM_cmolina", "heartbeat": 300,
    }  # fmt: skip


@pytest.mark.spec("M-140", "M-142", "M-144", "M-145", "M-146", "M-147", "M-148", "M-149", "M-150", "M-153", "M-154")
def test_a_message_is_read() -> None:
    found = shipped("mq-capture").read(PACKETS["06-bridge-message-data"], "initiator")
    assert found is not None
    fields = found.values.fields
    assert (fields["queue"], fields["target"], fields["origin"]) == ("MyLocalQ", "QM_cmolina", "MyOpenQ")
    assert (fields["sequence"], fields["data-length"], fields["message"]) == (7, 9, b"Mensaje 0")
    assert fields["rest-length"] == 438, "K-17: the dump says one byte too many"
    assert fields["put-time"] == 1064687101.07
    assert fields["message-id"] == b"AMQ QM_cmolina  \xad\xb4u? \0\x15\r"


@pytest.mark.spec("M-176", "M-151", "M-152")
def test_the_template_names_nobody() -> None:
    head = shipped("mq-capture").transactions["message"].layout.head
    still = b"".join(piece.bytes for piece in head)
    for name in (b"Web", b"amqsput", b"cmolina", b"carlos", b"HPQ", bytes.fromhex("16 01 05 15")):
        assert name not in still


@pytest.mark.spec("M-139", "M-141", "M-143", "M-124", "M-177")
@pytest.mark.parametrize("length", [1, 9, 255, 256, 4000])
def test_a_message_of_any_length_is_built(length: int) -> None:
    protocol = shipped("mq-capture")
    one = context()
    values = {"queue": "ORDERS", "target-manager": "QM2", "source-manager": "GATE", "message": b"x" * length}
    first, second = (protocol.write("message", values, one, "initiator") for _ in range(2))
    for number, packet in enumerate((first, second), 1):
        assert len(packet) == 476 + length
        assert int.from_bytes(packet[4:8], "big") == 476 + length
        assert int.from_bytes(packet[36:40], "little") == length
        assert int.from_bytes(packet[44:48], "little") == 428 + length
        assert int.from_bytes(packet[32:36], "little") == number
        assert packet[56:104] == b"ORDERS".ljust(48)
        assert packet[104:152] == b"QM2".ljust(48)
        assert packet[300:348] == b"GATE".ljust(48)
        assert packet[456:472] == b"2023111422132000"
        assert packet[476:] == b"x" * length
        model = PACKETS["03-message-data"]
        still = [*range(4), 8, 9, 10, 11, *range(20, 32), *range(48, 56), *range(152, 200), *range(392, 428)]
        assert all(packet[at] == model[at] for at in still)
    assert first[200:224] != second[200:224]
