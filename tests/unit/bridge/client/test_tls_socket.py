"""A socket inside TLS: partial sends, the end in each way, and partners that make it answer."""

from __future__ import annotations

import select
import socket
import threading
from collections.abc import Iterator
from contextlib import suppress
from types import SimpleNamespace

import pytest

from mqbridge.bridge.client.link import ClientLink
from mqbridge.bridge.client.tls_socket import MAX_UNSENT, READ_SIZE, TlsSocket
from mqbridge.bridge.security.tls import TlsOffer, allowed
from mqbridge.bridge.tls import KeyFiles, TlsContexts, TlsError, TlsSession
from support.tls.authority import Authority

OFFER = TlsOffer(allowed("ANY_TLS12_OR_HIGHER"))


@pytest.fixture(scope="module")
def contexts(tmp_path_factory: pytest.TempPathFactory) -> TlsContexts:
    folder = tmp_path_factory.mktemp("keys")
    authority = Authority()
    issued = authority.issue("CN=both", curve=True).save(folder / "both.pem")
    return TlsContexts(KeyFiles(issued, authority.trust_file(folder / "trusted" / "a.pem").parent), "both")


class Ends:
    """A socket inside TLS, and the other end by hand."""

    def __init__(self, contexts: TlsContexts) -> None:
        near, self.far = socket.socketpair()
        self.session: TlsSession = contexts.serve(OFFER)
        self.near = TlsSocket(near, contexts.call(OFFER))
        thread = threading.Thread(target=self._answer)
        thread.start()
        self.near.handshake(30)
        thread.join(30)
        with suppress(BlockingIOError):
            self.near.recv(READ_SIZE)  # session tickets, which say nothing
        self.far.setblocking(False)

    def _answer(self) -> None:
        while self.session.agreed is None:
            self.session.receive_data(self.far.recv(1 << 16))
            self.far.sendall(self.session.data_to_send())

    def hears(self) -> bytes:
        """What the other end gets now."""
        found = b""
        while True:
            try:
                data = self.far.recv(1 << 20)
            except BlockingIOError:
                return found
            if not data:
                return found
            found += self.session.receive_data(data)

    def says(self, data: bytes) -> None:
        """The other end sends."""
        self.session.write(data)
        self.far.sendall(self.session.data_to_send())


@pytest.fixture
def ends(contexts: TlsContexts) -> Iterator[Ends]:
    ends = Ends(contexts)
    yield ends
    ends.near.close()
    ends.far.close()


def test_bytes_go_both_ways(ends: Ends) -> None:
    assert ends.near.send(b"hello") == 5
    assert ends.hears() == b"hello"
    with pytest.raises(BlockingIOError):
        ends.near.recv(READ_SIZE)
    ends.says(b"hi")
    assert ends.near.recv(READ_SIZE) == b"hi"
    agreed = ends.near.agreed
    assert agreed is not None
    assert (agreed.protocol, agreed.certificate is not None) == ("TLSV13", True)


def test_a_send_that_blocks_is_continued_with_the_same_bytes(ends: Ends) -> None:
    data = memoryview(bytes(range(256)) * 20_000)
    left, heard, blocked = data, b"", 0
    while left:
        try:
            left = left[ends.near.send(left) :]
        except BlockingIOError:
            blocked += 1
            heard += ends.hears()
    assert heard + ends.hears() == data
    assert blocked


def sent_until_blocked(ends: Ends, data: memoryview) -> int:
    sent = 0
    try:
        while True:
            sent += ends.near.send(data[sent:])
    except BlockingIOError:
        return sent


def test_sendall_goes_on_where_a_send_has_blocked(ends: Ends) -> None:
    data, heard = memoryview(bytes(range(256)) * 8_000), []
    sent = sent_until_blocked(ends, data)
    ends.far.setblocking(True)

    def receive() -> None:
        while sum(map(len, heard)) < len(data):
            heard.append(ends.session.receive_data(ends.far.recv(1 << 16)))

    reader = threading.Thread(target=receive)
    reader.start()
    ends.near.settimeout(30)
    ends.near.sendall(data[sent:])
    reader.join(30)
    assert b"".join(heard) == data


def test_close_notify_is_the_end_although_the_far_end_stays(ends: Ends) -> None:
    ends.session.write(b"last")
    ends.session.close()
    ends.far.sendall(ends.session.data_to_send())
    assert ends.near.recv(READ_SIZE) == b"last"
    assert ends.near.recv(READ_SIZE) == b""
    assert ends.near.failure is None


def test_the_end_of_the_socket_is_the_end(ends: Ends) -> None:
    ends.far.close()
    assert ends.near.recv(READ_SIZE) == b""


def test_a_close_sends_close_notify_once(ends: Ends) -> None:
    ends.near.close()
    assert ends.hears() == b""
    assert ends.session.ended
    with pytest.raises(OSError, match="closed"):
        ends.near.send(b"late")
    ends.near.close()


def test_a_changed_record_ends_the_session(ends: Ends) -> None:
    ends.session.write(b"hello")
    data = bytearray(ends.session.data_to_send())
    data[-1] ^= 1
    ends.far.sendall(data)
    with pytest.raises(ConnectionAbortedError, match="changed on its way"):
        ends.near.recv(READ_SIZE)
    assert ends.near.failure is not None
    with pytest.raises(TlsError, match="bad record mac"):  # the alert
        ends.hears()


def test_the_last_words_before_damage_are_read(ends: Ends) -> None:
    ends.session.write(b"last words")
    ends.far.sendall(ends.session.data_to_send() + b"no TLS, and long enough to be none")
    assert ends.near.recv(READ_SIZE) == b"last words"
    for _ in range(2):
        with pytest.raises(ConnectionAbortedError, match="no TLS"):
            ends.near.recv(READ_SIZE)


def test_what_came_before_a_changed_record_is_read(ends: Ends) -> None:
    ends.session.write(b"before")
    first = ends.session.data_to_send()
    ends.session.write(b"changed")
    second = bytearray(ends.session.data_to_send())
    second[-1] ^= 1
    ends.far.sendall(first + second)
    assert ends.near.recv(READ_SIZE) == b"before"
    poll = select.poll()
    poll.register(ends.near, select.POLLIN)
    assert poll.poll(0), "who waits for the socket is woken"
    for _ in range(2):
        with pytest.raises(ConnectionAbortedError, match="changed on its way"):
            ends.near.recv(READ_SIZE)


def test_an_alert_of_the_far_end_is_told(ends: Ends) -> None:
    ends.near.send(b"hello")
    data = bytearray(ends.far.recv(1 << 16))
    data[-1] ^= 1
    with pytest.raises(TlsError):
        ends.session.receive_data(bytes(data))
    ends.far.sendall(ends.session.data_to_send())
    with pytest.raises(ConnectionAbortedError, match="alert bad record mac"):
        ends.near.recv(READ_SIZE)


def test_answers_wait_only_up_to_a_limit(ends: Ends) -> None:
    ends.near._unsent = memoryview(bytes(MAX_UNSENT + 1))

    class Answering:
        agreed, ended, closed = ends.near.agreed, False, False

        def receive_data(self, data: bytes) -> bytes:
            return b""

        def data_to_send(self) -> bytes:
            return b"answer"

        def close(self) -> None:
            return

    ends.near._session = Answering()  # type: ignore[assignment]
    ends.far.sendall(b"key update")
    with pytest.raises(ConnectionAbortedError, match="takes no data"):
        ends.near.recv(READ_SIZE)


@pytest.mark.interpreted("gives the link a machine of its own")
def test_a_part_of_a_record_does_not_end_a_send() -> None:
    near, far = socket.socketpair()
    far.send(b"a part")
    sent: list[bytes] = []

    class Hesitant:
        def fileno(self) -> int:
            return near.fileno()

        def send(self, data: memoryview) -> int:
            if len(sent) % 2 == 0:
                sent.append(b"")
                raise BlockingIOError
            sent.append(bytes(data[:3]))
            return len(sent[-1])

        def recv(self, size: int) -> bytes:
            raise BlockingIOError

    pieces = [[b"first ", b"second"]]
    link = object.__new__(ClientLink)
    link._socket = Hesitant()  # type: ignore[assignment]
    wire = SimpleNamespace(take=lambda: pieces.pop() if pieces else [])
    link.machine = SimpleNamespace(  # type: ignore[assignment]
        link=SimpleNamespace(wire=wire), parameters=SimpleNamespace(reply_timeout=5)
    )
    with near, far:
        link._send()
    assert b"".join(sent) == b"first second"
