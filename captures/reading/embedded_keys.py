"""Keys of TLS that a pcapng file holds itself: Decryption Secrets Blocks, as ``editcap --inject-secrets`` writes them.

Whether there are any has to be known before the first packet is read, and most captures have none. So this is found out
by a search for the words that such a block begins with, far faster than packets are read; what a block holds is read
afterwards, block by block. Most writers put the keys in front of the packets, some in between or at the end: a file in
which one can go back is searched to its end. Of others, and of packed ones, the front has to do.
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

FRONT: Final = 1 << 16
"""Bytes of a packed file, unpacked, or of a stream that are searched."""
SEARCH_SIZE: Final = 1 << 20
"""Bytes that are searched at once."""

_HEAD: Final = 12  # of a section up to the mark of its byte order, of a block with secrets up to their kind
_KIND_AT: Final = 8


def look_for_keys(file: BinaryIO) -> tuple[bool, BinaryIO]:
    """Whether an open capture holds keys of TLS, and a file that gives the same bytes from here on."""
    if not file.seekable():
        head = file.read(FRONT) or b""
        return _searched(_unpacked(io.BytesIO(head))), cast(BinaryIO, _ReadAgain(head, file))
    start = file.tell()
    try:
        return _holds_keys(file, start), file
    except OSError:
        return False, file  # whoever reads it says what is wrong with it
    finally:
        file.seek(start)


def holds_keys(path: str | PathLike[str]) -> bool:
    """Whether a capture holds keys of TLS, as far as :func:`look_for_keys` finds them; False where there is no file."""
    try:
        with open(path, "rb") as file:
            return look_for_keys(file)[0]
    except OSError:
        return False


def embedded_key_log(path: str | PathLike[str]) -> bytes:
    """The keys of TLS that an unpacked capture holds, as lines of a key log file; nothing where it holds none."""
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
    order, rest = BYTE_ORDER_MAGICS.get(head[_KIND_AT:], "<"), b""
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
    return front[:4] == PCAPNG_MAGIC and _found(front, BYTE_ORDER_MAGICS.get(front[_KIND_AT:_HEAD], "<"))


def _found(data: bytes, order: str) -> bool:
    """Whether bytes are there with which a block of keys begins."""
    word = struct.Struct(order + "I")
    kind, block = word.pack(TLS_KEY_LOG), word.pack(DECRYPTION_SECRETS)
    place = data.find(kind, _KIND_AT)
    while place >= 0:
        (length,) = word.unpack_from(data, place - 4)
        if data[place - 8 : place - 4] == block and length <= MAX_BLOCK_LENGTH and not length % 4:
            return True
        place = data.find(kind, place + 1)
    return False


class _ReadAgain:
    """Gives a file's bytes of which the first were read already."""

    def __init__(self, head: bytes, file: BinaryIO) -> None:
        self._head = head
        self._file = file

    def read(self, size: int) -> bytes:
        """As a file does."""
        head, self._head = self._head[:size], self._head[size:]
        return head + (self._file.read(size - len(head)) or b"") if len(head) < size else head
