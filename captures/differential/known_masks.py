"""Tables of allowed differences: between our server and IBM's, and between a recorded endpoint and any other.

The tests fail for a row that no comparison needs, and for a difference that no row allows.
"""

from __future__ import annotations

from typing import Any, Final

from mqbridge.captures.differential.masks import Mask, exactly
from mqbridge.protocol import inferred
from mqbridge.protocol.constants import CapFlags2

_OUR_OPEN_REPLIES: Final = (0, None, 300, 368, 376)


def _offers_less(theirs: Any, ours: Any) -> bool:
    return ours is not None and theirs is not None and ours <= theirs


def _no_larger(proposed: Any, seen: Any) -> bool:
    return bool(seen <= proposed)


def _no_more_shared(proposed: Any, seen: Any) -> bool:
    return bool(max(seen, 0) <= max(proposed, 0))


def _no_smaller_or_off(proposed: Any, seen: Any) -> bool:
    return bool(seen == 0 or seen >= proposed)


def _same_text(theirs: Any, ours: Any) -> bool:
    return isinstance(theirs, bytes) and isinstance(ours, bytes) and theirs.rstrip(b"\0 ") == ours.rstrip(b"\0 ")


def _run_down(theirs: Any, ours: Any) -> bool:
    """Whether both messages expire."""
    return bool(theirs > 0 and ours > 0)


def _subset(proposed: Any, seen: Any) -> bool:
    return not seen & ~proposed


PROCESS: Final = (
    Mask("process", "ID.ProcessId ID.ThreadId ID.TraceId", "which process and thread serves is nobody's business"),
    Mask("process", "SOCKET.Parm?", "the same of a conversation", "SOCKET_ACTION"),
)
NONCE: Final = Mask("nonce", "ID.R", "a nonce for passwords that are protected; no server of ours can undo that")
PUT_TIME: Final = Mask("put time", "MD.PutDate MD.PutTime", "when it was put")
SPI_OPEN: Final = (
    Mask(
        "message protection",
        "LPOO.QProtect",
        "is another product",
        when=lambda _, ours: not (ours or b"").strip(b"\0 "),
    ),
    Mask(
        "PCF of SPI OPEN",
        "LPOO.ExtraOffset LPOO.ExtraLength SPOO.Length API.ReplyLength TSHM.SegLength TSH.SegLength extra.bytes",
        "clients do not need the PCF that a real one sends behind an SPI OPEN (client-observed.md O-053)",
        "SPI_REPLY",
        when=lambda _, ours: ours in _OUR_OPEN_REPLIES,
    ),
    Mask(
        "SPI verbs",
        "SPIVerb.*",
        "we offer the verbs that clients were seen to use, and the versions whose layout is known",
        "SPI_REPLY",
        when=_offers_less,
    ),
)

REAL_SERVER: Final = (
    *PROCESS,
    Mask("product", "ID.ProductId", "another product", when=exactly(b"MQMM09040300", inferred.PRODUCT_ID.encode())),
    Mask("product", "INQ.31", "another product's command level", when=exactly(943, 920)),
    Mask("message protection", "INQ.273", "is another product (client-observed.md O-016)", when=exactly(1, 0)),
    Mask(
        "queue manager identifier",
        "ID.QMgrIdentifier INQ.2032",
        "made when the queue manager was",
        when=lambda real, ours: real[:4] == ours[:4],
    ),
    NONCE,
    PUT_TIME,
    *SPI_OPEN,
)
"""Our server compared with IBM queue managers in the captured session of 2025."""

REAL_CHANNEL: Final = (
    Mask(
        "distribution lists",
        "ID.CapFlags2",
        "are not sent to partners, so not agreed on",
        "INITIAL_DATA",
        when=lambda theirs, ours: theirs == ours | CapFlags2.DIST_LIST_CAPABLE,
    ),
    Mask("left-over bytes", "ID.InitErrFlags2 ID.Reserved1", "nobody cleared two bytes behind the values of level 7"),
)
"""Our ends of message channels compared with those of MQSeries in 2003."""

REAL_CLIENT: Final = (
    Mask("encoding", "TSH*.Encoding", "Java computes in big-endian; we say what the byte order says, as C does"),
    Mask(
        "streamed get",
        "ID.CapFlags3",
        "MULTIPLEX_SYNCGET is not offered: queue managers refuse it, too",
        "INITIAL_DATA",
        when=lambda theirs, ours: theirs == ours | 0x08,
    ),
    Mask(
        "process",
        "ID.ThreadId ID.TraceId",
        "thread, and count of connections, of a Java virtual machine",
        "INITIAL_DATA",
    ),
    Mask("password algorithms", "ID.PAL", "inside TLS we offer no protection of passwords", "INITIAL_DATA"),
    Mask("application type", "CONN.ApplType", "MQAT_JAVA is not ours to say", "MQCONN", when=exactly(28, 6)),
    Mask(
        "left-over bytes",
        "FCNO.ConnTag FCNO.RetConnTag FCNO.ProductId24 FCNO.QMgrIdentifier",
        "nobody cleared them (client-observed.md O-010); they count in a reconnection alone",
        "MQCONN",
    ),
    Mask(
        "left-over bytes",
        "FOPA.DefReadAhead FOPA.PropertyControl",
        "of some requests, and 0 in others; the reply tells",
        "MQOPEN",
        when=exactly(0x20202020, 0),
    ),
    Mask("left-over bytes", "padding.bytes", "what fills a segment up is not always zeros"),
    Mask(
        "filling",
        "MD.* GMO.* PMO.*",
        "empty text is NULs there and blanks here, or the other way",
        when=_same_text,
    ),
)
"""Our client compared with IBM's for Java."""

NEGOTIATED: Final = (
    Mask(
        "negotiated",
        "ID.FapLevel ID.MaxMsgsPerBatch ID.MaxTransmissionSize ID.MaxMessageSize",
        "both ends go by the lesser value (channels.md 4)",
        rule=_no_larger,
    ),
    Mask(
        "negotiated",
        "ID.ConvPerSocket",
        "both ends go by the lesser value, none or less is none (mq-wire.md 5.1)",
        rule=_no_more_shared,
    ),
    Mask(
        "negotiated",
        "ID.HeartbeatInterval",
        "both ends go by the greater value, 0 is none (channels.md 4)",
        rule=_no_smaller_or_off,
    ),
    Mask("negotiated", "ID.CapFlags?", "only what both ends can (channels.md 4)", rule=_subset),
    Mask("negotiated", "ID.ECapFlags? ID.InitErrFlags?", "says which values were changed"),
    Mask("negotiated", "ID.PAL ID.HdrCompList ID.MsgCompList ID.SSLKeyReset", "what both ends can"),
)
"""Results of a negotiation, if its rules are observed."""

ANY_ENDPOINT: Final = (
    *NEGOTIATED,
    Mask("negotiated", "TSH*.ControlFlags1", "the first round may end with ERROR: values differ", "INITIAL_DATA"),
    Mask("speech", "TSH*.CCSID TSH*.ByteOrder TSH*.Encoding ID.CCSID", "each queue manager speaks its own"),
    *PROCESS,
    NONCE,
    Mask(
        "product", "ID.ProductId FCNO.ProductId* INQ.31 INQ.32 INQ.273", "another version or product, or one beside it"
    ),
    Mask(
        "queue manager",
        "ID.QMgrName CONN.QMgrName *.ObjectQMgrName *.ResolvedQMgrName *.ResolvedQMgr *.ReplyToQMgr INQ.2015",
        "another queue manager",
    ),
    Mask(
        "queue manager identifier",
        "ID.QMgrIdentifier FCNO.QMgrIdentifier FCNO.ConnectionId FCNO.LostConnectionId INQ.2032",
        "made when the queue manager, or the connection, was",
    ),
    PUT_TIME,
    Mask("time left", "MD.Expiry", "it runs down while the message waits to be got", when=_run_down),
    Mask(
        "id", "SPRO.FirstId", "made by the queue manager for messages to come; the recorded ones are used", "SPI_REPLY"
    ),
    Mask("dates", "INQ.2004 INQ.2005 INQ.2027 INQ.2028", "when an object was made and altered"),
    Mask("user", "MD.UserIdentifier MD.AccountingToken", "whom the endpoint takes the client for"),
    *SPI_OPEN[:1],
    Mask(
        "PCF of SPI OPEN",
        "LPOO.ExtraOffset LPOO.ExtraLength SPOO.Length extra.bytes",
        "of another product",
        "SPI_REPLY",
    ),
    Mask(
        "SPI verbs", "SPIVerb.* SPQO.*", "what the endpoint offers beyond the calls of the queue interface", "SPI_REPLY"
    ),
    Mask("lengths", "TSH*.SegLength API.ReplyLength", "follow from what is allowed above", "SPI_REPLY"),
)
"""Any live endpoint compared with a recorded one."""
