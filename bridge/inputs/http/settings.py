"""Settings of the input ``http``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from mqbridge.bridge.config import values
from mqbridge.bridge.config.declarations import setting

MAX_LENGTH: Final = 100 << 20
"""Largest ``max_length``: the longest message of MQ."""
MAX_CCSID: Final = 65535
MAX_WAIT: Final = 3600


@dataclass(slots=True, kw_only=True)
class HttpSettings:
    """``input = { kind = "http", … }``."""

    endpoint: str = setting(values.endpoint)
    """Where it listens, such as ``tcp:8080:interface=127.0.0.1`` or ``unix:PATH``."""
    path: str = setting(values.text, "/")
    """Path of the URL that takes messages; all others are unknown."""
    users: list[str] = setting(values.list_of(values.text), [])
    """Users and groups whose users may send; none: nobody is asked who it is."""
    anonymous: bool = setting(values.yes_or_no, False)
    """Whether, without ``users``, other machines may send too."""
    plain: bool = setting(values.yes_or_no, False)
    """HTTP without TLS."""
    certificate: str = setting(values.text, "")
    """Label of the certificate; blank: that of the queue manager."""
    hosts: list[str] = setting(values.list_of(values.text), [])
    """Host names by which clients reach it, beside the machine's own."""
    format: str = setting(values.text, "")
    """Format of the messages; blank: what Content-Type says."""
    ccsid: int = setting(values.whole_number(1, MAX_CCSID), 0)
    """CodedCharSetId of the messages; 0: what Content-Type says."""
    persistent: bool = setting(values.yes_or_no, True)
    max_length: int = setting(values.size(1), 4 << 20)
    """Longest body in bytes."""
    wait: float = setting(values.seconds(0.1), 30.0)
    """Seconds until a message that cannot be put is refused."""
    require_key: bool = setting(values.yes_or_no, False)
    """Whether a request without Idempotency-Key is refused."""
    keep_keys: float = setting(values.seconds(1), 86400.0)
    """Seconds for which the key of a message that was taken is known."""
