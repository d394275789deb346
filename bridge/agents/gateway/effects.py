"""What agents want done by whoever drives them: connections made, written to and ended, lines for the operator.

The driver (an endpoint or a simulator) takes them in order from `Gateway.take_effects`.
"""

from __future__ import annotations

from typing import TypeAlias

from mqbridge.bridge.agents.gateway.conversation_driver import CloseConnection, Resume, Send
from mqbridge.bridge.agents.message_channel.attempts import AbandonConnect, ConnectToPartner
from mqbridge.bridge.agents.svrconn.password_turns import CheckPassword
from mqbridge.bridge.queue_manager.effects import Log

Effect: TypeAlias = ConnectToPartner | Send | CloseConnection | Resume | AbandonConnect | CheckPassword | Log
"""Any of them."""


class EffectQueue:
    """Effects that nobody has taken yet."""

    __slots__ = ("_effects",)

    def __init__(self) -> None:
        self._effects: list[Effect] = []

    def __bool__(self) -> bool:
        return bool(self._effects)

    def emit(self, effect: Effect) -> None:
        """Adds an effect."""
        self._effects.append(effect)

    def log(self, amq: str, *inserts: str | int) -> None:
        """Adds a line for the operator."""
        self._effects.append(Log(amq, inserts))

    def take(self) -> list[Effect]:
        """Effects since the last call, in order."""
        effects, self._effects = self._effects, []
        return effects


__all__ = [
    "AbandonConnect",
    "CheckPassword",
    "CloseConnection",
    "ConnectToPartner",
    "Effect",
    "EffectQueue",
    "Log",
    "Resume",
    "Send",
]
