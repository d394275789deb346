"""Messages of many segments: their data go to the store while they come, and leave it when the message does not."""

from __future__ import annotations

from typing import Any

import pytest

from mqbridge.bridge.store.errors import StoreDamaged, StoreFull
from mqbridge.protocol.channel import PART_LENGTH
from mqbridge.protocol.constants import MQRO, SegmentType, StatusCode
from support.channels.partner import Partner, calls_as_sender
from support.channels.playbook import L1, end_of_batch, message, more_of_it
from support.gateway.stage import Stage, Station, earth_and_saturn

CHANNEL = "VENUS.TO.MARS"
LONG = 100 << 20
WIDE = f"MAXMSGL({LONG})"
LENGTH = 9 * PART_LENGTH + 17
DATA = (bytes(range(251)) * (LENGTH // 251 + 1))[:LENGTH]
STEP = 30_000
SEGMENTS = range(0, LENGTH, STEP)
MOST = len(SEGMENTS) * 2 // 3
PERSISTENCES = pytest.mark.parametrize("persistence", [1, 0], ids=["persistent", "fast"])


def mars(receiver: str = "MRRTY(0)") -> tuple[Stage, Station, Partner]:
    """MARS, called by VENUS; queues and channel take 100 MiB."""
    stage = Stage()
    station = stage.station(
        "MARS",
        f"""
        ALTER QMGR {WIDE} DEADQ(DLQ)
        DEFINE QLOCAL(TARGET) {WIDE}
        DEFINE QLOCAL(DLQ) {WIDE}
        DEFINE CHANNEL({CHANNEL}) CHLTYPE(RCVR) {WIDE} {receiver}
        """,
    )
    return stage, station, calls_as_sender(stage, max_message_size=LONG)


def segments(persistence: int = 1, **changes: Any) -> list[bytes]:
    """The message as VENUS sends it."""
    first, *middle, last = (DATA[start : start + STEP] for start in SEGMENTS)
    return [
        message(1, first, length=LENGTH, flags=0x10, persistence=persistence, **changes),
        *map(more_of_it, middle),
        more_of_it(last, flags=0x20),
    ]


def ahead(station: Station) -> int:
    """Parts of bodies in the store that no stored message has."""
    return len(station.store.staged.kept) + len(station.store.spilled.kept)


def refuse(station: Station, error: Exception) -> None:
    """The store takes no parts until `accept`."""

    def full(part: bytes) -> int:
        raise error

    station.store.staged.write = station.store.spilled.write = full  # type: ignore[method-assign]


def accept(station: Station) -> None:
    del station.store.staged.write, station.store.spilled.write  # type: ignore[misc]


@PERSISTENCES
def test_the_data_are_in_the_store_before_they_are_all_there(persistence: int) -> None:
    _, station, partner = mars()
    parts = segments(persistence)
    partner.sends(*parts[:MOST])
    assert ahead(station) == MOST * STEP // PART_LENGTH
    assert station.depth("TARGET") == 0
    partner.sends(*parts[MOST:])
    assert station.depth("TARGET") == 1
    assert len(partner.says(end_of_batch(L1))) == 1
    assert station.contents("TARGET") == [DATA]
    assert station.got("TARGET").data == DATA
    assert ahead(station) == 0


@PERSISTENCES
@pytest.mark.parametrize("ending", ["line", "STOP", "protocol"])
def test_parts_of_a_message_that_does_not_come_are_given_back(persistence: int, ending: str) -> None:
    stage, station, partner = mars()
    partner.sends(*segments(persistence)[:MOST])
    assert ahead(station) > 0
    if ending == "line":
        partner.hangs_up()
    elif ending == "STOP":
        station.types(f"STOP CHANNEL({CHANNEL}) MODE(FORCE)")
    else:
        partner.sends(message(2))
        partner.is_refused(StatusCode.SEGMENT_NUMBER_ERROR)
    stage.wait()
    assert (ahead(station), station.depth("TARGET")) == (0, 0)


@PERSISTENCES
def test_a_store_without_room_for_a_part_pauses_the_channel(persistence: int) -> None:
    stage, station, partner = mars("MRRTY(5) MRTMR(2000)")
    parts = segments(persistence)
    refuse(station, StoreFull("the disk is full"))
    partner.sends(*parts[:MOST])
    assert station.status(CHANNEL) == "PAUSED"
    assert partner.hears() == []
    stage.wait(3)
    assert station.status(CHANNEL) == "PAUSED"
    accept(station)
    stage.wait(3)
    assert station.status(CHANNEL) == "RUNNING"
    assert ahead(station) == MOST * STEP // PART_LENGTH
    assert len(partner.says(*parts[MOST:], end_of_batch(L1))) == 1
    assert station.contents("TARGET") == [DATA]


@PERSISTENCES
@pytest.mark.parametrize(
    "error", [StoreFull("the disk is full"), StoreDamaged("the disk is broken", "here")], ids=["full", "broken"]
)
def test_a_store_that_goes_on_refusing_parts_ends_the_channel(persistence: int, error: Exception) -> None:
    stage, station, partner = mars("MRRTY(2) MRTMR(1000)")
    refuse(station, error)
    partner.sends(*segments(persistence))
    stage.wait(5)
    partner.is_refused(StatusCode.CAN_NOT_STORE)
    assert station.logged("AMQ9544")
    assert (ahead(station), station.depth("TARGET")) == (0, 0)


@PERSISTENCES
def test_an_undeliverable_one_goes_whole_to_the_dead_letter_queue(persistence: int) -> None:
    stage, station, partner = mars()
    report = int(MQRO.EXCEPTION_WITH_FULL_DATA)
    changes = {"xqh_remote_q_name": b"NO.SUCH".ljust(48), "md_report": report, "md_reply_to_q": b"TARGET".ljust(48)}
    partner.sends(*segments(persistence, **changes), end_of_batch(L1))
    stage.wait()
    assert station.got("DLQ").data[172:] == DATA
    assert station.got("TARGET").data == DATA
    assert ahead(station) == 0


@PERSISTENCES
def test_it_waits_whole_for_its_next_attempt(persistence: int) -> None:
    stage, station, partner = mars("MRRTY(5) MRTMR(2000)")
    station.types("ALTER QLOCAL(TARGET) PUT(DISABLED)")
    partner.sends(*segments(persistence), end_of_batch(L1))
    assert station.status(CHANNEL) == "PAUSED"
    station.types("ALTER QLOCAL(TARGET) PUT(ENABLED)")
    stage.wait(3)
    assert station.contents("TARGET") == [DATA]
    assert station.got("TARGET").data == DATA
    assert ahead(station) == 0


@PERSISTENCES
def test_a_line_that_breaks_in_its_middle_costs_nothing(persistence: int) -> None:
    stage, earth, saturn = earth_and_saturn(f"{WIDE} NPMSPEED(NORMAL)", f"{WIDE} NPMSPEED(NORMAL)", WIDE, start=False)
    for station in (earth, saturn):
        station.types(f"ALTER QMGR {WIDE}")
    saturn.types(f"ALTER QLOCAL(TARGET) {WIDE}")
    earth.types("START CHANNEL(EARTH.SATURN)")
    stage.cut_when(SegmentType.MESSAGE_DATA, skip=200, after=True)
    earth.put("FAR", DATA, persistence=persistence)
    stage.wait(20)
    assert stage.network.scissors is None
    assert saturn.contents("TARGET") == [DATA]
    assert earth.depth("SATURN") == 0
    assert saturn.got("TARGET").data == DATA
    assert ahead(saturn) == ahead(earth) == 0
