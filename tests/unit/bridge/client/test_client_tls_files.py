"""Whom a client trusts and which certificate it sends: files of the URL, MQSSLKEYR, MQCERTLABL, the system."""

from __future__ import annotations

import ssl
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import mqbridge
from mqbridge.bridge.client import MQUrl, TlsSettings
from mqbridge.bridge.client.process_user import user_of_process
from support.tls.authority import Authority, Issued, pem
from support.tls.terminator import TlsTerminator, demand_certificate, server_context

AUTHORITY = Authority()
SERVER = AUTHORITY.issue("CN=EARTH", curve=True)


def named(name: str) -> Issued:
    return AUTHORITY.issue(f"CN={name}", hosts=(), curve=True)


MINE, DEFAULT = named("mine"), named("default")


@pytest.fixture
def door(mq: Any, tmp_path: Path) -> Iterator[TlsTerminator]:
    """TLS in front of a queue manager; certificates of clients are asked for, not demanded."""
    context = server_context(tmp_path, SERVER)
    demand_certificate(context, AUTHORITY)
    context.verify_mode = ssl.CERT_OPTIONAL
    with TlsTerminator(context, (mq.host, mq.port)) as door:
        yield door


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "ssl"
    AUTHORITY.trust_file(folder / "trusted" / "authority.pem")
    MINE.save(folder / "mine.pem")
    DEFAULT.save(folder / f"ibmwebspheremq{user_of_process().lower()}.pem")
    return folder


def connect(door: TlsTerminator, options: str = "", *, host: str = "127.0.0.1") -> str | None:
    """Connect, put and disconnect; return the name of the certificate that was sent."""
    with mqbridge.connect(f"mqs://{host}:{door.port}/QM1?{options}", timeout=10) as qm:
        qm.put("DEV.QUEUE.1", "hello")
        assert qm.tls is not None
        assert qm.tls.certificate is not None
        assert str(qm.tls.certificate.subject) == "CN=EARTH"
    return None if door.peers[-1] is None else door.peers[-1]["subject"][0][0][1]


@pytest.mark.spec("tls.md T-05")
def test_mqsslkeyr_is_a_key_repository(door: TlsTerminator, repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MQSSLKEYR", str(repository))
    assert connect(door) == "default"
    monkeypatch.setenv("MQCERTLABL", "MINE")
    assert connect(door) == "mine"
    monkeypatch.setenv("MQCERTLABL", "nobody")
    with pytest.raises(mqbridge.TlsFailed, match="nobody"):
        connect(door)
    assert connect(door, f"certificate={repository / 'mine.pem'}") == "mine"


def test_a_default_certificate_need_not_be_there(
    door: TlsTerminator, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MQSSLKEYR", str(repository))
    for file in repository.glob("*.pem"):
        file.unlink()
    assert connect(door) is None


def test_mqsslkeyr_is_a_file(door: TlsTerminator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = AUTHORITY.trust_file(tmp_path / "authority.pem")
    monkeypatch.setenv("MQSSLKEYR", str(file))
    assert connect(door) is None
    both = MINE.save(tmp_path / "both.pem")
    with both.open("ab") as end:
        end.write(pem(AUTHORITY.certificate))
    monkeypatch.setenv("MQSSLKEYR", str(both))
    assert connect(door) == "mine"


def test_mqsslkeyr_may_be_a_long_file(door: TlsTerminator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    others = pem(Authority("CN=Other").certificate) * 600
    assert len(others) > 1 << 18
    file = tmp_path / "bundle.pem"
    file.write_bytes(others + pem(AUTHORITY.certificate))
    monkeypatch.setenv("MQSSLKEYR", str(file))
    assert connect(door) is None


def test_a_cipher_is_not_blank() -> None:
    url = MQUrl("127.0.0.1", 1, tls=TlsSettings(cipher=""))
    with pytest.raises(mqbridge.TlsFailed, match=r"2400.*blank"):
        mqbridge.connect(url)


def test_options_of_the_url_come_before_mqsslkeyr(
    door: TlsTerminator, repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Authority("CN=Other").trust_file(tmp_path / "other.pem")
    monkeypatch.setenv("MQSSLKEYR", str(repository))
    with pytest.raises(mqbridge.TlsFailed, match="2393"):
        connect(door, f"trusted={other}")
    monkeypatch.setenv("MQSSLKEYR", str(other))
    assert connect(door, f"trusted={repository}&certificate={repository / 'mine.pem'}") == "mine"


def test_mqserver_with_mqsslkeyr_is_inside_tls(
    door: TlsTerminator, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MQSERVER", f"DEV.APP.SVRCONN/TCP/127.0.0.1({door.port})")
    monkeypatch.setenv("MQSSLKEYR", str(repository))
    with mqbridge.connect(timeout=10) as qm:
        qm.put("DEV.QUEUE.1", "hello")
        assert qm.tls is not None
        assert (qm.tls.protocol, qm.tls.channel) == ("TLSV13", "DEV.APP.SVRCONN")


@pytest.mark.parametrize(("name", "made", "told"), [
    ("key.kdb", "key.kdb", "runmqakm"),
    ("key", "key.kdb", "runmqakm"),
    ("key.p12", "key.p12", "mqbridge certificate import"),
    ("nowhere", "", "does not exist"),
    ("nowhere.pem", "", "does not exist"),
    ("noise.pem", "noise.pem", "no certificate"),
])  # fmt: skip
def test_key_repositories_that_cannot_be_used_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, made: str, told: str
) -> None:
    if made:
        (tmp_path / made).write_bytes(bytes(100))
    monkeypatch.setenv("MQSSLKEYR", str(tmp_path / name))
    with pytest.raises(mqbridge.TlsFailed) as error:
        mqbridge.connect("mqs://127.0.0.1:1/QM1", timeout=10)
    assert error.value.reason == 2381
    assert told in str(error.value)


@pytest.mark.parametrize("place", ["trusted", "certificate", "MQSSLKEYR"])
@pytest.mark.parametrize("name", ["a" * 300, "/dev/null", "/", "."])
def test_names_that_name_no_file_of_certificates_are_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, place: str, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    options = f"{place}={name}" if place != "MQSSLKEYR" else ""
    if not options:
        monkeypatch.setenv("MQSSLKEYR", name)
    with pytest.raises(mqbridge.TlsFailed) as error:
        mqbridge.connect(f"mqs://127.0.0.1:1/QM1?{options}", timeout=10)
    assert error.value.reason == 2381


def test_who_connects_without_tls_does_not_load_it() -> None:
    code = """if True:
        import sys, mqbridge
        try:
            mqbridge.connect("mq://127.0.0.1:1/Q")
        except mqbridge.NotReachable:
            print([name for name in sys.modules if name.startswith(("OpenSSL", "cryptography", "mqbridge.bridge.tls"))])
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == "[]\n"


def test_a_key_that_others_may_read_is_refused(
    repository: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (repository / "mine.pem").chmod(0o644)
    monkeypatch.setenv("MQSSLKEYR", str(repository))
    monkeypatch.setenv("MQCERTLABL", "mine")
    file = f"certificate={repository / 'mine.pem'}"
    for options in ("", file):
        with pytest.raises(mqbridge.TlsFailed, match="chmod 600") as error:
            mqbridge.connect(f"mqs://127.0.0.1:1/QM1?{options}", timeout=10)
        assert error.value.reason == 2381


@pytest.mark.parametrize("name", ["key only", "certificate only", "other key", "with password"])
def test_certificates_without_their_keys_are_refused(tmp_path: Path, name: str) -> None:
    from cryptography.hazmat.primitives import serialization as form

    locked = MINE.key.private_bytes(form.Encoding.PEM, form.PrivateFormat.PKCS8, form.BestAvailableEncryption(b"x"))
    content = {
        "key only": MINE.key_pem,
        "certificate only": pem(MINE.certificate),
        "other key": DEFAULT.key_pem + pem(MINE.certificate),
        "with password": locked + pem(MINE.certificate),
    }[name]
    file = tmp_path / "mine.pem"
    file.touch(0o600)
    file.write_bytes(content)
    with pytest.raises(mqbridge.TlsFailed) as error:
        mqbridge.connect(f"mqs://127.0.0.1:1/QM1?certificate={file}", timeout=10)
    assert error.value.reason == 2381
    assert "PRIVATE" not in str(error.value)


# Authorities of the system


@pytest.fixture
def system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Our authority is one of the system's."""
    monkeypatch.setenv("SSL_CERT_FILE", str(AUTHORITY.trust_file(tmp_path / "system.pem")))


@pytest.fixture
def elsewhere(mq: Any, tmp_path: Path) -> Iterator[TlsTerminator]:
    """TLS with a certificate for another host."""
    context = server_context(tmp_path, AUTHORITY.issue("CN=EARTH", hosts=("mq.example.com",), curve=True))
    with TlsTerminator(context, (mq.host, mq.port)) as door:
        yield door


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_the_host_is_checked_with_authorities_of_the_system(
    door: TlsTerminator, elsewhere: TlsTerminator, system: None, host: str
) -> None:
    connect(door, host=host)
    with pytest.raises(mqbridge.TlsFailed, match=f"not for {host}") as error:
        connect(elsewhere, host=host)
    assert error.value.reason == 2398


def test_the_host_is_not_checked_where_a_peer_or_an_authority_is_named(
    elsewhere: TlsTerminator, system: None, tmp_path: Path
) -> None:
    connect(elsewhere, "peer=CN=EARTH")
    connect(elsewhere, f"trusted={tmp_path / 'system.pem'}")
