"""Which build of mqbridge runs: compiled, or pure Python. Compiled modules lie beside their sources.

A build is compiled as a whole or not at all: one module that is missing, or of another version than its source, would
make two classes of one. `fault` says what is wrong, and commands end with status 3 before anything is imported. The
environment variable `PURE` runs the sources of a compiled build.
"""

from __future__ import annotations

import json
import os
import sys
from importlib.machinery import SOURCE_SUFFIXES, FileFinder, ModuleSpec, SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any, Final

PURE: Final = "MQBRIDGE_PURE"
"""Name of the environment variable; blank and 0 count as not set."""
NOTE: Final = "compiled.json"
"""What the build wrote: version, Python, suffix of modules, sizes of their sources (`packaging/compiling.py`)."""
_HOME: Final = Path(__file__).parent
_HOW: Final = f"install mqbridge anew, or run its Python with {PURE}=1"


def wants_pure() -> bool:
    """Whether the sources are to run."""
    return os.environ.get(PURE, "0") not in ("", "0")


def note(home: Path = _HOME) -> dict[str, Any] | None:
    """Return what the build wrote; None for a build of pure Python. Raises ``ValueError`` for a damaged note."""
    try:
        found: dict[str, Any] = json.loads((home / NOTE).read_text("utf-8"))
    except FileNotFoundError:
        return None
    return found


def compiled_here(home: Path = _HOME) -> bool:
    """Whether something was compiled, for whatever Python."""
    return (home / NOTE).exists()


def kind(home: Path = _HOME) -> str:
    """Return ``compiled`` or ``pure Python``, with the reason where a compiled build runs as Python."""
    if wants_pure():
        return f"pure Python, as {PURE} asks"
    try:
        known = note(home)
    except ValueError:
        return "damaged"
    if known is None:
        return "pure Python"
    if known["python"] != sys.implementation.cache_tag:
        return f"pure Python, as it was compiled for {known['python']} and this is {sys.implementation.cache_tag}"
    return "compiled"


def fault(version: str, home: Path = _HOME) -> str | None:
    """Return what keeps a compiled build from running, and what to do; None if nothing does.

    ``version``: that of the installed package.
    """
    try:
        known = note(home)
        if wants_pure() or known is None or known["python"] != sys.implementation.cache_tag:
            return None
        if known["version"] != version:
            return f"the compiled modules are of version {known['version']}, mqbridge is {version}: {_HOW}"
        for source, size in known["sources"].items():
            path = home / source
            if not path.with_suffix(known["suffix"]).exists():
                return f"the compiled module of {source} is missing: {_HOW}"
            if not path.exists() or path.stat().st_size != size:
                return f"{source} is not what was compiled: {_HOW}"
    except (ValueError, KeyError, AttributeError, TypeError):
        return f"{home / NOTE} is damaged: {_HOW}"
    return None


class _Sources:
    """Finds the sources of our modules, whatever has been compiled."""

    @staticmethod
    def find_spec(name: str, path: Any = None, target: ModuleType | None = None) -> ModuleSpec | None:
        if not name.startswith("mqbridge."):
            return None
        for folder in path or ():
            found = FileFinder(folder, (SourceFileLoader, SOURCE_SUFFIXES)).find_spec(name, target)
            if found is not None:
                return found
        return None


def use_sources() -> None:
    """Have modules imported from their sources from now on, if that is wanted and something is compiled."""
    if wants_pure() and compiled_here() and _Sources not in sys.meta_path:
        sys.meta_path.insert(0, _Sources)
