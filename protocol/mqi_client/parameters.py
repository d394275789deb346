"""Parameters of a client connection: target, identity, limits (mq-wire.md 8.1, client-observed.md 1)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from mqbridge.protocol import inferred
from mqbridge.protocol.channel.agreement import MAX_MESSAGE_LENGTH
from mqbridge.protocol.channel.parameters import DEFAULT_HANDSHAKE_TIMEOUT
from mqbridge.protocol.mqi.parameters import CLIENT_TRANSMISSION_SIZE

DEFAULT_REPLY_TIMEOUT: Final = 60.0
"""Default limit of a reply in seconds, not counting the wait interval of a get."""
MAX_PASSWORD: Final = 256
"""Longest password in bytes (MQ_CSP_PASSWORD_LENGTH)."""
MAX_USER: Final = 1024
"""Longest user id sent with a password, in bytes."""


@dataclass(kw_only=True, slots=True)
class ClientParameters:
    """A client channel and the program that uses it.

    Passwords are sent in clear text, which queue managers accept up to level 12; so a password limits the level to 12
    unless ``secured`` says that the connection is inside TLS (client-observed.md O-022, O-023).
    """

    channel_name: str
    """Name of the SVRCONN channel."""
    queue_manager: str = ""
    """Requested queue manager; blank, or with a leading ``*``: any."""
    user: str = ""
    """User of the password; without a password it is sent as the long user id."""
    password: str = field(default="", repr=False)
    """Password in clear text; empty for none."""
    system_user: str = ""
    """User of the process, sent in USERID_DATA; ``user`` if blank."""
    application: str = "mqbridge"
    """Application name at the queue manager, 28 characters."""
    secured: bool = False
    """The connection is inside TLS."""
    max_message_length: int = MAX_MESSAGE_LENGTH
    """Longest message to get or put, bytes; the channel may allow less."""
    transmission_size: int = CLIENT_TRANSMISSION_SIZE
    """Longest segment in bytes, header included."""
    heartbeat_interval: int = 300
    """Heartbeat interval to propose, seconds; the channel's value is adopted."""
    shared_conversations: int = 1
    """Conversations to propose: 1 or more to have messages streamed, 0 to get them by MQGET."""
    ccsid: int = 819
    """CCSID of the first segment; the queue manager's is adopted then."""
    fap_level: int = inferred.HIGHEST_CLIENT_FAP_LEVEL
    """Highest level to speak, 4 to 17."""
    process_id: int = 0
    """Process id sent in MQCONN."""
    product_id: str = inferred.CLIENT_PRODUCT_ID
    """Product and version, 12 characters."""
    nonce: bytes = bytes(12)
    """R of INITIAL_DATA: 12 random bytes, new for each connection."""
    handshake_timeout: float = DEFAULT_HANDSHAKE_TIMEOUT
    """Seconds until the connection must be established."""
    reply_timeout: float = DEFAULT_REPLY_TIMEOUT
    """Seconds until a reply must arrive."""

    @property
    def highest_level(self) -> int:
        """Level to propose."""
        level = min(self.fap_level, inferred.HIGHEST_CLIENT_FAP_LEVEL)
        return min(level, inferred.CLEAR_PASSWORD_FAP_LEVEL) if self.password and not self.secured else level
