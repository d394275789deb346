"""What carries the bytes of a line, and what it needs of the endpoint."""

from __future__ import annotations

from typing import Any, Protocol

from mqbridge.bridge.endpoints.descriptor_guard import DescriptorGuard
from mqbridge.bridge.endpoints.driver import HeldBack
from mqbridge.bridge.endpoints.stalled_partners import StalledPartners
from mqbridge.bridge.everyplace.definitions.listener_definition import ListenerDefinition
from mqbridge.bridge.everyplace.network.outgoing import Line
from mqbridge.bridge.everyplace.network.settings import Peer
from mqbridge.protocol.everyplace.errors import EveryplaceError


class LineCarrier(Protocol):
    """The transport of one line."""

    def flush(self) -> None:
        """Send what the line has, and close if it has ended."""
        ...

    def abort(self) -> None:
        """Close at once."""
        ...


class EveryplaceHost(Protocol):
    """The endpoint, as its connections see it."""

    reactor: Any
    stalled: StalledPartners
    descriptor_guard: DescriptorGuard

    def date(self) -> float:
        """The calendar's time in seconds since the epoch."""
        ...

    def called(self, listener: ListenerDefinition, peer: Peer, carrier: LineCarrier) -> Line:
        """Make the line of a caller. Raises `EveryplaceError` if there are too many."""
        ...

    def received(self, line: Line, data: bytes) -> None:
        """Pass bytes to a line; what it has to send is flushed."""
        ...

    def cut(self, line: Line) -> None:
        """The transport of a line is gone."""
        ...

    def refused(self, peer: str, error: EveryplaceError) -> None:
        """Log that a caller has no line."""
        ...

    def hold_back(self, held: HeldBack) -> bool:
        """Whether the store lags: the protocol must not be read, and is called when it may be."""
        ...
