"""Doors and certificates: who comes in inside TLS, and what message channels ask of their partners.

The callers of test_doors_credentials.py, on sockets.
"""

from __future__ import annotations

import socket
import ssl
from collections.abc import Iterator
from contextlib import closing

import pytest

from mqbridge.bridge.security.tls.server_names import server_name
from mqbridge.protocol.constants import MQRC, SegmentType, StatusCode
from support.channels.playbook import THEY
from support.doors.credentials import Credentials, SigningClient, conauth, user_data
from support.doors.scene import TRANSPORTS, CredentialScene, Outcome

pytestmark = [pytest.mark.spec("tls.md T-11"), pytest.mark.spec("channels.md 15"), pytest.mark.faulty_traffic]

PLAIN, TLS = ["plain", "Unix socket"], ["TLS"]
TLS_BY_SOCKET = "TLS in a Unix socket"
RIGHT = Credentials(b"alice", b"wonderland")
NO = int(MQRC.NOT_AUTHORIZED)
WRONG = Outcome(reason=NO, lines=("AMQ5534", "AMQ5542"))
MISSING = Outcome(reason=NO, lines=("AMQ5540", "AMQ5542"))
ALICE = Outcome("alice")


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CredentialScene]:
    """MARS, where a right password is required and its user adopted."""
    with closing(CredentialScene(tmp_path_factory.mktemp("doors"))) as made:
        yield made


REFUSED = Outcome(lines=("AMQ9633",))
OTHER_NAME = Outcome(status=StatusCode.PEER_NAME, lines=("AMQ9636",))
NO_RECORD = Outcome(reason=NO, lines=("AMQ9777",))
CHANNEL_REFUSED = Outcome(status=StatusCode.SECURITY_FAILURE, lines=("AMQ9777",))
NONE = Outcome(status=StatusCode.SSL_CLIENT_CERTIFICATE, lines=("AMQ9637",))
BAD = ["expired", "not valid yet", "revoked", "of another authority", "of an authority of the same name"]
NAMES = {"longer name", "padded", "unicode", "with a zero", "with two names", "with a name inside"}
SHOWN: dict[str, tuple[Outcome, Outcome]] = {
    "": (NONE, NO_RECORD),
    "right": (ALICE, Outcome("bob")),
    "odd case": (ALICE, Outcome("bob")),
    "of another subject": (OTHER_NAME, NO_RECORD),
    "of a third subject": (OTHER_NAME, NO_RECORD),
    **dict.fromkeys(sorted(NAMES), (OTHER_NAME, NO_RECORD)),
    **dict.fromkeys(BAD, (REFUSED, REFUSED)),
}
"""By certificate: what comes of it at a channel with SSLPEER and MCAUSER, or a password; and at one with SSLPEERMAP."""


@pytest.mark.parametrize("transport", TLS)
@pytest.mark.parametrize("certificate", SHOWN)
def test_a_client_with_a_certificate(scene: CredentialScene, transport: str, certificate: str) -> None:
    named, mapped = SHOWN[certificate]
    assert scene.comes_in(transport, "TLS.NAMED", RIGHT, certificate=certificate) == named
    assert scene.comes_in(transport, "TLS.MAPPED", RIGHT, certificate=certificate) == mapped


@pytest.mark.parametrize("transport", TLS)
@pytest.mark.parametrize("certificate", SHOWN)
def test_a_message_channel_with_a_certificate(scene: CredentialScene, transport: str, certificate: str) -> None:
    named, mapped = SHOWN[certificate]
    mapped = CHANNEL_REFUSED if mapped == NO_RECORD else mapped
    assert scene.opens_channel(transport, "TO.TLS.NAMED", certificate=certificate) == named
    assert scene.opens_channel(transport, "TO.TLS.MAPPED", certificate=certificate) == mapped


@pytest.mark.parametrize("transport", TLS)
@pytest.mark.parametrize(
    ("credentials", "outcome"),
    [
        (None, MISSING),
        (Credentials(b"alice", b"guessed"), WRONG),
        (Credentials(b"alice", b"builder-4711"), WRONG),
        (Credentials(b"alice", b""), WRONG),
        (Credentials(b"anne", b"guessed"), WRONG),
    ],
)
def test_a_right_certificate_stands_for_no_password(
    scene: CredentialScene, transport: str, credentials: Credentials | None, outcome: Outcome
) -> None:
    for channel in ("TLS.NAMED", "TLS.MAPPED"):
        assert scene.comes_in(transport, channel, credentials, certificate="right") == outcome


@pytest.mark.parametrize("transport", PLAIN)
def test_a_plain_caller_has_no_certificate(scene: CredentialScene, transport: str) -> None:
    plain = Outcome(status=StatusCode.CIPHER_SPEC, lines=("AMQ9639",))
    for channel in ("TLS", "TLS.MUTUAL", "TLS.NAMED", "TLS.MAPPED"):
        assert scene.comes_in(transport, channel, RIGHT) == plain
        assert scene.opens_channel(transport, f"TO.{channel}") == plain


@pytest.mark.parametrize("transport", TLS)
def test_a_caller_inside_tls_at_a_plain_channel(scene: CredentialScene, transport: str) -> None:
    inside = Outcome(status=StatusCode.CIPHER_SPEC, lines=("AMQ9635",))
    for certificate in ("", "right"):
        assert scene.comes_in(transport, "PLAIN", RIGHT, certificate=certificate) == inside
        assert scene.opens_channel(transport, "TO.PLAIN", certificate=certificate) == inside


@pytest.mark.parametrize("transport", TLS)
@pytest.mark.parametrize("name", ["TLS.NAMED", "TLS", "NO.SUCH", "nonsense"])
def test_the_channel_counts_that_is_asked_for_not_that_of_the_hello(
    scene: CredentialScene, transport: str, name: str
) -> None:
    named = "www.example.com" if name == "nonsense" else server_name(name)
    with closing(scene.call(transport, "of another subject", named)) as made:
        answer = SigningClient(made).agrees("TLS.NAMED")
    assert (answer.type, answer.code) == (SegmentType.STATUS_DATA, StatusCode.PEER_NAME)
    scene.settled()


def test_a_bad_certificate_is_refused_where_none_is_asked_for(scene: CredentialScene) -> None:
    for transport in TLS:
        for certificate in BAD:
            assert scene.comes_in(transport, "TLS", RIGHT, certificate=certificate) == REFUSED
            assert scene.opens_channel(transport, "TO.TLS", certificate=certificate) == REFUSED


def test_a_caller_that_does_not_trust_us_is_told_of_once(scene: CredentialScene) -> None:
    before = len(scene.host.log)
    with socket.create_connection(("127.0.0.1", scene.host.port)) as plain, pytest.raises(ssl.SSLCertVerificationError):
        ssl.create_default_context().wrap_socket(plain, server_hostname="localhost")
    scene.settled()
    assert [line[0] for line in scene.host.log[before:]] == ["AMQ9665"]


def test_tls_in_a_unix_socket_is_tls(scene: CredentialScene) -> None:
    assert scene.comes_in(TLS_BY_SOCKET, "TLS", RIGHT) == ALICE
    assert scene.comes_in(TLS_BY_SOCKET, "TLS", Credentials(b"alice", b"guessed")) == WRONG
    assert scene.comes_in(TLS_BY_SOCKET, "PLAIN", RIGHT) == Outcome(status=StatusCode.CIPHER_SPEC, lines=("AMQ9635",))
    for certificate in ("", "right", "of another subject", "revoked"):
        named, mapped = SHOWN[certificate]
        assert scene.comes_in(TLS_BY_SOCKET, "TLS.NAMED", RIGHT, certificate=certificate) == named
        assert scene.opens_channel(TLS_BY_SOCKET, "TO.TLS.NAMED", certificate=certificate) == named
        assert scene.comes_in(TLS_BY_SOCKET, "TLS.MAPPED", RIGHT, certificate=certificate) == mapped


# Message channels: there are no passwords


@pytest.mark.parametrize("transport", TRANSPORTS)
@pytest.mark.parametrize("own", [False, True], ids=["without MCAUSER", "with MCAUSER"])
def test_a_message_channel_without_a_certificate(scene: CredentialScene, transport: str, own: bool) -> None:
    if transport in PLAIN:
        channel, user = ("TO.OWN.USER", "alice") if own else ("TO.PLAIN", "mca")
        assert scene.opens_channel(transport, channel) == Outcome(user)
    elif own:
        assert scene.opens_channel(transport, "TO.TLS.NAMED") == NONE
    else:
        assert scene.opens_channel(transport, "TO.TLS") == Outcome("mca")


@pytest.mark.parametrize("transport", TRANSPORTS)
@pytest.mark.parametrize("kind", [SegmentType.CONAUTH_INFO, SegmentType.USERID_DATA])
@pytest.mark.parametrize("credentials", [RIGHT, Credentials(b"anne", b"of-the-shire"), Credentials(b"", b"")])
def test_a_message_channel_takes_no_password(
    scene: CredentialScene, transport: str, kind: SegmentType, credentials: Credentials
) -> None:
    """Nobody signs on before a channel is agreed upon, as who it may be."""
    body = (conauth if kind == SegmentType.CONAUTH_INFO else user_data)(credentials, THEY.order)
    channel = "TO.TLS" if transport in TLS else "TO.PLAIN"
    outcome = scene.opens_channel(transport, channel, first=THEY.build(kind, body))
    assert outcome == Outcome(status=StatusCode.PROTOCOL_SEGMENT_TYPE, lines=("AMQ9504",))


@pytest.mark.parametrize("transport", TRANSPORTS)
@pytest.mark.parametrize("partner", ["", "mqm", "VENUS", "venus ", "MARS", "V" * 48, "VEN\nUS", "V\x1b[2J"])
def test_the_name_that_a_queue_manager_states_makes_it_nobody_else(
    scene: CredentialScene, transport: str, partner: str
) -> None:
    channel = "TO.TLS" if transport in TLS else "TO.PLAIN"
    assert scene.opens_channel(transport, channel, partner=partner) == Outcome("mca")
