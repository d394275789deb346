"""Name of any PCF parameter, out of the families that share the numbers, mq-wire.md 5.16."""

from __future__ import annotations


def parameter_name(value: int) -> str:
    """Name of a parameter id, such as ``"MQCACH_CHANNEL_NAME"``; the number where there is none."""
    from .administration import PARAMETERS

    for family in PARAMETERS:
        member = family(value)
        if member.known:
            return str(member)
    return str(int(value))
