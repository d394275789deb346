"""Errors of the captures room.

Bad content never raises: a reader gives what was whole and then holds one of these as a *value*
(``PacketReader.error``), so that a report can name what was lost. They are exceptions all the same, for a caller
who wants to stop on the first.
"""

from __future__ import annotations

from mqbridge.protocol.errors import MQBridgeError


class CaptureError(MQBridgeError):
    """A capture file, or a part of it, could not be read.

    ``offset``: position in the (unpacked) file of the first byte that was not used. ``packets``: how many packets
    were whole before it. ``reason``: what is wrong, one clause.
    """

    def __init__(self, offset: int, packets: int, reason: str) -> None:
        super().__init__(f"{reason} (offset {offset}, after {packets} packets)")
        self.offset = offset
        self.packets = packets
        self.reason = reason

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.offset, self.packets, self.reason)


class UnknownCaptureError(CaptureError):
    """The file is neither pcap nor pcapng."""


class CutCaptureError(CaptureError):
    """The file, or its compression, ends in the middle of a record; everything before was read."""


class DecryptionError(CaptureError):
    """TLS cannot be decrypted although a key log file was given; everything else was read."""

    def __init__(self, reason: str) -> None:
        super().__init__(0, 0, reason)
        self.args = (reason,)

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.reason,)


class DamagedCaptureError(CaptureError):
    """A record is impossible; reading stops, because the start of the next one is unknown."""
