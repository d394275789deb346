"""A program at the queue manager of `queue_manager.host`: its calls, each followed by the commits of the store."""

from __future__ import annotations

from typing import Any

from mqbridge.bridge.queue_manager import Application, GetOptions, MQError, PutOptions, RetrievedMessage, Wake
from mqbridge.bridge.queue_manager.connections import ConnectOptions
from mqbridge.bridge.queue_manager.xa import Decision, Xid
from mqbridge.mappings.message import Message
from mqbridge.protocol.constants import MQGMO, MQOO, MQPMO
from support.queue_manager.host import Host
from support.queue_manager.mq_calls import MqCalls

BOTH = int(MQOO.INPUT_SHARED | MQOO.OUTPUT)
SYNC = int(MQGMO.SYNCPOINT)
PUT_SYNC = int(MQPMO.SYNCPOINT)
ASYNC = int(MQPMO.ASYNC_RESPONSE)


def xid(number: int) -> Xid:
    return Xid(1234, b"gtrid%03d" % number, b"b")


class Program:
    """One connection ``mq``. Outcomes of calls that end later are in ``outcomes``; XA return values in ``codes``."""

    def __init__(self, host: Host, **options: Any) -> None:
        self.host = host
        options.setdefault("application", Application(user="app", appl_name="program"))
        self.mq = MqCalls(host.queue_manager, ConnectOptions(**options), host.now)
        self.outcomes: list[MQError | None] = []
        self.codes: list[int] = []

    def open(self, name: str, options: int = BOTH, **more: Any) -> int:
        try:
            return self.mq.open(name, options=options, now=self.host.now, **more)
        finally:
            self.host.pump()

    def close(self, hobj: int, options: int = 0) -> int:
        try:
            return self.mq.close(hobj, options, self.host.now)
        finally:
            self.host.pump()

    def put(self, hobj: int, data: bytes = b"data", options: int = 0, *, context: int = 0, **fields: Any) -> Message:
        message = Message.build(data, **fields)
        put = PutOptions(options, self.mq.application)
        try:
            self.mq.put(hobj, message, put, self.host.now, self.outcomes.append, context=context)
        finally:
            self.host.pump()
        return message

    def put1(self, name: str, data: bytes = b"data", options: int = 0, **fields: Any) -> Message:
        message = Message.build(data, **fields)
        try:
            self.mq.put1(name, "", message, PutOptions(options), self.host.now, self.outcomes.append)
        finally:
            self.host.pump()
        return message

    def get(self, hobj: int, options: int = 0, *, held: bool = False, **more: Any) -> RetrievedMessage | None:
        try:
            return self.mq.get(hobj, GetOptions(options, **more), self.host.now, held=held)
        finally:
            self.host.pump()

    def data(self, hobj: int, options: int = 0, **more: Any) -> bytes | None:
        got = self.get(hobj, options, **more)
        return None if got is None else got.message.data

    def commit(self) -> MQError | None:
        self.mq.commit(self.host.now, self.outcomes.append)
        self.host.pump()
        return self.outcomes.pop()

    def backout(self) -> None:
        self.mq.backout(self.host.now)
        self.host.pump()

    def disconnect(self) -> MQError | None:
        self.mq.disconnect(self.host.now, self.outcomes.append)
        self.host.pump()
        return self.outcomes.pop()

    def lost(self) -> None:
        self.mq.lost(self.host.now)
        self.host.pump()

    def wakes(self) -> list[Wake]:
        """The wakes of this program's waits since the last call."""
        own = set(self.mq.waiting)
        found = [effect for effect in self.host.effects if isinstance(effect, Wake) and effect.waiter in own]
        self.host.effects = [effect for effect in self.host.effects if effect not in found]
        return found

    # XA

    def prepare(self, number: int) -> int:
        return self._code(self.mq.xa.prepare(xid(number), 0, self.host.now))

    def xa_commit(self, number: int, flags: int = 0) -> int:
        return self._code(self.mq.xa.commit(xid(number), flags, self.host.now))

    def rollback(self, number: int) -> int:
        return self._code(self.mq.xa.rollback(xid(number), 0, self.host.now))

    def forget(self, number: int) -> int:
        return self._code(self.mq.xa.forget(xid(number), 0))

    def _code(self, decision: Decision) -> int:
        self.told(decision)
        self.host.pump()
        return self.codes.pop()

    def told(self, decision: Decision) -> None:
        """Has ``codes`` told the return value of an XA call."""
        if decision.pending is None:
            self.codes.append(decision.value)
        else:
            decision.pending.then = lambda error: self.codes.append(decision.answered(error))
