"""What a client connection is given: whom it wants, who it is, its limits (mq-wire.md 8.1, client-observed.md 1)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from mqbridge.protocol import inferred
from mqbridge.protocol.channel.agreement import MAX_MESSAGE_LENGTH
from mqbridge.protocol.channel.parameters import DEFAULT_HANDSHAKE_TIMEOUT
from mqbridge.protocol.mqi.parameters import CLIENT_TRANSMISSION_SIZE

DEFAULT_REPLY_TIMEOUT: Final = 60.0
"""Seconds that a reply may take, those of a get that waits not counted."""
MAX_PASSWORD: Final = 256
"""Bytes of a password (MQ_CSP_PASSWORD_LENGTH)."""
MAX_USER: Final = 1024
"""Bytes of the user that goes with it."""


@dataclass(kw_only=True, slots=True)
class ClientParameters:
    """A client channel and the program that uses it.

    A password goes in clear text, which queue managers take at level 12 and below; so a password makes that the
    highest level, unless ``secured`` says that the connection is inside TLS (client-observed.md O-022, O-023).
    """

    channel_name: str
    queue_manager: str = ""
    """Name wanted; blank, or ``*`` in front: any."""
    user: str = ""
    """User of the password; without a password it is told all the same, as the long user id."""
    password: str = field(default="", repr=False)
    system_user: str = ""
    """User of the process, what USERID_DATA names; ``user`` when blank."""
    application: str = "mqbridge"
    """What the queue manager knows the program as, 28 characters."""
    secured: bool = False
    """The connection is inside TLS."""
    max_message_length: int = MAX_MESSAGE_LENGTH
    """Longest message to take or put, bytes; the channel may allow less."""
    transmission_size: int = CLIENT_TRANSMISSION_SIZE
    """Largest segment, bytes, header included."""
    heartbeat_interval: int = 300
    """Seconds to propose; the channel's is taken."""
    shared_conversations: int = 1
    """Conversations to propose: 1 or more has messages stream to us, 0 gets them by MQGET."""
    ccsid: int = 819
    """Character set of the first segment; the queue manager's is taken then."""
    fap_level: int = inferred.HIGHEST_CLIENT_FAP_LEVEL
    """Highest level to speak, 4 to 17."""
    process_id: int = 0
    product_id: str = inferred.CLIENT_PRODUCT_ID
    nonce: bytes = bytes(12)
    """R of INITIAL_DATA: 12 random bytes, new for each connection."""
    handshake_timeout: float = DEFAULT_HANDSHAKE_TIMEOUT
    """Seconds until connected."""
    reply_timeout: float = DEFAULT_REPLY_TIMEOUT
    """Seconds until a reply."""

    @property
    def highest_level(self) -> int:
        """The level to propose."""
        level = min(self.fap_level, inferred.HIGHEST_CLIENT_FAP_LEVEL)
        return min(level, inferred.CLEAR_PASSWORD_FAP_LEVEL) if self.password and not self.secured else level
