"""What those have in common who play a client without a network: the recorder of the wire hears what passes."""

from __future__ import annotations


class OnTheWire:
    """One connection of a played client. ``now``: the time, seconds; `passes` is called for all that passes."""

    now: float

    def passes(self, who: str, data: bytes) -> None:
        """The ``client`` or ``we`` put this on the wire; ``wire.record`` looks at it where somebody wants a record."""
