"""Inputs of a server connection, and the negotiated values (channels.md 3, 4; client-observed.md 1)."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Final

from mqbridge.protocol import inferred
from mqbridge.protocol.channel.agreement import MAX_MESSAGE_LENGTH
from mqbridge.protocol.channel.parameters import DEFAULT_HANDSHAKE_TIMEOUT
from mqbridge.protocol.constants import ByteOrder

CLIENT_TRANSMISSION_SIZE: Final = 32_748
"""Transmission size that client channels offer, in bytes, header included (client-observed.md O-001)."""

MAX_CALL_LENGTH: Final = 1_048_576
"""Longest call without its message data (descriptors, strings, distribution lists), in bytes over all segments."""

MAX_CONVERSATIONS: Final = 999_999_999
"""Highest SHARECNV (channels.md 3)."""


class Passwords(enum.Enum):
    """How clients may send passwords (client-observed.md O-022, O-023)."""

    PROTECTED = "protected"
    """Level 17, protected by an algorithm that we do not know: usable only if passwords are not checked."""
    CLEAR = "clear"
    """At most level 12, where clients send passwords in clear, with or without TLS."""
    INSIDE_TLS = "inside TLS"
    """Level 17 in clear, which clients do only inside TLS."""


@dataclass(kw_only=True, slots=True)
class ServerParameters:
    """Values of a SVRCONN definition that the machine needs, and the encoding of this end."""

    channel_name: str
    """Name of the channel."""
    queue_manager: str
    """Name of our queue manager."""
    max_message_length: int = 4_194_304
    """MAXMSGL, bytes of data; 0 means 100 MiB."""
    transmission_size: int = CLIENT_TRANSMISSION_SIZE
    """Longest segment in bytes, header included."""
    heartbeat_interval: int = 300
    """HBINT, seconds; 0 for none."""
    shared_conversations: int = 10
    """SHARECNV; 0 limits a connection to one conversation without streaming."""
    passwords: Passwords = Passwords.PROTECTED
    """How passwords may be sent; ``CLEAR`` or ``INSIDE_TLS`` where they are checked."""
    ccsid: int = 819
    """CCSID that we use and clients adopt; one byte per character of a name."""
    order: ByteOrder = ByteOrder.LITTLE
    """Byte order that we use and clients adopt."""
    fap_level: int = inferred.HIGHEST_CLIENT_FAP_LEVEL
    """Highest level to speak, 4 to 17."""
    queue_manager_id: str = ""
    """QMID, at most 48 characters."""
    product_id: str = inferred.PRODUCT_ID
    """Product and version, 12 characters."""
    nonce: bytes = bytes(12)
    """R of our INITIAL_DATA: 12 random bytes, new for each connection."""
    handshake_timeout: float = DEFAULT_HANDSHAKE_TIMEOUT
    """Seconds for negotiation and the first MQCONN together, from the construction of this machine."""
    disconnect_interval: int = 0
    """DISCINT: seconds without a call after which a connection with SHARECNV 0 is ended; 0 for never."""

    @property
    def message_limit(self) -> int:
        """MAXMSGL with 0 resolved, bytes."""
        return min(self.max_message_length or MAX_MESSAGE_LENGTH, MAX_MESSAGE_LENGTH)


@dataclass(kw_only=True, slots=True)
class ClientNegotiated:
    """The negotiated values of a client channel."""

    fap_level: int
    transmission_size: int
    """Longest segment in bytes, header included."""
    max_message_length: int
    """Longest message, bytes of data."""
    heartbeat_interval: int
    """Heartbeat interval in seconds; 0 for none."""
    conversations: int
    """Conversations that may share the connection; 0: only one, without streaming (SHARECNV 0)."""

    @property
    def shared(self) -> bool:
        """Whether segments carry conversation and request ids (TSHM) and messages are streamed."""
        return self.conversations > 0
