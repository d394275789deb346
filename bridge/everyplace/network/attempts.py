"""Failed proofs of names: who goes on failing waits longer and longer, and disturbs nobody else (mqe.md 19)."""

from __future__ import annotations

from collections import OrderedDict
from typing import Final

from mqbridge.protocol.everyplace.errors import Code, EveryplaceError

from .timers import Timers

FREE: Final = 3
"""Failures without a wait."""
LONGEST: Final = 300.0
"""Most seconds that somebody must wait."""
MAX_KNOWN: Final = 10_000
"""Most addresses and names of which failures are remembered; the oldest is forgotten."""


class Attempts:
    """Failures by the address from which they come and the name that was to be proved.

    So nobody can keep the one who has a name from using it, but from that one's own address.
    """

    def __init__(self, timers: Timers) -> None:
        self._timers = timers
        self._known: OrderedDict[tuple[str, str], tuple[int, float]] = OrderedDict()

    def check(self, host: str, name: str) -> None:
        """Raise `EveryplaceError` AUTHENTICATE if this host must wait before it may prove the name."""
        _, until = self._known.get((host, name), (0, 0.0))
        if until > self._timers.steady:
            wait = int(until - self._timers.steady) + 1
            raise EveryplaceError(Code.AUTHENTICATE, f"{name} was not proved too often from here: wait {wait} seconds")

    def failed(self, host: str, name: str) -> None:
        """A proof was wrong."""
        count, until = self._known.pop((host, name), (0, 0.0))
        if until <= self._timers.steady:
            count += 1
            until = self._timers.steady + min(2.0 ** (count - FREE), LONGEST) if count >= FREE else 0.0
        self._known[host, name] = count, until
        if len(self._known) > MAX_KNOWN:
            self._known.popitem(last=False)

    def proved(self, host: str, name: str) -> None:
        """A proof was right."""
        self._known.pop((host, name), None)
