from __future__ import annotations

from mqbridge.bridge.queue_manager.queues.lanes import Lane


def row(position: int, text: bytes = b"!") -> bytes:
    return position.to_bytes(8, "big") + text


def positions(lane: Lane) -> list[int]:
    return [int.from_bytes(each[:8], "big") for each in lane]


def lane_of(*numbers: int) -> Lane:
    lane = Lane()
    for number in numbers:
        lane.append(row(number))
    return lane


def test_rows_come_out_in_the_order_of_their_positions_whatever_order_they_came_in() -> None:
    lane = lane_of(5, 1, 9, 3)
    assert positions(lane) == [1, 3, 5, 9]
    assert [lane.pop_first() for _ in range(5)] == [row(1), row(3), row(5), row(9), None]


def test_a_row_taken_from_the_front_goes_back_to_the_front() -> None:
    lane = lane_of(1, 2, 3)
    taken = [lane.pop_first(), lane.pop_first()]
    lane.restore([each for each in taken if each is not None])
    assert positions(lane) == [1, 2, 3]
    assert lane.count == 3


def test_a_row_taken_out_of_the_middle_goes_back_to_its_place() -> None:
    lane = lane_of(1, 2, 3)
    assert lane.remove(row(2))
    assert positions(lane) == [1, 3]
    assert not lane.remove(row(2))
    assert lane.find(row(2)[:8]) is None
    lane.restore([row(2, b"changed")])
    assert list(lane) == [row(1), row(2, b"changed"), row(3)]


def test_a_row_appended_where_one_was_taken_out_can_be_found_and_removed() -> None:
    lane = lane_of(1, 2, 3)
    lane.remove(row(3))
    lane.append(row(3, b"again"))
    assert lane.find(row(3)[:8]) == row(3, b"again")
    assert lane.remove(row(3))
    assert positions(lane) == [1, 2]


def test_left_over_places_are_cleaned_and_order_and_count_stay() -> None:
    lane = lane_of(*range(10_000))
    for number in range(1, 9_000):
        assert lane.remove(row(number))
    assert len(lane._rows) < 5_000
    assert lane.count == 1_001
    assert positions(lane)[:3] == [0, 9_000, 9_001]
    lane.restore([row(number) for number in range(1, 9_000)])
    assert positions(lane) == list(range(10_000))


def test_the_front_of_a_lane_that_is_always_fed_and_drained_does_not_grow() -> None:
    lane = lane_of(0)
    for number in range(1, 20_000):
        lane.append(row(number))
        assert lane.pop_first() == row(number - 1)
    assert len(lane._rows) < 5_000


def test_rows_behind_a_position_are_those_after_it_whether_it_is_still_there_or_not() -> None:
    lane = lane_of(1, 3, 5)
    lane.remove(row(3))
    assert [int.from_bytes(each[:8], "big") for each in lane.next_after(row(3)[:8])] == [5]
    assert [int.from_bytes(each[:8], "big") for each in lane.next_after(row(1)[:8])] == [5]
    assert len(list(lane.next_after(b""))) == 2
