"""The openssl command at either end of our channels."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from mqbridge.bridge.security.tls.server_names import server_name
from mqbridge.protocol.mqi_client import ClientConnection, ClientParameters
from support.processes.ports import free_port
from support.processes.running_service import RunningService, wait_for
from support.tls.authority import Authority
from support.tls.openssl import LIMIT, OPENSSL, SServer, needs_openssl, s_client
from support.tls.secured_service import secured_service

pytestmark = [pytest.mark.interop("openssl"), needs_openssl]

FREE, ONLY_1_2, CURVE = "DEV.APP.SVRCONN", "TLS.12", "TLS.CURVE"
MQSC = f"""\
ALTER CHANNEL({FREE}) CHLTYPE(SVRCONN) SSLCIPH(ANY_TLS12_OR_HIGHER) SSLCAUTH(OPTIONAL)
DEFINE CHANNEL({ONLY_1_2}) CHLTYPE(SVRCONN) SSLCIPH(ECDHE_RSA_AES_128_GCM_SHA256) SSLCAUTH(OPTIONAL)
DEFINE CHANNEL({CURVE}) CHLTYPE(SVRCONN) SSLCIPH(ANY_TLS12_OR_HIGHER) SSLCAUTH(OPTIONAL) CERTLABL(curve)
DEFINE QLOCAL(XMIT) USAGE(XMITQ)
"""


class Door:
    """EARTH, and the files of a client that it trusts."""

    def __init__(self, folder: Path) -> None:
        self.authority = Authority()
        self.service: RunningService = secured_service(folder, self.authority, mqsc=MQSC)
        self.authority.issue("O=Space,CN=CURVE", curve=True).save(self.service.data / "ssl" / "curve.pem")
        self.trusted = self.authority.trust_file(folder / "authority.pem")
        self.own = self.authority.issue("O=Space,CN=app").save(folder / "app.pem")
        self.service.start()

    def call(self, *options: str | Path, brief: bool = True, said: bytes = b"") -> str:
        """``openssl s_client``."""
        return s_client(self.service.port, "-CAfile", self.trusted, *options, brief=brief, said=said)


@pytest.fixture(scope="module")
def door(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Door]:
    made = Door(tmp_path_factory.mktemp("openssl"))
    yield made
    made.service.close()


@pytest.mark.parametrize("own", [False, True], ids=["no certificate", "certificate"])
@pytest.mark.parametrize("name", ["", server_name(FREE), "localhost"], ids=["no name", "channel", "host"])
@pytest.mark.parametrize("version", ["1.2", "1.3"])
@pytest.mark.spec("tls.md T-01", "tls.md T-03")
def test_it_comes_in(door: Door, version: str, name: str, own: bool) -> None:
    options: list[str | Path] = [f"-tls{version.replace('.', '_')}"]
    options += ["-servername", name] if name else ["-noservername"]
    options += ["-cert", door.own, "-key", door.own] if own else []
    told = door.call(*options)
    assert f"Protocol version: TLSv{version}" in told
    assert "Verification: OK" in told
    assert "Peer certificate: O = Space, CN = EARTH" in told
    assert ("TLS_AES_256_GCM_SHA384" if version == "1.3" else "ECDHE-RSA-AES256-GCM-SHA384") in told


@pytest.mark.parametrize("version", ["-tls1", "-tls1_1"])
def test_old_versions_do_not(door: Door, version: str) -> None:
    told = door.call(version, "-cipher", "ALL:@SECLEVEL=0")
    assert "Protocol version" not in told
    assert "alert protocol version" in told


@pytest.mark.spec("tls.md T-02")
def test_the_name_gives_the_channel_and_so_its_cipher_spec_and_certificate(door: Door) -> None:
    told = door.call("-servername", server_name(ONLY_1_2))
    assert "Protocol version: TLSv1.2" in told
    assert "ECDHE-RSA-AES128-GCM-SHA256" in told
    assert "alert" in door.call("-tls1_3", "-servername", server_name(ONLY_1_2))
    assert "alert" in door.call(
        "-tls1_2", "-cipher", "ECDHE-RSA-AES256-GCM-SHA384", "-servername", server_name(ONLY_1_2)
    )
    assert "Peer certificate: O = Space, CN = CURVE" in door.call("-servername", server_name(CURVE))


def test_inside_it_speaks_mq(door: Door) -> None:
    machine = ClientConnection(ClientParameters(channel_name=FREE), time.time())
    command = [OPENSSL or "", "s_client", "-quiet", "-CAfile", str(door.trusted)]
    with subprocess.Popen(
        [*command, "-connect", f"127.0.0.1:{door.service.port}", "-servername", server_name(FREE)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"".join(machine.link.wire.take()))
        process.stdin.flush()
        assert process.stdout.read(3) == b"TSH"
        process.kill()


@pytest.mark.parametrize("version", ["-tls1_2", "-tls1_3"])
def test_no_session_is_resumed_and_nothing_compressed(door: Door, version: str, tmp_path: Path) -> None:
    file = tmp_path / "session"
    first = door.call(version, "-sess_out", file, "-comp", brief=False)
    assert "Compression: NONE" in first
    assert "New, TLS" in first
    if file.exists():
        assert "New, TLS" in door.call(version, "-sess_in", file, brief=False)


def test_nothing_is_renegotiated(door: Door) -> None:
    told = door.call("-tls1_2", "-legacy_renegotiation", brief=False, said=b"R\n")
    assert "RENEGOTIATING" in told
    assert "no renegotiation" in told


CALLED = "EARTH.TO.{}"


@pytest.mark.parametrize(
    ("version", "cipher"), [("1_2", "ECDHE_RSA_AES_256_GCM_SHA384"), ("1_3", "ANY_TLS13_OR_HIGHER")]
)
@pytest.mark.spec("tls.md T-02")
def test_we_call_it(door: Door, version: str, cipher: str) -> None:
    port, channel = free_port(), CALLED.format(version.replace("_", "."))
    name = server_name(channel)
    server = SServer(
        port, f"-tls{version}", "-cert", door.own, "-key", door.own, "-CAfile", door.trusted, "-Verify", "2",
        "-servername", name, "-cert2", door.own, "-key2", door.own,
    )  # fmt: skip
    try:
        door.service.mqsc(
            f"DEFINE CHANNEL({channel}) CHLTYPE(SDR) XMITQ(XMIT) CONNAME('127.0.0.1({port})') SSLCIPH({cipher}) "
            "SSLPEER('CN=app')",
            f"START CHANNEL({channel})",
        )
        told = server.until(channel.encode())
        assert f'Hostname in TLS extension: "{name}"'.encode() in told
        assert b"CN = EARTH" in told
        assert b"TSH " in told
    finally:
        server.close()
    door.service.mqsc(f"STOP CHANNEL({channel}) MODE(FORCE)")


def test_we_refuse_it(door: Door, tmp_path: Path) -> None:
    """Its certificate is of somebody whom we do not trust."""
    port, channel = free_port(), "EARTH.TO.STRANGER"
    strange = Authority("O=Elsewhere,CN=Authority").issue("O=Space,CN=app").save(tmp_path / "stranger.pem")
    server = SServer(port, "-cert", strange, "-key", strange)
    try:
        door.service.mqsc(
            f"DEFINE CHANNEL({channel}) CHLTYPE(SDR) XMITQ(XMIT) CONNAME('127.0.0.1({port})') SSLCIPH(ANY_TLS13)",
            f"START CHANNEL({channel})",
        )
        wait_for("the refusal", lambda: "AMQ9633" in door.service.log, LIMIT)
        assert b"TSH " not in server.until(b"alert unknown ca")
    finally:
        server.close()
    assert door.service.attribute(f"DISPLAY CHSTATUS({channel}) STATUS", "STATUS") == "STOPPED"
