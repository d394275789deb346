"""What a transformer is (E-426)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from mqbridge.mappings.message import Message
from mqbridge.protocol.constants import MQPMO
from mqbridge.protocol.everyplace.message import Message as EveryplaceMessage
from mqbridge.protocol.everyplace.names import Address


class Outgoing(NamedTuple):
    """A message for MQ, and the options with which it is to be put."""

    message: Message
    options: MQPMO


class Transformer(Protocol):
    """Makes messages of MQ from those of Everyplace, and the other way.

    ``now``: seconds since 1970. It changes no argument. It raises `EveryplaceError` for a message that the other side
    cannot have, and nothing else; what becomes of it then, the bridge's rule decides.
    """

    def activate(self, parameters: Sequence[str]) -> None:
        """Take the parameters behind its name in the definition. Raises `EveryplaceError` ADMIN_INVALID_FIELD."""
        ...

    def to_mq(self, message: EveryplaceMessage, queue: Address, options: MQPMO, now: float) -> Outgoing:
        """Return the message for MQ.

        ``queue``: the bridge queue and its MQ queue manager. ``options``: what the bridge puts with; options added to
        them are for the bridge to allow.
        """
        ...

    def from_mq(self, message: Message, target: Address, now: float) -> EveryplaceMessage:
        """Return the message for Everyplace.

        ``target``: where it goes. A message that had a UID before comes back with it; any other has none, and the
        gateway gives it its own when it places it (E-436).
        """
        ...
