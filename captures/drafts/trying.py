"""Drafts tried on every message: each is recognised, read, and built back to its bytes."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from mqbridge.captures.learning import Message
from mqbridge.mappings.templates import BuildError, Context, Counters, PacketError, Protocol, Role, StreamError

ROLES: Final[tuple[Role, Role]] = ("initiator", "responder")


@dataclass(slots=True)
class Tried:
    """``messages``: tried; ``read``: recognised and read, by transaction; ``built``: messages that build back to their
    bytes; ``cut``: that the framing cuts out alike; ``failed``: transactions that cannot be read, how often."""

    messages: int = 0
    read: Counter[str] = field(default_factory=Counter)
    built: int = 0
    cut: int = 0
    failed: Counter[str] = field(default_factory=Counter)

    @property
    def all_right(self) -> bool:
        """Whether every message is read, cut and built back."""
        return self.messages == self.built == self.cut == self.read.total()


def try_protocol(protocol: Protocol, messages: Sequence[Message], *, cuts: bool = True) -> Tried:
    """Return how a description does on messages. ``cuts``: try the framing too."""
    tried = Tried(len(messages))
    context = Context(0.0, random.Random(0), Counters())
    for message in messages:
        role = ROLES[message.side]
        tried.cut += not cuts or _is_cut(protocol, message, role)
        transaction = protocol.recognise(message.data, role)
        if transaction is None:
            tried.failed[""] += 1
            continue
        try:
            values = transaction.parse(message.data)
            tried.read[transaction.name] += 1
            tried.built += transaction.build(values, context) == message.data
        except (PacketError, BuildError):
            tried.failed[transaction.name] += 1
    return tried


def _is_cut(protocol: Protocol, message: Message, role: Role) -> bool:
    framer = protocol.framer(role)
    try:
        packets = [*framer.receive(message.data), *framer.finish()]
    except StreamError:
        return False
    return packets == [message.data]
