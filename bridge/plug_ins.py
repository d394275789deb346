"""Plug-ins: objects that installed distributions offer as entry points (groups `mqbridge.formats`, `mqbridge.inputs`).

Services load them once at start, commands when they need them, and both hand them in to the rooms below. A name of the
group `mqbridge.formats` is a format name, its object a ``protocol.grammar.Structure``, or one with the methods of
``protocol.formats.DataFormat``.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Final

from mqbridge.protocol.errors import MQBridgeError
from mqbridge.protocol.formats import Format, FormatError, Formats

FORMATS: Final = "mqbridge.formats"
"""Group of the entry points of formats."""
INPUTS: Final = "mqbridge.inputs"
"""Group of the entry points of inputs: kinds, and the factories of `bridge.inputs`."""


class PlugInError(MQBridgeError):
    """An entry point does not load, or its object is not what its group needs. The text names the entry point."""


def load_formats() -> Formats:
    """Return the formats of all installed plug-ins. Raises `PlugInError` at the first that cannot be used."""
    formats, faults = try_formats()
    for fault in faults:
        raise fault
    return formats


def try_formats() -> tuple[Formats, list[PlugInError]]:
    """Return the formats of the plug-ins that can be used, and why others cannot."""
    formats: list[Format] = []
    faults: list[PlugInError] = []
    for entry in entries(FORMATS):
        try:
            made = Format(entry.name, load(entry), origin_of(entry))
            Formats((*formats, made))
            formats.append(made)
        except PlugInError as fault:
            faults.append(fault)
        except FormatError as error:
            faults.append(PlugInError(f"{_named(entry)} cannot be used: {error}"))
    return Formats(formats), faults


def load_input(kind: str) -> Any:
    """Return the factory of a kind of input. Raises `PlugInError`."""
    for entry in entries(INPUTS):
        if entry.name == kind:
            found = load(entry)
            if not callable(found):
                raise PlugInError(f"{_named(entry)} cannot be used: it is no function or class")
            return found
    raise PlugInError(f"no plug-in offers inputs of kind {kind!r} (group {INPUTS})")


def load(entry: EntryPoint) -> Any:
    """Return the object of an entry point. Raises `PlugInError`."""
    try:
        return entry.load()
    except (Exception, SystemExit) as error:  # the code of others may raise anything
        raise PlugInError(f"{_named(entry)} does not load: {type(error).__name__}: {error}") from error


def origin_of(entry: EntryPoint) -> str:
    """Return where an entry point's object is, and the distribution that offers it."""
    offered = "" if entry.dist is None else f" of {entry.dist.name} {entry.dist.version}"
    return f"{entry.value}{offered}"


def entries(group: str) -> Iterator[EntryPoint]:
    """Yield the entry points of a group by name."""
    yield from sorted(entry_points(group=group), key=lambda entry: (entry.name, origin_of(entry)))


def _named(entry: EntryPoint) -> str:
    return f"entry point {entry.name} = {origin_of(entry)} (group {entry.group})"
