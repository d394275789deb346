"""Rules that judge captured connections: the catalogue, and one module per subject."""

from __future__ import annotations

import pkgutil
from importlib import import_module

from mqbridge.captures.rules.catalogue import CATALOGUE, Deviation, Finding, Rule, Severity, rule, rules_by_observation
from mqbridge.captures.rules.judging import Judge

__all__ = ["CATALOGUE", "Deviation", "Finding", "Judge", "Rule", "Severity", "load", "rule", "rules_by_observation"]


def load() -> dict[str, Rule]:
    """Import every module of rules; return the catalogue in the order of the numbers."""
    for module in sorted(found.name for found in pkgutil.iter_modules(__path__)):
        import_module(f"{__name__}.{module}")
    ordered = sorted(CATALOGUE.items())
    CATALOGUE.clear()
    CATALOGUE.update(ordered)
    return CATALOGUE
