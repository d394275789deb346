"""What a channel machine tells its agent: plain records, in the order in which things happened.

The agent performs what an event asks for (commit, delete, record) and calls the method of the machine that the
event's docstring names. Sequence numbers run from 1 to the sequence wrap; LUWIDs are 8 bytes, never all zero once a
batch exists. Times are seconds since the epoch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from mqbridge.protocol.constants import StatusCode

from .parameters import Negotiated


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelRequested:
    """Responder: a partner names the channel that it wants.

    The agent looks the channel up, sees with :func:`~protocol.channel.pairs.pair_for` what the definition makes of
    the request, and calls ``accept``, ``call_back`` or ``refuse`` of the :class:`~protocol.channel.Responder`.
    """

    channel_name: str
    """Name of the channel, blanks removed."""
    partner: str
    """Queue manager name of the partner; of a client, the one wanted, maybe empty."""
    fap_level: int
    """Level that the partner offers, as it stands."""
    client: bool
    """An MQI client asks (CapFlags1 0x20)."""
    requests_initiation: bool
    """A requester asks us to send (CapFlags1 0x08)."""
    cap_flags: tuple[int, int, int]
    """CapFlags1 to 3 as offered; 0 for those that the level does not have."""
    ccsid: int
    """Character set of the partner's segment."""
    big_endian: bool
    """Byte order of the partner's segment."""
    product: str
    """Product and version such as ``MQMM09010200``; empty below FAP 9."""
    partner_id: str
    """Queue manager identifier; empty below FAP 9."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """Negotiation has ended well; a resynchronisation that the saved state demands follows before any message.

    Comes once, at both ends. A sender takes messages as soon as ``machine.ready`` is true.
    """

    channel_name: str
    partner: str
    """Queue manager name of the partner."""
    partner_id: str
    """Queue manager identifier of the partner; empty below FAP 9."""
    product: str
    """Product and version of the partner; empty below FAP 9."""
    negotiated: Negotiated
    """The values that both ends go by."""


@dataclass(slots=True)
class MessageReceived:
    """Receiver: one whole message arrived. Put it, under the batch's unit of work unless ``fast``.

    ``remote_q_name``, ``remote_q_mgr_name`` and ``descriptor`` are the raw bytes of the partner, to be read with
    ``big_endian`` and ``ccsid``; ``descriptor`` is the embedded MQMD, version 1, 324 bytes.
    """

    sequence: int
    """Number of the message in the channel."""
    luwid: bytes
    """Batch, as the message's segment states it."""
    remote_q_name: bytes
    """XQH.RemoteQName, 48 bytes."""
    remote_q_mgr_name: bytes
    """XQH.RemoteQMgrName, 48 bytes."""
    big_endian: bool
    """Byte order of XQH and descriptor."""
    ccsid: int
    """Character set of XQH and descriptor."""
    descriptor: bytes
    """The embedded MQMD, 324 bytes."""
    data: bytes | list[bytes]
    """What follows the descriptor: one piece, or the pieces in which a long message came."""
    length: int
    """Bytes of ``data``."""
    persistent: bool
    """MQMD.Persistence is not 0."""
    fast: bool
    """Not persistent on a channel with NPMSPEED(FAST): put at once, outside the batch."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MessagePart:
    """Receiver: a long message is still coming, and about :data:`~protocol.channel.PART_LENGTH` more bytes of it are
    there.

    They stand in the list ``message.data``. The agent may take pieces out of it, to keep them elsewhere; what it leaves
    is there when the same ``message`` comes as :class:`MessageReceived`. :class:`BatchFailed` and :class:`Closed` say
    that it will not.
    """

    message: MessageReceived


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfirmRequested:
    """Receiver: the batch is complete.

    Commit its messages and, in the same unit of work, the record (``luwid``, ``sequence``); after the sync call
    ``confirm``. If it certainly was not committed call ``reject``; when nobody can know, ``close(FORCE)``.
    """

    luwid: bytes
    """Identity of the batch, to be recorded."""
    sequence: int
    """Number of the last message received, to be recorded; unchanged when the batch is empty."""
    count: int
    """Messages in the batch, fast ones included; may be 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SequenceReset:
    """A RESET CHANNEL takes effect; the next message has number ``sequence``.

    Receiver: the partner resets us. Record ``ReceiverState.reset_to(sequence)``, then call ``recorded``.
    Sender: the partner has taken our reset. Record the state without its reset mark, then call ``recorded``.
    """

    sequence: int


@dataclass(frozen=True, slots=True, kw_only=True)
class EndOfBatch:
    """Sender: the batch must end now.

    Make the in-doubt record (``luwid``, ``sequence``, keys of the messages) durable, always, whatever the messages'
    persistence; then call ``request_confirm``. Until then no further message is taken.
    """

    luwid: bytes
    sequence: int
    """Number of the last message of the batch."""
    count: int
    """Messages in the batch, fast ones included; at least 1."""
    persistent: int
    """How many of them are to be deleted from the transmission queue only when the partner has confirmed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchConfirmed:
    """Sender: the partner has committed the batch. Delete its messages, record (``luwid``, ``sequence``) as the last.

    That may happen in one unit of work with the next in-doubt record: the machine takes further messages at once.
    """

    luwid: bytes
    sequence: int
    count: int
    dlq_used: bool
    """The partner put at least one of the messages to its dead-letter queue."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchFailed:
    """The open batch came to nothing or, at the sender, into doubt. :class:`Closed` follows.

    Sender: with ``in_doubt`` false put the messages back and drop the in-doubt record, if one was written; with
    ``in_doubt`` true keep both. Fast messages are not sent again.
    Receiver: back out the unit of work (``in_doubt`` is always false). Not told once the batch was handed over for
    commit by :class:`ConfirmRequested`: its outcome is the agent's, whatever becomes of the connection.
    """

    luwid: bytes
    count: int
    in_doubt: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class InDoubtResolved:
    """Sender: resynchronisation has settled the batch that the saved state had in doubt.

    ``commit``: delete its messages and record (``luwid``, ``sequence``) as the last batch; else put them back and
    record the state before the batch. Make that durable, then call ``recorded``.
    """

    commit: bool
    luwid: bytes
    sequence: int
    """Number of the last message that the partner has committed, for the record."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PingAnswered:
    """Sender: the partner sent the test data back; ``same`` tells whether unchanged. :class:`Closed` follows."""

    length: int
    same: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PingReceived:
    """Receiver: test data came and went back. Nothing to do."""

    length: int


@dataclass(frozen=True, slots=True, kw_only=True)
class HeartbeatReceived:
    """Receiver: a heartbeat came and was answered. A moment to free buffers and close queues; nothing must be done."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CloseRequested:
    """Sender: the partner wants the channel to end. The machine ends the batch, then the channel; nothing to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Closed:
    """The machine has ended; nothing follows. Write out ``data_to_send``, then close the connection.

    ``normal`` ends lead to INACTIVE; others to RETRYING when ``retryable``, else to STOPPED.
    """

    reason: str
    """One sentence for the log."""
    amq: str
    """Id of the log message, such as ``AMQ9526`` (channels.md 18)."""
    status: StatusCode | None
    """Status code sent or received; None where none passed."""
    normal: bool
    """An orderly end: stopped by command, disconnect interval, the partner's wish, ping done."""
    retryable: bool
    """Whether trying again later makes sense."""
    by_partner: bool
    """The partner ended it or reported the fault; else we did."""
    in_doubt: bool
    """Sender: a batch is in doubt, this one or an older one that could not be resolved."""
    call_back: bool
    """A requester asked and the partner's sender will open its own connection; at that sender: start it now."""
    value: int | None
    """Extra value of the status, for MSG_SEQUENCE_ERROR the number that the receiver expected."""


Event: TypeAlias = (
    ChannelRequested
    | Started
    | MessageReceived
    | MessagePart
    | ConfirmRequested
    | SequenceReset
    | EndOfBatch
    | BatchConfirmed
    | BatchFailed
    | InDoubtResolved
    | PingAnswered
    | PingReceived
    | HeartbeatReceived
    | CloseRequested
    | Closed
)
"""Any of the events."""

Events: TypeAlias = Sequence[Event]
