"""Packets in doubt on disk: built for a message, and repeated with the same bytes until the other side has them.

A row of table ``partner-sending`` for each message: key partner, NUL, queue, NUL, position in 16 hexadecimal digits;
value a line of JSON (check, and name and length of each packet), and the packets behind it. The row is written before
the first byte goes out, and removed in the transaction that removes the message.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final, NamedTuple

from mqbridge.bridge.agents.linking.in_doubt import check_of
from mqbridge.bridge.store.interface import PutRecord, RemoveRecord, Store, StoreDamaged
from mqbridge.mappings.message import Message

TABLE: Final = "partner-sending"
_SEPARATOR: Final = "\0"
_POSITION: Final = slice(8, 16)
"""Bytes of a token with the position of its message."""


class PacketInDoubt(NamedTuple):
    """Packets of one message.

    ``position``: of the message on its queue. ``check``: see `check_of`; a position may hold another message once the
    queue was cleared. ``packets``: by transaction.
    """

    position: int
    check: int
    packets: Mapping[str, bytes]

    @classmethod
    def of(cls, token: bytes, message: Message, packets: Mapping[str, bytes]) -> PacketInDoubt:
        """The record for a message that was got."""
        return cls(int.from_bytes(token[_POSITION], "big"), check_of(message), dict(packets))

    def is_of(self, message: Message) -> bool:
        """Whether it is of this message."""
        return check_of(message) == self.check

    def put(self, partner: str, queue: str) -> PutRecord:
        """The operation that writes the row."""
        head = {"check": self.check, "packets": {name: len(raw) for name, raw in self.packets.items()}}
        value = json.dumps(head, separators=(",", ":")).encode() + b"\n" + b"".join(self.packets.values())
        return PutRecord(TABLE, self._key(partner, queue), value)

    def remove(self, partner: str, queue: str) -> RemoveRecord:
        """The operation that removes the row."""
        return RemoveRecord(TABLE, self._key(partner, queue))

    def _key(self, partner: str, queue: str) -> bytes:
        return _SEPARATOR.join((partner, queue, f"{self.position:016x}")).encode()


def load_in_doubt(store: Store, partner: str) -> dict[str, list[PacketInDoubt]]:
    """Load the packets in doubt of a partner by queue, in the order of the messages. Raises ``StoreDamaged``."""
    found: dict[str, list[PacketInDoubt]] = {}
    for key, value in store.records(TABLE):
        try:
            name, queue, position = key.decode().split(_SEPARATOR)
            if name != partner:
                continue
            line, _, packets = value.partition(b"\n")
            head = json.loads(line)
            taken: dict[str, bytes] = {}
            at = 0
            for transaction, length in head["packets"].items():
                taken[transaction] = packets[at : at + length]
                at += length
            if at != len(packets):
                raise ValueError("another length")
            found.setdefault(queue, []).append(PacketInDoubt(int(position, 16), int(head["check"]), taken))
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise StoreDamaged("a partner's record cannot be read", f"{TABLE} {key!r}") from error
    for each in found.values():
        each.sort(key=lambda one: one.position)
    return found


def partners_in_doubt(store: Store) -> set[tuple[str, str]]:
    """Names of the partners that have packets in doubt, configured or not, each with a queue."""
    parts = [key.decode(errors="replace").split(_SEPARATOR) for key, _ in store.records(TABLE)]
    return {(each[0], each[1]) for each in parts if len(each) > 1}
