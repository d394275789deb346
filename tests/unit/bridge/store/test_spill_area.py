"""The area for bodies that only left memory."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqbridge.bridge.store import spill
from mqbridge.bridge.store.interface import ChunkMissing, StoreFull
from mqbridge.bridge.store.spill import SpillArea


@pytest.fixture
def area(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SpillArea:
    monkeypatch.setattr(spill, "SEGMENT_LENGTH", 1000)
    monkeypatch.setattr(spill, "MAX_OPEN_SEGMENTS", 3)
    return SpillArea(tmp_path / "spill")


def test_bodies_come_back_from_many_segments(area: SpillArea, tmp_path: Path) -> None:
    bodies = [bytes([at]) * (at * 37 % 300) for at in range(100)]
    numbers = [area.write(body) for body in bodies]
    assert len(set(numbers)) == 100
    assert len(list((tmp_path / "spill").iterdir())) > 10
    assert [area.read(number) for number in numbers] == bodies
    assert area.read(numbers[5], 10, 20) == bodies[5][10:30]
    assert area.read(numbers[5], 1000) == b""
    area.close()


def test_segments_go_with_their_last_body(area: SpillArea, tmp_path: Path) -> None:
    numbers = [area.write(bytes(300)) for _ in range(40)]
    area.drop(numbers[:39])
    assert len(list((tmp_path / "spill").iterdir())) == 1
    area.drop(numbers)
    for number in numbers:
        with pytest.raises(ChunkMissing):
            area.read(number)
    for _ in range(20):
        area.drop([area.write(bytes(300))])
    assert len(list((tmp_path / "spill").iterdir())) == 1
    area.close()
    assert list((tmp_path / "spill").iterdir()) == []


def test_unknown_ids_are_passed_over(area: SpillArea) -> None:
    area.drop([0, 7, 1 << 40])
    number = area.write(b"body")
    area.drop([number + 500])
    assert area.read(number) == b"body"
    area.close()


def test_start_empties_the_area(area: SpillArea, tmp_path: Path) -> None:
    number = area.write(b"body")
    again = SpillArea(tmp_path / "spill")
    assert list((tmp_path / "spill").iterdir()) == []
    with pytest.raises(ChunkMissing):
        again.read(number)
    area.close()


def test_a_body_that_the_system_takes_in_parts_is_whole(area: SpillArea, monkeypatch: pytest.MonkeyPatch) -> None:
    real = spill.os.pwritev
    monkeypatch.setattr(spill.os, "pwritev", lambda file, parts, offset: real(file, [parts[0][:3]], offset))
    assert area.read(area.write(b"whole body")) == b"whole body"
    area.close()


def test_a_full_disk_is_told(area: SpillArea, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = area.write(b"kept")

    def fail(*_: object) -> int:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(spill.os, "pwritev", fail)
        with pytest.raises(StoreFull):
            area.write(b"lost")
    assert area.read(area.write(b"next")) == b"next"
    assert area.read(kept) == b"kept"
    area.close()
