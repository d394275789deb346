"""All public names of ``protocol.mqi``; loaded when the package is first asked for one."""

from __future__ import annotations

from mqbridge.protocol.channel.events import Closed

from .calls import (
    NO_HANDLE,
    Backout,
    Call,
    Close,
    Commit,
    Connect,
    Disconnect,
    Inquire,
    Notify,
    Open,
    Set,
    Subscribe,
    SubscriptionRequest,
    Xa,
)
from .connection import ServerConnection
from .delivery import Delivery, MessagesWanted, Selection
from .events import (
    CallRefused,
    ConversationEnded,
    ConversationStarted,
    CredentialsGiven,
    Event,
    Notified,
    Started,
    UserIdentified,
)
from .message_calls import Get, Put, Put1, Reserve, Stat
from .parameters import CLIENT_TRANSMISSION_SIZE, MAX_CALL_LENGTH, ClientNegotiated, Passwords, ServerParameters
from .states import CONNECTION, CONVERSATION, DELIVERY, TABLES, ConversationState, DeliveryState

__all__ = [
    "CLIENT_TRANSMISSION_SIZE",
    "CONNECTION",
    "CONVERSATION",
    "DELIVERY",
    "MAX_CALL_LENGTH",
    "NO_HANDLE",
    "TABLES",
    "Backout",
    "Call",
    "CallRefused",
    "ClientNegotiated",
    "Close",
    "Closed",
    "Commit",
    "Connect",
    "ConversationEnded",
    "ConversationStarted",
    "ConversationState",
    "CredentialsGiven",
    "Delivery",
    "DeliveryState",
    "Disconnect",
    "Event",
    "Get",
    "Inquire",
    "MessagesWanted",
    "Notified",
    "Notify",
    "Open",
    "Passwords",
    "Put",
    "Put1",
    "Reserve",
    "Selection",
    "ServerConnection",
    "ServerParameters",
    "Set",
    "Started",
    "Stat",
    "Subscribe",
    "SubscriptionRequest",
    "UserIdentified",
    "Xa",
]
