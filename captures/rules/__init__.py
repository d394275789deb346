"""Rules that judge captured connections: the catalogue, and one module for each subject."""

from __future__ import annotations

from captures.rules.catalogue import CATALOGUE, Rule, rule, rules_by_observation
from captures.rules.finding import Deviation, Finding, Severity

__all__ = ["CATALOGUE", "Deviation", "Finding", "Rule", "Severity", "rule", "rules_by_observation"]
