"""Captures that lack packets of a faultless message channel: what is missing is told, and nobody is blamed for it."""

from __future__ import annotations

import io
import struct
from collections.abc import Collection
from functools import cache

from hypothesis import example, given, settings
from hypothesis import strategies as st

from mqbridge.captures.analysis import AnalysisOptions, analyse
from mqbridge.captures.capture_files import read_flows
from mqbridge.captures.tables.rows import FindingRow, MessageRow
from support.captures.files import record
from support.channels.playbook import L1, L2, L3, end_of_batch, heartbeat, initial_data, more_of_it, status
from support.rules.channel_faults import ALIVE, OK, put
from support.rules.observer_playbook import INITIATOR, RESPONDER

OPTIONS = AnalysisOptions(tables=frozenset(("findings", "messages")))
LAST = bytes(range(8))


@cache
def session() -> tuple[bytes, list[bytes]]:
    """The head of a pcap, and its records: four batches, a heartbeat, split messages, the close."""
    steps = [(INITIATOR, initial_data()), (RESPONDER, initial_data(flags=0, q_mgr_name="MARS"))]
    number = 1
    for luwid in (L1, L2, L3):
        for _ in range(3):
            steps.append((INITIATOR, put(number, luwid=luwid)))
            number += 1
        steps += [(INITIATOR, end_of_batch(luwid)), (RESPONDER, status(0, luwid=luwid))]
    steps += [(INITIATOR, heartbeat()), (RESPONDER, ALIVE[1])]
    for _ in range(2):
        steps.append((INITIATOR, put(number, b"abc", length=9, flags=0x10, luwid=LAST)))
        steps += [(INITIATOR, more_of_it(b"def", luwid=LAST)), (INITIATOR, more_of_it(b"ghi", flags=0x20, luwid=LAST))]
        number += 1
    steps += [(INITIATOR, end_of_batch(LAST)), (RESPONDER, status(0, luwid=LAST)), (INITIATOR, status(8))]
    data = record(*steps)
    records, place = [], 24
    while place < len(data):
        length = 16 + int(struct.unpack_from("<I", data, place + 8)[0])
        records.append(data[place : place + length])
        place += length
    assert OK[1] in data
    return data[:24], records


COUNT = len(session()[1])


def judged(lost: Collection[int]) -> tuple[list[FindingRow], list[MessageRow]]:
    head, records = session()
    kept = head + b"".join(one for index, one in enumerate(records) if index not in lost)
    rows = list(analyse(read_flows(io.BytesIO(kept)), OPTIONS))
    findings = [row for row in rows if isinstance(row, FindingRow)]
    return findings, [row for row in rows if isinstance(row, MessageRow)]


def test_nothing_is_found_in_the_whole_session() -> None:
    findings, messages = judged(())
    assert not [row for row in findings if row.severity in ("error", "warning", "inferred")]
    assert [row.fate for row in messages] == ["confirmed"] * 11


@settings(max_examples=80)
@given(st.sets(st.integers(2, COUNT - 4), max_size=10), st.integers(2, COUNT - 4), st.integers(0, 12))
@example({8, 22, 24}, 39, 8)
def test_lost_packets_are_no_fault_of_the_channel(lost: set[int], first: int, more: int) -> None:
    lost = lost | set(range(first, min(first + more, COUNT - 4)))
    findings, messages = judged(lost)
    blamed = [row for row in findings if row.severity in ("error", "warning", "inferred")]
    assert not [row for row in blamed if not row.rule.startswith("C-9")], (sorted(lost), blamed)
    assert len(messages) <= 11
    assert {row.fate for row in messages} <= {"confirmed", "unknown"}


@given(st.integers(0, COUNT))
def test_a_capture_may_begin_anywhere(first: int) -> None:
    findings, _ = judged(range(first))
    assert not [row for row in findings if row.severity in ("error", "warning", "inferred")]


def test_a_capture_of_one_direction_gives_no_error() -> None:
    client = struct.pack(">HH", 1061, 1414)
    _, records = session()
    for one_sided in (
        {index for index, one in enumerate(records) if client in one},
        {index for index, one in enumerate(records) if client not in one},
    ):
        findings, _ = judged(one_sided)
        assert not [row for row in findings if row.severity == "error"]
