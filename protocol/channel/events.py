"""Events that a channel machine reports to its agent, in the order in which they happened.

The agent does what an event asks for (commit, delete, record) and calls the machine's method that the event's docstring
names. Sequence numbers run from 1 to the sequence wrap; LUWIDs are 8 bytes, never all zero for an existing batch. Times
are seconds since the epoch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from mqbridge.protocol.constants import ByteOrder, StatusCode
from mqbridge.protocol.constants.lengths import MQMD_LENGTH_1

from .parameters import Negotiated


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelRequested:
    """Responder: a partner names the channel that it wants.

    The agent looks the channel up, checks the request against its definition with
    :func:`~protocol.channel.pairs.pair_for`, and calls ``accept``, ``call_back`` or ``refuse`` of the
    :class:`~protocol.channel.Responder`.
    """

    channel_name: str
    """Name of the channel, blanks removed."""
    partner: str
    """Queue manager name of the partner; for a client, the name it wants to connect to, which may be empty."""
    fap_level: int
    """Level that the partner offers, unchanged."""
    client: bool
    """The caller is an MQI client (CapFlags1 0x20)."""
    requests_initiation: bool
    """The caller is a requester that asks us to send (CapFlags1 0x08)."""
    cap_flags: tuple[int, int, int]
    """CapFlags1 to 3 as offered; 0 for those that the level lacks."""
    ccsid: int
    """CCSID of the partner's segment."""
    order: ByteOrder
    """Byte order of the partner's segment."""
    product: str
    """Product and version such as ``MQMM09010200``; empty below FAP 9."""
    partner_id: str
    """Queue manager identifier; empty below FAP 9."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """Negotiation has succeeded; any resynchronisation that the saved state requires follows before the first message.

    Emitted once, at both ends. A sender accepts messages as soon as ``machine.ready`` is true.
    """

    channel_name: str
    partner: str
    """Queue manager name of the partner."""
    partner_id: str
    """Queue manager identifier of the partner; empty below FAP 9."""
    product: str
    """Product and version of the partner; empty below FAP 9."""
    negotiated: Negotiated
    """The negotiated values."""


class MessageReceived:
    """Receiver: one whole message has arrived. Put it, in the batch's unit of work unless ``fast``.

    ``sequence``: its number. ``luwid``: of the batch, as stated in the message's segment. ``remote_q_name``,
    ``remote_q_mgr_name`` (XQH, 48 bytes each) and the descriptor are the partner's raw bytes, encoded as ``order`` and
    ``ccsid`` say. ``content``: the embedded MQMD, version 1, 324 bytes, and the data behind it, unless these are in
    ``pieces``, in which a long message arrived. ``length``: bytes of data. ``persistent``: MQMD.Persistence is not 0.
    ``fast``: non-persistent on a channel with NPMSPEED(FAST): put at once, outside the batch.
    """

    __slots__ = (
        "ccsid", "content", "fast", "length", "luwid", "order", "persistent", "pieces", "remote_q_mgr_name",
        "remote_q_name", "sequence",
    )  # fmt: skip

    def __init__(
        self,
        sequence: int,
        luwid: bytes,
        remote_q_name: bytes,
        remote_q_mgr_name: bytes,
        order: ByteOrder,
        ccsid: int,
        content: bytes,
        pieces: list[bytes] | None,
        length: int,
        persistent: bool,
        fast: bool,
    ) -> None:
        self.sequence = sequence
        self.luwid = luwid
        self.remote_q_name = remote_q_name
        self.remote_q_mgr_name = remote_q_mgr_name
        self.order = order
        self.ccsid = ccsid
        self.content = content
        self.pieces = pieces
        self.length = length
        self.persistent = persistent
        self.fast = fast

    def _values(self) -> tuple[object, ...]:
        names = self.remote_q_name, self.remote_q_mgr_name
        form = self.order, self.ccsid, self.persistent, self.fast
        return (self.sequence, self.luwid, *names, *form, self.content, self.pieces, self.length)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, MessageReceived):
            return NotImplemented
        return self._values() == other._values()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<MessageReceived {self.sequence}, {self.length} bytes>"

    @property
    def descriptor(self) -> bytes:
        """The embedded MQMD, 324 bytes."""
        return self.content[:MQMD_LENGTH_1]

    @property
    def data(self) -> bytes | list[bytes]:
        """The data behind the descriptor: one piece, or the pieces in which a long message arrived."""
        return self.content[MQMD_LENGTH_1:] if self.pieces is None else self.pieces


@dataclass(frozen=True, slots=True, kw_only=True)
class MessagePart:
    """Receiver: about :data:`~protocol.channel.PART_LENGTH` more bytes of a long message have arrived.

    They are in the list ``message.pieces``. The agent may remove pieces, to keep them elsewhere; the rest is there when
    the same ``message`` is reported as :class:`MessageReceived`. :class:`BatchFailed` and :class:`Closed` mean that it
    will not be.
    """

    message: MessageReceived


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfirmRequested:
    """Receiver: the batch is complete.

    Commit its messages and, in the same unit of work, the record (``luwid``, ``sequence``); call ``confirm`` once they
    are durable. Call ``reject`` if the batch was certainly not committed, and ``close(FORCE)`` if that is unknown.
    """

    luwid: bytes
    """LUWID of the batch, to be recorded."""
    sequence: int
    """Number of the last message received, to be recorded; unchanged if the batch is empty."""
    count: int
    """Messages in the batch, fast ones included; may be 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SequenceReset:
    """A RESET CHANNEL takes effect; the next message has number ``sequence``.

    Receiver: the partner resets us. Record ``ReceiverState.reset_to(sequence)``, then call ``recorded``. Sender: the
    partner has accepted our reset. Record the state without its reset mark, then call ``recorded``.
    """

    sequence: int


@dataclass(frozen=True, slots=True, kw_only=True)
class EndOfBatch:
    """Sender: the batch must end now.

    Make the in-doubt record (``luwid``, ``sequence``, keys of the messages) durable, whatever the persistence of the
    messages; then call ``request_confirm``. No message is accepted until then.
    """

    luwid: bytes
    sequence: int
    """Number of the last message of the batch."""
    count: int
    """Messages in the batch, fast ones included; at least 1."""
    persistent: int
    """Number of messages to be deleted from the transmission queue only after confirmation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchConfirmed:
    """Sender: the partner has committed the batch. Delete its messages and record (``luwid``, ``sequence``) as the
    last.

    This may share a unit of work with the next in-doubt record: the machine accepts further messages at once.
    """

    luwid: bytes
    sequence: int
    count: int
    dlq_used: bool
    """The partner put at least one of the messages on its dead-letter queue."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchFailed:
    """The open batch failed or, at the sender, is in doubt. :class:`Closed` follows.

    Sender: if ``in_doubt`` is false, put the messages back and delete the in-doubt record, if one was written;
    otherwise keep both. Fast messages are not sent again. Receiver: back out the unit of work (``in_doubt`` is always
    false). Not emitted after :class:`ConfirmRequested`: the outcome of the commit is then the agent's, whatever happens
    to the connection.
    """

    luwid: bytes
    count: int
    in_doubt: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class InDoubtResolved:
    """Sender: resynchronisation has resolved the batch that was in doubt in the saved state.

    ``commit``: delete its messages and record (``luwid``, ``sequence``) as the last batch; otherwise put them back and
    record the state before the batch. Make that durable, then call ``recorded``.
    """

    commit: bool
    luwid: bytes
    sequence: int
    """Number of the last message that the partner committed, for the record."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PingAnswered:
    """Sender: the partner returned the test data; ``same`` tells whether unchanged. :class:`Closed` follows."""

    length: int
    same: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PingReceived:
    """Receiver: test data arrived and were returned. No action is needed."""

    length: int


@dataclass(frozen=True, slots=True, kw_only=True)
class HeartbeatReceived:
    """Receiver: a heartbeat arrived and was answered. An opportunity to free buffers and close queues; nothing is
    required."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CloseRequested:
    """Sender: the partner wants the channel to end. The machine ends the batch, then the channel; no action is
    needed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Closed:
    """The machine has ended; this is the last event. Write what ``wire.take`` returns, then close the connection.

    ``normal`` ends lead to INACTIVE; others to RETRYING if ``retryable``, else to STOPPED.
    """

    reason: str
    """One sentence for the log."""
    amq: str
    """Id of the log message, such as ``AMQ9526`` (channels.md 18)."""
    status: StatusCode | None
    """Status code sent or received; None if there was none."""
    normal: bool
    """A normal end: stopped by command, disconnect interval, requested by the partner, ping complete."""
    retryable: bool
    """Whether trying again later makes sense."""
    by_partner: bool
    """The partner ended it or reported the fault; otherwise we did."""
    in_doubt: bool
    """Sender: a batch is in doubt: this one, or an earlier one that could not be resolved."""
    call_back: bool
    """At a requester: the partner's sender will open its own connection. At that sender: start it now."""
    value: int | None
    """Extra value of the status; for MSG_SEQUENCE_ERROR the number that the receiver expected."""


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
"""Any event."""

Events: TypeAlias = Sequence[Event]
