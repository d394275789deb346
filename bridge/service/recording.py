"""The recording defined by a configuration."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from mqbridge.bridge.config import Configuration
from mqbridge.bridge.endpoints.recording import RecordingTap
from mqbridge.captures.recording.capture_folder import CaptureFolder

from .errors import StartError


def recording_tap(
    configuration: Configuration,
    reactor: Any,
    clock: Callable[[], float],
    log: Callable[[str, tuple[str | int, ...]], None],
) -> RecordingTap | None:
    """Return the recorder of connections; None if ``[record]`` names no folder. Raises `StartError`."""
    settings = configuration.record
    if settings.directory is None:
        return None
    where = os.path.normpath(settings.directory)
    try:
        folder = CaptureFolder(
            settings.directory,
            configuration.queue_manager.name.replace("/", "&"),
            file_size=settings.file_size,
            file_time=settings.file_time,
            keep=settings.keep,
            passwords=settings.passwords,
            failed=lambda error: log("AMQ7484", (where, error.strerror or str(error))),
        )
    except OSError as error:
        raise StartError(f"captures cannot be written to {where}: {error.strerror or error}") from error
    log("AMQ7483", (where,))
    return RecordingTap(folder, reactor, clock)
