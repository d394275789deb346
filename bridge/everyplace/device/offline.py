"""A queue manager without connections: what goes to others waits, and questions to them are refused."""

from __future__ import annotations

from mqbridge.bridge.everyplace.effects import Alarm, AskMq, AskPartner, MessageArrived
from mqbridge.bridge.everyplace.queue_manager import QueueManager
from mqbridge.protocol.everyplace.calls import Refused
from mqbridge.protocol.everyplace.errors import Code

from .options import Options


class Offline:
    """Takes effects where there is no thread for connections; see `engine.Follower`."""

    def __init__(self, manager: QueueManager, options: Options) -> None:
        self._manager = manager
        self._options = options

    def follow(self) -> None:
        """Refuse what cannot be asked."""
        for effect in self._manager.take_effects():
            match effect:
                case AskPartner():
                    text = (
                        f"{effect.call.address} is asked at once, and {self._manager.name} is open without connections"
                    )
                    effect.then(Refused(Code.ADAPTER_EXCEPTION, text))
                case AskMq():
                    effect.then(Refused(Code.NOT_SUPPORTED, f"{effect.queue} is a queue of MQ; a device has no bridge"))
                case Alarm():
                    self._options.alarm(effect)
                case MessageArrived():
                    effect.listener(effect.event)
