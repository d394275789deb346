"""Clear-text content of the two hellos of a TLS connection: server name, versions, cipher suite (RFC 8446 4.1, 6066 3).

Nothing is decrypted. A hello may span records and packets; one that is cut, damaged or longer than
:data:`MAX_HELLO_LENGTH` yields its readable part. `tls_client_hello.py` is for the end that is called.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from mqbridge.protocol.direction import Direction

from .tls_fields import TlsFields

#: Bytes of one direction kept until its hello is complete.
MAX_HELLO_LENGTH: Final = 1 << 16

#: Longest plausible record: 16 KiB and the overhead of encryption (RFC 5246 6.2.3).
MAX_RECORD_LENGTH: Final = (1 << 14) + 2048

_RECORD_HEADER_LENGTH: Final = 5
_CHANGE_CIPHER_SPEC: Final = 20
_ALERT: Final = 21
_HANDSHAKE: Final = 22
_APPLICATION_DATA: Final = 23
_CLIENT_HELLO: Final = 1
_SERVER_HELLO: Final = 2
_SERVER_NAME: Final = 0
_SUPPORTED_VERSIONS: Final = 43
_HOST_NAME: Final = 0

VERSION_NAMES: Final = {0x0300: "SSL 3.0", 0x0301: "TLS 1.0", 0x0302: "TLS 1.1", 0x0303: "TLS 1.2", 0x0304: "TLS 1.3"}
"""Name of a protocol version by its number on the wire."""


@dataclass(slots=True)
class TlsHello:
    """What is known about a TLS connection without a key.

    ``server_name``: as requested by the client, or empty. ``version``: name of the version chosen by the server, before
    its hello the highest offered by the client; empty without a hello. ``cipher_suite``: number of the suite chosen by
    the server, 0 before. ``answered``: whether the server's hello was captured. ``alert``: number of the last alert in
    clear (RFC 8446 6), or None.
    """

    server_name: str = ""
    version: str = ""
    cipher_suite: int = 0
    answered: bool = False
    alert: int | None = None


class HelloReader:
    """Reads the hellos from the first bytes of both directions; ``hello`` is updated as they come. Never raises."""

    __slots__ = ("_done", "_heads", "hello")

    def __init__(self) -> None:
        self.hello = TlsHello()
        self._heads = dict.fromkeys(Direction, b"")
        self._done: set[Direction] = set()

    def take(self, direction: Direction, offset: int, data: bytes) -> None:
        """Take the next bytes of a direction; ``offset``: of the first of them."""
        if direction in self._done:
            return
        head = self._heads[direction]
        if offset != len(head):  # preceding bytes are lost
            self._finish(direction)
            return
        head += data
        if not self._read(head) and len(head) < MAX_HELLO_LENGTH:
            self._heads[direction] = head
        else:
            self._finish(direction)

    def is_done(self, direction: Direction) -> bool:
        """Whether nothing more is to be read of a direction."""
        return direction in self._done

    def _finish(self, direction: Direction) -> None:
        self._done.add(direction)
        self._heads[direction] = b""

    def _read(self, head: bytes) -> bool:
        """Read complete messages; return whether nothing more is expected."""
        handshake = b""
        for kind, content, whole in _records(head):
            if kind != _HANDSHAKE and handshake:
                break
            if kind == _ALERT and len(content) == 2:
                self.hello.alert = content[1]
            if kind != _HANDSHAKE:
                return whole
            handshake += content
            if not whole:
                break
        else:
            if len(head) >= _RECORD_HEADER_LENGTH and not handshake:
                return True  # no record
        if len(handshake) < 4:
            return False
        length = int.from_bytes(handshake[1:4], "big")
        if handshake[0] not in (_CLIENT_HELLO, _SERVER_HELLO) or length > MAX_HELLO_LENGTH:
            return True
        if len(handshake) < 4 + length:
            return False
        fields = TlsFields(handshake[4 : 4 + length])
        if handshake[0] == _CLIENT_HELLO:
            self._read_client(fields)
        else:
            self._read_server(fields)
        return True

    def _read_client(self, fields: TlsFields) -> None:
        legacy = fields.number(2)
        fields.take(32)
        fields.vector(1)
        fields.vector(2)
        fields.vector(1)
        offered = [legacy]
        for kind, content in _extensions(fields):
            if kind == _SERVER_NAME:
                self.hello.server_name = _server_name(content)
            elif kind == _SUPPORTED_VERSIONS:
                versions = content[1:]
                found = [int.from_bytes(versions[at : at + 2], "big") for at in range(0, len(versions) - 1, 2)]
                offered = [version for version in found if version in VERSION_NAMES] or offered
        if not self.hello.answered:
            self.hello.version = _version_name(max(offered))

    def _read_server(self, fields: TlsFields) -> None:
        version = fields.number(2)
        fields.take(32)
        fields.vector(1)
        self.hello.cipher_suite = fields.number(2)
        fields.take(1)
        for kind, content in _extensions(fields):
            if kind == _SUPPORTED_VERSIONS and len(content) == 2:
                version = int.from_bytes(content, "big")
        self.hello.version, self.hello.answered = _version_name(version), True


def _extensions(fields: TlsFields) -> Iterator[tuple[int, bytes]]:
    inner = TlsFields(fields.vector(2))
    while inner:
        yield inner.number(2), inner.vector(2)


def _server_name(content: bytes) -> str:
    names = TlsFields(TlsFields(content).vector(2))
    while names:
        kind, name = names.number(1), names.vector(2)
        if kind == _HOST_NAME:
            return name.decode("ascii", "backslashreplace")
    return ""


def _version_name(version: int) -> str:
    return VERSION_NAMES.get(version, f"0x{version:04x}")


def _records(data: bytes) -> Iterator[tuple[int, bytes, bool]]:
    """Yield the records at the beginning of bytes (type, content, whether it is whole) up to invalid bytes."""
    position = 0
    while position + _RECORD_HEADER_LENGTH <= len(data):
        length = int.from_bytes(data[position + 3 : position + 5], "big")
        if data[position + 1] != 3 or data[position + 2] > 4 or length > MAX_RECORD_LENGTH:
            return
        content = data[position + _RECORD_HEADER_LENGTH : position + _RECORD_HEADER_LENGTH + length]
        yield data[position], content, len(content) == length
        position += _RECORD_HEADER_LENGTH + length


def begins_with_records(data: bytes) -> bool:
    """Whether bytes from the middle of a connection look like TLS: records that end with the bytes, or two records with
    the beginning of a third."""
    ends = 0
    found = 0
    for kind, content, whole in _records(data):
        if not _CHANGE_CIPHER_SPEC <= kind <= _APPLICATION_DATA or not (content or whole):
            return False
        found += 1
        ends += _RECORD_HEADER_LENGTH + len(content)
        if not whole:
            return found > 2
    return found > 0 and ends == len(data)
