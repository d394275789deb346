"""Who comes to a gateway and should not: each is refused, told in the log, and disturbs no other device."""

from __future__ import annotations

import contextlib
import random
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from mqbridge.protocol.everyplace.errors import Code
from mqbridge.protocol.everyplace.frames import HEAD, MAX_BODY, Frame, FrameReader, Kind
from mqbridge.protocol.everyplace.handshakes import VERSION, Failure, Hello, Proof, read_greeting, write_greeting
from support.gateway_device import Device, StreamTransport, enrol
from support.processes.failing_starts import FailingStarts
from support.processes.running_service import RunningService

CONFIGURATION = """
[everyplace]
name = "HUB"

[[everyplace.listener]]
name = "plain"
adapter = "tcp"
endpoint = "tcp:0:interface=127.0.0.1"
max = 100

[[everyplace.listener]]
name = "web"
adapter = "http"
endpoint = "tcp:0:interface=127.0.0.1"
max = 100
"""
NONCE = bytes(32)


class Door:
    """A gateway, a device that works all the time, and connections of others."""

    def __init__(self, folder: Path) -> None:
        (folder / "queue-manager.toml").write_text(CONFIGURATION, encoding="utf-8")
        options = ("--config", str(folder / "queue-manager.toml"))
        self.service = RunningService(folder, options=options, descriptors=600)
        self.service.start()
        token = enrol(self.service, "MOON")["token"]
        self.port = self._port("plain")
        self.moon = Device("MOON", "HUB", lambda: StreamTransport("127.0.0.1", self.port), token)
        self.moon.pulls()
        self.moon.sends_to("REPLIES", "MOON2")
        enrol(self.service, "MOON2")
        self.count = 0

    def _port(self, listener: str) -> int:
        return int(self.service.ready["everyplace"][listener].rpartition(":")[2].partition("/")[0])

    def works(self) -> None:
        """The device puts a message and gets rid of it, over the connection that it has."""
        self.count += 1
        before = self.moon.line
        self.moon.put("REPLIES@MOON2", f"{self.count}")
        self.moon.run_until(lambda: self.moon.waiting("REPLIES", "MOON2") == 0)
        assert before is None or self.moon.line is before, "its connection was disturbed"

    @contextlib.contextmanager
    def connected(self, listener: str = "plain") -> Iterator[socket.socket]:
        with socket.create_connection(("127.0.0.1", self._port(listener)), 10) as found:
            yield found

    def says(self, data: bytes, *, half: bool = False) -> list[Frame]:
        """What the gateway answers to bytes until it closes."""
        with self.connected() as found:
            with contextlib.suppress(OSError):
                found.sendall(data)
                if half:
                    found.shutdown(socket.SHUT_WR)
            return list(FrameReader().receive(read_all(found)))


def read_all(found: socket.socket) -> bytes:
    answer = b""
    with contextlib.suppress(ConnectionError):
        while data := found.recv(1 << 16):
            answer += data
    return answer


def hello(name: str = "MOON", *, lowest: int = 1, highest: int = 1, partner: str = "") -> bytes:
    body = write_greeting(Hello(name, partner, bytes(8), 0, NONCE, ("key",), lowest=lowest, highest=highest))
    return Frame(Kind.HELLO, 1, body).encode()


def code_of(frames: list[Frame]) -> Code:
    failure = read_greeting(frames[-1].kind, frames[-1].body)
    assert isinstance(failure, Failure)
    return Code(failure.code)


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Door]:
    found = Door(tmp_path_factory.mktemp("door"))
    yield found
    found.moon.close()
    found.service.close()


@pytest.fixture
def door(running: Door) -> Iterator[Door]:
    running.works()
    yield running
    running.works()


@pytest.mark.spec("E-481", "E-479")
@pytest.mark.parametrize(
    ("data", "code"),
    [
        (HEAD.pack(6 + MAX_BODY + 1, Kind.HELLO, 0, 1), None),
        (HEAD.pack(6 + 5000, Kind.HELLO, 0, 1), None),
        (HEAD.pack(0xFFFFFFFF, Kind.HELLO, 0, 1), None),
        (HEAD.pack(3, Kind.HELLO, 0, 1), None),
        (HEAD.pack(6, 200, 0, 1), None),
        (HEAD.pack(6, Kind.HELLO, 0x80, 1), None),
        (HEAD.pack(6, Kind.HELLO, 1, 1), None),
        (Frame(Kind.HELLO, 1, b"").encode(), Code.DATA),
        (Frame(Kind.HELLO, 1, bytes(100)).encode(), Code.DATA),
        (Frame(Kind.PUSH, 1, b"").encode(), Code.DATA),
        (Frame(Kind.PROOF, 1, b"").encode(), Code.DATA),
        (Frame(Kind.READY, 1, b"").encode(), Code.DATA),
        (hello(lowest=VERSION + 1, highest=9), Code.NOT_SUPPORTED),
        (hello(partner="SATURN"), Code.CON_INVALID_NAME),
        (hello("two words"), Code.DATA),
        (hello() + hello(), Code.DATA),
        (hello() + Frame(Kind.PULL, 2, b"").encode(), Code.DATA),
        (hello() + Frame(Kind.PROOF, 1, write_greeting(Proof(bytes(32)))).encode(), Code.AUTHENTICATE),
        (hello("VENUS") + Frame(Kind.PROOF, 1, write_greeting(Proof(bytes(32)))).encode(), Code.AUTHENTICATE),
        (b"GET / HTTP/1.1\r\nHost: hub\r\n\r\n", None),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(64), None),
    ],
)
def test_what_a_stranger_says_is_refused_with_a_code(door: Door, data: bytes, code: Code | None) -> None:
    frames = door.says(data)
    if code is None:  # it has no request that could be answered
        assert frames == []
    else:
        assert frames[-1].kind is Kind.ERROR
        assert code_of(frames) is code


def test_a_cut_frame_is_nothing(door: Door) -> None:
    assert door.says(hello()[:-1], half=True) == []


@pytest.mark.spec("E-484")
def test_a_thousand_wrong_keys(door: Door, request: pytest.FixtureRequest) -> None:
    count = 1000 if request.config.getoption("--long") else 100
    wrong = Frame(Kind.PROOF, 1, write_greeting(Proof(bytes(32)))).encode()
    lines = len(door.service.log.splitlines())
    for _ in range(count):
        assert code_of(door.says(hello() + wrong)) is Code.AUTHENTICATE
    assert len(door.service.log.splitlines()) - lines < 10
    door.works()


@pytest.mark.spec("E-260", "SC-25")
def test_silent_connections_keep_nobody_out(door: Door) -> None:
    silent = []
    for _ in range(150):
        silent.append(socket.create_connection(("127.0.0.1", door.port), 10))
    door.works()
    door.moon.cut()
    door.moon.run_until(lambda: door.moon.line is not None and door.moon.line.ready)
    greeted = []
    for each in silent[-50:]:
        with contextlib.suppress(OSError):
            each.sendall(hello())
            greeted.append(each)
    door.works()
    for each in silent:
        each.close()


def test_more_connections_than_there_are_descriptors(door: Door, request: pytest.FixtureRequest) -> None:
    count = 10_000 if request.config.getoption("--long") else 700
    opened = []
    for _ in range(count):
        try:
            opened.append(socket.create_connection(("127.0.0.1", door.port), 2))
        except OSError:
            break
        if len(opened) > 400:
            opened.pop(0).close()
    door.works()
    for each in opened:
        each.close()


def test_silent_peers_in_each_state_are_closed(door: Door, request: pytest.FixtureRequest) -> None:
    if not request.config.getoption("--long"):
        pytest.skip("it waits for half a minute; --long")
    with contextlib.ExitStack() as stack:
        peers = [stack.enter_context(door.connected()) for _ in range(4)]
        peers[1].sendall(hello()[:5])
        peers[2].sendall(hello()[:-1])
        peers[3].sendall(hello())
        web = [stack.enter_context(door.connected("web")) for _ in range(2)]
        web[1].sendall(b"POST /servlet/MQe HTTP/1.1\r\nHost: hub\r\nContent-Length: 50\r\n\r\nx")
        began = time.monotonic()
        while time.monotonic() - began < 40:
            door.works()
            time.sleep(1)
        for each in [*peers, web[0]]:
            each.settimeout(1)
            read_all(each)


def test_random_bytes_disturb_nobody(door: Door, request: pytest.FixtureRequest) -> None:
    dice = random.Random(13)
    for _ in range(2000 if request.config.getoption("--long") else 60):
        kind = dice.choice([*Kind, 0, 99])
        body = dice.randbytes(dice.choice((0, 1, 8, 60, 3000)))
        data = bytearray(hello() + HEAD.pack(6 + len(body), kind, dice.choice((0, 0, 1, 2)), dice.randrange(4)) + body)
        for _ in range(dice.randrange(3)):
            data[dice.randrange(len(data))] = dice.randrange(256)
        door.says(bytes(data), half=True)
        head = b"POST /servlet/MQe HTTP/1.%d\r\nHost: hub\r\nContent-Length: %d\r\n\r\n" % (
            dice.randrange(2),
            len(data) + dice.choice((0, 0, 0, -1, 1)),
        )
        with door.connected("web") as found:
            found.sendall(head + bytes(data))
            found.shutdown(socket.SHUT_WR)
            read_all(found)
    assert "Traceback" not in door.service.log


@pytest.mark.parametrize(
    ("listener", "line", "words"),
    [
        (
            'adapter = "tcp"\nendpoint = "tcp:0"',
            5,
            'write adapter = "tls", or listen on this machine alone: endpoint = ',
        ),
        ('adapter = "http"\nendpoint = "tcp:0"', 5, 'write adapter = "https"'),
        ('adapter = "tls"\nendpoint = "tcp:0"\nauthenticator = "none"', 3, "certificate create"),
        ('adapter = "tcp"\nendpoint = "tcp:0:interface=127.0.0.1"\nkey = "hub.key"', 7, "belongs to a certificate"),
        ('adapter = "tcp"\nendpoint = "tcp:0"\nauthenticator = "certificate"', 7, "proves something in TLS"),
        ('adapter = "tcp"\nendpoint = "tcp:0"\nauthorities = "x"', 7, "authorities are for TLS"),
        ('adapter = "tcp"\nendpoint = "udp:0"', 6, "endpoints are"),
    ],
)
def test_a_listener_that_strangers_reach_prevents_the_start(
    failing_starts: FailingStarts, tmp_path: Path, listener: str, line: int, words: str
) -> None:
    file = tmp_path / "queue-manager.toml"
    file.write_text(f'[everyplace]\nname = "HUB"\n[[everyplace.listener]]\nname = "L"\n{listener}\n', encoding="utf-8")
    status, log = failing_starts.start(tmp_path, "--config", str(file))
    assert status == 2
    assert f"queue-manager.toml, line {line}: " in log
    assert words in log
