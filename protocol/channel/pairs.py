"""Which channel types can connect to each other (channels.md 1).

The wire does not state the type of the caller's channel, but what the caller wants: to send, to receive (CapFlags1
REQUEST_INITIATION), or to be served as an MQI client. Whether that fits depends on our definition.
"""

from __future__ import annotations

import enum
from typing import Final

from mqbridge.protocol.constants import MQCHT


class PairAnswer(enum.Enum):
    """Response of a channel of ours to a request that fits its type."""

    RECEIVE = "receive"
    """Accept as the receiving end."""
    SEND = "send"
    """Accept as the sending end, on this connection."""
    CALL_BACK = "call back"
    """End this connection and open one of our own."""
    SERVE = "serve"
    """Serve an MQI client."""


class PairRequest(enum.Enum):
    """Purpose of a caller's connection."""

    SEND = "send"
    BE_SENT_TO = "be sent to"
    BE_SERVED = "be served"


_PAIRS: Final[dict[tuple[MQCHT, PairRequest], PairAnswer]] = {
    (MQCHT.RECEIVER, PairRequest.SEND): PairAnswer.RECEIVE,
    (MQCHT.REQUESTER, PairRequest.SEND): PairAnswer.RECEIVE,
    (MQCHT.SERVER, PairRequest.BE_SENT_TO): PairAnswer.SEND,
    (MQCHT.SENDER, PairRequest.BE_SENT_TO): PairAnswer.CALL_BACK,
    (MQCHT.SVRCONN, PairRequest.BE_SERVED): PairAnswer.SERVE,
}


def pair_for(channel_type: MQCHT, *, client: bool, requests_initiation: bool) -> PairAnswer | None:
    """Return what to do with a request for a channel of the given type.

    ``client`` and ``requests_initiation`` as in :class:`~protocol.channel.ChannelRequested`. None: the types do not
    fit; refuse with CHANNEL_WRONG_TYPE (AMQ9547).
    """
    if client:
        request = PairRequest.BE_SERVED
    elif requests_initiation:
        request = PairRequest.BE_SENT_TO
    else:
        request = PairRequest.SEND
    return _PAIRS.get((channel_type, request))
