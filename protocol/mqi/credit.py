"""The credit of a client to which messages are streamed: bytes that may be in transit (client-observed.md O-083).

REQUEST_MSGS grants it (RequestedBytes) and states the bytes received since the previous request (ReceivedBytes). A
message counts with its MQMD and its data. The message that exceeds the credit is still sent, so any message uses up a
credit of one byte.
"""

from __future__ import annotations

from typing import Final

from mqbridge.protocol.constants import RequestFlags
from mqbridge.protocol.inferred import OVER_WITH_ITS_ANSWER

from .states import DeliveryTrigger

ONE_MESSAGE: Final = 1
"""RequestedBytes of a request for a single message."""

_SINGLE: Final = int(RequestFlags.SINGLE)
_OVER: Final = int(OVER_WITH_ITS_ANSWER)


def limit_of(requested: int, flags: int, in_transit: int) -> int:
    """Return the number of bytes in transit at which a request is spent.

    ``requested``: its RequestedBytes. ``flags``: its RequestFlags. ``in_transit``: bytes still in transit after it.
    """
    return min(requested, in_transit + ONE_MESSAGE) if flags & _SINGLE else requested


def wants_one(requested: int, flags: int) -> bool:
    """Return whether any message spends the request."""
    return requested <= ONE_MESSAGE or flags & _SINGLE != 0


def in_transit_after(in_transit: int, received: int, *, anew: bool) -> int:
    """Return the bytes in transit after a request. ``received``: its ReceivedBytes. ``anew``: it has a selection."""
    return 0 if anew else max(0, in_transit - received)


def after_answer(flags: int, *, spent: bool) -> DeliveryTrigger:
    """Return the trigger of the answer to a check: ANSWERED ends the request, ANSWERED_AHEAD leaves it in force."""
    return DeliveryTrigger.ANSWERED if spent or flags & _OVER else DeliveryTrigger.ANSWERED_AHEAD
