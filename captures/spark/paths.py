"""Which captures a path means: a file, a folder with everything below it, a pattern, a ``file:`` URL."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Hashable, Iterable, Iterator
from typing import Final
from urllib.parse import unquote, urlsplit

CAPTURE_NAME: Final = re.compile(r"[^.].*\.(pcap|pcapng|cap)(\d+)?(\.(gz|zst))?", re.IGNORECASE | re.DOTALL)
"""Names that are taken from folders; hidden files and those still being written under another ending are not."""

_URL: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/")
_PATTERN: Final = re.compile(r"[*?\[]")


def is_url(path: str) -> bool:
    """Whether a path names a file system: ``s3a://…``, ``hdfs://…``, ``file:/…``."""
    return _URL.match(path) is not None


def local_path(path: str) -> str:
    """The path that a ``file:`` URL means; other paths as they are. Raises ``ValueError`` for other URLs."""
    if not is_url(path):
        return path
    parts = urlsplit(path)
    if parts.scheme.lower() != "file" or parts.netloc not in ("", "localhost"):
        raise ValueError(f"{path}: no path that every worker can open; mqbridge.captures.spark.read_urls reads it")
    return unquote(parts.path)


def find_captures(paths: Iterable[str], *, may_be_empty: bool = False) -> list[str]:
    """The captures that paths name, each once, in the order of the paths and by name within each.

    One that has several names (:func:`identity`) comes where it is named first, by that name.
    A file is taken whatever its name; from folders and below them files by :data:`CAPTURE_NAME`. Raises
    ``FileNotFoundError`` for a path at which there is nothing (``may_be_empty``: a pattern may find nothing yet),
    ``ValueError`` for a URL that is not ``file:``.
    """
    found: dict[Hashable, str] = {}
    for path in map(local_path, paths):
        for name in _named(path, may_be_empty):
            found.setdefault(identity(name), name)
    return list(found.values())


def identity(path: str) -> Hashable:
    """The same for all names of one file: links of both kinds, a path written in another way."""
    try:
        status = os.stat(path)
    except OSError:
        return path
    return status.st_dev, status.st_ino


def _named(path: str, may_be_empty: bool) -> Iterator[str]:
    """The captures that one path names, by all their names."""
    if os.path.isdir(path):
        yield from _below(path)
    elif os.path.exists(path):
        yield path
    elif not _PATTERN.search(path):
        raise FileNotFoundError(f"{path}: no such file or folder")
    else:
        matches = sorted(glob.glob(path, recursive=True))
        if not matches and not may_be_empty:
            raise FileNotFoundError(f"{path}: no file matches")
        for match in matches:
            yield from _below(match) if os.path.isdir(match) else [match]


def _below(folder: str) -> Iterator[str]:
    """The captures of a folder and of those in it, by name."""
    for home, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from (os.path.join(home, name) for name in sorted(files) if CAPTURE_NAME.fullmatch(name))
