"""Both ends of a message channel, as observed in a capture.

:class:`~.endpoint_states.EndpointStates` keeps the states of :mod:`protocol.channel.states`. Each subject has its own
part: INITIAL_DATA, messages and batches, confirmations, heartbeats, silence, exchanges at the start.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, final

from mqbridge.protocol.channel.states import State, Trigger
from mqbridge.protocol.constants import ControlFlags1, ControlFlags2, SegmentType
from mqbridge.protocol.direction import Direction
from mqbridge.protocol.observer.observations import Ending, MessageOutcome, Observation, Place, SegmentTooLong
from mqbridge.protocol.observer.overview import ObservationLog, Overview
from mqbridge.protocol.segment import HEADER_SIZES, Segment
from mqbridge.protocol.structures import TSH

from .batches import Batches
from .confirmations import Confirmations
from .ends import ChannelEnds
from .heartbeats import ChannelHeartbeatObserver
from .message_runs import MessageRuns
from .negotiation import ChannelNegotiationObserver
from .observations import ChannelCompressedSeen, ClosedWithoutExchange
from .open_batch import ObservedBatch
from .silence import Silence
from .start_exchanges import StartExchanges
from .status_segments import StatusSegments

_MESSAGE: Final = int(SegmentType.MESSAGE_DATA)
_COMPRESSED: Final = int(ControlFlags2.HDRCOMP | ControlFlags2.MSGCOMP | ControlFlags2.CSH)
_CONFIRM: Final = int(ControlFlags1.CONFIRM_REQUEST)
_LAST: Final = int(ControlFlags1.LAST)
_FIRST: Final = int(ControlFlags1.FIRST)
_SINGLE_HEADERS: Final = frozenset(struc_id for struc_id, size in HEADER_SIZES.items() if size == TSH.size)


@final
class ChannelObserver:
    """Follows a message channel. Its members are its parts."""

    __slots__ = (
        "_compressing", "batches", "confirmations", "ends", "exchanges", "heartbeats", "log", "negotiation", "overview",
        "runs", "silence", "status",
    )  # fmt: skip

    def __init__(self, overview: Overview) -> None:
        log = ObservationLog()
        self.overview, self.log = overview, log
        self.negotiation = negotiation = ChannelNegotiationObserver(log, overview)
        self.ends = ends = ChannelEnds(log, overview, negotiation)
        self.batches = batches = Batches(log, whole=not overview.uncertain)
        self.silence = silence = Silence(log, negotiation, ends)
        self.heartbeats = heartbeats = ChannelHeartbeatObserver(log, ends)
        self.confirmations = confirmations = Confirmations(log, overview, negotiation, ends, batches, silence)
        self.exchanges = exchanges = StartExchanges(log, ends, batches, silence)
        self.status = StatusSegments(log, overview, negotiation, ends, batches, confirmations, heartbeats, exchanges)
        self.runs = MessageRuns(log, overview, ends, batches, silence)
        self._compressing: set[Direction] = set()

    def receive(self, direction: Direction, segment: Segment, place: Place) -> list[Observation]:
        """Take a segment."""
        log, ends, silence = self.log, self.ends, self.silence
        log.direction, log.place = direction, place
        kind = segment.type
        ends.spoken.add(direction)
        if segment.length > self.runs.longest and kind != SegmentType.INITIAL_DATA:
            log.add(SegmentTooLong, segment.length, self.runs.longest)
        if ends.closed:
            ends.after_close(segment)
        if direction is ends.sender:
            if place.time - silence.since > silence.interval:
                silence.check(over=False)
            silence.since = place.time
        if kind == _MESSAGE:
            self._message(segment)
        else:
            handler = _HANDLERS.get(kind)
            if handler is not None:
                handler(self, segment)
        return log.take()

    def receive_in_run(
        self, direction: Direction, words: tuple[Any, ...], buffer: bytes, start: int, place: Place
    ) -> list[Observation] | None:
        """Take a segment that continues a run, given by its header and position; None, with nothing changed, for any
        other."""
        return self.runs.take(direction, words, buffer, start, place)

    def lose(self, direction: Direction, length: int, place: Place) -> None:
        """Note bytes that are not in the capture."""
        self.log.direction, self.log.place = direction, place
        self.silence.restart()
        self.overview.uncertain = True
        self.confirmations.lose()
        self.negotiation.lose()
        if direction is not self.ends.receiver:
            self.batches.lose()
        self.ends.lose()
        self.heartbeats.open.clear()

    def close(self, direction: Direction, ending: Ending, place: Place) -> list[Observation]:
        """Note the end of the connection."""
        log, ends, overview, silence = self.log, self.ends, self.overview, self.silence
        log.direction, log.place = direction, place
        stops = ending is Ending.OPEN
        if place.time - silence.since > silence.interval:
            silence.check(over=True)
        if not ends.closed:
            if len(ends.spoken) > 1:
                self.heartbeats.end(capture_stops=stops)
            if not stops and not overview.uncertain:
                state = State.RUNNING if ends.states.sender is None else ends.states.sender
                log.add(ClosedWithoutExchange, ending is Ending.RESET, state.value)
        fate = self.confirmations.last_fate(capture_stops=stops)
        refused = self.confirmations.refused
        self.batches.settle(ends.sender or direction, fate, reason=refused, capture_stops=stops)
        if overview.outcome == "open" and not stops:
            overview.outcome = "refused" if self.negotiation.agreed is None and not overview.uncertain else "cut"
        return log.take()

    def _initial_data(self, segment: Segment) -> None:
        negotiation, ends = self.negotiation, self.ends
        before, state = negotiation.agreed, ends.states.receiver
        if before is not None and state is not None and state is not State.NEGOTIATING:
            ends.misplaced(Trigger.VALUES_CHANGED, state, by_sender=True)
        negotiation.receive(segment)
        if negotiation.proposal is not None:
            to_responder = negotiation.proposal.asks_to_be_sent_to
            ends.sender = Direction.RESPONDER if to_responder else Direction.INITIATOR
        agreed = negotiation.agreed
        if agreed is not None and agreed is not before:
            self.runs.longest = agreed.transmission_size
            self.silence.agree(agreed.heartbeat_interval)
            self.batches.agree(agreed)
            ends.states.start()
            self.overview.uncertain = False

    def _message(self, segment: Segment) -> None:
        ends, batches, flags = self.ends, self.batches, segment.flags1
        if self.log.direction is not ends.sender:
            ends.sends("MESSAGE_DATA", True)
        batch = batches.batch
        if batch is not None and flags & _FIRST and (batch.asked is not None or self._is_another(batch, segment)):
            # The previous batch is over, although its end or the answer was not seen.
            ends.step(Trigger.MESSAGE)
            batches.settle(self.log.direction, MessageOutcome.UNKNOWN, whole=False)
            batches.previous = b""
            self.overview.uncertain = True
        last = flags & _LAST
        if ends.states.receiver is not State.BATCH or not last:
            ends.step(Trigger.MESSAGE if last else Trigger.MESSAGE_PART)
        if segment.flags2 & _COMPRESSED:
            self._report_compressed(segment)
            batches.compressed(segment)
        elif segment.struc_id not in _SINGLE_HEADERS:
            batches.unread(segment)
        else:
            batches.message(segment)
        if flags & _CONFIRM and last:
            self.confirmations.ask(segment)

    def _is_another(self, batch: ObservedBatch, segment: Segment) -> bool:
        """Return whether a message belongs to a later batch whose beginning was lost."""
        return self.overview.uncertain and not batch.whole and segment.luwid != batch.luwid

    def _report_compressed(self, segment: Segment) -> None:
        """Report the first compressed segment of each direction."""
        direction, agreed, flags = self.log.direction, self.negotiation.agreed, segment.flags2
        if direction in self._compressing:
            return
        self._compressing.add(direction)
        values = None if agreed is None else (agreed.header_compression, agreed.message_compression)
        header, data = bool(flags & ControlFlags2.HDRCOMP), bool(flags & ControlFlags2.MSGCOMP)
        self.log.add(ChannelCompressedSeen, header, data, values)


_HANDLERS: Final[dict[int, Callable[[ChannelObserver, Segment], None]]] = {
    SegmentType.INITIAL_DATA: ChannelObserver._initial_data,
    SegmentType.STATUS_DATA: lambda observer, segment: observer.status.receive(segment),
    SegmentType.HEARTBEAT: lambda observer, segment: observer.heartbeats.receive(segment),
    SegmentType.RESYNC_DATA: lambda observer, segment: observer.exchanges.resync(segment),
    SegmentType.RESET_DATA: lambda observer, segment: observer.exchanges.reset(segment),
    SegmentType.PING_DATA: lambda observer, segment: observer.exchanges.ping(segment),
}
