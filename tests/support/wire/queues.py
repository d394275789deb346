"""Queues by the bytes of clients: the calls of `queue_manager.host.Host` that put, get and end units of work.

Each unit of work is that of a program of its own; what is outside of all is done by one more.
"""

from __future__ import annotations

from typing import Any

from mqbridge.bridge.queue_manager import MQError, QueueManager
from mqbridge.mappings.message import Message
from mqbridge.protocol.constants import MQGMO, MQOO, MQPMO, ByteOrder
from support.wire.host import Client, WireHost


class Worker(Client):
    """A program that opens what it needs once."""

    def __init__(self, host: WireHost) -> None:
        super().__init__(host)
        self._handles: dict[tuple[str, str, int], int] = {}

    def handle(self, name: str, queue_manager: str, options: MQOO) -> int:
        key = (name, queue_manager, int(options))
        if key not in self._handles:
            call = self.calls.open(name, int(options), object_q_mgr_name=queue_manager.ljust(48).encode())
            self._handles[key] = self.does(call)
        return self._handles[key]


class Retrieved:
    """A message as a test looks at it."""

    def __init__(self, message: Message) -> None:
        self.message = message


class WireQueues(WireHost):
    """A host whose programs are clients."""

    def __init__(self, shared: int = 0) -> None:
        super().__init__(shared)
        self.idle: list[Worker] = []
        self.outside: Worker | None = None

    def restart(self, *after: float, **more: float) -> QueueManager:
        self.idle, self.outside = [], None
        return super().restart(*after, *more.values())

    def begin(self) -> Worker:  # type: ignore[override]
        return self.idle.pop() if self.idle else Worker(self)

    def worker(self, unit: Worker | None) -> Worker:
        if unit is not None:
            return unit
        self.outside = self.outside or Worker(self)
        return self.outside

    def put(  # type: ignore[override]
        self, queue: str, data: bytes, unit: Worker | None = None, *, queue_manager: str = "", **fields: Any
    ) -> None:
        worker, options = self.worker(unit), int(MQPMO.NO_SYNCPOINT if unit is None else MQPMO.SYNCPOINT)
        given = {name: value.ljust(24, b"\0") if name.endswith("_id") else value for name, value in fields.items()}
        handle = worker.handle(queue, queue_manager, MQOO.OUTPUT)
        try:
            worker.does(worker.calls.put(handle, data, options, **given))
        except MQError:
            if self.store.failure is None:
                raise

    def get(self, queue: str, unit: Worker | None = None, **options: Any) -> Retrieved | None:  # type: ignore[override]
        worker = self.worker(unit)
        bits = int(MQGMO.NO_SYNCPOINT if unit is None else MQGMO.SYNCPOINT)
        taken = worker.does(worker.calls.take(worker.handle(queue, "", MQOO.INPUT_SHARED), bits, **options))
        return (
            None
            if taken is None
            else Retrieved(Message(taken.md.build(), taken.data, order=ByteOrder.LITTLE, ccsid=819))
        )

    def commit(self, unit: Worker, *extra: Any) -> None:  # type: ignore[override]
        try:
            unit.does(unit.calls.commit())
        except MQError as error:
            self.outcomes.append(error)
        else:
            self.outcomes.append(None)
        self.idle.append(unit)

    def backout(self, unit: Worker) -> None:  # type: ignore[override]
        unit.does(unit.calls.backout())
        self.idle.append(unit)
