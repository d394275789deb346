"""Recorded clients with our agent: what a client sent is said again, with our values in place of the recorded ones.

The comparison is that of ``captures.differential``; compared is each field of :data:`COMPARED`: the recorded value,
with ours in place of the recorded server's, must be what we say.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Set
from typing import Final

from mqbridge.captures.differential import AnswerComparison, Difference, segments_of
from mqbridge.protocol.constants import SegmentType
from mqbridge.protocol.framing import Segment
from support.clients.program_line import AgentScene, ProgramLine
from support.transcripts.client_transcripts import Recorded

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


class Replay:
    """The recorded clients of one conversation, at our server. ``lines``: the connections, by number."""

    def __init__(self, scene: AgentScene, fields: Set[str] | None = COMPARED) -> None:
        self.scene = scene
        self.comparison = AnswerComparison(fields)
        self.lines: dict[int, ProgramLine] = {}

    @property
    def differences(self) -> list[Difference]:
        """Of fields."""
        return self.comparison.differences

    @property
    def compared(self) -> Counter[str]:
        """How many fields of each key were compared."""
        return self.comparison.compared

    def expects(self, socket: int, recorded: Iterable[Segment]) -> None:
        """What the recorded server said on a connection."""
        self.comparison.expect(socket, recorded)

    def client_says(self, one: Recorded) -> None:
        """Says what the client sent, with our values in place."""
        line = self.lines.get(one.socket)
        if line is None:
            line = self.lines[one.socket] = self.scene.line()
        line.says(b"".join(self.comparison.request(one.socket, segment) for segment in segments_of(one.data)))
        self.listen()

    def listen(self) -> None:
        """Takes what we have said meanwhile on all connections."""
        for socket, line in self.lines.items():
            self.comparison.hear(socket, line.answers())

    def order(self, passed: frozenset[SegmentType] = frozenset()) -> list[Difference]:
        """Where the answers of a conversation are others, or in another order; ``passed``: types left out."""
        return self.comparison.order(passed)
