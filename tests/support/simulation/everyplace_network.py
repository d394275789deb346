"""A network whose connections die in pieces: what was sent on one may arrive long after the next one is there."""

from __future__ import annotations

from .network import Network, Stream


class LateStream(Stream):
    """A connection that one side may lose while its bytes are still on their way to the other."""

    held_until = 0.0
    """Until when bytes on their way stay there, in order."""

    def _arrive(self, side: int, piece: bytes) -> None:
        if self.network.clock.now < self.held_until:
            self.network.clock.at(self.held_until, lambda: self._arrive(side, piece))
        else:
            super()._arrive(side, piece)

    def detach(self, side: int, late: float) -> None:
        """Side has given it up, or its process has died; what it has sent still arrives, and then the end."""
        end, self.ends[side] = self.ends[side], None
        if end is not None:
            end.lost()
        other, now = 1 - side, self.network.clock.now
        self.held_until = now + late
        self.arrival[other] = max(self.arrival[other], now) + late
        self.network.clock.at(self.arrival[other], lambda: self._hang_up(other))


class LateNetwork(Network):
    """`delay` is of most connections; some are slower."""

    stream_type = LateStream
