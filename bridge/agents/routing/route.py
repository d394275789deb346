"""A route as operators see it; the reader of its source does the work."""

from __future__ import annotations

from typing import Protocol

from mqbridge.bridge.agents.gateway.carriers import CarrierState, CarrierStatus
from mqbridge.mappings.moment import Time
from mqbridge.protocol.constants import MQMODE

from .definitions import RouteDefinition


class SourceReader(Protocol):
    """What gets the messages of one source for its routes.

    ``state``, ``since``, ``detail``: see `CarrierStatus`.
    """

    state: CarrierState
    since: Time
    detail: str

    def start(self, now: Time) -> None:
        """Start; does nothing if it is started."""
        ...

    def stop(self, mode: MQMODE, now: Time) -> None:
        """Stop; does nothing if it is stopped."""
        ...


class Route:
    """One route: a `Carrier`. Routes with the same source start and stop together, since a message that one of them
    would take must not go to the next one."""

    __slots__ = ("carried", "definition", "dropped", "failed", "reader")

    kind = "route"

    def __init__(self, definition: RouteDefinition, reader: SourceReader) -> None:
        self.definition = definition
        self.reader = reader
        self.carried = 0
        self.dropped = 0
        self.failed = 0

    @property
    def name(self) -> str:
        """See `Carrier.name`."""
        return self.definition.name

    @property
    def quiet(self) -> bool:
        """See `Carrier.quiet`."""
        return self.reader.state is CarrierState.STOPPED

    def status(self, now: Time) -> CarrierStatus:
        """See `Carrier.status`."""
        definition, reader = self.definition, self.reader
        return CarrierStatus(
            name=definition.name,
            kind=self.kind,
            state=reader.state,
            source=definition.source.shown,
            target=definition.target.uri,
            carried=self.carried,
            dropped=self.dropped,
            failed=self.failed,
            since=reader.since,
            detail=reader.detail,
            user=definition.user,
        )

    def start(self, now: Time) -> None:
        """See `Carrier.start`."""
        self.reader.start(now)

    def stop(self, mode: MQMODE, now: Time) -> None:
        """See `Carrier.stop`."""
        self.reader.stop(mode, now)

    def timeout(self, now: Time) -> None:
        """Do nothing: the reader has its own deadlines."""
