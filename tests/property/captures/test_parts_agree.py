"""A capture read in parts, by an index or in shares, gives for each flow what it gives when it is read as a whole."""

from __future__ import annotations

import gzip
import pickle
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mqbridge.captures import FlowEvent, read_flows
from mqbridge.captures.indexing import CaptureIndex, index_capture, share_flows
from mqbridge.captures.streams import flows, ordinary
from support.captures.faulty_traffic import faulty_capture
from support.captures.files import JMS_CAPTURE

SHAPES = st.fixed_dictionaries(
    {
        "seed": st.integers(0, 1 << 40),
        "connections": st.integers(1, 30),
        "faults": st.sampled_from([0.0, 0.05, 0.3]),
        "link_type": st.sampled_from([1, 1, 113, 276, 101, 0]),
        "pcapng": st.booleans(),
    }
)


@pytest.fixture(autouse=True, scope="module")
def _little_patience() -> Any:
    """So that few packets make what needs many, and a small file has many blocks."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (flows, ordinary):
            patch.setattr(module, "CLOSE_PATIENCE", 20)
        patch.setattr(flows, "MAX_FLOWS", 5)
        patch.setattr("mqbridge.captures.streams.reassembly.GAP_PATIENCE", 10)
        patch.setattr("mqbridge.captures.reading.unpacking.READ_SIZE", 1500)
        patch.setattr("mqbridge.captures.indexing.capture_index.BLOCK_LENGTH", 4000)
        yield


def told(events: list[FlowEvent]) -> dict[str, list[tuple[Any, ...]]]:
    """Events by flow: all that is known of it, and what happened."""
    by_flow: dict[str, list[tuple[Any, ...]]] = {}
    for event in events:
        names = [name for name in type(event).__slots__ if name not in ("flow", "__weakref__")]
        by_flow.setdefault(str(asdict(event.flow)), []).append((type(event), *(getattr(event, name) for name in names)))
    return by_flow


def assert_parts_agree(path: Path, count: int) -> CaptureIndex:
    whole = read_flows(path)
    expected = told(list(whole))
    index = index_capture(path)
    assert (index.packets, index.bytes_read, index.unread) == (whole.packets, whole.bytes_read, whole.unread)
    assert type(index.error) is type(whole.error)
    parts = index.partitions(count)
    assert 1 <= len(parts) <= count
    assert sorted(flow.id for part in parts for flow in part.flows) == list(range(1, len(expected) + 1))
    found: dict[str, list[tuple[Any, ...]]] = {}
    for part in parts:
        of_part = told(list(pickle.loads(pickle.dumps(part)).events()))
        assert not found.keys() & of_part.keys()
        found.update(of_part)
    assert found == expected
    for flow in {event.flow.id: event.flow for event in read_flows(path)}.values():
        indexed = index.flows[flow.id]
        for name in ("initiator", "responder", "first_packet", "start_time", "from_syn", "kind", "packets"):
            assert getattr(indexed, name) == getattr(flow, name), name
    return index


def assert_shares_agree(path: Path, count: int) -> None:
    whole = read_flows(path)
    expected = told(list(whole))
    shares = share_flows(path, count)
    assert [share.number for share in shares] == list(range(count))
    found: dict[str, list[tuple[Any, ...]]] = {}
    for share in shares:
        reading = pickle.loads(pickle.dumps(share)).read()
        of_share = told(list(reading))
        assert not found.keys() & of_share.keys()
        found.update(of_share)
        assert (reading.packets, reading.bytes_read, reading.unread) == (whole.packets, whole.bytes_read, whole.unread)
        assert str(reading.error) == str(whole.error)
    assert found == expected


@given(SHAPES, st.sampled_from([1, 2, 7]), st.integers(0, 3))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_shares_give_what_the_whole_gives(tmp_path: Path, shape: dict[str, Any], count: int, cut: int) -> None:
    path = tmp_path / "capture"
    capture = faulty_capture(**shape)
    path.write_bytes(capture[: len(capture) - 30 * cut])
    assert_shares_agree(path, count)


@given(SHAPES, st.sampled_from([1, 2, 7]))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_parts_give_what_the_whole_gives(tmp_path: Path, shape: dict[str, Any], count: int) -> None:
    path = tmp_path / "capture"
    path.write_bytes(faulty_capture(**shape))
    index = assert_parts_agree(path, count)
    size = path.stat().st_size
    assert len(index.blocks) <= size // 2000 + 2
    for flow in index.flows.values():
        assert set(flow.blocks) <= set(range(len(index.blocks)))


def test_real_traffic_in_parts(tmp_path: Path) -> None:
    path = tmp_path / "capture"
    path.write_bytes(gzip.decompress(JMS_CAPTURE.read_bytes()))
    assert_parts_agree(path, 3)
    assert_shares_agree(path, 3)


def test_a_compressed_file_is_one_part(tmp_path: Path) -> None:
    path = tmp_path / "capture"
    path.write_bytes(gzip.compress(faulty_capture(3), mtime=0))
    index = assert_parts_agree(path, 7)
    assert not index.divisible
    assert len(index.partitions(7)) == 1
    assert_shares_agree(path, 7)
    with pytest.raises(ValueError, match="0 parts"):
        index.partitions(0)
    with pytest.raises(ValueError, match="0 shares"):
        share_flows(path, 0)


@pytest.mark.interpreted("sets constants")
def test_flows_that_influence_each_other_stay_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "capture"
    path.write_bytes(faulty_capture(5, connections=20, faults=0.3))
    assert index_capture(path).divisible
    monkeypatch.setattr("mqbridge.captures.streams.reassembly.MAX_PENDING_TOTAL", 100)
    monkeypatch.setattr("mqbridge.captures.streams.reassembly.PendingBudget.__init__.__defaults__", (100,))
    assert not assert_parts_agree(path, 7).divisible
    assert_shares_agree(path, 7)


def test_parts_that_follow_on_one_another_read_little(tmp_path: Path) -> None:
    path = tmp_path / "capture"
    pieces = [faulty_capture(seed, connections=8, faults=0.0) for seed in range(6)]
    path.write_bytes(pieces[0] + b"".join(piece[24:] for piece in pieces[1:]))
    index = index_capture(path)
    parts = index.partitions(4)
    assert len(parts) == 4
    read = sum(block.length for part in parts for block in part.blocks or ())
    assert read < 4 * path.stat().st_size
