"""States of a client connection, of a conversation on it, and of the delivery of messages for a handle.

Theory of operation
-------------------

**A connection** is negotiated once. Then it carries one conversation (SHARECNV 0) or several; each is one program's
connection to the queue manager (Hconn), with at most one call pending. Conversations do not wait for each other.

**A conversation** identifies its user, connects, makes calls, disconnects. A call out of sequence is answered with
HCONN_ERROR, a call while another is pending with CALL_IN_PROGRESS; other conversations are not affected. Only SPI
NOTIFY is allowed while another call is pending: it ends that call's wait, and clients send it from another thread.

**A delivery** belongs to a handle of a shared connection. There MQGET is never sent: the client requests messages
(REQUEST_MSGS) with a credit in bytes, and messages are streamed while the credit lasts. A *check* demands a
NOTIFICATION when there are no more messages; other requests are never answered that way, not even a waiting get: its
client keeps the time and sends a check when the wait ends. The check of a client that reads ahead (without SINGLE)
stays in force as a request. A request replaces the previous one, whose check is answered first. Nothing may be sent
for a handle whose close was answered: the client would drop the connection. So a close stops the delivery at once,
and the messages that the client has not received are reported, to be put back.

As for message channels, every transition is in these tables (``protocol.channel.states``).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from mqbridge.protocol.channel.states import State, Table, Trigger
from mqbridge.protocol.states import Member

CONNECTION: Final[Table] = {
    State.NEGOTIATING: {
        Trigger.VALUES_CHANGED: State.NEGOTIATING,
        Trigger.AGREED: State.RUNNING,
        Trigger.END: State.CLOSED,
    },
    State.RUNNING: {
        Trigger.HEARTBEAT: State.HEARTBEATING,
        Trigger.END: State.CLOSED,
    },
    State.HEARTBEATING: {
        Trigger.HEARTBEAT_ANSWERED: State.RUNNING,
        Trigger.END: State.CLOSED,
    },
    State.CLOSED: {},
}
"""The connection."""


class ConversationState(Member):
    """State of a conversation; the values are the names in the diagrams."""

    STARTED = "Started"
    """Not connected yet; user and password may be sent."""
    CONNECTING = "Connecting"
    """MQCONN awaits its reply."""
    CONNECTED = "Connected"
    """Calls are accepted."""
    DISCONNECTING = "Disconnecting"
    """MQDISC awaits its reply."""
    DISCONNECTED = "Disconnected"
    """After MQDISC, or after a refused MQCONN."""
    ENDED = "Ended"
    """Ended."""


class ConversationTrigger(Member):
    """Cause of a conversation's transition."""

    SIGN_ON = "USERID_DATA, CONAUTH_INFO"
    CONNECT = "MQCONN"
    CONNECTED = "MQCONN answered"
    REFUSED = "MQCONN refused"
    CALL = "call, REQUEST_MSGS, NOTIFICATION"
    DISCONNECT = "MQDISC"
    DISCONNECTED = "MQDISC answered"
    END = "SOCKET_ACTION 2, connection ends"


CONVERSATION: Final[Mapping[ConversationState, Mapping[ConversationTrigger, ConversationState]]] = {
    ConversationState.STARTED: {
        ConversationTrigger.SIGN_ON: ConversationState.STARTED,
        ConversationTrigger.CONNECT: ConversationState.CONNECTING,
        ConversationTrigger.END: ConversationState.ENDED,
    },
    ConversationState.CONNECTING: {
        ConversationTrigger.CONNECTED: ConversationState.CONNECTED,
        ConversationTrigger.REFUSED: ConversationState.DISCONNECTED,
        ConversationTrigger.END: ConversationState.ENDED,
    },
    ConversationState.CONNECTED: {
        ConversationTrigger.CALL: ConversationState.CONNECTED,
        ConversationTrigger.DISCONNECT: ConversationState.DISCONNECTING,
        ConversationTrigger.END: ConversationState.ENDED,
    },
    ConversationState.DISCONNECTING: {
        ConversationTrigger.DISCONNECTED: ConversationState.DISCONNECTED,
        ConversationTrigger.END: ConversationState.ENDED,
    },
    ConversationState.DISCONNECTED: {
        ConversationTrigger.SIGN_ON: ConversationState.DISCONNECTED,
        ConversationTrigger.CONNECT: ConversationState.CONNECTING,
        ConversationTrigger.END: ConversationState.ENDED,
    },
    ConversationState.ENDED: {},
}
"""One conversation."""


class DeliveryState(Member):
    """State of the delivery of messages for a handle."""

    IDLE = "Idle"
    """No request."""
    CHECKING = "Checking"
    """Messages while the credit lasts, then the answer that there are no more."""
    STREAMING = "Streaming"
    """Messages as they arrive, while the credit lasts."""
    SPENT = "Spent"
    """The credit is used up."""
    CLOSED = "Closed"
    """The handle is being closed, or is closed."""


class DeliveryTrigger(Member):
    """Cause of a delivery's transition."""

    CHECK = "REQUEST_MSGS, a check"
    ASK = "REQUEST_MSGS"
    MESSAGE = "message, credit left"
    LAST_MESSAGE = "message, credit used up"
    ANSWERED = "check answered"
    ANSWERED_AHEAD = "check of one that reads ahead answered, credit left"
    CLOSE = "MQCLOSE, end"


DELIVERY: Final[Mapping[DeliveryState, Mapping[DeliveryTrigger, DeliveryState]]] = {
    DeliveryState.IDLE: {
        DeliveryTrigger.CHECK: DeliveryState.CHECKING,
        DeliveryTrigger.ASK: DeliveryState.STREAMING,
        DeliveryTrigger.CLOSE: DeliveryState.CLOSED,
    },
    DeliveryState.CHECKING: {
        DeliveryTrigger.MESSAGE: DeliveryState.CHECKING,
        DeliveryTrigger.ANSWERED: DeliveryState.IDLE,
        DeliveryTrigger.ANSWERED_AHEAD: DeliveryState.STREAMING,
        DeliveryTrigger.CLOSE: DeliveryState.CLOSED,
    },
    DeliveryState.STREAMING: {
        DeliveryTrigger.CHECK: DeliveryState.CHECKING,
        DeliveryTrigger.ASK: DeliveryState.STREAMING,
        DeliveryTrigger.MESSAGE: DeliveryState.STREAMING,
        DeliveryTrigger.LAST_MESSAGE: DeliveryState.SPENT,
        DeliveryTrigger.CLOSE: DeliveryState.CLOSED,
    },
    DeliveryState.SPENT: {
        DeliveryTrigger.CHECK: DeliveryState.CHECKING,
        DeliveryTrigger.ASK: DeliveryState.STREAMING,
        DeliveryTrigger.CLOSE: DeliveryState.CLOSED,
    },
    DeliveryState.CLOSED: {},
}
"""The messages of one handle."""

TABLES: Final[Mapping[str, Mapping[Any, Mapping[Any, Any]]]] = {
    "Connection of a client": CONNECTION,
    "Conversation": CONVERSATION,
    "Delivery of messages": DELIVERY,
}
"""All tables by subject."""
