"""Every recorded conversation of real clients is taken apart whole, and built back to the same bytes."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from mqbridge.captures import CapturedSegment, read_segments
from mqbridge.protocol import structures
from mqbridge.protocol.dissection import Findings, dissect_segment
from mqbridge.protocol.dissection.client_structures import client_parts
from mqbridge.protocol.errors import StructureError
from mqbridge.protocol.framing import LARGEST_SEGMENT, SegmentReader
from mqbridge.protocol.segment import Segment
from support.captures.vectors import VECTORS
from support.transcripts.client_transcripts import transcript, transcript_names

CAPTURE = VECTORS / "jms-client" / "jms-put-sessions.pcap.gz"

NAMED = {
    "CSH", "TSH", "TSHC", "TSHM", "ID", "UID", "CAUT", "STATUS", "API", "CONN", "FCNO", "OD", "OR", "RR", "OpenOptions",
    "CloseOptions", "FOPA", "MD", "PMO", "GMO", "DataLength", "INQ", "StatusType", "STAT", "SUB", "SD", "Action", "SRO",
    "SPI", "SPQU", "SPQI", "SPQO", "SPIVerb", "SPPU", "SPPI", "SPPO", "SPRU", "SPRI", "SPRO", "SPBU", "SPBI", "SPBO",
    "LSD", "SPOU", "SPOI", "SPOO", "LPOO", "ObjectString", "SelectionString", "SubName", "SubUserData", "XA", "XID",
    "XACount", "XAINFO", "SOCKET", "NOTIF", "REQMSG", "ASYNC", "MQRFH2", "MQCFH", "MQCFIN", "MQCFST", "MQCFIL",
    "MQCFSL",
}  # fmt: skip
"""Structures with fields."""
RAW = {"data", "padding", "unused", "compressed", "left-over"}
"""Bytes shown as they are; ``left-over`` only as the table below says."""

LEFT_OVER = dict.fromkeys(("auth-compat", "auth-mqcsp-fap", "connect-fap-4", "connect-fap-6"), "INITIAL_DATA")
"""A client of level 4 or 6 sends the identification of level 8 all the same."""

SERVER_FAULTS = {
    "compress-accepted-by-silence": {"CONN ends inside AccountingToken"},
    "auth-compat": {"INQ ends inside CharAttrs"},
    "auth-mqcsp-fap": {"INQ ends inside CharAttrs"},
    "connect-fap-4": {"INQ ends inside CharAttrs"},
    "connect-fap-6": {"INQ ends inside CharAttrs"},
    "connect-fap-8": {"INQ ends inside CharAttrs"},
    "mqi-fap8-open-fails": {"INQ ends inside CharAttrs"},
}
"""What the recorded server, no queue manager, built wrong: below level 9 it repeats that there are four integers, and
gives three."""

READERS: dict[str, Callable[[bytes, int, Any], Any]] = {
    "OD": structures.parse_od,
    "PMO": structures.parse_pmo,
    "GMO": structures.parse_gmo,
    "MD": structures.parse_md,
    "FOPA": structures.parse_fopa,
    "LPOO": structures.parse_lpoo,
    "SD": structures.parse_sd,
    "LSD": structures.parse_lsd,
    "STAT": structures.parse_sts,
    "SRO": structures.parse_sro,
    "SPQO": structures.parse_spqo,
    "SPPI": structures.parse_sppi,
    "XID": structures.parse_xid,
}
"""Readers for programs, by the structure at whose beginning they read."""


def segment_of(data: bytes) -> Segment:
    (segment,) = SegmentReader(max_segment=LARGEST_SEGMENT).feed(data)
    return segment


def check_decoded(segment: Segment, findings: Findings) -> list[dict[str, Any]]:
    """Take a segment apart: the parts leave no byte out and are all named."""
    parts: list[dict[str, Any]] = dissect_segment(segment, findings)["structures"]
    assert sum(part["length"] for part in parts) == segment.length
    assert [part["offset"] for part in parts] == [
        sum(part["length"] for part in parts[:number]) for number in range(len(parts))
    ]
    for part in parts:
        assert part["structure"] in (NAMED if "fields" in part else RAW), part["structure"]
    return parts


def check_built_back(segment: Segment, *, faulty: bool = False) -> int:
    """Build every structure again, with its grammar and where there is one with its reader; how many there were.

    ``faulty``: whether the sender is known to cut structures short.
    """
    body, order = segment.body, segment.order
    count = at = 0
    for part in client_parts(segment.type, body, order, flags=segment.flags1):
        there = body[at : part.end]
        if part.structure is not None:
            try:
                read = part.structure.parse(there, 0, order)
            except StructureError:
                assert faulty
                return count
            assert part.structure.build(read, order) == there
            count += 1
        if part.name in READERS:
            built = READERS[part.name](body, at, order).build()
            assert built == body[at : at + len(built)]
            assert len(built) >= len(there)
        at = part.end
    return count


@pytest.mark.parametrize("name", transcript_names())
@pytest.mark.spec("client-observed.md 4")
@pytest.mark.spec("client-observed.md 6.2")
@pytest.mark.spec("mq-wire.md 5.4")
def test_a_recorded_conversation_is_taken_apart_whole(name: str) -> None:
    findings = Findings()
    for recorded in transcript(name).segments:
        segment = segment_of(recorded.data)
        before = len(findings.errors)
        parts = check_decoded(segment, findings)
        if recorded.side == "client":
            assert findings.errors[before:] == []
        left_over = [part for part in parts if part["structure"] == "left-over"]
        if left_over:
            assert LEFT_OVER.get(name) == parts[0]["names"]["SegmentType"]
        if not segment.flags2:
            check_built_back(segment, faulty=recorded.side == "server" and name in SERVER_FAULTS)
    assert {re.sub(r"offset \d+: |:.*", "", line) for line in findings.errors} == SERVER_FAULTS.get(name, set())


@pytest.mark.spec("mq-wire.md 5.12")
def test_the_capture_of_a_real_queue_manager_is_built_back() -> None:
    findings = Findings()
    built = 0
    for found in read_segments(CAPTURE):
        assert isinstance(found, CapturedSegment)
        check_decoded(found.segment, findings)
        built += check_built_back(found.segment)
    assert (findings.errors, findings.warnings) == ([], [])
    assert built > 1000


def test_there_are_as_many_transcripts_as_are_told_of() -> None:
    assert len(transcript_names()) == 137
    assert sum(len(transcript(name).segments) for name in transcript_names()) > 6000


@pytest.mark.spec("client-observed.md 1")
@pytest.mark.spec("client-observed.md O-013")
def test_a_compressed_call_shows_what_is_in_clear() -> None:
    (segment,) = (
        segment
        for recorded in transcript("compress-accepted-by-silence").segments
        if (segment := segment_of(recorded.data)).flags2
    )
    _, api, csh, rest = dissect_segment(segment, Findings())["structures"]
    assert api["fields"]["ReplyLength"] == 524, "that of the call as it would be uncompressed"
    assert csh["fields"] == {"Length": segment.length - 8, "Unknown": 0, "MsgCompression": 2}
    assert bytes.fromhex(rest["hex"]).startswith(b"QM1\xab\x20\x2dexplore\xab\x20\x15")
