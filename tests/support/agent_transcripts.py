"""Recorded clients with our agent: what a client sent is said again, with our values in place of the recorded ones.

What the recorded server had given - handles, tokens, message ids, names of dynamic queues, tags - is learnt by pairing
its answers with ours, and replaced at the named fields of what the client says later. Compared is each field of
:data:`COMPARED`: the recorded value, with ours in place of the recorded server's, must be what we say.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator
from typing import Any, Final

from attrs import define
from client_transcripts import Recorded
from program_line import AgentScene, ProgramLine
from wire_fields import WireField, fields_of, segments_of

from protocol.constants import ControlFlags1, SegmentType
from protocol.framing import Segment

Kind = tuple[int, bytes, int, int, int]
"""Type, header, conversation, request and flags of an answer; one in several segments counts as one."""

GIVEN: Final = {
    **dict.fromkeys(("API.ObjectHandle", "REQMSG.ObjectHandle", "NOTIF.ObjectHandle", "ASYNC.ObjectHandle"), "handle"),
    **dict.fromkeys(("SUB.SubscriptionHandle", "SPBI.SubscriptionHandle", "SPBO.SubscriptionHandle"), "handle"),
    "PMO.Context": "handle",
    **dict.fromkeys(("ASYNC.MsgToken", "GMO.MsgToken", "REQMSG.MsgToken"), "token"),
    **dict.fromkeys(("MD.MsgId", "MD.CorrelId", "MD.GroupId", "SD.SubCorrelId"), "id"),
    **dict.fromkeys(("REQMSG.MsgId", "REQMSG.CorrelId", "REQMSG.GroupId"), "id"),
    **dict.fromkeys(("OD.ObjectName", "MD.ReplyToQ"), "name"),
    **dict.fromkeys(("FCNO.ConnTag", "FCNO.RetConnTag"), "tag"),
}
"""Named fields whose values a server gives out, and of what sort they are."""

COMPARED: Final = frozenset(
    {
        *("ID.FapLevel", "ID.MaxTransmissionSize", "ID.MaxMessageSize", "ID.HeartbeatInterval", "ID.ConvPerSocket"),
        *("API.CompCode", "API.Reason", "API.ObjectHandle"),
        *("SOCKET.ConversationId", "SOCKET.RequestId", "SOCKET.Type"),
        *("NOTIF.ObjectHandle", "NOTIF.Code", "NOTIF.Value"),
        *("ASYNC.ObjectHandle", "ASYNC.MessageIndex", "ASYNC.GlobalMessageIndex", "ASYNC.SelectionIndex"),
        *("ASYNC.ReasonCode", "ASYNC.TotalMsgLength", "ASYNC.ActualMsgLength", "ASYNC.MsgToken"),
        *("MD.Version", "MD.Report", "MD.MsgType", "MD.Feedback", "MD.Format", "MD.Priority", "MD.Persistence"),
        *("MD.MsgId", "MD.CorrelId", "MD.BackoutCount", "MD.ReplyToQ", "MD.GroupId", "MD.MsgSeqNumber", "MD.Offset"),
        *("MD.MsgFlags", "MD.OriginalLength", "MD.Encoding", "MD.CodedCharSetId"),
        *("OD.ObjectName", "DataLength.DataLength", "data.bytes", "GMO.MsgToken"),
        *("INQ.Selectors", "INQ.SelectorCount", "INQ.IntAttrCount", "INQ.CharAttrLength"),
        *("SUB.SubscriptionHandle", "SPBO.SubscriptionHandle", "SD.SubCorrelId"),
        *("XA.ReturnValue", "XA.RMId", "XACount.Count", "XID.FormatId", "XID.GtridLength", "XID.BqualLength"),
    }
)

_FIRST: Final = int(ControlFlags1.FIRST)
_LAST: Final = int(ControlFlags1.LAST)
_HANDLES: Final = frozenset(key for key, sort in GIVEN.items() if sort == "handle")
_OPENING: Final = frozenset({SegmentType.MQOPEN_REPLY, SegmentType.SPI_REPLY, SegmentType.MQSUB_REPLY})
"""Replies that give handles; a handle that is closed may be given again."""
_STREAM: Final = "ASYNC.ObjectHandle"
_SPLIT: Final = frozenset({SegmentType.ASYNC_MESSAGE, *range(0x91, 0xA0)})
"""Types that come in several segments."""


@define
class Answer:
    """A segment of a server with its fields, or several segments that are one message."""

    kind: Kind
    segment: Segment
    fields: list[WireField]
    data: bytes = b""

    @property
    def values(self) -> dict[str, WireField]:
        """The fields by key; of those that come several times the first."""
        return {field.key: field for field in reversed(self.fields)}

    @property
    def places(self) -> dict[tuple[str, int], WireField]:
        """The fields by key and how many of that key came before."""
        seen: Counter[str] = Counter()
        found = {}
        for field in self.fields:
            found[field.key, seen[field.key]] = field
            seen[field.key] += 1
        return found


class Assembler:
    """Puts the segments of one server together."""

    def __init__(self) -> None:
        self._begun: dict[tuple[int, int], Answer] = {}

    def take(self, segments: Iterable[Segment]) -> Iterator[Answer]:
        """The answers that are whole now."""
        for one in segments:
            place, split = (one.type, one.conversation_id), one.type in _SPLIT
            fields = list(fields_of(one))
            data = next((field.value for field in fields if field.key == "data.bytes"), b"")
            if split and not one.flags1 & _FIRST and place in self._begun:
                self._begun[place].data += data
            else:
                flags = one.flags1 | _LAST if split and one.flags1 & _FIRST else one.flags1
                kind = (one.type, one.struc_id, one.conversation_id, one.request_id, flags)
                self._begun[place] = Answer(kind, one, fields, data)
            if not split or one.flags1 & _LAST:
                answer = self._begun.pop(place)
                answer.fields = [
                    WireField("data", "bytes", field.offset, len(answer.data), answer.data)
                    if field.key == "data.bytes"
                    else field
                    for field in answer.fields
                ]
                yield answer


def shown(kind: Kind) -> str:
    """A kind in words."""
    return f"{SegmentType(kind[0])} {kind[1].decode('latin-1')} {kind[2]}/{kind[3]} {kind[4]:#04x}"


@define
class Difference:
    """Where our answer is not the recorded one. ``field``: its key, or ``kinds`` for which answers come."""

    field: str
    where: str
    recorded: Any
    ours: Any

    def __str__(self) -> str:
        return f"{self.where}: {self.field} {_short(self.recorded)} recorded, {_short(self.ours)} ours"


def _short(value: Any) -> str:
    text = value.hex() if isinstance(value, bytes) and not value[:40].isascii() else str(value)
    return text if len(text) < 200 else text[:200] + "…"


class Replay:
    """One transcript with our agent. ``fields``: the keys of the fields that must agree; None for all."""

    def __init__(self, scene: AgentScene, fields: frozenset[str] | None = COMPARED) -> None:
        self.scene = scene
        self.fields = fields
        self.differences: list[Difference] = []
        self.compared: Counter[str] = Counter()
        self.lines: dict[int, ProgramLine] = {}
        self._values: dict[tuple[Any, ...], Any] = {}
        self._longer: Counter[tuple[int, int, int]] = Counter()
        self._recorded: dict[tuple[int, Kind], deque[Answer]] = defaultdict(deque)
        self._kinds: dict[int, tuple[list[Kind], list[Kind]]] = defaultdict(lambda: ([], []))
        self._assemblers: dict[int, Assembler] = defaultdict(Assembler)

    def expects(self, socket: int, recorded: Iterable[Segment]) -> None:
        """What the recorded server said on a connection."""
        for answer in Assembler().take(recorded):
            self._recorded[socket, answer.kind].append(answer)
            self._kinds[socket][0].append(answer.kind)

    def client_says(self, one: Recorded) -> None:
        """Says what the client sent, with our values in place."""
        line = self.lines.get(one.socket)
        if line is None:
            line = self.lines[one.socket] = self.scene.line()
        data = bytearray(one.data)
        at = 0
        for segment in segments_of(one.data):
            self._put_ours(one.socket, segment, data, at)
            at += segment.length
        line.says(bytes(data))
        self.listen()

    def listen(self) -> None:
        """Takes what we have said meanwhile on all connections."""
        for socket, line in self.lines.items():
            for answer in self._assemblers[socket].take(line.answers()):
                self._kinds[socket][1].append(answer.kind)
                self._heard(socket, answer)

    def order(self, passed: frozenset[SegmentType] = frozenset()) -> list[Difference]:
        """Where the answers of a conversation are others, or in another order; ``passed``: types left out."""
        found = []
        for socket, both in self._kinds.items():
            for conversation in sorted({kind[2] for side in both for kind in side}):
                sides = [[k for k in side if k[2] == conversation and k[0] not in passed] for side in both]
                if sides[0] != sides[1]:
                    unequal = (n for n, (a, b) in enumerate(zip(*sides, strict=False)) if a != b)
                    place = next(unequal, min(map(len, sides)))
                    text = [", ".join(map(shown, side[place : place + 3])) or "nothing" for side in sides]
                    found.append(Difference("kinds", f"socket {socket}, answer {place}", text[0], text[1]))
        return found

    # Inside

    @staticmethod
    def _key(socket: int, segment: Segment, field: WireField) -> tuple[Any, ...] | None:
        sort, value = GIVEN.get(field.key), field.value
        if sort is None:
            return None
        if sort == "handle":
            return (sort, socket, segment.conversation_id, value) if value > 0 else None
        return (sort, value) if value.strip(b"\0 @") else None

    def _put_ours(self, socket: int, segment: Segment, data: bytearray, at: int) -> None:
        fields = list(fields_of(segment))
        handle = next((field.value for field in fields if field.key == "REQMSG.ObjectHandle"), 0)
        for field in fields:
            key = self._key(socket, segment, field)
            ours = None if key is None else self._values.get(key)
            if field.key == "REQMSG.ReceivedBytes" and field.value:
                # The client counts what has arrived; ours may be longer.
                ours = field.value + self._longer.pop((socket, segment.conversation_id, handle), 0)
            if ours is not None:
                raw = ours if isinstance(ours, bytes) else ours.to_bytes(field.size, segment.order, signed=True)
                data[at + field.offset : at + field.offset + field.size] = raw.ljust(field.size)[: field.size]

    def _counterpart(self, socket: int, ours: Answer, told: dict[str, WireField]) -> Answer | None:
        """The next recorded answer of the kind; of what streams, that of the same handle."""
        waiting = self._recorded[socket, ours.kind]
        if not waiting:
            return None
        handle = told.get(_STREAM)
        if handle is not None:
            for answer in waiting:
                field = answer.values[_STREAM]
                if self._values.get(self._key(socket, answer.segment, field) or ()) == handle.value:
                    waiting.remove(answer)
                    return answer
        return waiting.popleft()

    def _heard(self, socket: int, ours: Answer) -> None:
        told = ours.values
        theirs = self._counterpart(socket, ours, told)
        if theirs is None:
            return  # order() tells
        known = theirs.values
        where = f"socket {socket}, {shown(ours.kind)}"
        if "ASYNC.ActualMsgLength" in told:
            place = (socket, ours.segment.conversation_id, known["ASYNC.ObjectHandle"].value)
            self._longer[place] += told["ASYNC.ActualMsgLength"].value - known["ASYNC.ActualMsgLength"].value
        answers = ours.places
        again = _HANDLES if ours.kind[0] in _OPENING else ()
        for place, field in theirs.places.items():
            answer = answers.pop(place, None)
            key = self._key(socket, theirs.segment, field)
            if key is not None and answer is not None and (key not in self._values or field.key in again):
                self._values[key] = answer.value
            if self.fields is not None and field.key not in self.fields:
                continue
            self.compared[field.key] += 1
            expected = field.value if key is None or answer is None else self._values[key]
            if answer is None or expected != answer.value:
                self.differences.append(
                    Difference(field.key, where, expected, None if answer is None else answer.value)
                )
        if self.fields is None:
            self.differences += [Difference(key, where, None, field.value) for (key, _), field in answers.items()]
