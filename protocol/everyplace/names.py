"""Names of fields, queues and queue managers, mqe.md 1 and 6.1."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, NamedTuple

from .errors import Code, EveryplaceError

MAX_FIELD_NAME: Final = 0xFFFF
"""Most characters of the name of a field; IBM sets no limit."""
MAX_TYPE_NAME: Final = 255
"""Most characters of a type string."""
MAX_NAME: Final = 230
"""Most characters of the name of a queue or queue manager; IBM sets no limit. Two of them fit into a key of a store."""
MAX_MQ_NAME: Final = 48
"""Most characters of a name that MQ is to know (E-091)."""
_FIELD: Final = re.compile(r"[ -~]+")
_FORBIDDEN: Final = re.compile(r"""[{}\[\]#();,'"=:]""")
_OBJECT: Final = re.compile(r"[0-9A-Za-z_.%]+")


@lru_cache(maxsize=256)
def check_field_name(name: str) -> None:
    """Check the name of a field (E-002 to E-004, C-01). Raises `EveryplaceError` SYNTAX."""
    if not _FIELD.fullmatch(name):
        raise EveryplaceError(Code.SYNTAX, f"field name {name[:40]!r} is empty, or not in printable ASCII")
    found = _FORBIDDEN.search(name)
    if found is not None:
        raise EveryplaceError(Code.SYNTAX, f"field name {name[:40]!r} has a {found[0]!r}")
    if len(name) > MAX_FIELD_NAME:
        raise EveryplaceError(Code.TOO_LONG, f"field name {name[:40]!r}… has {len(name)} characters")


@lru_cache(maxsize=256)
def check_type_name(name: str) -> None:
    """Check the type string of a fields object (E-017). Raises `EveryplaceError` SYNTAX."""
    if len(name) > MAX_TYPE_NAME or not (name.isascii() and name.isprintable()):
        raise EveryplaceError(Code.SYNTAX, f"type string {name[:40]!r} is too long, or not in printable ASCII")


def check_name(name: str, what: str = "name", *, for_mq: bool = False) -> None:
    """Check the name of a queue or queue manager (E-090); ``for_mq``: also MQ's limits (E-091).

    Raises `EveryplaceError` SYNTAX or TOO_LONG. ``what``: the kind of object, for the text.
    """
    if not _OBJECT.fullmatch(name):
        raise EveryplaceError(Code.SYNTAX, f"{what} {name[:40]!r} is not of letters, digits, '_', '.' and '%'")
    if name.startswith(".") or name.endswith("."):
        raise EveryplaceError(Code.SYNTAX, f"{what} {name[:40]!r} begins or ends with a period")
    most = MAX_MQ_NAME if for_mq else MAX_NAME
    if len(name) > most:
        raise EveryplaceError(Code.TOO_LONG, f"{what} {name[:40]!r}… has {len(name)} characters; {most} are allowed")


class Address(NamedTuple):
    """A queue and the queue manager that owns it, written ``ORDERS@SATURN``."""

    queue: str
    queue_manager: str

    def __str__(self) -> str:
        return f"{self.queue}@{self.queue_manager}"

    def check(self) -> None:
        """Check both names. Raises `EveryplaceError`."""
        check_name(self.queue, "queue")
        check_name(self.queue_manager, "queue manager")

    @classmethod
    @lru_cache(maxsize=256)
    def parse(cls, text: str, local: str = "") -> Address:
        """Read ``QUEUE@QM``, or ``QUEUE`` of the queue manager ``local``. Raises `EveryplaceError`."""
        queue, at, queue_manager = text.partition("@")
        if not at:
            queue_manager = local
        address = cls(queue, queue_manager)
        address.check()
        return address
