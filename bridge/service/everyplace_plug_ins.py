"""Plug-ins of a gateway: the supplied ones, and those that distributions bring by entry points (mqe.md E-229)."""

from __future__ import annotations

from functools import partial
from zoneinfo import ZoneInfo

from mqbridge.bridge.everyplace.rules.plug_ins import GROUP, Kind, PlugIns
from mqbridge.bridge.everyplace.rules.supplied import supplied
from mqbridge.bridge.plug_ins import PlugInError, entries, load
from mqbridge.mappings.everyplace import TRANSFORMERS
from mqbridge.protocol.everyplace.errors import EveryplaceError

from .errors import WRONG_CONFIGURATION, StartError


def load_everyplace_plug_ins() -> PlugIns:
    """Return the plug-ins that definitions of a gateway may name. Raises `StartError` for one that cannot be used."""
    found = supplied(ZoneInfo)
    try:
        for name, factory in TRANSFORMERS.items():
            found.register(Kind.TRANSFORMER, name, factory)
        found.load((entry.name, partial(load, entry)) for entry in entries(GROUP))
    except (EveryplaceError, PlugInError) as error:
        raise StartError(f"a plug-in of Everyplace cannot be used: {error}", WRONG_CONFIGURATION) from error
    return found
