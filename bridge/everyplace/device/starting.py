"""Starting a device queue manager from start parameters, as MQe's programs do (mqe.md E-031, E-226 to E-228).

::

    parameters = read_ini(Path("moon.ini").read_text())       # [QueueManager] Name, [Registry] LocalRegType, DirName
    check_file(parameters)                                     # no PIN in a file
    parameters["Registry"] = with_pin
    moon = start(parameters)                                   # the PIN is gone from the parameters
"""

from __future__ import annotations

import os
from typing import Any, Final

from mqbridge.bridge.everyplace.security.start_parameters import RegistryKind, take_registry
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.field_types import FieldType
from mqbridge.protocol.everyplace.fields import Fields
from mqbridge.protocol.everyplace.names import check_name

from .queue_manager import QueueManager

SUFFIX: Final = ".mqe"
_SECTION: Final = "QueueManager"
_ADAPTERS: Final = ("", "sqlite")


def start(parameters: Fields, **options: Any) -> QueueManager:
    """Open the queue manager that parameters name: ``NAME.mqe`` in folder DirName. ``options``: as for `open`.

    The PIN is removed from the parameters, whatever follows (E-227). Raises `EveryplaceError` as `open`; NOT_FOUND
    without name, NOT_SUPPORTED for a registry adapter that a device does not have, NOT_ALLOWED if the file has another
    queue manager.
    """
    registry = take_registry(parameters)
    section = parameters.get(_SECTION, FieldType.FIELDS) if _SECTION in parameters else None
    name = section.get("Name", FieldType.ASCII, FieldType.UNICODE) if section is not None else None
    if not name:
        raise EveryplaceError(Code.NOT_FOUND, f"the start parameters have no Name in section {_SECTION}")
    check_name(name, "queue manager")
    if registry.adapter not in _ADAPTERS:
        text = f"start parameter RegistryAdapter {registry.adapter[:40]}: a device keeps its registry in SQLite"
        raise EveryplaceError(Code.NOT_SUPPORTED, text)
    pin = registry.pin if registry.kind is RegistryKind.PRIVATE else ""
    found = QueueManager.open(os.path.join(registry.folder, f"{name}{SUFFIX}"), pin=pin, **options)
    if found.name != name:
        found.close()
        raise EveryplaceError(Code.NOT_ALLOWED, f"{name}{SUFFIX} has queue manager {found.name}, not {name}")
    return found
