"""Handles of a client: the calls of `queue_manager.host.Host` on handles and units of work, made by bytes.

All handles and the unit of work are those of one program; messages are put by another one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mqbridge.protocol.constants import MQGMO, MQOO
from support.wire.host import WireHost


@dataclass(slots=True)
class Data:
    data: bytes


@dataclass(slots=True)
class Retrieved:
    """What a get gave, as far as tests look at it."""

    message: Data
    reason: int


class WireHandles(WireHost):
    """A host whose programs are clients."""

    def __init__(self, shared: int = 0) -> None:
        super().__init__(shared)
        self.reader, self.getting = self.enter()
        self.writer, self.putting = self.enter()
        self.outputs: dict[str, int] = {}

    def open(self, queue: str, options: int, **more: Any) -> int:  # type: ignore[override]
        return self.reader.perform(self.getting.open(queue, options, **more))

    def close(self, handle: int, options: int = 0) -> int:  # type: ignore[override]
        return self.reader.perform(self.getting.close(handle, options))

    def read(
        self, handle: int, options: int = 0, unit: object = None, *, max_length: int = 1 << 16
    ) -> Retrieved | None:  # type: ignore[override]
        assert (unit is not None) is bool(options & MQGMO.SYNCPOINT)
        taken = self.reader.perform(self.getting.take(handle, options, length=max_length))
        return None if taken is None else Retrieved(Data(taken.data), taken.reason)

    def unlock(self, handle: int) -> int:  # type: ignore[override]
        return self.reader.perform(self.getting.unlock(handle))

    def put(self, queue: str, data: bytes, **fields: Any) -> None:  # type: ignore[override]
        if queue not in self.outputs:
            self.outputs[queue] = self.writer.perform(self.putting.open(queue, MQOO.OUTPUT))
        self.writer.perform(self.putting.put(self.outputs[queue], data, **fields))

    def begin(self) -> object:  # type: ignore[override]
        return self

    def commit(self, unit: object, *extra: Any) -> None:
        assert self.reader.perform(self.getting.commit()) == 0

    def backout(self, unit: object) -> None:
        assert self.reader.perform(self.getting.backout()) == 0
