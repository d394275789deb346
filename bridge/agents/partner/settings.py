"""What a partner exchanges with queues, and its limits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from mqbridge.mappings.templates import Role, Value
from mqbridge.protocol.errors import MQBridgeError

MAX_NAME: Final = 48
"""Longest name of a partner."""
LONGEST: Final = 366 * 86_400.0
"""Longest time of any kind, in seconds."""
MAX_SESSIONS: Final = 1000
MAX_REMEMBERED: Final = 1_000_000


class PartnerSettingsError(MQBridgeError):
    """Settings of a partner that contradict each other or exceed a limit. ``key``: the setting."""

    def __init__(self, key: str, problem: str) -> None:
        super().__init__(f"{key}: {problem}")
        self.key = key
        self.problem = problem


@dataclass(frozen=True, slots=True, kw_only=True)
class PartnerSettings:
    """A partner.

    ``role``: ours. ``send``: queue whose messages become packets; blank: none. ``receive``: queue for what the partner
    begins; blank: none. ``values``: of this end for packets that are sent, by names of fields or of mappings.
    ``mcauser``: with whose authorities messages are got and put; blank: the queue manager's own. ``sessions``: most
    connections at a time, of a responder. ``remember``: ids of messages from the partner that are kept to know a
    repeat. ``retry_interval``, ``longest_retry``: seconds before the first and between later attempts to connect, and
    to put what cannot be put. ``stop_wait``: seconds that a message under way has to be accepted at the end.
    ``format``, ``ccsid``: Format and CodedCharSetId of messages from the partner whose data are bytes; blank and 0:
    none, the queue manager's. ``certified``: callers must have a certificate.

    Raises `PartnerSettingsError`.
    """

    name: str
    role: Role = "initiator"
    send: str = ""
    receive: str = ""
    values: Mapping[str, Value] = field(default_factory=dict)
    mcauser: str = ""
    sessions: int = 1
    remember: int = 1000
    retry_interval: float = 1.0
    longest_retry: float = 60.0
    stop_wait: float = 10.0
    format: str = ""
    ccsid: int = 0
    certified: bool = False

    def __post_init__(self) -> None:
        if not 0 < len(self.name) <= MAX_NAME or not self.name.isprintable():
            raise PartnerSettingsError("name", f"1 to {MAX_NAME} printable characters")
        if not self.send and not self.receive:
            raise PartnerSettingsError("send", "the partner has nothing to send or receive")
        if self.send == self.receive:
            raise PartnerSettingsError("receive", f"what is received into {self.receive} would be sent back")
        if not 1 <= self.sessions <= (MAX_SESSIONS if self.role == "responder" else 1):
            raise PartnerSettingsError("sessions", f"1 to {MAX_SESSIONS}, and 1 of an initiator")
        if not 1 <= self.remember <= MAX_REMEMBERED:
            raise PartnerSettingsError("remember", f"1 to {MAX_REMEMBERED}")
        for key in ("retry_interval", "longest_retry", "stop_wait"):
            if not 0 < getattr(self, key) <= LONGEST:
                raise PartnerSettingsError(key, "more than 0 seconds, at most a year")
