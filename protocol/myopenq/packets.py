"""Packets: the fixed part, the nine commands, and where in a stream of bytes each ends (M-010 to M-030)."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum, unique
from typing import Final, NamedTuple

from mqbridge.protocol.constants import ByteOrder

from .codes import Code, MoqError
from .digests import DIGEST_SIZE, digest
from .grammars import BROWSE, CREATE, FIXED, FRAMED_CREATE, PUT, QUEUE, REMOTE, WAIT
from .text_fields import read_number, write_number


@unique
class Command(Enum):
    """The word in a packet."""

    CREATE = "CREATE"
    DELETE = "DELETE"
    SHUTDOWN = "SHUTDOWN"
    PUT = "PUT"
    GET = "GET"
    BROWSE = "BROWSE"
    DISPLAY = "DISPLAY"
    COUNT = "COUNT"
    PURGE = "PURGE"


REMEMBERED: Final = frozenset({Command.CREATE, Command.DELETE, Command.PUT, Command.PURGE, Command.SHUTDOWN})
"""Commands of which a repeat is answered with success and not done again (M-056)."""
MAX_MESSAGE: Final = 99_999
"""Longest text of a message, by the width of its length field (M-116)."""

_FIXED: Final = FIXED.codec(ByteOrder.BIG)
_CREATE: Final = CREATE.codec(ByteOrder.BIG)
_PUT: Final = PUT.codec(ByteOrder.BIG)
_SIZES: Final = {
    Command.DELETE: QUEUE.size,
    Command.SHUTDOWN: 0,
    Command.GET: QUEUE.size,
    Command.BROWSE: BROWSE.size,
    Command.DISPLAY: QUEUE.size,
    Command.COUNT: QUEUE.size,
    Command.PURGE: QUEUE.size,
}
_COMMANDS: Final = {each.value.encode(): each for each in Command}


class Packet(NamedTuple):
    """One packet. ``digest``: as sent, empty where there is none. ``signed``: every byte behind the digest field, which
    a repeat has again. ``variable``: the part that depends on the command, its length right for the command."""

    command: Command
    stamp: int
    digest: str
    signed: bytes
    variable: bytes


class PacketReader:
    """Takes the bytes of a caller as they come, and gives whole packets. ``framed``: in framed mode."""

    __slots__ = ("_data", "_framed")

    def __init__(self, framed: bool) -> None:
        self._framed = framed
        self._data = bytearray()

    @property
    def pending(self) -> int:
        """Bytes that have come of packets that were not given."""
        return len(self._data)

    def receive(self, data: bytes) -> None:
        """Take bytes."""
        self._data += data

    def next_packet(self) -> Packet | None:
        """Return the next packet, or None while it is not whole.

        Raises `MoqError` 2003 where no length follows from what is there: an unknown command, a type that is neither
        local nor remote, a length or time stamp of letters. Nothing can be read behind it.
        """
        data = self._data
        size = self._size()
        if size is None or len(data) < size:
            return None
        packet = bytes(data[:size])
        del data[:size]
        return _packet(packet)

    def packets(self) -> Iterator[Packet]:
        """Yield the packets that are whole. Raises as `next_packet`."""
        while (packet := self.next_packet()) is not None:
            yield packet

    def _size(self) -> int | None:
        data = self._data
        if len(data) < FIXED.size:
            return None
        fixed = _FIXED.parse(data)
        command = _COMMANDS.get(fixed.command.rstrip(b" \0"))
        if command is None:
            raise MoqError(Code.MALFORMED, f"unknown command {fixed.command.rstrip(b' ')!r}")
        _number(fixed.stamp, "the time stamp")
        if command is Command.PUT:
            if len(data) < FIXED.size + PUT.size:
                return None
            put = _PUT.parse(data, FIXED.size)
            return FIXED.size + PUT.size + _number(put.length, "the length of the text")
        if command is Command.CREATE:
            if len(data) < FIXED.size + CREATE.size:
                return None
            kind = _CREATE.parse(data, FIXED.size).type
            if kind not in (b"L", b"R"):
                raise MoqError(Code.MALFORMED, f"type {kind!r} of a queue is neither L nor R")
            size = CREATE.size + (REMOTE.size if kind == b"R" else 0)
            return FIXED.size + size + (FRAMED_CREATE.size if self._framed else 0)
        return FIXED.size + _SIZES[command] + (WAIT.size if self._framed and command is Command.GET else 0)


def build_packet(command: Command, variable: bytes, stamp: int, *, sign: bool = True, secret: bytes = b"") -> bytes:
    """Return the bytes of a packet. ``sign``: with its digest; ``secret``: keyed by it (M-093).

    Raises `ValueError` for a stamp of more than ten digits.
    """
    signed = write_number(stamp, 10, "the time stamp") + command.value.encode().ljust(10) + variable
    return (digest(signed, secret).encode() if sign or secret else b" " * DIGEST_SIZE) + signed


def _packet(data: bytes) -> Packet:
    fixed = _FIXED.parse(data)
    return Packet(
        _COMMANDS[fixed.command.rstrip(b" \0")],
        read_number(fixed.stamp),
        fixed.digest.rstrip(b" \0").decode("latin-1"),
        data[DIGEST_SIZE:],
        data[FIXED.size :],
    )


def _number(field: bytes, what: str) -> int:
    try:
        return read_number(field)
    except ValueError:
        raise MoqError(Code.MALFORMED, f"{what} is {field!r}") from None
