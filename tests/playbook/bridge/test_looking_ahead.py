"""The next batch is taken from its queue, and recorded, while the partner commits the one before (channels.md 5.2)."""

from __future__ import annotations

import json

import pytest

from mqbridge.protocol.constants import ControlFlags1, SegmentType
from support.channels.partner import Listening, Partner
from support.channels.playbook import initial_data, status
from support.gateway.stage import Stage, Station, earth_and_saturn

CHANNEL = "EARTH.SATURN"
ASKS = int(ControlFlags1.CONFIRM_REQUEST)
SIX = [f"message {number}".encode() for number in range(6)]

pytestmark = pytest.mark.spec("channels.md 5.2")


def committing(channel: str = "BATCHSZ(2)", messages: list[bytes] = SIX) -> tuple[Stage, Station, Partner]:
    """The partner was asked to confirm the first batch, and takes its time."""
    stage, earth, _ = earth_and_saturn(channel, start=False)
    listening = Listening(stage, "SATURN")
    earth.put_many("FAR", *messages)
    earth.types(f"START CHANNEL({CHANNEL})")
    partner = listening.is_called()
    partner.hears()
    size = int(channel.partition("BATCHSZ(")[2].partition(")")[0])
    partner.sends(initial_data(flags=0, channel_name=CHANNEL, max_msgs_per_batch=size))
    return stage, earth, partner


def confirm(partner: Partner, flags: int = 0) -> list[bytes]:
    """The partner confirms the batch that it was asked for last; data of the messages that it hears then."""
    (asked,) = (sent for sent in partner.hears() if sent.type == SegmentType.STATUS_DATA)
    assert asked.flags == ASKS
    partner.sends(status(flags, luwid=asked.luwid))
    heard, partner._heard = partner._heard, [sent for sent in partner._heard if sent.type == SegmentType.STATUS_DATA]
    return [sent.body[20 + 428 :] for sent in heard if sent.type == SegmentType.MESSAGE_DATA]


def record(earth: Station) -> dict[str, object]:
    """The sending end's row on disk."""
    row = earth.store.record("channel-sender", CHANNEL.encode())
    assert row is not None
    found = json.loads(row)
    assert isinstance(found, dict)
    return found


def test_the_next_batch_is_in_doubt_on_disk_when_the_last_one_leaves_it() -> None:
    _, earth, partner = committing()
    first = record(earth)["in_doubt"]
    stored = []
    commit = earth.store.commit

    def watched(units: list[object]) -> object:
        stored.append(len(units))
        return commit(units)  # type: ignore[arg-type]

    earth.store.commit = watched  # type: ignore[method-assign, assignment]
    assert confirm(partner) == SIX[2:4]
    second = record(earth)
    assert second["luwid"] == first["luwid"]  # type: ignore[index]
    assert second["in_doubt"]["sequence"] == 4  # type: ignore[index]
    assert len(stored) == 1  # deletes and the record of the next batch together, and nothing at its end
    assert earth.contents("SATURN") == []  # the third batch is taken too by now


def test_what_the_batch_leaves_is_not_deleted_with_it() -> None:
    large = [bytes([65 + number]) * 700 for number in range(6)]
    _, earth, partner = committing("BATCHSZ(4) BATCHLIM(1)", large)
    assert confirm(partner) == large[2:4]
    assert len(record(earth)["in_doubt"]["positions"]) == 2  # type: ignore[index, arg-type]
    assert confirm(partner) == large[4:6]
    assert confirm(partner) == []
    assert earth.contents("SATURN") == []


@pytest.mark.parametrize("mode", ["QUIESCE", "FORCE"])
def test_a_stop_gives_back_what_nobody_has_seen_as_it_was(mode: str) -> None:
    stage, earth, partner = committing()
    earth.types(f"STOP CHANNEL({CHANNEL}) MODE({mode})")
    if mode == "QUIESCE":
        assert confirm(partner) == []
    stage.wait(1)
    assert partner.gone
    kept = [earth.got("SATURN") for _ in range(4)]
    assert [message.data[428:] for message in kept] == SIX[2:]
    assert [message.md.backout_count for message in kept] == [0] * 4
    assert earth.get("SATURN") is None
    assert ("in_doubt" in record(earth)) == (mode == "FORCE")


def test_what_was_taken_long_ago_is_taken_again() -> None:
    stage, earth, partner = committing()
    stage.wait(5)
    earth.put("FAR", b"urgent", priority=9)
    assert confirm(partner) == [b"urgent", SIX[2]]
    assert confirm(partner) == SIX[3:5]


def test_a_message_that_cannot_travel_changes_what_was_foretold() -> None:
    long = [*SIX[:2], b"x" * 3000, *SIX[2:]]
    stage, earth, _ = earth_and_saturn("BATCHSZ(2) MAXMSGL(2000)")
    earth.types("DEFINE QLOCAL(DLQ)")
    earth.types("ALTER QMGR DEADQ(DLQ)")
    earth.put_many("FAR", *long)
    stage.wait(5)
    assert stage.stations["SATURN"].contents("TARGET") == SIX
    assert earth.depth("DLQ") == 1
    assert "in_doubt" not in record(earth)
    assert record(earth)["sequence"] == 6


def test_the_record_does_not_stay_ahead_of_a_batch_that_came_to_nothing() -> None:
    stage, earth, _ = earth_and_saturn("BATCHSZ(2)")
    stage.cut_when(SegmentType.MESSAGE_DATA, skip=2, after=True)
    stage.network.down = True
    earth.put_many("FAR", *SIX)
    stage.wait_until(lambda: earth.status(CHANNEL) == "RETRYING")
    stage.wait(1)
    assert "in_doubt" not in record(earth)
    assert earth.row(CHANNEL, saved=True)["INDOUBT"] == "NO"
