"""The first bytes of a connection: plain, TLS, none, one at a time."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from mqbridge.protocol.constants import SegmentType
from support.channels.playbook import L1, end_of_batch, initial_data, message
from support.channels.socket_partner import PATIENCE, SocketPartner, call
from support.processes.endpoint_host import EndpointHost
from support.tls.authority import Authority
from support.tls.endpoints import Estate, call_tls, tls_receiver, tls_socket


@pytest.fixture
def estate(tmp_path: Path) -> Estate:
    return Estate(tmp_path)


@pytest.fixture
def mars(make_host: Callable[..., EndpointHost], estate: Estate) -> EndpointHost:
    """MARS with TLS, and a channel of each kind."""
    host = make_host()
    host.driver.tls = estate.contexts()
    tls_receiver(host)
    host.receiver("PLUTO.TO.MARS")
    return host


@pytest.mark.spec("tls.md T-01")
@pytest.mark.parametrize("version", ["1.2", "1.3"])
def test_a_channel_runs_inside_tls(mars: EndpointHost, estate: Estate, version: str) -> None:
    with call_tls(mars.port, estate.client("O=Space,CN=VENUS", version=version)) as venus:
        venus.send(message(1), end_of_batch())
        assert venus.expect(SegmentType.STATUS_DATA).luwid == L1
        agreed = mars.thread.call(lambda: [each.tls for each in mars.gateway.connections])
        assert [each.protocol for each in agreed] == ["TLSV" + version.replace(".", "")]
        assert str(agreed[0].certificate.subject) == "CN=VENUS,O=Space"
    assert mars.depth() == 1


@pytest.mark.spec("tls.md T-01")
def test_a_plain_channel_runs_on_the_same_port(mars: EndpointHost, estate: Estate) -> None:
    with call(mars.port, channel="PLUTO.TO.MARS") as pluto, call_tls(mars.port, estate.client()):
        pluto.send(message(1), end_of_batch())
        assert pluto.expect(SegmentType.STATUS_DATA).luwid == L1
        agreed = mars.thread.call(lambda: [each.tls for each in mars.gateway.connections])
        assert [each is None for each in agreed] == [True, False]


def test_plain_bytes_come_one_at_a_time(mars: EndpointHost) -> None:
    with call(mars.port, start=False) as pluto:
        pluto.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for byte in initial_data(channel_name="PLUTO.TO.MARS"):
            pluto.send(bytes([byte]))
        assert pluto.expect(SegmentType.INITIAL_DATA).flags == 0


def test_a_handshake_comes_one_byte_at_a_time(mars: EndpointHost, estate: Estate) -> None:
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    end = estate.client().wrap_bio(incoming, outgoing)
    with socket.create_connection(("127.0.0.1", mars.port), PATIENCE) as venus:
        venus.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        while True:
            try:
                end.do_handshake()
                break
            except ssl.SSLWantReadError:
                for byte in outgoing.read():
                    venus.sendall(bytes([byte]))
                incoming.write(venus.recv(65536))
        end.write(initial_data(channel_name="VENUS.TO.MARS"))
        for byte in outgoing.read():
            venus.sendall(bytes([byte]))
        while True:
            try:
                answer = end.read(28)
                break
            except ssl.SSLWantReadError:
                incoming.write(venus.recv(65536))
    assert answer[:4] == b"TSH "


@pytest.mark.interpreted("watches a method")
def test_the_conversation_knows_what_was_agreed_before_its_first_bytes(
    mars: EndpointHost, estate: Estate, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []
    inbound = mars.gateway.connections.inbound

    def watched(*arguments: object) -> object:
        connection = inbound(*arguments)  # type: ignore[arg-type]
        assert connection is not None
        receive = connection.conversation.receive_data

        def received(data: bytes, now: float) -> None:
            seen.append((connection.tls is not None, data[:4]))
            receive(data, now)

        monkeypatch.setattr(connection.conversation, "receive_data", received)
        return connection

    monkeypatch.setattr(mars.gateway.connections, "inbound", watched)
    with call_tls(mars.port, estate.client()):
        assert seen[0] == (True, b"TSH ")


def received_until_end(connection: socket.socket) -> bytes:
    """All that comes until the end, be it announced or not."""
    pieces = []
    try:
        while piece := connection.recv(65536):
            pieces.append(piece)
    except ConnectionResetError:
        pass
    return b"".join(pieces)


def hello(estate: Estate) -> bytes:
    """A caller's first flight."""
    outgoing = ssl.MemoryBIO()
    end = estate.client().wrap_bio(ssl.MemoryBIO(), outgoing, server_hostname="venus2e-to2e-mars.chl.mq.ibm.com")
    with pytest.raises(ssl.SSLWantReadError):
        end.do_handshake()
    return outgoing.read()


@pytest.mark.parametrize("after", ["nothing", "one byte", "half of the hello", "the hello"])
def test_a_silent_caller_is_hung_up_on_without_a_plain_byte(
    make_host: Callable[..., EndpointHost], estate: Estate, after: str
) -> None:
    host = make_host(handshake_timeout=0.3)
    host.driver.tls = estate.contexts()
    flight = hello(estate)
    length = {"nothing": 0, "one byte": 1, "half of the hello": len(flight) // 2, "the hello": len(flight)}[after]
    with socket.create_connection(("127.0.0.1", host.port), PATIENCE) as caller:
        caller.sendall(flight[:length])
        seen = received_until_end(caller)
    assert b"TSH" not in seen
    assert bool(seen) == (after == "the hello")
    host.thread.until(lambda: not host.driver.protocols, "the end of the connection")
    assert host.until_logged("AMQ9259")[0]


@pytest.mark.parametrize("way", ["FIN", "RST"])
@pytest.mark.parametrize("after", ["one byte", "half of the hello", "the answer to the hello"])
def test_a_handshake_that_is_cut_is_in_the_log_and_leaves_nothing(
    mars: EndpointHost, estate: Estate, after: str, way: str
) -> None:
    flight = hello(estate)
    with socket.create_connection(("127.0.0.1", mars.port), PATIENCE) as caller:
        caller.sendall(flight[: {"one byte": 1, "half of the hello": len(flight) // 2}.get(after, len(flight))])
        if after == "the answer to the hello":
            assert caller.recv(5)[0] == 0x16
            if way == "FIN":
                caller.shutdown(socket.SHUT_WR)
                received_until_end(caller)
        else:
            mars.thread.until(lambda: mars.driver.protocols, "the connection")
        if way == "RST":
            caller.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    line = " ".join(mars.until_logged("AMQ9665"))
    assert "during the handshake" in line
    assert "127.0.0.1(" in line
    mars.thread.until(lambda: not mars.driver.protocols, "the end of the connection")
    assert len(mars.gateway.connections) == 0


def test_tls_runs_on_a_unix_socket(mars: EndpointHost, estate: Estate, tmp_path: Path) -> None:
    path = tmp_path / "mars.socket"
    mars.call(mars.listeners.listen, f"unix:{path}")
    plain = socket.socket(socket.AF_UNIX)
    plain.settimeout(PATIENCE)
    plain.connect(str(path))
    with SocketPartner(estate.client().wrap_socket(plain)) as venus:
        venus.send(initial_data(channel_name="VENUS.TO.MARS"))
        assert venus.expect(SegmentType.INITIAL_DATA).flags == 0


def test_without_tls_a_hello_is_answered_with_an_alert_and_a_line_that_says_what_to_do(
    host: EndpointHost, estate: Estate
) -> None:
    with pytest.raises(ssl.SSLError, match=r"(?i)handshake.failure"):
        tls_socket(host.port, estate.client())
    assert "mqbridge certificate create" in " ".join(host.until_logged("AMQ9642"))
    host.thread.until(lambda: not host.driver.protocols, "the end of the connection")
    with call(host.port):  # and plain channels go on
        pass


def test_plain_bytes_after_tls_end_the_connection(mars: EndpointHost, estate: Estate) -> None:
    with call_tls(mars.port, estate.client()) as venus:
        plain = socket.socket(fileno=venus.socket.detach())
    with plain:
        plain.settimeout(PATIENCE)
        plain.sendall(message(1))
        seen = received_until_end(plain)
    assert seen[:3] == b"\x17\x03\x03"  # an alert, encrypted
    assert len(seen) < 64
    assert mars.until_logged("AMQ9661")


def test_a_certificate_that_the_caller_does_not_trust_is_in_the_log(mars: EndpointHost, estate: Estate) -> None:
    with pytest.raises(ssl.SSLError):
        tls_socket(mars.port, estate.client(trusted=Authority("O=Others,CN=Authority")))
    line = " ".join(mars.until_logged("AMQ9665"))
    assert "unknown ca" in line
    assert "127.0.0.1(" in line


def test_the_limit_of_connections_counts_those_in_the_handshake(
    make_host: Callable[..., EndpointHost], estate: Estate
) -> None:
    host = make_host(max=1)
    host.driver.tls = estate.contexts()
    host.receiver()
    with socket.create_connection(("127.0.0.1", host.port), PATIENCE) as silent:
        silent.sendall(hello(estate)[:1])
        host.thread.until(lambda: host.driver.protocols, "the first connection")
        with suppress(ConnectionResetError), call(host.port, start=False) as second:
            assert received_until_end(second.socket) == b""
    host.until_logged("AMQ9513")


def test_the_partner_of_a_refused_channel_reads_why_inside_tls(mars: EndpointHost, estate: Estate) -> None:
    with SocketPartner(tls_socket(mars.port, estate.client())) as venus:
        venus.send(initial_data(channel_name="NO.SUCH.CHANNEL"))
        assert venus.expect(SegmentType.STATUS_DATA).flags
        assert venus.next() is None  # close_notify
