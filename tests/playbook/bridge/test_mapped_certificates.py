"""Partners mapped by their certificates; SSLPEER of the channel and the record must both match (tls.md T-11)."""

from __future__ import annotations

import pytest

from support.gateway.stage import earth_and_saturn

pytestmark = pytest.mark.spec("tls.md T-11")

CHANNEL = "EARTH.SATURN"
CIPHER = "SSLCIPH(ANY_TLS12_OR_HIGHER)"


@pytest.mark.parametrize(
    ("peer_name", "records", "amq"),
    [
        ("", [], ""),
        ("CN=EARTH,O=Space", [], ""),
        ("CN=EARTH,O=Time", [], "AMQ9636"),
        ("", ["SSLPEER('CN=EARTH') USERSRC(NOACCESS)"], "AMQ9777"),
        ("", ["SSLPEER('CN=MARS') USERSRC(NOACCESS)"], ""),
        ("", ["SSLPEER('CN=*') USERSRC(NOACCESS)", "SSLPEER('CN=EARTH') USERSRC(CHANNEL)"], ""),
        ("", ["SSLPEER('CN=EARTH') USERSRC(NOACCESS)", "SSLPEER('CN=EARTH') SSLCERTI('O=Space') USERSRC(CHANNEL)"], ""),
        ("", ["SSLPEER('CN=E*') USERSRC(CHANNEL)", "SSLPEER('CN=E*') SSLCERTI('O=*') USERSRC(NOACCESS)"], "AMQ9777"),
        ("CN=EARTH", ["SSLPEER('O=Space') USERSRC(CHANNEL)"], ""),
        ("CN=MARS", ["SSLPEER('O=Space') USERSRC(CHANNEL)"], "AMQ9636"),
        ("CN=EARTH", ["SSLPEER('O=Space') USERSRC(NOACCESS)"], "AMQ9777"),
        ("", ["SSLPEER('CN=EARTH') MCAUSER('rover')"], "AMQ9557"),
    ],
)  # fmt: skip
def test_a_partner_with_a_certificate(peer_name: str, records: list[str], amq: str) -> None:
    stage, earth, saturn = earth_and_saturn(CIPHER, CIPHER, start=False)
    if peer_name:
        saturn.types(f"ALTER CHANNEL({CHANNEL}) CHLTYPE(RCVR) SSLPEER('{peer_name}')")
    for record in records:
        saturn.types(f"SET CHLAUTH('EARTH.*') TYPE(SSLPEERMAP) {record}")
    earth.types(f"START CHANNEL({CHANNEL})")
    earth.put("FAR", b"message")
    stage.wait()
    if amq:
        assert saturn.logged(amq)
        assert (earth.status(CHANNEL), saturn.depth("TARGET")) == ("STOPPED", 0)
    else:
        assert saturn.contents("TARGET") == [b"message"]


def test_a_plain_partner_has_no_certificate() -> None:
    stage, earth, saturn = earth_and_saturn(start=False)
    saturn.types("SET CHLAUTH('EARTH.*') TYPE(SSLPEERMAP) SSLPEER('CN=*') USERSRC(NOACCESS)")
    earth.types(f"START CHANNEL({CHANNEL})")
    earth.put("FAR", b"message")
    stage.wait()
    assert saturn.contents("TARGET") == [b"message"]
