"""The files ``admin.allow`` and ``user.allow`` of a door, read again when they have changed (M-094, M-095, M-098)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

from mqbridge.bridge.agents.myopenq.rights import ADMIN_FILE, USER_FILE, Rights, RightsFault, local_rights, read_rights

MAX_FILE: Final = 1 << 20
"""Most bytes of a file that are read; one that is longer grants nothing."""
MAX_FAULTS: Final = 20
"""Most lines that are named at each reading."""


class RightsFiles:
    """The files of one door; without any, whoever is on this machine may do everything.

    ``fault``: called for each line that grants nothing, and with line 0 for a file that cannot be read.
    """

    def __init__(
        self, admin: Path | None, user: Path | None, fault: Callable[[RightsFault], None], *, admin_purge: bool = False
    ) -> None:
        self._files = {ADMIN_FILE: admin, USER_FILE: user}
        self._fault = fault
        self._admin_purge = admin_purge
        self._seen: list[tuple[int, int, int] | None] = []
        self._without = admin is None and user is None

    def changed(self) -> Rights | None:
        """The rights, if the files have changed since the last call, or at the first; None otherwise."""
        seen = [_signature(file) for file in self._files.values()]
        if seen == self._seen:
            return None
        self._seen = seen
        if self._without:
            return local_rights(admin_purge=self._admin_purge)
        faults: list[RightsFault] = []
        texts = [_text(name, file, faults) for name, file in self._files.items()]
        rights, more = read_rights(*texts, admin_purge=self._admin_purge)
        for each in [*faults, *more][:MAX_FAULTS]:
            self._fault(each)
        return rights


def _signature(file: Path | None) -> tuple[int, int, int] | None:
    try:
        found = file.stat() if file is not None else None
    except OSError:
        return None
    return None if found is None else (found.st_mtime_ns, found.st_size, found.st_ino)


def _text(name: str, file: Path | None, faults: list[RightsFault]) -> str:
    if file is None:
        return ""
    try:
        with file.open("rb") as opened:
            data = opened.read(MAX_FILE + 1)
    except OSError as error:
        faults.append(RightsFault(name, 0, f"{file}: {error.strerror or error}"))
        return ""
    if len(data) > MAX_FILE:
        faults.append(RightsFault(name, 0, f"{file}: the file has more than {MAX_FILE} bytes"))
        return ""
    return data.decode(errors="replace")
