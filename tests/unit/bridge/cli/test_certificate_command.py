"""`mqbridge certificate`, as its users call it; the folders that it leaves are read back."""

from __future__ import annotations

import json
import stat
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import pkcs12

from mqbridge.bridge.cli import cli
from mqbridge.bridge.tls import KeyRepository
from mqbridge.bridge.tls.certificate_folder import CertificateFolder
from mqbridge.bridge.tls.chains import is_issued_by
from mqbridge.bridge.tls.keys import fits, key_pem
from support.processes.running_service import MakeService
from support.tls.authority import Authority, Issued, pem

Call = Callable[..., Result]
LABEL = "ibmwebspheremqearth"


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Call:
    """Calls ``mqbridge certificate …`` for the data folder of the test."""
    monkeypatch.delenv("MQBRIDGE_CONFIG", raising=False)
    monkeypatch.setenv("MQBRIDGE_DATA", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str, given: str = "") -> Result:
        return CliRunner().invoke(cli, ["certificate", *arguments], input=given, prog_name="mqbridge")

    return run


@dataclass(frozen=True)
class Pki:
    """A root authority and one below it; their certificates are in ``root.pem`` and ``between.pem``."""

    root: Authority
    between: Authority


@pytest.fixture
def pki(call: Call) -> Pki:
    root = Authority()
    between = root.intermediate()
    root.trust_file(Path("root.pem"))
    between.trust_file(Path("between.pem"))
    return Pki(root, between)


def pkcs12_file(name: str, issued: Issued, password: bytes) -> None:
    encryption = serialization.BestAvailableEncryption(password)
    content = pkcs12.serialize_key_and_certificates(b"key", issued.key, issued.certificate, issued.chain, encryption)
    Path(name).write_bytes(content)


@pytest.fixture
def folder(tmp_path: Path) -> CertificateFolder:
    return CertificateFolder(tmp_path / "data" / "ssl")


def done(result: Result) -> str:
    assert result.exit_code == 0, result.output
    return result.stdout


def refused(result: Result) -> str:
    """The line that tells why; nothing else is printed."""
    assert result.exit_code == 1, result.output
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    assert "Traceback" not in result.stderr
    return result.stderr


def contents(folder: CertificateFolder) -> dict[str, bytes]:
    return {str(file): file.read_bytes() for file in folder.path.rglob("*") if file.is_file()}


def create(call: Call, *arguments: str) -> str:
    return done(call("create", "--qmgr", "EARTH", "--key", "ec", *arguments))


def test_an_authority_of_ones_own_signs_the_certificate(call: Call, folder: CertificateFolder) -> None:
    told = create(call, "--own-authority")
    held = folder.read(LABEL)
    authority = x509.load_pem_x509_certificate((folder.path / "authority.pem").read_bytes())
    day = f"{held.certificate.not_valid_after_utc:%Y-%m-%d}"
    assert told == f"{LABEL}  CN=EARTH, until {day}; clients and partners trust {folder.path}/authority.pem\n"
    assert is_issued_by(held.certificate, authority)
    assert folder.trusted() == {"own-authority": (authority,)}
    assert fits(held.key, held.certificate)
    assert folder.labels() == [LABEL]


def test_a_second_certificate_has_the_same_authority(call: Call, folder: CertificateFolder) -> None:
    create(call, "--own-authority")
    before = (folder.path / "authority.pem").read_bytes(), folder.read(LABEL).certificate.serial_number
    create(call, "--own-authority", "--replace")
    assert (folder.path / "authority.pem").read_bytes() == before[0]
    assert folder.read(LABEL).certificate.serial_number != before[1]


def test_files_with_keys_are_for_their_owner(call: Call, folder: CertificateFolder) -> None:
    create(call, "--own-authority")
    modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in folder.path.iterdir()}
    assert modes == {
        "authority.key": 0o600,
        "authority.pem": 0o644,
        f"{LABEL}.pem": 0o600,
        "trusted": 0o700,
        "crl": 0o700,
    }
    assert stat.S_IMODE(folder.path.parent.stat().st_mode) == 0o700


def test_a_self_signed_certificate_is_exported_for_others(call: Call, folder: CertificateFolder) -> None:
    told = create(
        call, "--subject", 'CN=EARTH,OU="Planets, inner",O=Space,C=DE', "--days", "10", "--host", "mq.example"
    )
    assert told.startswith(f'{LABEL}  CN=EARTH,OU="Planets, inner",O=Space,C=DE, until ')
    exported = x509.load_pem_x509_certificate(done(call("export")).encode())
    assert exported == folder.read(LABEL).certificate
    assert exported.subject.rfc4514_string() == "CN=EARTH,OU=Planets\\, inner,O=Space,C=DE"
    assert (exported.not_valid_after_utc - exported.not_valid_before_utc).days == 10
    names = exported.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert names.get_values_for_type(x509.DNSName) == ["mq.example"]


def test_a_request_is_signed_elsewhere_and_received(call: Call, folder: CertificateFolder, tmp_path: Path) -> None:
    told = done(call("request", "--qmgr", "EARTH", "--key", "ec", "--output", "earth.csr"))
    assert told.startswith(f"{LABEL}  the request is in earth.csr")
    assert folder.labels() == []
    assert f"request {LABEL}  CN=EARTH, waits for its certificate\n" in done(call("list"))
    create(call, "--data", str(tmp_path / "other"), "--own-authority")
    done(call("sign", "earth.csr", "--output", "earth.pem", "--data", str(tmp_path / "other")))
    told = done(call("receive", "earth.pem"))
    assert told.startswith(f"{LABEL}  CN=EARTH, until ")
    held = folder.read(LABEL)
    assert [each.subject.rfc4514_string() for each in held.chain] == ["CN=Authority of EARTH"]
    assert "request" not in done(call("list"))
    assert not (folder.path / "requests" / f"{LABEL}.pem").exists()


def test_the_certificate_in_use_stays_until_the_other_is_received(call: Call, folder: CertificateFolder) -> None:
    create(call)
    before = folder.read(LABEL)
    done(call("request", "--qmgr", "EARTH", "--key", "ec", "--output", "earth.csr"))
    assert folder.read(LABEL).certificate == before.certificate


def test_a_request_goes_to_standard_output(call: Call) -> None:
    text = done(call("request", "--qmgr", "EARTH", "--key", "ec"))
    request = x509.load_pem_x509_csr(text.encode())
    assert request.is_signature_valid
    assert "PRIVATE" not in text


def test_the_chain_of_what_is_received_must_be_complete(call: Call, folder: CertificateFolder, pki: Pki) -> None:
    request = x509.load_pem_x509_csr(done(call("request", "--qmgr", "EARTH", "--key", "ec")).encode())
    Path("own.pem").write_bytes(pki.between.sign(request))
    assert "the issuer CN=Intermediate,O=Tests is missing" in refused(call("receive", "own.pem"))
    told = refused(call("receive", "own.pem", "--chain", "between.pem"))
    assert "the issuer CN=Authority,O=Tests is missing" in told
    done(call("trust", "root.pem"))
    done(call("receive", "own.pem", "--chain", "between.pem"))
    assert folder.read(LABEL).chain == (pki.between.certificate,)


def test_what_no_request_waits_for_is_not_received(call: Call, folder: CertificateFolder, pki: Pki) -> None:
    Path("other.pem").write_bytes(pki.root.issue("O=Space,CN=EARTH", curve=True).certificates_pem)
    assert "no request waits for a certificate" in refused(call("receive", "other.pem"))
    done(call("request", "--qmgr", "EARTH", "--key", "ec"))
    assert f"has the key of no request that waits ({LABEL})" in refused(call("receive", "other.pem"))
    assert "no request for mars waits" in refused(call("receive", "other.pem", "--label", "mars"))
    assert folder.labels() == []


def test_an_expired_certificate_is_not_received(call: Call, folder: CertificateFolder, pki: Pki) -> None:
    request = x509.load_pem_x509_csr(done(call("request", "--qmgr", "EARTH", "--key", "ec")).encode())
    Path("own.pem").write_bytes(pki.root.sign(request, valid=(-9, -1)))
    done(call("trust", "root.pem"))
    assert "the certificate of CN=EARTH has expired on " in refused(call("receive", "own.pem"))
    assert folder.labels() == []


@pytest.mark.parametrize("curve", [False, True])
def test_a_pkcs12_file_is_imported(call: Call, folder: CertificateFolder, pki: Pki, curve: bool) -> None:
    issued = pki.between.issue("O=Space,CN=EARTH", curve=curve)
    pkcs12_file("key.p12", issued, b"secret")
    done(call("trust", "root.pem"))
    done(call("import", "key.p12", "--qmgr", "EARTH", given="secret\n"))
    held = folder.read(LABEL)
    assert (held.certificate, held.chain) == (issued.certificate, issued.chain)
    assert stat.S_IMODE(folder.file_of(LABEL).stat().st_mode) == 0o600


@pytest.mark.parametrize("password", [b"", b"secret"])
def test_a_pem_file_is_imported(call: Call, folder: CertificateFolder, pki: Pki, password: bytes) -> None:
    issued = pki.between.issue("O=Space,CN=EARTH", curve=True)
    Path("key.pem").write_bytes(pem(pki.root.certificate) + issued.certificates_pem + key_pem(issued.key, password))
    done(call("import", "key.pem", "--label", "mars", given=password.decode() + "\n"))
    held = folder.read("mars")
    assert held.chain == (pki.between.certificate, pki.root.certificate)
    assert fits(held.key, held.certificate)


def test_what_is_imported_needs_the_right_password(call: Call, folder: CertificateFolder, pki: Pki) -> None:
    issued = pki.root.issue("CN=EARTH", curve=True)
    pkcs12_file("key.p12", issued, b"secret")
    Path("key.pem").write_bytes(issued.certificates_pem + key_pem(issued.key, b"secret"))
    for file in ("key.p12", "key.pem"):
        for given in ("Secret\n", "\n", ""):
            told = refused(call("import", file, "--label", "x", given=given))
            assert "password" in told
            assert "Secret" not in told
    assert folder.labels() == []


REFUSED_FILES = {
    "nothing.pem": (b"", "nothing.pem has no private key"),
    "no text.pem": (b"\xff\x00" * 99, "no text.pem has no private key"),
    "key.kdb": (b"\x00\x00\x00\x03", "runmqakm -cert -export -db key.kdb"),
    "key.jks": (b"\xfe\xed\xfe\xed\x00\x00\x00\x02", "keytool -importkeystore -srckeystore key.jks"),
    "store": (b"\xfe\xed\xfe\xed\x00\x00\x00\x02", "keytool -importkeystore -srckeystore store"),
    "cut.p12": (b"\x30\x82\x09\x01\x02\x01\x03", "the password is wrong, or it is no PKCS#12 file"),
    "long.pem": (b"-" * (1 << 20) + b"-", "longer than 1048576 bytes"),
    "bad.pem": (b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", "a certificate in it is damaged"),
}


@pytest.mark.parametrize("name", REFUSED_FILES)
def test_files_that_cannot_be_imported_are_told(call: Call, folder: CertificateFolder, name: str) -> None:
    content, told = REFUSED_FILES[name]
    Path(name).write_bytes(content)
    assert told in refused(call("import", name, "--label", "x", given="x\n"))
    assert contents(folder) == {}


def test_a_key_must_have_its_own_certificate(call: Call, folder: CertificateFolder, pki: Pki) -> None:
    one, other = (pki.root.issue(f"CN={name}", curve=True) for name in "ab")
    Path("bare.pem").write_bytes(one.key_pem)
    assert "bare.pem has a private key without a certificate" in refused(call("import", "bare.pem", "--label", "x"))
    Path("mixed.pem").write_bytes(one.key_pem + other.certificates_pem)
    told = refused(call("import", "mixed.pem", "--label", "x"))
    assert "the private key does not belong to the certificate of CN=b" in told
    Path("two.pem").write_bytes(one.key_pem + other.key_pem + other.certificates_pem)
    assert "two.pem has 2 private keys; one is expected" in refused(call("import", "two.pem", "--label", "x"))
    assert folder.labels() == []


@pytest.mark.parametrize(
    ("key", "told"),
    [
        (lambda: rsa.generate_private_key(65537, 1024), "an RSA key of 1024 bits is too short; 2048 at least"),
        (ed25519.Ed25519PrivateKey.generate, "neither RSA nor ECDSA"),
    ],
)
def test_keys_that_channels_cannot_use_are_refused(call: Call, key: Callable[[], Any], told: str) -> None:
    Path("key.pem").write_bytes(
        key().private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    assert told in refused(call("import", "key.pem", "--label", "x"))


def test_a_chain_that_leads_nowhere_is_not_imported(call: Call, folder: CertificateFolder, pki: Pki) -> None:
    pkcs12_file("key.p12", pki.between.issue("CN=EARTH", curve=True), b"secret")
    told = refused(call("import", "key.p12", "--label", "x", given="secret\n"))
    assert "the issuer CN=Authority,O=Tests is missing" in told
    done(call("import", "key.p12", "--label", "x", "--chain", "root.pem", given="secret\n"))


def test_trust_is_given_and_taken_back(call: Call, folder: CertificateFolder, pki: Pki) -> None:
    assert done(call("trust", "root.pem")).startswith("Authority  CN=Authority,O=Tests, until ")
    assert done(call("trust", "root.pem")) == "root.pem: trusted already\n"
    assert done(call("trust", "between.pem", "--name", "theirs")).startswith("theirs  CN=Intermediate,O=Tests, until ")
    assert list(folder.trusted()) == ["Authority", "theirs"]
    assert done(call("untrust", "theirs")) == "CN=Intermediate,O=Tests is trusted no longer\n"
    assert list(folder.trusted()) == ["Authority"]
    assert "no trusted certificate is called theirs" in refused(call("untrust", "theirs"))
    assert "no trusted certificate is called" in refused(call("untrust", "../authority"))


def test_what_cannot_be_trusted_is_told(call: Call, folder: CertificateFolder, pki: Pki) -> None:
    assert "the issuer CN=Authority,O=Tests is missing" in refused(call("trust", "between.pem"))
    Path("old.pem").write_bytes(pem(Authority(valid=(-30, -1)).certificate))
    assert "has expired on" in refused(call("trust", "old.pem"))
    Path("nothing").write_bytes(b"hello")
    assert "nothing has no certificate" in refused(call("trust", "nothing"))
    assert "nowhere cannot be read: No such file" in refused(call("trust", "nowhere"))
    assert ". is no file" in refused(call("trust", "."))
    assert contents(folder) == {}


def test_certificates_of_one_name_are_told_apart(call: Call, folder: CertificateFolder, pki: Pki) -> None:
    done(call("trust", "root.pem"))
    Authority().trust_file(Path("other.pem"))
    done(call("trust", "other.pem"))
    first, second = folder.trusted()
    assert first == "Authority"
    assert second.startswith("Authority-")


def test_a_revocation_list_is_kept_and_replaced(call: Call, folder: CertificateFolder, pki: Pki) -> None:
    issued = pki.root.issue("CN=app", curve=True)
    Path("crl.pem").write_bytes(pki.root.revoke(issued))
    assert "the issuer CN=Authority,O=Tests is not trusted" in refused(call("revocations", "crl.pem"))
    done(call("trust", "root.pem"))
    assert "1 revoked by CN=Authority,O=Tests, until " in done(call("revocations", "crl.pem"))
    Path("crl.pem").write_bytes(pki.root.revoke())
    done(call("revocations", "crl.pem"))
    assert len(list(folder.revocations_folder.iterdir())) == 1
    assert "  0 revoked by CN=Authority,O=Tests" in done(call("list"))
    Path("crl.pem").write_bytes(pki.root.revoke(valid=(-9, -1)))
    assert "has expired" in refused(call("revocations", "crl.pem"))
    Path("crl.pem").write_bytes(Authority().revoke())
    assert "is not trusted" in refused(call("revocations", "crl.pem"))


def test_an_export_without_key_has_none(call: Call, folder: CertificateFolder) -> None:
    create(call, "--own-authority")
    assert "PRIVATE" not in done(call("export"))
    assert "a private key goes to a file only: --output FILE" in refused(call("export", "--private-key"))
    assert "a private key goes to a file only: --output FILE" in refused(call("export", "--pkcs12"))
    done(call("export", "--private-key", "--output", "out.pem"))
    assert stat.S_IMODE(Path("out.pem").stat().st_mode) == 0o600
    assert Path("out.pem").read_bytes() == folder.file_of(LABEL).read_bytes()


def test_a_pkcs12_export_comes_back(call: Call, folder: CertificateFolder) -> None:
    create(call, "--own-authority")
    done(call("export", "--pkcs12", "--output", "out.p12", given="secret\n"))
    assert stat.S_IMODE(Path("out.p12").stat().st_mode) == 0o600
    before = folder.read(LABEL)
    done(call("import", "out.p12", "--qmgr", "EARTH", "--replace", given="secret\n"))
    assert folder.read(LABEL).certificate == before.certificate
    assert "the password is empty" in refused(call("export", "--pkcs12", "--output", "out.p12"))


def test_clients_get_certificates_of_the_authority(call: Call, folder: CertificateFolder) -> None:
    assert "has no authority of its own" in refused(call("issue", "CN=app1", "--output", "app1.pem"))
    create(call, "--own-authority")
    told = done(call("issue", "CN=app1,O=Space", "--key", "ec", "--output", "app1.pem"))
    assert told.startswith("CN=app1,O=Space, until ")
    assert stat.S_IMODE(Path("app1.pem").stat().st_mode) == 0o600
    done(call("issue", "CN=app2", "--pkcs12", "--key", "ec", "--output", "app2.p12", given="secret\n"))
    found = pkcs12.load_pkcs12(Path("app2.p12").read_bytes(), b"secret")
    assert found.cert is not None
    assert is_issued_by(found.cert.certificate, folder.all_trusted()[0])


def test_a_request_of_others_is_signed_for_its_key_and_name_only(call: Call, folder: CertificateFolder) -> None:
    create(call, "--own-authority")
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "app")])
    built = x509.CertificateSigningRequestBuilder(name)
    greedy = built.add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
    Path("app.csr").write_bytes(greedy.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM))
    certificate = x509.load_pem_x509_certificate(done(call("sign", "app.csr")).encode())
    assert not certificate.extensions.get_extension_for_class(x509.BasicConstraints).value.ca
    assert fits(key, certificate)
    assert "has no requests for certificates; one is expected" in refused(call("sign", "data/ssl/authority.pem"))


def test_a_request_for_a_short_key_is_not_signed(call: Call, folder: CertificateFolder) -> None:
    create(call, "--own-authority")
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "app")])
    made = x509.CertificateSigningRequestBuilder(name).sign(rsa.generate_private_key(65537, 1024), hashes.SHA256())
    Path("app.csr").write_bytes(made.public_bytes(serialization.Encoding.PEM))
    assert "an RSA key of 1024 bits is too short" in refused(call("sign", "app.csr"))


def test_what_the_authority_has_issued_is_revoked(call: Call, folder: CertificateFolder, pki: Pki) -> None:
    create(call, "--own-authority")
    assert "own-authority  0 revoked by CN=Authority of EARTH" in done(call("list"))
    for name in ("app1", "app2"):
        done(call("issue", f"CN={name}", "--key", "ec", "--output", f"{name}.pem"))
    told = done(call("revoke", "app1.pem"))
    certificate = x509.load_pem_x509_certificates(Path("app1.pem").read_bytes())[0]
    assert told == f"CN=app1, serial number {certificate.serial_number:x}, is revoked\n"
    assert "the certificate of CN=app1 is revoked already" in refused(call("revoke", "app1.pem"))
    done(call("revoke", "app2.pem"))
    create(call, "--own-authority", "--replace")
    (found,) = KeyRepository(folder.path).revocations()
    assert len(found) == 2
    assert found.get_revoked_certificate_by_serial_number(certificate.serial_number) is not None
    assert "was not issued by CN=Authority of EARTH" in refused(call("revoke", "root.pem"))
    assert "was not issued by" in refused(call("revoke", str(folder.path / "authority.pem")))


def test_the_list_has_a_form_for_programs(call: Call, folder: CertificateFolder, pki: Pki) -> None:
    create(call, "--own-authority")
    done(call("request", "--label", "next", "--key", "ec", "--qmgr", "EARTH"))
    rows = [json.loads(line) for line in done(call("list", "--json")).splitlines()]
    assert [(row["kind"], row["name"]) for row in rows] == [
        ("certificate", LABEL),
        ("request", "next"),
        ("own", "authority"),
        ("trusted", "own-authority"),
        ("revocations", "own-authority"),
    ]
    certificate = folder.read(LABEL).certificate
    assert rows[0]["serialNumber"] == f"{certificate.serial_number:x}"
    assert rows[0]["sha256"] == certificate.fingerprint(hashes.SHA256()).hex()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--label", "../x"), "'../x' is no label"),
        (("--label", "authority"), "names this queue manager's own authority"),
        (("--label", "x" * 65), "is no label"),
        (("--subject", "EARTH"), "'EARTH' is not of the form TYPE=value"),
        (("--subject", "CN="), "is no subject"),
        (("--subject", "X=1"), "'X=1' is not of the form"),
        (("--subject", 'CN="a'), "a double quote is not closed"),
        (("--subject", "C=Germany"), "is no subject"),
        (("--subject", "CN=" + "x" * 65), "is no subject"),
        (("--host", "a b"), "'a b' is neither a host name nor an address"),
        (("--host", "käse.de"), "is neither a host name nor an address"),
        (("--days", "0"), "1 to 3650 days, not 0"),
        (("--days", "4000"), "1 to 3650 days, not 4000"),
    ],
)
def test_wrong_wishes_are_told_and_change_nothing(
    call: Call, folder: CertificateFolder, arguments: tuple[str, ...], told: str
) -> None:
    assert told in refused(call("create", "--qmgr", "EARTH", "--key", "ec", *arguments))
    assert contents(folder) == {}


def test_a_certificate_is_replaced_only_when_asked(call: Call, folder: CertificateFolder) -> None:
    create(call)
    before = contents(folder)
    told = refused(call("create", "--qmgr", "EARTH"))
    assert f"{LABEL} exists already (CN=EARTH, until " in told
    assert "--replace makes another" in told
    assert contents(folder) == before


def test_a_key_that_others_may_read_is_not_used(call: Call, folder: CertificateFolder) -> None:
    create(call, "--own-authority")
    (folder.path / "authority.key").chmod(0o644)
    told = refused(call("issue", "CN=app1", "--output", "app1.pem"))
    assert "authority.key holds a key and others than its owner may use it: chmod 600 " in told
    folder.file_of(LABEL).chmod(0o640)
    assert f"{LABEL}.pem holds a key and others than its owner may use it" in refused(call("list"))
    assert not Path("app1.pem").exists()


def test_a_certificate_is_removed(call: Call, folder: CertificateFolder) -> None:
    create(call)
    assert done(call("remove", LABEL)) == f"{LABEL} removed from {folder.path}\n"
    assert folder.labels() == []
    assert f"there is no certificate {LABEL}" in refused(call("remove", LABEL))
    assert f"there is no certificate {LABEL}" in refused(call("export", "--label", LABEL))


def test_a_password_is_no_argument(call: Call) -> None:
    for name in ("import", "export", "issue"):
        assert call(name, "x", "--password", "secret").exit_code == 2


def test_the_configuration_names_queue_manager_and_folder(call: Call, tmp_path: Path) -> None:
    configuration = tmp_path / "qm.toml"
    configuration.write_text('[queue_manager]\nname = "MARS"\ndata = "there"\n', encoding="utf-8")
    told = call("create", "--key", "ec", "--config", str(configuration), "--data", "elsewhere")
    assert done(told).startswith("ibmwebspheremqmars  CN=MARS")
    assert CertificateFolder(tmp_path / "elsewhere" / "ssl").labels() == ["ibmwebspheremqmars"]
    configuration.write_text("[tls]\ncrll = 1\n", encoding="utf-8")
    result = call("list", "--config", str(configuration))
    assert result.exit_code == 2
    assert "did you mean 'crl'" in result.stderr


def test_another_folder_may_be_named(call: Call, tmp_path: Path) -> None:
    create(call, "--repository", "keys")
    assert CertificateFolder(tmp_path / "keys").labels() == [LABEL]


def test_a_folder_that_cannot_be_written_is_told(call: Call, tmp_path: Path) -> None:
    (tmp_path / "data").write_bytes(b"")
    assert "cannot be written" in refused(call("create", "--qmgr", "EARTH", "--key", "ec"))


def test_the_name_is_that_of_the_data_folder_while_it_runs_and_later(
    call: Call, make_service: MakeService, monkeypatch: pytest.MonkeyPatch
) -> None:
    mars = make_service("MARS")
    monkeypatch.setenv("MQBRIDGE_DATA", str(mars.data))
    running = call("create", "--key", "ec")
    assert done(running).startswith("ibmwebspheremqmars  CN=MARS, ")
    assert running.stderr == ""
    replaced = call("create", "--key", "ec", "--replace")
    assert "it takes this over with REFRESH SECURITY TYPE(SSL)" in replaced.stderr
    mars.mqsc("ALTER QMGR SSLKEYR('keys')")
    assert done(call("list")) == ""
    done(call("create", "--key", "ec"))
    mars.kill()
    stopped = call("create", "--key", "ec", "--replace")
    assert done(stopped).startswith("ibmwebspheremqmars  CN=MARS, ")
    assert CertificateFolder(mars.data / "keys").labels() == ["ibmwebspheremqmars"]
    assert done(call("list", "--repository", str(mars.data / "ssl"))).startswith("ibmwebspheremqmars  CN=MARS, ")


def test_a_name_that_makes_no_label_needs_one(call: Call, folder: CertificateFolder) -> None:
    told = refused(call("create", "--qmgr", "A/B%", "--key", "ec"))
    assert "'ibmwebspheremqa/b%' is no label" in told
    assert "--label names one" in told
    assert done(call("create", "--qmgr", "A/B%", "--key", "ec", "--label", "ab")).startswith("ab  CN=A/B%, until ")
