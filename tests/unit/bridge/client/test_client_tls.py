"""The Python client inside TLS, blocking and on a reactor, over real sockets; at the other end is Python's ``ssl``."""

from __future__ import annotations

import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from twisted.internet.defer import CancelledError, Deferred

import mqbridge
from mqbridge.bridge.client import deferred
from support.processes.reactor_thread import ReactorThread
from support.tls.authority import Authority, Issued
from support.tls.terminator import TlsTerminator, demand_certificate, revoke, server_context

QUEUE = "DEV.QUEUE.1"
MEBIBYTE = 1 << 20


@dataclass
class Estate:
    """Authorities, and certificates in a folder."""

    folder: Path
    authority: Authority
    server: Issued
    client: Issued

    def file(self, name: str) -> str:
        return quote(str(self.folder / name))


@pytest.fixture(scope="module")
def estate(tmp_path_factory: pytest.TempPathFactory) -> Estate:
    folder = tmp_path_factory.mktemp("estate")
    authority = Authority()
    estate = Estate(
        folder,
        authority,
        authority.issue("O=Space,OU=Planets,CN=EARTH", curve=True, serial=0xA1B2),
        authority.issue("O=Space,CN=app", hosts=(), curve=True),
    )
    authority.trust_file(folder / "trusted.pem")
    estate.client.save(folder / "client.pem")
    Authority("O=Others,CN=Other").trust_file(folder / "other.pem")
    authority.trust_file(folder / "revoking" / "trusted" / "authority.pem")
    (folder / "revoking" / "crl").mkdir()
    (folder / "revoking" / "crl" / "authority.pem").write_bytes(authority.revoke(estate.server))
    return estate


@pytest.fixture(scope="module")
def reactor() -> Iterator[ReactorThread]:
    thread = ReactorThread()
    yield thread
    thread.stop()


Connects = Callable[..., None]


@pytest.fixture(params=["blocking", "twisted"])
def connects(request: pytest.FixtureRequest, reactor: ReactorThread) -> Connects:
    """Connects, puts and gets a message, and disconnects."""

    def blocking(url: str, **parameters: Any) -> None:
        with mqbridge.connect(url, **parameters) as qm:
            qm.put(QUEUE, "hello")
            message = qm.get(QUEUE)
            assert message is not None
            assert message.text == "hello"

    async def twisted(url: str, **parameters: Any) -> None:
        qm = await deferred.connect(reactor.reactor, url, **parameters)
        await qm.put(QUEUE, "hello")
        message = await qm.get(QUEUE)
        assert message is not None
        assert message.text == "hello"
        await qm.disconnect()

    if request.param == "blocking":
        return blocking
    return lambda url, **parameters: reactor.call(lambda: Deferred.fromCoroutine(twisted(url, **parameters)))


@pytest.fixture
def door(estate: Estate, mq: Any) -> Iterator[TlsTerminator]:
    """TLS in front of a queue manager."""
    with TlsTerminator(server_context(estate.folder, estate.server), (mq.host, mq.port)) as door:
        yield door


def url_of(estate: Estate, port: int, *options: str, trusted: str = "trusted.pem") -> str:
    given = [f"trusted={estate.file(trusted)}"] if trusted else []
    return f"mqs://127.0.0.1:{port}/QM1?{'&'.join([*given, *options])}"


def reason_of(connects: Connects, url: str, **parameters: Any) -> mqbridge.MQError:
    with pytest.raises(mqbridge.MQError) as error:
        connects(url, **{"timeout": 10, **parameters})
    assert "127.0.0.1" in str(error.value) or error.value.reason in (2381, 2399, 2400)
    return error.value


# What works


@pytest.mark.spec("client-observed.md O-140")
@pytest.mark.spec("tls.md T-01")
@pytest.mark.spec("tls.md T-02")
def test_a_program_works_inside_tls(estate: Estate, door: TlsTerminator, connects: Connects) -> None:
    connects(url_of(estate, door.port))
    assert door.server_names == ["dev2e-app2e-svrconn.chl.mq.ibm.com"]
    assert door.agreed[0][0] == "TLSv1.3"
    assert (door.peers, door.faults) == ([None], [])


@pytest.mark.spec("tls.md T-03")
@pytest.mark.parametrize(
    ("host", "sni", "sent"),
    [
        ("127.0.0.1", "channel", "dev2e-app2e-svrconn.chl.mq.ibm.com"),
        ("127.0.0.1", "none", None),
        ("127.0.0.1", "hostname", None),
        ("localhost", "hostname", "localhost"),
        ("127.0.0.1", "mq.example.com", "mq.example.com"),
    ],
)
def test_the_server_name_is_chosen(
    estate: Estate, door: TlsTerminator, connects: Connects, host: str, sni: str, sent: str | None
) -> None:
    connects(url_of(estate, door.port, f"sni={sni}").replace("127.0.0.1", host))
    assert door.server_names == [sent]


@pytest.mark.parametrize(
    ("cipher", "version", "suite"),
    [
        ("ANY_TLS13", "TLSv1.3", "TLS_AES_256_GCM_SHA384"),
        ("ANY_TLS12", "TLSv1.2", "ECDHE-ECDSA-AES256-GCM-SHA384"),
        ("TLS_CHACHA20_POLY1305_SHA256", "TLSv1.3", "TLS_CHACHA20_POLY1305_SHA256"),
        ("ECDHE_ECDSA_AES_128_GCM_SHA256", "TLSv1.2", "ECDHE-ECDSA-AES128-GCM-SHA256"),
    ],
)
def test_the_cipher_spec_is_used(
    estate: Estate, door: TlsTerminator, connects: Connects, cipher: str, version: str, suite: str
) -> None:
    connects(url_of(estate, door.port, f"cipher={cipher}"))
    assert door.agreed == [(version, suite)]


@pytest.mark.parametrize("version", list(VERSIONS := {"1.2": "ANY_TLS12", "1.3": "ANY_TLS13"}))
def test_a_certificate_that_is_asked_for_is_given(estate: Estate, mq: Any, connects: Connects, version: str) -> None:
    context = server_context(estate.folder, estate.server)
    demand_certificate(context, estate.authority)
    with TlsTerminator(context, (mq.host, mq.port)) as door:
        connects(url_of(estate, door.port, f"certificate={estate.file('client.pem')}", f"cipher={VERSIONS[version]}"))
        assert door.peers[0]["subject"] == ((("organizationName", "Space"),), (("commonName", "app"),))
        assert reason_of(connects, url_of(estate, door.port, f"cipher={VERSIONS[version]}")).reason == 2393


def test_a_certificate_that_is_revoked_is_told(estate: Estate, mq: Any, connects: Connects) -> None:
    context = server_context(estate.folder, estate.server)
    demand_certificate(context, estate.authority)
    revoke(context, estate.folder, estate.authority, estate.client)
    with TlsTerminator(context, (mq.host, mq.port)) as door:
        error = reason_of(connects, url_of(estate, door.port, f"certificate={estate.file('client.pem')}"))
    assert error.reason in (2393, 2401)
    assert "revoked" in str(error)


@pytest.mark.parametrize(
    "peer",
    ["CN=EARTH", "CN=earth,OU=Planets,O=Space", "CN=E*", "SERIALNUMBER=A1:B2", 'CN=EARTH;O="Space"'],
)
def test_the_certificate_may_match_a_peer(estate: Estate, door: TlsTerminator, connects: Connects, peer: str) -> None:
    connects(url_of(estate, door.port, f"peer={quote(peer)}"))


@pytest.mark.parametrize("length", [10 * MEBIBYTE, 3_000_001])
def test_long_messages_go_both_ways(estate: Estate, door: TlsTerminator, mq: Any, length: int) -> None:
    mq.mqsc("ALTER CHANNEL(DEV.APP.SVRCONN) CHLTYPE(SVRCONN) MAXMSGL(104857600)", "ALTER QMGR MAXMSGL(104857600)")
    mq.mqsc(f"ALTER QLOCAL({QUEUE}) MAXMSGL(104857600)")
    data = bytes(range(256)) * (length // 256) + bytes(length % 256)
    with mqbridge.connect(url_of(estate, door.port), timeout=10) as qm:
        qm.put(QUEUE, data)
        message = qm.get(QUEUE, wait=5, max_length=length)
        assert message is not None
        assert message.data == data


def test_long_messages_go_both_ways_on_a_reactor(
    estate: Estate, door: TlsTerminator, mq: Any, reactor: ReactorThread
) -> None:
    mq.mqsc("ALTER CHANNEL(DEV.APP.SVRCONN) CHLTYPE(SVRCONN) MAXMSGL(104857600)", "ALTER QMGR MAXMSGL(104857600)")
    mq.mqsc(f"ALTER QLOCAL({QUEUE}) MAXMSGL(104857600)")
    data = bytes(range(256)) * (10 * MEBIBYTE // 256)

    async def work() -> bytes:
        qm = await deferred.connect(reactor.reactor, url_of(estate, door.port), timeout=10)
        await qm.put(QUEUE, data)
        message = await qm.get(QUEUE, wait=5, max_length=len(data))
        await qm.disconnect()
        return message.data if message is not None else b""

    assert reactor.call(lambda: Deferred.fromCoroutine(work())) == data


@pytest.mark.parametrize("shared", [1, 0], ids=["shared", "not-shared"])
def test_long_messages_and_threads_at_our_own_queue_manager(mq_tls: Any, shared: int) -> None:
    mq_tls.mqsc("ALTER CHANNEL(DEV.APP.SVRCONN) CHLTYPE(SVRCONN) MAXMSGL(104857600)", "ALTER QMGR MAXMSGL(104857600)")
    mq_tls.mqsc(f"ALTER QLOCAL({QUEUE}) MAXMSGL(104857600)")
    data = bytes(range(256)) * (10 * MEBIBYTE // 256)
    with mqbridge.connect(f"{mq_tls.url}&peer=CN=QM1", timeout=10, shared_conversations=shared) as qm:
        qm.put(QUEUE, data)
        message = qm.get(QUEUE, wait=5, max_length=len(data))
        assert message is not None
        assert message.data == data
        threads = [threading.Thread(target=lambda: [qm.put(QUEUE, data[:50_000]) for _ in range(10)]) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert [len(each) for each in qm.queue(QUEUE)] == [50_000] * 40


def test_threads_take_turns(estate: Estate, door: TlsTerminator) -> None:
    with mqbridge.connect(url_of(estate, door.port), timeout=10) as qm:
        threads = [threading.Thread(target=lambda: [qm.put(QUEUE, b"x") for _ in range(20)]) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sum(1 for _ in qm.queue(QUEUE)) == 80


def test_an_abort_wakes_the_thread_that_waits(estate: Estate, door: TlsTerminator) -> None:
    qm = mqbridge.connect(url_of(estate, door.port), timeout=10)
    errors: list[BaseException] = []

    def wait() -> None:
        try:
            qm.get(QUEUE, wait=60)
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=wait)
    thread.start()
    time.sleep(0.2)
    qm.abort()
    thread.join(30)
    assert isinstance(errors[0], mqbridge.ConnectionBroken)


@pytest.mark.spec("client-observed.md O-120")
def test_heartbeats_are_answered_while_nobody_calls(estate: Estate, door: TlsTerminator, mq: Any) -> None:
    mq.mqsc("ALTER CHANNEL(DEV.APP.SVRCONN) CHLTYPE(SVRCONN) HBINT(1)")
    with mqbridge.connect(url_of(estate, door.port), heartbeat_interval=1, timeout=10) as qm:
        time.sleep(2.5)  # who has not answered after one second and one more is given up
        qm.put(QUEUE, "alive")


def test_a_connection_that_is_cut_is_broken(estate: Estate, door: TlsTerminator) -> None:
    qm = mqbridge.connect(url_of(estate, door.port), timeout=10)
    door.cut()
    with pytest.raises(mqbridge.ConnectionBroken):
        qm.get(QUEUE, wait=30)
    with pytest.raises(mqbridge.ConnectionBroken):
        qm.put(QUEUE, "x")
    qm.disconnect()


# What does not


def test_another_authority_is_not_trusted(estate: Estate, door: TlsTerminator, connects: Connects) -> None:
    assert reason_of(connects, url_of(estate, door.port, trusted="other.pem")).reason == 2393
    assert reason_of(connects, url_of(estate, door.port, trusted="")).reason == 2393  # those of the system


@pytest.mark.parametrize(("valid", "told"), [((-10.0, -1.0), "expired"), ((1.0, 9.0), "not valid yet")])
def test_a_certificate_out_of_its_time_is_refused(
    estate: Estate, mq: Any, connects: Connects, tmp_path: Path, valid: tuple[float, float], told: str
) -> None:
    issued = estate.authority.issue("CN=EARTH", curve=True, valid=valid)
    with TlsTerminator(server_context(tmp_path, issued), (mq.host, mq.port)) as door:
        error = reason_of(connects, url_of(estate, door.port))
    assert error.reason == 2393
    assert told in str(error)


def test_a_revoked_certificate_is_refused(estate: Estate, door: TlsTerminator, connects: Connects) -> None:
    error = reason_of(connects, url_of(estate, door.port, trusted="revoking"))
    assert error.reason == 2401
    assert "revoked" in str(error)


def test_another_peer_is_refused(estate: Estate, door: TlsTerminator, connects: Connects) -> None:
    error = reason_of(connects, url_of(estate, door.port, "peer=CN=MARS"))
    assert error.reason == 2398
    assert "SERIALNUMBER=A1:B2,CN=EARTH,OU=Planets,O=Space" in str(error)
    assert "does not match CN=MARS" in str(error)


@pytest.mark.parametrize(
    ("options", "reason", "told"),
    [
        ("peer=CN", 2399, "'='"),
        ("peer=CN=a,CN=b", 2399, "twice"),
        ("peer=" + "CN=" + "a" * 1022, 2399, "longer than 1024"),
        ("cipher=TRIPLE_DES_SHA_US", 2400, "deprecated"),
        ("cipher=any_tls13", 2400, "no CipherSpec any_tls13"),
        ("certificate=nowhere.pem", 2381, "nowhere.pem"),
        ("certificate=client.kdb", 2381, "client.kdb"),
    ],
)
def test_settings_that_cannot_be_are_told_before_connecting(
    estate: Estate, connects: Connects, options: str, reason: int, told: str
) -> None:
    error = reason_of(connects, url_of(estate, 1, options))  # nobody is there
    assert error.reason == reason
    assert told in str(error)


@pytest.mark.parametrize("name", ["nowhere.pem", "empty.pem", "noise.pem", "client.kdb", "key.p12", ""])
def test_authorities_that_cannot_be_read_are_told(
    estate: Estate, connects: Connects, tmp_path: Path, name: str
) -> None:
    (tmp_path / "empty.pem").write_bytes(b"")
    for noise in ("noise.pem", "client.kdb", "key.p12"):
        (tmp_path / noise).write_bytes(bytes(range(256)))
    error = reason_of(connects, f"mqs://127.0.0.1:1/QM1?trusted={quote(str(tmp_path / name))}")
    assert error.reason == 2381
    assert (name or tmp_path.name) in str(error)


def test_no_common_cipher_spec(estate: Estate, mq: Any, connects: Connects) -> None:
    context = server_context(estate.folder, estate.server)
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    with TlsTerminator(context, (mq.host, mq.port)) as door:
        assert reason_of(connects, url_of(estate, door.port, "cipher=ANY_TLS13")).reason == 2393
        error = reason_of(connects, url_of(estate, door.port, "cipher=ECDHE_RSA_AES_256_GCM_SHA384"))
        assert error.reason == 2393  # the key is of an elliptic curve


def test_a_queue_manager_without_certificates_says_so(estate: Estate, mq: Any, connects: Connects) -> None:
    error = reason_of(connects, url_of(estate, mq.port))
    assert error.reason == 2393
    assert "alert" in str(error)


def test_plain_to_a_port_of_tls(door: TlsTerminator, connects: Connects) -> None:
    with pytest.raises(mqbridge.ConnectionBroken):
        connects(f"mq://127.0.0.1:{door.port}/QM1", timeout=10)


@pytest.mark.spec("client-observed.md O-033")
def test_nobody_there_is_2538(estate: Estate, connects: Connects) -> None:
    assert reason_of(connects, url_of(estate, 1)).reason == 2538


class FalseServer:
    """Answers the first bytes of one connection with some, and closes it or stays silent. ``drips``: says a little
    from time to time."""

    def __init__(self, answer: bytes, *, closes: bool, drips: bool = False) -> None:
        self._server = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._server.getsockname()[1]
        self._answer, self._closes, self._drips = answer, closes, drips
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._serve)

    def __enter__(self) -> FalseServer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join(30)
        self._server.close()

    def _serve(self) -> None:
        connection, _ = self._server.accept()
        with connection:
            connection.recv(1 << 16)
            connection.sendall(self._answer)
            while self._drips and not self._over.wait(0.05):
                try:
                    connection.send(b"\0")
                except OSError:
                    return
            if not self._closes:
                self._over.wait(30)


SERVER_HELLO_BEGUN = bytes.fromhex("160303007a02000076")


@pytest.mark.spec("client-observed.md O-033")
@pytest.mark.parametrize(
    ("answer", "closes", "reason", "told"),
    [
        (b"", True, 2397, "ended the connection during the handshake"),
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", False, 2397, "is not TLS"),
        (b"TSH \0\0\0\x1c\2\5\x0a" + bytes(17), True, 2397, "is not TLS"),
        (SERVER_HELLO_BEGUN, True, 2397, "ended the connection during the handshake"),
        (b"\x15\x03\x03\x00\x02\x02\x28", True, 2393, "alert"),
        (b"\x16" + b"\xff" * 100, False, 2397, "is not TLS"),
    ],
    ids=["closes", "http", "plain MQ", "cut", "alert", "noise"],
)
def test_who_does_not_speak_tls_is_told_apart(
    estate: Estate, connects: Connects, answer: bytes, closes: bool, reason: int, told: str
) -> None:
    with FalseServer(answer, closes=closes) as server:
        error = reason_of(connects, url_of(estate, server.port))
    assert error.reason == reason
    assert told in str(error)


@pytest.mark.parametrize(
    ("answer", "drips"),
    [(b"", False), (SERVER_HELLO_BEGUN, False), (SERVER_HELLO_BEGUN, True)],
    ids=["silent", "begun", "drips"],
)
def test_who_does_not_go_on_is_given_up_in_time(estate: Estate, connects: Connects, answer: bytes, drips: bool) -> None:
    with FalseServer(answer, closes=False, drips=drips) as server:
        began = time.monotonic()
        error = reason_of(connects, url_of(estate, server.port), timeout=0.3)
        assert time.monotonic() - began < 10
    assert error.reason == 2009
    assert "handshake" in str(error)


def test_a_handshake_may_be_cancelled(estate: Estate, reactor: ReactorThread) -> None:
    with FalseServer(b"", closes=False, drips=True) as server:

        def begin() -> Deferred[None]:
            work = Deferred.fromCoroutine(deferred.connect(reactor.reactor, url_of(estate, server.port)))
            reactor.reactor.callLater(0.2, work.cancel)
            return work

        with pytest.raises(CancelledError):
            reactor.call(begin)
        server._thread.join(30)  # the connection is closed
        assert not server._thread.is_alive()


def test_a_reactor_tells_what_was_agreed(estate: Estate, door: TlsTerminator, reactor: ReactorThread) -> None:
    async def work() -> tuple[str, str]:
        qm = await deferred.connect(reactor.reactor, url_of(estate, door.port, "cipher=ANY_TLS13"), timeout=10)
        agreed = qm.tls
        await qm.disconnect()
        assert agreed is not None
        assert agreed.certificate is not None
        return agreed.protocol, str(agreed.certificate.subject)

    assert reactor.call(lambda: Deferred.fromCoroutine(work())) == ("TLSV13", "CN=EARTH,OU=Planets,O=Space")


@pytest.mark.parametrize("host", ["a..b", "a" * 70, "b\u00fccher.invalid"])
def test_what_is_no_name_of_a_host_is_not_reachable(estate: Estate, connects: Connects, host: str) -> None:
    for sni in ("hostname", "channel"):
        with pytest.raises(mqbridge.NotReachable):
            connects(f"mqs://{quote(host)}/Q?sni={sni}&trusted={estate.file('trusted.pem')}", timeout=2)
