"""Reassembly of IP packets from fragments (RFC 791 3.2, RFC 8200 4.5), within explicit limits.

Theory of operation. A datagram is identified by its addresses, protocol and identification. Its fragments are copied
into one buffer, in any order; bytes that come twice count once, the first time. The fragment that completes the
datagram returns its TCP segment. The datagram stays known for a while, so that copies of its fragments (a cooked
capture contains every packet twice) do not begin a new one. A datagram that stays incomplete for
:data:`FRAGMENT_PATIENCE` packets of the capture, or is the oldest when a limit is reached, is given up: TCP then shows
the gap.

If the capture kept only the beginning of packets, the segment has the bytes up to the first missing one, and its length
on the wire.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import Final, NamedTuple

#: Number of datagrams kept at a time, waiting or complete.
MAX_DATAGRAMS = 1024

#: Number of bytes kept of all datagrams.
MAX_FRAGMENT_BYTES = 32 << 20

#: Packets of the capture for which a datagram is kept after its first fragment.
FRAGMENT_PATIENCE = 4096

#: Longest datagram without IP headers.
MAX_DATAGRAM_LENGTH: Final = 65_535


class Fragment(NamedTuple):
    """A fragment of an IP packet.

    ``version``: 4 or 6. ``protocol``: of the beginning of ``payload`` if ``offset`` is 0. ``offset``: in bytes.
    ``length``: bytes on the wire, more than ``payload`` if the capture truncated it. ``more``: whether others follow.
    """

    version: int
    source: bytes
    destination: bytes
    identification: int
    protocol: int
    offset: int
    more: bool
    payload: bytes
    length: int


class Datagram(NamedTuple):
    """The payload of a whole IP packet.

    ``data``: up to the first missing byte. ``length``: on the wire. ``packets``: numbers of the packets with its
    fragments.
    """

    version: int
    source: bytes
    destination: bytes
    protocol: int
    data: bytes
    length: int
    packets: tuple[int, ...]


class _Waiting:
    """An incomplete datagram; kept when complete in order to recognise copies."""

    __slots__ = ("buffer", "first_packet", "held", "length", "packets", "protocol", "spans", "whole")

    def __init__(self, packet: int, protocol: int) -> None:
        self.first_packet = packet
        self.protocol = protocol
        self.packets = [packet]
        self.length: int | None = None  # of the datagram, once the last fragment came
        self.buffer = bytearray()
        self.spans: list[tuple[int, int]] = []  # what was covered on the wire, disjoint, in order
        self.held: list[tuple[int, int]] = []  # and what the capture has of it
        self.whole = False

    def accepts(self, fragment: Fragment) -> bool:
        """Whether a fragment fits; a complete datagram accepts only copies."""
        end = fragment.offset + fragment.length
        if self.whole:
            there = self.buffer[fragment.offset : fragment.offset + len(fragment.payload)]
            return end <= (self.length or 0) and (not _has(self.held, fragment) or there == fragment.payload)
        if self.length is None:
            return fragment.more or not self.spans or end >= self.spans[-1][1]
        return end <= self.length and (fragment.more or end == self.length)

    def take(self, fragment: Fragment) -> bool:
        """Copy a fragment; return whether it completed the datagram."""
        offset, end = fragment.offset, fragment.offset + fragment.length
        if not fragment.more:
            self.length = end
        if not offset:
            self.protocol = fragment.protocol
        kept_end = offset + len(fragment.payload)
        if len(self.buffer) < kept_end:
            self.buffer.extend(bytes(kept_end - len(self.buffer)))
        for start, stop in _uncovered(self.held, offset, kept_end):
            self.buffer[start:stop] = fragment.payload[start - offset : stop - offset]
        _cover(self.held, offset, kept_end)
        _cover(self.spans, offset, end)
        self.whole = self.length is not None and self.spans == [(0, self.length)]
        return self.whole

    def data(self) -> bytes:
        """Return the captured bytes from the beginning on."""
        return bytes(self.buffer[: self.held[0][1]]) if self.held and not self.held[0][0] else b""


_Key = tuple[int, bytes, bytes, int, int]


class FragmentReassembly:
    """Sans-IO: fragments in, datagrams out. Observes its limits, never raises.

    ``unread``: number of fragments so far that belong to no complete datagram, without copies.
    """

    def __init__(self) -> None:
        self.unread = 0
        self._datagrams: dict[_Key, _Waiting] = {}  # the oldest first
        self._bytes = 0

    def add(self, fragment: Fragment, number: int) -> Datagram | None:
        """Take a fragment from packet ``number`` of the capture; return the datagram it completes, if any."""
        self._forget_old(number)
        end = fragment.offset + fragment.length
        if not fragment.length or end > MAX_DATAGRAM_LENGTH or (fragment.more and fragment.length % 8):
            self.unread += 1
            return None
        # RFC 8200 4.5: the next header of later fragments is ignored.
        protocol = fragment.protocol if fragment.version == 4 else 0
        key = fragment.version, fragment.source, fragment.destination, fragment.identification, protocol
        waiting = self._datagrams.get(key)
        if waiting is not None and not waiting.accepts(fragment):
            self._forget(key)
            waiting = None
        if waiting is None:
            waiting = self._datagrams[key] = _Waiting(number, fragment.protocol)
        elif waiting.whole:
            return None
        else:
            waiting.packets.append(number)
        self.unread += 1
        before = len(waiting.buffer)
        whole = waiting.take(fragment)
        self._bytes += len(waiting.buffer) - before
        while len(self._datagrams) > MAX_DATAGRAMS or (self._bytes > MAX_FRAGMENT_BYTES and len(self._datagrams) > 1):
            self._forget(next(iter(self._datagrams)))
        if not whole:
            return None
        self.unread -= len(waiting.packets)
        return Datagram(
            fragment.version,
            fragment.source,
            fragment.destination,
            waiting.protocol,
            waiting.data(),
            waiting.length or 0,
            tuple(waiting.packets),
        )

    def _forget_old(self, number: int) -> None:
        while self._datagrams:
            key, waiting = next(iter(self._datagrams.items()))
            if waiting.first_packet + FRAGMENT_PATIENCE >= number:
                break
            self._forget(key)

    def _forget(self, key: _Key) -> None:
        self._bytes -= len(self._datagrams.pop(key).buffer)


def _has(spans: list[tuple[int, int]], fragment: Fragment) -> bool:
    return not any(True for _ in _uncovered(spans, fragment.offset, fragment.offset + len(fragment.payload)))


def _uncovered(spans: list[tuple[int, int]], start: int, end: int) -> list[tuple[int, int]]:
    """Return the parts of a range outside all spans."""
    parts = []
    for begin, stop in spans[max(0, bisect_right(spans, (start, MAX_DATAGRAM_LENGTH)) - 1) :]:
        if begin >= end:
            break
        if begin > start:
            parts.append((start, begin))
        start = max(start, stop)
    if start < end:
        parts.append((start, end))
    return parts


def _cover(spans: list[tuple[int, int]], start: int, end: int) -> None:
    """Add a range to the spans, merging adjacent ones."""
    if start >= end:
        return
    first = bisect_left(spans, start, key=_end)
    last = bisect_right(spans, end, key=_start)
    if first < last:
        start, end = min(start, spans[first][0]), max(end, spans[last - 1][1])
    spans[first:last] = [(start, end)]


def _start(span: tuple[int, int]) -> int:
    return span[0]


def _end(span: tuple[int, int]) -> int:
    return span[1]
