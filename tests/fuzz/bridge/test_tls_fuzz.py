"""Whatever the bytes, a session of TLS gives plain bytes or one documented error, and holds no more than it must."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mqbridge.bridge.tls import KeyRepository, TlsContexts, TlsError
from mqbridge.protocol.tls_client_hello import ClientHelloError, ClientHelloReader
from mqbridge.protocol.tls_hello import MAX_HELLO_LENGTH
from support.tls.authority import Authority
from support.tls.hellos import extension, message, records, server_names
from support.tls.records import Forge
from support.tls.sessions import TLS_1_2, TLS_1_3, End, join, offer, repository

MAX_ANSWER = 1 << 16
"""More than any flight of a handshake, and than the answers that a session makes before it ends."""
DAMAGE = st.lists(st.tuples(st.integers(0, 1 << 14), st.integers(0, 3), st.binary(max_size=40)), max_size=4)
RECORD = st.builds(
    lambda kind, version, content: bytes((kind, 3, version)) + len(content).to_bytes(2, "big") + content,
    st.sampled_from([20, 21, 22, 23, 24, 0, 255]), st.integers(0, 4), st.binary(max_size=60),
)  # fmt: skip
BYTES = st.lists(st.one_of(st.binary(max_size=60), RECORD), max_size=6).map(b"".join)


class Ends:
    """Sessions whose keys are logged."""

    def __init__(self, folder: Path) -> None:
        self.log = folder / "keys"
        repository(folder, Authority(), "earth")
        self.contexts = TlsContexts(KeyRepository(folder), "earth", key_log=self.log)

    def pair(self, newer: bool) -> tuple[End, End]:
        """A caller and a called end before the handshake."""
        offered = offer(*(TLS_1_3 if newer else TLS_1_2), server_name="to.earth", own=True)
        return self.contexts.call(offered), self.contexts.answer(lambda _: offered)

    def established(self) -> tuple[End, End, dict[str, Forge]]:
        """Two ends of TLS 1.3 after the handshake, and what encrypts as the caller does."""
        self.log.write_bytes(b"")
        caller, called = self.pair(True)
        assert join(caller, called) == {}
        return caller, called, {"CLIENT": Forge(self.log, "CLIENT")}


@pytest.fixture(scope="module")
def ends() -> Iterator[Ends]:
    with TemporaryDirectory() as folder:
        yield Ends(Path(folder))


def _feed(end: End, data: bytes, size: int) -> bytes | None:
    """Pass bytes in pieces; the plain bytes, or None after an error. Nothing but `TlsError` is raised, once."""
    plain, failure = b"", None
    for at in range(0, len(data), size):
        try:
            received = end.receive_data(data[at : at + size])
            assert not (failure and received)
            plain += received
        except TlsError as error:
            assert failure is None
            failure = error
        assert len(end.data_to_send()) <= MAX_ANSWER
    if failure is None:
        return plain
    assert str(failure)
    assert failure.fault.amq
    return None


@given(BYTES, st.integers(1, 200))
@example(records(message(server_names(b"to.earth"))), 1)
@example(records(message(extension(43, b"\2\3\4") + server_names(b"to.earth"))), 100)
def test_any_bytes_to_an_end_that_is_called(ends: Ends, data: bytes, size: int) -> None:
    _, called = ends.pair(True)
    _feed(called, data, size)
    assert called.agreed is None
    called.close()
    assert called.receive_data(b"") == b""


@given(BYTES, st.integers(1, 200), st.booleans())
def test_any_bytes_to_an_end_that_calls(ends: Ends, data: bytes, size: int, newer: bool) -> None:
    caller, _ = ends.pair(newer)
    assert caller.receive_data(b"") == b""
    assert caller.data_to_send()
    _feed(caller, data, size)
    assert caller.agreed is None


@given(BYTES, st.integers(1, 200))
def test_any_bytes_to_an_established_session(ends: Ends, data: bytes, size: int) -> None:
    caller, called, _ = ends.established()
    for end in (caller, called):
        plain = _feed(end, data, size)
        assert not plain


@given(st.lists(st.tuples(st.integers(0, 255), st.binary(max_size=80), st.integers(0, 20)), max_size=8))
def test_any_records_in_an_established_session(ends: Ends, contents: list[tuple[int, bytes, int]]) -> None:
    """What a partner can do that has the keys."""
    _, called, forges = ends.established()
    forge = forges["CLIENT"]
    data = b"".join(forge.record(content, kind, padding) for kind, content, padding in contents)
    plain = _feed(called, data, 100)
    if plain:
        assert plain in b"".join(content for kind, content, _ in contents if kind == 23)


@given(DAMAGE, st.integers(0, 5), st.booleans(), st.integers(1, 3000))
def test_a_handshake_that_is_damaged(
    ends: Ends, damage: list[tuple[int, int, bytes]], flight: int, newer: bool, size: int
) -> None:
    """Both ends fail, or agree and read what the other wrote."""
    caller, called = ends.pair(newer)
    caller.receive_data(b"")
    one, other = caller, called
    for number in range(6):
        data = bytearray(one.data_to_send())
        if number == flight:
            for place, replaced, inserted in damage:
                place %= len(data) + 1
                data[place : place + replaced] = inserted
        for at in range(0, len(data), size):
            with suppress(TlsError):
                other.receive_data(bytes(data[at : at + size]))
        one, other = other, one
    for one, other in ((caller, called), (called, caller)):
        if one.agreed is not None and other.agreed is not None:
            with suppress(TlsError):
                one.write(b"text")
                assert other.receive_data(one.data_to_send()) in (b"text", b"")


@given(
    st.lists(st.binary(max_size=20_000), max_size=4),
    st.lists(st.integers(1, 5000), min_size=1, max_size=5),
    st.booleans(),
)
def test_ciphertext_may_be_cut_anywhere(ends: Ends, texts: list[bytes], sizes: list[int], newer: bool) -> None:
    caller, called = ends.pair(newer)
    assert join(caller, called, piece=sizes[0]) == {}
    for text in texts:
        caller.write(text)
    caller.close()
    data, plain, number = caller.data_to_send(), [], 0
    while data:
        size = sizes[number % len(sizes)]
        plain.append(called.receive_data(data[:size]))
        data, number = data[size:], number + 1
    assert b"".join(plain) == b"".join(texts)
    assert called.ended


@given(st.integers(1, 300), BYTES, st.binary(max_size=300), st.integers(1, 100))
def test_any_bytes_as_a_hello(record: int, before: bytes, extensions: bytes, size: int) -> None:
    for data in (before, before + records(message(extensions), record), records(message(extensions), record) + before):
        reader, alerts = ClientHelloReader(), set()
        try:
            for at in range(0, len(data), size):
                if reader.take(data[at : at + size]):
                    break
                assert len(reader.received) <= MAX_HELLO_LENGTH + size
        except ClientHelloError as error:
            alerts.add(error.alert)
        assert alerts <= {10, 22, 47, 50, 70}
