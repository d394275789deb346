"""Which addresses make clients give a password."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqbridge.bridge.agents.gateway.driver_interface import ControlError
from mqbridge.bridge.queue_manager.objects import Kind
from mqbridge.bridge.security import is_loopback
from support.processes.endpoint_host import EndpointHost


@pytest.mark.parametrize(
    ("endpoint", "exposed"),
    [("tcp:0:interface=127.0.0.1", False), ("tcp:0:interface=0.0.0.0", True), ("tcp:0", True), ("unix:{}/door", False)],
)
def test_a_listener_that_others_can_reach_is_noted(
    host: EndpointHost, tmp_path: Path, endpoint: str, exposed: bool
) -> None:
    security = host.manager.security
    assert not security.exposed
    host.call(host.listeners.listen, endpoint.format(tmp_path))
    assert security.exposed is exposed
    assert any(not is_loopback(each) for each in host.listeners.hosts) is exposed


def test_it_stays_noted_after_the_listener_was_closed(host: EndpointHost) -> None:
    """Whoever connected by it has still to give a password."""
    host.call(host.listeners.listen, "tcp:0:interface=0.0.0.0", "WIDE")
    listener = host.manager.objects.define(Kind.LISTENER, "WIDE", {"TRPTYPE": "TCP"}, 0.0).new
    host.call(host.listeners.stop_listener, listener, 0.0)
    assert host.manager.security.exposed


def test_start_listener_needs_a_user_for_other_machines(host: EndpointHost) -> None:
    attributes = {"TRPTYPE": "TCP", "PORT": 0}
    wide = host.manager.objects.define(Kind.LISTENER, "WIDE", attributes, 0.0).new
    with pytest.raises(ControlError, match="there is no user"):
        host.call(host.listeners.start_listener, wide, 0.0, lambda _: None)
    near = host.manager.objects.define(Kind.LISTENER, "NEAR", {**attributes, "IPADDR": "127.0.0.1"}, 0.0).new
    host.call(host.listeners.start_listener, near, 0.0, lambda _: None)
