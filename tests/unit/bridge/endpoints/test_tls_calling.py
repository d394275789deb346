"""Channels that call with TLS: the handshake is part of the connecting, and each failure reaches the log."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from mqbridge.protocol.constants import SegmentType
from support.channels.playbook import status
from support.channels.socket_partner import PATIENCE, SocketListener, SocketPartner
from support.processes.endpoint_host import EndpointHost
from support.tls.authority import Authority
from support.tls.endpoints import ANY, Estate


@pytest.fixture
def estate(tmp_path: Path) -> Estate:
    return Estate(tmp_path)


@pytest.fixture
def mars(make_host: Callable[..., EndpointHost], estate: Estate) -> EndpointHost:
    host = make_host()
    host.driver.tls = estate.contexts()
    return host


@contextmanager
def accepted(listener: SocketListener, context: ssl.SSLContext) -> Iterator[SocketPartner]:
    """The called end of the next connection, inside TLS."""
    plain, _ = listener.socket.accept()
    plain.settimeout(PATIENCE)
    with SocketPartner(context.wrap_socket(plain, server_side=True, suppress_ragged_eofs=False)) as partner:
        yield partner


def until_problem(host: EndpointHost, text: str) -> tuple[str, ...]:
    """The first line of the log with a text."""
    found: list[tuple[str, ...]] = host.thread.until(
        lambda: [line for line in host.log if text in " ".join(line)], f"{text}, in {host.log}"
    )
    return found[0]


@pytest.mark.parametrize("version", ["1.2", "1.3"])
def test_a_sender_calls_inside_tls_and_names_its_channel(mars: EndpointHost, estate: Estate, version: str) -> None:
    names: list[str] = []
    context = estate.server(version=version, required=True)
    context.sni_callback = lambda _socket, name, _context: names.append(name)  # type: ignore[assignment]
    with SocketListener() as listener:
        mars.sender(listener.name, SSLCIPH=ANY)
        mars.put(b"for Venus")
        mars.start()
        with accepted(listener, context) as venus:
            initial = venus.expect(SegmentType.INITIAL_DATA)
            assert initial.flags
            assert names == ["mars2e-to2e-venus.chl.mq.ibm.com"]
            peer: Any = venus.socket.getpeercert()
            assert dict(part[0] for part in peer["subject"])["commonName"] == "MARS"
            (agreed,) = mars.thread.call(lambda: [each.tls for each in mars.gateway.connections])
            assert str(agreed.certificate.subject) == "CN=VENUS,O=Space"
            assert agreed.protocol == "TLSV" + version.replace(".", "")


def test_the_conversation_begins_after_the_handshake(mars: EndpointHost, estate: Estate) -> None:
    with SocketListener() as listener:
        mars.sender(listener.name, SSLCIPH=ANY)
        mars.start()
        plain, _ = listener.socket.accept()
        with plain:
            plain.settimeout(PATIENCE)
            assert plain.recv(1, socket.MSG_PEEK) == b"\x16"
            assert not mars.driver.protocols
            with estate.server().wrap_socket(plain, server_side=True) as inside:
                assert inside.recv(4) == b"TSH "
                assert len(mars.driver.protocols) == 1


@pytest.mark.parametrize(
    ("fault", "becomes", "words"),
    [
        ("another authority", "STOPPED", "authority"),
        ("speaks plainly", "STOPPED", "not TLS"),
        ("closes", "RETRYING", "during the handshake"),
        ("resets", "RETRYING", "during the handshake"),
    ],
)
def test_a_handshake_that_fails_is_a_failed_attempt(
    mars: EndpointHost, estate: Estate, fault: str, becomes: str, words: str
) -> None:
    with SocketListener() as listener:
        mars.sender(listener.name, SSLCIPH=ANY, SHORTTMR=600)
        mars.start()
        plain, _ = listener.socket.accept()
        plain.settimeout(PATIENCE)
        if fault == "another authority":
            other = Estate(estate.folder / "other", "O=Others,CN=Authority")
            with pytest.raises(ssl.SSLError, match=r"(?i)unknown.ca"):
                other.server().wrap_socket(plain, server_side=True)
        elif fault == "speaks plainly":
            plain.recv(65536)
            plain.sendall(status())
        elif fault == "resets":
            plain.recv(1)
            plain.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        plain.close()
        mars.until_status(becomes)
        assert not mars.driver.protocols
    assert listener.name in " ".join(until_problem(mars, words))


def test_a_partner_that_is_silent_in_the_handshake_is_given_up(
    mars: EndpointHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mqbridge.bridge.endpoints.driver.CONNECT_TIMEOUT", 0.3)
    with SocketListener() as listener:
        mars.sender(listener.name, SSLCIPH=ANY, SHORTTMR=600)
        mars.start()
        plain, _ = listener.socket.accept()
        with plain:
            mars.until_status("RETRYING")
            assert "TLS was not agreed" in " ".join(mars.until_logged("AMQ9202"))
            plain.settimeout(PATIENCE)
            with suppress(ConnectionResetError):
                while plain.recv(65536):
                    pass


@pytest.mark.parametrize("version", ["1.2", "1.3"])
def test_a_partner_that_does_not_accept_our_certificate_is_told_from_a_lost_connection(
    mars: EndpointHost, estate: Estate, version: str
) -> None:
    """In TLS 1.3 it refuses when our handshake is over, and the channel's first segment is on its way."""
    context = estate.server(version=version, required=True, trusted=Authority("O=Others,CN=Authority"))
    with SocketListener() as listener:
        mars.sender(listener.name, SSLCIPH=ANY, SHORTTMR=600)
        mars.start()
        with pytest.raises(ssl.SSLError), accepted(listener, context):
            pass
        line = until_problem(mars, "unknown ca")
        assert (line[0], "does not trust the authority" in " ".join(line)) == ("AMQ9665", True)
        mars.until_status("STOPPED")


def test_without_tls_a_channel_that_asks_for_it_does_not_call(
    make_host: Callable[..., EndpointHost],
) -> None:
    host = make_host()
    with SocketListener() as listener:
        host.sender(listener.name, SSLCIPH=ANY)
        host.start()
        host.until_status("STOPPED")
        assert "mqbridge certificate create" in " ".join(until_problem(host, "no key repository"))
        listener.socket.settimeout(0.05)
        with pytest.raises(TimeoutError):
            listener.accept()


def test_a_stopped_channel_gives_up_its_handshake(mars: EndpointHost) -> None:
    with SocketListener() as listener:
        mars.sender(listener.name, SSLCIPH=ANY)
        mars.start()
        plain, _ = listener.socket.accept()
        with plain:
            mars.stop()
            plain.settimeout(PATIENCE)
            with suppress(ConnectionResetError):
                while plain.recv(65536):
                    pass
        mars.thread.until(lambda: mars.driver.quiet, "the end of the attempt")


def test_two_queue_managers_agree_inside_tls(make_host: Callable[..., EndpointHost], estate: Estate) -> None:
    here, there = make_host(), make_host()
    here.driver.tls = there.driver.tls = estate.contexts()
    there.receiver("MARS.TO.VENUS", SSLCIPH=ANY)
    here.sender(f"127.0.0.1({there.port})", SSLCIPH=ANY)
    outcome = here.ping()
    here.thread.until(lambda: outcome, "the answer to the ping")
    assert outcome == [None]
