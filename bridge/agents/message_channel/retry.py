"""When a channel that failed tries again (channels.md 6.4)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class Retries:
    """What is left of the two phases: SHORTRTY times SHORTTMR seconds, then LONGRTY times LONGTMR."""

    short_left: int
    short_timer: int
    long_left: int
    long_timer: int

    def next_wait(self) -> int | None:
        """Seconds until the next attempt, which is counted; None when there is none left and the channel stops."""
        if self.short_left > 0:
            self.short_left -= 1
            return self.short_timer
        if self.long_left > 0:
            self.long_left -= 1
            return self.long_timer
        return None
