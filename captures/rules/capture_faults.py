"""Rules for faults of a capture, and for what prevents reading it (C-9nn).

Their observations are made by the reader of the capture, not by an observer. Only C-912 is a fault of the traffic.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from mqbridge.captures.errors import CaptureError, CutCaptureError, UnknownCaptureError
from mqbridge.captures.rules.catalogue import Deviation, Severity, rule
from mqbridge.protocol.observer.connection import Observer
from mqbridge.protocol.observer.observations import Observation

_TRANSPORT: Final = "mq-wire.md 1.1"
_FRAMING: Final = "mq-wire.md 6.1"


@dataclass(slots=True, eq=False)
class CaptureEnded(Observation):
    """A capture was read to its end, or as far as possible.

    ``unread``: number of packets that may contain MQ and cannot be read, by reason. ``not_decrypted``: why a key log
    file could not be used, or empty.
    """

    error: CaptureError | None
    unread: dict[str, int]
    not_decrypted: str = ""


@dataclass(slots=True, eq=False)
class BytesMissing(Observation):
    """Bytes of a connection are missing: reported once, at its end, with the place of the first gap.

    ``holes``: number of gaps. ``client``, ``server``: number of missing bytes of each end.
    """

    holes: int
    client: int
    server: int


@dataclass(slots=True, eq=False)
class BytesPassedOver(Observation):
    """``length`` captured bytes that form no segment.

    ``reason``: one clause. ``explained``: whether preceding bytes are lost, or the capture begins in the middle.
    """

    length: int
    reason: str
    explained: bool


@dataclass(slots=True, eq=False)
class SegmentCut(Observation):
    """The connection (if ``ended``) or the capture ended ``length`` bytes after the beginning of a segment."""

    length: int
    ended: bool


@dataclass(slots=True, eq=False)
class TlsSeen(Observation):
    """A connection is encrypted by TLS: reported once, at its end.

    ``version``, ``server_name``: of its hellos, may be empty. ``cipher_suite``: its number, 0 if unknown. ``answered``:
    whether the server's hello was captured. ``alert``: number of an alert in clear, or None. ``decrypted``: whether the
    content could be read.
    """

    version: str
    server_name: str
    cipher_suite: int
    answered: bool
    alert: int | None
    decrypted: bool


@dataclass(slots=True, eq=False)
class RuleFailed(Observation):
    """A rule, or the observer (``what``), raised an error, which is no fault of the traffic."""

    what: str
    error: str


@rule("C-901", Severity.WARNING, "The capture file is cut", spec=_TRANSPORT)
def cut_file(seen: CaptureEnded, connection: Observer) -> Deviation | None:
    """The end of the file is missing; everything before it was judged.

    expected: a whole last packet; seen: the file ends inside a packet (offset 81920, after 611 packets)
    """
    return Deviation("a whole last packet", str(seen.error)) if isinstance(seen.error, CutCaptureError) else None


@rule("C-902", Severity.WARNING, "The capture file is damaged", spec=_TRANSPORT)
def damaged_file(seen: CaptureEnded, connection: Observer) -> Deviation | None:
    """A record is invalid; everything before it was judged.

    expected: packet after packet; seen: a packet length of 2147483648 is not believable (offset 4096, after 12 packets)
    """
    if seen.error is None or isinstance(seen.error, CutCaptureError | UnknownCaptureError):
        return None
    return Deviation("packet after packet", str(seen.error))


@rule("C-903", Severity.WARNING, "The file is no capture", spec=_TRANSPORT)
def no_capture(seen: CaptureEnded, connection: Observer) -> Deviation | None:
    """Nothing could be read.

    expected: pcap or pcapng, plain or compressed; seen: neither pcap nor pcapng (offset 0, after 0 packets)
    """
    if not isinstance(seen.error, UnknownCaptureError):
        return None
    return Deviation("pcap or pcapng, plain or compressed", str(seen.error))


@rule("C-904", Severity.INFO, "Unreadable packets", spec=_TRANSPORT)
def unread_packets(seen: CaptureEnded, connection: Observer) -> Deviation | None:
    """Packets that may contain MQ and were skipped.

    expected: packets that can be read; seen: 17 with a link type that is not known
    """
    if not seen.unread:
        return None
    reasons = "; ".join(f"{count} with {reason}" for reason, count in sorted(seen.unread.items()))
    return Deviation("packets that can be read", reasons)


@rule("C-905", Severity.WARNING, "Not decrypted", spec=_TRANSPORT)
def not_decrypted(seen: CaptureEnded, connection: Observer) -> Deviation | None:
    """Keys were given, in a key log file or in the capture, but TLS connections could not be decrypted with them.

    expected: TLS decrypted with the keys; seen: tshark, which decrypts TLS, is not installed
    """
    return Deviation("TLS decrypted with the keys", seen.not_decrypted) if seen.not_decrypted else None


@rule("C-910", Severity.WARNING, "Bytes missing from the capture", spec=_FRAMING)
def missing_bytes(seen: BytesMissing, connection: Observer) -> Deviation:
    """The capture lost packets; deviations that the loss could explain are not reported.

    expected: every byte of the connection; seen: 1460 bytes of the server lost: packets dropped, cut by the snap
    length, or of a direction that is not captured
    """
    counts = ("client", seen.client), ("server", seen.server)
    ends = [f"{count} byte{'s' * (count != 1)} of the {end}" for end, count in counts if count]
    what = " and ".join(ends) + " lost" + (f" in {seen.holes} places" if seen.holes > 1 else "")
    why = "packets dropped, cut by the snap length, or of a direction that is not captured"
    return Deviation("every byte of the connection", f"{what}: {why}")


@rule("C-911", Severity.INFO, "Bytes skipped up to the next segment", spec=_FRAMING)
def bytes_after_loss(seen: BytesPassedOver, connection: Observer) -> Deviation | None:
    """Behind lost bytes, or where a capture begins in the middle, the rest of a segment cannot be read.

    expected: a segment header; seen: 820 bytes between lost ones and the next segment
    """
    return Deviation("a segment header", f"{seen.length} {seen.reason}") if seen.explained else None


@rule("C-912", Severity.ERROR, "Bytes that form no segment", spec=_FRAMING)
def no_segment(seen: BytesPassedOver, connection: Observer) -> Deviation | None:
    """Where no byte is lost, every byte belongs to a segment: a receiver ends the connection here.

    expected: a segment header; seen: 48 bytes passed over: unknown segment header 47455420
    """
    if seen.explained:
        return None
    return Deviation("a segment header", f"{seen.length} bytes passed over: {seen.reason}")


@rule("C-913", Severity.WARNING, "Connection ends inside a segment", spec=_FRAMING)
def end_inside(seen: SegmentCut, connection: Observer) -> Deviation | None:
    """An end stopped sending in the middle of a segment.

    expected: the rest of a segment; seen: the end after 120 bytes of it
    """
    return Deviation("the rest of a segment", f"the end after {seen.length} bytes of it") if seen.ended else None


@rule("C-914", Severity.INFO, "Capture stops inside a segment", spec=_FRAMING)
def capture_stops_inside(seen: SegmentCut, connection: Observer) -> Deviation | None:
    """The rest may have followed.

    expected: the rest of a segment; seen: the last packet of the capture after 120 bytes of it
    """
    if seen.ended:
        return None
    return Deviation("the rest of a segment", f"the last packet of the capture after {seen.length} bytes of it")


@rule("C-920", Severity.INFO, "Encrypted connection not read", spec=_TRANSPORT)
def unreadable_tls(seen: TlsSeen, connection: Observer) -> Deviation | None:
    """Nothing is known about the content of the connection.

    expected: a key log file, or a connection in clear; seen: TLS 1.2 to mq.example.com
    """
    if seen.decrypted:
        return None
    to = f" to {seen.server_name}" if seen.server_name else ""
    return Deviation("a key log file, or a connection in clear", (seen.version or "TLS") + to)


@rule("C-999", Severity.WARNING, "Internal error", spec=_TRANSPORT)
def internal_error(seen: RuleFailed, connection: Observer) -> Deviation:
    """A defect of this program, not of the traffic.

    expected: a verdict of rule C-204; seen: ValueError: a defect of this program, please report it
    """
    what = "the observer's understanding" if seen.what == "observer" else f"a verdict of rule {seen.what}"
    return Deviation(what, f"{seen.error}: a defect of this program, please report it")
