"""SC-37: a template bridge, as far as its templates go: MyOpenQ and the packets of the thesis as configurations."""

from __future__ import annotations

import random

import pytest

from mqbridge.mappings.templates import (
    Accepted,
    BuildError,
    Ended,
    Refused,
    SessionMachine,
    TemplateError,
    Unknown,
    read_protocol,
)
from mqbridge.protocol.myopenq import (
    SUCCESS,
    Answer,
    BareRequest,
    Browse,
    Code,
    Command,
    Create,
    Get,
    MoqError,
    NamedRequest,
    Put,
    QueueType,
    Request,
    build_packet,
    write_request,
)
from support.templates.thesis import NOW, context, packets, shipped, shipped_text

pytestmark = pytest.mark.spec("SC-37")
SIZES = (1, 9, 255, 256, 4000)
REQUESTS: dict[str, tuple[Request, dict[str, str | int]]] = {
    "create-local": (Create("A", 3, 10, QueueType.LOCAL), {"queue": "A", "size": 3, "longest": 10, "type": "L"}),
    "create-remote": (
        Create("A", 3, 10, QueueType.REMOTE, "127.0.0.1", 9803),
        {"queue": "A", "type": "R", "address": "127.0.0.1", "port": 9803},
    ),
    "delete": (NamedRequest(Command.DELETE, "A"), {"queue": "A"}),
    "shutdown": (BareRequest(Command.SHUTDOWN), {}),
    "put": (Put("A", b"two apples"), {"queue": "A", "length": 10}),
    "get": (Get("A", 0), {"queue": "A"}),
    "browse": (Browse("A", 2), {"queue": "A", "number": 2}),
    "display": (NamedRequest(Command.DISPLAY, "A"), {"queue": "A"}),
    "count": (NamedRequest(Command.COUNT, "A"), {"queue": "A"}),
    "purge": (NamedRequest(Command.PURGE, "A"), {"queue": "A"}),
}


@pytest.mark.spec("M-120", "M-121", "M-160", "M-163", "M-164", "M-165", "M-171", "M-173")
@pytest.mark.parametrize("name", REQUESTS)
@pytest.mark.parametrize("framed", [False, True], ids=["plain", "framed"])
def test_requests_of_myopenq_are_those_of_the_templates(name: str, framed: bool) -> None:
    protocol = shipped("myopenq-framed" if framed else "myopenq")
    request, expected = REQUESTS[name]
    packet = build_packet(*write_request(request, framed), int(NOW))
    found = protocol.read(packet, "initiator")
    assert found is not None
    assert found.transaction.name == name
    fields = dict(found.values.fields)
    assert {key: fields[key] for key in expected} == expected
    assert found.transaction.build(found.values, context()) == packet
    anew = found.transaction.anew(found.values, {})
    assert protocol.write(name, anew, context(), "initiator") == packet, "digest, time and lengths are computed alike"
    framer = protocol.framer("initiator")
    assert list(framer.receive(packet[:60] if len(packet) > 60 else packet[:40])) == []
    assert list(framer.receive((packet + packet)[60 if len(packet) > 60 else 40 :])) == [packet, packet]


@pytest.mark.spec("M-160", "M-167", "M-168")
def test_answers_of_myopenq_are_those_of_the_templates() -> None:
    error = Answer.refusal(MoqError(Code.NOT_FOUND))
    framed, plain = shipped("myopenq-framed"), shipped("myopenq")
    for answer, name in ((SUCCESS, "success"), (error, "error"), (Answer(0, b"two apples"), "success")):
        found = framed.read(answer.framed(), "responder")
        assert found is not None
        assert found.transaction.name == name
        again = found.transaction.anew(found.values, {})
        assert framed.write(name, again, context(), "responder") == answer.framed()
    for answer, name in ((SUCCESS, "success"), (error, "error"), (Answer(0, b"two apples"), "answer")):
        found = plain.read(answer.plain(), "responder")
        assert found is not None
        assert found.transaction.name == name
        assert plain.write(name, found.values, context(), "responder") == answer.plain()
    found = plain.read(error.plain(), "responder")
    assert found is not None
    assert found.values.fields["code"] == 1007


@pytest.mark.spec("M-123", "M-124", "M-125", "M-126", "M-139", "M-143", "M-171")
@pytest.mark.parametrize("size", SIZES)
def test_messages_of_any_size_are_translated_both_ways(size: int) -> None:
    moq, mq = shipped("myopenq-framed"), shipped("mq-capture")
    put = build_packet(*write_request(Put("ORDERS", b"m" * size), True), int(NOW))
    there = moq.read(put, "initiator")
    assert there is not None
    mapped = {name: there.values.fields[field] for name, field in there.transaction.maps.items()}
    names = {"target-manager": "QM2", "source-manager": "MyOpenQ"}
    packet = mq.write("message", {**mapped, **names}, context(), "initiator")
    back = mq.read(packet, "initiator")
    assert back is not None
    assert back.transaction.build(back.values, context(seed=2)) == packet
    fields = back.values.fields
    assert (fields["data-length"], fields["rest-length"], fields["total"]) == (size, 428 + size, 476 + size)
    mapped = {name: back.values.fields[field] for name, field in back.transaction.maps.items()}
    values = {name: value for name, value in mapped.items() if name in there.transaction.maps}
    assert moq.write("put", {**values, "time-stamp": int(NOW)}, context(), "initiator") == put


@pytest.mark.spec("M-167")
def test_an_unknown_pattern_ends_the_session_with_an_extract() -> None:
    machine = SessionMachine(shipped("mq-capture"), "responder", random.Random(1))
    machine.connected(0.0)
    packet = bytearray(packets()["04-status-data-confirm"])
    packet[9] = 0x77
    unknown, ended = machine.receive_data(bytes(packet), 0.0)
    assert isinstance(unknown, Unknown)
    assert unknown.extract == bytes(packet)
    assert isinstance(ended, Ended)


@pytest.mark.spec("M-162", "M-166")
def test_overlapping_fields_fail_at_load() -> None:
    text = shipped_text("mq-capture").replace('"data-length", position = 36', '"data-length", position = 34')
    with pytest.raises(TemplateError, match="'data-length' at 34 overlaps 'sequence', which ends at 36"):
        read_protocol(text, "mq-capture.toml")


@pytest.mark.spec("M-170")
def test_a_name_that_is_too_long_is_refused() -> None:
    protocol = shipped("mq-capture")
    values = {"queue": "Q" * 49, "target-manager": "QM", "message": b""}
    with pytest.raises(BuildError, match="text of 49 bytes, but the field has 48"):
        protocol.write("message", values, context(), "initiator")
    cut = shipped_text("mq-capture").replace('map = "queue"', 'map = "queue", cut = true')
    packet = read_protocol(cut, "cut.toml").write("message", values, context(), "initiator")
    assert packet[56:104] == b"Q" * 48


@pytest.mark.spec("M-160", "M-169")
def test_a_put_by_the_script_of_myopenq() -> None:
    machine = SessionMachine(shipped("myopenq-framed"), "initiator", random.Random(1))
    assert machine.connected(NOW) == []
    machine.put({"queue": "A", "message": b"one"}, NOW)
    assert machine.take() == build_packet(*write_request(Put("A", b"one"), True), int(NOW))
    assert machine.receive_data(SUCCESS.framed(), NOW) == [Accepted()]
    machine.put({"queue": "B", "message": b"two"}, NOW)
    (refused,) = machine.receive_data(Answer.refusal(MoqError(Code.UNKNOWN_QUEUE)).framed(), NOW)
    assert isinstance(refused, Refused)
    assert refused.values is not None
    assert refused.values.fields["code"] == 1003
    assert machine.can_put
