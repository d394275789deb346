"""ClientHellos, good and bad (RFC 8446 4.1.2, RFC 6066 3)."""

from __future__ import annotations

from collections.abc import Sequence


def vector(size: int, content: bytes) -> bytes:
    """Content behind its length."""
    return len(content).to_bytes(size, "big") + content


def extension(kind: int, content: bytes) -> bytes:
    """An extension of the hello."""
    return kind.to_bytes(2, "big") + vector(2, content)


def server_names(*names: bytes, kind: int = 0) -> bytes:
    """The extension with server names."""
    return extension(0, vector(2, b"".join(bytes((kind,)) + vector(2, name) for name in names)))


def message(extensions: bytes | None = b"", *, version: int = 0x0303, kind: int = 1) -> bytes:
    """A hello, without records. No extensions: None."""
    end = b"" if extensions is None else vector(2, extensions)
    body = version.to_bytes(2, "big") + bytes(32) + vector(1, b"") + vector(2, b"\x13\x02") + vector(1, b"\0") + end
    return bytes((kind,)) + vector(3, body)


def records(content: bytes, size: int = 1 << 14, *, kind: int = 22, version: Sequence[int] = (3, 1)) -> bytes:
    """Content in records of at most a size."""
    pieces = [content[at : at + size] for at in range(0, len(content), size)]
    return b"".join(bytes((kind, *version)) + vector(2, piece) for piece in pieces)
