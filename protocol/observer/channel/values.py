"""Values stated in INITIAL_DATA, and the agreement of two statements (mq-wire.md 5.1 and 7.2, channels.md 4).

Unlike :mod:`protocol.channel.proposal`, which refuses what a live channel cannot use, this keeps everything that can be
parsed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from mqbridge.protocol.channel.agreement import NEGOTIATED_NUMBERS, receive_timeout
from mqbridge.protocol.constants import ByteOrder, CapFlags1, CapFlags2, ControlFlags1
from mqbridge.protocol.direction import Direction
from mqbridge.protocol.segment import Segment
from mqbridge.protocol.structures import Body, parse_initial_data
from mqbridge.protocol.text import NAME_CCSIDS, decode_field

MAX_STATEMENTS: Final = 256
"""Maximum number of cached statements."""
MAX_REMEMBERED: Final = 512
"""Longest cached statement in bytes."""

UNUSED_COMPRESSION: Final = 0xFF
NO_COMPRESSION: Final = 0


@lru_cache(maxsize=4096)
def read_name(raw: bytes, ccsid: int, ebcdic: bool) -> str:
    """Return a header field as text without padding; if its CCSID has no codec, in the character set of the StrucId."""
    return decode_field(raw, ccsid if ccsid in NAME_CCSIDS else 500 if ebcdic else 819)


@dataclass(slots=True, eq=False)
class Values:
    """One INITIAL_DATA. ``body``: its fields (``body.has(…)``). ``flags``: ControlFlags1. Names are unpadded."""

    body: Body
    flags: int
    channel_name: str
    queue_manager: str
    product: str
    encoding: int
    ccsid: int

    @property
    def fap_level(self) -> int:
        """Level offered or agreed."""
        return int(self.body.record.fap_level)

    @property
    def changed(self) -> int:
        """InitErrFlags1: numbers that this end changed."""
        return int(self.body.record.init_err_flags1)

    @property
    def error(self) -> bool:
        """Whether it states that there is no agreement yet, as live channels interpret it (mq-wire.md 7.2)."""
        return bool(self.flags & ControlFlags1.ERROR or self.changed)

    @property
    def fast(self) -> bool:
        """NPMSPEED(FAST)."""
        return bool(self.body.record.cap_flags2 & CapFlags2.FAST_MESSAGES_REQUIRED)

    @property
    def asks_to_be_sent_to(self) -> bool:
        """Whether the caller is a requester."""
        return bool(self.body.record.cap_flags1 & CapFlags1.REQUEST_INITIATION)

    @property
    def header_compressions(self) -> list[int]:
        """Compressions offered for headers, by preference; empty below FAP 8."""
        return _offered(self.body, "hdr_comp_list")

    @property
    def message_compressions(self) -> list[int]:
        """Compressions offered for data, likewise."""
        return _offered(self.body, "msg_comp_list")


def _offered(body: Body, key: str) -> list[int]:
    return [entry for entry in getattr(body.record, key) if entry != UNUSED_COMPRESSION] if body.has(key) else []


def read_values(segment: Segment) -> Values:
    """Parse INITIAL_DATA. Raises ``StructureError`` if it is too short.

    Many connections begin with the same bytes: equal statements may be the same object.
    """
    read = _read if segment.body_length > MAX_REMEMBERED else _read_once
    return read(segment.body, segment.order, segment.flags1, segment.encoding, segment.ccsid, segment.ebcdic)


def _read(raw: bytes, order: ByteOrder, flags: int, encoding: int, ccsid: int, ebcdic: bool) -> Values:
    body = parse_initial_data(raw, order)
    return Values(
        body,
        flags,
        read_name(body.record.channel_name, ccsid, ebcdic),
        read_name(body.record.q_mgr_name, ccsid, ebcdic),
        read_name(body.record.product_id, ccsid, ebcdic),
        encoding,
        ccsid,
    )


_read_once: Final = lru_cache(MAX_STATEMENTS)(_read)


@dataclass(slots=True, eq=False)
class ChannelValues:
    """The negotiated values. Lengths in bytes, heartbeat interval in seconds, 0 for none.

    ``caller``, ``called``: names of the queue managers. ``sender``: the end that sends messages. ``numbered``: both
    check sequence numbers, which cluster channels do not.
    """

    channel_name: str
    caller: str
    called: str
    sender: Direction
    fap_level: int
    batch_size: int
    transmission_size: int
    message_length: int
    sequence_wrap: int
    heartbeat_interval: int
    fast: bool
    numbered: bool
    split: bool
    header_compression: int
    message_compression: int

    @property
    def silence_limit(self) -> float | None:
        """Seconds of silence after which a waiting end gives up; None without heartbeats (channels.md 6.1)."""
        return receive_timeout(self.heartbeat_interval)


def agree(caller: Values, called: Values) -> ChannelValues:
    """Return the agreement of the two ends' last statements (channels.md 4)."""
    one, other = caller.body.record, called.body.record
    numbers = {
        number.value: number.agree(getattr(one, number.field), getattr(other, number.field))
        for number in NEGOTIATED_NUMBERS
    }
    return ChannelValues(
        channel_name=called.channel_name or caller.channel_name,
        caller=caller.queue_manager,
        called=called.queue_manager,
        sender=Direction.RESPONDER if caller.asks_to_be_sent_to else Direction.INITIATOR,
        fast=caller.fast and called.fast,
        numbered=bool(one.cap_flags1 & other.cap_flags1 & CapFlags1.MSG_SEQ),
        split=bool(one.cap_flags1 & other.cap_flags1 & CapFlags1.SPLIT_MESSAGE),
        header_compression=first_common(caller.header_compressions, called.header_compressions),
        message_compression=first_common(caller.message_compressions, called.message_compressions),
        **numbers,
    )


def first_common(wanted: list[int], offered: list[int]) -> int:
    """Return the compression agreed from two lists: the caller's first entry that the other end also has, else none."""
    return next((entry for entry in wanted if entry in offered), NO_COMPRESSION)
