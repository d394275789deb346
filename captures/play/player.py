"""What plays one end of one connection, without sockets."""

from __future__ import annotations

from typing import Protocol


class Player(Protocol):
    """One end. Times are seconds since the epoch.

    ``over``: the connection is to be closed when all bytes are sent. ``complete``: everything was as it should be.
    """

    over: bool
    complete: bool

    def connected(self, now: float) -> None:
        """The connection stands."""
        ...

    def receive_data(self, data: bytes, now: float) -> None:
        """Bytes of the other end have come; none are its end."""
        ...

    def take(self) -> bytes:
        """Return the bytes to send."""
        ...

    def take_lines(self) -> list[str]:
        """Return what happened since the last call, a line each."""
        ...

    @property
    def next_timeout(self) -> float | None:
        """When `timeout` is due; None for never."""
        ...

    def timeout(self, now: float) -> None:
        """Do what is due."""
        ...
