"""Which transaction a packet is: by a table where recognisers allow, longest recogniser first (M-125, M-137, M-167)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from .transaction import Transaction


def weight(transaction: Transaction) -> int:
    """Return the length of a recogniser in bits."""
    return sum(bits.bit_count() for condition in transaction.conditions for bits in condition.mask)


class Recogniser:
    """The transactions that one end may send."""

    __slots__ = ("_at", "_everywhere", "_table", "_to", "_transactions")

    def __init__(self, transactions: Sequence[Transaction]) -> None:
        ordered = sorted(transactions, key=lambda each: -weight(each))
        self._transactions = tuple(ordered)
        places = Counter(
            (condition.position, condition.end)
            for each in ordered
            for condition in each.conditions[:1]
            if condition.whole
        )
        self._at, self._to = places.most_common(1)[0][0] if places else (0, 0)
        keyed: dict[bytes, list[Transaction]] = defaultdict(list)
        values = {key for each in ordered if (key := self._key(each)) is not None}
        for each in ordered:
            key = self._key(each)
            for value in values if key is None else (key,):
                keyed[value].append(each)
        self._table = {key: tuple(found) for key, found in keyed.items()}
        self._everywhere = tuple(each for each in ordered if self._key(each) is None)

    def _key(self, transaction: Transaction) -> bytes | None:
        """What the packets of a transaction have at the place of the table; None if it does not say."""
        for condition in transaction.conditions:
            if condition.whole and (condition.position, condition.end) == (self._at, self._to):
                return condition.value
        return None

    def find(self, packet: bytes) -> Transaction | None:
        """Return the transaction of a packet; None if it is none."""
        for each in self._table.get(packet[self._at : self._to], self._everywhere):
            for condition in each.conditions:
                if not condition.holds(packet):
                    break
            else:
                return each
        return None

    def find_beginning(self, buffer: bytes | bytearray) -> tuple[Transaction | None, bool]:
        """Return the transaction of the packet that begins a buffer, and whether that is certain.

        (None, False): more bytes are needed; (None, True): it is none.
        """
        for each in self._transactions:
            doubt = False
            for condition in each.conditions:
                if len(buffer) < condition.end:
                    there = len(buffer) - condition.position
                    begun = condition._replace(
                        value=condition.value[: max(there, 0)], mask=condition.mask[: max(there, 0)]
                    )
                    doubt = True
                    if there > 0 and not begun.holds(buffer):
                        break
                elif not condition.holds(buffer):
                    break
            else:
                return (None, False) if doubt else (each, True)
        return None, True
