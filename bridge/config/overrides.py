"""Command line options that override the configuration file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from mqbridge.bridge.config.errors import ConfigError, WrongValueError
from mqbridge.bridge.config.settings import Configuration, ListenerSettings, QueueManagerSettings, StoreSettings

COMMAND_LINE = Path("command line")
"""Replaces the file in errors about options."""


def override(
    configuration: Configuration,
    *,
    name: str | None = None,
    data: Path | None = None,
    store: str | None = None,
    listeners: Sequence[str] = (),
    mqsc: Sequence[Path] = (),
    record: Path | None = None,
) -> Configuration:
    """Return a copy with command line options applied; None and empty values change nothing.

    Listeners replace the configured ones, MQSC files run after them; relative paths start at the current folder. Raises
    :class:`ConfigError` for a value that is not allowed in the configuration file either.
    """
    queue_manager = replace(configuration.queue_manager, mqsc=[*configuration.queue_manager.mqsc, *mqsc])
    if name is not None:
        queue_manager.name = _read(QueueManagerSettings, "name", name, "--qmgr")
    if data is not None:
        queue_manager.data = data
    changed = replace(configuration, queue_manager=queue_manager)
    if store is not None:
        changed.store = replace(changed.store, kind=_read(StoreSettings, "kind", store, "--store"))
    if record is not None:
        changed.record = replace(changed.record, directory=record)
    if listeners:
        endpoints = [_read(ListenerSettings, "endpoint", endpoint, "--listen") for endpoint in listeners]
        changed.listeners = [ListenerSettings(endpoint=endpoint) for endpoint in endpoints]
    return changed


def _read(settings: type[Any], field: str, value: str, option: str) -> Any:
    """Read an option as the key of the same meaning is read."""
    try:
        return next(one for one in fields(settings) if one.name == field).metadata["reader"](value, Path())
    except WrongValueError as error:
        raise ConfigError(COMMAND_LINE, None, f"{option}: {error}") from error
