"""A program at a queue manager elsewhere, while its connection is made, refused and lost."""

from __future__ import annotations

from typing import Any

import pytest

from mqbridge.bridge.agents.everyplace.mq.client_program import ClientProgram
from mqbridge.bridge.agents.everyplace.mq.program import MqFailure, Wanted
from mqbridge.mappings.message import Message
from mqbridge.protocol.mqi_client import ClientParameters

pytestmark = pytest.mark.spec("E-401", "E-402")


class Transport:
    """Takes what is sent."""

    def __init__(self) -> None:
        self.sent = b""
        self.closed = False

    def write(self, data: bytes) -> None:
        self.sent += data

    def close(self) -> None:
        self.closed = True


def program() -> ClientProgram:
    return ClientProgram(ClientParameters(channel_name="GATE.SVRCONN", queue_manager="SATURN"), lambda: 1000.0)


def reasons(found: list[Any]) -> list[int]:
    assert all(isinstance(each, MqFailure) for each in found), found
    return [each.reason for each in found]


def test_calls_of_a_connection_that_is_never_made_fail() -> None:
    mine, found = program(), []
    mine.put("ORDERS", "", Message.build(b"one"), found.append)
    mine.get(Wanted("ORDERS"), found.append)
    mine.commit((), found.append)
    assert found == []
    mine.lost("connection refused")
    assert reasons(found) == [2538, 2538, 2538]
    assert mine.broken
    mine.back_out(found.append)
    assert reasons(found)[3:] == [2538]


def test_a_connection_that_is_lost_under_way_fails_what_waits_and_may_be_ended_in_the_answer() -> None:
    """The bridge backs out and ends a program as soon as a call of it has failed."""
    mine, transport, found = program(), Transport(), []

    def failed(outcome: Any) -> None:
        found.append(outcome)
        mine.back_out(found.append)
        mine.end()

    mine.connected(transport)
    assert transport.sent
    mine.put("ORDERS", "", Message.build(b"one"), failed)
    mine.lost("cut")
    assert transport.closed
    assert set(reasons(found)) <= {2009, 2059}
    assert mine.next_timeout() is None
    mine.receive_data(b"late")
    mine.lost("again")


def test_a_program_that_has_ended_takes_no_transport() -> None:
    mine, transport = program(), Transport()
    mine.end()
    mine.connected(transport)
    assert transport.closed
    assert not transport.sent


def test_what_is_no_answer_of_a_queue_manager_ends_the_connection() -> None:
    mine, transport, found = program(), Transport(), []
    mine.connected(transport)
    mine.put("ORDERS", "", Message.build(b"one"), found.append)
    mine.receive_data(b"HTTP/1.1 400 Bad Request\r\n\r\n" * 4)
    assert mine.broken
    assert transport.closed
    assert len(found) == 1
