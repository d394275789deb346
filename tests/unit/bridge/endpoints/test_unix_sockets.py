"""Listeners on Unix sockets: channels and clients work there as on a port, and come from the loopback address."""

from __future__ import annotations

import socket
import stat
from pathlib import Path

import pytest

from mqbridge.captures import read_segments
from mqbridge.protocol.constants import MQOO, SegmentType
from support.captures.recording_proxy import Proxy
from support.channels.playbook import L1, end_of_batch, initial_data, message
from support.channels.socket_partner import call
from support.clients.socket_program import clients_welcome, program
from support.processes.endpoint_host import LOCAL, EndpointHost
from support.processes.running_service import MakeService, RunningService, wait_for

LAST = 0x20
"""Flag of the last segment of an answer."""
CHANNEL = """
DEFINE QLOCAL(TARGET)
DEFINE CHANNEL(VENUS.TO.MARS) CHLTYPE(RCVR) MCAUSER('checks')
SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('checks') AUTHADD(ALL)
SET AUTHREC PROFILE('**') OBJTYPE(QUEUE) PRINCIPAL('checks') AUTHADD(ALL)
"""


@pytest.fixture
def door(host: EndpointHost, tmp_path: Path) -> Path:
    """A Unix socket of MARS."""
    path = tmp_path / "door"
    host.call(host.listeners.listen, f"unix:{path}:mode=600")
    return path


def test_a_channel_delivers_by_a_unix_socket(host: EndpointHost, door: Path) -> None:
    assert stat.S_IMODE(door.stat().st_mode) == 0o600
    with call(door) as venus:
        venus.send(message(1), message(2), end_of_batch())
        assert venus.expect(SegmentType.STATUS_DATA).luwid == L1
        (row,) = host.call(host.control.statuses, False, 0.0)
        assert (row["STATUS"], row["CONNAME"]) == ("RUNNING", f"{LOCAL}(0)")
        assert host.gateway.connections.by_address[LOCAL] == 1
    assert host.visible() == 2


def test_clients_work_by_a_unix_socket(host: EndpointHost, door: Path) -> None:
    clients_welcome(host)
    with program(host, conversations=0, place=door) as client:
        handle = client.opens("TARGET", int(MQOO.INPUT_SHARED))
        host.put(b"hello", "TARGET")
        got = client.gets(handle)
        assert (got.comp_code, got.reason, got.data) == (0, 0, b"hello")


def test_the_listener_is_shown_by_its_path(host: EndpointHost, door: Path) -> None:
    rows = host.call(host.listeners.listeners, 0.0)
    assert [(row["IPADDR"], row["PORT"]) for row in rows][1:] == [(f"unix:{door}", 0)]
    assert [str(each) for each in host.listeners.open] == [f"{LOCAL}({host.port})", f"unix:{door}"]


def test_a_client_that_does_not_read_stops_the_writing(host: EndpointHost, door: Path) -> None:
    clients_welcome(host)
    data = bytes(range(256)) * (1 << 14)
    with program(host, conversations=0, place=door) as client:
        handle = client.opens("TARGET", int(MQOO.INPUT_SHARED))
        host.put(data, "TARGET")
        client.send(client.get_segment(handle, room=len(data)))
        host.thread.until(lambda: host.driver.stalled._since, "the stall")
        (protocol,) = host.driver.protocols.values()
        assert protocol.peer == f"{LOCAL}(0)"
        answer = client.hear()
        while not answer.flags & LAST:
            answer = client.hear()
        assert answer.body.endswith(data[-1000:])


# Whole queue managers


@pytest.fixture
def mars(make_service: MakeService, tmp_path: Path) -> RunningService:
    """MARS, which listens on a Unix socket only, with a channel to it; every connection is recorded and judged."""
    return make_service("MARS", listen=f"unix:{tmp_path}/door", mqsc=CHANNEL)


def test_channel_authentication_records_see_the_loopback_address(mars: RunningService, tmp_path: Path) -> None:
    door = tmp_path / "door"
    assert mars.ready["listeners"] == [{"host": f"unix:{door}", "port": 0}]
    assert f"listening on unix:{door}\n" in mars.output
    with call(door) as venus:
        venus.send(message(1), end_of_batch())
        assert venus.expect(SegmentType.STATUS_DATA).luwid == L1
        assert f"CONNAME({LOCAL}(0))" in "\n".join(mars.mqsc("DISPLAY CHSTATUS(*)"))
    mars.mqsc(f"SET CHLAUTH('VENUS.*') TYPE(ADDRESSMAP) ADDRESS('{LOCAL}') USERSRC(NOACCESS)")
    with call(door, start=False) as venus:
        venus.send(initial_data(channel_name="VENUS.TO.MARS"))
        answer = venus.next()
        assert answer is None or answer.type != SegmentType.INITIAL_DATA or answer.flags
    wait_for("the refusal", lambda: f"{LOCAL}(0)" in mars.log)


def test_a_socket_that_a_killed_process_left_is_no_hindrance(mars: RunningService, tmp_path: Path) -> None:
    mars.kill()
    assert (tmp_path / "door").is_socket()
    mars.start()
    with call(tmp_path / "door") as venus:
        venus.send(message(1), end_of_batch())
        assert venus.expect(SegmentType.STATUS_DATA).luwid == L1
    assert mars.stop() == 0
    assert not (tmp_path / "door").exists()


def test_what_else_is_there_is_left_alone(make_service: MakeService, tmp_path: Path) -> None:
    place = tmp_path / "door"
    place.write_text("mine")
    service = make_service(start=False, listen=f"unix:{place}")
    service.launch()
    assert service.wait() == 3
    assert "there is a file of that name" in service.log
    assert place.read_text() == "mine"
    place.unlink()
    with socket.socket(socket.AF_UNIX) as other:
        other.bind(str(place))
        other.listen()
        service.launch()
        assert service.wait() == 3
    assert "another process listens there" in service.log


def test_the_proxy_records_what_comes_by_a_unix_socket(make_service: MakeService, tmp_path: Path) -> None:
    service = make_service("MARS", mqsc=CHANNEL)
    proxy = Proxy(tmp_path, f"127.0.0.1:{service.port}", listen=f"unix:{tmp_path}/proxy")
    try:
        with call(tmp_path / "proxy") as venus:
            venus.send(message(1), end_of_batch())
            assert venus.expect(SegmentType.STATUS_DATA).luwid == L1
        call(tmp_path / "proxy").socket.close()
        assert proxy.stop() == 0
    finally:
        proxy.close()
    read = read_segments(proxy.output)
    found = list(read)
    assert read.flows.error is None
    assert {(each.flow.initiator.address, each.flow.initiator.port) for each in found} == {(LOCAL, 1), (LOCAL, 2)}
