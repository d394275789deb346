"""Any bytes that come as dumps, frames, bodies or text are what they say, or an `EveryplaceError`; cheaply."""

from __future__ import annotations

import random
import time
import tracemalloc
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqbridge.bridge.everyplace.administration.actions import CLASSES, Action
from mqbridge.bridge.everyplace.administration.requests import Request, read_reply, read_request, write_request
from mqbridge.protocol.everyplace.batches import Have, Numbered, Part, Pull, Push, RefusedMessage, Taken, read_body
from mqbridge.protocol.everyplace.batches import write_body as write_batch
from mqbridge.protocol.everyplace.calls import Put as PutCall
from mqbridge.protocol.everyplace.calls import call_fields, read_call, read_outcome
from mqbridge.protocol.everyplace.dump import dump, restore
from mqbridge.protocol.everyplace.errors import EveryplaceError
from mqbridge.protocol.everyplace.fields import Fields
from mqbridge.protocol.everyplace.frames import Frame, FrameReader, Kind
from mqbridge.protocol.everyplace.handshakes import Hello, read_greeting, write_greeting
from mqbridge.protocol.everyplace.jms_selector import selecting
from mqbridge.protocol.everyplace.message import Message
from mqbridge.protocol.everyplace.names import Address
from mqbridge.protocol.everyplace.text import from_text, read_ini, to_text
from mqbridge.protocol.everyplace.token import Token
from mqbridge.protocol.everyplace.uid import MessageUid

pytestmark = pytest.mark.spec("E-032", "E-481")
UID = MessageUid("MOON", 1_795_251_600_123)
GREETINGS = (Kind.HELLO, Kind.CHALLENGE, Kind.PROOF, Kind.READY, Kind.ERROR)
BATCHES = {
    Kind.PUSH: Push("Q@EARTH", 3, ()),
    Kind.TAKEN: Taken("Q@EARTH", 3, (RefusedMessage(UID, 201, "full"),)),
    Kind.CONFIRM: Numbered("Q@EARTH", 3),
    Kind.STATE: Numbered("Q@EARTH", 0),
    Kind.PULL: Pull("MOON", 3, 60_000),
    Kind.PART: Part("Q@EARTH", UID, 100_000, 65536, b"x" * 500),
    Kind.HAVE: Have("Q@EARTH", UID, 65536),
}


def message() -> Message:
    found = Message("com.example.Order")
    found.identify(UID)
    found["text"], found["count"] = "größe", 7
    inner = Fields()
    inner["x"] = b"\0" * 300
    found["inner"] = inner
    return found


def read_frames(data: bytes) -> None:
    reader = FrameReader(most=1000)
    for at in range(0, len(data), 7):
        for frame in reader.receive(data[at : at + 7]):
            assert len(frame.body) <= 1000
        assert reader.pending <= 1100


def read_administration(data: bytes) -> None:
    fields = Message.of(Fields.of_body(data))
    for call in (read_request, read_reply):
        with suppress(EveryplaceError):
            call(fields)


REQUEST = write_request(Request("MOON", Action.CREATE, next(iter(CLASSES)), message().copy()), Address("R", "EARTH"))
TARGETS: dict[str, tuple[Callable[[bytes], Any], list[bytes]]] = {
    "dump": (restore, [dump(message())]),
    "frames": (
        read_frames,
        [b"".join(Frame(kind, 7, write_batch(body)).encode() for kind, body in BATCHES.items())],
    ),
    "call": (
        lambda data: read_call(Fields.of_body(data)),
        [call_fields(PutCall(Address("Q", "EARTH"), message(), 5)).body()],
    ),
    "outcome": (lambda data: read_outcome(Fields.of_body(data)), [message().body()]),
    "administration": (read_administration, [REQUEST.body()]),
    "token": (lambda data: Token.parse(data.decode("latin-1")), [Token.make(random.Random(1)).text().encode()]),
    "text": (lambda data: from_text(data.decode("latin-1")), [to_text(message()).encode("latin-1", "replace")]),
    "ini": (
        lambda data: read_ini(data.decode("latin-1")),
        [b"[QueueManager]\r\n(ascii)Name=MOON\r\n[Registry]\r\n(ascii)DirName=.\\\\\r\n(int[])n=1,2\r\n"],
    ),
    "selector": (
        lambda data: selecting(data.decode("latin-1")),
        [b"colour = 'blue' AND JMSPriority = 4 AND a IS NULL"],
    ),
    **{
        kind.name: (lambda data, kind=kind: read_body(kind, data), [write_batch(body)])  # type: ignore[misc]
        for kind, body in BATCHES.items()
    },
    **{
        f"greeting {kind.name}": (
            lambda data, kind=kind: read_greeting(kind, data),  # type: ignore[misc]
            [write_greeting(Hello("MOON", "EARTH", b"incarnat", 1, b"n" * 32, ("none",), ("zlib",)))],
        )
        for kind in GREETINGS
    },
}


def changed(data: bytes, dice: random.Random) -> bytes:
    """Cut, doubled, overwritten in places."""
    found = bytearray(data)
    for _ in range(dice.randint(1, 4)):
        at = dice.randrange(len(found) + 1)
        match dice.randrange(5):
            case 0:
                del found[at : at + dice.choice((1, 2, 50))]
            case 1:
                found[at:at] = found[dice.randrange(len(found) + 1) :][: dice.choice((1, 8, 200))]
            case 2:
                found[at : at + 4] = dice.choice((b"\xff\xff\xff\xff", b"\xfe\x7f\xff\xff", b"\0\0\0\0", b"\x80"))
            case _:
                found[at : at + 1] = bytes([dice.randrange(256)])
    return bytes(found)


@pytest.mark.parametrize("what", TARGETS)
def test_changed_bytes_are_read_or_refused(what: str, *, long_form: bool) -> None:
    read, whole = TARGETS[what]
    dice = random.Random(what)
    began = time.process_time()
    for _ in range(20_000 if long_form else 400):
        data = changed(dice.choice(whole), dice)
        with suppress(EveryplaceError):
            read(data)
    assert time.process_time() - began < (120 if long_form else 5)


@pytest.mark.parametrize("what", TARGETS)
@given(data=st.binary(max_size=120))
def test_any_bytes_are_read_or_refused(what: str, data: bytes) -> None:
    with suppress(EveryplaceError):
        TARGETS[what][0](data)


@pytest.mark.parametrize("what", TARGETS)
def test_no_bytes_cost_much_more_memory_than_they_are(what: str) -> None:
    read, whole = TARGETS[what]
    dice = random.Random(f"{what} memory")
    tracemalloc.start()
    try:
        for _ in range(100):
            data = changed(dice.choice(whole), dice)
            tracemalloc.reset_peak()
            before = tracemalloc.get_traced_memory()[0]
            with suppress(EveryplaceError):
                read(data)
            assert tracemalloc.get_traced_memory()[1] - before < 400_000 + 60 * len(data)
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    "text",
    [
        "(ascii)" * 30_000,
        "(ascii)a=" + "\\" * 200_000 + "\r\n",
        "(ascii[])a=" + "\\," * 100_000 + "\r\n",
        "[" * 200_000,
        "(int)" + "a" * 200_000,
        "((((" * 50_000 + "=\r\n",
    ],
)
def test_long_texts_take_time_in_proportion(text: str) -> None:
    began = time.process_time()
    for read in (from_text, read_ini):
        with suppress(EveryplaceError):
            read(text)
    assert time.process_time() - began < 3
