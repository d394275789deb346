"""Devices inside TLS: whose certificate counts, and what OpenSSL's own program gets to see."""

from __future__ import annotations

import shutil
import ssl
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from mqbridge.bridge.cli import cli
from mqbridge.protocol.everyplace.errors import Code
from mqbridge.protocol.everyplace.frames import Frame, FrameReader, Kind
from mqbridge.protocol.everyplace.handshakes import Failure, Hello, read_greeting, write_greeting
from support.gateway_device import Device, StreamTransport, enrol, operate
from support.processes.running_service import MakeService, RunningService
from support.tls.authority import Authority

CONFIGURATION = """
[everyplace]
name = "HUB"

[[everyplace.listener]]
name = "keys"
endpoint = "tcp:0:interface=127.0.0.1"
certificate = "hub.pem"
key = "hub.key"

[[everyplace.listener]]
name = "certificates"
endpoint = "tcp:0:interface=127.0.0.1"
certificate = "hub.pem"
key = "hub.key"
authorities = "known"
authenticator = "certificate"
"""


class Secure:
    """A gateway with certificates."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.made: list[Device] = []
        self.authority = Authority()
        self.foreign = Authority("O=Elsewhere,CN=Foreign")
        own = self.authority.issue("CN=HUB", hosts=("localhost",))
        (folder / "hub.pem").write_bytes(own.certificates_pem)
        (folder / "hub.key").touch(mode=0o600)
        (folder / "hub.key").write_bytes(own.key_pem)
        self.authority.trust_file(folder / "known" / "trusted" / "authority.pem")
        self.revoked = self.authority.issue("CN=REVOKED", hosts=())
        (folder / "known" / "crl").mkdir()
        (folder / "known" / "crl" / "list.pem").write_bytes(self.authority.revoke(self.revoked))
        (folder / "queue-manager.toml").write_text(CONFIGURATION, encoding="utf-8")
        options = ("--config", str(folder / "queue-manager.toml"))
        self.service = RunningService(folder, options=options)

    def port(self, listener: str) -> int:
        return int(self.service.ready["everyplace"][listener].rpartition(":")[2])

    def device(self, name: str, connect: Callable[[], StreamTransport], token: str = "") -> Device:
        found = Device(name, "HUB", connect, token, certified=not token)
        found.pulls()
        self.made.append(found)
        return found

    def context(self, certificate: Path | None = None) -> ssl.SSLContext:
        found = ssl.create_default_context(cafile=str(self.authority.trust_file(self.folder / "authority.pem")))
        if certificate is not None:
            found.load_cert_chain(certificate)
        return found

    def connects(self, listener: str, certificate: Path | None = None) -> Callable[[], StreamTransport]:
        context = self.context(certificate)
        return lambda: StreamTransport("localhost", self.port(listener), context)

    def certificate(self, name: str, authority: Authority | None = None, days: float = 1) -> Path:
        issued = (authority or self.authority).issue(f"CN={name}", hosts=(), valid=(-2, days))
        return issued.save(self.folder / "issued" / f"{name}{days}.pem")


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Secure]:
    found = Secure(tmp_path_factory.mktemp("secure"))
    found.service.start()
    yield found
    found.service.close()


@pytest.fixture
def secure(gateway: Secure) -> Iterator[Secure]:
    yield gateway
    for each in gateway.made:
        each.close()


@pytest.mark.spec("SC-25", "E-249", "E-250", "E-440")
def test_a_key_is_bound_to_the_gateways_certificate(secure: Secure) -> None:
    token = enrol(secure.service, "MOON")["token"]
    moon = secure.device("MOON", secure.connects("keys"), token)
    moon.run_until(lambda: moon.line is not None and moon.line.ready)
    moon.cut()
    connect = secure.connects("keys")

    def through_another() -> StreamTransport:
        found = connect()
        found.binding = bytes(16)  # as if TLS ended at somebody in between
        return found

    moon.connect = through_another
    moon.run_until(lambda: any("does not have the key" in each for each in moon.alarms))


@pytest.mark.spec("SC-25", "E-249", "E-441")
def test_a_certificate_names_the_device(secure: Secure) -> None:
    assert enrol(secure.service, "MARS", "--host", "localhost") is not None
    mars = secure.device("MARS", secure.connects("certificates", secure.certificate("MARS")))
    mars.run_until(lambda: mars.line is not None and mars.line.ready)
    other = secure.device("MARS", secure.connects("certificates", secure.certificate("IO")))
    other.run_until(lambda: any("its certificate is for IO" in each for each in other.alarms))
    stranger = secure.device("IO", secure.connects("certificates", secure.certificate("IO")))
    stranger.run_until(lambda: any("IO may not connect" in each for each in stranger.alarms))
    mars.step()
    assert mars.line is not None
    assert mars.line.ready
    operate(secure.service, "revoke", "MARS")
    mars.run_until(lambda: any("MARS may not connect" in each for each in mars.alarms))


@pytest.mark.parametrize("kind", ["foreign", "expired", "revoked"])
def test_certificates_that_are_refused(secure: Secure, kind: str) -> None:
    file = {
        "foreign": lambda: secure.certificate("MOON", secure.foreign),
        "expired": lambda: secure.certificate("MOON", days=-1),
        "revoked": lambda: secure.revoked.save(secure.folder / "issued" / "revoked.pem"),
    }[kind]()
    moon = secure.device("MOON", secure.connects("certificates", file))
    moon.put("REPLIES@MOON", "kept")
    moon.run_until(lambda: moon.errors or moon.alarms)
    moon.run_until(lambda: moon.alarms)
    assert moon.line is None or not moon.line.ready
    assert moon.texts("REPLIES") == ["kept"]


HELLO = Frame(Kind.HELLO, 1, write_greeting(Hello("MOON", "", bytes(8), 0, bytes(32), ("certificate",)))).encode()


@pytest.mark.skipif(shutil.which("openssl") is None, reason="there is no openssl program")
@pytest.mark.parametrize("kind", ["none", "foreign", "revoked"])
def test_openssl_s_client_gets_no_further(secure: Secure, kind: str) -> None:
    file = {
        "none": lambda: None,
        "foreign": lambda: secure.certificate("MOON", secure.foreign),
        "revoked": lambda: secure.revoked.save(secure.folder / "issued" / "revoked.pem"),
    }[kind]()
    command = ["openssl", "s_client", "-quiet", "-connect", f"localhost:{secure.port('certificates')}", "-CAfile"]
    command += [str(secure.authority.trust_file(secure.folder / "authority.pem"))]
    command += ["-cert", str(file)] if file is not None else []
    result = subprocess.run(command, input=HELLO, capture_output=True, timeout=60, check=False)
    frames = list(FrameReader().receive(result.stdout))
    if kind == "none":
        (frame,) = frames
        assert frame.kind is Kind.ERROR
        failure = read_greeting(frame.kind, frame.body)
        assert isinstance(failure, Failure)
        assert failure.code == Code.AUTHENTICATE
    else:
        assert frames == []
        assert b"alert" in result.stderr


OWN_KEYS = """
[everyplace]
name = "HUB"

[[everyplace.listener]]
name = "certificates"
endpoint = "tcp:0:interface=127.0.0.1"
authenticator = "certificate"
"""


@pytest.mark.spec("E-440", "E-441")
def test_a_certificate_is_made_for_a_device(make_service: MakeService, tmp_path: Path) -> None:
    (tmp_path / "queue-manager.toml").write_text(OWN_KEYS, encoding="utf-8")
    options = ("--config", str(tmp_path / "queue-manager.toml"))
    service = make_service("EARTH", start=False, options=options)
    made = ("create", "--own-authority", "--subject", "CN=HUB", "--host", "localhost", "--key", "ec")
    result = CliRunner().invoke(
        cli, ["certificate", made[0], "--data", str(service.data), "--qmgr", "EARTH", *made[1:]]
    )
    assert result.exit_code == 0, result.output
    service.start()
    folder = tmp_path / "venus"
    line = operate(service, "enrol", "VENUS", "--host", "localhost", "--certificate", str(folder)).output
    assert line.startswith(
        "On the device, with these files:  python3 mqe.pyz create venus.mqe --gateway mqes://localhost:"
    )
    assert (folder / "venus.pem").stat().st_mode & 0o777 == 0o600
    assert operate(service, "admin", "HUB", "create", "local", "ORDERS").exit_code == 0
    words = line.split("mqe.pyz ")[1].split()
    for each in (words, ["put", "venus.mqe", "ORDERS@HUB", "two apples"]):
        command = [sys.executable, "-m", "mqbridge.everyplace", *each]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 0, done.stderr
    command = [sys.executable, "-m", "mqbridge.everyplace", "trigger", "venus.mqe"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr + service.log
