"""What a gateway needs of its bridge: units of work for batches, calls of programs, and its own deadlines."""

from __future__ import annotations

from typing import Final, Protocol

from mqbridge.bridge.everyplace.effects import AskMq
from mqbridge.bridge.everyplace.mq_units import MqBridge
from mqbridge.mappings.moment import Time
from mqbridge.protocol.constants import MQMODE

TRANSMISSION_QUEUE: Final = "EVERYPLACE."
"""Beginning of the name of the transmission queue, behind which the gateway's own name stands: the bridge gets what
programs of MQ put for devices from it, and `enrol` names it in their queue manager aliases."""


def transmission_queue(gateway: str) -> str:
    """Return the name of the transmission queue of a gateway."""
    return TRANSMISSION_QUEUE + gateway


class MqSide(MqBridge, Protocol):
    """The bridge objects of a gateway, which are sessions of the queue manager of MQ or connections to one."""

    @property
    def quiet(self) -> bool:
        """Whether it is stopped, with no unit of work in progress."""
        ...

    def start(self, now: Time) -> None:
        """Begin to get what programs of MQ have put for devices."""
        ...

    def stop(self, mode: MQMODE, now: Time) -> None:
        """End: MQMODE.QUIESCE after the units of work in progress, FORCE at once."""
        ...

    def ask(self, effect: AskMq, now: Time) -> None:
        """Make a call of a program on a bridge queue, and call ``effect.then`` with its outcome."""
        ...

    def next_timeout(self) -> float | None:
        """When `timeout` is due, by the steady clock; None for never."""
        ...

    def timeout(self, now: Time) -> None:
        """Do what is due."""
        ...
