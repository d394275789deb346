"""The dead-letter queue: a local queue for messages that cannot be placed (E-133, E-156)."""

from __future__ import annotations

from collections.abc import Callable

from mqbridge.protocol.everyplace.errors import EveryplaceError
from mqbridge.protocol.everyplace.message import Message
from mqbridge.protocol.everyplace.names import Address
from mqbridge.protocol.everyplace.reserved import EXPIRE_TIME

from .changes import Change
from .effects import Alarm

Place = Callable[[Message, Address], Change[None]]
"""Prepares a put on a queue of this queue manager."""


class DeadLetters:
    """``address``: gives the address of the dead-letter queue. ``tell``: gets an alarm for each message."""

    def __init__(self, address: Callable[[], Address], tell: Callable[[Alarm], None]) -> None:
        self._address = address
        self._tell = tell

    def put(self, message: Message, meant: str, why: EveryplaceError, place: Place) -> Change[None]:
        """Prepare the put of a message that was meant for another queue.

        Raises ``why`` if it cannot be put there either.
        """
        copy, address = message.copy(), self._address()
        copy.resend = True
        if EXPIRE_TIME in copy:
            copy.delete(EXPIRE_TIME)
        try:
            change = place(copy, address)
        except EveryplaceError:
            raise why from None
        text = f"message {message.uid} for {meant} goes to {address}: {why.text}"
        change.afterwards(lambda: self._tell(Alarm(meant, text)))
        return change
