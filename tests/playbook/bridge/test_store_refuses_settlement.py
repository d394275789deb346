"""A store that refuses, once, what settles a batch in doubt: nothing comes twice, nothing is lost (channels.md 5.4)."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from mqbridge.bridge.store.interface import Operation, PutRecord, StoreError, StoreFull
from mqbridge.protocol.constants import ControlFlags1, SegmentType
from support.gateway.stage import Stage, Station, earth_and_saturn

CHANNEL = "EARTH.SATURN"
ASKS = int(ControlFlags1.CONFIRM_REQUEST)
TWO = [b"one", b"two"]


def in_doubt(*, committed: bool) -> tuple[Stage, Station, Station]:
    """A stopped channel with a batch in doubt, which SATURN has committed or not."""
    stage, earth, saturn = earth_and_saturn()
    stage.cut_when(SegmentType.STATUS_DATA, sender=not committed, flags=None if committed else ASKS, after=False)
    earth.put_many("FAR", *TWO)
    stage.network.down = True
    stage.wait_until(lambda: earth.status(CHANNEL) == "RETRYING")
    earth.types(f"STOP CHANNEL({CHANNEL})")
    stage.network.down = False
    stage.wait(0.1)
    return stage, earth, saturn


def refuse_next(station: Station, table: str, skip: int = 0) -> list[str]:
    """The store refuses the next unit with a record of this table, or that after ``skip``; the list tells when."""
    commit = station.store.commit
    left = [skip]
    refused: list[str] = []

    def choosy(units: Sequence[Sequence[Operation]]) -> list[StoreError | None]:
        answers: list[StoreError | None] = []
        for unit in units:
            fits = any(isinstance(each, PutRecord) and each.table == table for each in unit)
            left[0] -= fits
            if fits and left[0] < 0 and not refused:
                refused.append(table)
                answers.append(StoreFull("no room"))
            else:
                answers += commit([unit])
        return answers

    station.store.commit = choosy  # type: ignore[method-assign]
    return refused


@pytest.mark.spec("channels.md 5.4")
@pytest.mark.parametrize("committed", [True, False])
def test_a_resynchronisation_that_is_not_on_disk_has_not_happened(committed: bool) -> None:
    stage, earth, saturn = in_doubt(committed=committed)
    refused = refuse_next(earth, "channel-sender")
    earth.types(f"START CHANNEL({CHANNEL})")
    stage.wait(30)
    assert refused
    earth.put("FAR", b"three")
    stage.wait()
    assert saturn.contents("TARGET") == [*TWO, b"three"]


@pytest.mark.spec("channels.md 5.5")
@pytest.mark.parametrize("committed", [True, False])
def test_a_resolve_that_is_refused_leaves_the_batch_in_doubt(committed: bool) -> None:
    stage, earth, saturn = in_doubt(committed=committed)
    refused = refuse_next(earth, "channel-sender")
    reply = earth.enters(f"RESOLVE CHANNEL({CHANNEL}) ACTION({'COMMIT' if committed else 'BACKOUT'})")
    assert refused
    assert not reply.ok
    assert earth.row(CHANNEL, saved=True)["INDOUBT"] == "YES"
    assert earth.contents("SATURN") == []
    earth.types(f"START CHANNEL({CHANNEL})")
    stage.wait()
    assert saturn.contents("TARGET") == TWO


@pytest.mark.spec("channels.md 5.2")
@pytest.mark.parametrize("persistence", [0, 1])
def test_deletes_that_are_refused_after_a_confirmation_send_nothing_twice(persistence: int) -> None:
    stage, earth, saturn = earth_and_saturn("NPMSPEED(NORMAL)")
    refused = refuse_next(earth, "channel-sender", skip=1)  # the first one says that the batch is in doubt
    earth.put_many("FAR", *TWO, persistence=persistence)
    stage.wait(30)
    assert refused
    earth.put("FAR", b"three")
    stage.wait()
    assert saturn.contents("TARGET") == [*TWO, b"three"]


@pytest.mark.spec("channels.md 5.6")
@pytest.mark.parametrize(("end", "table"), [("EARTH", "channel-sender"), ("SATURN", "channel-receiver")])
def test_a_reset_that_is_refused_changes_nothing(end: str, table: str) -> None:
    stage, earth, saturn = earth_and_saturn()
    earth.put("FAR", b"one")
    stage.wait()
    earth.types(f"STOP CHANNEL({CHANNEL})")
    stage.wait()
    station = stage.stations[end]
    refused = refuse_next(station, table)
    assert not station.enters(f"RESET CHANNEL({CHANNEL}) SEQNUM(700)").ok
    assert refused
    assert station.row(CHANNEL, saved=True)["LSTSEQNO"] == "1"
    earth.types(f"START CHANNEL({CHANNEL})")
    earth.put("FAR", b"two")
    stage.wait()
    assert saturn.contents("TARGET") == [b"one", b"two"]
