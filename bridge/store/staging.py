"""Parts of big bodies, written ahead of the commit that refers to them.

A chunk is one file, written once: `<id in 16 hex digits>` in the staging folder. The commit that first refers to a
chunk syncs its file and the folder before the transaction itself; from then on the chunk belongs to its message (or
prepared branch). Unreferenced chunks are deleted when the store is opened.

Files, rather than a second LMDB file without sync: that would reuse its pages, so that after a power loss a
half-written later transaction could tear chunks that were synced before. A file written once cannot be torn, and its
space is freed with the message.

Threads: `write`, `read` and `drop` belong to the main thread, the rest to the writer; `read_kept` to both.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from zlib import crc32

from mqbridge.bridge.store.disk import (
    DESCRIPTORS,
    OUT_OF_DESCRIPTORS,
    is_disk_full,
    start_writing,
    sync_data,
    write_fully,
)
from mqbridge.bridge.store.errors import ChunkMissing, StoreBusy, StoreDamaged, StoreError, StoreFull
from mqbridge.bridge.store.folder import FILE_MODE, FOLDER_MODE, sync_folder
from mqbridge.bridge.store.operations import MAX_CHUNK, Piece
from mqbridge.bridge.store.rows import BodyChunk

MAX_COMPARED = 1000
"""Number of chunks read in slices that are not compared with their sums again."""
SYNC_THREADS = 8
"""Number of chunks synced concurrently: file systems combine the syncs of several new files."""


class StagingFolder:
    """Chunks of bodies in a folder of their own.

    `known`: the chunks that committed rows refer to; every other file is deleted.
    """

    def __init__(self, path: Path, known: set[int]) -> None:
        self._path = path
        path.mkdir(mode=FOLDER_MODE, exist_ok=True)
        for chunk in chunk_numbers(path):
            if chunk not in known:
                self._unlink(chunk)
        self._next = max(known, default=0) + 1
        self._compared: set[int] = set()
        self._fresh: dict[int, BodyChunk] = {}

    def write(self, data: Piece) -> int:
        """Write a chunk, without sync. Raises `StoreFull`."""
        if len(data) > MAX_CHUNK:
            raise ValueError(f"a chunk of {len(data)} bytes is longer than {MAX_CHUNK}")
        number = self._next
        path = self._name(number)
        try:
            file = DESCRIPTORS.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, FILE_MODE)
        except OSError as error:
            raise self._error(error, path) from error
        try:
            write_fully(file, data, 0)
            start_writing(file)
        except OSError as error:
            os.unlink(path)
            raise self._error(error, path) from error
        finally:
            os.close(file)
        self._next = number + 1
        self._fresh[number] = BodyChunk(number, len(data), crc32(data))
        return number

    def _error(self, error: OSError, path: str) -> StoreError:
        if error.errno in OUT_OF_DESCRIPTORS or (self._path.exists() and is_disk_full(error, self._path)):
            return StoreFull(f"{self._path}: {error.strerror}")
        return StoreError(f"{path}: {error.strerror}")

    def fresh(self, number: int) -> BodyChunk:
        """Return a chunk that no committed row refers to yet. Raises `ChunkMissing`."""
        try:
            return self._fresh[number]
        except KeyError:
            raise ChunkMissing(number) from None

    def read(self, number: int, offset: int = 0, length: int | None = None) -> bytes:
        """Return a slice of a chunk that no committed row refers to yet. Raises `ChunkMissing`."""
        return self.read_kept(self.fresh(number), offset, length)

    def drop(self, numbers: Iterable[int]) -> None:
        """Delete chunks that no committed row refers to; others are ignored."""
        for number in numbers:
            if self._fresh.pop(number, None) is not None:
                self._unlink(number)

    def sync(self, numbers: Iterable[int]) -> None:
        """Sync chunks, before the commit that refers to them. Raises `OSError`."""
        with ThreadPoolExecutor(SYNC_THREADS, "store-sync") as threads:
            for _ in threads.map(self._sync_one, numbers):
                pass
        sync_folder(self._path)

    def _sync_one(self, number: int) -> None:
        file = DESCRIPTORS.open(self._name(number), os.O_RDONLY)
        try:
            sync_data(file)
        finally:
            os.close(file)

    def keep(self, numbers: Iterable[int]) -> None:
        """Note that committed rows refer to these chunks now."""
        for number in numbers:
            self._fresh.pop(number, None)

    def delete(self, numbers: Iterable[int]) -> None:
        """Delete chunks that committed rows no longer refer to."""
        for number in numbers:
            self._unlink(number)

    def read_kept(self, chunk: BodyChunk, offset: int = 0, length: int | None = None) -> bytes:
        """Return a slice of a chunk, whose sum is checked at its first slice. Raises `StoreDamaged`."""
        wanted = chunk.length - offset if length is None else min(length, chunk.length - offset)
        if wanted <= 0:
            return b""
        path = self._name(chunk.number)
        try:
            file = DESCRIPTORS.open(path, os.O_RDONLY)
        except OSError as error:
            if error.errno in OUT_OF_DESCRIPTORS:
                raise StoreBusy(f"{path}: {error.strerror}") from error
            raise StoreDamaged(f"a part of a body cannot be read: {error.strerror}", path) from error
        try:
            data = os.pread(file, wanted, offset)
        finally:
            os.close(file)
        if len(data) < wanted:
            raise StoreDamaged(f"a part of a body is cut short at {offset + len(data)} of {chunk.length} bytes", path)
        if wanted == chunk.length:
            self._compare(chunk, data, path)
        elif chunk.number not in self._compared:
            self.read_kept(chunk)
        return data

    def _compare(self, chunk: BodyChunk, data: bytes, path: str) -> None:
        if crc32(data) != chunk.checksum:
            raise StoreDamaged("a part of a body is not what was written (its CRC32 differs)", path)
        if len(self._compared) >= MAX_COMPARED:
            self._compared.clear()
        self._compared.add(chunk.number)

    def _name(self, number: int) -> str:
        return chunk_name(self._path, number)

    def _unlink(self, number: int) -> None:
        try:
            os.unlink(self._name(number))
        except OSError:
            # A file that stays is deleted at the next start.
            return


def chunk_name(folder: Path, number: int) -> str:
    """Return the file of a chunk."""
    return f"{folder}/{number:016x}"


def chunk_numbers(folder: Path) -> list[int]:
    """Return the chunks in a staging folder, referenced or not."""
    numbers: list[int] = []
    if folder.is_dir():
        for name in os.listdir(folder):
            try:
                numbers.append(int(name, 16))
            except ValueError:
                continue
    return numbers
