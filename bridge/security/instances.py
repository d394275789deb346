"""Instance limits of server-connection channels: MAXINST and MAXINSTC (channels.md 3, 4)."""

from __future__ import annotations

from collections import Counter

from .addresses import normal_address
from .login import Line


class Instances:
    """Numbers of connections by channel, and by channel and address. An instance is a TCP connection."""

    __slots__ = ("_by_address", "_by_channel")

    def __init__(self) -> None:
        self._by_channel: Counter[str] = Counter()
        self._by_address: Counter[tuple[str, str]] = Counter()

    def count(self, channel: str) -> int:
        """Return the number of instances of a channel."""
        return self._by_channel[channel]

    def enter(self, channel: str, address: str, most: int, most_of_address: int) -> Line | None:
        """Count a new instance; return a line for the operator if MAXINST or MAXINSTC forbids it (2025, AMQ9489,
        AMQ9490).

        Each counted instance must `leave`.
        """
        key = (channel, normal_address(address))
        if self._by_channel[channel] >= most:
            return "AMQ9489", (channel, most, address)
        if self._by_address[key] >= most_of_address:
            return "AMQ9490", (channel, most_of_address, address)
        self._by_channel[channel] += 1
        self._by_address[key] += 1
        return None

    def leave(self, channel: str, address: str) -> None:
        """Note the end of an instance."""
        key = (channel, normal_address(address))
        self._by_channel[channel] -= 1
        self._by_address[key] -= 1
        if self._by_channel[channel] <= 0:
            del self._by_channel[channel]
        if self._by_address[key] <= 0:
            del self._by_address[key]
