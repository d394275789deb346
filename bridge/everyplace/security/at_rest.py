"""Messages at rest: how a queue with a compressor or a cryptor keeps them (E-095).

::

    plain       a dump, which begins with MQe
    protected   MARK, how (one byte), then
                  compressed: the dump, compressed
                  encrypted:  nonce, AES-256-GCM of what would stand here without encryption

What is encrypted is bound to the queue and to the UID, so that no row can stand for another. The index of a message,
its UID, ids, priority and times, is not encrypted: a queue manager must find messages.
"""

from __future__ import annotations

import random
from typing import Final, TypeAlias

from mqbridge.protocol.everyplace.compressors import Zlib
from mqbridge.protocol.everyplace.dump import HEAD, MAX_DUMP
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.uid import MessageUid

from .cryptography import NONCE, TAG, Cryptography

MARK: Final = b"MQx\1"
OVERHEAD: Final = len(MARK) + 1 + NONCE + TAG
"""Bytes by which what is encrypted alone is longer."""
_COMPRESSED: Final = 1
_ENCRYPTED: Final = 2
_START: Final = len(MARK) + 1
_ZLIB: Final = Zlib()


class Plain:
    """Messages are kept as their dumps."""

    __slots__ = ()

    def protect(self, uid: MessageUid, data: bytes) -> bytes:
        """Return the row of a message. ``data``: its dump."""
        return data

    def opened(self, uid: MessageUid, row: bytes) -> bytes:
        """Return the dump of a message. Raises `EveryplaceError` STORE for one that is kept otherwise."""
        if row.startswith(MARK):
            raise EveryplaceError(Code.STORE, f"message {uid} is protected, but its queue has no such attribute")
        return row


PLAIN: Final = Plain()


class Encryption:
    """The key of one queue. ``queue``: its name with its owner, to which messages are bound. ``random``: of nonces."""

    __slots__ = ("_key", "_library", "_queue", "_random")

    def __init__(self, library: Cryptography, key: bytes, queue: str, random: random.Random) -> None:
        self._library = library
        self._key = key
        self._queue = queue
        self._random = random

    def seal(self, uid: MessageUid | str, how: bytes, data: bytes) -> bytes:
        """Encrypt what stands behind ``how``. ``uid``: of a message, or the name of something else."""
        nonce = self._random.randbytes(NONCE)
        return nonce + self._library.seal(self._key, nonce, data, self._bound(uid, how))

    def open(self, uid: MessageUid | str, how: bytes, sealed: bytes) -> bytes:
        """Decrypt. Raises `EveryplaceError` STORE for a changed row or another key."""
        if len(sealed) >= NONCE + TAG:
            found = self._library.open(self._key, sealed[:NONCE], sealed[NONCE:], self._bound(uid, how))
            if found is not None:
                return found
        raise EveryplaceError(
            Code.STORE, f"{uid} on {self._queue} has been changed on disk, or was encrypted with another key"
        )

    def _bound(self, uid: MessageUid | str, how: bytes) -> bytes:
        return how + f"{self._queue}\0{uid}".encode("ascii")

    def __repr__(self) -> str:
        return f"<Encryption of {self._queue}>"


class Protected:
    """Messages are compressed, encrypted or both. A queue with a cryptor takes no plain row for a message: whoever can
    write the file cannot put one in."""

    __slots__ = ("_compressing", "_encryption")

    def __init__(self, *, compressing: bool, encryption: Encryption | None) -> None:
        self._compressing = compressing
        self._encryption = encryption

    def protect(self, uid: MessageUid, data: bytes) -> bytes:
        """Return the row of a message. ``data``: its dump."""
        how = 0
        if self._compressing:
            how |= _COMPRESSED
            data = _ZLIB.compress(data)
        if self._encryption is not None:
            how |= _ENCRYPTED
        mark = MARK + bytes([how])
        return mark + (data if self._encryption is None else self._encryption.seal(uid, mark, data))

    def opened(self, uid: MessageUid, row: bytes) -> bytes:
        """Return the dump of a message. Raises `EveryplaceError` STORE for a row that is changed or cut."""
        mark, data = row[:_START], row[_START:]
        how = mark[-1] if mark.startswith(MARK) and len(mark) == _START else 0
        if self._encryption is not None:
            if not how & _ENCRYPTED:
                raise EveryplaceError(Code.STORE, f"message {uid} is not encrypted, as its queue demands")
            data = self._encryption.open(uid, mark, data)
        elif row.startswith(HEAD):
            # Kept before the queue had a compressor.
            return row
        if how not in ((_ENCRYPTED, _ENCRYPTED | _COMPRESSED) if self._encryption is not None else (_COMPRESSED,)):
            raise EveryplaceError(Code.STORE, f"message {uid} is kept in a way that is not known")
        return self._expanded(uid, data) if how & _COMPRESSED else data

    @staticmethod
    def _expanded(uid: MessageUid, data: bytes) -> bytes:
        try:
            return _ZLIB.expand(data, MAX_DUMP)
        except EveryplaceError as error:
            raise EveryplaceError(Code.STORE, f"message {uid}: {error.text}") from None


class Unreadable:
    """Messages are encrypted, and the key is not here. ``why``: for the errors."""

    __slots__ = ("_why",)

    def __init__(self, why: str) -> None:
        self._why = why

    def protect(self, uid: MessageUid, data: bytes) -> bytes:
        """Raise `EveryplaceError` NOT_ALLOWED."""
        raise EveryplaceError(Code.NOT_ALLOWED, self._why)

    def opened(self, uid: MessageUid, row: bytes) -> bytes:
        """Raise `EveryplaceError` NOT_ALLOWED."""
        raise EveryplaceError(Code.NOT_ALLOWED, self._why)


AtRest: TypeAlias = Plain | Protected | Unreadable
