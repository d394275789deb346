"""Callers of MyOpenQ that do it wrong: a documented answer, nothing changed, and the others are served on."""

from __future__ import annotations

import contextlib
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from mqbridge.bridge.config import parse_configuration
from mqbridge.bridge.service.errors import StartError
from mqbridge.bridge.service.myopenq import MyOpenQ, require_proof
from mqbridge.moq import Access, MoqClient, MoqError, Unreachable
from mqbridge.protocol.myopenq import Command, Get, NamedRequest, Put
from support.myopenq.doors import (
    HOST,
    FramedLine,
    client_of,
    exchange,
    local,
    packet,
    port_of,
    serve,
    write_configuration,
)
from support.processes.running_service import MakeService, RunningService, wait_for
from support.tls.authority import Authority


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    folder = tmp_path_factory.mktemp("doors")
    limits = "timeout = 0.3\nmax = 20\nmd5_list = 3"
    made = RunningService(folder / "EARTH", options=write_configuration(folder, limits, f'mode = "framed"\n{limits}'))
    made.start()
    with client_of(made) as client:
        client.create(local("A"))
    yield made
    made.close()


@pytest.fixture(autouse=True)
def serves_on(service: RunningService) -> Iterator[None]:
    """Whatever has happened, the next caller finds the queue as it was."""
    yield
    with client_of(service) as client:
        assert client.count("A") == 0


@pytest.mark.spec("M-030", "M-049")
@pytest.mark.parametrize("at", [84, 32, 42])
def test_letters_where_digits_are_due(service: RunningService, at: int) -> None:
    data = packet(Put("A", b"x"))
    wrong = data[:at] + b"1x3" + data[at + 3 :]
    assert exchange(port_of(service), wrong).startswith(b"MOQ-2003 ")
    with FramedLine(port_of(service, "D1")) as line:
        line.socket.sendall(wrong)
        assert line.answer().code == 2003
        assert line.socket.recv(1) == b""


def test_packets_cut_anywhere(service: RunningService) -> None:
    data = packet(Put("A", b"text"))
    for cut in range(0, len(data), 7):
        with socket.create_connection((HOST, port_of(service)), 30) as connected:
            connected.sendall(data[:cut])
            connected.shutdown(socket.SHUT_WR)
            assert connected.recv(100) == b""


def test_a_caller_that_ends_its_side_gets_its_answer(service: RunningService) -> None:
    with socket.create_connection((HOST, port_of(service)), 30) as connected:
        connected.sendall(packet(NamedRequest(Command.COUNT, "A")))
        connected.shutdown(socket.SHUT_WR)
        assert connected.recv(100) == b"0"
        assert connected.recv(100) == b""


def test_slow_callers_are_refused(service: RunningService) -> None:
    data = packet(Put("A", b"text"))
    with socket.create_connection((HOST, port_of(service)), 30) as connected:
        begun = time.monotonic()
        with contextlib.suppress(OSError):
            for at in range(len(data)):
                connected.sendall(data[at : at + 1])
                time.sleep(0.02)
        assert time.monotonic() - begun < 60
        answer = connected.recv(200)
        assert answer.startswith(b"MOQ-2003 no packet within 0.3 seconds")


def test_a_framed_connection_may_be_silent_between_packets(service: RunningService) -> None:
    with FramedLine(port_of(service, "D1")) as line:
        for _ in range(2):
            time.sleep(0.5)
            assert line.ask(NamedRequest(Command.COUNT, "A")).payload == b"0"


def test_many_connections_end_the_oldest_silent_ones(service: RunningService) -> None:
    with contextlib.ExitStack() as stack:
        lines = [stack.enter_context(FramedLine(port_of(service, "D1"))) for _ in range(60)]
        assert lines[-1].ask(NamedRequest(Command.COUNT, "A")).payload == b"0"
        with contextlib.suppress(ConnectionResetError):
            assert lines[0].socket.recv(1) == b""


def test_packets_behind_one_another(service: RunningService) -> None:
    many = 200
    with FramedLine(port_of(service, "D1")) as line:
        line.socket.sendall(b"".join(packet(Put("A", b"%d" % each), framed=True) for each in range(many // 2)))
        assert [line.answer().code for _ in range(many // 2)] == [0] * (many // 2)
        line.socket.sendall(packet(Get("A"), framed=True) * (many // 2))
        assert [line.answer().payload for _ in range(many // 2)] == [b"%d" % each for each in range(many // 2)]


def test_a_caller_that_goes_while_it_waits_takes_nothing(service: RunningService) -> None:
    with FramedLine(port_of(service, "D1")) as line:
        line.socket.sendall(packet(Get("A", 60), framed=True))
        time.sleep(0.1)
    with client_of(service) as client:
        wait_for("the end of the wait", lambda: int(service.attribute("DISPLAY QSTATUS(A) IPPROCS", "IPPROCS")) == 0)
        client.put("A", b"stays")
        assert client.get("A") == b"stays"


@pytest.mark.spec("M-087", "M-112")
def test_a_full_list_forgets_the_oldest(service: RunningService) -> None:
    port = port_of(service)
    for stamp in (1, 2, 3, 4, 4, 3, 2, 1):  # the first is forgotten when the fourth comes
        assert exchange(port, packet(Put("A", b"x"), stamp, sign=True)) == b"SUCCESS"
    with client_of(service) as client:
        assert client.count("A") == 5
        client.purge("A")


# TLS and start


@pytest.mark.spec("M-098")
def test_callers_need_a_certificate_inside_tls(make_service: MakeService, tmp_path: Path) -> None:
    authority, stranger = Authority(), Authority("O=Tests,CN=Stranger")
    trusted = str(authority.trust_file(tmp_path / "authority.pem"))
    issued = authority.issue("CN=server")
    issued.save(tmp_path / "server.pem")
    authority.issue("CN=caller").save(tmp_path / "caller.pem")
    stranger.issue("CN=caller").save(tmp_path / "stranger.pem")
    keys = f"certificate = '{tmp_path / 'server.pem'}'\nkey = '{tmp_path / 'server.pem'}'\nauthorities = '{trusted}'"
    served = serve(make_service, tmp_path, f"tls = true\n{keys}")
    port = port_of(served)
    with MoqClient(HOST, port, Access(trusted=trusted, certificate=str(tmp_path / "caller.pem"))) as client:
        client.create(local("A"))
        client.put("A", b"inside")
        assert client.get("A") == b"inside"
    for access in (
        Access(trusted=trusted),
        Access(trusted=trusted, certificate=str(tmp_path / "stranger.pem")),
        Access(),
    ):
        with MoqClient(HOST, port, access) as client, pytest.raises((Unreachable, MoqError)):
            client.count("A")
    wait_for("the log", lambda: "it has shown no certificate" in served.log)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('endpoint = "ssl:9803"', "endpoints are"),
        ('key = "k.pem"', "is for TLS"),
        ('tls = true\nkey = "k.pem"', "a key belongs to a certificate"),
        ('admin_allow = "none.allow"', "there is no such file"),
        ('secret_file = "none"', "No such file"),
        ('secret_file = "short"', "fewer than 16 bytes"),
        ("[[myopenq]]", "two doors"),
    ],
)
def test_doors_that_cannot_be(tmp_path: Path, text: str, why: str) -> None:
    (tmp_path / "short").write_text("short\n", encoding="utf-8")
    configuration = parse_configuration(f"[[myopenq]]\n{text}\n", tmp_path / "doors.toml")
    with pytest.raises(StartError, match=why):
        MyOpenQ(configuration)


@pytest.mark.spec("M-098")
@pytest.mark.parametrize(
    ("text", "proves"),
    [
        ("", False),
        ("tls = true\nclient_certificates = false", False),
        ("tls = true", True),
        ('secret_file = "secret"', True),
        ("address_only = true", True),
    ],
)
def test_other_machines_need_more_than_an_address(tmp_path: Path, text: str, proves: bool) -> None:
    (door,) = parse_configuration(f"[[myopenq]]\n{text}\n", tmp_path / "doors.toml").myopenq
    with contextlib.nullcontext() if proves else pytest.raises(StartError, match="an address is easily another's"):
        require_proof(door)
