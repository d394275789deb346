"""What all senders of a queue manager share."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import Final

from mqbridge.bridge.agents.gateway.carriers import CarrierHost
from mqbridge.bridge.agents.linking.backoff import BackOff
from mqbridge.protocol.myopenq import Stamps

from .window import Window

FIRST_RETRY: Final = 1.0
"""Seconds until a failed attempt is repeated; doubled at each further one."""
LONGEST_RETRY: Final = 60.0
"""The longest of these times."""
MD5_LIST: Final = 1000
"""Digests that another manager is taken to keep of ours (M-092, M-112)."""


@dataclass(slots=True)
class SendingContext:
    """``secret``: keys the digests, empty for MD5. ``md5list``: digests that each other manager keeps of ours.

    ``stamps``: of all senders, since two queues may lead to the same one.
    """

    host: CarrierHost
    random: Random
    secret: bytes = b""
    md5list: int = MD5_LIST
    stamps: Stamps = field(default_factory=Stamps)
    windows: dict[tuple[str, int], Window] = field(default_factory=dict)

    def window(self, address: str, port: int) -> Window:
        """The window of a manager."""
        return self.windows.setdefault((address, port), Window(self.md5list))

    def back_off(self) -> BackOff:
        """New waits between attempts."""
        return BackOff(FIRST_RETRY, LONGEST_RETRY, self.random)
