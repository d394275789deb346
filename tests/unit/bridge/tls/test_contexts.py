"""Sessions made for offers: what both ends agree, and what they refuse."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqbridge.bridge.security.tls import ENABLED, TlsOffer
from mqbridge.bridge.tls import KeyRepository, TlsContexts, TlsError
from mqbridge.protocol.constants import MQRC
from support.tls.authority import Authority
from support.tls.sessions import ALL, TLS_1_2, TLS_1_3, join, offer, repository

WEAK = "TLS_AES_128_CCM_8_SHA256"


@pytest.fixture(scope="module")
def authority() -> Authority:
    return Authority()


@pytest.fixture
def server(tmp_path: Path, authority: Authority) -> TlsContexts:
    return repository(tmp_path / "earth", authority, "ibmwebspheremqearth")


@pytest.fixture
def client(tmp_path: Path, authority: Authority) -> TlsContexts:
    return repository(tmp_path / "saturn", authority, "ibmwebspheremqsaturn", name="O=Space,OU=Planets,CN=SATURN")


def test_both_ends_know_what_was_agreed(server: TlsContexts, client: TlsContexts) -> None:
    one = client.call(offer(server_name="to2e-earth.chl.mq.ibm.com", own=True))
    other = server.answer(lambda name: offer(channel="TO.EARTH" if name == "to2e-earth.chl.mq.ibm.com" else ""))
    assert join(one, other) == {}
    assert one.agreed is not None
    assert other.agreed is not None
    assert (one.agreed.protocol, one.agreed.cipher_spec) == ("TLSV13", "TLS_AES_256_GCM_SHA384")
    assert (other.agreed.channel, other.agreed.server_name) == ("TO.EARTH", "to2e-earth.chl.mq.ibm.com")
    assert (one.agreed.label, other.agreed.label) == ("ibmwebspheremqsaturn", "ibmwebspheremqearth")
    assert one.agreed.certificate is not None
    assert str(one.agreed.certificate.subject) == "CN=EARTH,O=Space"
    assert other.agreed.certificate is not None
    assert str(other.agreed.certificate.subject) == "CN=SATURN,OU=Planets,O=Space"
    assert str(other.agreed.certificate.issuer) == "CN=Authority,O=Tests"


@pytest.mark.parametrize("name", [name for name in ENABLED if name != WEAK])
def test_each_cipher_spec_is_agreed_alone(name: str, tmp_path: Path, authority: Authority, client: TlsContexts) -> None:
    folder = tmp_path / "earth"
    authority.issue("O=Space,CN=EARTH", curve="ECDSA" in name).save(folder / "earth.pem")
    authority.trust_file(folder / "trusted" / "authority.pem")
    one = client.call(offer(name))
    other = TlsContexts(KeyRepository(folder), "earth").answer(lambda _: offer(*ENABLED))
    assert join(one, other) == {}
    assert one.agreed is not None
    assert one.agreed.cipher_spec == name
    assert other.agreed is not None
    assert other.agreed.cipher_spec == name


@pytest.mark.parametrize(("ours", "theirs"), [(TLS_1_3, TLS_1_2), (TLS_1_2, TLS_1_3), (ALL[:1], ALL[1:2])])
def test_nothing_in_common(
    ours: tuple[str, ...], theirs: tuple[str, ...], server: TlsContexts, client: TlsContexts
) -> None:
    one, other = client.call(offer(*theirs)), server.answer(lambda _: offer(*ours))
    errors = join(one, other)
    assert errors["server"].fault.amq == "AMQ9616"
    assert errors["client"].fault.amq == "AMQ9665"
    assert errors["client"].fault.permanent


def test_the_answering_end_prefers(server: TlsContexts, client: TlsContexts) -> None:
    one, other = client.call(offer(*reversed(ALL))), server.answer(lambda _: offer(*ALL))
    assert join(one, other) == {}
    assert one.agreed is not None
    assert one.agreed.cipher_spec == ALL[0]


def test_a_caller_of_another_authority(server: TlsContexts, tmp_path: Path) -> None:
    stranger = repository(tmp_path / "stranger", Authority("O=Others,CN=Authority"), "me")
    errors = join(stranger.call(offer()), server.answer(lambda _: offer()))
    assert errors["client"].fault.amq == "AMQ9633"
    assert "its root authority is not trusted" in str(errors["client"]) or "not trusted" in str(errors["client"])
    assert "it does not trust the authority that issued our certificate" in str(errors["server"])
    assert errors["client"].reason is MQRC.SSL_INITIALIZATION_ERROR


def test_a_label_that_does_not_exist(server: TlsContexts, client: TlsContexts) -> None:
    one, other = client.call(offer()), server.answer(lambda _: offer(label="other"))
    errors = join(one, other)
    assert "mqbridge certificate create" in str(errors["server"])
    assert errors["server"].fault.amq == "AMQ9642"
    assert errors["client"].fault.amq == "AMQ9665"
    with pytest.raises(TlsError, match="we have no certificate 'other'"):
        client.call(offer(label="other", own=True))


def test_offers_without_a_cipher_spec(server: TlsContexts, client: TlsContexts) -> None:
    with pytest.raises(TlsError, match=f"OpenSSL does not use {WEAK} at its level of security"):
        client.call(offer(WEAK))
    with pytest.raises(TlsError, match="no CipherSpec is left to offer") as caught:
        client.call(TlsOffer(()))
    assert caught.value.fault.amq == "AMQ9616"
    errors = join(client.call(offer()), server.answer(lambda _: TlsOffer(())))
    assert errors["server"].fault.amq == "AMQ9616"
    assert errors["client"].fault.amq == "AMQ9665"


def test_an_end_that_serves_tells_the_server_name(server: TlsContexts, client: TlsContexts) -> None:
    one, other = client.call(offer(server_name="mq.example.com")), server.serve(offer(label="IBMWebSphereMQEarth"))
    assert join(one, other) == {}
    assert other.agreed is not None
    assert (other.agreed.server_name, other.agreed.label) == ("mq.example.com", "ibmwebspheremqearth")


def test_a_caller_without_certificate_calls_if_it_needs_none(server: TlsContexts, tmp_path: Path) -> None:
    authority = Authority()
    nobody = repository(tmp_path / "nobody", authority)
    one, other = nobody.call(offer(label="other")), repository(tmp_path / "mars", authority, "mars").serve(offer())
    assert join(one, other) == {}
    assert one.agreed is not None
    assert one.agreed.label == ""
    assert other.agreed is not None
    assert other.agreed.certificate is None


def test_contexts_are_kept_for_offers_up_to_a_limit(server: TlsContexts, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mqbridge.bridge.tls.contexts.MAX_CONTEXTS", 3)
    offers = [offer(name) for name in ALL]
    sessions = [server.serve(each) for each in offers for _ in range(3)]
    assert len({id(each._connection.get_context()) for each in sessions}) == len(offers)
    assert len(server._contexts) == 3
    again = server.serve(offer(ALL[-1], channel="ANOTHER"))
    assert again._connection.get_context() is sessions[-1]._connection.get_context()
