"""What a server connection is given, and what both ends agreed on (channels.md 3, 4; client-observed.md 1)."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Final

from mqbridge.protocol import inferred
from mqbridge.protocol.channel.agreement import MAX_MESSAGE_LENGTH
from mqbridge.protocol.channel.parameters import DEFAULT_HANDSHAKE_TIMEOUT

CLIENT_TRANSMISSION_SIZE: Final = 32_748
"""Segment size that client channels offer, header included (client-observed.md O-001)."""

MAX_CALL_LENGTH: Final = 1_048_576
"""Longest call without its message data, bytes, all segments together: descriptors, strings, distribution lists."""

MAX_CONVERSATIONS: Final = 999_999_999
"""Highest SHARECNV (channels.md 3)."""


class Passwords(enum.Enum):
    """How a client may send a password (client-observed.md O-022, O-023)."""

    PROTECTED = "protected"
    """Level 17, protected by an algorithm that is not known here: only for those who do not check it."""
    CLEAR = "clear"
    """Level 12 at most, where clients send it as it is, TLS or not."""
    INSIDE_TLS = "inside TLS"
    """Level 17, as it is, which clients accept inside TLS alone."""


@dataclass(kw_only=True, slots=True)
class ServerParameters:
    """The definition of a SVRCONN channel as far as its machine needs it, and how this end speaks."""

    channel_name: str
    queue_manager: str
    """Our own name."""
    max_message_length: int = 4_194_304
    """MAXMSGL, bytes of data; 0 means 100 MiB."""
    transmission_size: int = CLIENT_TRANSMISSION_SIZE
    """Largest segment, bytes, header included."""
    heartbeat_interval: int = 300
    """HBINT, seconds; 0 for none."""
    shared_conversations: int = 10
    """SHARECNV; 0 keeps a connection to one conversation without streaming."""
    passwords: Passwords = Passwords.PROTECTED
    """How passwords may come; ``CLEAR`` or ``INSIDE_TLS`` where they are checked."""
    ccsid: int = 819
    """Character set that we speak and clients adopt, with one byte for each character of a name."""
    big_endian: bool = False
    """Byte order that we speak and clients adopt."""
    fap_level: int = inferred.HIGHEST_CLIENT_FAP_LEVEL
    """Highest level to speak, 4 to 17."""
    queue_manager_id: str = ""
    """QMID, at most 48 characters."""
    product_id: str = inferred.PRODUCT_ID
    """Product and version, 12 characters."""
    nonce: bytes = bytes(12)
    """R of our INITIAL_DATA: 12 random bytes, new for each connection."""
    handshake_timeout: float = DEFAULT_HANDSHAKE_TIMEOUT
    """Seconds for negotiation and the first MQCONN together, from the moment this machine begins."""
    disconnect_interval: int = 0
    """DISCINT, seconds without a call after which a connection with SHARECNV 0 is ended; 0 for never."""

    @property
    def message_limit(self) -> int:
        """MAXMSGL with 0 resolved, bytes."""
        return min(self.max_message_length or MAX_MESSAGE_LENGTH, MAX_MESSAGE_LENGTH)


@dataclass(kw_only=True, slots=True)
class Agreed:
    """What both ends of a client channel agreed on."""

    fap_level: int
    transmission_size: int
    """Bytes of a segment, header included."""
    max_message_length: int
    """Bytes of data."""
    heartbeat_interval: int
    """Seconds; 0 for none."""
    conversations: int
    """Conversations that may share the connection; 0: one alone, without streaming (SHARECNV 0)."""

    @property
    def shared(self) -> bool:
        """Whether segments carry conversation and request, and messages stream (TSHM)."""
        return self.conversations > 0
