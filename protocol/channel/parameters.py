"""Inputs of a channel machine: values of the definition, saved states of both ends, and negotiated values.

Units are those of MQSC (channels.md 3): seconds for HBINT and DISCINT, milliseconds for BATCHINT and BATCHHB, kilobytes
of 1024 bytes for BATCHLIM.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from mqbridge.protocol import inferred
from mqbridge.protocol.constants import ByteOrder

from .agreement import MAX_MESSAGE_LENGTH
from .sequence import HIGHEST_NUMBER

NO_LUWID = bytes(8)
"""The LUWID before the first batch."""

MIN_TRANSMISSION_SIZE = 1024
"""Smallest transmission size that a channel agrees to, in bytes."""
MAX_TRANSMISSION_SIZE = 65_536
"""Largest transmission size that we agree to and buffer, in bytes, header included."""
DEFAULT_TRANSMISSION_SIZE = 32_766
"""Transmission size that message channels offer, in bytes (mq-wire.md 5.1)."""
MAX_BATCH_HEARTBEAT = 999_999
"""Largest effective BATCHHB in milliseconds; higher values act as this one (channels.md 3)."""
DEFAULT_HANDSHAKE_TIMEOUT = 30.0
"""Seconds from the connection to the end of negotiation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelParameters:
    """Values of a channel definition that the machines need (channels.md 3), and the encoding of this end.

    Both ends use the same record; a receiver ignores the batch and disconnect values.
    """

    channel_name: str
    """Name of the channel."""
    queue_manager: str
    """Name of our queue manager."""
    batch_size: int = 50
    """BATCHSZ, 1 to 9999."""
    max_message_length: int = 4_194_304
    """MAXMSGL, bytes of data without MQXQH; 0 means :data:`MAX_MESSAGE_LENGTH`."""
    transmission_size: int = DEFAULT_TRANSMISSION_SIZE
    """Longest segment in bytes, header included."""
    sequence_wrap: int = HIGHEST_NUMBER
    """SEQWRAP; must be equal at both ends."""
    heartbeat_interval: int = 300
    """HBINT, seconds; 0 for none."""
    fast: bool = True
    """NPMSPEED(FAST)."""
    disconnect_interval: int = 6000
    """DISCINT, seconds; 0 for never. Sender."""
    batch_interval: int = 0
    """BATCHINT, milliseconds. Sender."""
    batch_limit: int = 5000
    """BATCHLIM, kilobytes; 0 for none. Sender."""
    batch_heartbeat: int = 0
    """BATCHHB, milliseconds; 0 for none. Sender."""
    ccsid: int = 819
    """CCSID of the headers that we send, and of the MQXQH and MQMD passed to ``send_message``."""
    order: ByteOrder = ByteOrder.LITTLE
    """Byte order of the segments that we send, and of the MQXQH and MQMD passed to ``send_message``."""
    fap_level: int = inferred.HIGHEST_FAP_LEVEL
    """Highest FAP level to speak, 4 to 13; the called end speaks the caller's level up to this one."""
    offered_fap_level: int = inferred.OFFERED_FAP_LEVEL
    """FAP level to offer as the caller."""
    queue_manager_id: str = ""
    """QMID, at most 48 characters; sent from FAP 9 on."""
    product_id: str = inferred.PRODUCT_ID
    """Product and version, 12 characters; sent from FAP 9 on."""
    handshake_timeout: float = DEFAULT_HANDSHAKE_TIMEOUT
    """Seconds for negotiation and resynchronisation together."""

    @property
    def encoding(self) -> int:
        """Encoding of our segments: all normal or all reversed (mq-wire.md 1.5)."""
        return self.order.encoding

    @property
    def message_limit(self) -> int:
        """MAXMSGL in bytes, with 0 resolved."""
        return min(self.max_message_length or MAX_MESSAGE_LENGTH, MAX_MESSAGE_LENGTH)

    @property
    def batch_heartbeat_seconds(self) -> float:
        """BATCHHB in seconds; 0 for none."""
        return min(self.batch_heartbeat, MAX_BATCH_HEARTBEAT) / 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Negotiated:
    """The values that both ends have agreed on (channels.md 4)."""

    fap_level: int
    batch_size: int
    max_message_length: int
    """Bytes of data without MQXQH; limited to one segment if messages cannot be split."""
    transmission_size: int
    """Longest segment in bytes, header included."""
    sequence_wrap: int
    heartbeat_interval: int
    """Seconds; 0 for none."""
    fast: bool
    """Non-persistent messages travel outside the batch's unit of work."""
    split: bool
    """Messages longer than a segment may be split."""
    distribution_lists: bool
    """The partner accepts distribution lists."""
    partner_encoding: int
    """Encoding stated in the partner's segments."""
    partner_ccsid: int
    """CCSID of the partner."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceiverState:
    """State of a receiving end for a channel and partner, committed with each batch."""

    luwid: bytes = NO_LUWID
    """LUWID of the last committed batch; zeros before the first."""
    sequence: int = 0
    """Number of the last committed message; 0 before the first."""
    unsure: bool = False
    """Batches of fast messages only were confirmed before their record was on disk: after a crash the sequence number
    may lag the sender's, whose first number of the next session is then adopted."""

    def reset_to(self, next_sequence: int) -> ReceiverState:
        """Return the state after RESET CHANNEL SEQNUM(``next_sequence``), which makes that number the next."""
        return replace(self, sequence=next_sequence - 1, unsure=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class InDoubt:
    """A batch whose confirmation was (or may have been) requested and has not arrived."""

    luwid: bytes
    sequence: int
    """Number of its last message."""
    count: int
    """Number of its messages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SenderState:
    """State of a sending end for a channel and partner.

    Life cycle: ``state.asking(batch)`` before confirmation is requested; ``state.settled(commit)`` after the answer,
    after resynchronisation, or on RESOLVE CHANNEL; ``state.reset_to(n)`` on RESET CHANNEL, and ``state.reset_done()``
    once the partner has accepted it.
    """

    luwid: bytes = NO_LUWID
    """LUWID of the last confirmed batch; zeros before the first."""
    sequence: int = 0
    """Number of the last confirmed message; 0 before the first."""
    in_doubt: InDoubt | None = None
    """The batch in doubt, at most one."""
    reset: bool = False
    """A RESET CHANNEL at this end has not been sent to the partner yet: the next number is ``sequence`` + 1."""
    unsure: bool = False
    """Batches of fast messages only were sent without waiting for their records: after a crash the two ends' numbers
    may differ. Ours is sent to the partner at the next start, as after a reset."""

    @property
    def sends_number(self) -> bool:
        """Whether the next sequence number is sent to the partner at the start."""
        return self.reset or self.unsure

    def asking(self, luwid: bytes, sequence: int, count: int) -> SenderState:
        """Return the state with the batch in doubt; durable before ``request_confirm``."""
        return replace(self, in_doubt=InDoubt(luwid=luwid, sequence=sequence, count=count))

    def settled(self, commit: bool) -> SenderState:
        """Return the state after the batch in doubt was committed or backed out; unchanged if none is in doubt."""
        if self.in_doubt is None:
            return self
        if not commit:
            return replace(self, in_doubt=None)
        return replace(self, luwid=self.in_doubt.luwid, sequence=self.in_doubt.sequence, in_doubt=None)

    def reset_to(self, next_sequence: int) -> SenderState:
        """Return the state after RESET CHANNEL SEQNUM(``next_sequence``); refuse the command while a batch is in
        doubt."""
        return replace(self, sequence=next_sequence - 1, reset=True)

    def reset_done(self) -> SenderState:
        """Return the state after the partner has accepted the reset."""
        return replace(self, reset=False, unsure=False)


@dataclass(slots=True, kw_only=True)
class Counters:
    """Counters of a connection for DISPLAY CHSTATUS (channels.md 17.4)."""

    bytes_sent: int = 0
    bytes_received: int = 0
    buffers_sent: int = 0
    """Segments sent."""
    buffers_received: int = 0
    messages: int = 0
    """Messages sent or received in this session; for a client connection, calls."""
    batches: int = 0
    """Batches confirmed in this session."""
    current_messages: int = 0
    """Messages of the open batch (CURMSGS)."""
    current_luwid: bytes = NO_LUWID
    """Open batch (CURLUWID)."""
    current_sequence: int = 0
    """Last message sent or received (CURSEQNO)."""
    last_message: float | None = None
    """When the last message was sent or received, or the last call arrived."""
