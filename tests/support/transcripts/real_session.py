"""The captured session of a real client with real queue managers (``tests/vectors/jms-client``), to be played again.

Each of its 13 connections goes to one of three queue managers. Configured here is what made them answer as they did:
the first nine connections were refused because of their user, the others put messages on UNIFORM.QUEUE.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Final

import pytest

from mqbridge.captures import CapturedSegment, Direction, read_segments
from mqbridge.captures.differential import fields_of, segments_of
from support.captures.files import JMS_CAPTURE
from support.captures.vectors import VECTORS, from_hex
from support.clients.program_line import AgentScene
from support.transcripts.agent_transcripts import Replay
from support.transcripts.client_transcripts import Recorded

CHANNEL: Final = "APP.SVRCONN"
LAST_REFUSED: Final = 9
REFUSED: Final = 0
FLOWS: Final = VECTORS / "jms-client"
REFUSED_FLOW: Final = "flow-jms2-refused-2035"
OBJECTS: Final = f"""
    DEFINE CHANNEL({CHANNEL}) CHLTYPE(SVRCONN) MCAUSER('{{user}}')
    ALTER QMGR DEADQ(DEV.DEAD.LETTER.QUEUE) CCSID(819)
    DEFINE QLOCAL(UNIFORM.QUEUE)
    SET AUTHREC PROFILE('**') OBJTYPE(QUEUE) PRINCIPAL('app') AUTHADD(ALL)
"""


@dataclass(frozen=True, slots=True)
class RealConnection:
    """One connection: the queue manager's name, and its segments."""

    number: int
    queue_manager: str
    segments: tuple[Recorded, ...]

    @property
    def refused(self) -> bool:
        """Whether its MQCONN got 2035."""
        return self.number <= LAST_REFUSED


@cache
def connections() -> tuple[RealConnection, ...]:
    """All connections of the capture."""
    found: dict[int, list[Recorded]] = {}
    for item in read_segments(JMS_CAPTURE):
        if isinstance(item, CapturedSegment):
            one = item.segment
            side = "client" if item.direction is Direction.INITIATOR else "server"
            data = bytes(one.buffer[one.start : one.start + one.length])
            found.setdefault(item.flow.id, []).append(
                Recorded(side, item.flow.id, item.time - item.flow.start_time, data)
            )
    return tuple(RealConnection(number, _queue_manager(sent), tuple(sent)) for number, sent in found.items())


@cache
def refused_connection() -> RealConnection:
    """One more of that client, of which only the bytes of each direction are kept."""
    sent = [
        Recorded(side, REFUSED, 0.0, one.data)
        for side in ("client", "server")
        for one in segments_of(from_hex((FLOWS / f"{REFUSED_FLOW}.{side}.hex").read_text(encoding="ascii")))
    ]
    return RealConnection(REFUSED, _queue_manager(sent), tuple(sent))


def _queue_manager(sent: list[Recorded]) -> str:
    (first,) = segments_of(next(one.data for one in sent if one.side == "server"))
    name: bytes = next(field.value for field in fields_of(first) if field.key == "ID.QMgrName")
    return name.decode().rstrip()


def play(connection: RealConnection, patch: pytest.MonkeyPatch) -> Replay:
    """The client of a connection says again what it said, to our queue manager of that name."""
    script = OBJECTS.format(user="nobody" if connection.refused else "app")
    scene = AgentScene(patch, script, connection.queue_manager)
    replay = Replay(scene, None)
    recorded = [one for sent in connection.segments if sent.side == "server" for one in segments_of(sent.data)]
    replay.expects(connection.number, recorded)
    now = 0.0
    for one in connection.segments:
        if one.side == "client":
            scene.after(max(0.0, one.time - now))
            now = one.time
            replay.client_says(one)
    return replay
