"""Records on the sync queue of a foreign queue manager: which batch of a lane its last unit of work has committed.

A lane has one record. Every unit of work gets it under syncpoint, which keeps all others away from the lane, and puts
the next one: so it is committed with the messages or not at all, and of a unit whose fate is unknown it is missing
until the queue manager has decided. Its CorrelId names the lane; MsgIds need not be unique. A row in our own store says
at which queue manager a lane has its record, and marks it, so that an older one is not taken for it.

::

    record  "MQSY", version (1 byte), mark (8), number of the batch (8), then the names of gateway, connection, partner
            and queue, each ended by a zero byte
"""

from __future__ import annotations

import random
import struct
from collections.abc import Callable
from functools import partial
from hashlib import sha256
from typing import Final, NamedTuple

from mqbridge.bridge.agents.everyplace.mq.program import GetOutcome, GotMq, MqFailure, MqProgram, PutOutcome, Wanted
from mqbridge.bridge.agents.everyplace.mq.reasons import refused
from mqbridge.bridge.agents.everyplace.mq.way import Way
from mqbridge.bridge.everyplace.changes import Change
from mqbridge.bridge.everyplace.definitions import bridge_properties as rows
from mqbridge.bridge.everyplace.transfer.lane_records import IN_MQ, LaneName
from mqbridge.bridge.store.interface import PutRecord, Store
from mqbridge.mappings.message import Message
from mqbridge.protocol.constants import MQPER, MQRC
from mqbridge.protocol.everyplace.calls import Refused
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError

EYE: Final = b"MQSY"
VERSION: Final = 1
_HEAD: Final = struct.Struct(">4sB8sQ")
_MARK: Final = 8
_ID: Final = 24


class SyncBody(NamedTuple):
    """What a record says. ``mark``: of the row in our store that it belongs to."""

    mark: bytes
    number: int
    gateway: str
    connection: str
    partner: str
    queue: str

    def encode(self) -> bytes:
        """Return its bytes."""
        names = b"".join(each.encode("ascii") + b"\0" for each in self[2:])
        return _HEAD.pack(EYE, VERSION, self.mark, self.number) + names

    @classmethod
    def read(cls, data: bytes) -> SyncBody:
        """Return the record of a message's data. Raises `EveryplaceError` DATA."""
        try:
            eye, version, mark, number = _HEAD.unpack_from(data)
            gateway, connection, partner, queue, rest = data[_HEAD.size :].decode("ascii").split("\0")
        except (struct.error, ValueError):
            eye, version, rest = b"", 0, ""
        if eye != EYE or version != VERSION or rest:
            raise EveryplaceError(Code.DATA, "a message on the sync queue is no record of ours")
        return cls(mark, number, gateway, connection, partner, queue)


class LaneRecord:
    """A record that a unit of work has got, and will replace."""

    __slots__ = ("_body", "_key", "_queue", "number")

    def __init__(self, queue: str, key: bytes, body: SyncBody) -> None:
        self._queue = queue
        self._key = key
        self._body = body
        self.number = body.number

    def replace(self, program: MqProgram, number: int, then: Callable[[PutOutcome], None]) -> None:
        """Put the record of a batch, in the unit of work that got the last one."""
        program.put(self._queue, "", _message(self._key, self._body._replace(number=number)), then)


class _Marked(NamedTuple):
    """The row of a lane. ``connection``: path of the client connection."""

    connection: str
    mark: bytes

    def write(self, lane: LaneName) -> PutRecord:
        return PutRecord(IN_MQ, lane.key, self.mark + self.connection.encode("ascii"))


class SyncRecords:
    """The records of all lanes of a gateway. ``store``: ours, with a row for each lane."""

    def __init__(self, store: Store, random: random.Random) -> None:
        self._store = store
        self._random = random
        self._noting: set[LaneName] = set()

    def connection_of(self, lane: LaneName) -> str | None:
        """Return the client connection at which a lane has its record; None if it has none."""
        found = self._marked(lane)
        return None if found is None else found.connection

    def is_current(self, body: SyncBody) -> bool:
        """Whether a record is the one that its lane has now."""
        found = self._marked(LaneName(body.partner, body.queue))
        return found is not None and (found.connection, found.mark) == (body.connection, body.mark)

    def _marked(self, lane: LaneName) -> _Marked | None:
        data = self._store.record(IN_MQ, lane.key)
        return None if data is None else _Marked(data[_MARK:].decode("ascii"), data[:_MARK])

    def lock(self, way: Way, program: MqProgram, lane: LaneName, then: Callable[[LaneRecord | Refused], None]) -> None:
        """Get the record of a lane in the unit of work of a program.

        A lane without one gets its first before, which commits what is in the unit of work. ``then`` gets `Refused`
        BRIDGE_MQ_UNAVAILABLE while another unit of work holds the record.
        """

        def ensured(refusal: Refused | None) -> None:
            found = self._marked(lane)
            if refusal is not None:
                then(refusal)
            else:
                assert found is not None, "there is a record"
                self._get(way, program, lane, found, then)

        self.ensure(way, program, lane, ensured)

    def ensure(self, way: Way, program: MqProgram, lane: LaneName, then: Callable[[Refused | None], None]) -> None:
        """Have a lane have a record; ``then`` gets why it cannot. The first is put and committed, and its mark noted
        in our store.

        Units of work of one lane may be at it at the same time, since one that is over may still have its answer to
        come. The first mark that is noted counts: two of them would lock different records.
        """
        if self._has_one(way, lane):
            then(None)
            return
        queue, key = way.connection.value(rows.SYNC_QUEUE), self._key(way, lane)
        marked = _Marked(way.name, self._random.getrandbits(8 * _MARK).to_bytes(_MARK, "big"))
        body = SyncBody(marked.mark, 0, way.host.gateway, way.name, lane.partner, lane.queue)

        def put(outcome: PutOutcome) -> None:
            if isinstance(outcome, MqFailure):
                then(refused(outcome, queue))
            else:
                program.commit((), committed)

        def committed(outcome: PutOutcome) -> None:
            if isinstance(outcome, MqFailure):
                then(refused(outcome, queue))
            elif lane in self._noting:
                then(Refused(Code.BRIDGE_MQ_UNAVAILABLE, f"another unit of work makes the record of lane {lane}"))
            elif self._has_one(way, lane):
                then(None)
            else:
                self._noting.add(lane)
                way.host.committer.submit(Change(None, [marked.write(lane)]), noted)

        def noted(written: bool) -> None:
            self._noting.discard(lane)
            then(None if written else Refused(Code.STORE, f"the store refuses the mark of lane {lane}"))

        program.put(queue, "", _message(key, body), put)

    def _has_one(self, way: Way, lane: LaneName) -> bool:
        found = self._marked(lane)
        return found is not None and found.connection == way.name

    def _get(
        self,
        way: Way,
        program: MqProgram,
        lane: LaneName,
        marked: _Marked,
        then: Callable[[LaneRecord | Refused], None],
    ) -> None:
        queue, key = way.connection.value(rows.SYNC_QUEUE), self._key(way, lane)

        def got(outcome: GetOutcome) -> None:
            if isinstance(outcome, MqFailure):
                then(_not_there(outcome, lane, queue))
                return
            found = _read(outcome, marked.mark)
            if found is None:  # of an earlier life of the lane: it goes with this unit of work
                self._get(way, program, lane, marked, then)
            else:
                then(LaneRecord(queue, key, found))

        program.get(Wanted(queue, correl_id=key), got)

    def committed(
        self, way: Way, program: MqProgram, lane: LaneName, then: Callable[[int | Refused | None], None]
    ) -> None:
        """Say which batch of a lane was committed last; None if none was."""
        marked = self._marked(lane)
        if marked is None:
            then(None)
            return
        queue = way.connection.value(rows.SYNC_QUEUE)

        def locked(found: LaneRecord | Refused) -> None:
            if isinstance(found, Refused):
                then(found)
            else:
                program.back_out(partial(backed_out, found.number))

        def backed_out(number: int, outcome: PutOutcome) -> None:
            then(refused(outcome, queue) if isinstance(outcome, MqFailure) else number or None)

        self._get(way, program, lane, marked, locked)

    def _key(self, way: Way, lane: LaneName) -> bytes:
        """Return the CorrelId of a lane's record."""
        name = "\0".join((way.host.gateway, way.name, lane.partner, lane.queue))
        return sha256(name.encode("ascii")).digest()[:_ID]


def _read(got: GotMq, mark: bytes) -> SyncBody | None:
    try:
        found = SyncBody.read(got.message.data)
    except EveryplaceError:
        return None
    return found if found.mark == mark else None


def _message(key: bytes, body: SyncBody) -> Message:
    return Message.build(body.encode(), correl_id=key, persistence=int(MQPER.PERSISTENT))


def _not_there(failure: MqFailure, lane: LaneName, queue: str) -> Refused:
    if failure.reason == MQRC.NO_MSG_AVAILABLE:
        text = f"the record of lane {lane} is not on {queue}: another unit of work holds it, or somebody has removed it"
        return Refused(Code.BRIDGE_MQ_UNAVAILABLE, text)
    return refused(failure, queue)
