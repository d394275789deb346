"""Spare file descriptors, so that the store can open its files when everything else has used up the limit."""

from __future__ import annotations

import errno
import os
import threading
from typing import Final

SPARES: Final = 16
"""Number of spares: eight threads sync parts of bodies, and two more read them."""
OUT_OF_DESCRIPTORS: Final = frozenset({errno.EMFILE, errno.ENFILE})


class SpareDescriptors:
    """Descriptors of this process that can be released on demand, and are reopened when others are free."""

    def __init__(self, count: int = SPARES) -> None:
        self._count = count
        self._kept: list[int] = []
        self._lock = threading.Lock()

    def open(self, path: str | os.PathLike[str], flags: int, mode: int = 0o777) -> int:
        """Open a file as `os.open`, with a spare descriptor if there is no other. Raises `OSError`."""
        while True:
            try:
                file = os.open(path, flags | os.O_CLOEXEC, mode)
            except OSError as error:
                if error.errno not in OUT_OF_DESCRIPTORS or not self._give_one_up():
                    raise
                continue
            self._keep_one_more()
            return file

    def _give_one_up(self) -> bool:
        with self._lock:
            if not self._kept:
                return False
            os.close(self._kept.pop())
            return True

    def _keep_one_more(self) -> None:
        if len(self._kept) >= self._count:
            return
        with self._lock:
            try:
                while len(self._kept) < self._count:
                    self._kept.append(os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC))
            except OSError:
                return


DESCRIPTORS: Final = SpareDescriptors()
"""The spares of this process, however many stores it opens."""
