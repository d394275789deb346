"""What a connection to a provider is made with."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

DEFAULT_FRAME: Final = 1 << 17
DEFAULT_MESSAGE: Final = 4 << 20
DEFAULT_IDLE: Final = 60.0
DEFAULT_SESSION: Final = 8 << 20
DEFAULT_OPENING: Final = 30.0


@dataclass(frozen=True, slots=True)
class ConnectionSettings:
    """Names, credentials and limits of a connection.

    ``container``: our container id. ``host``: name of the provider in the open frame. ``mechanism``: of SASL,
    ``"PLAIN"`` with ``user`` and ``password``, ``"EXTERNAL"`` or ``"ANONYMOUS"``. ``max_frame``: longest frame that is
    received, in bytes. ``max_message``: longest message received, in bytes of all sections. ``max_session``: bytes of
    deliveries that the provider may send before they are read. ``idle_timeout``: seconds without any frame after which
    the connection is lost; 0: none. ``opening_timeout``: seconds within which the provider must open the connection.
    """

    container: str
    host: str = "localhost"
    mechanism: str = "ANONYMOUS"
    user: str = ""
    password: str = field(default="", repr=False)
    max_frame: int = DEFAULT_FRAME
    max_message: int = DEFAULT_MESSAGE
    max_session: int = DEFAULT_SESSION
    idle_timeout: float = DEFAULT_IDLE
    opening_timeout: float = DEFAULT_OPENING
