"""Names of queues: what a file name may be (M-111) and what MQ allows."""

from __future__ import annotations

import re
from typing import Final

from .codes import Code, MoqError

MAX_NAME: Final = 32
"""Bytes of a queue name in every packet (K-01)."""
_NAME: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._]{0,31}")


def queue_name(name: str) -> str:
    """Return ``name`` where it is allowed: letters, digits, ``.`` and ``_``, no dot in front, 32 at most.

    Raises `MoqError` 1001. The ``-`` of M-111 is refused too: MQ has no such name.
    """
    if not _NAME.fullmatch(name):
        raise MoqError(Code.NAME_INVALID)
    return name
