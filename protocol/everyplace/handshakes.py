"""Bodies of the frames that begin and end a connection (mqe.md 14 and 20.2, E-245, E-250).

::

    HELLO      MQe, lowest version (1), highest version (1), name, partner, incarnation (8), time (8), nonce,
               authenticators, compressors, longest body (4)
    CHALLENGE  version (1), name, incarnation (8), time (8), authenticator, nonce
    PROOF      proof
    READY      version (1), name, incarnation (8), time (8), compressor, longest body (4), timeout (4), proof
    ERROR      code (4), text

Texts, nonces and proofs are a length and bytes; lists a count and texts. Times are milliseconds since 1970; the timeout
is that of an idle connection, 0 for none.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Final, NamedTuple, TypeAlias

from .body_reader import BodyReader, text_bytes
from .errors import Code, DumpError, EveryplaceError
from .frames import Kind
from .names import check_name
from .numbers import number as encoded

MAGIC: Final = b"MQe"
VERSION: Final = 2
"""The newest version of the protocol that this program speaks."""
LOWEST: Final = 1
"""The oldest one."""
INCARNATION: Final = 8
MAX_OFFERS: Final = 16
"""Most authenticators or compressors that a HELLO names."""
MAX_SECRET: Final = 64
"""Longest nonce or proof in bytes."""
_U8: Final = struct.Struct(">B")
_U32: Final = struct.Struct(">I")
_U64: Final = struct.Struct(">Q")


class Hello(NamedTuple):
    """Who calls. ``partner``: the queue manager that it wants, empty for any (E-256). ``lowest``, ``highest``: versions
    that it speaks. ``authenticators``, ``compressors``: what it can do, best first. ``max_body``: longest body that it
    takes."""

    name: str
    partner: str
    incarnation: bytes
    time: int
    nonce: bytes
    authenticators: tuple[str, ...] = ()
    compressors: tuple[str, ...] = ()
    max_body: int = 1 << 20
    lowest: int = LOWEST
    highest: int = VERSION


class Challenge(NamedTuple):
    """Asks the caller to prove who it is."""

    name: str
    incarnation: bytes
    time: int
    authenticator: str
    nonce: bytes
    version: int = VERSION


class Proof(NamedTuple):
    """The caller's proof."""

    proof: bytes


class Ready(NamedTuple):
    """The connection can be used. ``proof``: that of the end that was called; empty without one."""

    name: str
    incarnation: bytes
    time: int
    compressor: str = ""
    max_body: int = 1 << 20
    timeout: int = 0
    proof: bytes = b""
    version: int = VERSION


class Failure(NamedTuple):
    """Why a request cannot be served, or why the connection ends. ``code``: of `errors.Code`."""

    code: int
    text: str

    def error(self) -> EveryplaceError:
        """Return it as an exception; a code of a later version is DATA."""
        known = self.code in tuple(Code)
        return EveryplaceError(Code(self.code) if known else Code.DATA, self.text)


Greeting: TypeAlias = Hello | Challenge | Proof | Ready | Failure


def write_greeting(body: Greeting) -> bytes:
    """Return the bytes of a body."""
    match body:
        case Hello():
            parts = [MAGIC, _U8.pack(body.lowest), _U8.pack(body.highest), text_bytes(body.name)]
            parts += [text_bytes(body.partner), body.incarnation, _U64.pack(body.time), _sized(body.nonce)]
            parts += [_texts(body.authenticators), _texts(body.compressors), _U32.pack(body.max_body)]
        case Challenge():
            parts = [*_identity(body), text_bytes(body.authenticator), _sized(body.nonce)]
        case Proof():
            parts = [_sized(body.proof)]
        case Ready():
            parts = [*_identity(body), text_bytes(body.compressor), _U32.pack(body.max_body)]
            parts += [_U32.pack(body.timeout), _sized(body.proof)]
        case Failure():
            parts = [_U32.pack(body.code), text_bytes(body.text)]
    return b"".join(parts)


def read_greeting(kind: Kind, data: bytes) -> Greeting:
    """Return the body of a frame of one of these kinds. Raises `EveryplaceError` DATA."""
    reader = BodyReader(data)
    try:
        found = _READERS[kind](reader)
        reader.end()
    except EveryplaceError as error:
        raise EveryplaceError(Code.DATA, f"this is no {kind.name}: {error.text}") from None
    return found


def _hello(reader: BodyReader) -> Hello:
    if reader.fixed(len(MAGIC)) != MAGIC:
        raise DumpError(0, "a caller of Everyplace begins with MQe")
    lowest, highest = reader.unpack(_U8), reader.unpack(_U8)
    name, partner = _name(reader), reader.text()
    if partner:
        check_name(partner, "queue manager")
    incarnation, time, nonce = reader.fixed(INCARNATION), reader.unpack(_U64), _secret(reader)
    return Hello(
        name, partner, incarnation, time, nonce, _offers(reader), _offers(reader), reader.unpack(_U32), lowest, highest
    )


def _challenge(reader: BodyReader) -> Challenge:
    version, name, incarnation, time = _read_identity(reader)
    return Challenge(name, incarnation, time, reader.text(), _secret(reader), version)


def _ready(reader: BodyReader) -> Ready:
    version, name, incarnation, time = _read_identity(reader)
    compressor, max_body, timeout = reader.text(), reader.unpack(_U32), reader.unpack(_U32)
    return Ready(name, incarnation, time, compressor, max_body, timeout, _secret(reader), version)


def _read_identity(reader: BodyReader) -> tuple[int, str, bytes, int]:
    return reader.unpack(_U8), _name(reader), reader.fixed(INCARNATION), reader.unpack(_U64)


def _identity(body: Challenge | Ready) -> list[bytes]:
    return [_U8.pack(body.version), text_bytes(body.name), body.incarnation, _U64.pack(body.time)]


def _name(reader: BodyReader) -> str:
    name = reader.text()
    check_name(name, "queue manager")
    return name


def _secret(reader: BodyReader) -> bytes:
    found = reader.bytes()
    if len(found) > MAX_SECRET:
        raise DumpError(reader.at, f"a nonce or proof of {len(found)} bytes; {MAX_SECRET} are allowed")
    return found


def _offers(reader: BodyReader) -> tuple[str, ...]:
    count = reader.count()
    if count > MAX_OFFERS:
        raise DumpError(reader.at, f"{count} offers; {MAX_OFFERS} are allowed")
    return tuple(reader.text() for _ in range(count))


def _sized(data: bytes) -> bytes:
    return encoded(len(data)) + data


def _texts(texts: tuple[str, ...]) -> bytes:
    return encoded(len(texts)) + b"".join(map(text_bytes, texts))


_READERS: Final[dict[Kind, Callable[[BodyReader], Greeting]]] = {
    Kind.HELLO: _hello,
    Kind.CHALLENGE: _challenge,
    Kind.PROOF: lambda reader: Proof(_secret(reader)),
    Kind.READY: _ready,
    Kind.ERROR: lambda reader: Failure(reader.unpack(_U32), reader.text()),
}
