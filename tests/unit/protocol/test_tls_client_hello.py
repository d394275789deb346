"""The hello of a caller: its server name, and what is no hello."""

from __future__ import annotations

import pytest

from mqbridge.protocol.tls_client_hello import ClientHelloError, ClientHelloReader
from mqbridge.protocol.tls_hello import MAX_HELLO_LENGTH
from support.captures.tls_sessions import Tls, hellos
from support.tls.hellos import extension, message, records, server_names, vector

NAME = b"to2e-earth.chl.mq.ibm.com"


def _read(data: bytes, size: int = 1 << 20) -> ClientHelloReader | None:
    """The reader of a whole hello, which came in pieces of a size; None if it is not whole."""
    reader = ClientHelloReader()
    done = False
    for at in range(0, len(data), size):
        assert not done, "the hello was whole before"
        done = reader.take(data[at : at + size])
    return reader if done else None


@pytest.mark.spec("T-02")
@pytest.mark.parametrize("size", [1, 2, 7, 1000])
@pytest.mark.parametrize("record", [1, 3, 50, 1 << 14])
def test_a_server_name_however_the_hello_is_cut(size: int, record: int) -> None:
    data = records(message(extension(16, b"\0\3\2h2") + server_names(NAME)), record)
    reader = _read(data, size)
    assert reader is not None
    assert reader.server_name == NAME.decode()
    assert reader.received == data


@pytest.mark.parametrize("version", Tls)
def test_hellos_of_openssl(version: Tls) -> None:
    client, _ = hellos(version, "mq.example.com")
    reader = _read(client)
    assert reader is not None
    assert reader.server_name == "mq.example.com"


@pytest.mark.parametrize("extensions", [None, b"", extension(43, b"\2\3\4")])
def test_a_hello_without_server_name(extensions: bytes | None) -> None:
    reader = _read(records(message(extensions)))
    assert reader is not None
    assert reader.server_name == ""


def test_bytes_behind_the_hello_are_kept_for_openssl() -> None:
    data = records(message(server_names(NAME))) + b"more"
    reader = _read(data)
    assert reader is not None
    assert reader.received == data


def test_a_name_that_is_not_ascii_is_escaped() -> None:
    reader = _read(records(message(server_names(b"caf\xc3\xa9"))))
    assert reader is not None
    assert reader.server_name == r"caf\xc3\xa9"


def test_no_beginning_of_a_hello_is_an_error() -> None:
    data = records(message(server_names(NAME)), 100)
    for end in range(len(data)):
        assert _read(data[:end], 10) is None


@pytest.mark.parametrize(
    ("data", "alert", "words"),
    [
        (b"\x80\x2e\x01\x03\x01", 70, "hello of SSL 2"),
        (b"\x80", 70, "hello of SSL 2"),
        (records(message(version=0x0300)), 70, "hello of SSL 3.0"),
        (records(message(version=0x0002)), 70, "hello of 0x0002"),
        (b"\x16TSH ", 70, r"record of version 84\.83"),
        (b"\x16\x04\x03\x00\x01\x01", 70, "record of version 4"),
        (b"TSH \0\0\0\x1c", 10, "record of type 84"),
        (b"T", 10, "record of type 84"),
        (b"\x17\x03\x03\x00\x01\x00", 10, "record of type 23"),
        (b"\x15\x03\x01\x00\x02\x01\x00", 10, "ended TLS before its hello"),
        (b"\x16\x03\x01\x00\x00", 10, "empty record"),
        (b"\x16\x03\x01\x40\x01", 22, "record of 16385 bytes"),
        (b"\x16\x03\x01\xff\xff", 22, "record of 65535 bytes"),
        (records(message(kind=2)), 10, "handshake message 2"),
        (records(b"\x01\xff\xff\xff" + bytes(100)), 50, "hello of 16777215 bytes"),
        (records(b"\x01\x00\xff\xf0" + bytes(1 << 16)), 50, "hello of more than 65536 bytes"),
        (records(b"\x01\x00\xff\xf0" + bytes(1 << 14), 1), 50, "hello of more than 65536 bytes"),
        (records(b"\x01" + vector(3, b"\3\3" + bytes(31))), 50, "lengths do not fit"),
        (records(b"\x01" + vector(3, b"\3\3" + bytes(32) + b"\xff")), 50, "lengths do not fit"),
        (records(message(extension(0, b"\0\xff"))), 50, "lengths do not fit"),
        (records(message(server_names(NAME) + b"\0")), 50, "lengths do not fit"),
        (records(b"\x01" + vector(3, message(server_names(NAME))[4:] + b"\0")), 50, "behind the extensions"),
        (records(message(server_names())), 50, "lengths do not fit"),
        (records(message(server_names(NAME, NAME))), 50, "more than one server name"),
        (records(message(server_names(*[b"a.b"] * 10_000))), 50, "more than one server name"),
        (records(message(b"".join([server_names(NAME)] * 2))), 47, "two extensions 0"),
        (records(message(server_names(NAME, kind=1))), 50, "none of a host"),
        (records(message(server_names(b""))), 47, "cannot be one"),
        (records(message(server_names(b"a\0b"))), 47, "cannot be one"),
        (records(message(server_names(b"a" * 256))), 47, "cannot be one"),
    ],
)
@pytest.mark.parametrize("size", [1 << 20, 1000, 1])
def test_what_is_no_hello(data: bytes, alert: int, words: str, size: int) -> None:
    with pytest.raises(ClientHelloError, match=words) as caught:
        _read(data, size)
    assert caught.value.alert == alert


def test_an_endless_hello_is_bounded() -> None:
    reader = ClientHelloReader()
    data = records(b"\x01\x00\xff\xff" + bytes(1 << 17), 100)
    pieces = iter([data[at : at + 500] for at in range(0, len(data), 500)])
    with pytest.raises(ClientHelloError):
        any(map(reader.take, pieces))
    assert len(reader.received) <= MAX_HELLO_LENGTH + 500
