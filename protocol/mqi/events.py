"""Events of a server connection, apart from the calls (``calls.py``)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from mqbridge.protocol.channel.events import Closed

from .calls import Call
from .delivery import MessagesWanted
from .parameters import ClientNegotiated


@dataclass(kw_only=True, slots=True)
class Started:
    """Negotiation has succeeded; MQCONN comes next."""

    channel_name: str
    product: str
    """Product and version of the client, such as ``MQJM09040300``; empty below FAP 9."""
    agreed: ClientNegotiated


@dataclass(kw_only=True, slots=True)
class UserIdentified:
    """USERID_DATA: the user that runs the program; no answer (client-observed.md O-008)."""

    conversation: int
    user: str
    """User id; the long one if it is stated."""
    password: str
    """Password in compatibility mode (O-024), else empty."""
    security_id: bytes = b""

    def __repr__(self) -> str:
        return f"UserIdentified(conversation={self.conversation}, user={self.user!r})"


@dataclass(kw_only=True, slots=True)
class CredentialsGiven:
    """CONAUTH_INFO: user and password of a conversation, to be checked at its MQCONN.

    The machine has acknowledged the segment. The reply to MQCONN says whether they are valid (client-observed.md
    O-021).
    """

    conversation: int
    """Id of the conversation, 0 on a connection that is not shared."""
    auth_type: int
    """MQCSP_AUTH: 0 none, 1 user and password."""
    user: str
    """User id."""
    password: bytes
    """As received: text in ``ccsid``, or protected."""
    ccsid: int
    """CCSID of a password in clear text."""
    protected: bool
    """Protected by an algorithm that is not known."""

    def __repr__(self) -> str:
        return f"CredentialsGiven(conversation={self.conversation}, user={self.user!r})"


@dataclass(kw_only=True, slots=True)
class Notified:
    """A client's NOTIFICATION; the machine has answered it if required."""

    conversation: int
    handle: int
    """-1 for the whole conversation."""
    code: int
    """NotificationCode."""
    value: int


@dataclass(kw_only=True, slots=True)
class ConversationStarted:
    """A further conversation began (SOCKET_ACTION); the first one began with :class:`Started`."""

    conversation: int


@dataclass(kw_only=True, slots=True)
class ConversationEnded:
    """A conversation has ended: no more events, and nothing can be sent.

    ``orderly``: after MQDISC, or before it connected. Otherwise the program is gone: back out its uncommitted work and
    close its objects.
    """

    conversation: int
    orderly: bool


@dataclass(kw_only=True, slots=True)
class CallRefused:
    """The machine refused a call, and answered it if a reply was expected: for the log, and for MQSTAT if
    ``asynchronous``."""

    conversation: int
    type: int
    """SegmentType."""
    handle: int
    reason: int
    """MQRC."""
    asynchronous: bool
    """A put without reply, which counts as failed."""
    detail: str
    options: int = 0
    """MQPMO bits, for a put."""


Event: TypeAlias = (
    Started
    | UserIdentified
    | CredentialsGiven
    | MessagesWanted
    | Notified
    | ConversationStarted
    | ConversationEnded
    | CallRefused
    | Call
    | Closed
)
