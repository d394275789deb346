"""A second protocol on a port: one row of the table of protocols, and one conversation."""

from __future__ import annotations

from typing import Any

import pytest

from mqbridge.bridge.agents.conversation import Conversation, PartnerConnection
from mqbridge.bridge.agents.gateway.channel_manager import ChannelManager
from mqbridge.bridge.agents.gateway.listener_protocols import MOST_FIRST_BYTES, PROTOCOLS, ListenerProtocol
from mqbridge.protocol.channel.wire import Wire
from mqbridge.protocol.constants import MQMODE, SegmentType
from mqbridge.protocol.framing import SegmentWriter
from support.channels.partner import Partner, calls
from support.channels.playbook import initial_data
from support.gateway.stage import Stage, Station
from support.simulation.network import Stream

GREETING = b"ECHO 1\r\n"
PATIENCE = 5.0
"""Seconds of silence after which the echo ends."""


class Echo:
    """Says in capitals what it hears, line by line, and ``BYE`` where it hears nothing for too long."""

    def __init__(self, host: ChannelManager, connection: PartnerConnection, now: float) -> None:
        self.host, self.connection = host, connection
        self.out = Wire(SegmentWriter())
        self.began = now
        self._heard = b""
        self._due = now + PATIENCE

    def _say(self, line: bytes) -> None:
        self.out.queue((line,), len(line))

    def receive_data(self, data: bytes, now: float) -> None:
        if not data:
            self.host.log("AMQ9209", self.connection.peer, "ECHO ended")
            return
        self._due = now + PATIENCE
        *lines, self._heard = (self._heard + data).split(b"\r\n")
        for line in lines:
            if line == b"LATER":
                self.connection.wake()
            else:
                self._say(line.upper() + b"\r\n")

    def wake(self, now: float) -> None:
        self._say(b"WOKEN\r\n")

    def writable(self, now: float) -> None:
        pass

    def next_timeout(self) -> float:
        return self._due

    def timeout(self, now: float) -> None:
        if now >= self._due:
            self._say(b"BYE\r\n")
            self.connection.close()

    def row(self) -> dict[str, Any]:
        return {"CHANNEL": "ECHO", "STATUS": "RUNNING"}


def is_echo(first: bytes) -> bool | None:
    if len(first) < len(GREETING):
        return None if GREETING.startswith(first) else False
    return first.startswith(GREETING)


ECHO = ListenerProtocol("echo", is_echo, Echo)


class Talker:
    """A partner that speaks lines."""

    def __init__(self, stage: Stage, stream: Stream) -> None:
        self.stage, self._stream = stage, stream
        self.heard = b""
        self.gone = False

    def received(self, data: bytes) -> None:
        self.heard += data

    def lost(self) -> None:
        self.gone = True

    def says(self, data: bytes) -> bytes:
        """What has been heard since the last line, half a second after this one."""
        self._stream.send(0, data)
        self.stage.wait(0.5)
        heard, self.heard = self.heard, b""
        return heard


def mars(*rows: ListenerProtocol) -> tuple[Stage, Station]:
    stage = Stage()
    station = stage.station("MARS", "DEFINE QLOCAL(TARGET)\nDEFINE CHANNEL(VENUS.TO.MARS) CHLTYPE(RCVR)")
    station.protocols = (*rows, *PROTOCOLS)
    station.restart()
    return stage, station


def comes(stage: Stage) -> Talker:
    made: list[Talker] = []

    def endpoint(stream: Stream) -> Talker:
        made.append(Talker(stage, stream))
        return made[0]

    assert stage.call("MARS", endpoint)
    return made[0]


def begun_with(station: Station) -> list[type[Conversation]]:
    return [type(each.conversation) for each in station.gateway.connections]


def test_while_there_is_one_protocol_a_connection_begins_with_it() -> None:
    stage, station = mars()
    comes(stage)
    assert [kind.__name__ for kind in begun_with(station)] == ["InboundHandshake"]


@pytest.mark.parametrize("cut", range(len(GREETING) + 1))
def test_the_first_bytes_decide_however_they_are_cut(cut: int) -> None:
    stage, station = mars(ECHO)
    talker = comes(stage)
    assert [kind.__name__ for kind in begun_with(station)] == ["ProtocolDetection"]
    whole = GREETING + b"hello\r\n"
    heard = talker.says(whole[:cut]) + talker.says(whole[cut:])
    assert heard.replace(b"WOKEN\r\n", b"", 1) == b"ECHO 1\r\nHELLO\r\n"
    assert heard.count(b"WOKEN") == 1
    assert begun_with(station) == [Echo]
    assert talker.says(b"again\r\n") == b"AGAIN\r\n"


@pytest.mark.parametrize("rows", [(), (ECHO,), (ECHO, ECHO)])
def test_channels_go_on_beside_it(rows: tuple[ListenerProtocol, ...]) -> None:
    stage, station = mars(*rows)
    partner: Partner = calls(stage, "MARS", initial_data())
    assert partner.hears_one(SegmentType.INITIAL_DATA).flags == 0
    assert station.status("VENUS.TO.MARS") == "RUNNING"


def test_a_conversation_is_woken_and_asked_for_its_deadline() -> None:
    stage, _ = mars(ECHO)
    talker = comes(stage)
    talker.says(GREETING)
    assert talker.says(b"later\r\nLATER\r\n") == b"LATER\r\nWOKEN\r\n"
    stage.wait(PATIENCE)
    assert talker.heard == b"BYE\r\n"
    assert talker.gone


def test_what_no_other_row_recognises_is_the_last_ones() -> None:
    stage, station = mars(ECHO)
    talker = comes(stage)
    talker.says(b"GET / HTTP/1.1\r\n\r\n" + bytes(64))
    assert talker.gone
    assert station.logged("AMQ9207") == ["10.0.0.1(5000) segment at byte 0: 47455420 begins no segment header"]


def test_silence_is_the_last_rows_too() -> None:
    stage, station = mars(ECHO)
    station.gateway.channel_manager.settings.handshake_timeout = 3.0
    talker = comes(stage)
    talker.says(b"EC")
    stage.wait(3.0)
    assert talker.gone
    assert station.logged("AMQ9259")


def test_who_leaves_before_saying_who_he_is_leaves_nothing_behind() -> None:
    stage, station = mars(ECHO)
    talker = comes(stage)
    talker.says(b"ECHO")
    talker._stream.close(0, abort=False)
    stage.wait(0.5)
    assert not len(station.gateway.connections)
    assert station.gateway.connections.next_timeout() is None


def test_a_row_that_cannot_decide_is_passed_over_at_last() -> None:
    stage, station = mars(ListenerProtocol("never", lambda _: None, Echo))
    talker = comes(stage)
    talker.says(bytes(MOST_FIRST_BYTES - 1))
    assert [kind.__name__ for kind in begun_with(station)] == ["ProtocolDetection"]
    talker.says(bytes(64))
    assert talker.gone


def test_the_end_of_the_queue_manager_ends_who_has_not_said_who_he_is() -> None:
    stage, station = mars(ECHO)
    silent, talker = comes(stage), comes(stage)
    talker.says(GREETING)
    station.call(lambda: station.gateway.stop_all(MQMODE.QUIESCE, stage.clock.now))
    stage.wait(0.1)
    assert silent.gone
    assert not talker.gone
    station.call(lambda: station.gateway.stop_all(MQMODE.FORCE, stage.clock.now))
    stage.wait(0.1)
    assert talker.gone
