"""Captures named by a path: a file, a folder with everything below it, a pattern, a ``file:`` URL."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Hashable, Iterable, Iterator
from typing import Final
from urllib.parse import unquote, urlsplit

CAPTURE_NAME: Final = re.compile(r"[^.].*\.(pcap|pcapng|cap)(\d+)?(\.(gz|zst))?", re.IGNORECASE | re.DOTALL)
"""Names of captures in folders; hidden files, and unfinished ones with another ending, are excluded."""

_URL: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/")
_PATTERN: Final = re.compile(r"[*?\[]")


def is_url(path: str) -> bool:
    """Whether a path names a file system: ``s3a://…``, ``hdfs://…``, ``file:/…``."""
    return _URL.match(path) is not None


def local_path(path: str) -> str:
    """Return the path of a ``file:`` URL; other paths unchanged. Raises ``ValueError`` for other URLs."""
    if not is_url(path):
        return path
    parts = urlsplit(path)
    if parts.scheme.lower() != "file" or parts.netloc not in ("", "localhost"):
        raise ValueError(f"{path}: no path that every worker can open; mqbridge.captures.spark.read_urls reads it")
    return unquote(parts.path)


def find_captures(paths: Iterable[str], *, may_be_empty: bool = False) -> list[str]:
    """Return the captures named by paths, each once, in the order of the paths and by name within each.

    A file with several names (:func:`identity`) is listed at the first, under that name. Files are accepted under any
    name; in folders, files by :data:`CAPTURE_NAME`. Raises ``FileNotFoundError`` for a path without captures (unless
    ``may_be_empty`` and it is a pattern), ``ValueError`` for a URL other than ``file:``.
    """
    found: dict[Hashable, str] = {}
    for path in map(local_path, paths):
        for name in _named(path, may_be_empty):
            found.setdefault(identity(name), name)
    return list(found.values())


def identity(path: str) -> Hashable:
    """Return a value equal for all names of one file: links of both kinds, other spellings of the path."""
    try:
        status = os.stat(path)
    except OSError:
        return path
    return status.st_dev, status.st_ino


def _named(path: str, may_be_empty: bool) -> Iterator[str]:
    """Yield the captures named by one path, under all their names."""
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
    """Yield the captures of a folder and its subfolders, by name."""
    for home, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from (os.path.join(home, name) for name in sorted(files) if CAPTURE_NAME.fullmatch(name))
