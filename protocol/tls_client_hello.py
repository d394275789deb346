"""The hello of a caller, read by the end that is called before it chooses what to offer (RFC 8446 4.1.2, 6066 3)."""

from __future__ import annotations

from typing import Final

from .errors import MQBridgeError
from .tls_fields import TlsFields
from .tls_hello import MAX_HELLO_LENGTH, VERSION_NAMES

_RECORD_HEADER_LENGTH: Final = 5
_MAX_PLAIN_RECORD: Final = 1 << 14
_MAX_SERVER_NAME: Final = 255
_SSL_3: Final = 0x0300
_ALERT: Final = 21
_HANDSHAKE: Final = 22
_CLIENT_HELLO: Final = 1
_SERVER_NAME: Final = 0
_HOST_NAME: Final = 0

_UNEXPECTED_MESSAGE: Final = 10
_RECORD_OVERFLOW: Final = 22
_ILLEGAL_PARAMETER: Final = 47
_DECODE_ERROR: Final = 50
_PROTOCOL_VERSION: Final = 70
"""Alerts (RFC 8446 6)."""


class ClientHelloError(MQBridgeError):
    """What a caller sends is no ClientHello, or one that is not allowed. ``alert``: what to answer (RFC 8446 6)."""

    def __init__(self, text: str, alert: int) -> None:
        super().__init__(text)
        self.alert = alert


class ClientHelloReader:
    """Collects the hello of a caller until it is whole. ``received``: all bytes taken."""

    __slots__ = ("_at", "_handshake", "received", "server_name")

    def __init__(self) -> None:
        self.received = bytearray()
        self.server_name = ""
        """The server name of the hello, blank if it has none."""
        self._handshake = bytearray()
        self._at = 0

    def take(self, data: bytes) -> bool:
        """Take bytes; return whether the hello is whole. Raises `ClientHelloError`."""
        received, handshake = self.received, self._handshake
        received += data
        while len(received) - self._at >= _RECORD_HEADER_LENGTH:
            length = self._record_length()
            end = self._at + _RECORD_HEADER_LENGTH + length
            if end > MAX_HELLO_LENGTH:
                raise ClientHelloError(f"hello of more than {MAX_HELLO_LENGTH} bytes", _DECODE_ERROR)
            if len(received) < end:
                break
            handshake += received[self._at + _RECORD_HEADER_LENGTH : end]
            self._at = end
            if self._read():
                return True
        if self._at == 0 and received and received[0] != _HANDSHAKE:
            self._record_length()
        return False

    def _record_length(self) -> int:
        kind, major, minor, *length = self.received[self._at : self._at + _RECORD_HEADER_LENGTH].ljust(5, b"\0")
        size = int.from_bytes(bytes(length), "big")
        if kind & 0x80 and self._at == 0:
            raise ClientHelloError("hello of SSL 2", _PROTOCOL_VERSION)
        if kind == _ALERT:
            raise ClientHelloError("the caller ended TLS before its hello", _UNEXPECTED_MESSAGE)
        if kind != _HANDSHAKE:
            raise ClientHelloError(f"record of type {kind} instead of a hello", _UNEXPECTED_MESSAGE)
        if major != 3 or minor > 4:
            raise ClientHelloError(f"record of version {major}.{minor} of TLS", _PROTOCOL_VERSION)
        if size == 0:
            raise ClientHelloError("hello in an empty record", _UNEXPECTED_MESSAGE)
        if size > _MAX_PLAIN_RECORD:
            raise ClientHelloError(f"record of {size} bytes", _RECORD_OVERFLOW)
        return size

    def _read(self) -> bool:
        """Read the hello if it is whole; return whether it was."""
        handshake = self._handshake
        if handshake[0] != _CLIENT_HELLO:
            raise ClientHelloError(f"handshake message {handshake[0]} instead of a hello", _UNEXPECTED_MESSAGE)
        length = int.from_bytes(handshake[1:4], "big")
        if len(handshake) >= 4 and length > MAX_HELLO_LENGTH:
            raise ClientHelloError(f"hello of {length} bytes", _DECODE_ERROR)
        if len(handshake) < 4 + length or len(handshake) < 4:
            return False
        fields = TlsFields(bytes(handshake[4 : 4 + length]), _cut)
        version = fields.number(2)
        if version <= _SSL_3:
            raise ClientHelloError(f"hello of {VERSION_NAMES.get(version, f'0x{version:04x}')}", _PROTOCOL_VERSION)
        fields.take(32)
        fields.vector(1)
        fields.vector(2)
        fields.vector(1)
        if fields:
            self._read_extensions(fields)
        return True

    def _read_extensions(self, fields: TlsFields) -> None:
        inner = TlsFields(fields.vector(2), _cut)
        if fields:
            raise ClientHelloError("bytes behind the extensions of the hello", _DECODE_ERROR)
        seen = set()
        while inner:
            kind, content = inner.number(2), inner.vector(2)
            if kind in seen:
                raise ClientHelloError(f"two extensions {kind} in the hello", _ILLEGAL_PARAMETER)
            seen.add(kind)
            if kind == _SERVER_NAME:
                self.server_name = _strict_server_name(content)


def _strict_server_name(content: bytes) -> str:
    outer = TlsFields(content, _cut)
    names = TlsFields(outer.vector(2), _cut)
    kind, name = names.number(1), names.vector(2)
    if outer or names or kind != _HOST_NAME:
        raise ClientHelloError("more than one server name in the hello, or none of a host", _DECODE_ERROR)
    if not 0 < len(name) <= _MAX_SERVER_NAME or 0 in name:
        raise ClientHelloError("server name that cannot be one in the hello", _ILLEGAL_PARAMETER)
    return name.decode("ascii", "backslashreplace")


def _cut() -> ClientHelloError:
    return ClientHelloError("hello whose lengths do not fit", _DECODE_ERROR)
