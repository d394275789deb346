"""A process to be killed: a queue manager on LMDB whose programs commit, prepare and decide without end.

Run with the folder of the store. It prints a line once a step is on disk: ``c 7`` committed, ``p 7`` prepared, ``d 7``
branch committed, ``r 7`` branch rolled back. Each step puts a message named like it; ``u 7`` is never committed.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from mqbridge.bridge.queue_manager.connections import ConnectOptions
from mqbridge.bridge.queue_manager.effects import Completed
from mqbridge.bridge.queue_manager.objects import TABLE, Kind, Objects
from mqbridge.bridge.queue_manager.options import PutOptions
from mqbridge.bridge.queue_manager.units_of_work import on_complete
from mqbridge.bridge.queue_manager.xa import Xid
from mqbridge.bridge.store import open_store
from mqbridge.mappings.message import Message
from mqbridge.protocol.constants import MQOO, MQPMO, TMFlags
from support.queue_manager.direct import DirectQueueManager
from support.queue_manager.mq_calls import MqCalls

NOW = 1_800_000_000.0
MAP_SIZE = 1 << 28


def xid(number: int) -> Xid:
    return Xid(7, b"%d" % number, b"")


class KilledHost:
    """Opens the queue manager of a folder, anew or as it was left."""

    def __init__(self, folder: str | Path) -> None:
        self.store = open_store("lmdb", folder, map_size=MAP_SIZE)
        objects = Objects("EARTH", NOW)
        if not objects.load(self.store.records(TABLE)):
            objects.define(Kind.QLOCAL, "Q", {"MAXDEPTH": 999999}, NOW)
            self.store.commit([objects.operations()])
        self.manager = DirectQueueManager("EARTH", self.store, objects, NOW)
        self.pump()

    def pump(self) -> None:
        while pending := self.manager.take_commits():
            answers = self.store.commit([each.operations for each in pending])
            for each, error in zip(pending, answers, strict=True):
                self.manager.committed(each, error, NOW)
        for effect in self.manager.take_effects():
            if isinstance(effect, Completed):
                effect.program.completed(NOW)

    def connect(self) -> tuple[MqCalls, int]:
        connection = MqCalls(self.manager, ConnectOptions(), NOW)
        connection.xa.open()
        return connection, connection.open("Q", options=MQOO.OUTPUT | MQOO.INPUT_SHARED, now=NOW)


def put(connection: MqCalls, hobj: int, name: str) -> None:
    message = Message.build(name.encode(), persistence=1)
    connection.put(hobj, message, PutOptions(MQPMO.SYNCPOINT), NOW)


def run(folder: str) -> None:
    host = KilledHost(folder)
    committing, branching, idle = host.connect(), host.connect(), host.connect()

    def done(name: str) -> Any:
        def told(outcome: object) -> None:
            if outcome:
                raise RuntimeError(f"{name}: {outcome}")
            sys.stdout.write(f"{name}\n")
            sys.stdout.flush()

        return told

    for number in range(1, 100_000):
        put(*idle, f"u {number}")
        put(*committing, f"c {number}")
        committing[0].commit(NOW, done(f"c {number}"))
        host.pump()
        resource = branching[0].xa
        resource.start(xid(number), 0, NOW)
        put(*branching, f"d {number}")
        resource.end(xid(number), int(TMFlags.SUCCESS))
        on_complete(resource.prepare(xid(number), 0, NOW).pending, done(f"p {number}"))
        host.pump()
        if number % 3 == 0:
            on_complete(resource.commit(xid(number), 0, NOW).pending, done(f"d {number}"))
        elif number % 3 == 1:
            on_complete(resource.rollback(xid(number), 0, NOW).pending, done(f"r {number}"))
        host.pump()
        if number % 500 == 0:
            idle[0].backout(NOW)


if __name__ == "__main__":
    run(sys.argv[1])
