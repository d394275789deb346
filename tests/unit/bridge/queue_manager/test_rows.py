from __future__ import annotations

import pytest

from mqbridge.bridge.queue_manager.queues import rows

FIELDS = [name for name in dir(rows.Row) if not name.startswith("_")]


def tail(flags: int = 0, deadline: int = 0, backout: int = 0) -> bytes:
    return rows.pack_tail(flags, 4, 1208, 0x100, 5000, deadline, 77, backout, b"m" * 24, b"c" * 24)


@pytest.mark.spec("mqi.md 4.3")
def test_rows_of_a_higher_priority_sort_before_older_ones_of_a_lower() -> None:
    late_high = rows.make_position(rows.band_of(9), 1000)
    early_low = rows.make_position(rows.band_of(0), 1)
    assert rows.pack_position(late_high) < rows.pack_position(early_low)
    assert rows.band_of(-1) == rows.band_of(0)
    assert rows.band_of(12) == rows.band_of(9)
    assert rows.arrival_of_position(late_high) == 1000
    assert rows.pack_position(early_low)[0] == 9


def test_a_row_says_what_it_was_made_of() -> None:
    made = rows.pack_position(7) + tail(rows.PERSISTENT | rows.VERSION_2, 6000, 2)
    row = rows.Row(made)
    assert rows.is_row(made)
    assert (row.position, row.priority, row.ccsid, row.report, row.put_time) == (7, 4, 1208, 0x100, 5000)
    assert (row.deadline, row.length, row.backout_count, row.md_length) == (6000, 77, 2, 364)
    assert (row.msg_id, row.correl_id) == (b"m" * 24, b"c" * 24)
    assert (rows.position_of(made), rows.flags_of(made), rows.deadline_of(made)) == (7, 5, 6000)
    assert rows.group_fields(made) == rows.NO_GROUP


def test_a_grouped_row_has_its_group_fields_behind() -> None:
    made = rows.pack_position(7) + tail(rows.GROUPED) + rows.pack_group(b"g" * 24, 3, 100, 8)
    assert rows.is_row(made)
    assert rows.group_fields(made) == (b"g" * 24, 3, 100, 8)
    assert not rows.is_row(made[:-1])
    assert not rows.is_row(made[: rows.ROW_LENGTH])


def test_the_backout_count_of_a_row_grows_and_nothing_else_changes() -> None:
    made = rows.pack_position(7) + tail(backout=1)
    counted = rows.with_backout(made)
    before, after = ({name: getattr(rows.Row(row), name) for name in FIELDS} for row in (made, counted))
    assert after == before | {"backout_count": 2}
    full = rows.pack_position(7) + tail(backout=rows.MAX_BACKOUT_COUNT)
    assert rows.with_backout(full) == full


def test_a_row_is_small() -> None:
    assert rows.ROW_LENGTH < 96
