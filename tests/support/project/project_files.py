"""The files of the project, without what builds and tools leave among them: that comes and goes while tests run."""

from __future__ import annotations

import os
from pathlib import Path

SKIPPED = {"build", "dist", "target", "__pycache__", "node_modules", "mqbridge-data"}


def files_below(folder: Path, suffix: str = "") -> list[Path]:
    """Return all files below a folder whose names end so, sorted; folders whose names begin with a dot are none."""
    found = []
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name not in SKIPPED and not name.startswith(".")]
        found += [Path(place, name) for name in names if name.endswith(suffix)]
    return sorted(found)
