"""Retry intervals of a failed channel (channels.md 6.4)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class Retries:
    """The rest of both retry phases: SHORTRTY times SHORTTMR seconds, then LONGRTY times LONGTMR."""

    short_left: int
    short_timer: int
    long_left: int
    long_timer: int

    def next_wait(self) -> int | None:
        """Count an attempt and return the seconds until it; None if none is left and the channel stops."""
        if self.short_left > 0:
            self.short_left -= 1
            return self.short_timer
        if self.long_left > 0:
            self.long_left -= 1
            return self.long_timer
        return None
