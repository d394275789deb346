"""Rows made straight from ordinary packets are those made of events, whatever happens to the packets."""

from __future__ import annotations

import io
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mqbridge.captures import read_flows
from mqbridge.captures.analysis import ALL_TABLES, AnalysisOptions, analyse, analyse_file
from mqbridge.captures.analysis.whole_captures import across_flows
from mqbridge.captures.generate import ChannelTraffic, ClientTraffic, Scenario
from mqbridge.captures.reading import unpacking
from mqbridge.captures.streams import flows, ordinary
from mqbridge.captures.tables import CaptureRow, FlowRow
from support.captures.faulty_traffic import faulty_capture
from support.captures.files import JMS_CAPTURE

OPTIONS = AnalysisOptions("x", ALL_TABLES, "bytes", frozenset(("ID.ChannelName",)))
IN_RUNS = AnalysisOptions("x", ALL_TABLES - {"segments"}, "bytes")
"""Without a row for each segment, so that those of a run are judged together."""
READS = (900, 4_000, 1 << 18)
"""Bytes of a read: packets are taken in steps of about that length."""


def assert_same_rows(data: bytes) -> list[Any]:
    """Both ways give the same rows in the same order, but those of the capture as a whole, however it is read."""
    found: list[Any] = []
    for options in (IN_RUNS, OPTIONS):
        expected = list(analyse(read_flows(io.BytesIO(data)), options))
        expected += across_flows(row for row in expected if isinstance(row, FlowRow))
        for length in READS:
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(unpacking, "READ_SIZE", length)
                found = list(analyse_file(io.BytesIO(data), options))
            rest = found[len(expected) :]
            assert found[: len(expected)] == expected
            assert all(isinstance(row, CaptureRow) or not row.flow for row in rest)
    return found


@pytest.fixture(autouse=True, scope="module")
def _little_patience() -> Any:
    """So that few packets make what needs many."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (flows, ordinary):
            patch.setattr(module, "CLOSE_PATIENCE", 20)
        patch.setattr("mqbridge.captures.streams.reassembly.GAP_PATIENCE", 10)
        yield


@settings(max_examples=40)
@given(st.integers(0, 1 << 40), st.integers(1, 12), st.sampled_from([0.0, 0.05, 0.3]), st.booleans())
def test_rows_of_any_traffic(seed: int, connections: int, faults: float, pcapng: bool) -> None:
    assert_same_rows(faulty_capture(seed, connections=connections, faults=faults, pcapng=pcapng))


@settings(max_examples=25)
@given(st.integers(0, 1 << 40), st.sampled_from([0.0, 0.02, 0.2]), st.booleans(), st.booleans())
def test_rows_of_channels_and_clients(seed: int, lost: float, shuffled: bool, begun: bool) -> None:
    sizes = tuple(Random(seed).choice((0, 1, 900, 3_000, 70_000)) for _ in range(6))
    scenario = Scenario(
        seed=seed,
        channels=(ChannelTraffic(sizes=sizes, batch_size=3),),
        clients=(ClientTraffic(puts=sizes[:3], gets=3),),
        repeat=2,
        duplicate=0.1 * shuffled,
        reorder=0.2 * shuffled,
        lose=lost,
        late=0.3 * begun,
    )
    assert_same_rows(scenario.build().data)


def test_rows_of_real_traffic() -> None:
    assert len(assert_same_rows(JMS_CAPTURE.read_bytes())) > 100
