"""Options of puts, gets and browses, and the result of a get; option objects can be used for many calls."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from mqbridge.mappings.descriptor import reader
from mqbridge.mappings.message import Message
from mqbridge.mappings.mq import NATIVE_ORDER
from mqbridge.protocol.constants import MQCCSI, MQGMO, MQGS, MQMF, MQMO, MQPMO, MQSEG, MQSS, ByteOrder
from mqbridge.protocol.constants.lengths import MQMD_LENGTH_2

from .programs import Application
from .queues.rows import pack_position

if TYPE_CHECKING:
    from .getting.message_selection import HandleSelector
    from .getting.searching import Search
    from .turns import Turns

NO_ID: Final = bytes(24)
"""MQMI_NONE, MQCI_NONE, MQGI_NONE: 24 bytes of zero."""
HIGHEST_LEVEL: Final = 9
"""Highest PubLevel and SubLevel."""
ANY_LENGTH: Final = -1
"""``GetOptions.max_length`` of a caller that takes a message of any length."""
_READ_FLAGS: Final = {order: reader(order, "msg_flags") for order in ByteOrder}
BROWSE_OPTIONS: Final = int(MQGMO.BROWSE_FIRST | MQGMO.BROWSE_NEXT | MQGMO.BROWSE_MSG_UNDER_CURSOR)


@dataclass(frozen=True, slots=True)
class PutOptions:
    """Options of a put (mqi.md 5.1)."""

    options: int = MQPMO.NONE
    """MQPMO bits. The unit of work is a separate argument; SYNCPOINT and NO_SYNCPOINT are only checked for
    contradiction."""
    application: Application = field(default_factory=Application)
    """The application that puts, for default context."""
    context_from: Message | None = None
    """Message whose context MQPMO_PASS_* passes on, as a destructive get saved it."""
    direct: bool = False
    """Put by a message channel or by the queue manager itself: the descriptor is stored unchanged, no field is
    completed, and only what would make it unusable is refused."""
    unit_of_work_open: bool = False
    """The program has a unit of work that this call is not part of (mqi.md 6.4)."""
    pub_level: int = HIGHEST_LEVEL
    """PubLevel of a put to a topic."""
    delay: int = 0
    """Delivery delay in milliseconds."""
    authority: str = ""
    """User with whose authority the message is put, checked again for everything that follows from it (``on_behalf``);
    blank for the queue manager's own."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "options", int(self.options))


@dataclass(frozen=True, slots=True)
class GetOptions:
    """Options of a get or browse (mqi.md 7 to 13)."""

    options: int = MQGMO.NO_WAIT
    """MQGMO bits."""
    match: int = MQMO.NONE
    """MQMO bits: which of the ids below must match; an id of zeros matches anything."""
    msg_id: bytes = NO_ID
    """MsgId to match, 24 bytes."""
    correl_id: bytes = NO_ID
    """CorrelId to match, 24 bytes."""
    group_id: bytes = NO_ID
    """GroupId to match, 24 bytes."""
    msg_seq_number: int = 1
    """MsgSeqNumber to match."""
    offset: int = 0
    """Offset to match."""
    token: bytes = bytes(16)
    """``RetrievedMessage.token`` to match, 16 bytes."""
    max_length: int = ANY_LENGTH
    """Bytes of data that the caller has room for, or ``ANY_LENGTH``; a longer message is refused, or cut with
    MQGMO_ACCEPT_TRUNCATED_MSG (mqi.md 13)."""
    application: Application = field(default_factory=Application)
    """The application that gets."""
    gmo_version: int = 4
    """Version of the caller's MQGMO, on which some options depend."""
    md_version: int = 2
    """Version of the caller's MQMD, on which some options depend."""
    unit_of_work_open: bool = False
    """The program has a unit of work that this call is not part of (mqi.md 12.5)."""
    encoding: int = NATIVE_ORDER.encoding
    """Target encoding of MQGMO_CONVERT."""
    ccsid: int = MQCCSI.Q_MGR
    """Target CCSID of MQGMO_CONVERT."""
    asks_again: bool = False
    """A message that only conversion makes longer than ``max_length`` stays on the queue with 2080, because the caller
    will repeat the get with more room."""
    selection: HandleSelector | None = None
    """Selector of the handle; set by calls through a handle."""
    in_turns: Turns | None = None
    """Slice of work: if it ends before the message is found, the call raises `SearchYielded`; repeated with the same
    ``search`` it continues."""
    search: Search | None = None
    """Progress of a search that yielded."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "options", int(self.options))
        object.__setattr__(self, "match", int(self.match))


@dataclass(slots=True)
class RetrievedMessage:
    """A message as got or browsed.

    ``message``: descriptor, with BackoutCount and remaining Expiry, and data. Data longer than ``bodies.LAZY_BODY`` is
    read from the store on demand, and only until the unit of work of the get has ended. ``queue_name``,
    ``queue_number``: of the queue. ``position``: in the queue, part of its key in the store. ``length``: bytes of data
    of the whole message. ``reason``: 0, or a warning: 2079 (truncated) or 2080 (truncated, and the message stays).
    ``held``: the get was outside syncpoint, and the message is kept until `Settle` says whether it has arrived.
    ``stored_length``: bytes of data on the queue if conversion or a property option has changed them, else -1.
    """

    message: Message
    queue_name: str
    queue_number: int
    position: int
    length: int
    reason: int = 0
    held: bool = False
    stored_length: int = -1

    @property
    def token(self) -> bytes:
        """MsgToken: 16 bytes, unique among the current messages of the queue manager (mqi.md 10.2)."""
        return self.queue_number.to_bytes(8, "big") + pack_position(self.position)

    @property
    def stored(self) -> int:
        """Bytes of data of the message on the queue."""
        return self.length if self.stored_length < 0 else self.stored_length

    @property
    def msg_flags(self) -> int:
        """MsgFlags of the descriptor; 0 in one of version 1."""
        message = self.message
        raw_md = message.raw_md
        flags: int = _READ_FLAGS[message.order](raw_md)[0] if len(raw_md) == MQMD_LENGTH_2 else 0
        return flags

    @property
    def group_status(self) -> MQGS:
        """GroupStatus of the MQGMO (mqi.md 12.4)."""
        flags = self.msg_flags
        if flags & MQMF.LAST_MSG_IN_GROUP:
            return MQGS.LAST_MSG_IN_GROUP
        return MQGS.MSG_IN_GROUP if flags & MQMF.MSG_IN_GROUP else MQGS.NOT_IN_GROUP

    @property
    def segment_status(self) -> MQSS:
        """SegmentStatus of the MQGMO; a message reassembled from segments is a last segment."""
        flags = self.msg_flags
        if flags & MQMF.LAST_SEGMENT:
            return MQSS.LAST_SEGMENT
        return MQSS.SEGMENT if flags & MQMF.SEGMENT else MQSS.NOT_A_SEGMENT

    @property
    def segmentation(self) -> MQSEG:
        """Segmentation of the MQGMO: whether the message may be segmented further."""
        return MQSEG.ALLOWED if self.msg_flags & MQMF.SEGMENTATION_ALLOWED else MQSEG.INHIBITED
