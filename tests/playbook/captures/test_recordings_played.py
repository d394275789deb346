"""Recorded connections played to a queue manager in this process, on simulated time: the player, step by step."""

from __future__ import annotations

from typing import Any

import pytest

from mqbridge.captures.against import Player, ReplayCredentials
from mqbridge.captures.differential import Tally
from mqbridge.captures.differential.known_masks import ANY_ENDPOINT
from mqbridge.captures.differential.recorded_flows import RecordedFlow, recorded_flows
from mqbridge.protocol.constants import ByteOrder, ControlFlags1, SegmentType
from mqbridge.protocol.framing import SegmentReader, SegmentWriter
from support.captures.files import JMS_CAPTURE
from support.clients.program_line import AgentScene, ProgramLine
from support.transcripts.real_session import CHANNEL, OBJECTS

PUTS = (10, 11, 12, 13)
WHOLE = int(ControlFlags1.FIRST | ControlFlags1.LAST)


def flow(number: int) -> RecordedFlow:
    flows, _ = recorded_flows(JMS_CAPTURE)
    return flows[number - 1]


class Stage:
    """A player at one connection of a queue manager."""

    def __init__(self, patch: pytest.MonkeyPatch, number: int, name: str = "MARS", user: str = "app", **speaks: Any):
        self.scene = AgentScene(patch, OBJECTS.format(user=user), name, **speaks)
        self.player = Player(flow(number), patience=10.0)

    def plays(self) -> Tally:
        """From the first to the last segment."""
        line: ProgramLine = self.scene.line()
        player = self.player
        player.start(self.scene.now)
        while not player.closed:
            data = player.data_to_send()
            if data:
                line.says(data)
            said = b"".join(answer.data for answer in line.answers())
            if said:
                player.receive_data(said, self.scene.now)
            elif line.closed:
                player.receive_eof()
            elif not data:
                due = player.next_timeout()
                assert due is not None
                self.scene.after(due - self.scene.now + 0.001)
                player.timeout(self.scene.now)
        if data := player.data_to_send():
            line.says(data)
        return player.result(ANY_ENDPOINT)


def different(tally: Tally) -> list[tuple[int, str, Any, Any]]:
    return [(one.segment, one.field, one.recorded, one.ours) for one in tally.different]


@pytest.mark.parametrize("number", PUTS)
@pytest.mark.spec("mq-wire.md 5.4", "mq-wire.md 5.6", "mq-wire.md 5.8")
def test_a_real_session_is_answered_by_a_queue_manager_of_another_name(
    monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    stage = Stage(monkeypatch, number)
    found = stage.plays()
    assert different(found) == []
    assert found.equal > 800
    assert found.allowed["queue manager"] > 0
    assert found.allowed["id"] > 0
    puts = sum(step.segment.type == SegmentType.MQPUT for step in stage.player.flow.steps)
    assert stage.scene.station.depth("UNIFORM.QUEUE") == puts > 0
    assert stage.player.notes == [
        "the password is masked in the recording and is played as it is; --user gives another sign-on"
    ]


@pytest.mark.parametrize("number", [1, 9])
def test_a_refusal_that_does_not_come_is_a_difference(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    found = Stage(monkeypatch, number).plays()
    assert [(field, recorded, ours) for _, field, recorded, ours in different(found)][:2] == [
        ("API.CompCode", 2, 0),
        ("API.Reason", 2035, 0),
    ]
    assert len(found.different) == 3
    assert different(Stage(monkeypatch, number, user="nobody").plays()) == []


def test_a_queue_that_is_missing_is_a_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    stage = Stage(monkeypatch, 13)
    stage.scene.station.types("DELETE QLOCAL(UNIFORM.QUEUE)")
    reasons = {ours for _, field, _, ours in different(stage.plays()) if field == "API.Reason"}
    assert reasons == {2085, 2019}


@pytest.mark.parametrize(
    "speaks",
    [
        {"max_message_length": 100_000},
        {"heartbeat_interval": 1},
        {"heartbeat_interval": 900},
        {"transmission_size": 4096},
        {"shared_conversations": 20},
        {"ccsid": 437},
        {"order": ByteOrder.BIG},
    ],
    ids=str,
)
@pytest.mark.spec("channels.md 4")
def test_other_values_are_agreed_on(monkeypatch: pytest.MonkeyPatch, speaks: dict[str, Any]) -> None:
    stage = Stage(monkeypatch, 13, **speaks)
    found = stage.plays()
    assert different(found) == []
    assert stage.player.played == 47


def test_conversations_that_may_not_share_cannot_be_played(monkeypatch: pytest.MonkeyPatch) -> None:
    stage = Stage(monkeypatch, 13, shared_conversations=0)
    found = stage.plays()
    assert stage.player.notes[-1] == (
        "conversations share the recorded connection; the endpoint does not let them (SHARECNV)"
    )
    assert found.different
    assert stage.player.played == 0


def test_a_channel_that_is_missing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    stage = Stage(monkeypatch, 13)
    stage.scene.station.types(f"DELETE CHANNEL({CHANNEL})")
    found = stage.plays()
    assert len(found.different) >= 1
    assert stage.player.notes[-2:] == [
        "the endpoint says NO_CHANNEL",
        "nothing is agreed on, so nothing more is played",
    ]


# Without a queue manager


def started(number: int = 13, **options: Any) -> Player:
    player = Player(flow(number), **options)
    player.start(0.0)
    assert player.data_to_send()
    return player


def test_an_endpoint_that_says_nothing_is_given_up() -> None:
    player = started(patience=5.0)
    assert player.next_timeout() == 5.0
    player.timeout(4.9)
    assert not player.closed
    player.timeout(5.0)
    assert player.closed
    assert player.notes[-1] == "given up"
    found = player.result(ANY_ENDPOINT)
    assert (found.equal, found.allowed.total()) == (0, 0)
    assert found.different


def test_an_endpoint_that_falls_silent_is_waited_for_three_times() -> None:
    recorded = flow(13)
    answers = [step.segment for step in recorded.steps if step.direction.value == "responder"]
    player = started(patience=5.0)
    for answer in answers[:6]:
        player.receive_data(answer.data, 1.0)
    now, silences = 1.0, 0
    while not player.closed:
        due = player.next_timeout()
        assert due is not None
        assert due - now < 20
        now = due
        player.timeout(now)
        player.data_to_send()
        silences += 1
    assert silences == 3


def test_the_recorded_answers_themselves_are_all_equal() -> None:
    player = Player(flow(12))
    player.start(0.0)
    for step in player.flow.steps:
        if step.direction.value == "responder":
            assert player.data_to_send()
            player.receive_data(step.segment.data, step.time)
    found = player.result(())
    assert player.closed
    assert (found.allowed.total(), found.different) == (0, [])
    assert found.equal > 2000


def test_bytes_that_are_no_segments_end_the_play() -> None:
    player = started()
    player.receive_data(b"HTTP/1.1 400 Bad Request\r\n\r\n", 0.0)
    assert player.closed
    assert "no segments" in player.notes[-1]


def test_heartbeats_are_answered_and_not_compared() -> None:
    player = started()
    asked = SegmentWriter(ByteOrder.BIG).build_common(
        SegmentType.HEARTBEAT, flags1=WHOLE | ControlFlags1.CONFIRM_REQUEST
    )
    player.receive_data(asked, 0.0)
    (answer,) = SegmentReader().feed(player.data_to_send())
    assert (answer.type, answer.flags1, answer.struc_id) == (SegmentType.HEARTBEAT, WHOLE, b"TSHC")
    assert player.result(()).fields == started().result(()).fields


def test_other_credentials_replace_the_recorded_ones() -> None:
    player = Player(flow(13), credentials=ReplayCredentials("alice", "open sesame"))
    player.start(0.0)
    said = player.data_to_send()
    for step in player.flow.steps:
        if step.direction.value == "responder":
            player.receive_data(step.segment.data, step.time)
            said += player.data_to_send()
    assert b"open sesame" in said
    assert b"\xee\xee\xee\xee" not in said
    assert b"alice" in said
    assert "masked" not in " ".join(player.notes)
    types = [segment.type for segment in SegmentReader(1 << 24).feed(said)]
    assert types.count(SegmentType.CONAUTH_INFO) >= 1
