"""Wire behaviour that no public evidence settles, one named choice each.

Each constant says what we do, what supports it, and where the gap is documented. Code that depends on such a choice
reads it here, so that a capture of a real partner changes one line. mq-wire.md 10 lists the open questions.
"""

from __future__ import annotations

from typing import Final

from .constants import MQRC, ControlFlags1, LsdOptions, MessageStatus, RequestFlags, SegmentType, StatusCode

# Negotiation ---------------------------------------------------------------------------------------------------

OFFERED_FAP_LEVEL: Final = 7
"""FAP level that we offer when we open a message channel. Captures of a whole message-channel session exist for level 7
only (mq-wire.md 7.9), and later queue managers still accept partners of that level. When called, we speak the
caller's level, up to :data:`HIGHEST_FAP_LEVEL` (mq-wire.md 10.9)."""

LOWEST_FAP_LEVEL: Final = 4
"""Lowest level that we speak: from 4 on INITIAL_DATA names the queue manager and the heartbeat interval
(mq-wire.md 5.1)."""

HIGHEST_FAP_LEVEL: Final = 13
"""Highest level that we speak; the layout of INITIAL_DATA at 14 is not known (mq-wire.md 5.1, 10.9)."""

INITIAL_DATA_ALIGNMENT: Final = 4
"""INITIAL_DATA is padded with zeros to a multiple of four bytes. All captured level 7 segments hold 104 bytes where the
fields take 102, the size that a C compiler gives the structure (mq-wire.md 5.1, 7.9). The other lengths are
multiples of four anyway."""

INITIAL_DATA_LENGTH_LEVEL_12: Final = 208
"""Bytes of ID at levels 11 and 12: without PAL and R, as a level 12 client sent it (mq-wire.md 5.1)."""

ANSWER_IN_PARTNERS_CODE: Final = True
"""A called receiver answers in the byte order and CCSID of the partner's first segment. It sends only names and
numbers, so this costs nothing and spares the partner a conversion. Which order a queue manager really uses is not
settled (mq-wire.md 10.16, 10.17). An end that sends messages uses its own."""

NEGOTIATION_ERROR_FLAGS: Final = ControlFlags1.ERROR
"""Flags of an INITIAL_DATA that answers with changed values or refused capabilities; seen on client channels
(mq-wire.md 4.1, 7.2)."""

MAX_NEGOTIATION_ROUNDS: Final = 6
"""Number of INITIAL_DATA segments from the partner after which negotiation fails with NEGOTIATION_FAILED. Two are
normal (client-observed.md O-003); at worst each round settles one value."""

REFUSED_COMPRESSION: Final = 0x03
"""InitErrFlags2 that refuses any compression offered; other lists alone do not refuse it (client-observed.md O-012)."""

WRAP_MISMATCH: Final = StatusCode.WRAP_VALUE_ERROR
"""Status code that answers a different SequenceWrap: the value is never adjusted (mq-wire.md 7.2). InitErrFlags1 0x40
in a partner's answer means the same and is understood."""

DEMANDED_CAPABILITIES_2: Final = 0x02
"""CapFlags2 bits that are demands, refused in ECapFlags2 with ERROR: FAST_MESSAGES_REQUIRED. The other bits state what
an end can do; a responder omits what it cannot do and refuses nothing (mq-wire.md 5.1)."""

PRODUCT_ID: Final = "MQMM00010000"
"""ProductId that we send from level 9 on: a queue manager not on z/OS, version 0.1.0 of this software
(mq-wire.md 5.1)."""

# Closing and errors --------------------------------------------------------------------------------------------

ERROR_FLAGS: Final = ControlFlags1.ERROR | ControlFlags1.CLOSE_CHANNEL
"""STATUS_DATA that ends a connection because of an error or refusal: 0x0A, a body of 8 or 12 bytes.

Clients take it as an error only with CLOSE_CHANNEL (client-observed.md O-030; mq-wire.md 7.8, 10.4)."""

CLOSE_FLAGS: Final = ControlFlags1.CLOSE_CHANNEL
"""STATUS_DATA without body by which a sender ends the channel in order, before it closes TCP (mq-wire.md 7.8, 10.4)."""

REQUEST_CLOSE_FLAGS: Final = ControlFlags1.REQUEST_CLOSE
"""Added by a receiver that wants to end to its answers (batch confirmation, heartbeat), never sent alone
(mq-wire.md 7.8)."""

SEQUENCE_ERROR_VALUE_IS_EXPECTED: Final = True
"""The Value of a STATUS_DATA with MSG_SEQUENCE_ERROR is the expected sequence number (mq-wire.md 10.1)."""

BATCH_REFUSALS: Final = frozenset(
    {
        StatusCode.MSG_SEQUENCE_ERROR,
        StatusCode.CAN_NOT_STORE,
        StatusCode.TARGET_Q_UNKNOWN,
        StatusCode.PROTOCOL_SEGMENT_TYPE,
        StatusCode.PROTOCOL_LENGTH_ERROR,
        StatusCode.PROTOCOL_INVALID_DATA,
        StatusCode.PROTOCOL_SEGMENT_ERROR,
        StatusCode.PROTOCOL_ID_ERROR,
        StatusCode.PROTOCOL_MSH_ERROR,
        StatusCode.PROTOCOL_GENERAL,
        StatusCode.BATCH_FAILURE,
        StatusCode.MESSAGE_LENGTH_ERROR,
        StatusCode.SEGMENT_NUMBER_ERROR,
    }
)
"""Status codes that say that the open batch was not committed, even if its confirmation had been requested.

The sender then backs the batch out at once (channels.md 5.2). After any other code, and after a lost connection, the
batch stays in doubt. Our receiver sends these codes only if it certainly has not committed."""

# Batches -------------------------------------------------------------------------------------------------------

CONFIRM_ANSWER_FLAGS: Final = ControlFlags1.NONE
"""The answer to an end-of-batch STATUS_DATA: 28 bytes, these flags, LUWID of the request (mq-wire.md 7.5, 10.2).

DLQ_USED is added when a message of the batch went to the dead-letter queue."""

CONFIRM_ANSWER_MAY_LACK_LUWID: Final = True
"""A sender accepts an answer with a LUWID of zeros as the confirmation; any other LUWID is an error (mq-wire.md 10.2).
Only one batch can await confirmation, so the answer is never ambiguous."""

LUWID_OF_CONFIRM_COUNTS: Final = True
"""A batch is identified by the LUWID of its end-of-batch segment; messages that state another are accepted. That all
segments of a batch carry the same LUWID is inferred (mq-wire.md 7.4), and only the recorded one matters."""

CONFIRM_ON_MESSAGE_ENDS_BATCH: Final = True
"""MESSAGE_DATA that carries CONFIRM_REQUEST is a message and the end of its batch in one; we do not send it.

No capture shows it; the flag says that the receiver of the segment must answer (mq-wire.md 4.1)."""

UNCHECKED_MESSAGE_LENGTH: Final = True
"""MSH.MessageLength is not checked: a partner that MQSeries accepted states one too many (mq-wire.md 7.9, vector 06).
MSH.DataLength must be the number of bytes behind the descriptor."""

PERSISTENCE_AS_QUEUE_IS_PERSISTENT: Final = True
"""MQMD.Persistence 2 (as the queue definition) in an arriving message counts as persistent: the sender should have
resolved it, and this is the side on which nothing is lost."""

# Long messages -------------------------------------------------------------------------------------------------

FIRST_SEGMENT_FLAGS: Final = ControlFlags1.FIRST
MIDDLE_SEGMENT_FLAGS: Final = ControlFlags1.NONE
LAST_SEGMENT_FLAGS: Final = ControlFlags1.LAST
"""A message longer than the transmission size travels in several MESSAGE_DATA segments with these flags.

MSH, XQH and MD stand in the first segment only, later ones hold data behind the segment header; MSH.DataLength and
MSH.MessageLength count the data of all. The same rule as for calls of a client, which is known (mq-wire.md 6, 10.3)."""

SEGMENT_LENGTH_TOLERANCE: Final = 36
"""Bytes by which an arriving segment may exceed the agreed transmission size. We include the segment header and never
exceed it; whether partners include it is inferred (mq-wire.md 6), and one header more does no harm."""

# Heartbeats and ping -------------------------------------------------------------------------------------------

HEARTBEAT_FLAGS: Final = ControlFlags1.CONFIRM_REQUEST
"""HEARTBEAT: 28 bytes, these flags, answered by a HEARTBEAT of 28 bytes with flags 0x00 (mq-wire.md 7.6, 10.5).

The batch heartbeat (BATCHHB) is the same exchange before the end of a batch. A sender takes STATUS_DATA without
error as an answer as well."""

PING_FLAGS: Final = ControlFlags1.CONFIRM_REQUEST
"""PING_DATA after INITIAL_DATA, sent back with flags 0x00 and the same body; then the sender closes
(mq-wire.md 7.7)."""

RECEIVE_TIMEOUT_MARGIN: Final = 60
"""Seconds beyond HBINT after which a silent partner is given up; for HBINT below 60 the limit is twice HBINT
(channels.md 6.1)."""

# Resynchronisation ---------------------------------------------------------------------------------------------

RESYNC_FLAGS: Final = ControlFlags1.CONFIRM_REQUEST
"""RESYNC_DATA, only from a sender that has a batch in doubt, after INITIAL_DATA and before anything else.

LUWID in the segment header: the batch in doubt. Body of 8 bytes: u32 Length (8), u32 SequenceNumber, the number of
the batch's last message. The answer is RESYNC_DATA, flags 0x00, with the receiver's last committed LUWID (zeros
before the first) and number. Equal LUWIDs: commit. Another LUWID, and the number that the sender committed last:
back out and send again. Anything else is a real disagreement (AMQ9526), and the batch stays in doubt.

The names of the segment and of its place are evidence, body and answer are ours (mq-wire.md 7.3, 10.1). The LUWID
stands where every segment has it, the body is that of RESET_DATA. When nothing is in doubt no RESYNC_DATA flows, which
is how all captured sessions start.

A partner that does not know this body will answer with a protocol error, or in another layout: the batch then stays
in doubt, the channel stops with AMQ9507, and RESOLVE CHANNEL settles it after a look at the partner's last LUWID
(channels.md 5.5), with no more RESYNC_DATA afterwards. One that only closes is tried again. A RESYNC_DATA of another
layout that reaches our receiver is refused with PROTOCOL_INVALID_DATA: we never guess about messages."""

RESYNC_BODY_LENGTH: Final = 8

RESET_FLAGS: Final = ControlFlags1.CONFIRM_REQUEST
"""RESET_DATA with the number that comes next, after INITIAL_DATA (and RESYNC_DATA), while a RESET CHANNEL of the
sending end is pending (mq-wire.md 7.3; the body is known, mq-wire.md 5.14)."""

FAST_BATCHES_RECORDED_BEHIND: Final = True
"""Batches of fast non-persistent messages alone are confirmed without waiting for the disk; their records follow.

Nothing is promised about such messages (channels.md 10 rule 4), but the numbers go on. So a record says when this
may have happened (``unsure``), durable before the first such confirmation. After a kill a sender that is unsure tells
its number by RESET_DATA before the first message, and a receiver that is unsure takes the first number of the session
over. A batch with a persistent message is always recorded before it is confirmed, and makes both ends sure again.
What a queue manager does here is not known (channels.md 5.2: inferred; mq-wire.md 10.1)."""

RESET_ANSWERS: Final = frozenset({SegmentType.STATUS_DATA, SegmentType.RESET_DATA})
"""Answers to RESET_DATA that a sender takes; our receiver answers as to every confirm request: STATUS_DATA of 28
bytes with flags 0x00, after its record is durable."""

# Requesters ----------------------------------------------------------------------------------------------------

REQUESTER_CAPABILITIES: Final = 0x0F
"""CapFlags1 of a requester's first INITIAL_DATA: REQUEST_INITIATION and what other ends offer (mq-wire.md 7.1, 10.6).

A server answers INITIAL_DATA as any responder, without REQUEST_INITIATION, and then sends messages."""

CALL_BACK_FLAGS: Final = ControlFlags1.REQUEST_ACCEPTED | ControlFlags1.CLOSE_CHANNEL
"""STATUS_DATA without body by which a sender tells a requester that it will call back, before it closes (mq-wire.md
10.6). A requester takes any CLOSE_CHANNEL without ERROR at this point as that promise."""

# Clients -------------------------------------------------------------------------------------------------------

HIGHEST_CLIENT_FAP_LEVEL: Final = 17
"""Highest level that we speak with clients; all of 4 to 17 were tried (client-observed.md O-006)."""

CLIENT_ENCODING_REPEATED: Final = True
"""Replies to calls, and the first INITIAL_DATA, repeat the numeric encoding of the client's segment headers. A
little-endian queue manager was seen to state 273 there, as its Java client does, and 546 in all other segments
(`tests/vectors/jms-client`, mq-wire.md 1.2); that it repeats the client's value is inferred."""

CLEAR_PASSWORD_FAP_LEVEL: Final = 12
"""Highest level at which clients send passwords in clear text without TLS (client-observed.md O-023)."""

_LEVELS_OF_LENGTHS: Final = ((240, 17), (208, 12), (160, 9), (128, 8), (0, 6))
"""Bytes of a client's INITIAL_DATA, and the highest level that has as few; see :func:`highest_level_of`."""


def highest_level_of(length: int) -> int:
    """Return the highest FAP level that a client's INITIAL_DATA of this many bytes can mean.

    An early Java client offers level 255 in 102 bytes and then speaks level 6 (mq-wire.md 8.2). The lengths are those
    observed at each level (client-observed.md 1.1).
    """
    return next(level for least, level in _LEVELS_OF_LENGTHS if length >= least)


REFUSED_CONVERSATION: Final = 2
"""Type of the SOCKET_ACTION that refuses a further conversation: any but 8 does (client-observed.md O-041)."""

ASYNC_PUT1_UNANSWERED: Final = True
"""MQPUT1 with ASYNC_RESPONSE is not answered, like MQPUT (client-observed.md O-063 shows MQPUT only)."""

FIRST_CONVERSATION: Final = 1
"""Id of the first conversation of a shared connection if negotiation ends before a segment names it (O-003a)."""

SPI_VERBS: Final = ((1, 1, 1, 1), (2, 1, 3, 1), (6, 1, 1, 1), (7, 1, 1, 1), (11, 1, 1, 1), (12, 1, 2, 2))
"""Verbs in the answer to SPI QUERY: verb and highest versions of its three structures. Clients look at the version of
OPEN only (client-observed.md O-051); the numbers are those of a queue manager (mq-wire.md 5.12) where the structures
are known."""

SPI_VERB_PLACES: Final = 12
"""Entries in the answer to SPI QUERY, indexed by verb (mq-wire.md 5.12)."""

CONNECTION_CAPABILITIES: Final = {1: 1, 2: 1, 3: 5}
"""CapFlag in the FCNO of a reply to MQCONN by the version of that FCNO (mq-wire.md 5.5, client-observed.md 1.1)."""

MESSAGE_STATUS: Final = MessageStatus.SEEN
"""Status of ASYNC_MESSAGE: the value observed for a message outside groups. Clients accept others (client-observed.md
O-090) and read the bits of :class:`MessageStatus` from them, which we add."""

IGNORED_SOCKET_ACTION: Final = 4
"""Type of SOCKET_ACTION with which clients answer the same type from us; its meaning is not known, and it is ignored
(O-044)."""

LONG_SPPI_VERSION: Final = 3
"""First version of SPPI with the three words behind DataLength: version 1 was seen without them, 3 with them
(mq-wire.md 5.12, client-observed.md 6.2); no client was seen to send 2."""

ALIGNED_CLIENT_SEGMENTS: Final = 4
"""Alignment of a TSHM segment's length, in bytes. The padding is not always NULs: clients were seen to send leftover
bytes of their buffer (client-observed.md 4, transcript jms-put-async)."""

SUBSCRIPTION_BY_ID: Final = LsdOptions.BY_ID
"""Option of an LSD that resumes a subscription by its SubId, without a name, although another handle has it open.

Each pooled session of a connection consumer opens a topic's queue this way, to get what the consumer browsed. The
sessions send back the 24 bytes at offset 32 of the reply to the consumer's subscription, and take the queue's name from
offset 112; zeros and blanks there make them fail. Their Hsub ends with the connection, often after the consumer's
(client-observed.md 6.2)."""

TOO_LONG_IS_ASKED_FOR_AGAIN: Final = True
"""A streamed message that exceeds MaxMsgLength only because of conversion is treated as too long: reason 2080 and it
stays on the queue, not 2120. MaxMsgLength is usually the client's own guess, and it requests again with more room on
2080 (client-observed.md O-088); what a queue manager does here is not known."""

REQUESTS_OF_GETS: Final = RequestFlags.WAITING | RequestFlags.CHECK | RequestFlags.SINGLE
"""Flags of REQUEST_MSGS; a request with at least one of them comes from a program's get, one without comes from an
asynchronous consumer or from read ahead (client-observed.md O-083).

A get that ends for a reason requests anew; other requests stay in force, so SPI NOTIFY ends gets only. IBM's classes
for JMS send it, with 2107, when one thread closes what another receives from, and when they close a connection
consumer, between CONN_STATE 3 and MQCLOSE. If such a consumer is sent the reason instead of a message, 9.4.5 takes it
for a message and repeats MQINQ for the closed handle forever."""

OVER_WITH_ITS_ANSWER: Final = RequestFlags.SINGLE
"""Flag of a check (REQUEST_MSGS) that expires once it is answered.

A check without it comes from a client that reads ahead, and stays in force with its remaining credit: IBM's classes for
Java do not request again in their next get, and would wait in vain (client-observed.md O-083, O-085)."""

GETS_ALLOWED_VALUE: Final = int(MQRC.GET_ENABLED)
"""Value of the NOTIFICATION GET_ALLOWED: the reason with which asynchronous consumers resume (mqi.md 16.3 row 7).

A message listener of IBM's classes for JMS that was sent GET_INHIBITED with 2016 receives nothing until GET_ALLOWED
comes with 2494; with 0 in either notification its delivery thread terminates. Messages may follow at once on the credit
of the earlier request, which the client does not repeat (client-observed.md O-091)."""

QUIESCING_VALUE: Final = int(MQRC.Q_MGR_QUIESCING)
"""Value of the NOTIFICATION QM_QUIESCING: a reason, as in GET_INHIBITED and GET_ALLOWED; clients ignore it
(client-observed.md O-091)."""

CLIENT_PRODUCT_ID: Final = "MQPY00010000"
"""ProductId of our own client: four letters and a version, the form that clients use; any was accepted (mq-wire.md
5.1)."""

CLIENT_APPLICATION_TYPE: Final = 6
"""ApplType that our own client states in MQCONN: MQAT_UNIX, as programs with the C client do (mq-wire.md 5.5)."""

CLIENT_EFL_LENGTH: Final = 138
"""EFLLength in a client's INITIAL_DATA, as observed; its meaning is not known (client-observed.md O-001)."""

CLIENT_PASSWORD_ALGORITHMS: Final = (1, 0)
"""PAL of our own client without TLS from level 13 on, as observed (client-observed.md O-001). Our client sends no
password there, so the queue manager's choice does not matter."""

SILENT_INTERVALS: Final = 3
"""Heartbeat intervals without data from the queue manager, during a waiting get on an unshared connection, after which
our client gives up; clients do so "after a few" (client-observed.md O-122)."""
