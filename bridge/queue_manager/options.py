"""What a caller says with a put, a get or a browse: slots objects that can be made once and used for many calls."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from mqbridge.mappings.descriptor import ByteOrder, reader
from mqbridge.mappings.message import Message
from mqbridge.protocol.constants import MQCCSI, MQGMO, MQGS, MQMF, MQMO, MQPMO, MQSEG, MQSS, NATIVE_REVERSED
from mqbridge.protocol.constants.lengths import MQMD_LENGTH_2

from .programs import Application
from .queues.rows import pack_position

if TYPE_CHECKING:
    from .getting.message_selection import Selection
    from .getting.searching import Search
    from .turns import Turns

NO_ID: Final = bytes(24)
"""MQMI_NONE, MQCI_NONE, MQGI_NONE: 24 bytes of zero."""
HIGHEST_LEVEL: Final = 9
"""PubLevel and SubLevel at most."""
ANY_LENGTH: Final = -1
"""``GetOptions.max_length`` of a caller that takes a message of any length."""
_ORDERS: Final[tuple[ByteOrder, ...]] = ("big", "little")
_READ_FLAGS: Final = {order: reader(order, "msg_flags") for order in _ORDERS}
BROWSE_OPTIONS: Final = int(MQGMO.BROWSE_FIRST | MQGMO.BROWSE_NEXT | MQGMO.BROWSE_MSG_UNDER_CURSOR)


@dataclass(frozen=True, slots=True)
class PutOptions:
    """Options of a put.

    ``options``: MQPMO bits (mqi.md 5.1). The unit of work is given beside; MQPMO_SYNCPOINT and NO_SYNCPOINT are only
    checked against each other. ``context_from``: message whose context MQPMO_PASS_* passes on, as a destructive get
    saved it. ``direct``: the caller is a message channel or the queue manager itself: the descriptor is stored as it
    is, none of its fields is completed, and only what would make it unusable is refused. ``unit_of_work_open``: the
    program has a unit of work that this call is not part of (mqi.md 6.4). ``pub_level``: PubLevel of a put to a topic.
    ``delay``: milliseconds before which the message is not to be had. ``authority``: the user with whose authority the
    message is put, which is asked again of whatever follows from it (``on_behalf``); blank: the queue manager's own.
    """

    options: int = MQPMO.NONE
    application: Application = field(default_factory=Application)
    context_from: Message | None = None
    direct: bool = False
    unit_of_work_open: bool = False
    pub_level: int = HIGHEST_LEVEL
    delay: int = 0
    authority: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "options", int(self.options))


@dataclass(slots=True)
class GetOptions:
    """Options of a get or browse.

    ``options``: MQGMO bits. ``match``: MQMO bits naming which of the id fields must agree; an id of zeros matches
    anything. ``max_length``: bytes of data the caller has room for, or ``ANY_LENGTH``; a longer message is refused or
    cut as MQGMO_ACCEPT_TRUNCATED_MSG says (mqi.md 13). ``token``: 16 bytes of ``RetrievedMessage.token``.
    ``gmo_version`` and ``md_version``: of the structures that the caller gives; some options need the second.
    ``unit_of_work_open``: the program has a unit of work that this call is not part of (mqi.md 12.5). ``encoding`` and
    ``ccsid``: what MQGMO_CONVERT is to convert the data to. ``asks_again``: a message that only conversion makes too
    long for the room stays where it is (2080), for the caller will come again with more room. ``selection``: the
    selector of the handle that is got through; calls through a handle set it themselves. ``in_turns``: when the turn is
    over before the message is found the call raises `SearchYielded`; made again with the same ``search`` it goes on
    where it was.
    """

    options: int = MQGMO.NO_WAIT
    match: int = MQMO.NONE
    msg_id: bytes = NO_ID
    correl_id: bytes = NO_ID
    group_id: bytes = NO_ID
    msg_seq_number: int = 1
    offset: int = 0
    token: bytes = bytes(16)
    max_length: int = ANY_LENGTH
    application: Application = field(default_factory=Application)
    gmo_version: int = 4
    md_version: int = 2
    unit_of_work_open: bool = False
    encoding: int = int(NATIVE_REVERSED)
    ccsid: int = int(MQCCSI.Q_MGR)
    asks_again: bool = False
    selection: Selection | None = None
    in_turns: Turns | None = None
    search: Search | None = None

    def __post_init__(self) -> None:
        self.options = int(self.options)
        self.match = int(self.match)


@dataclass(slots=True)
class RetrievedMessage:
    """A message as got or browsed.

    ``message``: descriptor with BackoutCount and remaining Expiry filled in, and data. Data longer than
    ``bodies.LAZY_BODY`` are read from the store when asked for, and only until the unit of work of the get has ended.
    ``queue_name`` and ``queue_number``: of the queue.
    ``length``: bytes of data of the whole message. ``position``: place in the queue, part of its key in the store.
    ``reason``: 0, or a warning: 2079 (data cut) or 2080 (data cut, and the message stays). ``pending``: the get was
    outside a unit of work and its removal is not yet on disk; ``then`` tells. ``stored_length``: bytes of data on the
    queue where conversion or a property option has changed them, else -1.
    """

    message: Message
    queue_name: str
    queue_number: int
    position: int
    length: int
    reason: int = 0
    pending: bool = False
    stored_length: int = -1

    @property
    def token(self) -> bytes:
        """MsgToken: 16 bytes, unique among the messages of the queue manager while they are there (mqi.md 10.2)."""
        return self.queue_number.to_bytes(8, "big") + pack_position(self.position)

    @property
    def stored(self) -> int:
        """Bytes of data that the message had on the queue."""
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
        """SegmentStatus of the MQGMO: a message joined out of segments is its only, last segment."""
        flags = self.msg_flags
        if flags & MQMF.LAST_SEGMENT:
            return MQSS.LAST_SEGMENT
        return MQSS.SEGMENT if flags & MQMF.SEGMENT else MQSS.NOT_A_SEGMENT

    @property
    def segmentation(self) -> MQSEG:
        """Segmentation of the MQGMO: whether the message may be cut further."""
        return MQSEG.ALLOWED if self.msg_flags & MQMF.SEGMENTATION_ALLOWED else MQSEG.INHIBITED
