"""Clients that send slowly: who is not known has a time for the whole request."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from twisted.internet.task import Clock
from twisted.internet.testing import StringTransport

from mqbridge.bridge.admin.server import IDLE_TIMEOUT, AdminFactory
from mqbridge.bridge.security import WebRole, WebUser

HEAD = b"POST /ibmmq/rest/v2/admin/action/qmgr/EARTH/mqsc HTTP/1.1\r\nHost: localhost\r\n"
TOKEN = b"ibm-mq-rest-csrf-token:\r\nContent-Length: 1000\r\n\r\n"


class Users:
    """Knows everybody, or nobody is asked."""

    def identify(self, _presented: object) -> WebUser:
        return WebUser("carl", WebRole.USER)


def connected(clock: Clock, users: Users | None) -> tuple[Any, StringTransport]:
    """A connection to an endpoint."""
    yes = SimpleNamespace(admits=lambda _: True, admits_operator=lambda _: True)
    nothing = SimpleNamespace(watch=lambda *_: None, ends=lambda _: None)
    driver = SimpleNamespace(descriptor_guard=yes, stalled=nothing, log=lambda *_: None)
    units = SimpleNamespace(holds=lambda _: False, connection_lost=lambda _: None)
    context: Any = SimpleNamespace(authentication=users, driver=driver, units=units, name="EARTH")
    transport = StringTransport()
    channel: Any = AdminFactory(context, clock).buildProtocol(None)  # type: ignore[arg-type]
    channel.makeConnection(transport)
    return channel, transport


def drip(clock: Clock, channel: Any, data: bytes, seconds: float) -> None:
    """Send bytes one by one, spread over a time."""
    for byte in data:
        clock.advance(seconds / len(data))
        channel.dataReceived(bytes([byte]))


@pytest.mark.parametrize(("users", "closed"), [(Users(), True), (None, False)])
def test_headers_that_drip_have_a_time(users: Users | None, closed: bool) -> None:
    clock = Clock()
    channel, transport = connected(clock, users)
    drip(clock, channel, HEAD, IDLE_TIMEOUT - 1)
    assert not transport.disconnecting
    clock.advance(2)
    assert transport.disconnecting is closed


def test_a_known_user_has_time_for_the_body() -> None:
    clock = Clock()
    channel, transport = connected(clock, Users())
    drip(clock, channel, HEAD + TOKEN, IDLE_TIMEOUT - 1)
    drip(clock, channel, b"x" * 10, 5 * IDLE_TIMEOUT)
    assert not transport.disconnecting
    clock.advance(IDLE_TIMEOUT + 1)
    assert transport.disconnecting


def test_a_login_has_a_time_for_the_body_too() -> None:
    clock = Clock()
    channel, transport = connected(clock, Users())
    head = b"POST /ibmmq/rest/v2/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    channel.dataReceived(head + b"Content-Length: 100\r\n\r\n")
    drip(clock, channel, b"{" * 50, IDLE_TIMEOUT - 1)
    assert not transport.disconnecting
    clock.advance(2)
    assert transport.disconnecting
