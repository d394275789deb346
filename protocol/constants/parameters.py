"""Name of any PCF parameter, out of the families that share the numbers, mq-wire.md 5.16."""

from __future__ import annotations

from typing import Final

from .attributes_character import MQCA
from .attributes_integer import MQIA
from .base import MQInt
from .parameters_character import MQCACF, MQCACH
from .parameters_groups import MQBACF, MQGACF
from .parameters_integer import MQIACF, MQIACH
from .parameters_monitoring import MQCAMO, MQIAMO, MQIAMO64

_FAMILIES: Final[tuple[type[MQInt], ...]] = (
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


def parameter_name(value: int) -> str:
    """Name of a parameter id, such as ``"MQCACH_CHANNEL_NAME"``; the number where there is none."""
    for family in _FAMILIES:
        member = family(value)
        if member.known:
            return str(member)
    return str(int(value))
