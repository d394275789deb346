"""TLS keys inside pcapng files: Decryption Secrets Blocks, as written by ``editcap --inject-secrets``.

Whether there are any must be known before the first packet is read, and most captures have none. The file is therefore
searched for the first words of such a block, which is much faster than reading packets; blocks are read afterwards.
Most writers put keys in front of the packets, some in between or at the end: seekable files are searched to their end,
others, and packed ones, only at the front.
"""

from __future__ import annotations

import io
import struct
from os import PathLike
from typing import BinaryIO, Final, cast

from mqbridge.captures.reading.chunks import ChunkReader
from mqbridge.captures.reading.records import (
    BYTE_ORDER_MAGICS,
    DECRYPTION_SECRETS,
    MAX_BLOCK_LENGTH,
    PCAPNG_MAGIC,
    TLS_KEY_LOG,
)
from mqbridge.captures.reading.unpacking import ByteSource, is_packed
from mqbridge.protocol.constants import ByteOrder

FRONT: Final = 1 << 16
"""Number of bytes searched in a packed file (unpacked) or a stream."""
SEARCH_SIZE: Final = 1 << 20
"""Number of bytes searched at once."""

_HEAD: Final = 12  # of a section up to the mark of its byte order, of a block with secrets up to their kind
_KIND_AT: Final = 8


def look_for_keys(file: BinaryIO) -> tuple[bool, BinaryIO]:
    """Return whether an open capture contains TLS keys, and a file that yields the same bytes from here on."""
    if not file.seekable():
        head = file.read(FRONT) or b""
        return _searched(_unpacked(io.BytesIO(head))), cast(BinaryIO, _ReadAgain(head, file))
    start = file.tell()
    try:
        return _holds_keys(file, start), file
    except OSError:
        return False, file  # reported by the reader
    finally:
        file.seek(start)


def holds_keys(path: str | PathLike[str]) -> bool:
    """Return whether a capture contains TLS keys, as :func:`look_for_keys` finds them; False if there is no file."""
    try:
        with open(path, "rb") as file:
            return look_for_keys(file)[0]
    except OSError:
        return False


def embedded_key_log(path: str | PathLike[str]) -> bytes:
    """Return the TLS keys in an unpacked capture, as lines of a key log file, possibly empty."""
    with open(path, "rb") as file:
        found, again = look_for_keys(file)
        chunks = ChunkReader(again)
        if found:
            for _ in chunks:
                pass
        return chunks.key_log


def _holds_keys(file: BinaryIO, start: int) -> bool:
    head = file.read(_HEAD)
    if is_packed(head):
        file.seek(start)
        return _searched(_unpacked(file))
    if head[:4] != PCAPNG_MAGIC:
        return False
    order, rest = BYTE_ORDER_MAGICS.get(head[_KIND_AT:], ByteOrder.LITTLE), b""
    while piece := file.read(SEARCH_SIZE):
        piece = rest + piece
        if _found(piece, order):
            return True
        rest = piece[1 - _HEAD :]
    return False


def _unpacked(file: BinaryIO) -> bytes:
    source, front = ByteSource(file), b""
    while len(front) < FRONT and (piece := source.read()):
        front += piece
    return front


def _searched(front: bytes) -> bool:
    return front[:4] == PCAPNG_MAGIC and _found(front, BYTE_ORDER_MAGICS.get(front[_KIND_AT:_HEAD], ByteOrder.LITTLE))


def _found(data: bytes, order: ByteOrder) -> bool:
    """Whether bytes contain the beginning of a block of keys."""
    word = struct.Struct(order.prefix + "I")
    kind, block = word.pack(TLS_KEY_LOG), word.pack(DECRYPTION_SECRETS)
    place = data.find(kind, _KIND_AT)
    while place >= 0:
        (length,) = word.unpack_from(data, place - 4)
        if data[place - 8 : place - 4] == block and length <= MAX_BLOCK_LENGTH and not length % 4:
            return True
        place = data.find(kind, place + 1)
    return False


class _ReadAgain:
    """A file whose first bytes were read already."""

    def __init__(self, head: bytes, file: BinaryIO) -> None:
        self._head = head
        self._file = file

    def read(self, size: int) -> bytes:
        """Read like a file."""
        head, self._head = self._head[:size], self._head[size:]
        return head + (self._file.read(size - len(head)) or b"") if len(head) < size else head
