"""Two ends of a TLS session, joined by their bytes."""

from __future__ import annotations

import datetime
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from OpenSSL import SSL

from mqbridge.bridge.security.tls import TlsConnection
from mqbridge.bridge.tls import TlsError, TlsSession


def _describe(connection: SSL.Connection) -> TlsConnection:
    return TlsConnection("TLSV13", connection.get_cipher_name() or "")


@pytest.fixture(scope="module")
def contexts() -> tuple[SSL.Context, SSL.Context]:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "EARTH")])
    start = datetime.datetime(2026, 1, 1)
    built = x509.CertificateBuilder(name, name, key.public_key(), 1, start, start + datetime.timedelta(days=3650))
    ours = SSL.Context(SSL.TLS_METHOD)
    ours.use_certificate(built.sign(key, hashes.SHA256()))
    ours.use_privatekey(key)
    return ours, SSL.Context(SSL.TLS_METHOD)


def _pair(contexts: tuple[SSL.Context, SSL.Context]) -> tuple[TlsSession, TlsSession]:
    ours, theirs = (SSL.Connection(each, None) for each in contexts)
    ours.set_accept_state()
    theirs.set_connect_state()
    return TlsSession(ours, _describe), TlsSession(theirs, _describe)


def _carry(one: TlsSession, other: TlsSession, data: bytes) -> tuple[bytes, bytes]:
    """Carry ciphertext until both are silent; returns what each has read."""
    read = {one: b"", other: b""}
    here, there = other, one
    while data:
        read[here] += here.receive_data(data)
        data = here.data_to_send()
        here, there = there, here
    return read[one], read[other]


def _begin(client: TlsSession) -> bytes:
    assert client.receive_data(b"") == b""
    return client.data_to_send()


def test_bytes_written_at_one_end_are_read_at_the_other(contexts: tuple[SSL.Context, SSL.Context]) -> None:
    server, client = _pair(contexts)
    _carry(client, server, _begin(client))
    assert server.agreed == client.agreed == TlsConnection("TLSV13", "TLS_AES_256_GCM_SHA384")
    text = bytes(range(256)) * 300
    client.write(text)
    sent = client.data_to_send()
    assert text[:64] not in sent
    assert b"".join(server.receive_data(sent[at : at + 1000]) for at in range(0, len(sent), 1000)) == text


def test_close_notify_ends_one_direction(contexts: tuple[SSL.Context, SSL.Context]) -> None:
    server, client = _pair(contexts)
    _carry(client, server, _begin(client))
    client.write(b"last words")
    client.close()
    assert server.receive_data(client.data_to_send()) == b"last words"
    assert server.ended
    server.write(b"answer")
    assert client.receive_data(server.data_to_send()) == b"answer"


def test_damage_ends_the_session_with_an_alert(contexts: tuple[SSL.Context, SSL.Context]) -> None:
    server, client = _pair(contexts)
    _carry(client, server, _begin(client))
    client.write(b"one record")
    sent = bytearray(client.data_to_send())
    sent[-1] ^= 1
    with pytest.raises(TlsError, match="bad record mac"):
        server.receive_data(bytes(sent))
    with pytest.raises(TlsError, match="alert bad record mac"):
        client.receive_data(server.data_to_send())


class WarnedConnection:
    """OpenSSL's end of a session after a warning: a read fails without a reason, and the next one goes on."""

    def __init__(self, *outcomes: bytes | Exception) -> None:
        self._outcomes = list(outcomes)

    def do_handshake(self) -> None:
        """Over at once."""

    def bio_write(self, data: memoryview) -> int:
        return len(data)

    def recv(self, _: int) -> bytes:
        outcome = self._outcomes.pop(0) if self._outcomes else SSL.SysCallError(-1, "Unexpected EOF")
        if isinstance(outcome, Exception):
            raise outcome
        return outcome


WARNING = SSL.SysCallError(-1, "Unexpected EOF")


@pytest.mark.parametrize(
    ("outcomes", "plain", "ended"),
    [
        ([b"one", WARNING, b"two", SSL.WantReadError()], b"onetwo", False),
        ([b"one", WARNING, SSL.ZeroReturnError()], b"one", True),
        ([b"one"], b"one", False),
    ],
)
def test_a_warning_ends_nothing(outcomes: list[bytes | Exception], plain: bytes, ended: bool) -> None:
    """Java sends the alert user_canceled before close_notify, in TLS 1.3."""
    connection: Any = WarnedConnection(*outcomes)
    session = TlsSession(connection, lambda _: TlsConnection("TLSV13", "TLS_AES_256_GCM_SHA384"))
    assert session.receive_data(b"any") == plain
    assert session.ended == ended
