"""The rules that come with the program, and the registry that has them (E-508, E-497, E-517, E-522 to E-525)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mqbridge.bridge.everyplace.queues.message_event import MessageEvent
from mqbridge.protocol.everyplace.errors import EveryplaceError
from mqbridge.protocol.everyplace.message import Message
from mqbridge.protocol.everyplace.names import Address
from mqbridge.protocol.everyplace.reserved import EXPIRE_TIME

from .owners import RuledQueue, RuleOwner, RuleRefusal
from .parameters import Parameters
from .plug_ins import Factory, Kind, PlugIns
from .queue_manager_rule import QueueManagerRule
from .queue_rule import QueueRule

if TYPE_CHECKING:
    from .transmission_window import Zones


class MandatoryId(QueueManagerRule):
    """Refuses messages without message id, on all queues: ``mandatory-id`` as rule of a queue manager (E-497)."""

    def __init__(self, text: str = "") -> None:
        Parameters("mandatory-id", text).end()

    def put(self, address: Address, message: Message, confirm: int) -> None:
        """Look at the message id."""
        _require_id(message, str(address))


class MandatoryIdOfQueue(QueueRule):
    """Refuses messages without message id: ``mandatory-id`` as rule of a queue (E-511)."""

    def __init__(self, text: str = "") -> None:
        Parameters("mandatory-id", text).end()
        self._name = "the queue"

    def activate(self, queue: RuledQueue, owner: RuleOwner) -> None:
        """Note the queue."""
        self._name = queue.name

    def put(self, message: Message, confirm: int) -> None:
        """Look at the message id."""
        _require_id(message, self._name)


class DeadLetterOnExpiry(QueueRule):
    """Copies messages that expire to the dead-letter queue: ``dead-letter-on-expiry``, or with the name of another
    queue behind a colon (E-517). Where that queue is missing, they are deleted like others."""

    def __init__(self, text: str = "") -> None:
        parameters = Parameters("dead-letter-on-expiry", text)
        self._queue = "".join(parameters.words()[:1])
        parameters.end()
        self._owner: RuleOwner | None = None

    def activate(self, queue: RuledQueue, owner: RuleOwner) -> None:
        """Note the queue manager."""
        self._owner = owner

    def message_expired(self, event: MessageEvent, message: Message, now: float) -> None:
        """Put a copy that is marked as sent again, and does not expire."""
        owner = self._owner
        if owner is None:
            return
        copy = message.copy()
        copy.resend = True
        if EXPIRE_TIME in copy:
            copy.delete(EXPIRE_TIME)
        try:
            owner.put(Address(self._queue or owner.dead_letter_queue, owner.name), copy, now)
        except EveryplaceError:
            return


def _require_id(message: Message, where: str) -> None:
    if not message.msg_id:
        raise RuleRefusal(f"put to {where}: rule mandatory-id wants a message id")


def _of_bridge(name: str) -> Factory:
    """Return what makes a rule of the bridge; a device, which has none, does not load them."""

    def make(text: str) -> Any:
        from . import bridge_rules

        kinds: dict[str, Factory] = {
            "undelivered": bridge_rules.RetryRule,
            "report-options": bridge_rules.ReportRule,
            "start": bridge_rules.NamedStartUp,
            "purge": bridge_rules.AgePurger,
        }
        return kinds[name](text)

    return make


def supplied(zones: Zones | None = None) -> PlugIns:
    """Return a registry of the rules that come with the program.

    ``zones``: finds time zones by name; without it there is UTC alone.
    """

    def window(text: str) -> QueueManagerRule:
        from .transmission_window import TransmissionWindow

        return TransmissionWindow(text, zones)

    found = PlugIns()
    found.register(Kind.QUEUE_MANAGER_RULE, "transmission-window", window)
    found.register(Kind.QUEUE_MANAGER_RULE, "mandatory-id", MandatoryId)
    found.register(Kind.QUEUE_RULE, "mandatory-id", MandatoryIdOfQueue)
    found.register(Kind.QUEUE_RULE, "dead-letter-on-expiry", DeadLetterOnExpiry)
    found.register(Kind.UNDELIVERED_RULE, "undelivered", _of_bridge("undelivered"))
    found.register(Kind.UNDELIVERED_RULE, "report-options", _of_bridge("report-options"))
    found.register(Kind.START_UP_RULE, "start", _of_bridge("start"))
    found.register(Kind.PURGER_RULE, "purge", _of_bridge("purge"))
    return found
