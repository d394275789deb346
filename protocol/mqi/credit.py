"""The credit of a client that messages stream to: how many bytes may be in transit (client-observed.md O-083).

REQUEST_MSGS gives it (RequestedBytes) and says what has come since the last one (ReceivedBytes). A message counts with
its MQMD and its data. The one that passes the credit still goes, so that any message uses up a credit of one byte.
"""

from __future__ import annotations

from typing import Final

from mqbridge.protocol.constants import RequestFlags
from mqbridge.protocol.inferred import OVER_WITH_ITS_ANSWER

from .states import DeliveryTrigger

ONE_MESSAGE: Final = 1
"""RequestedBytes of a client that wants a single message."""

_SINGLE: Final = int(RequestFlags.SINGLE)
_OVER: Final = int(OVER_WITH_ITS_ANSWER)


def limit_of(requested: int, flags: int, in_transit: int) -> int:
    """Bytes in transit with which a request is spent.

    ``requested``: its RequestedBytes; ``flags``: its RequestFlags; ``in_transit``: bytes that were sent before it.
    """
    return min(requested, in_transit + ONE_MESSAGE) if flags & _SINGLE else requested


def wants_one(requested: int, flags: int) -> bool:
    """Whether any message spends a request."""
    return requested <= ONE_MESSAGE or flags & _SINGLE != 0


def in_transit_after(in_transit: int, received: int, *, anew: bool) -> int:
    """Bytes in transit once a request came; ``received``: its ReceivedBytes; ``anew``: it has a selection."""
    return 0 if anew else max(0, in_transit - received)


def after_answer(flags: int, *, spent: bool) -> DeliveryTrigger:
    """Return the state after the answer to a check: the end, or one in which messages may be sent within the credit."""
    return DeliveryTrigger.ANSWERED if spent or flags & _OVER else DeliveryTrigger.ANSWERED_AHEAD
