"""Frames and dumps of each version, as they were first written: later versions read them, and write them so."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mqbridge.protocol.everyplace.authenticators import ANSWERER, CALLER, ByKey
from mqbridge.protocol.everyplace.batches import read_body, write_body
from mqbridge.protocol.everyplace.calls import call_fields, outcome_fields, read_call, read_outcome
from mqbridge.protocol.everyplace.compressors import ZlibStream
from mqbridge.protocol.everyplace.dump import dump, restore
from mqbridge.protocol.everyplace.fields import Fields
from mqbridge.protocol.everyplace.frames import MAX_BODY, Flags, Frame, FrameReader, Kind
from mqbridge.protocol.everyplace.grammars.dump import DUMP
from mqbridge.protocol.everyplace.grammars.frames import BODIES, FRAME
from mqbridge.protocol.everyplace.handshakes import Proof, Ready, read_greeting, write_greeting
from mqbridge.protocol.everyplace.transitions import SINCE

FOLDER = Path(__file__).parents[3] / "vectors" / "everyplace"


def vectors(version: int) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((FOLDER / f"v{version}.json").read_text(encoding="utf-8"))
    assert found["version"] == version
    return found


VECTORS, SECOND = vectors(1), vectors(2)
GREETINGS = (Kind.HELLO, Kind.CHALLENGE, Kind.PROOF, Kind.READY, Kind.ERROR)
pytestmark = pytest.mark.spec("E-020", "E-264", "E-474")


def read(data: bytes) -> Frame:
    reader = FrameReader(MAX_BODY)
    (frame,) = reader.receive(data)
    return frame


def meaning(frame: Frame) -> tuple[str, bytes]:
    """Return what a frame means, and the body that is written for that."""
    value: Any
    if frame.kind in GREETINGS:
        value = read_greeting(frame.kind, frame.body)
        return repr(value), write_greeting(value)
    if frame.kind is Kind.REQUEST:
        value = read_call(Fields.of_body(frame.body))
        return repr(value), call_fields(value).body()
    if frame.kind is Kind.ANSWER:
        value = read_outcome(Fields.of_body(frame.body))
        return repr(value), outcome_fields(value).body()
    if not frame.body:
        return frame.kind.name, b""
    value = read_body(frame.kind, frame.body)
    return repr(value), write_body(value)


@pytest.mark.parametrize("vector", [*VECTORS["frames"], *SECOND["frames"]], ids=lambda each: each["means"][:30])
def test_frames_mean_what_they_meant(vector: dict[str, str]) -> None:
    data = bytes.fromhex(vector["frame"])
    frame = read(data)
    means, body = meaning(frame)
    assert means == vector["means"]
    assert Frame(frame.kind, frame.request, body).encode() == data
    assert FRAME.build(FRAME.parse(data)) == data
    BODIES[frame.kind].parse(frame.body)


def test_there_is_a_frame_of_each_kind() -> None:
    first = {read(bytes.fromhex(each["frame"])).kind for each in VECTORS["frames"]}
    assert first == {kind for kind in Kind if kind not in SINCE}
    second = {read(bytes.fromhex(each["frame"])).kind for each in SECOND["frames"]}
    assert second == {kind for kind in SINCE if SINCE[kind] == 2} | {Kind.HELLO, Kind.CHALLENGE, Kind.READY}


@pytest.mark.spec("E-250")
def test_proofs_are_those_of_the_key() -> None:
    hello, challenge, proof, ready = (read(bytes.fromhex(each["frame"])) for each in VECTORS["frames"][:4])
    key = ByKey(bytes(range(100, 132)), b"fingerprint")
    said = read_greeting(Kind.PROOF, proof.body)
    assert isinstance(said, Proof)
    key.check(said.proof, CALLER, hello.body, challenge.body)
    welcome = read_greeting(Kind.READY, ready.body)
    assert isinstance(welcome, Ready)
    key.check(welcome.proof, ANSWERER, hello.body, challenge.body, write_greeting(welcome._replace(proof=b"")))


@pytest.mark.spec("E-447", "E-465")
def test_a_stream_of_compressed_bodies_is_read() -> None:
    stream = ZlibStream()
    for number, text in enumerate(VECTORS["zlib-stream"], 1):
        frame = read(bytes.fromhex(text))
        assert frame.flags is Flags.COMPRESSED
        assert read_body(Kind.STATE, stream.expand(frame.body, MAX_BODY)).number == 16 + number


@pytest.mark.spec("E-022", "E-032")
@pytest.mark.parametrize("vector", VECTORS["dumps"], ids=lambda each: each["means"][:30])
def test_dumps_mean_what_they_meant(vector: dict[str, str]) -> None:
    data = bytes.fromhex(vector["dump"])
    fields = restore(data)
    assert dump(fields) == data
    assert DUMP.build(DUMP.parse(data)) == data
    assert repr(fields) == vector["means"]
