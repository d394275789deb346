"""Questions and answers of a message channel: confirmation, heartbeats, resynchronisation, reset, ping, status.

What an answer means is read as a live sender reads it (``protocol.channel.sender``).
"""

from __future__ import annotations

from mqbridge.protocol.channel.resync import next_number, read_resync
from mqbridge.protocol.channel.states import State, Trigger
from mqbridge.protocol.channel.status import ChannelError
from mqbridge.protocol.constants import ControlFlags1, SegmentType, StatusCode
from mqbridge.protocol.direction import Direction
from mqbridge.protocol.errors import StructureError
from mqbridge.protocol.framing import NO_LUWID
from mqbridge.protocol.observer.observations import MessageFate, Observation, Place
from mqbridge.protocol.segment import Segment
from mqbridge.protocol.structures import parse_reset, parse_status_data

from .batch_observations import BatchConfirmed, ConfirmAsked
from .ending import Knowledge
from .observations import (
    ChannelClosing,
    CloseAsked,
    FieldSeen,
    HeartbeatAnswered,
    HeartbeatSeen,
    OutOfPlace,
    PingAnswered,
    Resynchronised,
    SegmentUnreadable,
    SequenceNumberReset,
    StatusSeen,
)


class Answering(Knowledge):
    """Part of :class:`~.part.ChannelPart`."""

    # STATUS_DATA

    def _status(self, direction: Direction, segment: Segment, place: Place) -> list[Observation]:
        told: list[Observation] = []
        code, value = self._read_status(direction, segment, place, told)
        flags, luwid = segment.flags1, segment.luwid
        if flags & ControlFlags1.ERROR or code:
            return told + self._error(direction, place, code, value)
        if flags & ControlFlags1.CONFIRM_REQUEST:
            if direction is not self.sender:
                self._sends(direction, place, "confirmation asked for", True, told)
            told += self._confirm_asked(direction, segment, place)
            if flags & ControlFlags1.CLOSE_CHANNEL:
                told += self._closing(direction, place)
            return told
        if self.sender is None and luwid != NO_LUWID:
            self.sender = direction.other
        if direction is self._receiver:
            return told + self._status_of_receiver(direction, segment, place)
        if flags & ControlFlags1.CLOSE_CHANNEL:
            return told + self._closing(direction, place)
        if not self._beat_answered(direction, place, told):
            self._odd_status(direction, segment, place, told)
        return told

    def _status_of_receiver(self, direction: Direction, segment: Segment, place: Place) -> list[Observation]:
        told: list[Observation] = []
        flags, batch = segment.flags1, self.batches.batch
        closes = flags & ControlFlags1.CLOSE_CHANNEL
        awaited = segment.luwid == NO_LUWID and any(asker is self.sender for asker, _ in self._beats)
        names = batch is not None and segment.luwid in (batch.luwid, batch.asked_luwid)
        confirming = self.course.sender is State.CONFIRMING
        if not awaited and (names if not confirming or closes else True):
            told += self._confirmed(direction, segment, place)
            if closes:
                told += self._closing(direction, place)
        elif closes:
            told += self._closing(direction, place)
        elif self._asked is not None and self._asked[0] == SegmentType.RESET_DATA:
            self._reset_answered(direction, place, told)
        elif awaited and self._beat_answered(direction, place, told):
            pass
        elif not flags & ControlFlags1.REQUEST_CLOSE:
            self._odd_status(direction, segment, place, told)
        if flags & ControlFlags1.REQUEST_CLOSE:
            told.append(CloseAsked(direction, place))
        return told

    def _odd_status(self, direction: Direction, segment: Segment, place: Place, told: list[Observation]) -> None:
        """A status that answers nothing: a confirmation that nobody asked for, mostly."""
        if direction is self._receiver:
            self._answer(direction, place, Trigger.CONFIRMED, told)
        elif not (self.uncertain or self._ended or self.sender is None):
            what = f"STATUS_DATA with flags {segment.flags1:02x}"
            told.append(OutOfPlace(direction, place, what, "Running", ("CONFIRM_REQUEST or CLOSE_CHANNEL",), False))

    def _read_status(
        self, direction: Direction, segment: Segment, place: Place, told: list[Observation]
    ) -> tuple[int, int | None]:
        there = segment.body_length
        if not there:
            return 0, None
        try:
            body = parse_status_data(segment.body_view, segment.order)
        except StructureError:
            expected = "no body, or one of 8 or 12 bytes"
            told.append(SegmentUnreadable(direction, place, "STATUS_DATA", expected, f"{there} bytes"))
            return 0, None
        assert body is not None
        if body.length not in (8, 12) or body.length > there:
            expected = f"8 or 12, at most the {there} bytes of the body"
            told.append(FieldSeen(direction, place, "STATUS", "Length", expected, str(body.length)))
        return int(body.code), int(body.value) if body.has("value") else None

    def _error(self, direction: Direction, place: Place, code: int, value: int | None) -> list[Observation]:
        told: list[Observation] = [StatusSeen(direction, place, code, value, self.agreed is not None)]
        self._ended.setdefault(direction, False)
        if self.outcome == "open":
            self.outcome = "refused" if self.agreed is None and not self.uncertain else "cut"
            self.reason = code
        if direction is self._receiver and code in StatusCode._value2member_map_:
            self._refused = code
        return told

    def _closing(self, direction: Direction, place: Place) -> list[Observation]:
        self._ended.setdefault(direction, False)
        if self.outcome == "open":
            self.outcome = "ended"
        call_back = self.agreed is None and not self.uncertain and direction is Direction.RESPONDER
        return [ChannelClosing(direction, place, call_back)]

    # Confirmation

    def _confirm_asked(self, direction: Direction, segment: Segment, place: Place) -> list[Observation]:
        told: list[Observation] = []
        batch = self.batches.batch
        if batch is not None and self.uncertain and not batch.whole and segment.luwid != batch.luwid:
            # The end of a later batch, of which no message was seen.
            told += self.batches.settle(direction, place, MessageFate.UNKNOWN, whole=False)
            self.batches.previous, batch = b"", None
        self._step(direction, place, Trigger.CONFIRM_ASKED, told)
        known = batch is not None or not self.uncertain
        messages = None if not known or (batch is not None and not batch.whole) else batch.count if batch else 0
        told.append(ConfirmAsked(direction, place, segment.luwid, batch.luwid if batch is not None else b"", messages))
        if batch is not None:
            batch.asked, batch.asked_luwid = place, segment.luwid
        self._asked = SegmentType.STATUS_DATA, place, segment.luwid, b""
        return told

    def _confirmed(self, direction: Direction, segment: Segment, place: Place) -> list[Observation]:
        told: list[Observation] = []
        batch, asked = self.batches.batch, self._asked
        self._answer(direction, place, Trigger.CONFIRMED, told)
        settles = asked is not None and asked[0] == SegmentType.STATUS_DATA
        asked_place = asked[1] if settles and asked is not None else None
        about = asked[2] if settles and asked is not None else batch.luwid if batch is not None else b""
        limit = self.agreed.silence_limit if self.agreed is not None else None
        told.append(
            BatchConfirmed(
                direction,
                place,
                asked_place,
                place.time - asked_place.time if asked_place is not None else 0.0,
                segment.luwid,
                about,
                batch.count if batch is not None else 0,
                limit,
                bool(segment.flags1 & ControlFlags1.DLQ_USED),
            )
        )
        told += self.batches.settle(direction.other, place, MessageFate.CONFIRMED, confirmed=True, whole=settles)
        if settles:
            self.uncertain = self._lost = False
        self._asked = None
        self._since = max(self._since, place.time)
        return told

    # Heartbeats

    def _heartbeat(self, direction: Direction, segment: Segment, place: Place) -> list[Observation]:
        told: list[Observation] = []
        if segment.flags1 & ControlFlags1.CONFIRM_REQUEST:
            open_ones = sum(asker is direction for asker, _ in self._beats)
            if direction is self.sender:
                self._step(direction, place, Trigger.HEARTBEAT, told)
            by_sender = None if self.sender is None else direction is self.sender
            self._beats.append((direction, place))
            told.append(HeartbeatSeen(direction, place, by_sender, open_ones))
            return told
        if not self._beat_answered(direction, place, told) and not (self.uncertain or self._ended):
            told.append(
                OutOfPlace(direction, place, Trigger.HEARTBEAT_ANSWERED.value, "Running", ("no answer",), False)
            )
        if segment.flags1 & ControlFlags1.REQUEST_CLOSE:
            told.append(CloseAsked(direction, place))
        return told

    def _beat_answered(self, direction: Direction, place: Place, told: list[Observation]) -> bool:
        """Whether a heartbeat of the other end was open."""
        for index, (asker, asked) in enumerate(self._beats):
            if asker is not direction:
                del self._beats[index]
                if direction is self._receiver:
                    self._answer(direction, place, Trigger.HEARTBEAT_ANSWERED, told)
                told.append(HeartbeatAnswered(direction, place, asked, place.time - asked.time))
                return True
        return False

    # The start

    def _resync(self, direction: Direction, segment: Segment, place: Place) -> list[Observation]:
        told: list[Observation] = []
        try:
            number = read_resync(segment)
        except ChannelError as error:
            expected = "a length of 8 and a sequence number"
            told.append(SegmentUnreadable(direction, place, "RESYNC_DATA", expected, str(error)))
            return told
        if segment.flags1 & ControlFlags1.CONFIRM_REQUEST:
            if direction is not self.sender:
                self._sends(direction, place, "RESYNC_DATA", False, told)
            self._step(direction, place, Trigger.RESYNC_ASKED, told)
            self._asked = SegmentType.RESYNC_DATA, place, segment.luwid, number.to_bytes(4, "big")
            return told
        asked = self._asked
        self._answer(direction, place, Trigger.RESYNC_ANSWERED, told)
        if asked is not None and asked[0] == SegmentType.RESYNC_DATA:
            in_doubt = asked[1], asked[2], int.from_bytes(asked[3], "big")
            told.append(Resynchronised(direction, place, *in_doubt, segment.luwid, number))
            # Another batch: the sender takes its own numbers, which agree with these unless the receiver was reset.
            wrap, same = self.batches.wrap, segment.luwid == asked[2]
            self.batches.expected = next_number(number, wrap) if wrap and same else None
        self._asked = None
        self._since = max(self._since, place.time)
        return told

    def _reset(self, direction: Direction, segment: Segment, place: Place) -> list[Observation]:
        told: list[Observation] = []
        awaited = self._asked is not None and self._asked[0] == SegmentType.RESET_DATA
        if direction is self._receiver and (awaited or not segment.flags1 & ControlFlags1.CONFIRM_REQUEST):
            self._reset_answered(direction, place, told)
            return told
        if direction is not self.sender:
            self._sends(direction, place, "RESET_DATA", False, told)
        self._step(direction, place, Trigger.RESET_ASKED, told)
        self._asked = SegmentType.RESET_DATA, place, segment.luwid, b""
        try:
            body = parse_reset(segment.body_view, segment.order)
        except StructureError:
            seen = f"{segment.body_length} bytes"
            told.append(SegmentUnreadable(direction, place, "RESET_DATA", "8 bytes behind the header", seen))
            return told
        self.batches.expected = body.sequence_number
        told.append(SequenceNumberReset(direction, place, body.sequence_number))
        return told

    def _reset_answered(self, direction: Direction, place: Place, told: list[Observation]) -> None:
        self._answer(direction, place, Trigger.RESET_ANSWERED, told)
        self._asked = None
        self._since = max(self._since, place.time)

    def _ping(self, direction: Direction, segment: Segment, place: Place) -> list[Observation]:
        told: list[Observation] = []
        data = segment.body
        if segment.body_length < 4:
            told.append(SegmentUnreadable(direction, place, "PING_DATA", "a length and data", f"{len(data)} bytes"))
        if segment.flags1 & ControlFlags1.CONFIRM_REQUEST:
            if direction is not self.sender:
                self._sends(direction, place, "PING_DATA", False, told)
            self._step(direction, place, Trigger.PING, told)
            self._asked = SegmentType.PING_DATA, place, b"", data[4:]
            return told
        asked, self._asked = self._asked, None
        if asked is not None and asked[0] == SegmentType.PING_DATA:
            told.append(PingAnswered(direction, place, asked[1], len(data) - 4, data[4:] == asked[3]))
        elif not (self.uncertain or self._ended):
            told.append(OutOfPlace(direction, place, "PING_DATA, sent back", "Running", ("no answer",), False))
        return told
