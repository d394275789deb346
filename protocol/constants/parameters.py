"""Names of PCF parameters, mq-wire.md 5.16."""

from __future__ import annotations


def parameter_name(value: int) -> str:
    """Return the name of a parameter id, such as ``"MQCACH_CHANNEL_NAME"``, or the number."""
    from .administration import PARAMETERS

    for family in PARAMETERS:
        member = family(value)
        if member.known:
            return str(member)
    return str(int(value))
