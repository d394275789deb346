"""Cases: for each rule of the catalogue traffic that breaks it, and the nearest lawful traffic."""

from __future__ import annotations

import pkgutil
from importlib import import_module
from typing import Final

from mqbridge.captures.generate.cases.making import CASES, case
from mqbridge.captures.generate.scenario import Case

__all__ = ["CASES", "NOT_OF_TRAFFIC", "Case", "case", "load"]

NOT_OF_TRAFFIC: Final = {"C-999": "tells of a defect of the judge, which no traffic makes on purpose"}
"""Rules without a case, and why."""


def load() -> dict[str, Case]:
    """Import every module of cases; return the cases by number of their rule, in order."""
    for module in sorted(found.name for found in pkgutil.iter_modules(__path__)):
        import_module(f"{__name__}.{module}")
    ordered = sorted(CASES.items())
    CASES.clear()
    CASES.update(ordered)
    return CASES
