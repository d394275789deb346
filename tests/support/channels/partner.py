"""A partner queue manager played by hand against a whole one of ours: it says segments and hears ours.

The segments are those of ``channels.playbook``: queue manager VENUS, channel VENUS.TO.MARS, little-endian, CCSID 437.
"""

from __future__ import annotations

from typing import Any

from mqbridge.protocol.constants import SegmentType, StatusCode
from mqbridge.protocol.framing import SegmentReader, SegmentWriter
from support.channels.playbook import THEY, Sent, end_of_batch, initial_data, message, status
from support.gateway.stage import Stage, Station
from support.simulation.network import CALLER, Stream


class Partner:
    """Its side of one connection."""

    def __init__(self, stage: Stage, stream: Stream, side: int) -> None:
        self.stage = stage
        self.writer = THEY
        """In which byte order and CCSID its common lines are."""
        self.gone = False
        """Our side has ended the connection, or it broke."""
        self._stream, self._side = stream, side
        self._reader = SegmentReader(1 << 30)
        self._heard: list[Sent] = []

    # The network's side

    def received(self, data: bytes) -> None:
        for one in self._reader.feed(data):
            kind = SegmentType(one.type)
            self._heard.append(Sent(kind, one.flags1, one.luwid, one.body, one.length, one.order, one.ccsid))

    def lost(self) -> None:
        self.gone = True

    # The play's side

    def sends(self, *segments: bytes) -> None:
        """Sends segments, or any bytes, and gives us half a second to act."""
        self._stream.send(self._side, b"".join(segments))
        self.stage.wait(0.5)

    def says(self, *segments: bytes) -> list[Sent]:
        """Sends segments; what was heard then."""
        self.sends(*segments)
        return self.hears()

    def hears(self) -> list[Sent]:
        """All that was heard since the last question."""
        heard, self._heard = self._heard, []
        return heard

    def hears_one(self, kind: SegmentType) -> Sent:
        """The one segment that was heard."""
        (sent,) = self.hears()
        assert sent.type == kind, f"{sent.type} instead of {kind}"
        return sent

    def is_refused(self, code: StatusCode) -> Sent:
        """The one segment heard is an error with this code, and the connection has ended."""
        sent = self.hears_one(SegmentType.STATUS_DATA)
        assert (sent.code, sent.flags) == (code, 0x0A)
        assert self.gone
        return sent

    def hangs_up(self) -> None:
        self._stream.close(self._side, abort=False)
        self.stage.wait(0.5)

    def falls_silent(self) -> None:
        """Its machine lost power: nothing comes any more, and nobody says so."""
        self._stream.ends[self._side] = None

    # Common lines

    def sends_batch(self, *numbers: int, luwid: bytes, **changes: Any) -> Sent:
        """Messages with these numbers and the end of the batch; our answer."""
        changes["writer"] = self.writer
        segments = [message(number, b"message %d" % number, luwid=luwid, **changes) for number in numbers]
        (answer,) = self.says(*segments, end_of_batch(luwid, self.writer))
        return answer

    def confirms(self, luwid: bytes, flags: int = 0) -> list[Sent]:
        return self.says(status(flags, luwid=luwid, writer=self.writer))


def calls(stage: Stage, host: str, *segments: bytes, address: str = CALLER) -> Partner:
    """A partner opens a connection to a queue manager of ours and says something."""
    found: list[Partner] = []

    def made(stream: Stream) -> Partner:
        found.append(Partner(stage, stream, 0))
        return found[0]

    assert stage.call(host, made, address), f"nobody listens at {host}"
    (partner,) = found
    if segments:
        partner.sends(*segments)
    return partner


def calls_as_sender(
    stage: Stage, host: str = "MARS", *, address: str = CALLER, writer: SegmentWriter = THEY, **changes: Any
) -> Partner:
    """A sender that agrees with everything; the negotiation is over."""
    partner = calls(stage, host, initial_data(writer=writer, **changes), address=address)
    partner.writer = writer
    answer = partner.hears_one(SegmentType.INITIAL_DATA)
    assert answer.flags == 0, f"changed: {answer.id.record.init_err_flags1:#x}"
    return partner


class Listening:
    """A partner that waits to be called at a host name."""

    def __init__(self, stage: Stage, host: str = "VENUS") -> None:
        self.stage = stage
        self.host = host
        self.partners: list[Partner] = []
        self.open()

    def open(self) -> None:
        self.stage.network.listeners[self.host] = self._accept

    def shut(self) -> None:
        self.stage.network.listeners.pop(self.host)

    def _accept(self, stream: Stream) -> Partner:
        self.partners.append(Partner(self.stage, stream, 1))
        return self.partners[-1]

    def is_called(self, times: int = 1) -> Partner:
        """The newest connection; there have been so many."""
        self.stage.wait_until(lambda: len(self.partners) >= times)
        self.stage.wait(0.5)
        assert len(self.partners) == times
        return self.partners[-1]

    def agrees(self, times: int = 1, *, writer: SegmentWriter = THEY, **changes: Any) -> Partner:
        """Takes the newest call as a receiver that agrees with everything; what was said is heard."""
        partner = self.is_called(times)
        partner.writer = writer
        asked = partner.hears_one(SegmentType.INITIAL_DATA)
        answer = {
            "channel_name": asked.id.record.channel_name.decode("cp437").strip(),
            "max_transmission_size": asked.id.record.max_transmission_size,
            "max_message_size": asked.id.record.max_message_size,
            "max_msgs_per_batch": asked.id.record.max_msgs_per_batch,
            "sequence_wrap": asked.id.record.sequence_wrap,
            "heartbeat_interval": asked.id.record.heartbeat_interval,
            "cap_flags2": asked.id.record.cap_flags2,
        }
        partner.sends(initial_data(flags=0, writer=writer, **(answer | changes)))
        return partner


TO_VENUS = """
    DEFINE QLOCAL(VENUS) USAGE(XMITQ)
    DEFINE QREMOTE(FAR) RNAME(TARGET) RQMNAME(VENUS)
    DEFINE CHANNEL(MARS.VENUS) CHLTYPE(SDR) XMITQ(VENUS) CONNAME(VENUS) {channel}
"""


def to_venus(channel: str = "", **limits: Any) -> tuple[Stage, Station, Listening]:
    """MARS sends to VENUS, which is played by hand, through remote queue FAR and channel MARS.VENUS.

    ``channel``: further attributes of the channel; ``limits``: ``[channels]`` of MARS.
    """
    stage = Stage()
    mars = stage.station("MARS", TO_VENUS.format(channel=channel), **limits)
    return stage, mars, Listening(stage)
