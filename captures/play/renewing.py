"""Packets of a recording made for another session: computed anew, with the values that the other end gave."""

from __future__ import annotations

import random
from collections.abc import Mapping

from mqbridge.mappings.templates import BuildError, Context, Counters, Protocol, Role, Values

from .recorded import Sources


class Renewing:
    """Makes the packets of one end of one connection. ``numbers``: of its counters before the first packet."""

    def __init__(self, protocol: Protocol, role: Role, dice: random.Random, numbers: Mapping[str, int]) -> None:
        self._protocol = protocol
        self._role = role
        self._dice = dice
        self._counters = Counters(numbers)
        self.known: dict[str, Values] = {}
        """The last message of each kind of the other end."""

    def packet(self, values: Values, sources: Sources, request: Values | None, now: float) -> tuple[bytes, str]:
        """Return the bytes on the wire, and what could not be made anew; blank if all was.

        Raises `BuildError` where not even what was recorded can be sent.
        """
        transaction = self._protocol.transactions[values.transaction]
        changes = {
            field: self.known[kind].fields[name]
            for field, (kind, name) in sources.items()
            if kind in self.known and name in self.known[kind].fields
        }
        context = Context(now, self._dice, self._counters, request)
        try:
            return self._protocol.write(values.transaction, transaction.anew(values, changes), context, self._role), ""
        except BuildError as error:
            return self._protocol.write(values.transaction, values, context, self._role), str(error)
