"""Status codes of message channels: their meaning for our end, and the error that reports one to the partner.

A received code ends the channel; :func:`meaning_of` returns the log message and whether a retry makes sense
(channels.md 6.4, 18; mq-wire.md 5.14). A fault that we find is raised as :class:`ChannelError` and sent to the partner
in a STATUS_DATA segment.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from mqbridge.protocol.constants import StatusCode
from mqbridge.protocol.errors import ProtocolError


class ChannelError(ProtocolError):
    """The partner violated the message channel protocol.

    ``value``: extra value of the status, or None. ``retryable``: whether a later retry makes sense.
    """

    def __init__(
        self,
        message: str,
        status: StatusCode,
        *,
        amq: str | None = None,
        value: int | None = None,
        retryable: bool = True,
    ) -> None:
        super().__init__(message, status=int(status), amq=amq)
        self.value = value
        self.retryable = retryable


@dataclass(frozen=True, slots=True)
class StatusMeaning:
    """Meaning of a status code received from the partner."""

    reason: str
    """One clause for the log."""
    amq: str
    """Id of the log message."""
    retryable: bool
    """Whether the channel retries by itself."""


_CODES: Final[dict[int, StatusMeaning]] = {
    StatusCode.NO_CHANNEL: StatusMeaning("the partner has no such channel", "AMQ9520", False),
    StatusCode.CHANNEL_WRONG_TYPE: StatusMeaning(
        "the partner's channel has a type that does not fit", "AMQ9547", False
    ),
    StatusCode.QM_UNAVAILABLE: StatusMeaning("the partner's queue manager is not available", "AMQ9524", True),
    StatusCode.MSG_SEQUENCE_ERROR: StatusMeaning("the message sequence numbers differ", "AMQ9526", True),
    StatusCode.QM_TERMINATING: StatusMeaning("the partner's queue manager is ending", "AMQ9525", True),
    StatusCode.CAN_NOT_STORE: StatusMeaning("the partner cannot store the messages", "AMQ9506", True),
    StatusCode.USER_CLOSED: StatusMeaning("the channel was stopped at the partner", "AMQ9528", True),
    StatusCode.TIMEOUT_EXPIRED: StatusMeaning("the partner's time limit has passed", "AMQ9259", True),
    StatusCode.TARGET_Q_UNKNOWN: StatusMeaning("the partner does not know the target queue", "AMQ9544", True),
    StatusCode.BATCH_FAILURE: StatusMeaning("the partner could not commit the batch", "AMQ9506", True),
    StatusCode.MESSAGE_LENGTH_ERROR: StatusMeaning("a message is too long for the partner", "AMQ9527", True),
    StatusCode.SECURITY_FAILURE: StatusMeaning("the partner refused for security reasons", "AMQ9546", False),
    StatusCode.WRAP_VALUE_ERROR: StatusMeaning("the sequence wrap values differ", "AMQ9505", False),
    StatusCode.CHANNEL_UNAVAILABLE: StatusMeaning("the partner's channel is not available", "AMQ9558", True),
    StatusCode.CLOSED_BY_EXIT: StatusMeaning("an exit of the partner ended the channel", "AMQ9536", False),
    StatusCode.CIPHER_SPEC: StatusMeaning("the two ends do not agree on TLS", "AMQ9641", False),
    StatusCode.PEER_NAME: StatusMeaning("the partner does not accept our certificate's name", "AMQ9643", False),
    StatusCode.SSL_CLIENT_CERTIFICATE: StatusMeaning("the partner wants a certificate", "AMQ9642", False),
    StatusCode.SSL_REFRESHING: StatusMeaning("the partner reads its certificates again", "AMQ9558", True),
    StatusCode.STANDBY_Q_MGR: StatusMeaning("the partner is a standby queue manager", "AMQ9524", True),
    StatusCode.CCSID_NOT_SUPPORTED: StatusMeaning("the partner does not support our CCSID", "AMQ9541", False),
    StatusCode.ENCODING_INVALID: StatusMeaning("the partner does not support our encoding", "AMQ9503", False),
    StatusCode.FAP_LEVEL: StatusMeaning("the partner does not speak our FAP level", "AMQ9503", False),
    StatusCode.NEGOTIATION_FAILED: StatusMeaning("the partner ended the negotiation", "AMQ9503", False),
}

PROTOCOL_CODES: Final = range(StatusCode.PROTOCOL_SEGMENT_TYPE, StatusCode.PROTOCOL_GENERAL + 1)
"""Codes that report a segment as a protocol violation."""


def meaning_of(code: StatusCode) -> StatusMeaning:
    """Return the meaning of a received code; unknown codes read as an error code received (AMQ9546)."""
    known = _CODES.get(code)
    if known is not None:
        return known
    if code in PROTOCOL_CODES or code == StatusCode.SEGMENT_NUMBER_ERROR:
        return StatusMeaning(f"the partner found a protocol error ({code})", "AMQ9523", True)
    return StatusMeaning(f"the partner reported {code}", "AMQ9546", True)


REFUSAL_MESSAGES: Final[dict[int, str]] = {
    StatusCode.NO_CHANNEL: "AMQ9519",
    StatusCode.CHANNEL_WRONG_TYPE: "AMQ9547",
    StatusCode.CHANNEL_UNAVAILABLE: "AMQ9534",
    StatusCode.QM_TERMINATING: "AMQ9525",
    StatusCode.QM_UNAVAILABLE: "AMQ9524",
    StatusCode.CIPHER_SPEC: "AMQ9639",
    StatusCode.CLOSED_BY_EXIT: "AMQ9536",
    StatusCode.SECURITY_FAILURE: "AMQ9777",
}
"""Our log message when we refuse a channel with a code; AMQ9503 for other codes."""
