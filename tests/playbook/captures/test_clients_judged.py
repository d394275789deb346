"""IBM's recorded clients and a real capture through observer and rules: every finding is a reviewed one."""

from __future__ import annotations

from collections import Counter

import pytest

from mqbridge.captures.analysis import AnalysisOptions, analyse
from mqbridge.captures.capture_files import read_flows
from mqbridge.captures.tables.rows import CallRow, FindingRow, FlowRow, MessageRow
from mqbridge.protocol.constants import SegmentType
from mqbridge.protocol.observer import MessageSeen, MessageSettled
from mqbridge.protocol.observer.client import (
    CallAnswered,
    CallMalformed,
    CallUnanswered,
    ClientSegmentOutOfState,
    PutUnanswerable,
)
from support.captures.vectors import VECTORS
from support.rules.client_observations import watched_sockets
from support.rules.reviewed_client_findings import OF_ALL, OF_PCAP, REVIEWED, expected_of
from support.transcripts.client_transcripts import transcript, transcript_names

INJECTED_ERRORS = {"late-AFTER": ["C-521"], "late-NOTIFAFTER": ["C-521"]}
"""Errors that the recorded server makes on purpose; IBM's clients make none."""
_REQUESTS = frozenset((*range(SegmentType.MQCONN, 0x90), *range(SegmentType.XA_START, 0xAB)))
_FIRST = 0x10


@pytest.mark.spec("client-observed.md 4")
@pytest.mark.parametrize("name", transcript_names())
def test_findings_of_a_transcript_are_the_reviewed_ones(name: str) -> None:
    found: Counter[str] = Counter()
    errors = []
    for watch in watched_sockets(name):
        found += Counter(one.rule for one in watch.findings)
        errors += watch.rules("error")
    for rule in OF_ALL:
        del found[rule]
    assert found == expected_of(name)
    assert errors == INJECTED_ERRORS.get(name, [])


@pytest.mark.spec("mq-wire.md 8.3")
@pytest.mark.parametrize("name", transcript_names())
def test_every_call_of_a_transcript_is_paired_and_every_message_settled_once(name: str) -> None:
    for socket, watch in zip(transcript(name).sockets(), watched_sockets(name), strict=True):
        asked = sum(
            1
            for one in socket
            if one.side == "client" and _type(one.data) in _REQUESTS and one.data[_flags_at(one.data)] & _FIRST
        )
        plain = [one for one in watch.seen(CallAnswered) if not one.streamed]
        lost = [one for one in watch.seen(CallUnanswered) if not one.streamed and one.name != "CONAUTH_INFO"]
        assert len(plain) + len(watch.seen(PutUnanswerable)) + len(lost) == asked
        assert not watch.seen(CallMalformed)
        assert not watch.seen(ClientSegmentOutOfState)
        seen = [id(one.message) for one in watch.seen(MessageSeen)]
        assert sorted(seen) == sorted(id(one.message) for one in watch.seen(MessageSettled))
        assert len(set(seen)) == len(seen)


def _type(data: bytes) -> int:
    return data[_flags_at(data) - 1]


def _flags_at(data: bytes) -> int:
    return 18 if data[:4] in (b"TSHM", b"\xe3\xe2\xc8\xd4") else 10


def test_every_reviewed_finding_names_a_transcript_and_says_why() -> None:
    names = set(transcript_names())
    for row in REVIEWED:
        assert set(row.transcripts.split()) <= names, row
        assert row.reason


@pytest.mark.spec("client-observed.md 1")
def test_the_real_capture_of_a_jms_client_is_without_fault() -> None:
    rows = list(
        analyse(
            read_flows(VECTORS / "jms-client" / "jms-put-sessions.pcap.gz"),
            AnalysisOptions(tables=frozenset(("flows", "calls", "messages", "findings"))),
        )
    )
    findings = [row for row in rows if isinstance(row, FindingRow)]
    assert not [row for row in findings if row.severity == "error"]
    counted = Counter(row.rule for row in findings)
    assert set(counted) == set(OF_PCAP)
    assert {rule: counted[rule] for rule, (count, _) in OF_PCAP.items() if count is not None} == {
        rule: count for rule, (count, _) in OF_PCAP.items() if count is not None
    }
    flows = [row for row in rows if isinstance(row, FlowRow)]
    assert [row.outcome for row in flows] == ["refused"] * 9 + ["cut"] * 2 + ["ended"] * 2
    assert {row.reason for row in flows[:9]} == {2035}
    assert {row.channel for row in flows} == {"APP.SVRCONN"}
    calls = [row for row in rows if isinstance(row, CallRow)]
    assert len(calls) == 175
    assert all(row.answered is not None for row in calls)
    messages = [row for row in rows if isinstance(row, MessageRow)]
    assert len(messages) == 16
    assert {row.queue for row in messages} == {"UNIFORM.QUEUE"}
    assert {row.fate for row in messages} == {"confirmed"}
    assert len({row.msg_id for row in messages}) == 16
