"""Connections inside TLS: back-pressure in both directions, partners that do not read, and every order of closing."""

from __future__ import annotations

import gc
import socket
import ssl
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from OpenSSL import SSL

from mqbridge.bridge.endpoints import driver
from mqbridge.bridge.endpoints.tls import TlsTransport
from mqbridge.bridge.endpoints.tls_filter import TlsFilter
from mqbridge.bridge.tls import IncomingSession, TlsError, TlsSession
from mqbridge.protocol.constants import MQOO, SegmentType, StatusCode
from support.channels.playbook import L1, L2, end_of_batch, heartbeat, initial_data, message
from support.channels.socket_partner import PATIENCE, SocketPartner
from support.clients.socket_program import LONGEST_MESSAGE, clients_welcome, joined, program, split_put
from support.processes.endpoint_host import EndpointHost
from support.tls.authority import Authority
from support.tls.endpoints import ANY, Estate, call_tls, tls_receiver, tls_socket
from support.tls.session_socket import SessionSocket
from support.tls.sessions import offer, repository

MIB = 1 << 20
FLOOD = heartbeat() * 1_000_000
"""Each asks for an answer."""
WAITING = 300_000
"""Bytes of ciphertext that may wait for the kernel: one write, and what the session says itself."""


@pytest.fixture
def estate(tmp_path: Path) -> Estate:
    return Estate(tmp_path)


@pytest.fixture
def mars(make_host: Callable[..., EndpointHost], estate: Estate) -> EndpointHost:
    """MARS with TLS, and its receiver channel."""
    host = make_host()
    host.driver.tls = estate.contexts()
    tls_receiver(host)
    return host


def session(estate: Estate) -> TlsSession:
    """A caller that trusts the authority of MARS."""
    return repository(estate.folder / "venus", estate.authority).call(offer())


def caller(host: EndpointHost, estate: Estate, *, small_buffers: bool = False, start: bool = True) -> SocketPartner:
    """A partner with a session of ours, which starts its channel."""
    plain = socket.socket()
    if small_buffers:
        plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        plain.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
    plain.settimeout(PATIENCE)
    plain.connect(("127.0.0.1", host.port))
    partner = SocketPartner(SessionSocket(plain, session(estate)))  # type: ignore[arg-type]
    if start:
        partner.send(initial_data(channel_name="VENUS.TO.MARS"))
        assert partner.expect(SegmentType.INITIAL_DATA).flags == 0
    return partner


def waiting(host: EndpointHost) -> int:
    """Bytes of ciphertext that the kernel has not taken."""
    transports: list[Any] = [each.transport for each in host.driver.protocols.values()]
    assert all(isinstance(each, TlsTransport) for each in transports)
    return sum(each._filter.waiting for each in transports)


def until_gone(host: EndpointHost) -> None:
    host.thread.until(lambda: not host.driver.protocols, "the end of the connection")


# Back-pressure


def test_a_store_that_does_not_keep_up_stops_the_reading(
    mars: EndpointHost, estate: Estate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(driver, "MAX_UNSTORED", 1)
    tls_receiver(mars, "PLUTO.TO.MARS")
    mars.store.may_commit.clear()
    with call_tls(mars.port, estate.client(), channel="PLUTO.TO.MARS") as pluto, caller(mars, estate) as venus:
        pluto.send(message(1), end_of_batch())
        mars.thread.until(lambda: mars.driver.unstored, "the commit")
        stream = b"".join(message(number, bytes(30_000), persistence=0) for number in range(1, 1001))
        taken = venus.send_what_is_taken(stream)
        assert taken < len(stream)
        assert mars.depth() < 10
        mars.store.may_commit.set()
        assert pluto.expect(SegmentType.STATUS_DATA).luwid == L1
        venus.send(stream[taken:])
        mars.until_depth(1001)


def test_who_never_reads_its_answers_is_not_read_either(mars: EndpointHost, estate: Estate) -> None:
    with caller(mars, estate, small_buffers=True) as venus:
        taken = venus.send_what_is_taken(FLOOD)
        assert taken < len(FLOOD)
        (end,) = mars.channel_manager.channels.named("VENUS.TO.MARS").receiving
        assert end.machine.link.wire.unsent < MIB
        assert 0 < mars.thread.call(waiting, mars) < WAITING
        reader = threading.Thread(target=lambda: venus.send(heartbeat()[taken % 28 :], message(1), end_of_batch()))
        for _ in range(taken // 28 - 20_000):  # what is left is not sent yet
            venus.expect(SegmentType.HEARTBEAT)
        reader.start()
        while (answer := venus.next()) is not None and answer.type == SegmentType.HEARTBEAT:
            pass
        reader.join()
        assert answer is not None
        assert answer.luwid == L1
        assert mars.thread.call(waiting, mars) == 0


def test_a_message_of_100_mib_goes_both_ways(
    make_host: Callable[..., EndpointHost], estate: Estate, monkeypatch: pytest.MonkeyPatch
) -> None:
    most = [0]
    write = TlsTransport.write_now

    def watched(self: TlsTransport, data: bytes) -> bool:
        taken = write(self, data)
        most[0] = max(most[0], self._filter.waiting)
        return taken

    monkeypatch.setattr(TlsTransport, "write_now", watched)
    host = make_host()
    host.driver.tls = estate.contexts()
    clients_welcome(host, SHARECNV=10, SSLCIPH=ANY, SSLCAUTH="OPTIONAL")
    data = bytes(range(256)) * (LONGEST_MESSAGE // 256)
    with program(host, inside=lambda plain: SessionSocket(plain, session(estate))) as client:
        handle = client.opens("TARGET", int(MQOO.OUTPUT | MQOO.INPUT_SHARED))
        client.send(*split_put(client, data, handle))
        assert client.expects(SegmentType.MQPUT_REPLY).outcome == (0, 0)
        client.send(client.request_msgs(handle, 0x1E, max_msg_length=-1, requested=1))
        host.thread.until(lambda: waiting(host), "full buffers")
        answers = [client.expects(SegmentType.ASYNC_MESSAGE)]
        while not answers[-1].flags & 0x20:
            answers.append(client.expects(SegmentType.ASYNC_MESSAGE))
        first, whole = joined(answers)
        assert first.stream.actual_msg_length == LONGEST_MESSAGE
        assert whole == data
    assert 0 < most[0] < WAITING


def test_a_partner_that_takes_nothing_is_given_up(make_host: Callable[..., EndpointHost], estate: Estate) -> None:
    host = make_host(stalled_timeout=0.5)
    host.driver.tls = estate.contexts()
    tls_receiver(host)
    with caller(host, estate, small_buffers=True) as venus:
        flood = memoryview(FLOOD)
        with suppress(ConnectionError):  # a pause of the host alone does not end it
            while flood and not any(line[0] == "AMQ9206" for line in host.log):
                flood = flood[venus.send_what_is_taken(flood, quiet=0.2) :]
        assert "nothing was taken" in " ".join(host.until_logged("AMQ9206"))
        until_gone(host)


# Ends


def test_a_cut_in_the_middle_of_a_message_backs_the_batch_out(mars: EndpointHost, estate: Estate) -> None:
    venus = caller(mars, estate)
    venus.send(message(1), message(2)[:300])
    ends = mars.channel_manager.channels.named("VENUS.TO.MARS").receiving
    mars.thread.until(lambda: sum(end.machine.link.wire.counters.current_messages for end in ends) == 1)
    venus.reset()
    mars.until_logged("AMQ9209")
    assert mars.depth() == 0
    with caller(mars, estate) as venus:
        venus.send(message(1, luwid=L2), message(2, luwid=L2), end_of_batch(L2))
        assert venus.expect(SegmentType.STATUS_DATA).luwid == L2
        assert mars.depth() == 2


class Ends:
    """A tap that notes how connections end."""

    def __init__(self) -> None:
        self.orderly: list[bool] = []
        self.bytes = b""

    def opened(self, connection: object, ends: object) -> None: ...

    def received(self, connection: object, data: bytes) -> None:
        self.bytes += data

    sent = received

    def finished(self, connection: object) -> None: ...

    def gone(self, connection: object, orderly: bool) -> None:
        self.orderly.append(orderly)


@pytest.mark.parametrize(("way", "orderly"), [("close_notify", True), ("FIN", False), ("RST", False)])
@pytest.mark.parametrize("state", ["after the handshake", "while the channel runs", "in the middle of a segment"])
def test_each_end_of_a_partner_ends_the_connection(
    mars: EndpointHost, estate: Estate, state: str, way: str, orderly: bool
) -> None:
    mars.driver.tap = tap = Ends()
    venus = caller(mars, estate, start=state != "after the handshake")
    if state == "in the middle of a segment":
        venus.send(message(1)[:100])
    partner: Any = venus.socket
    if way == "RST":
        venus.reset()
    elif way == "FIN":
        venus.socket.close()
    else:
        partner.end()
        while venus.next() is not None:
            pass
        assert partner.recv(1) == b""  # close_notify of ours
        venus.socket.close()
    until_gone(mars)
    assert tap.orderly == [orderly]
    assert tap.bytes.count(b"TSH ") == {"after the handshake": 0, "while the channel runs": 2}.get(state, 3)


def test_the_error_segment_arrives_though_the_partner_goes_on_sending(mars: EndpointHost, estate: Estate) -> None:
    with caller(mars, estate) as venus:
        venus.send(message(7), *[message(number, bytes(65_000)) for number in range(8, 40)])
        refusal = venus.expect(SegmentType.STATUS_DATA)
        assert (refusal.flags, refusal.code, refusal.value) == (0x0A, StatusCode.MSG_SEQUENCE_ERROR, 1)
        assert venus.next() is None  # and close_notify, no reset
    until_gone(mars)


def test_who_does_not_hang_up_after_our_end_is_hung_up_on(
    mars: EndpointHost, estate: Estate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mqbridge.bridge.endpoints.channel_protocol.LINGER", 0.1)
    with caller(mars, estate) as venus:
        venus.send(message(7))
        venus.expect(SegmentType.STATUS_DATA)
        with suppress(ConnectionResetError):
            assert venus.next() is None
        until_gone(mars)


def test_who_does_not_read_its_refusal_is_hung_up_on(
    mars: EndpointHost, estate: Estate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mqbridge.bridge.endpoints.channel_protocol.CLOSE_TIMEOUT", 0.2)
    with caller(mars, estate, small_buffers=True) as venus:
        venus.send_what_is_taken(FLOOD, quiet=0.2)
        mars.stop("VENUS.TO.MARS", "FORCE")
        until_gone(mars)


@pytest.mark.parametrize("version", ["1.2", "1.3"])
def test_the_partner_hears_close_notify_at_the_end_of_its_channel(
    mars: EndpointHost, estate: Estate, version: str
) -> None:
    with call_tls(mars.port, estate.client(version=version)) as venus:
        venus.send(message(7))
        venus.expect(SegmentType.STATUS_DATA)
        assert venus.next() is None  # no error: the end was announced
    until_gone(mars)


def test_changed_ciphertext_ends_the_connection_with_an_alert_and_a_line(mars: EndpointHost, estate: Estate) -> None:
    with caller(mars, estate) as venus:
        partner: Any = venus.socket
        partner.session.write(message(1))
        ciphertext = bytearray(partner.session.data_to_send())
        ciphertext[40] ^= 1
        partner.plain.sendall(ciphertext)
        with pytest.raises(TlsError, match="bad record mac"):
            partner.recv(1)
    assert "bad record mac" in " ".join(mars.until_logged("AMQ9661"))
    until_gone(mars)
    assert mars.depth() == 0


def test_renegotiation_is_not_answered(mars: EndpointHost, estate: Estate) -> None:
    """Python's `ssl` cannot ask for it; a hello inside the session can."""
    context = SSL.Context(SSL.TLS_METHOD)
    context.set_max_proto_version(SSL.TLS1_2_VERSION)
    with socket.create_connection(("127.0.0.1", mars.port), PATIENCE) as plain:
        plain.settimeout(None)
        connection = SSL.Connection(context, plain)
        connection.set_connect_state()
        connection.do_handshake()
        connection.renegotiate()
        with pytest.raises(SSL.Error):
            connection.do_handshake()


def test_closed_connections_leave_nothing_to_the_garbage_collector(mars: EndpointHost, estate: Estate) -> None:
    """A queue manager collects old objects rarely, and a session has buffers."""

    def sessions() -> int:
        return sum(type(each) in (TlsFilter, IncomingSession) for each in gc.get_objects())

    gc.collect()
    gc.disable()
    try:
        before = sessions()
        for way in ("reset", "end", "refused", "changed", "cut hello", "wrong hello", "other authority"):
            if way in ("cut hello", "wrong hello"):
                plain = socket.create_connection(("127.0.0.1", mars.port), PATIENCE)
                plain.sendall(b"\x16\x03\x01" if way == "cut hello" else b"\x16" + bytes(100))
                mars.thread.until(lambda: mars.driver.protocols, "the connection")
                plain.close()
            elif way == "other authority":
                with pytest.raises(ssl.SSLError):
                    tls_socket(mars.port, estate.client(trusted=Authority("O=Others,CN=Authority")))
            else:
                venus = caller(mars, estate)
                if way == "refused":
                    venus.send(message(7))
                    while venus.next() is not None:
                        pass
                elif way == "changed":
                    venus.socket.plain.sendall(bytes(100))  # type: ignore[attr-defined]
                elif way == "end":
                    venus.socket.end()  # type: ignore[attr-defined]
                venus.reset()
            until_gone(mars)
        mars.thread.until(lambda: sessions() == before, "the end of all sessions", within=5)
    finally:
        gc.enable()


# The tap


def test_recordings_get_plain_bytes(mars: EndpointHost, estate: Estate) -> None:
    mars.driver.tap = tap = Ends()
    with tls_socket(mars.port, estate.client()) as venus:
        venus.sendall(initial_data(channel_name="VENUS.TO.MARS"))
        answer = venus.recv(65536)
    assert tap.bytes == initial_data(channel_name="VENUS.TO.MARS") + answer
