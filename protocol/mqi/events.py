"""What a server connection tells its agent besides the calls (``calls.py``)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from mqbridge.protocol.channel.events import Closed

from .calls import Call
from .delivery import Delivery
from .parameters import Agreed


@dataclass(kw_only=True, slots=True)
class Started:
    """Negotiation has ended well; MQCONN comes next."""

    channel_name: str
    product: str
    """Product and version of the client, such as ``MQJM09040300``; empty below FAP 9."""
    agreed: Agreed


@dataclass(kw_only=True, slots=True)
class UserIdentified:
    """USERID_DATA: who runs the program, no answer (client-observed.md O-008)."""

    conversation: int
    user: str
    """User id; the long one where it is told."""
    password: str
    """In compatibility mode (O-024), else empty."""
    security_id: bytes = b""

    def __repr__(self) -> str:
        return f"UserIdentified(conversation={self.conversation}, user={self.user!r})"


@dataclass(kw_only=True, slots=True)
class CredentialsGiven:
    """CONAUTH_INFO: user and password of a conversation, for its MQCONN.

    The machine has answered that it was received. Whether it is right is told by the reply to MQCONN
    (client-observed.md O-021)."""

    conversation: int
    auth_type: int
    """MQCSP_AUTH: 0 none, 1 user and password."""
    user: str
    password: bytes
    """As it came: text in ``ccsid``, or protected."""
    ccsid: int
    protected: bool
    """It was protected by an algorithm that is not known."""

    def __repr__(self) -> str:
        return f"CredentialsGiven(conversation={self.conversation}, user={self.user!r})"


@dataclass(kw_only=True, slots=True)
class MessagesWanted:
    """A client asks for messages of a handle, or may be sent them again.

    While ``delivery.ready``: get a message with the selection of the delivery and ``deliver`` it; when there is none,
    call ``no_message`` once, and try again when one comes."""

    delivery: Delivery


@dataclass(kw_only=True, slots=True)
class Notified:
    """NOTIFICATION of a client; answered by the machine where it wants an answer."""

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
    """A conversation is over: nothing more comes of it, and nothing can be sent.

    ``orderly``: after MQDISC or before it connected. Otherwise its program is gone: back out what it did not commit,
    and close its objects."""

    conversation: int
    orderly: bool


@dataclass(kw_only=True, slots=True)
class CallRefused:
    """A call was refused by the machine and answered, if it wanted an answer: for the log; and for MQSTAT when
    ``asynchronous``."""

    conversation: int
    type: int
    """SegmentType."""
    handle: int
    reason: int
    """MQRC."""
    asynchronous: bool
    """A put without reply: it counts as failed."""
    detail: str
    options: int = 0
    """MQPMO bits of a put."""


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
