"""Effects: what agents ask their driver to do. Open, write to and close connections; log operator messages.

The driver (an endpoint or the simulator) gets them in order from `Gateway.take_effects`.
"""

from __future__ import annotations

from typing import TypeAlias

from mqbridge.bridge.agents.gateway.conversation_driver import CloseConnection, Resume, Send
from mqbridge.bridge.agents.gateway.serve_everyplace import ServeEveryplace
from mqbridge.bridge.agents.linking.effects import AbandonProvider, ConnectToProvider, SendToProvider
from mqbridge.bridge.agents.message_channel.connection_attempts import AbandonConnect, ConnectToPartner
from mqbridge.bridge.agents.myopenq.sending.effects import CallManager, LeaveManager, SendToManager
from mqbridge.bridge.agents.partner.effects import AbandonCall, CallHost
from mqbridge.bridge.agents.routing.step_calls import CallStep
from mqbridge.bridge.agents.svrconn.password_queue import CheckPassword
from mqbridge.bridge.queue_manager.effects import Log

Effect: TypeAlias = (
    ConnectToPartner | Send | CloseConnection | Resume | AbandonConnect | CheckPassword | CallStep | Log
    | ConnectToProvider | AbandonProvider | SendToProvider | ServeEveryplace
    | CallManager | SendToManager | LeaveManager | CallHost | AbandonCall
)  # fmt: skip
"""Any effect."""


class EffectQueue:
    """Effects that have not been taken."""

    __slots__ = ("_effects",)

    def __init__(self) -> None:
        self._effects: list[Effect] = []

    def __bool__(self) -> bool:
        return bool(self._effects)

    def emit(self, effect: Effect) -> None:
        """Add an effect."""
        self._effects.append(effect)

    def log(self, amq: str, *inserts: str | int) -> None:
        """Add an operator message."""
        self._effects.append(Log(amq, inserts))

    def take(self) -> list[Effect]:
        """Return the effects since the last call, in order."""
        effects, self._effects = self._effects, []
        return effects


__all__ = [
    "AbandonCall",
    "AbandonConnect",
    "AbandonProvider",
    "CallHost",
    "CallManager",
    "CallStep",
    "CheckPassword",
    "CloseConnection",
    "ConnectToPartner",
    "ConnectToProvider",
    "Effect",
    "EffectQueue",
    "LeaveManager",
    "Log",
    "Resume",
    "Send",
    "SendToManager",
    "SendToProvider",
    "ServeEveryplace",
]
