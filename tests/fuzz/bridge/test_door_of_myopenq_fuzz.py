"""Whatever bytes come in whatever pieces, a caller without rights gets refusals alone and a caller with rights answers
of documented codes, nothing but whole packets changes a queue, and no error leaves the door."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mqbridge.bridge.agents.myopenq.asking import Written
from mqbridge.bridge.agents.myopenq.rights import read_rights
from mqbridge.bridge.store.memory import MemoryStore
from mqbridge.protocol.myopenq import (
    Answer,
    Asked,
    Browse,
    Code,
    Command,
    Create,
    Get,
    Misread,
    NamedRequest,
    Put,
    QueueType,
    Request,
    Responder,
)
from support.myopenq.door_stage import DoorStage

REQUESTS: tuple[Request, ...] = (
    Create("B", 5, 50, QueueType.LOCAL),
    Create("R", 5, 50, QueueType.REMOTE, "10.0.0.7", 9803),
    Put("A", b"text"),
    Get("A"),
    Browse("A"),
    NamedRequest(Command.COUNT, "A"),
    NamedRequest(Command.DISPLAY, "A"),
    NamedRequest(Command.PURGE, "A"),
    NamedRequest(Command.DELETE, "A"),
)
CODES = {0, *map(int, Code)}
DAMAGE = st.lists(st.tuples(st.floats(0, 0.999), st.integers(0, 3), st.binary(max_size=4)), max_size=3)


def played(stage: DoorStage, pieces: list[bytes], address: str) -> list[int]:
    """Give a connection its bytes. Returns the codes of all answers."""
    responder = Responder(framed=stage.settings.framed, now=stage.now)
    codes: list[int] = []

    def answer(found: Answer, written: Written | None = None) -> None:
        codes.append(found.code)
        responder.answer(found, stage.now)
        if written is not None:
            written(True)

    for piece in [*pieces, b""]:
        responder.receive_data(piece, stage.now)
        while (event := responder.next_event()) is not None:
            if isinstance(event, Asked):
                stage.door.ask(event.packet, address, answer, stage.now)
                stage.pump()
            elif isinstance(event, Misread):
                answer(Answer.refusal(event.error))
            else:
                break
    return codes


@pytest.mark.spec("M-030", "M-035", "M-049", "M-051", "M-096")
@given(st.data())
@settings(max_examples=100, deadline=None)
def test_damaged_packets(data: st.DataObject) -> None:
    stage = DoorStage(framed=data.draw(st.booleans()))
    stage.create("A")
    stage.ask(Put("A", b"first"))
    chosen = data.draw(st.lists(st.sampled_from(REQUESTS), min_size=1, max_size=4))
    stream = b"".join(stage.packet(each, number, sign=data.draw(st.booleans())) for number, each in enumerate(chosen))
    for place, length, word in data.draw(DAMAGE):
        at = int(place * len(stream))
        stream = stream[:at] + word + stream[at + length :]
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=4)))
    pieces = [stream[a:b] for a, b in zip([0, *cuts], [*cuts, len(stream)], strict=True) if a < b]

    stage.door.rights, faults = read_rights("10.0.0.1", "")
    assert not faults
    before = MemoryStore(stage.store._tables)
    rows = {table: list(before.records(table)) for table in ("objects", "myopenq-queue", "myopenq-digest")}
    assert set(played(stage, pieces, "10.0.0.2")) <= {4001, 2003}
    after = MemoryStore(stage.store._tables)
    assert {table: list(after.records(table)) for table in rows} == rows
    assert stage.texts("A") == [b"first"]

    assert set(played(stage, pieces, "10.0.0.1")) <= CODES - {9001}
    assert set(map(len, map(stage.texts, (each.queue for each in stage.definitions)))) <= set(range(6))
    stage.restart()
