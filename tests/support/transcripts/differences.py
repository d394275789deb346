"""Where our agent need not answer as the recorded server of ``tests/vectors/ibm-client`` did, and why.

That server was careless: it evaluated few options, matched no tokens, parsed no selectors and lied on purpose in some
files. The table holds all that is passed over; an entry that is not needed any more fails a test.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any, Final

from mqbridge.captures.differential import Difference, Mask, exactly
from mqbridge.protocol.constants import SegmentType


@dataclass(frozen=True, slots=True)
class Allowed:
    """Differences of some fields in some files. ``names`` and ``fields`` are patterns, ``kinds`` is which answers
    come; ``answers``: what their segments are called; ``when``: of the recorded value and ours."""

    names: str
    fields: str
    reason: str
    answers: str = "*"
    when: Callable[[Any, Any], bool] = field(default=lambda recorded, ours: True, kw_only=True)

    def fits(self, name: str) -> bool:
        """Whether it is about a file."""
        return any(fnmatchcase(name, pattern) for pattern in self.names.split())

    def covers(self, name: str, difference: Difference) -> bool:
        """Whether it excuses a difference."""
        return self.fits(name) and Mask(name, self.fields, self.reason, self.answers, when=self.when).covers(difference)


def _our_reason(*reasons: int) -> Callable[[Any, Any], bool]:
    return lambda _, ours: ours in reasons


def _publication(recorded: bytes, ours: bytes) -> bool:
    return b"<mqps>" in ours and ours.endswith(recorded[-2:])


_LENGTHS: Final = "ASYNC.TotalMsgLength ASYNC.ActualMsgLength DataLength.DataLength"
_TOPICS: Final = "jms-topic jakarta-topic mqi-topic mqi-sharecnv0-topic jms-durable jakarta-durable jms-shared"
_NO_OUTCOME: Final = "API.CompCode API.Reason"

ALLOWED: Final = (
    # The start
    Allowed("auth-accepted-then-2035", _NO_OUTCOME, "refused on purpose", "MQCONN_REPLY"),
    Allowed("connect-ccsid-500", _NO_OUTCOME, "the recorded server did not read its name in EBCDIC", "MQCONN_REPLY"),
    Allowed("reject-mqconn", f"{_NO_OUTCOME} kinds", "refused on purpose"),
    Allowed("hb-sharecnv0-none", "kinds", "the client was sent no heartbeats, so it does not answer ours"),
    Allowed("reject-status reject-flags auth-reject", "kinds", "refused on purpose"),
    Allowed("sockact-refuse-*", "SOCKET.Type", "refused on purpose", when=_our_reason(8)),
    Allowed(
        "connect-one-round connect-one-round-mt connect-limits compress-accepted-by-silence",
        "kinds",
        "the recorded server agreed to values that differ; we do not, and the client goes on without an agreement",
    ),
    # Attributes
    Allowed(
        "hb-sharecnv0* jakarta-tx jms-ack jms-poison jms-tx jms-xa* jms-sharecnv0-*",
        "API.CompCode API.Reason",
        "blanks instead of a warning for what a local queue (BASE_Q_NAME) or this platform (QSG_NAME) has not",
        "MQINQ_REPLY",
        when=_our_reason(1, 2068),
    ),
    Allowed(
        "hb-sharecnv0* jms-sharecnv0-*",
        "INQ.CharAttrLength",
        "more characters than the client has room for",
        when=exactly(48, 4),
    ),
    Allowed("mqi-inq", "INQ.CharAttrLength", "APPL_ID cut to a name's length", when=exactly(48, 256)),
    # Putting and getting
    Allowed(
        "mqi-*putget mqi-fap8* mqi-readahead jms-*temp",
        "API.ObjectHandle",
        "a handle for MQPUT1, which has none",
        "MQPUT1_REPLY",
        when=exactly(0, -1),
    ),
    Allowed(
        "mqi-fap8-open-fails",
        "API.Reason",
        "the queue manager named in the OD was not looked at",
        "MQOPEN_REPLY",
        when=exactly(2085, 2087),
    ),
    Allowed("jms-*poison", "MD.BackoutCount", "a put does not take over the count of backouts", when=exactly(2, 0)),
    Allowed("jms-nosuch mqi-inq", "kinds", "nobody was told that gets are inhibited"),
    Allowed("jms-readahead-listener", "kinds", "an end of messages was told that nobody had asked for"),
    Allowed(
        "jms-two-listeners",
        "kinds ASYNC.GlobalMessageIndex data.bytes",
        "which of several consumers is served first is not laid down (client-observed.md O-101)",
    ),
    Allowed(
        "mqi-browse mqi-sharecnv0-browse",
        "kinds API.* ASYNC.* MD.* GMO.* DataLength.* data.bytes",
        "the browse began anew after a get under its cursor, and an unlock took a message",
    ),
    Allowed(
        "mqi-sharecnv0-trunc mqi-sharecnv0-large",
        "API.* MD.* GMO.* DataLength.* data.bytes",
        "messages were not found by their token",
        "MQGET_REPLY",
    ),
    Allowed("mqi-convert", f"{_LENGTHS} MD.CodedCharSetId data.bytes", "nothing was converted"),
    Allowed("mqi-props", f"{_LENGTHS} MD.Format data.bytes", "NO_PROPERTIES was not looked at"),
    Allowed("mqi-report", "API.* OD.* kinds", "distribution lists were refused", "SPI_REPLY"),
    # Publish/subscribe and selectors
    Allowed("jms-selector", _NO_OUTCOME, "no selector was parsed, so a wrong one could be opened, and closed"),
    Allowed("jms-spi-refused", _NO_OUTCOME, "refused on purpose", "SPI_REPLY", when=_our_reason(0)),
    Allowed(_TOPICS, _LENGTHS, "publications did not say their topic"),
    Allowed(_TOPICS, "data.bytes", "publications did not say their topic", when=_publication),
    Allowed("mqi-*topic", "MD.Format MD.CodedCharSetId", "publications did not say their topic"),
    Allowed(
        "jms-topic jakarta-topic jms-shared",
        "MD.Persistence",
        "a temporary queue held a persistent message",
        when=exactly(1, 0),
    ),
    Allowed("jms-shared", "kinds", "each consumer of a shared subscription got a copy"),
    Allowed(
        "jms-durable jakarta-durable",
        "SD.SubCorrelId",
        "another selector makes a new subscription of the same name",
        "SPI_REPLY",
    ),
    Allowed(
        "jms-durable jakarta-durable",
        "SPBO.SubscriptionHandle",
        "what a failed call has in place of a handle is not laid down",
        when=exactly(-1, 0),
    ),
    Allowed("mqi-*topic", _NO_OUTCOME, "MQSUBRQ without PUBLICATIONS_ON_REQUEST", "MQSUBRQ", when=_our_reason(2, 2437)),
    # Two-phase commit
    Allowed("jms-xa*", "XA.ReturnValue", "every XID could be forgotten", "XA_FORGET", when=exactly(0, -4)),
    Allowed("jms-xa-errors", "XA.ReturnValue", "failed on purpose", when=exactly(-4, 0)),
    # What was sent on purpose
    Allowed(
        "late-BEFORE late-unrequested", "ASYNC.*MessageIndex", "sent on purpose", when=lambda theirs, _: theirs > 9
    ),
)

PASSED: Final[dict[str, frozenset[SegmentType]]] = {
    "hb-*": frozenset({SegmentType.HEARTBEAT}),
    "hb-sharecnv0-none": frozenset({SegmentType.HEARTBEAT, SegmentType.MQGET_REPLY}),
    "inject-*": frozenset(
        {SegmentType.ASYNC_MESSAGE, SegmentType.NOTIFICATION, SegmentType.SOCKET_ACTION, SegmentType.STATUS_DATA}
    ),
    "late-*": frozenset({SegmentType.ASYNC_MESSAGE, SegmentType.NOTIFICATION}),
    "pcf": frozenset({SegmentType.ASYNC_MESSAGE}),
}
"""Types of answers whose place is not compared, by file: heartbeats, what was sent unasked, what the command server
says in its own time."""

LOGGED: Final = {
    "auth-pal": "AMQ9209",
    "auth-reject": "AMQ9209",
    "compress-accepted-by-silence": "AMQ9504",
    "connect-limits": "AMQ9504",
    "connect-one-round": "AMQ9504",
    "connect-one-round-mt": "AMQ9504",
    "hb-noanswer": "AMQ9209",
    "hb-sharecnv0-none": "AMQ9259",
    "inject-IN7B": "AMQ9209",
    "inject-INCL": "AMQ9209",
    "inject-INSO4": "AMQ9209",
    "inject-INSO5": "AMQ9209",
    "inject-INST5C": "AMQ9209",
    "inject-INST7C": "AMQ9209",
    "inject-listener-IN1A": "AMQ9209",
    "inject-listener-INST5C": "AMQ9209",
    "late-AFTER": "AMQ9209",
    "late-NOTIFAFTER": "AMQ9209",
    "mqi-sharecnv0-putget": "AMQ9209",
    "jms-sharecnv0-listen": "AMQ9209",
    "reconnect-get": "AMQ9209",
    "reconnect-listen": "AMQ9209",
    "reject-flags": "AMQ9209 AMQ9504",
    "reject-mqconn": "AMQ9209",
    "reject-status": "AMQ9209",
    "sockact-refuse-NEWC1": "AMQ9209",
    "sockact-refuse-NEWC9": "AMQ9209",
}
"""What our operator is told: the client hung up in the middle (AMQ9209), or went on without an agreement (AMQ9504)."""
EVERYDAY: Final = frozenset({"AMQ9001", "AMQ9002", "AMQ7310", "AMQ9999"})
"""What is told of connections that begin and end, and of reports that nobody can get."""


def passed(name: str) -> frozenset[SegmentType]:
    """Types of answers whose place is not compared in a file."""
    return frozenset().union(*(types for pattern, types in PASSED.items() if fnmatchcase(name, pattern)))
