"""Where ``mqbridge put`` sends messages: a queue by name, or a destination by its URI (jms-mapping.md 7)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

import click

from mqbridge.mappings.destinations import APPLICATION, QUEUE_DEFAULT, Destination, DestinationError, DestinationKind

_SCHEMES: Final = ("queue:", "topic:")
_PERSISTENCE: Final = {1: 0, 2: 1, 3: 2}
"""Values of MQMD.Persistence by those of the property ``persistence``; as NPMCLASS says is as the queue says."""
_TENTH: Final = 100  # milliseconds
_AS_QUEUE: Final = {"Persistence": 2, "Priority": -1}


@dataclass(frozen=True, slots=True)
class PutDestination:
    """A queue and its queue manager, or a topic string. ``given``: the destination of a URI, None for a plain name.
    ``fields``: fields of the descriptor that its properties set."""

    queue: str
    queue_manager: str = ""
    topic: str = ""
    given: Destination | None = None
    fields: dict[str, Any] = field(default_factory=dict)

    @property
    def query(self) -> dict[str, str]:
        """Return the query parameters of every request."""
        if self.topic:
            return {"topic": self.topic}
        return {"rqmname": self.queue_manager} if self.queue_manager else {}

    @property
    def destination(self) -> Destination:
        """The destination as JMS has it. Raises ``DestinationError`` for a name that is none of MQ's."""
        return self.given if self.given is not None else Destination.queue(self.queue, self.queue_manager)


def read_destination(text: str, queue_manager: str) -> PutDestination:
    """Return where a queue name or URI leads; ``queue_manager``: the option ``--qmgr``. Raises ``click.UsageError``."""
    if not text.startswith(_SCHEMES):
        return PutDestination(text, queue_manager)
    try:
        given = Destination.parse(text)
        fields = _fields(given)
    except DestinationError as error:
        raise click.UsageError(str(error)) from error
    if queue_manager:
        raise click.UsageError("a URI names the queue manager itself: queue://QM/Q; --qmgr is for plain names")
    if given.kind is DestinationKind.TOPIC:
        return PutDestination("", "", given.name, given, fields)
    return PutDestination(given.name, given.queue_manager, "", given, fields)


def _fields(given: Destination) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    persistence, priority, expiry = given.persistence, given.priority, given.expiry
    if persistence is not None and persistence != APPLICATION:
        fields["Persistence"] = _PERSISTENCE.get(persistence, _AS_QUEUE["Persistence"])
    if priority is not None and priority != APPLICATION:
        fields["Priority"] = _AS_QUEUE["Priority"] if priority == QUEUE_DEFAULT else priority
    if expiry is not None and expiry != APPLICATION:
        fields["Expiry"] = max(expiry // _TENTH, 1) if expiry else -1
    return fields
