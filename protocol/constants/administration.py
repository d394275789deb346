"""Families of administration and PCF: thousands of names, imported only where they are used."""

from __future__ import annotations

from typing import Final

from .attributes_character import MQCA
from .attributes_integer import MQIA
from .base import MQInt
from .command_reasons import MQRCCF
from .parameters_character import MQCACF, MQCACH
from .parameters_groups import MQBACF, MQGACF
from .parameters_integer import MQIACF, MQIACH
from .parameters_monitoring import MQCAMO, MQIAMO, MQIAMO64

PARAMETERS: Final[tuple[type[MQInt], ...]] = (
    MQIA,
    MQIAMO,
    MQIAMO64,
    MQIACF,
    MQIACH,
    MQCA,
    MQCAMO,
    MQCACF,
    MQCACH,
    MQBACF,
    MQGACF,
)
"""Families of parameter ids, in the order in which a name is looked up."""

__all__ = [
    "MQBACF",
    "MQCA",
    "MQCACF",
    "MQCACH",
    "MQCAMO",
    "MQGACF",
    "MQIA",
    "MQIACF",
    "MQIACH",
    "MQIAMO",
    "MQIAMO64",
    "MQRCCF",
    "PARAMETERS",
]
