"""Errors of the captures room.

Invalid content never raises: a reader returns what was complete and keeps one of these as a *value*
(``PacketReader.error``) for reports. They are exceptions for callers that stop at the first error.
"""

from __future__ import annotations

from mqbridge.protocol.errors import MQBridgeError


class CaptureError(MQBridgeError):
    """A capture file, or a part of it, could not be read.

    ``offset``: position of the first unused byte in the (unpacked) file. ``packets``: number of complete packets before
    it. ``reason``: one clause.
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
    """The file, or its compression, ends in the middle of a record; everything before it was read."""


class DecryptionError(CaptureError):
    """TLS cannot be decrypted despite a given key log file; everything else was read."""

    def __init__(self, reason: str) -> None:
        super().__init__(0, 0, reason)
        self.args = (reason,)

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.reason,)


class DamagedCaptureError(CaptureError):
    """A record is invalid; reading stops because the start of the next one is unknown."""
