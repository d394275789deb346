"""The open batch of a sender, and the headers in front of its messages."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Final, TypeAlias

from mqbridge.protocol.constants import ByteOrder, SegmentType
from mqbridge.protocol.layouts.builders import MessagePrefixBuilder
from mqbridge.protocol.structures import MESSAGE_PREFIX

from .batch_limits import bytes_of
from .parameters import ChannelParameters, Negotiated

MQXQH_LENGTH: Final = 428
"""Length of MQXQH, which includes the descriptor, in front of the data (mq-wire.md 5.14)."""


PREFIX_LENGTH: Final = MESSAGE_PREFIX.size
"""Length of TSH and MSH: 48 bytes."""


PrefixBuilder: TypeAlias = Callable[[int, int, bytes, int, int, int], bytes]
"""Builds TSH and MSH from segment length, control flags, LUWID, sequence number, data length and message length."""


@lru_cache(maxsize=64)
def prefix_builder(order: ByteOrder, ccsid: int, encoding: int) -> PrefixBuilder:
    """Return a builder of TSH and MSH for a byte order, CCSID and encoding."""
    record = MESSAGE_PREFIX.codec(order)(
        tsh_struc_id=b"TSH ",
        tsh_segment_type=int(SegmentType.MESSAGE_DATA),
        tsh_encoding=encoding,
        tsh_ccsid=ccsid,
        msh_struc_id=b"MSH ",
    )
    return MessagePrefixBuilder(record).build


class Outgoing:
    """A message to be sent: MQXQH (428 bytes in our byte order and CCSID) and data, ``length`` bytes in all.

    ``payload``: one ``bytes``, or pieces that are read only as segments are taken.
    """

    __slots__ = ("length", "payload", "persistent")

    def __init__(self, payload: bytes | Iterable[bytes | memoryview], length: int, persistent: bool) -> None:
        self.payload = payload
        self.length = length
        self.persistent = persistent


class OpenBatch:
    """Counters of the batch being sent, and whether it is full (channels.md 5.1)."""

    __slots__ = ("_interval", "_limit", "_size", "_waited", "_waiting_since", "bytes", "count", "luwid", "persistent")

    def __init__(self, luwid: bytes, parameters: ChannelParameters, negotiated: Negotiated) -> None:
        self.luwid = luwid
        self.count = 0
        self.persistent = 0
        self.bytes = 0
        self._size = negotiated.batch_size
        self._limit = bytes_of(parameters.batch_limit)
        self._interval = parameters.batch_interval / 1000
        self._waited = 0.0
        self._waiting_since: float | None = None

    def add(self, length: int, persistent: bool, now: float) -> bool:
        """Count a message of ``length`` bytes; return whether it fills the batch."""
        self.count += 1
        self.bytes += length
        if persistent:
            self.persistent += 1
        if self._waiting_since is not None:
            self._waited += now - self._waiting_since
            self._waiting_since = None
        return self.count >= self._size or 0 < self._limit < self.bytes

    def wait(self, now: float) -> float:
        """Note that the queue is empty; return when the batch ends if no message comes. Only waiting counts against
        BATCHINT."""
        if self._waiting_since is None:
            self._waiting_since = now
        return self._waiting_since + max(self._interval - self._waited, 0.0)

    @property
    def deadline(self) -> float | None:
        """When the batch ends while the queue stays empty; None while it is not empty."""
        since = self._waiting_since
        return None if since is None else since + max(self._interval - self._waited, 0.0)
