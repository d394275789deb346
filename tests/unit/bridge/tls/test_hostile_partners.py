"""What a partner can send that no honest one does: a session ends with its reason, or goes on unharmed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from cryptography.hazmat.bindings.openssl.binding import Binding
from OpenSSL import SSL

from mqbridge.bridge.security.tls import TlsConnection
from mqbridge.bridge.tls import KeyFiles, KeyRepository, TlsContexts, TlsError, TlsSession
from mqbridge.protocol.constants import MQRC
from mqbridge.protocol.errors import LocalProtocolError
from support.tls.authority import Authority
from support.tls.records import ALERT, APPLICATION_DATA, HANDSHAKE, Forge
from support.tls.sessions import TLS_1_2, TLS_1_3, End, join, offer, repository


@pytest.fixture(scope="module")
def authority() -> Authority:
    return Authority()


@dataclass
class Pair:
    """Two ends after the handshake. ``forge``: encrypts as the client does."""

    client: TlsSession
    server: End
    forge: Forge
    contexts: TlsContexts


@pytest.fixture
def pair(tmp_path: Path, authority: Authority) -> Pair:
    repository(tmp_path, authority, "earth")
    log = tmp_path / "keys"
    contexts = TlsContexts(KeyRepository(tmp_path), "earth", key_log=log)
    client = TlsContexts(KeyFiles(trusted=tmp_path / "trusted")).call(offer(TLS_1_3[0]))
    server = contexts.answer(lambda _: offer(TLS_1_3[0]))
    assert join(client, server) == {}
    return Pair(client, server, Forge(log, "CLIENT"), contexts)


def _agreed(_: SSL.Connection) -> TlsConnection:
    return TlsConnection("", "")


def _flood(content: bytes, kind: int) -> Callable[[Forge], bytes]:
    return lambda forge: b"".join(forge.record(content, kind) for _ in range(1000))


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        (lambda _: b"TSH \0\0\0\x1c" + bytes(20), "no TLS"),
        (lambda _: b"GET / HTTP/1.1\r\n\r\n", "no TLS"),
        (lambda _: b"\x80\x2e\x01\x03\x01" + bytes(41), "no TLS"),
        (lambda _: b"\x17\x03\x03\xff\xff" + bytes(70_000), "longer than TLS allows"),
        (lambda forge: forge.record(bytes(16_385)), "longer than TLS allows"),
        (lambda _: b"\x17\x03\x03\x00\x20" + bytes(32), "bad record mac"),
        (lambda _: b"\x17\x03\x03\x00\x01\0", "bad record mac"),
        (lambda _: b"\x14\x03\x03\x00\x01\x01" * 100, "no TLS"),
        (_flood(b"\x01\x5a", ALERT), "warnings without end"),
        (_flood(b"", APPLICATION_DATA), "empty records without end"),
        (lambda forge: forge.record(b"\x01\0\0\x10" + bytes(16), HANDSHAKE), "unexpected message"),
        (lambda forge: forge.record(b"\x18\xff\xff\xff" + bytes(16_000), HANDSHAKE), "too long"),
        (lambda forge: forge.record(b"\x02\x28", ALERT), r"alert handshake failure \(40\)"),
    ],
)
def test_a_session_that_ends_with_its_reason(sent: Callable[[Forge], bytes], words: str, pair: Pair) -> None:
    with pytest.raises(TlsError, match=words) as caught:
        pair.server.receive_data(pair.forge.record(b"before") + sent(pair.forge) + pair.forge.record(b"after"))
    assert caught.value.received in (b"before", b"beforeafter")
    assert caught.value.fault.amq in ("AMQ9661", "AMQ9665", "AMQ9616")
    assert len(pair.server.data_to_send()) < 40_000
    assert pair.server.receive_data(pair.forge.record(b"more")) == b""
    with pytest.raises(TlsError, match="has failed before"):
        pair.server.write(b"answer")
    pair.server.close()
    pair.server.receive_end()
    other = pair.contexts.answer(lambda _: offer(TLS_1_3[0]))
    client = TlsContexts(KeyFiles(trusted=None)).call(offer(TLS_1_3[0]))
    assert "not trusted" in str(join(client, other)["client"]), "the context is unharmed"


def test_keys_that_change_without_end(pair: Pair) -> None:
    def change(times: int) -> None:
        for _ in range(times):
            pair.server.receive_data(b"".join(pair.forge.key_update() for _ in range(10)))
            assert len(pair.server.data_to_send()) < 1000

    with pytest.raises(TlsError, match="changes keys without end"):
        change(100)
    assert pair.server.receive_data(pair.forge.record(b"more")) == b""


def test_keys_change_as_often_as_a_partner_likes_that_sends_something(pair: Pair) -> None:
    for number in range(100):
        data = pair.forge.record(b"%d" % number) + pair.forge.key_update() + pair.forge.key_update()
        assert pair.server.receive_data(data) == b"%d" % number
        pair.server.write(b"x")
        assert pair.client.receive_data(pair.server.data_to_send()) == b"x"


def test_padding_and_an_empty_record_are_nothing(pair: Pair) -> None:
    data = pair.forge.record(b"", padding=100) + pair.forge.record(b"text", padding=1000)
    assert pair.server.receive_data(data) == b"text"


def test_what_follows_close_notify_is_ignored(pair: Pair) -> None:
    forge = pair.forge
    data = forge.record(b"text") + forge.record(b"\x01\0", ALERT) + forge.record(b"more") + b"rubbish"
    assert pair.server.receive_data(data) == b"text"
    assert pair.server.ended
    assert pair.server.receive_data(b"rubbish" * 100_000) == b""
    pair.server.receive_end()
    pair.server.write(b"answer")
    assert pair.client.receive_data(pair.server.data_to_send()) == b"answer"


def test_a_cut_is_told_from_an_end(pair: Pair) -> None:
    pair.client.write(b"text")
    sent = pair.client.data_to_send()
    assert pair.server.receive_data(sent[:-1]) == b""
    with pytest.raises(TlsError, match="was cut") as caught:
        pair.server.receive_end()
    assert caught.value.reason is MQRC.CONNECTION_BROKEN
    assert caught.value.fault.amq == "AMQ9209"
    assert not caught.value.fault.permanent
    pair.server.receive_end()


@pytest.mark.parametrize("state", ["no byte", "half a hello", "after the hello"])
def test_the_end_of_the_connection_in_the_handshake(state: str, tmp_path: Path, authority: Authority) -> None:
    contexts = repository(tmp_path, authority, "earth")
    client, server = contexts.call(offer()), contexts.answer(lambda _: offer())
    client.receive_data(b"")
    hello = client.data_to_send()
    server.receive_data({"no byte": b"", "half a hello": hello[:100], "after the hello": hello}[state])
    with pytest.raises(TlsError, match="ended the connection during the handshake") as caught:
        server.receive_end()
    assert (caught.value.fault.amq, caught.value.fault.permanent) == ("AMQ9665", False)
    assert (caught.value.fault.stage, caught.value.fault.return_code) == ("handshake", 420)


def test_renegotiation_is_refused(tmp_path: Path, authority: Authority) -> None:
    contexts = repository(tmp_path, authority, "earth")
    server = contexts.serve(offer(*TLS_1_2))
    connection = SSL.Connection(SSL.Context(SSL.TLS_CLIENT_METHOD), None)
    connection.set_connect_state()
    client = TlsSession(connection, _agreed)
    assert join(client, server) == {}
    connection.renegotiate()
    with pytest.raises(SSL.WantReadError):
        connection.do_handshake()
    plain = server.receive_data(client.data_to_send())
    assert plain == b""
    with pytest.raises(TlsError, match="renegotiat"):
        client.receive_data(server.data_to_send())


def test_sessions_are_not_resumed(tmp_path: Path, authority: Authority) -> None:
    contexts = repository(tmp_path, authority, "earth")
    for cipher_specs in (TLS_1_3, TLS_1_2):
        context = SSL.Context(SSL.TLS_CLIENT_METHOD)
        context.set_session_cache_mode(SSL.SESS_CACHE_CLIENT)
        session: SSL.Session | None = None
        for _ in range(3):
            connection = SSL.Connection(context, None)
            if session is not None:
                connection.set_session(session)
            connection.set_connect_state()
            server = contexts.serve(offer(*cipher_specs))
            client = TlsSession(connection, _agreed)
            assert join(client, server) == {}
            assert not Binding().lib.SSL_session_reused(connection._ssl)
            session = connection.get_session()


def test_errors_that_others_left_in_the_thread_harm_no_session(pair: Pair) -> None:
    library, memory = Binding().lib, Binding().ffi

    def leave_an_error() -> None:
        rubbish = library.BIO_new_mem_buf(memory.from_buffer(b"rubbish"), 7)
        assert library.PEM_read_bio_X509(rubbish, memory.NULL, memory.NULL, memory.NULL) == memory.NULL
        library.BIO_free(rubbish)

    for _ in range(3):
        leave_an_error()
        pair.client.write(b"text")
        leave_an_error()
        assert pair.server.receive_data(pair.client.data_to_send()) == b"text"
    leave_an_error()
    pair.client.close()
    leave_an_error()
    assert pair.server.receive_data(pair.client.data_to_send()) == b""
    assert pair.server.ended
    library.ERR_clear_error()


def test_what_is_written_out_of_turn_is_our_own_fault(pair: Pair) -> None:
    fresh = pair.contexts.answer(lambda _: offer())
    with pytest.raises(LocalProtocolError):
        fresh.write(b"text")
    pair.server.close()
    assert pair.server.closed
    with pytest.raises(LocalProtocolError):
        pair.server.write(b"text")


def test_much_is_written_at_once(pair: Pair) -> None:
    text = bytes(range(256)) * 10_000
    pair.client.write(memoryview(text))
    pair.client.write(b"")
    sent = pair.client.data_to_send()
    assert pair.client.data_to_send() == b""
    assert pair.server.receive_data(sent) == text
