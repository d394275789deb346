"""What nobody knows of the wire (mq-wire.md 10): whichever way a product has it, it is never an error."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from mqbridge.captures.rules import Finding, Severity
from mqbridge.protocol.constants import ByteOrder, SegmentType, StatusCode
from mqbridge.protocol.framing import SegmentWriter
from mqbridge.protocol.structures import CONN
from support.channels.playbook import (
    L1,
    L2,
    THEY,
    end_of_batch,
    error,
    heartbeat,
    initial_data,
    message,
    reset,
    resync,
    status,
)
from support.rules import (
    batch_faults,  # noqa: F401, enters its plays
    message_faults,  # noqa: F401, likewise
)
from support.rules.channel_faults import FAULTS, Play, after, answers, called, put
from support.rules.client_watch import ClientWatch
from support.rules.observer_playbook import Watch

BIG = SegmentWriter(ByteOrder.BIG, 819)
EBCDIC = SegmentWriter(ByteOrder.BIG, 500)


def unknown_body(kind: SegmentType, size: int) -> Any:
    return after(THEY.build(kind, bytes(range(size)), flags1=1, luwid=L1), put(1))


def requester(*steps: Any) -> Play:
    """One that calls with REQUEST_INITIATION; what follows is inferred."""

    def play(watch: Watch) -> None:
        watch.caller(initial_data(cap_flags1=15))
        watch.called(initial_data(flags=0, q_mgr_name="MARS"))
        for side, data in steps:
            getattr(watch, side)(data)

    return play


def stated(**values: Any) -> Play:
    def play(watch: Watch) -> None:
        answers(values, {})(watch)
        watch.caller(put(1), end_of_batch())
        watch.called(status(0, luwid=L1))

    return play


def answered_by(writer: SegmentWriter) -> Play:
    def play(watch: Watch) -> None:
        watch.caller(initial_data())
        watch.called(initial_data(flags=0, q_mgr_name="MARS", writer=writer))
        watch.caller(put(1), end_of_batch())
        watch.called(status(0, luwid=L1, writer=writer))

    return play


QUESTIONS: dict[str, list[Play]] = {
    "10.1": [
        unknown_body(SegmentType.RESYNC_DATA, 40),
        unknown_body(SegmentType.RESYNC_DATA, 0),
        after(resync(L1, 7), called(resync(L2, 3, 0)), put(8)),
        after(reset(3), called(reset(3)), put(3)),
        after(put(1), called(error(StatusCode.MSG_SEQUENCE_ERROR, 9))),
    ],
    "10.2": [
        after(put(1), end_of_batch(), called(status(0, luwid=luwid)), put(2, luwid=L2)) for luwid in (L1, L2, bytes(8))
    ]
    + [after(put(1), end_of_batch(), called(status(0x80, luwid=L1)))],
    "10.3": [
        *FAULTS["C-207"],
        *FAULTS["C-421"],
        after(put(1, msh_unknown1=7)),
        after(put(1, b"abc", length=3, flags=0x10), put(1, b"defgh", length=8, flags=0x20)),
    ],
    "10.4": [
        *(after(put(1), called(status(flags, code=StatusCode.CAN_NOT_STORE))) for flags in (0x02, 0x08, 0x0A, 0x0E)),
        after(status(0x08), called(status(0x08))),
        after(status(0x0C)),
        *FAULTS["C-311"],
        *FAULTS["C-313"],
    ],
    "10.5": [
        after(called(heartbeat(1)), heartbeat(0)),
        after(heartbeat(1), called(status(0))),
        after(put(1), heartbeat(1), called(heartbeat(0)), put(2)),
    ],
    "10.6": [
        requester(("called", put(1))),
        requester(("caller", put(1)), ("caller", end_of_batch()), ("called", status(0, luwid=L1))),
        lambda watch: [watch.caller(initial_data(cap_flags1=15)), watch.called(status(0x08)), watch.end()],
    ],
    "10.7": [stated(fap_level=level, efl_length=length) for level in (7, 13) for length in (0, 138, 65535)],
    "10.9": [stated(fap_level=level) for level in range(1, 18)],
    "10.15": [*FAULTS["C-012"], *FAULTS["C-013"], after(THEY.build(SegmentType.MESSAGE_DATA, b"CSH ", flags2=4))],
    "10.16": [answered_by(BIG), answered_by(EBCDIC)],
    "10.17": [after(message(1, writer=writer, md_put_date=b" " * 8, md_put_time=b" " * 8)) for writer in (BIG, EBCDIC)],
}


def connects(more: bytes) -> ClientWatch:
    """MQCONN with bytes behind CONN, which its reply repeats."""
    body = CONN.codec(ByteOrder.LITTLE)(q_mgr_name=b"QM1".ljust(48)).build() + more
    return ClientWatch().negotiated().user().does(SegmentType.MQCONN, body).leaves()


def fcno(version: int, filling: int) -> bytes:
    return b"FCNO" + version.to_bytes(4, "little") + bytes(4) + bytes((filling,)) * 128


def protected(password: str) -> ClientWatch:
    algorithms = {"pal": b"\1\0" + 18 * b"\xff", "fap_level": 13}
    return ClientWatch().negotiated(algorithms, **algorithms).user().credentials(password=password).connects().leaves()


def spi(verb: int, size: int) -> ClientWatch:
    body = verb.to_bytes(4, "little") + bytes(size)
    return ClientWatch().started().does(SegmentType.SPI, body).leaves()


def streaming() -> ClientWatch:
    return ClientWatch().started().opens("Q1").requests()


QUESTIONS_ABOUT_CLIENTS: dict[str, list[Callable[[], ClientWatch]]] = {
    "10.8": [partial(connects, fcno(version, filling)) for version in (1, 2, 3) for filling in (0, 1, 255)],
    "10.10": [partial(protected, password) for password in ("x", "\1" * 24, "y" * 300)],
    "10.11": [
        lambda length=length: (
            ClientWatch().started().asks(SegmentType.MQCMIT).replies(SegmentType.MQCMIT, length=length)
        )
        for length in (1, 36, 52, 60, 4000, 0xFFFFFFFF)
    ],
    "10.12": [
        *(lambda kind=kind: ClientWatch().started().socket_action(kind, server=True).leaves() for kind in (4, 9, 99)),
        *(lambda kind=kind: ClientWatch().started().socket_action(kind, 5).leaves() for kind in (4, 9, 99)),
        *(lambda code=code: streaming().notifies(code).delivers().leaves() for code in (9, 10, *range(12, 17), 99)),
    ],
    "10.13": [partial(spi, verb, size) for verb in (5, 11, 99) for size in (8, 200)],
}


def plays(questions: dict[str, list[Any]]) -> list[Any]:
    return [
        pytest.param(play, id=f"{number}-{index}", marks=pytest.mark.spec(f"mq-wire.md {number}"))
        for number, some in questions.items()
        for index, play in enumerate(some)
    ]


def errors(watch: Watch) -> list[Finding]:
    return [found for found in watch.findings if found.severity is Severity.ERROR]


@pytest.mark.parametrize("play", plays(QUESTIONS))
def test_an_answer_to_an_open_question_is_no_error(play: Play) -> None:
    watch = Watch()
    play(watch)
    assert watch.packets > 1
    assert errors(watch) == []


@pytest.mark.parametrize("play", plays(QUESTIONS_ABOUT_CLIENTS))
def test_an_answer_to_an_open_question_about_clients_is_no_error(play: Callable[[], ClientWatch]) -> None:
    watch = play()
    assert watch.packets > 5
    assert errors(watch) == []
