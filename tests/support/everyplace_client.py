"""A client connection of the bridge to a queue manager of a stage: real machines at both ends, and what they say."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mqbridge.bridge.agents.everyplace.mq.client_program import ClientProgram
from mqbridge.bridge.agents.everyplace.mq.program import MqDone, MqFailure, MqPut
from mqbridge.mappings.message import Message
from mqbridge.protocol.constants import SegmentType
from mqbridge.protocol.framing import Segment, SegmentReader
from mqbridge.protocol.mqi_client import ClientParameters
from support.gateway.stage import Stage, Station
from support.simulation.network import Stream


class BridgeClient:
    """The transport of one program. ``said``: types of what it has sent; ``heard``: of what it was sent.

    ``alter``: changes what it hears before it does.
    """

    def __init__(self, stage: Stage, host: str, channel: str, **parameters: Any) -> None:
        self.stage = stage
        self.said: list[SegmentType] = []
        self.heard: list[SegmentType] = []
        self.alter: Callable[[Segment, bytes], bytes] = lambda segment, data: data
        self._stream: Stream | None = None
        self._out, self._in = SegmentReader(1 << 30), SegmentReader(1 << 30)
        given = ClientParameters(channel_name=channel, queue_manager=host, **parameters)
        self.program = ClientProgram(given, lambda: stage.clock.now)
        assert stage.call(host, self._made)
        self.program.connected(self)
        stage.wait(0.1)

    def _made(self, stream: Stream) -> BridgeClient:
        self._stream = stream
        return self

    # What the network and the program call

    def received(self, data: bytes) -> None:
        for segment in self._in.feed(data):
            self.heard.append(SegmentType(segment.type))
            raw = bytes(segment.buffer[segment.start : segment.start + segment.length])
            self.program.receive_data(self.alter(segment, raw))

    def lost(self) -> None:
        self.program.lost("gone")

    def write(self, data: bytes) -> None:
        self.said += [SegmentType(each.type) for each in self._out.feed(data)]
        assert self._stream is not None
        self._stream.send(0, data)

    def close(self) -> None:
        assert self._stream is not None
        self._stream.close(0, abort=False)

    # Plays

    def ends(self, begin: Callable[[Callable[[Any], None]], None]) -> Any:
        """What a call of the program comes to."""
        found: list[Any] = []
        begin(found.append)
        self.stage.wait_until(lambda: found)
        return found[0]

    def puts(self, *bodies: bytes, queue: str = "TARGET", queue_manager: str = "") -> MqDone | MqFailure:
        """Puts ahead of their answers."""
        ahead = self.program.ahead
        assert ahead is not None, "it cannot put ahead"
        wanted = [MqPut(queue, queue_manager, Message.build(each, persistence=1)) for each in bodies]
        found: MqDone | MqFailure = self.ends(lambda then: ahead.put(wanted, then))
        return found

    def commits(self) -> MqDone | MqFailure:
        found: MqDone | MqFailure = self.ends(lambda then: self.program.commit((), then))
        return found

    def backs_out(self) -> MqDone | MqFailure:
        found: MqDone | MqFailure = self.ends(self.program.back_out)
        return found


SCRIPT = """
    DEFINE CHANNEL(GATE.SVRCONN) CHLTYPE(SVRCONN) MCAUSER('app') SHARECNV({conversations})
    DEFINE QLOCAL(TARGET)
"""


def saturn_with_client(script: str = "", *, conversations: int = 10, **parameters: Any) -> tuple[Station, BridgeClient]:
    """Queue manager SATURN, to which the bridge is connected."""
    stage = Stage()
    saturn = stage.station("SATURN", SCRIPT.format(conversations=conversations) + script)
    return saturn, BridgeClient(stage, "SATURN", "GATE.SVRCONN", **parameters)
