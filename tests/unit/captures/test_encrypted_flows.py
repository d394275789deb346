"""A connection that was decrypted is judged as one inside TLS."""

from __future__ import annotations

import pytest

from mqbridge.captures.analysis import AnalysisOptions
from mqbridge.captures.analysis.flow_analysis import FlowAnalysis
from mqbridge.captures.rules import load
from mqbridge.captures.rules.judging import GuardedJudge
from mqbridge.captures.streams.flow_events import CloseReason, Endpoint, Flow, FlowClosed
from mqbridge.captures.streams.recognition import StreamKind
from mqbridge.captures.streams.segments import CapturedSegment
from mqbridge.captures.tables.rows import FindingRow, FlowRow
from mqbridge.protocol.direction import Direction
from mqbridge.protocol.framing import SegmentReader
from mqbridge.protocol.tls_hello import TlsHello
from support.transcripts.client_transcripts import transcript


@pytest.mark.parametrize("tls", [TlsHello(version="TLS 1.3"), None])
def test_a_password_in_clear_inside_tls_is_no_finding(tls: TlsHello | None) -> None:
    ends = Endpoint("10.0.0.7", 40000), Endpoint("10.0.0.1", 1414)
    flow = Flow(1, *ends, 1000.0, 1000.0, 1, from_syn=True, kind=StreamKind.MQ, tls=tls)
    analysis = FlowAnalysis(flow, AnalysisOptions(), GuardedJudge(load().values()))
    readers = {direction: SegmentReader(1 << 20) for direction in Direction}
    rows = []
    for number, one in enumerate(transcript("tls-pal0").segments, 1):
        direction = Direction.INITIATOR if one.side == "client" else Direction.RESPONDER
        (segment,) = readers[direction].feed(one.data)
        rows += analysis.receive(CapturedSegment(flow, direction, 0, 1000.0 + number, number, number, segment))
    rows += analysis.close(FlowClosed(flow, CloseReason.ENDED, 2000.0, 99))
    found = {row.rule for row in rows if isinstance(row, FindingRow)}
    assert {"C-601", "C-603"} & found == (set() if tls else {"C-601", "C-603"})
    (row,) = [row for row in rows if isinstance(row, FlowRow)]
    assert row.outcome == "ended"
