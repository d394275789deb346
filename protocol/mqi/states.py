"""The states of a client's connection, of a conversation on it, and of the delivery of messages for a handle.

Theory of operation
-------------------

**A connection** is negotiated once. Then it carries one conversation (SHARECNV 0) or several; each is one connection
of a program to the queue manager, with at most one call at a time that waits for its reply. Requests of different
conversations do not wait for each other.

**A conversation** says who its user is, connects, calls, disconnects. A call at the wrong time is answered with
HCONN_ERROR, a second one beside a first with CALL_IN_PROGRESS: the program is told, the others go on. Only SPI NOTIFY
may come beside another call: it ends what that one waits for, and clients say it in another thread.

**A delivery** belongs to a handle of a shared connection. There MQGET is never sent: the client asks for messages
(REQUEST_MSGS) with an amount of bytes it has room for, and messages stream as long as that credit lasts. A *check*
wants to know, by a NOTIFICATION after the messages, that there are no more for it; other requests are never answered
so, a waiting get included: its client has the clock and checks when the time is up. The check of a client that reads
ahead (without SINGLE) stays in force as a request: it is not asked again. A request replaces the one before, whose
check is answered first. Nothing may be sent for a handle whose close was answered: the client would lose its socket.
So a close stops the delivery at once, and what the client had not received by then is told, to be put back.

As for message channels, all that moves from state to state stands in these tables (``protocol.channel.states``).
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
    """State of a conversation; the value is how the diagrams write it."""

    STARTED = "Started"
    """Nobody is connected yet; user and password may be told."""
    CONNECTING = "Connecting"
    """MQCONN waits for its reply."""
    CONNECTED = "Connected"
    """Calls are taken."""
    DISCONNECTING = "Disconnecting"
    """MQDISC waits for its reply."""
    DISCONNECTED = "Disconnected"
    """After MQDISC, or after an MQCONN that was refused."""
    ENDED = "Ended"
    """Over."""


class ConversationTrigger(Member):
    """What moves a conversation."""

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
    """Nothing is asked for."""
    CHECKING = "Checking"
    """Messages as far as the credit goes, then the answer that there are no more."""
    STREAMING = "Streaming"
    """Messages as they come, as far as the credit goes."""
    SPENT = "Spent"
    """The credit is used up."""
    CLOSED = "Closed"
    """The handle is being closed, or is closed."""


class DeliveryTrigger(Member):
    """What moves a delivery."""

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
"""All tables by what they are of."""
