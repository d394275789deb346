"""The definitions in the data folder of a queue manager that does not run."""

from __future__ import annotations

from pathlib import Path

from mqbridge.bridge.queue_manager.objects import TABLE, Objects, define_supplied
from mqbridge.bridge.store.folder import DataFolder
from mqbridge.bridge.store.interface import StoreError, StoreLocked
from mqbridge.bridge.store.offline_maintenance import records

from .errors import StartError


def has_store(data: Path) -> bool:
    """Whether a queue manager with a durable store has been started in a data folder."""
    folder = DataFolder(data)
    return folder.messages.is_file() or folder.journal.is_file()


def stored_objects(data: Path, name: str = "MQBRIDGE", now: float = 0.0) -> Objects:
    """Return the definitions in a data folder, which is locked meanwhile; before its first start those with which the
    queue manager ``name`` would begin. Raises `StartError` if they cannot be read, or the folder is in use."""
    objects = Objects(name, now)
    if not has_store(data):
        define_supplied(objects, now)
        return objects
    try:
        objects.load(records(data, TABLE))
    except StoreLocked as error:
        raise StartError(f"{data} is in use by process {error.pid or '?'}, which cannot be asked") from error
    except (StoreError, OSError) as error:
        raise StartError(f"{data} cannot be read: {error}") from error
    return objects
