"""Settings of built-in inputs, read from the table ``input`` of a route by the readers of the configuration."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any, TypeVar

from mqbridge.bridge.config.errors import WrongValueError

from .interface import InputError

S = TypeVar("S")


def read_settings(settings: type[S], table: Mapping[str, Any], folder: Path) -> S:
    """Fill a class of settings, whose fields are declared as those of the configuration. ``folder``: where relative
    paths start. Raises `InputError`."""
    known = {each.name: each for each in fields(settings)}  # type: ignore[arg-type]
    values = {}
    for key, value in table.items():
        if key not in known:
            near = difflib.get_close_matches(key.lower(), known, n=1, cutoff=0.6)
            hint = f"did you mean {near[0]!r}?" if near else f"known here: {', '.join(known)}"
            raise InputError(key, f"unknown key {key!r}; {hint}")
        try:
            values[key] = known[key].metadata["reader"](value, folder)
        except WrongValueError as error:
            raise InputError(key, f"{key!r}: {error}") from error
    for key, each in known.items():
        if key not in values and each.default is MISSING and each.default_factory is MISSING:
            raise InputError("", f"there is no {key!r}")
    return settings(**values)
