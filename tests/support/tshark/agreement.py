"""Our dissection of a capture beside tshark's, segment by segment and field by field.

``assert_tshark_agrees(path)`` is the one call. It fails when tshark finds a segment malformed or unknown, when the two
see different segments or structures, or when a value differs; what is passed over is listed, with the reason, in
:mod:`tshark.fields`.
"""

from __future__ import annotations

import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from mqbridge.captures import CapturedSegment, Direction, Endpoint, PacketReader, TcpSegment, read_segments, read_tcp
from mqbridge.captures.recording.recorder import PcapWriter
from mqbridge.protocol.constants import ByteOrder, SegmentType
from mqbridge.protocol.dissection import Findings, dissect_segment
from mqbridge.protocol.text import decode_field
from support.tshark.client_fields import (
    MERGED,
    MISPLACED,
    MISPLACED_REASON,
    SHORT_FORM,
    STRING_WORDS,
    STRINGS_BEHIND_OD,
    STRINGS_PASSED_OVER,
)
from support.tshark.fields import (
    DISPLAY_FAULTS,
    FIELDS,
    LAST_HEADERS,
    MALFORMED_BY_FAULT,
    NEVER_ENTERED,
    NOT_OURS,
    NOT_SHOWN,
    REPLACEMENT,
    TEXT_NOT_SHOWN,
    UNKNOWN_BYTES,
    When,
)
from support.tshark.run import Group, Leaf, TsharkSegment, tshark_segments

SHOWN_DIFFERENCES = 40
"""Differences that a failure prints."""

ASCII = 819
_FIRST = 0x10
_ORDERS: tuple[ByteOrder, ...] = (ByteOrder.BIG, ByteOrder.LITTLE)


@dataclass(slots=True)
class Agreement:
    """How far the two decoders agree: what was compared, what differs, what was passed over and why."""

    segments: int = 0
    fields: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    structures: Counter[str] = field(default_factory=Counter)
    differences: list[str] = field(default_factory=list)
    excused: Counter[str] = field(default_factory=Counter)


def assert_tshark_agrees(capture: str | Path, limit_per_connection: int | None = 2000) -> Agreement:
    """Compare a pcap or pcapng file; fail with the differences, or return what was compared.

    ``limit_per_connection``: segments of each connection that are looked at, both directions together (None: all).
    A capture without MQ segments fails. Skips the test where tshark is not installed.
    """
    agreement = compare_with_tshark(Path(capture), limit_per_connection)
    shown = agreement.differences[:SHOWN_DIFFERENCES]
    more = len(agreement.differences) - len(shown)
    assert not shown, "\n".join(["tshark sees something else:", *shown, *([f"and {more} more"] if more else [])])
    assert agreement.segments, f"no MQ segment in {capture}"
    return agreement


def compare_with_tshark(capture: Path, limit_per_connection: int | None = None) -> Agreement:
    """As :func:`assert_tshark_agrees`, but only report."""
    with tempfile.TemporaryDirectory() as folder:
        if limit_per_connection is not None:
            capture = first_segments(capture, limit_per_connection, Path(folder) / "first.pcap")
        agreement = Agreement()
        _compare(capture, agreement)
    return agreement


def first_segments(capture: Path, limit: int, target: Path) -> Path:
    """Write the packets up to the ``limit``-th segment of each connection; give the file itself if that is all."""
    counts: Counter[int] = Counter()
    last_packets: dict[tuple[Endpoint, Endpoint], int] = {}
    for item in read_segments(capture):
        if isinstance(item, CapturedSegment) and counts[item.flow.id] <= limit:
            counts[item.flow.id] += 1
            if counts[item.flow.id] <= limit:
                last_packets[item.flow.initiator, item.flow.responder] = item.last_packet
    if all(count <= limit for count in counts.values()):
        return capture
    keep: dict[tuple[bytes, int, bytes, int], int] = {}
    for ends, packet in last_packets.items():
        (one, one_port), (other, other_port) = ((_packed(end.address), end.port) for end in ends)
        keep[one, one_port, other, other_port] = keep[other, other_port, one, one_port] = packet
    with capture.open("rb") as source, target.open("wb") as file:
        writer = None
        for packet in PacketReader(source):
            tcp = read_tcp(packet.link_type, packet.data, packet.original_length)
            if isinstance(tcp, TcpSegment) and packet.number <= keep.get(tcp[:4], 0):
                writer = writer or PcapWriter(file, packet.link_type)
                writer.write(packet.data, packet.time, packet.original_length)
    return target


def _packed(address: str) -> bytes:
    return ip_address(address).packed


def _compare(capture: Path, agreement: Agreement) -> None:
    items = [item for item in read_segments(capture) if isinstance(item, CapturedSegment)]
    kinds = {item.segment.type == SegmentType.ASYNC_MESSAGE for item in items} or {False}
    for streamed in sorted(kinds):
        _compare_kind(
            [item for item in items if (item.segment.type == SegmentType.ASYNC_MESSAGE) is streamed],
            tshark_segments(capture, streamed=streamed),
            agreement,
        )


def _compare_kind(items: list[CapturedSegment], segments: Iterator[TsharkSegment], agreement: Agreement) -> None:
    ours: dict[tuple[Endpoint, Endpoint], list[CapturedSegment]] = defaultdict(list)
    for item in items:
        ends = item.flow.initiator, item.flow.responder
        ours[ends if item.direction is Direction.INITIATOR else ends[::-1]].append(item)
    for sent in ours.values():  # ports may have been used again
        sent.sort(key=lambda item: (item.flow.id, item.offset))
    seen: Counter[tuple[Endpoint, Endpoint]] = Counter()
    for theirs in segments:
        ends = theirs.source, theirs.target
        place = seen[ends]
        seen[ends] += 1
        if place < len(ours[ends]):
            agreement.segments += 1
            _Pair(ours[ends][place], theirs, agreement).compare()
        else:
            agreement.differences.append(f"frame {theirs.frame}: we see no {theirs.kind} of {theirs.length} bytes")
    for ends, sent in ours.items():
        for item in sent[seen[ends] :]:
            kind = SegmentType(item.segment.type)
            agreement.differences.append(f"packet {item.packet}: tshark sees no {kind} of {item.segment.length} bytes")


class _Pair:
    """One segment, seen by both."""

    def __init__(self, ours: CapturedSegment, theirs: TsharkSegment, agreement: Agreement) -> None:
        self.theirs = theirs
        self.agreement = agreement
        self.findings = Findings()
        self.segment = ours.segment
        self.kind = str(SegmentType(ours.segment.type))
        self.structures = dissect_segment(ours.segment, self.findings)["structures"]
        self.by_offset = {shown["offset"]: shown for shown in self.structures if "fields" in shown}

    def differ(self, what: str) -> None:
        self.agreement.differences.append(f"frame {self.theirs.frame}, {self.kind}: {what}")

    def excuse(self, reason: str) -> None:
        self.agreement.excused[reason] += 1

    def compare(self) -> None:
        for line in self.findings.errors:
            self.differ(f"we could not read it: {line}")
        self.agreement.kinds[self.kind] += 1
        self.equal("segment type", self.kind, self.theirs.kind.removesuffix(")").replace("Unknown (", ""))
        for mark in self.theirs.marks:
            self.judge_mark(mark)
        self.shown = {group.offset for group in self.theirs.groups}
        for group in self.theirs.groups:
            self.compare_group(group)
        last = False
        for structure in self.structures:
            name = structure["structure"]
            if "fields" in structure and structure["offset"] not in self.shown:
                if self.is_unknown(structure["offset"]):
                    self.excuse("tshark shows this structure as unknown bytes")
                elif self.is_behind_spi(structure["offset"]):
                    self.excuse("tshark reads nothing behind the structures of an SPI call (mq-wire.md 5.12)")
                elif name in ("OR", "RR"):
                    self.excuse(MISPLACED_REASON)
                elif name in NEVER_ENTERED:
                    self.excuse(NEVER_ENTERED[name])
                elif last:
                    self.excuse("tshark reads no header behind this one (mq-wire.md 5.15)")
                else:
                    self.differ(f"tshark shows no {name} at {structure['offset']}")
            last = last or name in LAST_HEADERS or name in NEVER_ENTERED

    def equal(self, what: str, ours: Any, theirs: Any) -> None:
        if ours != theirs:
            self.differ(f"{what}: we say {ours!r}, tshark {theirs!r}")

    def judge_mark(self, mark: str) -> None:
        for structure in self.structures:
            name = structure["structure"]
            if name in MALFORMED_BY_FAULT and (name != "UID" or structure["fields"].get("SidLength")):
                self.excuse(MALFORMED_BY_FAULT[name])
                return
        self.differ(f"tshark says {mark}")

    def compare_group(self, group: Group) -> None:
        ours = self.by_offset.get(group.offset)
        if self.is_behind_strings(group.offset):
            self.excuse(STRINGS_PASSED_OVER)
        elif group.title in MISPLACED and ours is not None and ours["structure"] == "OD":
            self.excuse(MISPLACED_REASON)
        elif group.title.startswith("Unknown"):
            self.judge_unknown(group)
        elif ours is None:
            self.judge_unread(group)
        elif (table := FIELDS.get(ours["structure"])) is None:
            self.differ(f"no table says how tshark shows {ours['structure']}")
        else:
            self.agreement.structures[ours["structure"]] += 1
            self.compare_fields(ours, group, table)

    def judge_unknown(self, group: Group) -> None:
        if self.kind in UNKNOWN_BYTES:
            self.excuse(UNKNOWN_BYTES[self.kind])
        elif not self.segment.flags1 & _FIRST and self.kind == "MESSAGE_DATA":
            self.excuse("tshark looks for headers in every segment of a split message (mq-wire.md 6)")
        else:
            self.differ(f"tshark shows {group.title} at {group.offset}")

    def judge_unread(self, group: Group) -> None:
        """A structure of tshark's where we show none with fields: a mistake of tshark's, or of ours."""
        around = next(
            (shown for shown in self.structures if shown["offset"] <= group.offset < shown["offset"] + shown["length"]),
            None,
        )
        if around is not None and around["structure"] == "data" and not self.findings.errors:
            self.excuse("tshark takes message data for a header that begins with the same letters (mq-wire.md 5.15)")
        elif group.title in MISPLACED:
            self.excuse(MISPLACED_REASON)
        else:
            self.differ(f"we show no {group.title} at {group.offset}")

    # fields

    def compare_fields(self, ours: dict[str, Any], group: Group, table: dict[str, str]) -> None:
        name, fields = ours["structure"], self.whole(ours, group)
        leaves: dict[str, list[Leaf]] = defaultdict(list)
        for leaf in group.leaves:
            leaves[leaf.name].append(leaf)
        if name == "MQRFH2":
            self.compare_folders(ours, leaves)
        compared = set()
        for their_name, found in leaves.items():
            our_name = table.get(their_name)
            if their_name.startswith(NOT_OURS):
                continue
            if our_name is None:
                self.differ(f"no table says what {their_name} of {name} is")
                continue
            compared.add(our_name)
            if reason := NOT_SHOWN.get((name, our_name)):
                self.excuse(reason)
            elif our_name in fields:
                self.compare_value(f"{name}.{our_name}", fields[our_name], found, (name, our_name))
            elif not self.is_display_fault((name, our_name), None, found):
                self.differ(f"we show no {name}.{our_name}, tshark {found[0].show!r}")
        for our_name in fields.keys() - compared:
            reason = NOT_SHOWN.get((name, our_name)) or SHORT_FORM.get((name, our_name))
            if fields[our_name] in ("", []):
                continue
            if reason is None:
                self.differ(f"tshark shows no {name}.{our_name}, we {fields[our_name]!r}")
            else:
                self.excuse(reason)

    def whole(self, ours: dict[str, Any], group: Group) -> dict[str, Any]:
        """Fields of a structure and of those that tshark shows in the same group; what comes several times as list."""
        fields: dict[str, Any] = {}
        for name, value in ours["fields"].items():
            word = next((word for word in STRING_WORDS if name.endswith(word)), None)
            if word is None:
                fields[name] = value
            else:
                fields.setdefault(word, []).append(value)
        inside = range(group.offset + 1, group.offset + group.size + 1)
        for other in self.structures:
            if other["offset"] in inside and other["structure"] in MERGED.get(ours["structure"], ()):
                self.shown.add(other["offset"])
                for name, value in other["fields"].items():
                    fields[name] = [*fields[name], value] if name in fields else [value]
        return fields

    def is_behind_strings(self, offset: int) -> bool:
        return self.kind in STRINGS_BEHIND_OD and any(
            shown["structure"].endswith("String") and shown["offset"] <= offset for shown in self.structures
        )

    def is_behind_spi(self, offset: int) -> bool:
        return self.kind.startswith("SPI") and all(group.offset < offset for group in self.theirs.groups)

    def is_unknown(self, offset: int) -> bool:
        return any(
            group.title.startswith("Unknown") and group.offset <= offset < group.offset + group.size
            for group in self.theirs.groups
        )

    def compare_value(self, what: str, ours: Any, found: list[Leaf], key: tuple[str, str]) -> None:
        self.agreement.fields += 1
        if isinstance(ours, list):
            agree = len(ours) == len(found) and all(map(_same, ours, found))
        else:
            agree = len(found) == 1 and _same(ours, found[0])
        if not agree and self.cannot_be_shown(ours, found):
            self.excuse(TEXT_NOT_SHOWN)
        elif not agree and not self.is_display_fault(key, ours, found):
            self.differ(f"{what}: we say {ours!r}, tshark {[leaf.show for leaf in found]!r}")

    def cannot_be_shown(self, ours: Any, found: list[Leaf]) -> bool:
        """Whether it is text of which tshark cannot show every character; its bytes must be ours."""
        return (
            isinstance(ours, str)
            and len(found) == 1
            and REPLACEMENT in found[0].show
            and ours.rstrip(" \0")
            in (
                decode_field(bytes.fromhex(found[0].value), ccsid)
                for ccsid in (self.segment.ccsid, ASCII)  # identifiers may be in ASCII where text is not
            )
        )

    def is_display_fault(self, key: tuple[str, str], ours: Any, found: list[Leaf]) -> bool:
        when, reason = DISPLAY_FAULTS.get(key, (None, ""))
        if when is When.SWAPPED:
            size = found[0].size
            excused = int(found[0].show, 0).to_bytes(size, "big") == ours.to_bytes(size, "little")
        else:
            excused = when is not None and (ours is None) == (when is When.WE_SHOW_NONE)
        if excused:
            self.excuse(reason)
        return excused

    def compare_folders(self, ours: dict[str, Any], leaves: dict[str, list[Leaf]]) -> None:
        lengths, texts = leaves.pop("mq.rfh.length", []), leaves.pop("mq.rfh.string", [])
        self.agreement.fields += 2 * len(texts)
        self.equal("MQRFH2 folder lengths", [leaf.size for leaf in texts], [int(leaf.show) for leaf in lengths])
        folders = [folder["text"] for folder in ours["folders"]]
        as_shown = [_text(leaf) for leaf in texts]
        if folders != as_shown and folders == [_raw_text(leaf) for leaf in texts]:
            self.excuse("tshark reads folders in the character set of the segment, not in NameValueCCSID")
        else:
            self.equal("MQRFH2 folders", folders, as_shown)


def _same(ours: Any, theirs: Leaf) -> bool:
    if isinstance(ours, int):
        modulus = 1 << 8 * theirs.size  # signed or not is a matter of display
        try:
            shown = int(theirs.show, 0)
        except ValueError:
            shown = -1  # shown by name, or as characters
        bare = [int.from_bytes(bytes.fromhex(theirs.value), order.endian) for order in _ORDERS] if shown <= 0 else []
        return any((number - ours) % modulus == 0 for number in (shown, *bare))
    if ours == theirs.value:  # both say the same bytes
        return True
    return bool(ours.rstrip(" ") == _text(theirs))


def _text(leaf: Leaf) -> str:
    return leaf.show.rstrip(" \0")


def _raw_text(leaf: Leaf) -> str:
    return bytes.fromhex(leaf.value).decode(errors="replace").rstrip(" \0")
