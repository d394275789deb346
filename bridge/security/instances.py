"""How many instances of a server-connection channel run: MAXINST and MAXINSTC (channels.md 3, 4)."""

from __future__ import annotations

from collections import Counter

from .addresses import normal_address
from .login import Line


class Instances:
    """Counts connections by channel, and by channel and address. An instance is a TCP connection."""

    __slots__ = ("_by_address", "_by_channel")

    def __init__(self) -> None:
        self._by_channel: Counter[str] = Counter()
        self._by_address: Counter[tuple[str, str]] = Counter()

    def count(self, channel: str) -> int:
        """Instances of a channel."""
        return self._by_channel[channel]

    def enter(self, channel: str, address: str, most: int, most_of_address: int) -> Line | None:
        """One more instance; a line for the operator instead where MAXINST or MAXINSTC forbids it (2025, AMQ9489,
        AMQ9490). What has entered must `leave`."""
        key = (channel, normal_address(address))
        if self._by_channel[channel] >= most:
            return "AMQ9489", (channel, most, address)
        if self._by_address[key] >= most_of_address:
            return "AMQ9490", (channel, most_of_address, address)
        self._by_channel[channel] += 1
        self._by_address[key] += 1
        return None

    def leave(self, channel: str, address: str) -> None:
        """An instance has ended."""
        key = (channel, normal_address(address))
        self._by_channel[channel] -= 1
        self._by_address[key] -= 1
        if self._by_channel[channel] <= 0:
            del self._by_channel[channel]
        if self._by_address[key] <= 0:
            del self._by_address[key]
