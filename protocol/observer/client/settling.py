"""What becomes of messages: replies to puts, units of work and branches of transactions (mqi.md, mq-wire.md 5.13)."""

from __future__ import annotations

from typing import Final

from mqbridge.protocol.constants import MQCC, MQRC, SegmentType, XAReturn
from mqbridge.protocol.observer.kept_data import MAX_UNSETTLED_DATA
from mqbridge.protocol.observer.observations import (
    Ending,
    MessageFate,
    MessageSeen,
    MessageSettled,
    ObservedMessage,
    UnreadMessage,
    UnreadMessageSeen,
)

from .signing_on import SigningOn
from .tracking import MAX_BRANCHES, MAX_UNSETTLED, Track, Unit, Waiting

_FAILED: Final = int(MQCC.FAILED)
_CONFIRMED: Final = MessageFate.CONFIRMED
_MQBACK: Final = int(SegmentType.MQBACK)
_ROLLED_BACK: Final = range(100, 108)
_BRANCH_ENDS: Final = frozenset((SegmentType.XA_COMMIT, SegmentType.XA_ROLLBACK, SegmentType.XA_FORGET))

Key = tuple[int, bytes, bytes]


class Settling(SigningOn):
    """The part with its messages.

    ``_unsettled``: those whose fate is open; ``_unsettled_bytes``: of their data there are at most so many here.
    """

    def __init__(self, whole: bool) -> None:
        super().__init__(whole)
        self._unsettled: set[ObservedMessage] = set()
        self._unsettled_bytes = 0
        self._branches: dict[Key, Unit] = {}
        self._asynchronous: list[ObservedMessage] = []
        self.messages = 0
        self.units = 0
        self.single = 0

    def _see(self, message: ObservedMessage) -> None:
        """Tell a message whose fate is open from now on."""
        self.messages += 1
        self._unsettled.add(message)
        self._unsettled_bytes += len(message.data)
        if isinstance(message, UnreadMessage):
            self._told.append(UnreadMessageSeen(message.direction, message.last, message))
        else:
            self._told.append(MessageSeen(message.direction, message.last, message))

    def _settle(self, message: ObservedMessage, fate: MessageFate, reason: int = 0) -> None:
        self._unsettled.discard(message)
        self._unsettled_bytes -= len(message.data)
        self._told.append(MessageSettled(self._direction, self._place, message, fate, reason))

    @property
    def _full(self) -> bool:
        if self._unsettled_bytes > MAX_UNSETTLED_DATA:
            # What the readers of observations have let go of is counted no more.
            self._unsettled_bytes = sum(len(message.data) for message in self._unsettled)
        return len(self._unsettled) > MAX_UNSETTLED or self._unsettled_bytes > MAX_UNSETTLED_DATA

    def _join(self, unit: Unit, message: ObservedMessage) -> None:
        """A message belongs to a unit of work."""
        if self._full:
            self._settle(message, MessageFate.UNKNOWN)
        else:
            unit.messages.append(message)

    def _settle_unit(self, unit: Unit, fate: MessageFate, reason: int = 0) -> None:
        messages, unit.messages = unit.messages, []
        unit.asked = False
        for message in messages:
            self._settle(message, fate, reason)
        if fate is _CONFIRMED and messages:
            self.units += 1
            self.single += len(messages) == 1

    # Replies that settle

    def _put_answered(self, track: Track, call: Waiting, comp_code: int, reason: int) -> None:
        message, call.message = call.message, None
        if message is None:
            return
        self._see(message)
        if comp_code == _FAILED:
            self._settle(message, MessageFate.REFUSED, reason)
        elif call.in_unit:
            self._join(track.branch or track.unit, message)
        elif isinstance(message, UnreadMessage):
            self._settle(message, MessageFate.UNKNOWN, reason)  # it may be under syncpoint
        else:
            self._settle(message, _CONFIRMED, reason)

    def _unit_answered(self, track: Track, call: Waiting, comp_code: int, reason: int) -> None:
        """MQCMIT, MQBACK or MQDISC was answered."""
        unit = track.unit
        unit.asked = False
        if call.type == _MQBACK:
            if comp_code != _FAILED:
                self._settle_unit(unit, MessageFate.BACKED_OUT, reason)
        elif comp_code != _FAILED:
            self._settle_unit(unit, _CONFIRMED, reason)
        elif reason == MQRC.BACKED_OUT:
            self._settle_unit(unit, MessageFate.BACKED_OUT, reason)
        elif reason in (MQRC.OUTCOME_PENDING, MQRC.OUTCOME_MIXED):
            self._settle_unit(unit, MessageFate.IN_DOUBT, reason)

    def _status_answered(self, failures: int) -> None:
        """MQSTAT told what became of asynchronous puts."""
        messages, self._asynchronous = self._asynchronous, []
        for message in messages:
            self._settle(message, MessageFate.UNKNOWN if failures else MessageFate.CONFIRMED)

    def _put_asynchronously(self, track: Track, message: ObservedMessage, in_unit: bool) -> None:
        if in_unit:
            self._join(track.branch or track.unit, message)
        elif self._full:
            self._settle(message, MessageFate.UNKNOWN)
        else:
            self._asynchronous.append(message)

    # Branches

    def _branch_answered(self, track: Track, call: Waiting, result: int) -> None:
        """An XA call was answered."""
        key = call.key
        if key is None:
            return
        if call.type == SegmentType.XA_START and result >= 0:
            if key not in self._branches and len(self._branches) >= MAX_BRANCHES:
                return
            track.branch = self._branches.setdefault(key, Unit())
        elif call.type == SegmentType.XA_END:
            track.branch = None
        unit = self._branches.get(key)
        if unit is None:
            return
        if call.type == SegmentType.XA_PREPARE and result == XAReturn.OK:
            unit.prepared = True
        elif call.type in _BRANCH_ENDS or (call.type == SegmentType.XA_PREPARE and result >= 0):
            del self._branches[key]
            for other in self._tracks.values():
                if other.branch is unit:
                    other.branch = None
            self._settle_unit(unit, _fate_of_branch(call.type, result))

    # The end

    def _settle_track(self, track: Track, fate: MessageFate) -> None:
        """A conversation is over: what becomes of the messages in it."""
        for call in track.waiting:
            if call.message is not None:
                message, call.message = call.message, None
                self._see(message)
                unsure = fate is MessageFate.UNKNOWN or not call.in_unit
                told = fate if fate is not MessageFate.BACKED_OUT or not unsure else MessageFate.IN_DOUBT
                self._settle(message, told)
        in_doubt = track.unit.asked and fate is not MessageFate.UNKNOWN
        self._settle_unit(track.unit, MessageFate.IN_DOUBT if in_doubt else fate)
        got = MessageFate.CONFIRMED if fate is MessageFate.CONFIRMED else MessageFate.UNKNOWN
        for stream in track.streams.values():
            for _, _, message in stream.pending:
                self._settle(message, got)
            stream.pending.clear()

    def _settle_rest(self, ending: Ending) -> None:
        """The connection is over: branches, and asynchronous puts that nobody asked about."""
        for unit in self._branches.values():
            lost = ending is Ending.OPEN
            fate = MessageFate.UNKNOWN if lost else MessageFate.BACKED_OUT
            doubtful = not lost and (unit.prepared or unit.asked)
            self._settle_unit(unit, MessageFate.IN_DOUBT if doubtful else fate)
        self._branches.clear()
        for message in self._asynchronous:
            self._settle(message, MessageFate.UNKNOWN)
        self._asynchronous.clear()


def _fate_of_branch(kind: int, result: int) -> MessageFate:
    if kind == SegmentType.XA_ROLLBACK or result in _ROLLED_BACK:
        return MessageFate.BACKED_OUT
    return MessageFate.CONFIRMED if result >= 0 and kind != SegmentType.XA_FORGET else MessageFate.UNKNOWN
