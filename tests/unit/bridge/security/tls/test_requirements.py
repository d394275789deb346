"""What a channel requires of a connection, row by row, and what each end offers (tls.md T-01 to T-07, T-11)."""

from __future__ import annotations

import string
from typing import Any

import pytest

from mqbridge.bridge.operator_messages import MESSAGES
from mqbridge.bridge.security.tls import (
    ENABLED,
    DistinguishedName,
    PeerCertificate,
    TlsConnection,
    TlsOffer,
    allowed,
    answering_offer,
    calling_offer,
    refusal,
)
from mqbridge.bridge.security.tls.cipher_specs import ALIASES
from mqbridge.protocol.constants import MQRQ, StatusCode
from support.queue_manager.security_records import Row

pytestmark = [pytest.mark.spec("tls.md T-04"), pytest.mark.spec("tls.md T-06"), pytest.mark.spec("tls.md T-07")]

MARS = PeerCertificate(
    DistinguishedName((("O", "Space"), ("OU", "Planets"), ("CN", "MARS"))), DistinguishedName((("CN", "Authority"),)), 9
)
CIPHER = "TLS_AES_256_GCM_SHA384"
PLAIN, TLS_12_OR_13, TLS_13, TLS_12 = "", "ANY_TLS12_OR_HIGHER", "ANY_TLS13", "ANY_TLS12"
CIPHER_ERROR = (StatusCode.CIPHER_SPEC, MQRQ.SSL_CIPHER_SPEC_ERROR)
HANDSHAKE_ERROR = (StatusCode.CIPHER_SPEC, MQRQ.SSL_HANDSHAKE_ERROR)
AUTH_ERROR = (StatusCode.SSL_CLIENT_CERTIFICATE, MQRQ.SSL_CLIENT_AUTH_ERROR)
NAME_ERROR = (StatusCode.PEER_NAME, MQRQ.SSL_PEER_NAME_ERROR)


def channel(cipher: str, **attributes: Any) -> Row:
    return Row("TO.EARTH", {"SSLCIPH": cipher, **attributes})


def tls(named: str = "", certificate: PeerCertificate | None = MARS, cipher: str = CIPHER) -> TlsConnection:
    protocol = "TLSV13" if cipher in allowed("ANY_TLS13") else "TLSV12"
    return TlsConnection(protocol, cipher, "", named, "label", certificate)


ROWS = [
    # SSLCIPH and connection
    (channel(PLAIN), None, "", None),
    (channel(PLAIN, SSLPEER="CN=VENUS", SSLCAUTH="REQUIRED", CERTLABL="x"), None, "", None),
    (channel(PLAIN), tls(), "AMQ9635", CIPHER_ERROR),
    (channel(TLS_12_OR_13), None, "AMQ9639", CIPHER_ERROR),
    (channel(TLS_12_OR_13), tls(), "", None),
    (channel(TLS_13), tls(), "", None),
    (channel(TLS_12), tls(), "AMQ9631", CIPHER_ERROR),
    (channel(TLS_13), tls(cipher="ECDHE_RSA_AES_256_GCM_SHA384"), "AMQ9631", CIPHER_ERROR),
    (channel(CIPHER), tls(), "", None),
    (channel(CIPHER), tls(cipher="TLS_AES_128_GCM_SHA256"), "AMQ9631", CIPHER_ERROR),
    (channel(CIPHER), tls(cipher="0x1399"), "AMQ9631", CIPHER_ERROR),
    (channel("RC4_MD5_US"), tls(), "AMQ9631", CIPHER_ERROR),
    # CERTLABL and server name
    (channel(CIPHER, CERTLABL="special"), tls(), "AMQ9673", HANDSHAKE_ERROR),
    (channel(CIPHER, CERTLABL="special"), tls("TO.MARS"), "AMQ9673", HANDSHAKE_ERROR),
    (channel(CIPHER, CERTLABL="special"), tls("TO.EARTH"), "", None),
    (channel(CIPHER), tls("TO.MARS"), "", None),
    # SSLCAUTH, SSLPEER and certificate
    (channel(CIPHER, SSLCAUTH="REQUIRED"), tls(), "", None),
    (channel(CIPHER, SSLCAUTH="REQUIRED"), tls(certificate=None), "AMQ9637", AUTH_ERROR),
    (channel(CIPHER, SSLCAUTH="OPTIONAL"), tls(certificate=None), "", None),
    (channel(CIPHER, SSLCAUTH="OPTIONAL", SSLPEER="CN=MARS"), tls(certificate=None), "AMQ9637", AUTH_ERROR),
    (channel(CIPHER, SSLPEER="CN=MARS"), tls(certificate=None), "AMQ9637", AUTH_ERROR),
    (channel(CIPHER, SSLPEER="CN=M*,O=space"), tls(), "", None),
    (channel(CIPHER, SSLPEER="SERIALNUMBER=09"), tls(), "", None),
    (channel(CIPHER, SSLPEER="CN=VENUS"), tls(), "AMQ9636", NAME_ERROR),
    (channel(CIPHER, SSLPEER="OU=Planets,C=GB"), tls(), "AMQ9636", NAME_ERROR),
    (channel(CIPHER, SSLPEER="no pattern"), tls(), "AMQ9640", NAME_ERROR),
]  # fmt: skip


@pytest.mark.parametrize(("row", "connection", "amq", "expected"), ROWS)
def test_a_caller(row: Row, connection: TlsConnection | None, amq: str, expected: tuple[int, int] | None) -> None:
    fault = refusal(row, connection)
    if fault is None:
        assert expected is None
        return
    assert (fault.amq, (fault.status, fault.qualifier), fault.permanent) == (amq, expected, True)
    assert fault.inserts[0] == "TO.EARTH"
    assert len([each for each in string.Formatter().parse(MESSAGES[amq][1]) if each[1] is not None]) == len(
        fault.inserts
    )


@pytest.mark.parametrize(
    ("row", "connection", "amq"),
    [
        (channel(CIPHER, CERTLABL="special"), tls(), ""),
        (channel(CIPHER, SSLCAUTH="REQUIRED"), tls(certificate=None), ""),
        (channel(CIPHER, SSLPEER="CN=MARS"), tls(certificate=None), "AMQ9637"),
        (channel(CIPHER, SSLPEER="CN=VENUS"), tls(), "AMQ9636"),
        (channel(TLS_12), tls(), "AMQ9631"),
    ],
)
def test_one_who_answers(row: Row, connection: TlsConnection, amq: str) -> None:
    """CERTLABL and SSLCAUTH of our channel say nothing about the end that we called."""
    fault = refusal(row, connection, calling=True)
    assert (fault.amq if fault else "") == amq


@pytest.mark.spec("tls.md T-02")
@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        ("", TlsOffer(ENABLED)),
        ("earth.example.org", TlsOffer(ENABLED, server_name="earth.example.org")),
        ("no2e-such.chl.mq.ibm.com", TlsOffer(ENABLED, server_name="no2e-such.chl.mq.ibm.com")),
        (
            "to2e-earth.chl.mq.ibm.com",
            TlsOffer((CIPHER,), "special", "TO.EARTH", "to2e-earth.chl.mq.ibm.com"),
        ),
        (
            "TO2E-EARTH.chl.mq.ibm.com",
            TlsOffer((CIPHER,), "special", "TO.EARTH", "TO2E-EARTH.chl.mq.ibm.com"),
        ),
        ("plain.chl.mq.ibm.com", TlsOffer(ENABLED, "", "PLAIN", "plain.chl.mq.ibm.com")),
    ],
)
def test_what_is_offered_to_a_caller(sent: str, expected: TlsOffer) -> None:
    channels = {"TO.EARTH": channel(CIPHER, CERTLABL="special"), "PLAIN": Row("PLAIN", {})}
    assert answering_offer(sent, channels.get) == expected


@pytest.mark.spec("tls.md T-03")
@pytest.mark.parametrize(
    ("host", "sni", "sent"),
    [
        ("mars.example.org", "channel", "to2e-earth.chl.mq.ibm.com"),
        ("mars.example.org", "hostname", "mars.example.org"),
        ("mars.example.org", "none", ""),
        ("10.0.0.1", "hostname", ""),
        ("fe80::1%eth0", "hostname", ""),
        ("10.0.0.1", "channel", "to2e-earth.chl.mq.ibm.com"),
    ],
)
def test_the_server_name_that_a_caller_sends(host: str, sni: str, sent: str) -> None:
    offer = calling_offer(channel(CIPHER), host=host, outbound_sni=sni)
    assert offer == TlsOffer((CIPHER,), "", "TO.EARTH", sent)


@pytest.mark.parametrize(
    ("row", "label", "expected"),
    [
        (channel(PLAIN, CERTLABL="special"), "ours", None),
        (channel(CIPHER), "", ((CIPHER,), "", False)),
        (channel(CIPHER), "ours", ((CIPHER,), "ours", False)),
        (channel(TLS_13, CERTLABL="special"), "ours", (allowed(TLS_13), "special", True)),
        (channel("RC4_MD5_US"), "", ((), "", False)),
    ],
)
def test_what_a_caller_offers(row: Row, label: str, expected: tuple[object, ...] | None) -> None:
    offer = calling_offer(row, host="mars", queue_manager_label=label)
    assert (None if offer is None else (offer.cipher_specs, offer.label, offer.own_certificate)) == expected


VALUES = (*ALIASES, "TLS_AES_128_GCM_SHA256", "ECDHE_RSA_AES_256_GCM_SHA384", "TLS_RSA_WITH_AES_128_CBC_SHA256")


@pytest.mark.parametrize("caller", VALUES)
@pytest.mark.parametrize("answering", VALUES)
def test_pairs_of_sslciph(caller: str, answering: str) -> None:
    """With a server name whatever both ends allow is agreed; without one the most preferred of the caller's is."""
    ours, theirs = channel(answering), Row("TO.EARTH", {"SSLCIPH": caller})
    common = [name for name in allowed(answering) if name in allowed(caller)]
    for sni in ("channel", "none"):
        called = calling_offer(theirs, host="earth", outbound_sni=sni)
        assert called is not None
        offered = answering_offer(called.server_name, {"TO.EARTH": ours}.get).cipher_specs
        agreed = next((name for name in offered if name in called.cipher_specs), None)
        if agreed is None:
            assert not common
            continue
        fault = refusal(ours, tls(cipher=agreed))
        assert refusal(theirs, tls(cipher=agreed), calling=True) is None
        if sni == "channel" or agreed in common:
            assert (agreed, fault) == (common[0], None)
        else:
            assert fault is not None
            assert fault.amq == "AMQ9631"
