"""What each recorded conversation of ``tests/vectors/ibm-client`` needs: configuration, channels, objects.

Level, CCSID, byte order, sizes and conversations are those of the recorded server's first answer, channels are those
that clients name. Objects are those of the recorded server where programs count on them; its queues keep the order of
arrival, whatever the priority. ``transcripts.remains`` knows what else was there when the recording began.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import pytest

from mqbridge.captures.differential import segments_of
from mqbridge.protocol.constants import SegmentType
from mqbridge.protocol.structures import parse_initial_data
from mqbridge.protocol.text import decode_field
from support.clients.program_line import AgentScene
from support.transcripts.agent_transcripts import Replay
from support.transcripts.client_transcripts import Recorded, Transcript, transcript
from support.transcripts.remains import leave

OBJECTS: Final = """
    ALTER QLOCAL(DEV.QUEUE.1) MSGDLVSQ(FIFO)
    ALTER QLOCAL(DEV.QUEUE.2) MSGDLVSQ(FIFO)
    ALTER QLOCAL(DEV.QUEUE.3) MSGDLVSQ(FIFO) BOTHRESH(2) BOQNAME(BO.Q)
    DEFINE QLOCAL(BO.Q) MSGDLVSQ(FIFO)
    DEFINE QLOCAL(ASYNC.Q) DEFPRESP(ASYNC)
    DEFINE QLOCAL(RA.Q) DEFREADA(YES)
    DEFINE QLOCAL(GI.Q) GET(DISABLED)
    DEFINE QLOCAL(PI.Q) PUT(DISABLED)
    DEFINE PROCESS(PROC.1)
    DELETE QLOCAL(SYSTEM.PROTECTION.POLICY.QUEUE)
    SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('app') AUTHADD(ALL)
    SET AUTHREC PROFILE('**') OBJTYPE(QUEUE) PRINCIPAL('app') AUTHADD(ALL)
    SET AUTHREC PROFILE('**') OBJTYPE(PROCESS) PRINCIPAL('app') AUTHADD(ALL)
"""

OPENED: Final[dict[str, dict[int, float]]] = {
    "mqi-sharecnv0-putget": {2: 1.457},
    "jms-sharecnv0-listen": {2: 0.045, 3: 0.10, 4: 0.115},
    "jms-sharecnv0-temp": {2: 0.04, 3: 0.07, 4: 0.15},
    "jms-sharecnv0-poison": {2: 0.04, 3: 0.06, 4: 0.075, 5: 0.962},
    "jms-sharecnv0-tx": {2: 0.04, 3: 0.06, 4: 0.075},
    "jms-sharecnv0-selector": {2: 0.04, 3: 0.06, 4: 0.075},
}
"""Seconds after the first connection at which others were opened beside it; else one follows the other."""
_PAUSE: Final = 0.01


def play(name: str, patch: pytest.MonkeyPatch) -> Replay:
    """Replay a transcript to its end."""
    scene = AgentScene(patch, OBJECTS)
    leave(scene, [one for _, one in in_order(transcript(name))])
    replay = Replay(scene)
    now, ended = 0.0, 0
    for at, one in in_order(transcript(name)):
        if one.side == "server":
            continue
        scene.after(max(0.0, at - now))
        replay.listen()
        now = at
        if one.socket not in replay.lines:
            if name not in OPENED:
                ended = _end(replay, ended, one.socket)
            _prepare(scene, replay, transcript(name), one)
        replay.client_says(one)
    _end(replay, ended, 1 << 30)
    return replay


def _end(replay: Replay, ended: int, before: int) -> int:
    """The clients of earlier connections are gone."""
    for socket, line in replay.lines.items():
        if ended < socket < before:
            line.hangs_up()
    replay.listen()
    return before - 1


def _prepare(scene: AgentScene, replay: Replay, script: Transcript, first: Recorded) -> None:
    """What the next connection needs: its channel, and how its server speaks."""
    recorded = [s for one in _socket(script, first.socket) if one.side == "server" for s in segments_of(one.data)]
    replay.expects(first.socket, recorded)
    asked = segments_of(first.data)[0]
    channel = decode_field(parse_initial_data(asked.body, asked.order).record.channel_name, asked.ccsid)
    if not scene.station.rows(f"DISPLAY CHANNEL('{channel}')"):
        scene.station.types(f"DEFINE CHANNEL('{channel}') CHLTYPE(SVRCONN) MCAUSER('app')")
    scene.speaks.update(speech_of(script, first.socket))


def _socket(script: Transcript, number: int) -> list[Recorded]:
    return [one for one in script.segments if one.socket == number]


def in_order(script: Transcript) -> Iterator[tuple[float, Recorded]]:
    """All segments with the time since the beginning."""
    begin = 0.0
    timed = []
    opened = OPENED.get(script.name, {})
    for sent in script.sockets():
        begin = opened.get(sent[0].socket, begin)
        timed += [(begin + one.time, one) for one in sent]
        begin += sent[-1].time + _PAUSE
    return iter(sorted(timed, key=lambda pair: pair[0]))


def speech_of(script: Transcript, socket: int = 1) -> dict[str, Any]:
    """How the recorded server speaks, from its first answer; nothing where it has none of that kind."""
    first = next((one for one in _socket(script, socket) if one.side == "server"), None)
    if first is None or (answer := segments_of(first.data)[0]).type != SegmentType.INITIAL_DATA:
        return {}
    body = parse_initial_data(answer.body, answer.order)
    return {
        "fap_level": body.record.fap_level,
        "shared_conversations": body.record.conv_per_socket,
        "ccsid": answer.ccsid,
        "order": answer.order,
        "heartbeat_interval": body.record.heartbeat_interval,
        "max_message_length": body.record.max_message_size,
        "transmission_size": body.record.max_transmission_size,
    }
