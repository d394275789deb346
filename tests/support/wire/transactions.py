"""A client with the calls of `program.Program`: units of work and XA branches by bytes."""

from __future__ import annotations

from typing import Any

from mqbridge.bridge.queue_manager.xa import Xid
from mqbridge.protocol.constants import SegmentType
from support.queue_manager.program import BOTH, xid
from support.wire.host import WireHosting, WireSharedConversation
from support.wire.program import WireProgram


def key(name: Xid) -> tuple[int, bytes, bytes]:
    """What goes over the wire of a branch's name."""
    return name.format_id, name.gtrid, name.bqual


class WireResource:
    """The XA calls; each gives its return value."""

    def __init__(self, client: WireClient) -> None:
        self.client = client

    def open(self) -> int:
        return self._call(SegmentType.XA_OPEN)

    def start(self, name: Xid, flags: int, now: float) -> int:
        del now
        return self._call(SegmentType.XA_START, name, flags)

    def end(self, name: Xid, flags: int) -> int:
        return self._call(SegmentType.XA_END, name, flags)

    def recover(self, count: int, flags: int) -> tuple[int, list[Xid]]:
        found = self.client.line.perform(self.client.calls.recover(count, flags))
        return len(found), [Xid(*each) for each in found]

    def _call(self, kind: SegmentType, name: Xid | None = None, flags: int = 0) -> int:
        return self.client.line.perform(self.client.calls.xa(kind, None if name is None else key(name), flags))


class WireClient:
    """One program on one connection; ``mq.xa`` as of `Program`."""

    def __init__(self, host: WireHosting) -> None:
        self.line: WireSharedConversation
        self.calls: WireProgram
        self.line, self.calls = self.connect(host)
        self.mq = self
        self.xa = WireResource(self)

    @staticmethod
    def connect(host: WireHosting) -> tuple[WireSharedConversation, WireProgram]:
        return host.enter()

    def open(self, name: str, options: int = BOTH) -> int:
        return self.line.perform(self.calls.open(name, options))

    def put(self, hobj: int, data: bytes = b"data", options: int = 0, **fields: Any) -> None:
        self.line.perform(self.calls.put(hobj, data, options, **fields))

    def post(self, hobj: int, data: bytes, options: int = 0, **fields: Any) -> None:
        """Puts, and awaits no answer."""
        self.line.say(self.calls.posted(hobj, data, options, **fields))

    def data(self, hobj: int, options: int = 0) -> bytes | None:
        taken = self.line.perform(self.calls.take(hobj, options))
        return None if taken is None else taken.data

    def commit(self) -> int | None:
        return self.line.perform(self.calls.commit()) or None

    def backout(self) -> int | None:
        return self.line.perform(self.calls.backout()) or None

    def disconnect(self) -> int | None:
        outcome = self.line.perform(self.calls.disconnect())
        self.line.say(self.calls.goodbye())
        self.line.hang_up()
        return outcome or None

    def lost(self) -> None:
        self.line.hang_up()

    # XA

    def prepare(self, number: int) -> int:
        return self.xa._call(SegmentType.XA_PREPARE, xid(number))

    def xa_commit(self, number: int, flags: int = 0) -> int:
        return self.xa._call(SegmentType.XA_COMMIT, xid(number), flags)

    def rollback(self, number: int) -> int:
        return self.xa._call(SegmentType.XA_ROLLBACK, xid(number))

    def forget(self, number: int) -> int:
        return self.xa._call(SegmentType.XA_FORGET, xid(number))


class WireConversation(WireClient):
    """The same on one socket with all others of its kind."""

    @staticmethod
    def connect(host: WireHosting) -> tuple[WireSharedConversation, WireProgram]:
        return host.join()

    def lost(self) -> None:
        """It ends its conversation without MQDISC."""
        self.line.say(self.calls.goodbye())
        self.line.hang_up()
