"""Values assigned by a server and repeated by its client: learned from both servers' answers, put into requests.

Values assigned by the recorded server - handles, tokens, message ids, names of dynamic queues, tags, its own name - are
paired with those that the current server assigns in the same place, and replaced in named fields of later requests.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any, Final

from mqbridge.captures.differential.answers import ComparedAnswer
from mqbridge.captures.differential.wire_fields import WireField, fields_of
from mqbridge.protocol.constants import SegmentType
from mqbridge.protocol.framing import Segment

_QUEUE_MANAGER: Final = "queue manager"

GIVEN: Final = {
    **dict.fromkeys(("API.ObjectHandle", "REQMSG.ObjectHandle", "NOTIF.ObjectHandle", "ASYNC.ObjectHandle"), "handle"),
    **dict.fromkeys(("SUB.SubscriptionHandle", "SPBI.SubscriptionHandle", "SPBO.SubscriptionHandle"), "handle"),
    "PMO.Context": "handle",
    **dict.fromkeys(("ASYNC.MsgToken", "GMO.MsgToken", "REQMSG.MsgToken"), "token"),
    **dict.fromkeys(("MD.MsgId", "MD.CorrelId", "MD.GroupId", "SD.SubCorrelId", "LSD.SubId"), "id"),
    **dict.fromkeys(("REQMSG.MsgId", "REQMSG.CorrelId", "REQMSG.GroupId"), "id"),
    **dict.fromkeys(("OD.ObjectName", "OD.ResolvedQName", "OR.ObjectName", "MD.ReplyToQ"), "name"),
    **dict.fromkeys(("PMO.ResolvedQName", "GMO.ResolvedQName", "ASYNC.rest", "LSD.QName"), "name"),
    "TSH.LUWID": "batch",
    **dict.fromkeys(("FCNO.ConnTag", "FCNO.RetConnTag"), "tag"),
    **dict.fromkeys(("ID.QMgrName", "CONN.QMgrName", "OD.ObjectQMgrName", "OD.ResolvedQMgrName"), _QUEUE_MANAGER),
    **dict.fromkeys(("OR.ObjectQMgrName", "PMO.ResolvedQMgrName", "MD.ReplyToQMgr"), _QUEUE_MANAGER),
    **dict.fromkeys(("XQH.RemoteQMgrName", "MD.PutApplName"), _QUEUE_MANAGER),
}
"""Fields whose values a server assigns, with the sort of the value."""

STREAM: Final = "ASYNC.ObjectHandle"
"""Field with the stream of a message that was not requested individually."""

_TEXTS: Final = ("name", _QUEUE_MANAGER)
_OF_OBJECTS: Final = ("name", "id")
_NAMED_FIRST: Final = "ID.QMgrName"  # elsewhere a queue manager may name others
_HANDLES: Final = frozenset(key for key, sort in GIVEN.items() if sort == "handle")
_OPENING: Final = frozenset({SegmentType.MQOPEN_REPLY, SegmentType.SPI_REPLY, SegmentType.MQSUB_REPLY})
"""Replies that assign handles; the handle of a closed object may be assigned again."""

Key = tuple[Any, ...]


class GivenValues:
    """Current values by recorded value."""

    def __init__(self) -> None:
        self._values: dict[Key, Any] = {}
        self._longer: defaultdict[tuple[int, int, int], int] = defaultdict(int)

    def key(self, socket: int, segment: Segment, field: WireField) -> Key | None:
        """Return the key of a recorded value; None for an empty field, or one that no server assigns."""
        sort, value = GIVEN.get(field.key), field.value
        if sort is None:
            return None
        if sort == "handle":
            return (sort, socket, segment.conversation_id, value) if value > 0 else None
        if sort in _TEXTS:
            value = value.rstrip(b"\0 ")  # written with one filling here and another there
        return (sort, value) if value.strip(b"\0 @") else None

    def get(self, key: Key | None) -> Any:
        """Return the current value for a recorded one, or None."""
        return None if key is None else self._values.get(key)

    def expected(self, key: Key | None, field: WireField) -> Any:
        """Return the value expected in place of a recorded field: the recorded value if no other was assigned."""
        ours = self.get(key)
        if ours is None or key is None:
            return field.value
        if key[0] in _TEXTS:
            fill = field.value[-1:] if field.value[-1:] in (b" ", b"\0") else b" "
            return bytes(ours.rstrip(b"\0 ")).ljust(field.size, fill)
        return ours

    def learn(self, key: Key, value: Any, field: WireField, answer: ComparedAnswer) -> None:
        """Note that a server assigned ``value`` in place of the recorded one; the first pairing is kept, except for new
        handles.

        Empty names and ids, as in replies to failed calls, are ignored.
        """
        if key[0] in _OF_OBJECTS and not value.strip(b"\0 "):
            return
        again = field.key in _HANDLES and answer.kind[0] in _OPENING
        if key[0] == _QUEUE_MANAGER and field.key != _NAMED_FIRST:
            return
        if again or key not in self._values:
            self._values[key] = value

    def learn_length(self, socket: int, theirs: ComparedAnswer, values: dict[str, WireField]) -> None:
        """Note the difference in length of a stream's message: clients count the bytes received."""
        if "ASYNC.ActualMsgLength" in values:
            known = theirs.values
            place = (socket, theirs.segment.conversation_id, known[STREAM].value)
            self._longer[place] += values["ASYNC.ActualMsgLength"].value - known["ASYNC.ActualMsgLength"].value

    def put_into(self, socket: int, segment: Segment) -> bytes:
        """Return the bytes of a client's segment with current values in place of recorded ones."""
        data = bytearray(segment.data)
        fields = list(fields_of(segment))
        handle = next((field.value for field in fields if field.key == "REQMSG.ObjectHandle"), 0)
        for field in fields:
            key = self.key(socket, segment, field)
            ours = self.expected(key, field) if self.get(key) is not None else None
            if field.key == "REQMSG.ReceivedBytes" and field.value:
                ours = field.value + self._longer.pop((socket, segment.conversation_id, handle), 0)
            if ours is not None:
                raw = ours
                if not isinstance(ours, bytes):
                    raw = ours.to_bytes(field.size, segment.order.endian, signed=ours < 0)
                data[field.place] = raw.ljust(field.size)[: field.size]
        return bytes(data)
