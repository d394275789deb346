"""A protocol: its transactions, where packets end, and the session scripts of both ends (M-160)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from . import fields
from .errors import PacketError
from .framer import Framer
from .framing import Framing, TransactionFraming, framed
from .recognising import Recogniser
from .script import Script
from .transaction import Role, Transaction
from .values import Context, Value, Values

ROLES: tuple[Role, Role] = ("initiator", "responder")


class Recognised(NamedTuple):
    """A packet that is known. ``values``: what it says."""

    transaction: Transaction
    values: Values


class Protocol:
    """A protocol over TCP.

    ``name``, ``description``: for people. ``transactions``: by name. ``framing``: of what each end sends. ``most``: the
    longest packet in bytes. ``scripts``: of the ends that have one.
    """

    __slots__ = ("_recognisers", "description", "framing", "most", "name", "scripts", "transactions")

    def __init__(
        self,
        name: str,
        transactions: Sequence[Transaction],
        framing: Mapping[Role, Framing],
        most: int,
        scripts: Mapping[Role, Script],
        description: str = "",
    ) -> None:
        self.name = name
        self.description = description
        self.transactions: Mapping[str, Transaction] = {each.name: each for each in transactions}
        self.framing = framing
        self.most = most
        self.scripts = scripts
        self._recognisers = {role: Recogniser([each for each in transactions if each.sent_by(role)]) for role in ROLES}

    @property
    def restarting(self) -> frozenset[str]:
        """Names of the counters that begin again with each connection."""
        found = (field.computed for each in self.transactions.values() for field in each.fields.values())
        return frozenset(each.counter for each in found if isinstance(each, fields.Sequence) and each.restarts)

    def framer(self, sender: Role) -> Framer:
        """Return what cuts the bytes that an end sends into packets."""
        return Framer(self.framing[sender], self.most, lambda buffer: self._measure(buffer, sender))

    def recognise(self, packet: bytes, sender: Role) -> Transaction | None:
        """Return the transaction of a packet that an end has sent; None if it is none."""
        return self._recognisers[sender].find(packet)

    def read(self, packet: bytes, sender: Role) -> Recognised | None:
        """Return what a packet is and says; None if it is none. Raises `PacketError` for a damaged one."""
        transaction = self._recognisers[sender].find(packet)
        return None if transaction is None else Recognised(transaction, transaction.parse(packet))

    def write(self, name: str, values: Values | Mapping[str, Value], context: Context, sender: Role) -> bytes:
        """Return the bytes on the wire of a packet. Raises `BuildError`; ``KeyError`` for an unknown transaction."""
        packet = self.transactions[name].build(values, context)
        return framed(self.framing[sender], packet, name, self.most)

    def _measure(self, buffer: bytearray, sender: Role) -> int | None:
        assert isinstance(self.framing[sender], TransactionFraming), "no other framing asks"
        transaction, certain = self._recognisers[sender].find_beginning(buffer)
        if transaction is None:
            if certain:
                raise PacketError("packet", "", 0, "no transaction begins so")
            return None
        return transaction.measure(buffer, self.most)
