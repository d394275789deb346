"""Options of puts, gets and browses, and the result of a get; option objects can be used for many calls."""

from __future__ import annotations

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
NO_TOKEN: Final = bytes(16)
"""MQMTOK_NONE: 16 bytes of zero."""
HIGHEST_LEVEL: Final = 9
"""Highest PubLevel and SubLevel."""
ANY_LENGTH: Final = -1
"""``GetOptions.max_length`` of a caller that takes a message of any length."""
_READ_FLAGS: Final = {order: reader(order, "msg_flags") for order in ByteOrder}
BROWSE_OPTIONS: Final = int(MQGMO.BROWSE_FIRST | MQGMO.BROWSE_NEXT | MQGMO.BROWSE_MSG_UNDER_CURSOR)


class PutOptions:
    """Options of a put (mqi.md 5.1).

    ``options``: MQPMO bits. The unit of work is a separate argument; SYNCPOINT and NO_SYNCPOINT are only checked for
    contradiction. ``application``: the application that puts, for default context. ``context_from``: message whose
    context MQPMO_PASS_* passes on, as a destructive get saved it. ``direct``: put by a message channel or by the queue
    manager itself: the descriptor is stored unchanged, no field is completed, and only what would make it unusable is
    refused. ``unit_of_work_open``: the program has a unit of work that this call is not part of (mqi.md 6.4).
    ``pub_level``: PubLevel of a put to a topic. ``delay``: delivery delay in milliseconds. ``authority``: user with
    whose authority the message is put, checked again for everything that follows from it (``on_behalf``); blank for
    the queue manager's own.

    Puts share their options: only a `copy` may be changed.
    """

    __slots__ = (
        "application", "authority", "context_from", "delay", "direct", "options", "pub_level", "unit_of_work_open",
    )  # fmt: skip

    def __init__(
        self,
        options: int = MQPMO.NONE,
        application: Application | None = None,
        context_from: Message | None = None,
        direct: bool = False,
        unit_of_work_open: bool = False,
        pub_level: int = HIGHEST_LEVEL,
        delay: int = 0,
        authority: str = "",
    ) -> None:
        self.options = int(options)
        self.application = Application() if application is None else application
        self.context_from = context_from
        self.direct = direct
        self.unit_of_work_open = unit_of_work_open
        self.pub_level = pub_level
        self.delay = delay
        self.authority = authority

    def copy(self) -> PutOptions:
        """Return the same options, to be changed."""
        return PutOptions(
            self.options,
            self.application,
            self.context_from,
            self.direct,
            self.unit_of_work_open,
            self.pub_level,
            self.delay,
            authority=self.authority,
        )


class GetOptions:
    """Options of a get or browse (mqi.md 7 to 13).

    ``options``: MQGMO bits. ``match``: MQMO bits, which say which of ``msg_id``, ``correl_id`` and ``group_id`` (24
    bytes), ``msg_seq_number``, ``offset`` and ``token`` (16 bytes, ``RetrievedMessage.token``) must match; an id of
    zeros matches anything. ``max_length``: bytes of data that the caller has room for, or ``ANY_LENGTH``; a longer
    message is refused, or cut with MQGMO_ACCEPT_TRUNCATED_MSG (mqi.md 13). ``application``: the application that gets.
    ``gmo_version``, ``md_version``: of the caller's MQGMO and MQMD, on which some options depend.
    ``unit_of_work_open``: the program has a unit of work that this call is not part of (mqi.md 12.5). ``encoding``,
    ``ccsid``: target of MQGMO_CONVERT. ``asks_again``: a message that only conversion makes longer than ``max_length``
    stays on the queue with 2080, because the caller will repeat the get with more room. ``selection``: selector of the
    handle; set by calls through a handle. ``in_turns``: slice of work: if it ends before the message is found, the call
    raises `SearchYielded`; repeated with the same ``search`` it continues. ``search``: progress of a search that
    yielded.

    Gets share their options: only a `copy` may be changed.
    """

    __slots__ = (
        "application", "asks_again", "ccsid", "correl_id", "encoding", "gmo_version", "group_id", "in_turns", "match",
        "max_length", "md_version", "msg_id", "msg_seq_number", "offset", "options", "search", "selection", "token",
        "unit_of_work_open",
    )  # fmt: skip

    def __init__(
        self,
        options: int = MQGMO.NO_WAIT,
        match: int = MQMO.NONE,
        msg_id: bytes = NO_ID,
        correl_id: bytes = NO_ID,
        group_id: bytes = NO_ID,
        msg_seq_number: int = 1,
        offset: int = 0,
        token: bytes = NO_TOKEN,
        max_length: int = ANY_LENGTH,
        application: Application | None = None,
        gmo_version: int = 4,
        md_version: int = 2,
        unit_of_work_open: bool = False,
        encoding: int = NATIVE_ORDER.encoding,
        ccsid: int = MQCCSI.Q_MGR,
        asks_again: bool = False,
        selection: HandleSelector | None = None,
        in_turns: Turns | None = None,
        search: Search | None = None,
    ) -> None:
        self.options = int(options)
        self.match = int(match)
        self.msg_id = msg_id
        self.correl_id = correl_id
        self.group_id = group_id
        self.msg_seq_number = msg_seq_number
        self.offset = offset
        self.token = token
        self.max_length = max_length
        self.application = Application() if application is None else application
        self.gmo_version = gmo_version
        self.md_version = md_version
        self.unit_of_work_open = unit_of_work_open
        self.encoding = encoding
        self.ccsid = ccsid
        self.asks_again = asks_again
        self.selection = selection
        self.in_turns = in_turns
        self.search = search

    def copy(self) -> GetOptions:
        """Return the same options, to be changed."""
        return GetOptions(
            self.options,
            self.match,
            self.msg_id,
            self.correl_id,
            self.group_id,
            self.msg_seq_number,
            self.offset,
            self.token,
            self.max_length,
            self.application,
            self.gmo_version,
            self.md_version,
            self.unit_of_work_open,
            self.encoding,
            self.ccsid,
            self.asks_again,
            self.selection,
            self.in_turns,
            self.search,
        )

    def at_once(self) -> GetOptions:
        """Return the same options for a search that does not yield."""
        options = self.copy()
        options.in_turns = options.search = None
        return options


class RetrievedMessage:
    """A message as got or browsed.

    ``message``: descriptor, with BackoutCount and remaining Expiry, and data. Data longer than ``bodies.LAZY_BODY`` is
    read from the store on demand, and only until the unit of work of the get has ended. ``queue_name``,
    ``queue_number``: of the queue. ``position``: in the queue, part of its key in the store. ``length``: bytes of data
    of the whole message. ``reason``: 0, or a warning: 2079 (truncated) or 2080 (truncated, and the message stays).
    ``held``: the get was outside syncpoint, and the message is kept until `Settle` says whether it has arrived.
    ``stored_length``: bytes of data on the queue if conversion or a property option has changed them, else -1.
    """

    __slots__ = (
        "held", "length", "message", "position", "queue_name", "queue_number", "reason", "stored_length",
    )  # fmt: skip

    def __init__(
        self, message: Message, queue_name: str, queue_number: int, position: int, length: int, reason: int = 0
    ) -> None:
        self.message = message
        self.queue_name = queue_name
        self.queue_number = queue_number
        self.position = position
        self.length = length
        self.reason = reason
        self.held = False
        self.stored_length = -1

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
