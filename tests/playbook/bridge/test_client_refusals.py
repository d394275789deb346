"""With which status a client is refused before it can connect, so that its program learns the right reason
(client-observed.md O-030, O-031)."""

from __future__ import annotations

from typing import Any

import pytest

from mqbridge.protocol.constants import ControlFlags1, SegmentType, StatusCode
from support.clients.door import Door
from support.clients.playbook import initial_data
from support.clients.program import CHANNEL, ClientProgram

pytestmark = [pytest.mark.spec("client-observed.md O-030"), pytest.mark.spec("client-observed.md O-031")]

REASONS = {1: 2540, 2: 2539, 5: 2059, 0x16: 2537}
"""What IBM's client makes of a code."""


def asks_for(door: Door, channel: str) -> ClientProgram:
    found: list[ClientProgram] = []

    def made(stream: Any) -> ClientProgram:
        found.append(ClientProgram(door.stage, stream, 0))
        return found[0]

    assert door.stage.call("MARS", made, "10.0.0.7")
    found[0]._stream.send(0, initial_data(channel_name=channel, q_mgr_name="MARS"))
    door.stage.wait(0.05)
    return found[0]


@pytest.mark.parametrize(
    ("commands", "channel", "code", "reason", "amq"),
    [
        ([], "NOT.THERE", StatusCode.NO_CHANNEL, 2540, "AMQ9519"),
        ([], "SYSTEM.DEF.RECEIVER", StatusCode.CHANNEL_WRONG_TYPE, 2539, "AMQ9547"),
        (
            [f"STOP CHANNEL({CHANNEL}) STATUS(STOPPED)"],
            CHANNEL,
            StatusCode.CHANNEL_UNAVAILABLE,
            2537,
            "AMQ9534",
        ),
    ],
)
def test_a_channel_that_cannot_be_had(
    commands: list[str], channel: str, code: StatusCode, reason: int, amq: str
) -> None:
    door = Door(*commands)
    client = asks_for(door, channel)
    (answer,) = client.hears()
    assert answer.type == SegmentType.STATUS_DATA
    assert answer.flags & ControlFlags1.CLOSE_CHANNEL, "clients take no notice of it otherwise"
    assert answer.struc_id == b"TSH "
    assert answer.code == code
    assert REASONS[int(code)] == reason
    assert client.gone
    (line,) = door.logged(amq)
    assert channel in line


def test_a_queue_manager_that_ends_lets_nobody_in() -> None:
    door = Door()
    door.mars.gateway.channel_manager.stopping = True
    (answer,) = asks_for(door, CHANNEL).hears()
    assert (answer.type, answer.code) == (SegmentType.STATUS_DATA, StatusCode.QM_TERMINATING)
    assert answer.flags & ControlFlags1.CLOSE_CHANNEL


def test_a_blocked_address_is_hung_up_on() -> None:
    door = Door("SET CHLAUTH('*') TYPE(BLOCKADDR) ADDRLIST('10.0.0.7')")
    client = asks_for(door, CHANNEL)
    assert client.hears() == []
    assert client.gone
    assert door.logged("AMQ9777")


def test_a_program_learns_by_its_mqconn_what_the_channel_does_not_say() -> None:
    door = Door()
    guest = door.comes()
    answer = guest.client.asks(guest.client.mqconn("VENUS"))
    assert (answer.type, answer.outcome) == (SegmentType.MQCONN_REPLY, (2, 2058))
    assert not guest.client.gone, "the client ends the conversation itself (client-observed.md O-032)"


def test_a_client_that_was_refused_and_stays_is_hung_up_on_in_the_end() -> None:
    door = Door()
    guest = door.comes("stranger")
    assert guest.connects() == (2, 2035)
    door.stage.wait(35)
    assert guest.client.gone
