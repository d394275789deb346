"""Asynchronous consumption: the consumers of MQCB and MQCTL on a connection (mqi.md 16.3).

The client library calls the callbacks. The queue manager needs to know which handles have a consumer, and whether
messages may flow: only between START and STOP or SUSPEND.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final

from mqbridge.bridge.queue_manager.errors import MQError
from mqbridge.protocol.constants import MQRC

REGISTER: Final = 0x100
DEREGISTER: Final = 0x200
START: Final = 1
START_WAIT: Final = 2
STOP: Final = 4
SUSPEND: Final = 0x10000
RESUME: Final = 0x20000
EVENT_HANDLER: Final = 0
"""In place of a handle: the event handler of the connection."""


class ConsumerState(Enum):
    """Whether messages flow to the consumers of a connection."""

    STOPPED = "stopped"
    STARTED = "started"
    SUSPENDED = "suspended"


@dataclass(slots=True)
class Consumer:
    """A registered consumer. ``suspended``: by MQCB, it alone gets no messages."""

    suspended: bool = False


class Consumers:
    """The consumers of one connection."""

    __slots__ = ("_registered", "flow")

    def __init__(self) -> None:
        self._registered: dict[int, Consumer] = {}
        self.flow = ConsumerState.STOPPED

    def callback(self, hobj: int, operation: int) -> None:
        """MQCB on a handle, or ``EVENT_HANDLER``.

        Raises `MQError` 2488 (conflicting operations), 2448 (not registered), 2500 (messages flow).
        """
        verb = operation & ~(SUSPEND | RESUME)
        if verb not in (0, REGISTER, DEREGISTER) or (operation & SUSPEND and operation & RESUME) or not operation:
            raise MQError(MQRC.OPERATION_ERROR, hex(operation))
        if verb == DEREGISTER and operation != DEREGISTER:
            raise MQError(MQRC.OPERATION_ERROR, hex(operation))
        if verb == REGISTER:
            if self.flow is ConsumerState.STARTED:
                raise MQError(MQRC.HCONN_ASYNC_ACTIVE)
            self._registered[hobj] = Consumer()
        elif hobj not in self._registered:
            raise MQError(MQRC.CALLBACK_NOT_REGISTERED, str(hobj))
        if verb == DEREGISTER:
            del self._registered[hobj]
        elif operation & (SUSPEND | RESUME):
            self._registered[hobj].suspended = bool(operation & SUSPEND)

    def control(self, operation: int) -> None:
        """MQCTL. Raises `MQError` 2488, 2446 (START without consumers), 2500 (already started)."""
        if operation in (START, START_WAIT):
            if self.flow is not ConsumerState.STOPPED:
                raise MQError(MQRC.HCONN_ASYNC_ACTIVE)
            if not self._registered:
                raise MQError(MQRC.NO_CALLBACKS_ACTIVE)
            self.flow = ConsumerState.STARTED
        elif operation == STOP:
            self.flow = ConsumerState.STOPPED
        elif operation == SUSPEND:
            if self.flow is ConsumerState.STARTED:
                self.flow = ConsumerState.SUSPENDED
        elif operation == RESUME:
            if self.flow is ConsumerState.SUSPENDED:
                self.flow = ConsumerState.STARTED
        else:
            raise MQError(MQRC.OPERATION_ERROR, hex(operation))

    def forget(self, hobj: int) -> None:
        """Deregister the consumer of a closed handle."""
        self._registered.pop(hobj, None)

    def may_deliver(self, hobj: int) -> bool:
        """Whether a message of this handle may go to its consumer now."""
        consumer = self._registered.get(hobj)
        return self.flow is ConsumerState.STARTED and consumer is not None and not consumer.suspended

    def require_idle(self) -> None:
        """Raise `MQError` 2500 while messages flow, for calls that are then allowed only in callbacks."""
        if self.flow is ConsumerState.STARTED:
            raise MQError(MQRC.HCONN_ASYNC_ACTIVE)
