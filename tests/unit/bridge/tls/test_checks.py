"""Whose certificates are accepted, at both ends, and what is said of the others."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import rsa
from OpenSSL import SSL

from mqbridge.bridge.security.tls import TlsConnection
from mqbridge.bridge.tls import KeyRepository, TlsContexts, TlsError, TlsSession
from mqbridge.protocol.constants import MQRC, MQRQ
from support.tls.authority import DAY, Authority, Issued, distinguished_name, pem
from support.tls.sessions import join, offer, repository

EARTH = "O=Space,CN=EARTH"


@dataclass
class Scene:
    """An answering end that is called by an end with another certificate."""

    folder: Path
    authority: Authority
    caller: Issued

    @property
    def repository(self) -> Path:
        return self.folder / "earth"

    def call(self, *, crl_required: bool = False) -> TlsError | None:
        """Why the caller is refused; None if it is not."""
        calling = self.folder / "caller"
        self.caller.save(calling / "me.pem")
        self.authority.trust_file(calling / "trusted" / "a.pem")
        server = TlsContexts(KeyRepository(self.repository), "earth", crl_required)
        client = TlsContexts(KeyRepository(calling), "me")
        one, other = client.call(offer()), server.answer(lambda _: offer())
        errors = join(one, other)
        if "server" not in errors:
            assert not errors
            assert other.agreed is not None
            assert other.agreed.certificate is not None
        return errors.get("server")

    def revoke(self, name: str, revocations: bytes) -> None:
        (self.repository / "crl").mkdir(exist_ok=True)
        (self.repository / "crl" / f"{name}.pem").write_bytes(revocations)


@pytest.fixture(scope="module")
def authority() -> Authority:
    return Authority()


@pytest.fixture
def scene(tmp_path: Path, authority: Authority) -> Scene:
    repository(tmp_path / "earth", authority, "earth")
    return Scene(tmp_path, authority, authority.issue("O=Space,CN=SATURN", curve=True))


def test_a_certificate_of_a_trusted_authority(scene: Scene) -> None:
    assert scene.call() is None


def test_a_chain_through_an_intermediate_authority(scene: Scene, authority: Authority) -> None:
    scene.caller = authority.intermediate().issue("O=Space,CN=SATURN", curve=True)
    assert scene.call() is None


def test_an_intermediate_authority_may_be_trusted_alone(scene: Scene) -> None:
    between = Authority("O=Others,CN=Root").intermediate()
    scene.caller = between.issue("O=Space,CN=SATURN", curve=True)
    between.trust_file(scene.repository / "trusted" / "between.pem")
    assert scene.call() is None


def test_a_partner_may_be_trusted_itself(scene: Scene) -> None:
    scene.caller = Authority("O=Others,CN=Root").issue("O=Space,CN=SATURN", curve=True)
    (scene.repository / "trusted" / "saturn.pem").write_bytes(pem(scene.caller.certificate))
    assert scene.call() is None


def _forged(ours: Authority) -> Issued:
    """A certificate of an authority that has the name and identifier of another one, but not its key."""
    forger = Authority()
    forger.identifier = ours.identifier
    return forger.issue(EARTH, curve=True)


@pytest.mark.parametrize(
    ("issue", "words", "code"),
    [
        (lambda ours: ours.issue(EARTH, curve=True, valid=(-10, -1)), "it has expired", 401),
        (lambda ours: ours.issue(EARTH, curve=True, valid=(1, 10)), "it is not valid yet", 401),
        (lambda _: Authority("O=Others,CN=Root").issue(EARTH, curve=True), "its issuer is not trusted", 435),
        (lambda _: _with_root(Authority("O=Others,CN=Root")), "its root authority is not trusted", 435),
        (lambda _: _self_signed(), "it is self-signed and not trusted", 417),
        (lambda ours: _forged(ours), "its signature is wrong", 8),
        (lambda ours: _below_an_end(ours), "it is no authority and issued another", 8),
    ],
)
def test_certificates_that_are_refused(
    issue: Callable[[Authority], Issued], words: str, code: int, scene: Scene, authority: Authority
) -> None:
    scene.caller = issue(authority)
    error = scene.call()
    assert error is not None
    assert str(error).endswith(words)
    assert (error.fault.amq, error.fault.qualifier) == ("AMQ9633", MQRQ.SSL_HANDSHAKE_ERROR)
    assert (error.fault.stage, error.fault.return_code, error.fault.permanent) == ("certificate", code, True)
    assert error.reason is MQRC.SSL_INITIALIZATION_ERROR


def _with_root(authority: Authority) -> Issued:
    issued = authority.issue(EARTH, curve=True)
    return Issued(issued.certificate, issued.key, (authority.certificate,))


def _self_signed() -> Issued:
    authority = Authority(EARTH)
    return Issued(authority.certificate, authority._key)


def _below_an_end(authority: Authority) -> Issued:
    """A certificate that was issued with one that is no authority's."""
    end = authority.issue("O=Space,CN=END", curve=True)
    false = Authority("O=Space,CN=END")
    false._key = end.key  # type: ignore[assignment]
    issued = false.issue(EARTH, curve=True)
    return Issued(issued.certificate, issued.key, (end.certificate,))


def _with_key(authority: Authority, key: rsa.RSAPrivateKey) -> Issued:
    now = datetime.datetime.now(datetime.UTC)
    built = x509.CertificateBuilder(
        authority.name, distinguished_name("O=Space,CN=SATURN"), key.public_key(), 77, now - DAY, now + DAY
    )
    return Issued(built.sign(authority._key, hashes.SHA256()), key)


@pytest.fixture(scope="module")
def short_key() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(65537, 1024)


def test_keys_that_are_too_short(scene: Scene, short_key: rsa.RSAPrivateKey) -> None:
    scene.caller = _with_key(scene.authority, short_key)
    with pytest.raises(TlsError, match=r"certificate me cannot be used: .*key too small"):
        scene.call()
    assert "its key is too weak" in str(_called_by(scene, scene.caller)["server"])


def _called_by(scene: Scene, caller: Issued) -> dict[str, TlsError]:
    """What goes wrong when somebody calls whose own rules allow more than ours."""
    context = SSL.Context(SSL.TLS_CLIENT_METHOD)
    context.set_cipher_list(b"ALL:@SECLEVEL=0")
    context.use_certificate(caller.certificate)
    context.use_privatekey(caller.key)
    connection = SSL.Connection(context, None)
    connection.set_connect_state()
    client = TlsSession(connection, lambda _: TlsConnection("", ""))
    return join(client, TlsContexts(KeyRepository(scene.repository), "earth").answer(lambda _: offer()))


def test_a_chain_below_an_authority_that_has_expired(scene: Scene) -> None:
    old = Authority("O=Old,CN=Authority", valid=(-30, -1))
    old.trust_file(scene.repository / "trusted" / "old.pem")
    scene.caller = old.issue("O=Space,CN=SATURN", curve=True)
    error = scene.call()
    assert error is not None
    assert "certificate CN=Authority,O=Old, issued by CN=Authority,O=Old: it has expired" in str(error)


@pytest.mark.parametrize(
    ("length", "words"), [(12, "too many certificates are above it"), (1000, "certificates, or another message")]
)
def test_a_chain_that_is_too_long(length: int, words: str, scene: Scene, authority: Authority) -> None:
    chain = [authority]
    for number in range(min(length, 12)):
        chain.append(chain[-1].intermediate(f"O=Tests,CN=Intermediate {number}"))
    issued = chain[-1].issue("O=Space,CN=SATURN", curve=True)
    context = SSL.Context(SSL.TLS_CLIENT_METHOD)
    context.use_certificate(issued.certificate)
    context.use_privatekey(issued.key)
    for each in islice(cycle(reversed(chain[1:])), length):
        context.add_extra_chain_cert(each.certificate)
    connection = SSL.Connection(context, None)
    connection.set_connect_state()
    client = TlsSession(connection, lambda _: TlsConnection("", ""))
    server = TlsContexts(KeyRepository(scene.repository), "earth").answer(lambda _: offer())
    errors = join(client, server)
    assert words in str(errors["server"])
    assert "alert" in str(errors["client"])


# Revocation


def test_a_revoked_certificate(scene: Scene) -> None:
    scene.revoke("authority", scene.authority.revoke(scene.caller))
    error = scene.call()
    assert error is not None
    assert "it was revoked" in str(error)
    assert error.reason is MQRC.SSL_CERTIFICATE_REVOKED
    assert error.fault.return_code == 431


def test_a_revocation_list_without_the_certificate(scene: Scene) -> None:
    scene.revoke("authority", scene.authority.revoke(scene.authority.issue("CN=other", curve=True)))
    assert scene.call() is None
    assert scene.call(crl_required=True) is None


@pytest.mark.parametrize("required", [False, True])
def test_a_revocation_list_that_has_expired(required: bool, scene: Scene) -> None:
    scene.revoke("authority", scene.authority.revoke(valid=(-7, -1)))
    error = scene.call(crl_required=required)
    assert error is not None
    assert "the revocation list of its issuer has expired" in str(error)
    assert error.fault.return_code == 436


def test_a_revocation_list_that_is_not_valid_yet(scene: Scene) -> None:
    scene.revoke("authority", scene.authority.revoke(valid=(1, 7)))
    assert "not valid yet" in str(scene.call())


def test_a_revocation_list_that_another_has_signed(scene: Scene) -> None:
    scene.revoke("authority", Authority().revoke(scene.caller))
    assert "the signature of its issuer's revocation list is wrong" in str(scene.call())


def test_an_issuer_without_revocation_list_where_another_has_one(scene: Scene) -> None:
    other = Authority("O=Others,CN=Authority")
    scene.revoke("other", other.revoke())
    assert scene.call() is None
    assert "its issuer has no revocation list" in str(scene.call(crl_required=True))


def test_revocation_lists_that_are_required(scene: Scene) -> None:
    error = scene.call(crl_required=True)
    assert error is not None
    assert "certificate CN=SATURN,O=Space, issued by CN=Authority,O=Tests: its issuer has no revocation" in str(error)
    scene.revoke("authority", scene.authority.revoke())
    assert scene.call(crl_required=True) is None


def test_an_intermediate_authority_that_was_revoked(scene: Scene, authority: Authority) -> None:
    between = authority.intermediate("O=Tests,CN=Between")
    scene.caller = between.issue("O=Space,CN=SATURN", curve=True)
    scene.revoke("authority", authority.revoke(Issued(between.certificate, scene.caller.key)))
    error = scene.call()
    assert error is not None
    assert "certificate CN=Between,O=Tests, issued by CN=Authority,O=Tests: it was revoked" in str(error)


def test_every_issuer_of_a_chain_needs_a_list_where_they_are_required(scene: Scene, authority: Authority) -> None:
    between = authority.intermediate("O=Tests,CN=Between")
    scene.caller = between.issue("O=Space,CN=SATURN", curve=True)
    scene.revoke("authority", authority.revoke())
    assert "its issuer has no revocation list" in str(scene.call(crl_required=True))
    scene.revoke("between", between.revoke())
    assert scene.call(crl_required=True) is None


# Who is called


@pytest.mark.parametrize(
    ("hosts", "host", "good"),
    [
        (["mq.example.com"], "mq.example.com", True),
        (["mq.example.com"], "MQ.example.com", True),
        (["*.example.com"], "mq.example.com", True),
        (["*.example.com"], "a.mq.example.com", False),
        (["mq.example.com"], "mq.example.org", False),
        (["127.0.0.1"], "127.0.0.1", True),
        (["127.0.0.1"], "127.0.0.2", False),
        (["::1"], "::1", True),
        (["::1"], "[::1]", True),
        (["localhost"], "127.0.0.1", False),
        ([], "mq.example.com", False),
        (["mq.example.com"], "", True),
    ],
)
def test_the_host_is_checked_where_it_is_asked_for(
    hosts: list[str], host: str, good: bool, tmp_path: Path, authority: Authority
) -> None:
    authority.issue(EARTH, curve=True, hosts=hosts).save(tmp_path / "earth.pem")
    authority.trust_file(tmp_path / "trusted" / "a.pem")
    contexts = TlsContexts(KeyRepository(tmp_path), "earth")
    client, server = contexts.call(offer(), host), contexts.answer(lambda _: offer())
    errors = join(client, server)
    assert (not errors) is good
    if not good:
        assert f"it is for other hosts, not for {host}" in str(errors["client"])
        assert errors["client"].reason is MQRC.SSL_PEER_NAME_MISMATCH
        assert "alert" in str(errors["server"])
        assert client.agreed is None


def test_a_certificate_that_is_known_needs_neither_authority_nor_host(tmp_path: Path, authority: Authority) -> None:
    contexts = repository(tmp_path / "earth", authority, "earth")
    known = contexts.certificate().der
    (tmp_path / "nobody").mkdir()
    nobody = TlsContexts(KeyRepository(tmp_path / "nobody"))
    for pinned, good in (((lambda der: der == known), True), ((lambda der: False), False)):
        client, server = nobody.call(offer(), "mars.example", pinned), contexts.answer(lambda _: offer())
        errors = join(client, server)
        assert (not errors) is good
        if good:
            assert client.agreed is not None
            assert client.agreed.certificate is not None
            assert client.agreed.certificate.der == known
        else:
            assert "refused" in str(errors["client"])
            assert client.agreed is None


def test_a_caller_trusts_nobody_by_itself(tmp_path: Path, authority: Authority) -> None:
    contexts = repository(tmp_path / "earth", authority, "earth")
    (tmp_path / "nobody").mkdir()
    for system in (False, True):
        nobody = TlsContexts(KeyRepository(tmp_path / "nobody"), system_authorities=system)
        errors = join(nobody.call(offer()), contexts.answer(lambda _: offer()))
        assert "is not trusted" in str(errors["client"])


def test_the_authorities_of_the_system_where_they_are_trusted(
    tmp_path: Path, authority: Authority, monkeypatch: pytest.MonkeyPatch
) -> None:
    contexts = repository(tmp_path / "earth", authority, "earth")
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.trust_file(tmp_path / "system.pem")))
    (tmp_path / "nobody").mkdir()
    for system in (True, False):
        client = TlsContexts(KeyRepository(tmp_path / "nobody"), system_authorities=system)
        errors = join(client.call(offer()), contexts.answer(lambda _: offer()))
        assert (not errors) is system


# Files that change


def test_files_are_read_again_by_refresh(scene: Scene) -> None:
    contexts = TlsContexts(KeyRepository(scene.repository), "earth")
    client, server = contexts.call(offer()), contexts.answer(lambda _: offer())
    assert join(client, server) == {}
    scene.authority.issue("O=Space,CN=NEW", curve=True).save(scene.repository / "earth.pem")
    before = contexts.call(offer())
    assert join(before, contexts.answer(lambda _: offer())) == {}
    contexts.refresh()
    after = contexts.call(offer())
    assert join(after, contexts.answer(lambda _: offer())) == {}
    names = [
        str(each.agreed.certificate.subject) for each in (before, after) if each.agreed and each.agreed.certificate
    ]
    assert names == ["CN=EARTH,O=Space", "CN=NEW,O=Space"]
    client.write(b"still there")
    assert server.receive_data(client.data_to_send()) == b"still there"


def test_a_refresh_that_fails_changes_nothing(scene: Scene) -> None:
    contexts = TlsContexts(KeyRepository(scene.repository), "earth")
    contexts.refresh()
    (scene.repository / "trusted" / "bad.pem").write_text("no certificate")
    with pytest.raises(TlsError, match="has no certificate in PEM form"):
        contexts.refresh()
    assert join(contexts.call(offer()), contexts.answer(lambda _: offer())) == {}


def test_one_damaged_label_harms_no_other(scene: Scene) -> None:
    (scene.repository / "mars.pem").write_text("no certificate")
    (scene.repository / "mars.pem").chmod(0o600)
    contexts = TlsContexts(KeyRepository(scene.repository), "earth")
    assert join(contexts.call(offer()), contexts.answer(lambda _: offer())) == {}
    for _ in range(2):
        with pytest.raises(TlsError, match=r"mars\.pem has no certificate") as caught:
            contexts.certificate("mars")
        assert caught.value.reason is MQRC.KEY_REPOSITORY_ERROR


def test_a_repository_made_later_is_found_without_refresh(tmp_path: Path, authority: Authority) -> None:
    contexts = TlsContexts(KeyRepository(tmp_path / "ssl"), "earth")
    with pytest.raises(TlsError, match="does not exist"):
        contexts.call(offer())
    repository(tmp_path / "ssl", authority, "earth")
    assert join(contexts.call(offer()), contexts.answer(lambda _: offer())) == {}


# The key log


def test_a_key_log_is_written_for_its_owner_only(tmp_path: Path, authority: Authority) -> None:
    repository(tmp_path, authority, "earth")
    log = tmp_path / "keys.log"
    for count in (1, 2):
        contexts = TlsContexts(KeyRepository(tmp_path), "earth", key_log=log)
        client = repository(tmp_path, authority).call(offer())
        assert join(client, contexts.answer(lambda _: offer())) == {}
        lines = log.read_text().splitlines()
        assert len([line for line in lines if line.startswith("CLIENT_TRAFFIC_SECRET_0 ")]) == count
    assert log.stat().st_mode & 0o777 == 0o600


def test_key_logs_that_are_refused(tmp_path: Path) -> None:
    log = tmp_path / "keys.log"
    log.touch(mode=0o644)
    log.chmod(0o644)
    for file, words in ((log, "others than its owner"), (tmp_path / "no" / "keys", "No such file")):
        with pytest.raises(TlsError, match=words):
            TlsContexts(KeyRepository(tmp_path), key_log=file)
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(TlsError, match="cannot be written"):
        TlsContexts(KeyRepository(tmp_path), key_log=link)
    assert not (tmp_path / "elsewhere").exists()
