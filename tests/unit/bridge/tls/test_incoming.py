"""The end that is called: its certificate and CipherSpecs follow from the server name in the hello."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqbridge.bridge.security.tls import TlsFault, TlsOffer
from mqbridge.bridge.tls import TlsContexts, TlsError
from mqbridge.protocol.constants import MQRQ
from support.tls.authority import Authority
from support.tls.hellos import message, records, server_names
from support.tls.sessions import TLS_1_2, TLS_1_3, join, offer, repository


@pytest.fixture(scope="module")
def authority() -> Authority:
    return Authority()


@pytest.fixture
def contexts(tmp_path: Path, authority: Authority) -> TlsContexts:
    authority.issue("O=Space,CN=MARS", curve=True).save(tmp_path / "mars.pem")
    return repository(tmp_path, authority, "earth")


def _offer_for(name: str) -> TlsOffer:
    """Two channels: one of TLS 1.2 with a certificate of its own, the other of TLS 1.3."""
    if name == "to.mars":
        return offer(*TLS_1_2, label="mars", channel="TO.MARS")
    return offer(*TLS_1_3, channel="TO.EARTH" if name else "")


@pytest.mark.spec("T-02", "T-04")
@pytest.mark.parametrize(
    ("name", "protocol", "subject", "channel"),
    [
        ("to.mars", "TLSV12", "CN=MARS,O=Space", "TO.MARS"),
        ("to.earth", "TLSV13", "CN=EARTH,O=Space", "TO.EARTH"),
        ("", "TLSV13", "CN=EARTH,O=Space", ""),
    ],
)
@pytest.mark.parametrize("piece", [1, 100, 1 << 16])
def test_the_server_name_decides(
    name: str, protocol: str, subject: str, channel: str, piece: int, contexts: TlsContexts
) -> None:
    client, server = contexts.call(offer(server_name=name)), contexts.answer(_offer_for)
    assert join(client, server, piece=piece) == {}
    assert client.agreed is not None
    assert client.agreed.certificate is not None
    assert (client.agreed.protocol, str(client.agreed.certificate.subject)) == (protocol, subject)
    assert server.agreed is not None
    assert (server.agreed.protocol, server.agreed.channel, server.agreed.server_name) == (protocol, channel, name)
    client.write(b"text")
    client.close()
    assert server.receive_data(client.data_to_send()) == b"text"
    assert server.ended
    server.close()
    assert server.closed
    client.receive_data(server.data_to_send())
    assert client.ended


def test_bytes_that_come_with_the_last_of_the_handshake(contexts: TlsContexts) -> None:
    client, server = contexts.call(offer()), contexts.answer(_offer_for)
    client.receive_data(b"")
    server.receive_data(client.data_to_send())
    client.receive_data(server.data_to_send())
    client.write(b"TSH ")
    assert server.receive_data(client.data_to_send()) == b"TSH "


@pytest.mark.parametrize(
    ("sent", "alert"),
    [
        (records(message(version=0x0300)), 70),
        (b"\x80\x2e\x01\x03\x01", 70),
        (records(b"\x01\x00\xff\xf0" + bytes(1 << 16)), 50),
        (b"\x16\x03\x01\xff\xff", 22),
        (records(message(server_names(*[b"a.b"] * 10_000))), 50),
        (b"\x16TSH ", 70),
        (b"TSH \0\0\0\x1c", 10),
        (bytes.fromhex("1503010002015a") * 1000, 10),
    ],
)
def test_what_is_no_hello_is_answered_with_an_alert(sent: bytes, alert: int, contexts: TlsContexts) -> None:
    server = contexts.answer(_offer_for)
    with pytest.raises(TlsError) as caught:
        server.receive_data(sent)
    fault = caught.value.fault
    assert (fault.amq, fault.qualifier, fault.stage) == ("AMQ9661", MQRQ.SSL_HANDSHAKE_ERROR, "hello")
    assert server.data_to_send() == bytes((21, 3, 3, 0, 2, 2, alert))
    assert server.data_to_send() == b""
    assert server.receive_data(sent) == b""
    with pytest.raises(TlsError, match="has failed before"):
        server.write(b"answer")
    server.close()
    server.receive_end()
    assert (server.agreed, server.ended, server.closed) == (None, False, False)
    client, other = contexts.call(offer()), contexts.answer(_offer_for)
    assert join(client, other) == {}


def test_an_offer_that_is_refused_is_told(contexts: TlsContexts) -> None:
    def refuse(_: str) -> TlsOffer:
        raise TlsError("not today", TlsFault("AMQ9616"))

    client, server = contexts.call(offer()), contexts.answer(refuse)
    errors = join(client, server)
    assert str(errors["server"]) == "not today"
    assert "alert handshake failure (40)" in str(errors["client"])


def test_a_hello_that_openssl_does_not_accept(contexts: TlsContexts) -> None:
    """A hello that we can read, without the extensions that TLS 1.3 requires."""
    server = contexts.answer(_offer_for)
    with pytest.raises(TlsError) as caught:
        server.receive_data(records(message(server_names(b"to.earth"))))
    assert caught.value.fault.amq == "AMQ9616"
    assert server.data_to_send()[:5] == b"\x15\x03\x01\0\x02" or server.data_to_send() == b""
