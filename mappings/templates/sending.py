"""Values of packets that a session sends: of the script, of the packet answered, of the message, its own (M-169)."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from .computing import is_open
from .errors import BuildError, PacketError
from .framing import framed
from .protocol import Protocol
from .script import Send
from .transaction import Role, Transaction
from .values import Context, Counters, Value, Values


class SessionValues:
    """What a session knows. ``own``: values of this end; see `SessionMachine`.

    ``built``: the packets with an identity that `packets` has built last, by transaction.
    """

    __slots__ = ("_copied", "_counters", "_dice", "_last", "_own", "_protocol", "_role", "built")

    def __init__(
        self, protocol: Protocol, role: Role, dice: random.Random, own: Mapping[str, Value], counters: Counters
    ) -> None:
        self._protocol = protocol
        self._role = role
        self._dice = dice
        self._own = dict(own)
        self._counters = counters
        self._last: dict[str, Values] = {}
        self.built: dict[str, bytes] = {}
        script = protocol.scripts[role]
        sends = [send for state in script.states.values() for rule in state.rules for send in rule.send]
        sends += [each.send for each in (script.unrecognised, script.unexpected) if each.send is not None]
        self._copied = {source.rpartition(".")[0] for send in sends for source in send.copy.values() if "." in source}

    def remember(self, values: Values) -> None:
        """Keep a packet from which a later one copies."""
        if values.transaction in self._copied:
            self._last[values.transaction] = values

    def packets(
        self,
        sends: Sequence[Send],
        now: float,
        packet: Values | None,
        message: Mapping[str, Value],
        ready: Mapping[str, bytes] | None = None,
    ) -> bytes:
        """Return the bytes on the wire of packets. ``ready``: packets that were built before, by transaction.

        Raises `BuildError`; sequence numbers are given back then.
        """
        numbers = dict(self._counters.numbers)
        self.built = {}
        try:
            return b"".join([self._one(send, now, packet, message, ready or {}) for send in sends])
        except BuildError:
            self._counters.numbers = numbers
            raise

    def _one(
        self,
        send: Send,
        now: float,
        packet: Values | None,
        message: Mapping[str, Value],
        ready: Mapping[str, bytes],
    ) -> bytes:
        transaction = self._protocol.transactions[send.transaction]
        built = ready.get(transaction.name)
        if built is None:
            built = self._built(transaction, send, now, packet, message)
        if transaction.identity:
            self.built[transaction.name] = built
        if transaction.name in self._copied:
            self._last[transaction.name] = _read(transaction, built)
        framing = self._protocol.framing[self._role]
        return framed(framing, built, transaction.name, self._protocol.most)

    def _built(
        self, transaction: Transaction, send: Send, now: float, packet: Values | None, message: Mapping[str, Value]
    ) -> bytes:
        values: Values | dict[str, Value]
        if send.rest and packet is not None:
            follow = [name for name, field in transaction.fields.items() if is_open(field)]
            values = packet.without(follow).changed(**send.set)
        else:
            values = {
                **_for(transaction, self._own),
                **_for(transaction, message),
                **self._copies(send, packet),
                **send.set,
            }
        return transaction.build(values, Context(now, self._dice, self._counters, packet))

    def _copies(self, send: Send, packet: Values | None) -> dict[str, Value]:
        found = {}
        for name, source in send.copy.items():
            of, _, field = source.rpartition(".")
            values = self._last.get(of) if of else packet
            if values is None or field not in values.fields:
                raise BuildError(send.transaction, name, f"there is no {source!r} yet to copy from")
            found[name] = values.fields[field]
        return found


def _read(transaction: Transaction, packet: bytes) -> Values:
    """What a packet says that goes out; one that was built by another description may not be read by this one."""
    try:
        return transaction.parse(packet)
    except PacketError as error:
        raise BuildError(transaction.name, error.field, error.reason) from None


def _for(transaction: Transaction, given: Mapping[str, Value]) -> dict[str, Value]:
    """Values by names of fields; what was given by field comes before what was given by mapping."""
    found: dict[str, Value] = {}
    for name, value in given.items():
        if name in transaction.fields:
            found[name] = value
        elif name in transaction.maps:
            found.setdefault(transaction.maps[name], value)
    return found
