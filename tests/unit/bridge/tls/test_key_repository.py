"""The folder of certificates: what it holds, and what is refused, each with what to do."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import dsa

from mqbridge.bridge.tls import KeyFiles, KeyRepository, TlsError, pem_files
from mqbridge.bridge.tls.key_repository import MAX_CHAIN, MAX_KEY_FILE
from mqbridge.protocol.constants import MQRC
from support.tls.authority import Authority, Issued, pem


@pytest.fixture(scope="module")
def authority() -> Authority:
    return Authority()


@pytest.fixture(scope="module")
def earth(authority: Authority) -> Issued:
    return authority.intermediate().issue("O=Space,CN=EARTH", curve=True)


@pytest.fixture
def folder(tmp_path: Path, authority: Authority, earth: Issued) -> Path:
    ssl = tmp_path / "ssl"
    earth.save(ssl / "ibmwebspheremqearth.pem")
    authority.trust_file(ssl / "trusted" / "authority.pem")
    return ssl


def test_what_a_repository_holds(folder: Path, authority: Authority, earth: Issued) -> None:
    (folder / "crl").mkdir()
    (folder / "crl" / "authority.pem").write_bytes(authority.revoke(earth))
    (folder / "notes.txt").write_text("nothing")
    repository = KeyRepository(folder)
    assert repository.labels() == ("ibmwebspheremqearth",)
    own = repository.certificate("IBMWebSphereMQEarth")
    assert (own.label, own.certificate, own.chain) == ("ibmwebspheremqearth", earth.certificate, earth.chain)
    assert repository.trusted() == (authority.certificate,)
    (revocations,) = repository.revocations()
    assert revocations.issuer == authority.name


def test_a_trusted_file_may_hold_several_certificates(folder: Path, authority: Authority) -> None:
    other = Authority("O=Others,CN=Authority")
    (folder / "trusted" / "all.pem").write_bytes(b"# ours\n" + pem(other.certificate) + pem(authority.certificate))
    assert KeyRepository(folder).trusted() == (other.certificate, authority.certificate, authority.certificate)


def test_a_repository_without_trusted_and_crl(tmp_path: Path) -> None:
    repository = KeyRepository(tmp_path)
    assert (repository.labels(), repository.trusted(), repository.revocations()) == ((), (), ())


def _key(folder: Path) -> Path:
    return folder / "ibmwebspheremqearth.pem"


def _write(content: Callable[[Issued], bytes], mode: int = 0o600) -> Callable[[Path, Issued], None]:
    def change(folder: Path, earth: Issued) -> None:
        _key(folder).write_bytes(content(earth))
        _key(folder).chmod(mode)

    return change


def _encrypted(earth: Issued) -> bytes:
    kind = serialization.PrivateFormat.PKCS8
    cipher = serialization.BestAvailableEncryption(b"hunter2")
    return earth.key.private_bytes(serialization.Encoding.PEM, kind, cipher) + earth.certificates_pem


def _dsa(earth: Issued) -> bytes:
    key = dsa.generate_private_key(1024)
    form = serialization.PrivateFormat.PKCS8
    return key.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption()) + earth.certificates_pem


def _damaged_key(earth: Issued) -> bytes:
    lines = earth.key_pem.splitlines()
    return b"\n".join((lines[0], lines[1][::-1], *lines[2:])) + b"\n" + earth.certificates_pem


def _pipe(folder: Path, earth: Issued) -> None:
    _key(folder).unlink()
    os.mkfifo(_key(folder), 0o600)


def _folder(folder: Path, earth: Issued) -> None:
    _key(folder).unlink()
    _key(folder).mkdir()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (_write(lambda earth: earth.key_pem + earth.certificates_pem, 0o640), "chmod 600"),
        (_write(lambda earth: earth.key_pem + earth.certificates_pem, 0o604), "chmod 600"),
        (_write(lambda earth: earth.key_pem + earth.certificates_pem, 0o620), "chmod 600"),
        (_write(lambda earth: earth.key_pem), "has a key and no certificate"),
        (_write(lambda earth: earth.certificates_pem), "has no private key"),
        (_write(lambda _: b""), "has no certificate in PEM form"),
        (_write(lambda _: b"\x30\x82\x00\x01 no PEM"), "has no certificate in PEM form"),
        (_write(lambda earth: earth.key_pem * 2 + earth.certificates_pem), "has 2 private keys"),
        (_write(lambda earth: earth.key_pem + b"".join(map(pem, earth.chain))), "is not that of the first certificate"),
        (_write(_encrypted), "has a password.*openssl pkey"),
        (_write(_damaged_key), "the key in .* is damaged"),
        (_write(_dsa), "neither RSA, EC nor EdDSA"),
        (_write(lambda earth: earth.key_pem + earth.certificates_pem.replace(b"MII", b"AII", 1)), "block 1 .* damaged"),
        (
            _write(lambda earth: earth.key_pem + pem(earth.certificate) * (MAX_CHAIN + 1)),
            f"has {MAX_CHAIN + 1} certificates, {MAX_CHAIN} are allowed",
        ),
        (
            _write(lambda earth: earth.key_pem + earth.certificates_pem + b"#" * MAX_KEY_FILE),
            f"is longer than {MAX_KEY_FILE} bytes",
        ),
        (_pipe, "is no file"),
        (_folder, "is no file"),
    ],
)
def test_files_that_are_refused(
    change: Callable[[Path, Issued], None], words: str, folder: Path, earth: Issued
) -> None:
    change(folder, earth)
    with pytest.raises(TlsError, match=words) as caught:
        KeyRepository(folder).certificate("ibmwebspheremqearth")
    assert caught.value.reason is MQRC.KEY_REPOSITORY_ERROR
    assert caught.value.fault.amq == "AMQ9657"
    shown = f"{caught.getrepr(showlocals=False)}{caught.value!r}"
    assert not any(line in shown for line in earth.key_pem.decode().splitlines()[1:-1])


def test_a_key_is_not_shown(folder: Path) -> None:
    assert "key" not in repr(KeyRepository(folder).certificate("ibmwebspheremqearth"))


@pytest.mark.parametrize(
    "label", ["../saturn", "/etc/passwd", "a/b", "", ".", "..", ".hidden", "a\0b", "x" * 65, "\N{SNOWMAN}", "a b"]
)
def test_labels_that_are_no_file_names(label: str, folder: Path) -> None:
    with pytest.raises(TlsError, match="labels have letters, digits") as caught:
        KeyRepository(folder).certificate(label)
    assert caught.value.fault.amq == "AMQ9642"


def test_a_label_without_file(folder: Path) -> None:
    with pytest.raises(TlsError, match=r"no certificate 'SATURN'.*mqbridge certificate create, or certificate request"):
        KeyRepository(folder).certificate("SATURN")


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("key.kdb", r"runmqakm -cert -export -db key\.kdb .*mqbridge certificate import key\.p12"),
        ("key.jks", r"keytool -importkeystore -srckeystore key\.jks .*mqbridge certificate import key\.p12"),
        ("key.p12", r"mqbridge certificate import key\.p12"),
        ("key.PFX", r"mqbridge certificate import key\.PFX"),
    ],
)
def test_key_repositories_of_others_are_refused_with_what_converts_them(
    name: str, command: str, tmp_path: Path
) -> None:
    file = tmp_path / name
    with pytest.raises(TlsError, match=command):
        KeyRepository(file).labels()
    file.write_bytes(b"\0")
    with pytest.raises(TlsError, match=command):
        KeyRepository(file).trusted()


def test_ibm_names_a_kdb_without_its_suffix(tmp_path: Path) -> None:
    (tmp_path / "key.kdb").write_bytes(b"\0")
    with pytest.raises(TlsError, match="runmqakm"):
        KeyRepository(tmp_path / "key").certificate("earth")


def test_a_folder_that_does_not_exist(tmp_path: Path) -> None:
    with pytest.raises(TlsError, match=r"does not exist: mqbridge certificate create, or certificate request, makes"):
        KeyRepository(tmp_path / "ssl").labels()
    (tmp_path / "file").touch()
    with pytest.raises(TlsError, match="is no folder"):
        KeyRepository(tmp_path / "file").labels()


@pytest.mark.parametrize("name", ["x" * 300, "a\0b"])
def test_names_that_the_system_does_not_take(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    for read in (
        KeyRepository(path).labels,
        KeyRepository(path).trusted,
        lambda: KeyRepository(path).certificate("earth"),
        KeyFiles(trusted=path).trusted,
        lambda: KeyFiles(path).certificate(""),
    ):
        with pytest.raises(TlsError, match="cannot be read: ") as caught:
            read()
        assert caught.value.reason is MQRC.KEY_REPOSITORY_ERROR


@pytest.mark.parametrize("name", ["/", ".", ".."])
def test_folders_without_a_name_are_folders(name: str) -> None:
    with pytest.raises(TlsError, match=r"there is no .*not-there\.pem"):
        KeyRepository(Path(name)).certificate("not-there")


def test_a_private_key_among_the_trusted_certificates(folder: Path, earth: Issued) -> None:
    earth.save(folder / "trusted" / "earth.pem")
    with pytest.raises(TlsError, match="has a private key: only certificates belong"):
        KeyRepository(folder).trusted()


def test_trusted_files_that_everybody_may_write(folder: Path) -> None:
    (folder / "trusted" / "authority.pem").chmod(0o666)
    with pytest.raises(TlsError, match="may be written by everybody"):
        KeyRepository(folder).trusted()


def test_a_revocation_list_that_is_damaged(folder: Path, authority: Authority) -> None:
    (folder / "crl").mkdir()
    damaged = authority.revoke().replace(b"CRL-----\nM", b"CRL-----\nA", 1)
    (folder / "crl" / "authority.pem").write_bytes(damaged)
    with pytest.raises(TlsError, match=r"block 1 \(X509 CRL\) of .* is damaged"):
        KeyRepository(folder).revocations()


@pytest.mark.parametrize(("changes", "refused"), [(1, False), (2, False), (3, True)])
def test_a_file_that_changes_while_it_is_read(
    changes: int, refused: bool, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was read is never half of one file and half of another: it is read again, and refused after three times."""
    file, left, read = _key(folder), [changes], os.read

    def change_and_read(number: int, length: int) -> bytes:
        if left[0] and not os.lseek(number, 0, os.SEEK_CUR):
            left[0] -= 1
            with file.open("ab") as stream:
                stream.write(b"#\n")
        return read(number, min(length, 100_000))

    monkeypatch.setattr(pem_files.os, "read", change_and_read)
    if refused:
        with pytest.raises(TlsError, match="changes while it is read"):
            KeyRepository(folder).certificate("ibmwebspheremqearth")
    else:
        assert KeyRepository(folder).certificate("ibmwebspheremqearth").chain


def test_a_file_that_is_replaced_while_it_is_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file that was opened is read to its end."""
    file, read = _key(folder), os.read

    def replace_and_read(number: int, length: int) -> bytes:
        if file.exists():
            file.rename(file.with_suffix(".old"))
        return read(number, min(length, 100))

    monkeypatch.setattr(pem_files.os, "read", replace_and_read)
    assert KeyRepository(folder).certificate("ibmwebspheremqearth").chain


def test_files_of_a_program(folder: Path, authority: Authority, earth: Issued) -> None:
    files = KeyFiles(_key(folder), folder / "trusted" / "authority.pem")
    assert files.labels() == ("ibmwebspheremqearth",)
    assert files.certificate("whatever").certificate == earth.certificate
    assert files.trusted() == KeyFiles(trusted=folder / "trusted").trusted() == (authority.certificate,)
    assert files.revocations() == ()


def test_a_program_without_files() -> None:
    files = KeyFiles()
    assert (files.labels(), files.trusted()) == ((), ())
    with pytest.raises(TlsError, match="no file with a certificate was named"):
        files.certificate("me")
