"""Gateways that call others by each adapter with a key, and devices behind a web server that ends TLS."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from cryptography.hazmat.primitives.serialization import Encoding

from mqbridge.bridge.cli import cli
from mqbridge.protocol.everyplace.token import Token, fingerprint_of
from support.everyplace_devices import eventually
from support.gateway_device import Device, StreamTransport, enrol, operate
from support.gateway_web import PATH, Web
from support.processes.running_service import RunningService
from support.tls.authority import Authority
from support.web_servers import Nginx, Tinyproxy

CONFIGURATION = """
[everyplace]
name = "ZEN"
pin_file = "pin"

[[everyplace.listener]]
name = "plain"
adapter = "tcp"
endpoint = "tcp:0:interface=127.0.0.1"
"""
PIN = "correct horse"


class Calling:
    """ZEN, which calls HUB, and a device of it that sends there."""

    def __init__(self, folder: Path, web: Web) -> None:
        self.web = web
        folder.mkdir()
        (folder / "queue-manager.toml").write_text(CONFIGURATION, encoding="utf-8")
        (folder / "pin").touch(mode=0o600)
        (folder / "pin").write_text(PIN, encoding="ascii")
        options = ("--config", str(folder / "queue-manager.toml"))
        self.service = RunningService(folder, "SATURN", options=options)
        made = ["certificate", "create", "--data", str(self.service.data), "--subject", "CN=ZEN", "--key", "ec"]
        assert CliRunner().invoke(cli, made, prog_name="mqbridge").exit_code == 0
        self.service.start()
        assert operate(web.service, "admin", "HUB", "create", "local", "PAID").exit_code == 0
        self.sent = 0
        self.token = Token.parse(enrol(web.service, "ZEN")["token"])
        port = int(self.service.ready["everyplace"]["plain"].rpartition(":")[2])
        self.device = Device(
            "DIONE", "ZEN", lambda: StreamTransport("127.0.0.1", port), enrol(self.service, "DIONE")["token"]
        )
        self.device.sends_to("PAID", "HUB")

    def admin(self, *words: str) -> None:
        found = operate(self.service, "admin", "ZEN", *words)
        assert found.exit_code == 0, found.output

    def connect(self, adapter: str, port: int, token: Token, *properties: str) -> None:
        """Have ZEN call HUB so from now on."""
        words = ("connection", "HUB", "--adapter", adapter, "--endpoint", f"localhost:{port}")
        eventually(lambda: "called" not in self.blocks())
        more = ("--properties", ",".join(properties)) if properties else ("--default", "properties")
        if operate(self.service, "admin", "ZEN", "inquire", "connection", "HUB").exit_code == 0:
            self.admin("delete", "connection", "HUB")
        self.admin("create", *words, "--path", PATH, "--authenticator", "key", "--token", token.text(), *more)
        if not self.sent:
            self.admin("create", "remote", "PAID@HUB", "--mode", "asynchronous", "--close-idle", "yes")

    def send(self) -> None:
        """Put a message that goes to HUB."""
        self.sent += 1
        self.device.put("PAID@HUB", f"apple {self.sent}")
        self.device.run_until(lambda: self.device.waiting("PAID", "HUB") == 0)

    def arrived(self) -> bool:
        """Whether everything is at HUB."""
        size = operate(self.web.service, "admin", "HUB", "inquire", "queue", "PAID", "--current-size").output
        return f"current-size  {self.sent}\n" in size

    def blocks(self) -> str:
        return operate(self.service, "status").output

    def close(self) -> None:
        self.device.close()
        self.service.close()


@pytest.fixture(scope="module")
def calling(shared_web: Web) -> Iterator[Calling]:
    found = Calling(shared_web.folder / "zen", shared_web)
    yield found
    found.close()


def pinned(web: Web, token: Token) -> Token:
    """The token as a listener with TLS gives it."""
    text = (web.folder / "hub.pem").read_bytes()
    return token._replace(fingerprint=fingerprint_of(der(text)))


def der(text: bytes) -> bytes:
    from cryptography.x509 import load_pem_x509_certificate

    return load_pem_x509_certificate(text).public_bytes(Encoding.DER)


@pytest.mark.spec("E-245", "E-249", "E-250", "E-302", "E-303", "E-440", "E-465")
def test_a_gateway_calls_another_by_each_adapter_with_a_key(web: Web, calling: Calling) -> None:
    ways = (("tcp", "clear", ()), ("tls", "stream", ()), ("http", "plain", ("http_version=1.0",)))
    for adapter, listener, properties in (*ways, ("http", "plain", ()), ("https", "secure", ())):
        token = pinned(web, calling.token) if adapter in ("tls", "https") else calling.token
        calling.connect(adapter, web.port(listener), token, *properties)
        calling.send()
        eventually(calling.arrived)
    assert calling.token.text() not in calling.service.log
    stored = b"".join(each.read_bytes() for each in calling.service.data.rglob("*") if each.is_file())
    assert calling.token.key("ZEN") not in stored


@pytest.mark.spec("E-308", "E-367", "E-483", "E-484")
@pytest.mark.parametrize("adapter", ["http", "https"])
def test_a_gateway_calls_through_a_proxy_with_a_password(
    web: Web, calling: Calling, tmp_path: Path, adapter: str
) -> None:
    proxy = Tinyproxy(tmp_path)
    web.open.append(proxy)
    token = pinned(web, calling.token) if adapter == "https" else calling.token
    port = web.port("plain" if adapter == "http" else "secure")
    # Tinyproxy closes without reading the body of a POST, so that its answer may be lost on the way.
    refused = "no connection to HUB: http://" if adapter == "http" else "(HTTP 407)"
    for password, word in (("dark", refused), ("light", "")):
        through = f"proxy=http://sun:{password}@127.0.0.1:{proxy.port}"
        calling.connect(adapter, port, token, through, "clear_passwords=yes")
        if word:
            calling.send()
            eventually(lambda word=word: word in calling.blocks())
            assert not calling.arrived()
    eventually(calling.arrived)
    assert "light" not in calling.service.log


@pytest.mark.spec("E-250", "E-484")
def test_what_a_gateway_does_not_believe(web: Web, calling: Calling) -> None:
    other = Token(b"ABCDE", b"t" * 16)
    calling.connect("http", web.port("plain"), other)
    calling.send()
    eventually(lambda: "the other end does not have the key" in calling.blocks())
    calling.connect("https", web.port("secure"), calling.token._replace(fingerprint=b"f" * 16))
    eventually(lambda: "https://localhost" in calling.blocks() and "certificate" in calling.blocks())
    assert not calling.arrived()
    calling.connect("https", web.port("secure"), pinned(web, calling.token))
    eventually(calling.arrived)


@pytest.mark.spec("E-249", "E-308", "SC-26")
def test_a_key_goes_through_a_web_server_that_ends_tls(web: Web, tmp_path: Path) -> None:
    own, foreign = Authority("O=Web,CN=Authority"), Authority("O=Others,CN=Authority")
    fronts = {}
    for name, authority in (("own", own), ("foreign", foreign)):
        file = authority.issue("CN=shop.example", hosts=("localhost",), curve=True).save(tmp_path / f"{name}.pem")
        fronts[name] = Nginx(tmp_path / name, web.port(), password=False, certificate=file)
        web.open.append(fronts[name])
    enrolled = ("--front", str(tmp_path / "own.pem"), "--front-url", f"https://localhost:{fronts['own'].port}{PATH}")
    moon = web.moon("https", fronts["own"].port, enrolled=enrolled)
    moon.put("REPLIES@JUPITER", "two apples")
    moon.put("REPLIES@JUPITER", "x" * 200_000)
    eventually(lambda: all(not row.waiting for row in moon.status()))
    # Somebody in between has another key; and a device that was enrolled for the gateway itself proves that key.
    between = web.moon("https", fronts["foreign"].port, enrolled=enrolled)
    straight = web.moon("https", fronts["own"].port, authorities=str(own.trust_file(tmp_path / "authority.pem")))
    for device, word in ((between, "not the one that the token"), (straight, "does not have the key")):
        device.put("REPLIES@JUPITER", "kept")
        eventually(lambda device=device, word=word: any(word in text for row in device.status() for text in row.blocks))
        assert sum(row.waiting for row in device.status()) == 1
