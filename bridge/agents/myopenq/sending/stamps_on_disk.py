"""Time stamps and digests of messages on their way, on disk: a repeat must have the same (M-089).

A row of table ``myopenq-sending`` for each remote queue that has such messages, as JSON that an operator can read; its
key is the queue's name. It is written before the first byte of its messages goes out, and changed in the transaction
that removes them. The row with the empty key has the highest time stamp that was ever given (M-091).
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Final, NamedTuple

from mqbridge.bridge.store.interface import Operation, PutRecord, RemoveRecord, Store, StoreDamaged

TABLE: Final = "myopenq-sending"
_HIGHEST: Final = b""


class Stamped(NamedTuple):
    """What a message goes out with. ``position``: on its queue; ``check``: tells it from another one that came to its
    position later (`linking.in_doubt.check_of`)."""

    position: int
    check: int
    stamp: int
    digest: str


def write_stamped(queue: str, messages: Iterable[Stamped]) -> Operation:
    """Return the operation that makes the row of a queue; without messages there is none."""
    rows = [list(each) for each in messages]
    if not rows:
        return RemoveRecord(TABLE, queue.encode())
    return PutRecord(TABLE, queue.encode(), json.dumps(rows, separators=(",", ":")).encode())


def write_highest(stamp: int) -> Operation:
    """Return the operation that notes the highest time stamp."""
    return PutRecord(TABLE, _HIGHEST, b"%d" % stamp)


def read_stamped(store: Store) -> tuple[int, dict[str, list[Stamped]]]:
    """Return the highest time stamp, -1 where none was given, and what is on disk for each queue, in the order of the
    positions. Raises `StoreDamaged`."""
    highest, found = -1, {}
    for key, value in store.records(TABLE):
        try:
            if key == _HIGHEST:
                highest = int(value)
                continue
            rows = [Stamped(int(at), int(check), int(stamp), str(own)) for at, check, stamp, own in json.loads(value)]
            found[key.decode()] = sorted(rows)
        except (TypeError, ValueError) as error:
            raise StoreDamaged("a sender's record cannot be read", f"{TABLE} {key!r}") from error
    return highest, found
