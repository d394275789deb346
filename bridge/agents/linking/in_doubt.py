"""Batches in doubt on disk: which messages may have reached the provider, and with which ids.

A row of table ``link-sending`` for each batch, as JSON that an operator can read; key: link, NUL, queue, NUL, mark,
hyphen, first counter in 16 hexadecimal digits. The row is written before the first byte of the batch goes out, and
removed in the transaction that removes its messages.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from mqbridge.bridge.agents.linking.message_ids import duplicate_id
from mqbridge.bridge.agents.linking.requesters import Requester
from mqbridge.bridge.store.interface import PutRecord, RemoveRecord, Store, StoreDamaged
from mqbridge.mappings.descriptor import place
from mqbridge.mappings.message import Message

TABLE: Final = "link-sending"
_MSG_ID: Final = place("msg_id")
_SEPARATOR: Final = "\0"


@dataclass(frozen=True, slots=True)
class InDoubtMessages:
    """Messages of one queue with ids of one mark.

    ``first``: counter of the first; the others follow. ``positions``: on the queue. ``checks``: see `check_of`; a
    position may hold another message once the queue was cleared. ``requesters``: of replies, by position, which go to
    the same address again, even if the request has expired meanwhile.
    """

    mark: str
    first: int
    positions: tuple[int, ...]
    checks: tuple[int, ...]
    requesters: dict[int, Requester] = field(default_factory=dict)

    def ids(self) -> list[str]:
        """The ids, in order."""
        return [duplicate_id(self.mark, self.first + index) for index in range(len(self.positions))]

    def put(self, link: str, queue: str) -> PutRecord:
        """The operation that writes the row."""
        row: dict[str, Any] = {
            "mark": self.mark,
            "first": self.first,
            "positions": self.positions,
            "checks": self.checks,
        }
        if self.requesters:
            row["requesters"] = {position: each.row() for position, each in self.requesters.items()}
        return PutRecord(TABLE, self._key(link, queue), json.dumps(row, separators=(",", ":")).encode())

    def remove(self, link: str, queue: str) -> RemoveRecord:
        """The operation that removes the row."""
        return RemoveRecord(TABLE, self._key(link, queue))

    def _key(self, link: str, queue: str) -> bytes:
        return _SEPARATOR.join((link, queue, f"{self.mark}-{self.first:016x}")).encode()


def check_of(message: Message) -> int:
    """CRC32 of MsgId and data: tells a message from another one that came to its position later."""
    return zlib.crc32(message.data, zlib.crc32(message.raw_md[_MSG_ID]))


def load_in_doubt(store: Store, link: str) -> dict[str, list[InDoubtMessages]]:
    """Load the batches in doubt of a link by queue, in the order in which they were sent. Raises ``StoreDamaged``."""
    found: dict[str, list[InDoubtMessages]] = {}
    for key, value in store.records(TABLE):
        try:
            name, queue, _ = key.decode().split(_SEPARATOR)
            if name != link:
                continue
            row = json.loads(value)
            batch = InDoubtMessages(
                str(row["mark"]),
                int(row["first"]),
                _numbers(row["positions"]),
                _numbers(row["checks"]),
                {int(position): Requester.of(each) for position, each in row.get("requesters", {}).items()},
            )
        except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
            raise StoreDamaged("a link's record cannot be read", f"{TABLE} {key!r}") from error
        found.setdefault(queue, []).append(batch)
    for batches in found.values():
        batches.sort(key=lambda each: each.positions[:1])
    return found


def queues_in_doubt(store: Store) -> set[tuple[str, str]]:
    """Names of the links that have batches in doubt, configured or not, each with a queue."""
    found = set()
    for key, _ in store.records(TABLE):
        link, _, rest = key.decode(errors="replace").partition(_SEPARATOR)
        found.add((link, rest.partition(_SEPARATOR)[0]))
    return found


def _numbers(values: Sequence[int]) -> tuple[int, ...]:
    return tuple([int(each) for each in values])
