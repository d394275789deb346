"""Authority records that come and go with one object: those whose profile is its name (SET AUTHREC)."""

from __future__ import annotations

from .objects import Change, Kind, Objects, Value
from .objects.security_attributes import AUTHREC_KEYS, authorities_of


def remove_records(objects: Objects, object_type: str, name: str) -> list[Change]:
    """Takes the records of an object away that is gone: an object that is given its name later is another one."""
    found = [each for each in objects.select(Kind.AUTHREC) if each.name == name and each.text("OBJTYPE") == object_type]
    return [objects.delete(Kind.AUTHREC, name, {key: each[key] for key in AUTHREC_KEYS}) for each in found]


def give_everything(objects: Objects, queue: str, user: str, now: float) -> Change:
    """Gives whoever made a permanent dynamic queue all authorities for it."""
    record: dict[str, Value] = {"OBJTYPE": "QUEUE", "ENTTYPE": "PRINCIPAL", "ENTITY": user}
    everything = tuple(sorted(authorities_of("ALL", "QUEUE")))
    return objects.define(Kind.AUTHREC, queue, {**record, "AUTHLIST": everything}, now, replace=True)
