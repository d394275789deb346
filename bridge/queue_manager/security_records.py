"""Security records among the definitions: as `Security` reads them, and authority records of single objects."""

from __future__ import annotations

from typing import Final

from mqbridge.bridge.security import Security, SecurityDefinitions, SecurityRecord
from mqbridge.mappings.moment import Time

from .objects import Change, Definition, Kind, Objects, Value
from .objects.security_attributes import AUTHREC_KEYS, authorities_of

_WATCHED: Final = frozenset((Kind.CHLAUTH, Kind.AUTHREC, Kind.AUTHINFO, Kind.QMGR))


def security_of(objects: Objects) -> Security:
    """The security of a queue manager with these definitions; it follows their changes."""

    def authentication(name: str) -> SecurityRecord | None:
        return objects.find(Kind.AUTHINFO, name)

    security = Security(
        SecurityDefinitions(
            channel_rules=lambda: objects.select(Kind.CHLAUTH),
            authorities=lambda: objects.select(Kind.AUTHREC),
            queue_manager=lambda: objects.manager,
            authentication=authentication,
        )
    )

    def changed(old: Definition | None, new: Definition | None) -> None:
        definition = new if new is not None else old
        assert definition is not None
        if definition.kind in _WATCHED:
            security.definitions_changed()
        elif definition.kind is Kind.QLOCAL and new is None:
            security.authorities.disown(definition.name)

    objects.add_listener(changed)
    return security


def remove_records(objects: Objects, object_type: str, name: str) -> list[Change]:
    """Delete the authority records of a deleted object, so that a later object of this name does not inherit them."""
    found = [each for each in objects.select(Kind.AUTHREC) if each.name == name and each.text("OBJTYPE") == object_type]
    return [objects.delete(Kind.AUTHREC, name, {key: each[key] for key in AUTHREC_KEYS}) for each in found]


def grant_all(objects: Objects, queue: str, user: str, now: Time) -> Change:
    """Grant all authorities for a permanent dynamic queue to the user that created it."""
    record: dict[str, Value] = {"OBJTYPE": "QUEUE", "ENTTYPE": "PRINCIPAL", "ENTITY": user}
    everything = tuple(sorted(authorities_of("ALL", "QUEUE")))
    return objects.define(Kind.AUTHREC, queue, {**record, "AUTHLIST": everything}, now, replace=True)
