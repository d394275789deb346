"""The rules of a device: those that come with the program, time zones, and those of installed distributions."""

from __future__ import annotations

from datetime import tzinfo

from mqbridge.bridge.everyplace.definitions import queue_properties as rows
from mqbridge.bridge.everyplace.registry import Registry
from mqbridge.bridge.everyplace.rules.parameters import split
from mqbridge.bridge.everyplace.rules.plug_ins import GROUP, Kind, PlugIns
from mqbridge.bridge.everyplace.rules.supplied import supplied
from mqbridge.bridge.store.interface import Store
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError

_KINDS = tuple(f"{each.value}." for each in (Kind.QUEUE_MANAGER_RULE, Kind.QUEUE_RULE))


def rules_for(store: Store) -> PlugIns:
    """Return the rules for a store: the supplied ones, and those of distributions if its registry names others.

    Looking for distributions takes as long as all the rest of a start.
    """
    found = supplied(_zone)
    registry = Registry(store)
    queues = {split(str(each.value(rows.RULE)))[0] for each in registry.queues()}
    manager = split(registry.properties().rule)[0]
    known = found.names(Kind.QUEUE_RULE), found.names(Kind.QUEUE_MANAGER_RULE)
    if not queues <= {*known[0], ""} or manager not in (*known[1], ""):
        load_installed(found)
    return found


def load_installed(plug_ins: PlugIns) -> None:
    """Register the rules of installed distributions. Raises `EveryplaceError` for one that does not load."""
    from importlib.metadata import entry_points

    for each in entry_points(group=GROUP):
        if each.name.startswith(_KINDS):
            try:
                plug_ins.load([(each.name, each.load)])
            except EveryplaceError:
                raise
            except Exception as error:  # the code of others may raise anything
                text = f"{each.name} ({each.value}) does not load: {type(error).__name__}: {error}"
                raise EveryplaceError(Code.NOT_FOUND, text) from error


def _zone(name: str) -> tzinfo:
    from zoneinfo import ZoneInfo

    return ZoneInfo(name)
