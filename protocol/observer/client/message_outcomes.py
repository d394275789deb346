"""Outcomes of messages: replies to puts, units of work, transaction branches (mqi.md, mq-wire.md 5.13)."""

from __future__ import annotations

from typing import Final, final

from mqbridge.protocol.constants import MQCC, MQRC, SegmentType, XAReturn
from mqbridge.protocol.observer.kept_data import MAX_UNSETTLED_DATA
from mqbridge.protocol.observer.observations import (
    Ending,
    MessageOutcome,
    MessageSeen,
    MessageSettled,
    ObservedMessage,
    UnreadMessage,
    UnreadMessageSeen,
)
from mqbridge.protocol.observer.overview import ObservationLog

from .conversations import ConversationObserver
from .tracking import MAX_BRANCHES, MAX_UNSETTLED, ConversationTrack, ObservedUnit, Waiting

_FAILED: Final = int(MQCC.FAILED)
_CONFIRMED: Final = MessageOutcome.CONFIRMED
_MQBACK: Final = int(SegmentType.MQBACK)
_ROLLED_BACK: Final = range(100, 108)
_BRANCH_ENDS: Final = frozenset((SegmentType.XA_COMMIT, SegmentType.XA_ROLLBACK, SegmentType.XA_FORGET))

Key = tuple[int, bytes, bytes]


@final
class MessageOutcomes:
    """Messages of a connection until their outcome is known.

    ``unsettled``: messages without an outcome. ``branches``: units of work of transactions by XID. ``messages``: number
    seen. ``units``: committed units of work with a message; ``single``: with exactly one.
    """

    __slots__ = (
        "_asynchronous", "_conversations", "_log", "_unsettled_bytes", "branches", "messages", "single", "units",
        "unsettled",
    )  # fmt: skip

    def __init__(self, log: ObservationLog, conversations: ConversationObserver) -> None:
        self._log, self._conversations = log, conversations
        self.unsettled: set[ObservedMessage] = set()
        self._unsettled_bytes = 0
        self.branches: dict[Key, ObservedUnit] = {}
        self._asynchronous: list[ObservedMessage] = []
        self.messages = 0
        self.units = 0
        self.single = 0

    def see(self, message: ObservedMessage) -> None:
        """Report a message, whose outcome is pending from now on."""
        self.messages += 1
        self.unsettled.add(message)
        self._unsettled_bytes += len(message.data)
        if isinstance(message, UnreadMessage):
            self._log.observations.append(UnreadMessageSeen(message.direction, message.last, message))
        else:
            self._log.observations.append(MessageSeen(message.direction, message.last, message))

    def settle(self, message: ObservedMessage, fate: MessageOutcome, reason: int = 0) -> None:
        """Report the outcome of a message."""
        self.unsettled.discard(message)
        self._unsettled_bytes -= len(message.data)
        self._log.observations.append(MessageSettled(self._log.direction, self._log.place, message, fate, reason))

    @property
    def is_full(self) -> bool:
        """Return whether the limit of pending messages, or of their bytes, is reached."""
        if self._unsettled_bytes > MAX_UNSETTLED_DATA:
            # Messages no longer referenced by readers of observations do not count.
            self._unsettled_bytes = sum(len(message.data) for message in self.unsettled)
        return len(self.unsettled) > MAX_UNSETTLED or self._unsettled_bytes > MAX_UNSETTLED_DATA

    def join(self, unit: ObservedUnit, message: ObservedMessage) -> None:
        """Add a message to a unit of work."""
        if self.is_full:
            self.settle(message, MessageOutcome.UNKNOWN)
        else:
            unit.messages.append(message)

    def settle_unit(self, unit: ObservedUnit, fate: MessageOutcome, reason: int = 0) -> None:
        """Report the outcome of all messages of a unit of work, and empty it."""
        messages, unit.messages = unit.messages, []
        unit.asked = False
        for message in messages:
            self.settle(message, fate, reason)
        if fate is _CONFIRMED and messages:
            self.units += 1
            self.single += len(messages) == 1

    # Replies

    def answer_put(self, track: ConversationTrack, call: Waiting, comp_code: int, reason: int) -> None:
        """Report the outcome of the message that a call put, from its reply."""
        message, call.message = call.message, None
        if message is None:
            return
        self.see(message)
        if comp_code == _FAILED:
            self.settle(message, MessageOutcome.REFUSED, reason)
        elif call.in_unit:
            self.join(track.branch or track.unit, message)
        elif isinstance(message, UnreadMessage):
            self.settle(message, MessageOutcome.UNKNOWN, reason)  # it may be under syncpoint
        else:
            self.settle(message, _CONFIRMED, reason)

    def answer_unit(self, track: ConversationTrack, call: Waiting, comp_code: int, reason: int) -> None:
        """Take the reply to MQCMIT, MQBACK or MQDISC."""
        unit = track.unit
        unit.asked = False
        if call.type == _MQBACK:
            if comp_code != _FAILED:
                self.settle_unit(unit, MessageOutcome.BACKED_OUT, reason)
        elif comp_code != _FAILED:
            self.settle_unit(unit, _CONFIRMED, reason)
        elif reason == MQRC.BACKED_OUT:
            self.settle_unit(unit, MessageOutcome.BACKED_OUT, reason)
        elif reason in (MQRC.OUTCOME_PENDING, MQRC.OUTCOME_MIXED):
            self.settle_unit(unit, MessageOutcome.IN_DOUBT, reason)

    def answer_status(self, failures: int) -> None:
        """Take the number of failed asynchronous puts from MQSTAT."""
        messages, self._asynchronous = self._asynchronous, []
        for message in messages:
            self.settle(message, MessageOutcome.UNKNOWN if failures else MessageOutcome.CONFIRMED)

    def put_asynchronously(self, track: ConversationTrack, message: ObservedMessage, in_unit: bool) -> None:
        """Track a message that was put asynchronously."""
        if in_unit:
            self.join(track.branch or track.unit, message)
        elif self.is_full:
            self.settle(message, MessageOutcome.UNKNOWN)
        else:
            self._asynchronous.append(message)

    # Branches

    def answer_branch(self, track: ConversationTrack, call: Waiting, result: int) -> None:
        """Take the reply to an XA call."""
        key = call.key
        if key is None:
            return
        if call.type == SegmentType.XA_START and result >= 0:
            if key not in self.branches and len(self.branches) >= MAX_BRANCHES:
                return
            track.branch = self.branches.setdefault(key, ObservedUnit())
        elif call.type == SegmentType.XA_END:
            track.branch = None
        unit = self.branches.get(key)
        if unit is None:
            return
        if call.type == SegmentType.XA_PREPARE and result == XAReturn.OK:
            unit.prepared = True
        elif call.type in _BRANCH_ENDS or (call.type == SegmentType.XA_PREPARE and result >= 0):
            del self.branches[key]
            for other in self._conversations.tracks.values():
                if other.branch is unit:
                    other.branch = None
            self.settle_unit(unit, _fate_of_branch(call.type, result))

    # The end

    def settle_conversation(self, track: ConversationTrack, fate: MessageOutcome) -> None:
        """Report the outcomes of the messages of an ended conversation."""
        for call in track.waiting:
            if call.message is not None:
                message, call.message = call.message, None
                self.see(message)
                unsure = fate is MessageOutcome.UNKNOWN or not call.in_unit
                outcome = fate if fate is not MessageOutcome.BACKED_OUT or not unsure else MessageOutcome.IN_DOUBT
                self.settle(message, outcome)
        in_doubt = track.unit.asked and fate is not MessageOutcome.UNKNOWN
        self.settle_unit(track.unit, MessageOutcome.IN_DOUBT if in_doubt else fate)
        got = MessageOutcome.CONFIRMED if fate is MessageOutcome.CONFIRMED else MessageOutcome.UNKNOWN
        for stream in track.streams.values():
            for _, _, message in stream.pending:
                self.settle(message, got)
            stream.pending.clear()

    def settle_rest(self, ending: Ending) -> None:
        """Report the outcomes of branches and asynchronous puts at the end of the connection."""
        for unit in self.branches.values():
            lost = ending is Ending.OPEN
            fate = MessageOutcome.UNKNOWN if lost else MessageOutcome.BACKED_OUT
            doubtful = not lost and (unit.prepared or unit.asked)
            self.settle_unit(unit, MessageOutcome.IN_DOUBT if doubtful else fate)
        self.branches.clear()
        for message in self._asynchronous:
            self.settle(message, MessageOutcome.UNKNOWN)
        self._asynchronous.clear()


def _fate_of_branch(kind: int, result: int) -> MessageOutcome:
    if kind == SegmentType.XA_ROLLBACK or result in _ROLLED_BACK:
        return MessageOutcome.BACKED_OUT
    return MessageOutcome.CONFIRMED if result >= 0 and kind != SegmentType.XA_FORGET else MessageOutcome.UNKNOWN
