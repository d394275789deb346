"""Clients inside TLS: who is let in, how passwords come, what REFRESH SECURITY does. The handshakes are played."""

from __future__ import annotations

from typing import Any

import pytest

from mqbridge.bridge.security.tls import TlsConnection
from mqbridge.protocol.constants import MQRC, MQRQ, SegmentType, StatusCode
from support.clients.door import Door, Guest
from support.clients.playbook import initial_data
from support.clients.program import CHANNEL, ClientProgram
from support.gateway.stage import certificate
from support.gateway.tls_callers import callers_inside, inside

pytestmark = [pytest.mark.spec("tls.md T-06"), pytest.mark.spec("client-observed.md O-140")]
IN, REFUSED = (0, 0), (2, MQRC.NOT_AUTHORIZED)
JOE = certificate("CN=joe,O=Space")


def door_with(attributes: str, *commands: str, **options: Any) -> Door:
    """A door whose channel has attributes of TLS."""
    return Door(f"ALTER CHANNEL({CHANNEL}) CHLTYPE(SVRCONN) {attributes}", *commands, **options)


def comes_inside(door: Door, tls: TlsConnection | None = None, **caller: Any) -> Guest:
    """A client that has agreed on everything, inside TLS."""
    with callers_inside(door.mars, tls or inside()):
        return door.comes(**caller)


def is_refused(door: Door, tls: TlsConnection | None) -> StatusCode:
    """The status code that a client gets in answer to its first segment."""
    found: list[ClientProgram] = []

    def made(stream: Any) -> ClientProgram:
        found.append(ClientProgram(door.stage, stream, 0))
        return found[0]

    def call() -> None:
        assert door.stage.call("MARS", made)

    if tls is None:
        call()
    else:
        with callers_inside(door.mars, tls):
            call()
    (client,) = found
    answer = client.asks(initial_data(client.writer, channel_name=CHANNEL, q_mgr_name="MARS"))
    assert answer.type == SegmentType.STATUS_DATA
    assert client.gone
    assert answer.code is not None
    return answer.code


OPTIONAL = "SSLCIPH(ANY_TLS12_OR_HIGHER) SSLCAUTH(OPTIONAL)"
FIXED = "SSLCIPH(TLS_AES_128_GCM_SHA256) SSLCAUTH(OPTIONAL)"


@pytest.mark.spec("tls.md T-07")
@pytest.mark.parametrize(
    ("attributes", "tls", "code", "amq"),
    [
        (OPTIONAL, None, StatusCode.CIPHER_SPEC, "AMQ9639"),
        ("", inside(), StatusCode.CIPHER_SPEC, "AMQ9635"),
        (FIXED, inside(), StatusCode.CIPHER_SPEC, "AMQ9631"),
        ("SSLCIPH(ANY)", inside(), StatusCode.SSL_CLIENT_CERTIFICATE, "AMQ9637"),
        (f"{OPTIONAL} SSLPEER('CN=ann')", inside(), StatusCode.SSL_CLIENT_CERTIFICATE, "AMQ9637"),
        (f"{OPTIONAL} SSLPEER('CN=ann')", inside(JOE), StatusCode.PEER_NAME, "AMQ9636"),
        (f"{OPTIONAL} CERTLABL(special)", inside(), StatusCode.CIPHER_SPEC, "AMQ9673"),
    ],
)
def test_what_does_not_fit_the_channel_is_refused(
    attributes: str, tls: TlsConnection | None, code: StatusCode, amq: str
) -> None:
    door = door_with(attributes)
    assert is_refused(door, tls) == code
    assert len(door.logged(amq)) == 1


@pytest.mark.parametrize(
    ("attributes", "tls"),
    [
        (OPTIONAL, inside()),
        ("SSLCIPH(ANY)", inside(JOE)),
        ("SSLCIPH(ANY_TLS13) SSLPEER('CN=j*')", inside(JOE)),
        (f"{OPTIONAL} CERTLABL(special)", inside(channel=CHANNEL)),
    ],
)
def test_what_fits_the_channel_comes_in(attributes: str, tls: TlsConnection) -> None:
    door = door_with(attributes)
    assert comes_inside(door, tls).connects() == IN
    (row,) = door.mars.rows(f"DISPLAY CHSTATUS({CHANNEL}) ALL")
    assert (row["SECPROT"], row["SSLCIPH"]) == ("TLSV13", "TLS_AES_256_GCM_SHA384")
    (shown,) = door.mars.rows(f"DISPLAY CONN(*) WHERE(CHANNEL EQ {CHANNEL}) ALL")
    assert "SECPROT" not in shown, "IBM's DISPLAY CONN has nothing of TLS"


# Passwords


@pytest.mark.spec("client-observed.md O-022")
@pytest.mark.parametrize("check", ["", "NONE", "OPTIONAL", "REQUIRED"])
def test_level_17_is_spoken_inside_tls_whether_or_not_passwords_are_checked(check: str) -> None:
    door = door_with(OPTIONAL, check=check)
    guest = comes_inside(door)
    end = door.mars.gateway.channel_manager.channels.named(CHANNEL).clients[-1]
    assert end.machine.agreed.fap_level == 17
    guest.signs_on("alice", "wonderland", reserved=True)
    assert guest.connects(3) == IN
    assert door.logged("AMQ5543") == []
    assert door.logged("AMQ5544") == []


@pytest.mark.spec("client-observed.md O-022")
@pytest.mark.parametrize(
    ("password", "outcome", "amq"),
    [("wonderland", IN, ""), ("wonderlanD", REFUSED, "AMQ5534"), (None, REFUSED, "AMQ5540")],
)
def test_passwords_inside_tls_are_checked(password: str | None, outcome: tuple[int, int], amq: str) -> None:
    door = door_with(OPTIONAL, check="REQUIRED")
    guest = comes_inside(door)
    if password is not None:
        guest.signs_on("alice", password, reserved=True)
    assert guest.connects(3) == outcome
    assert not amq or door.logged(amq)


def test_a_password_required_later_can_be_checked_on_a_connection_inside_tls() -> None:
    door = door_with(OPTIONAL)
    guest = comes_inside(door)
    assert guest.connects() == IN
    door.mars.types("ALTER AUTHINFO(DEV.AUTHINFO) AUTHTYPE(IDPWOS) CHCKCLNT(REQUIRED) FAILDLAY(0)")
    guest.client.sends(guest.client.socket_action(3, 1))
    guest.signs_on("alice", "wonderland", conversation=3, reserved=True)
    assert guest.connects(3, conversation=3) == IN


def test_the_operator_is_warned_of_plain_channels_alone() -> None:
    door = door_with(OPTIONAL, f"DEFINE CHANNEL(PLAIN) CHLTYPE(SVRCONN) LIKE({CHANNEL}) SSLCIPH(' ')", check="REQUIRED")
    comes_inside(door)
    assert door.logged("AMQ5543") == []
    door.mars.types(f"ALTER CHANNEL({CHANNEL}) CHLTYPE(SVRCONN) SSLCIPH(' ')")
    door.comes()
    assert door.logged("AMQ5543") == [CHANNEL]


# REFRESH SECURITY TYPE(SSL)


@pytest.mark.spec("tls.md T-10")
def test_clients_inside_tls_lose_their_connection_and_others_do_not() -> None:
    door = door_with(OPTIONAL)
    guest = comes_inside(door)
    assert guest.connects() == IN
    door.mars.types("REFRESH SECURITY TYPE(CONNAUTH)")
    door.stage.wait(1)
    assert not guest.client.gone
    door.mars.types("REFRESH SECURITY TYPE(SSL)")
    door.stage.wait(1)
    assert guest.client.gone
    assert comes_inside(door).connects() == IN, "the channel is not stopped"


@pytest.mark.spec("tls.md T-10")
def test_plain_clients_notice_nothing() -> None:
    door = Door()
    guest = door.connected()
    door.mars.types("REFRESH SECURITY TYPE(SSL)")
    door.stage.wait(1)
    assert not guest.client.gone


def test_qualifiers_are_those_of_ibm() -> None:
    numbers = (
        MQRQ.SSL_HANDSHAKE_ERROR,
        MQRQ.SSL_CIPHER_SPEC_ERROR,
        MQRQ.SSL_CLIENT_AUTH_ERROR,
        MQRQ.SSL_PEER_NAME_ERROR,
    )
    assert numbers == (13, 14, 15, 16)
