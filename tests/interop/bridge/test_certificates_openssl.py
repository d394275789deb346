"""OpenSSL's and Java's own programs read what `mqbridge certificate` makes, and it reads what they make."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from mqbridge.bridge.cli import cli
from mqbridge.bridge.tls.certificate_folder import CertificateFolder
from support.tls.authority import Authority

OPENSSL = shutil.which("openssl")
KEYTOOL = shutil.which("keytool")
needs_openssl = pytest.mark.skipif(OPENSSL is None, reason="openssl is not installed")
needs_keytool = pytest.mark.skipif(KEYTOOL is None, reason="keytool of Java is not installed")

Call = Callable[..., str]


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Call:
    """Calls ``mqbridge certificate …`` in the folder of the test."""
    monkeypatch.delenv("MQBRIDGE_CONFIG", raising=False)
    monkeypatch.setenv("MQBRIDGE_DATA", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str, given: str = "") -> str:
        result = CliRunner().invoke(cli, ["certificate", *arguments], input=given, prog_name="mqbridge")
        assert result.exit_code == 0, result.output
        return result.stdout

    return run


@pytest.fixture
def folder(tmp_path: Path) -> CertificateFolder:
    return CertificateFolder(tmp_path / "data" / "ssl")


def run(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr + done.stdout
    return done.stdout


@needs_openssl
@pytest.mark.interop("openssl")
@pytest.mark.parametrize("kind", ["rsa", "ec"])
@pytest.mark.parametrize("purpose", ["sslserver", "sslclient"])
def test_openssl_verifies_what_the_own_authority_signs(call: Call, kind: str, purpose: str) -> None:
    call("create", "--qmgr", "EARTH", "--own-authority", "--key", kind, "--host", "mq.example")
    call("export", "--output", "earth.pem")
    strictly = ("openssl", "verify", "-x509_strict", "-purpose", purpose, "-CAfile", "data/ssl/authority.pem")
    assert run(*strictly, "-verify_hostname", "mq.example", "earth.pem") == "earth.pem: OK\n"
    other = subprocess.run([*strictly, "-verify_hostname", "mq.other", "earth.pem"], capture_output=True, timeout=60)
    assert other.returncode != 0


@needs_openssl
@pytest.mark.interop("openssl")
def test_openssl_finds_what_the_own_authority_has_revoked(call: Call) -> None:
    call("create", "--qmgr", "EARTH", "--own-authority", "--key", "ec")
    call("issue", "CN=app1", "--key", "ec", "--output", "app1.pem")
    verify = ("openssl", "verify", "-x509_strict", "-crl_check", "-CAfile", "data/ssl/authority.pem")
    lists = ("-CRLfile", "data/ssl/crl/own-authority.pem")
    assert run(*verify, *lists, "app1.pem") == "app1.pem: OK\n"
    call("revoke", "app1.pem")
    revoked = subprocess.run([*verify, *lists, "app1.pem"], capture_output=True, text=True, timeout=60)
    assert "certificate revoked" in revoked.stderr


@needs_openssl
@pytest.mark.interop("openssl")
@pytest.mark.parametrize("kind", ["rsa", "ec"])
def test_openssl_verifies_a_self_signed_certificate(call: Call, kind: str) -> None:
    call("create", "--qmgr", "EARTH", "--key", kind)
    call("export", "--output", "earth.pem")
    assert run("openssl", "verify", "-CAfile", "earth.pem", "earth.pem") == "earth.pem: OK\n"
    text = run("openssl", "x509", "-in", "earth.pem", "-noout", "-text")
    for expected in ("Subject: CN = EARTH", "CA:FALSE", "DNS:localhost, IP Address:127.0.0.1", "TLS Web Server"):
        assert expected in text
    assert ("Public-Key: (2048 bit)" if kind == "rsa" else "prime256v1") in text


@needs_openssl
@pytest.mark.interop("openssl")
def test_openssl_reads_the_request(call: Call) -> None:
    call("request", "--qmgr", "EARTH", "--key", "ec", "--output", "earth.csr", "--subject", "CN=EARTH,O=Space")
    text = run("openssl", "req", "-in", "earth.csr", "-noout", "-text", "-verify")
    assert "Subject: O = Space, CN = EARTH" in text
    assert "DNS:localhost" in text


@needs_openssl
@pytest.mark.interop("openssl")
def test_a_certificate_that_openssl_signs_is_received(call: Call, folder: CertificateFolder) -> None:
    call("request", "--qmgr", "EARTH", "--key", "ec", "--output", "earth.csr")
    curve = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")
    run("openssl", "req", "-x509", *curve, "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=CA", "-days", "9")
    signed = ("openssl", "x509", "-req", "-in", "earth.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-days", "8")
    run(*signed, "-CAcreateserial", "-outform", "DER", "-out", "earth.der")
    call("trust", "ca.pem")
    call("receive", "earth.der")
    assert folder.read("ibmwebspheremqearth").certificate.subject.rfc4514_string() == "CN=EARTH"


@needs_openssl
@pytest.mark.interop("openssl")
@pytest.mark.parametrize("legacy", [False, True], ids=["modern", "legacy"])
def test_a_pkcs12_file_of_openssl_is_imported(call: Call, folder: CertificateFolder, legacy: bool) -> None:
    authority = Authority()
    issued = authority.issue("O=Space,CN=EARTH")
    issued.save(Path("key.pem"))
    authority.trust_file(Path("root.pem"))
    made = ("openssl", "pkcs12", "-export", "-in", "key.pem", "-certfile", "root.pem", "-passout", "pass:secret")
    run(*made, "-name", "earth", "-out", "key.p12", *(["-legacy"] if legacy else []))
    call("import", "key.p12", "--qmgr", "EARTH", given="secret\n")
    held = folder.read("ibmwebspheremqearth")
    assert held.certificate == issued.certificate
    assert held.chain == (authority.certificate,)


@needs_openssl
@pytest.mark.interop("openssl")
@pytest.mark.parametrize("form", [["-traditional"], [], ["-aes256"], ["-traditional", "-aes256"]], ids=str)
def test_keys_of_openssl_are_imported_in_each_form(call: Call, folder: CertificateFolder, form: list[str]) -> None:
    authority = Authority()
    issued = authority.issue("CN=EARTH")
    Path("plain.pem").write_bytes(issued.key_pem)
    password = ["-passout", "pass:secret"] if "-aes256" in form else []
    key = run("openssl", "pkey", "-in", "plain.pem", *form, *password)
    Path("key.pem").write_text(key)
    with Path("key.pem").open("ab") as file:
        file.write(issued.certificates_pem)
    call("import", "key.pem", "--qmgr", "EARTH", "--chain", str(authority.trust_file(Path("r.pem"))), given="secret\n")
    assert folder.read("ibmwebspheremqearth").certificate == issued.certificate


@needs_openssl
@pytest.mark.interop("openssl")
def test_openssl_reads_an_exported_pkcs12_file(call: Call) -> None:
    call("create", "--qmgr", "EARTH", "--own-authority", "--key", "ec")
    call("export", "--pkcs12", "--output", "earth.p12", given="secret\n")
    text = run("openssl", "pkcs12", "-in", "earth.p12", "-passin", "pass:secret", "-nodes")
    assert "friendlyName: ibmwebspheremqearth" in text
    assert "BEGIN PRIVATE KEY" in text


@needs_keytool
@pytest.mark.interop("keytool")
def test_java_trusts_the_authority_and_holds_a_clients_key(call: Call) -> None:
    call("create", "--qmgr", "EARTH", "--own-authority", "--key", "ec")
    store = ("-keystore", "trust.p12", "-storetype", "PKCS12", "-storepass", "secret")
    run("keytool", "-importcert", "-noprompt", "-alias", "earth", "-file", "data/ssl/authority.pem", *store)
    assert "trustedCertEntry" in run("keytool", "-list", *store)
    call("issue", "CN=app1", "--key", "ec", "--pkcs12", "--output", "app1.p12", given="secret\n")
    held = run("keytool", "-list", "-v", "-keystore", "app1.p12", "-storetype", "PKCS12", "-storepass", "secret")
    assert "Entry type: PrivateKeyEntry" in held
    assert "Certificate chain length: 2" in held


@needs_keytool
@pytest.mark.interop("keytool")
def test_what_java_keeps_is_imported_or_refused_with_what_converts_it(call: Call, folder: CertificateFolder) -> None:
    made = ("-alias", "app", "-keyalg", "EC", "-groupname", "secp256r1", "-dname", "CN=EARTH", "-validity", "9")
    run("keytool", "-genkeypair", *made, "-keystore", "key.p12", "-storetype", "PKCS12", "-storepass", "secret")
    call("import", "key.p12", "--label", "fromjava", given="secret\n")
    assert folder.labels() == ["fromjava"]
    jks = ("-keystore", "key.jks", "-storetype", "JKS", "-storepass", "secret", "-keypass", "secret")
    run("keytool", "-genkeypair", *made, *jks)
    result = CliRunner().invoke(cli, ["certificate", "import", "key.jks", "--label", "x"])
    assert result.exit_code == 1
    assert "keytool -importkeystore -srckeystore key.jks -destkeystore key.p12 -deststoretype PKCS12" in result.stderr
