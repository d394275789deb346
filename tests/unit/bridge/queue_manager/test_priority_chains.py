from __future__ import annotations

from mqbridge.bridge.queue_manager.queues.priority_chains import RowChain


def row(position: int, text: bytes = b"!") -> bytes:
    return position.to_bytes(8, "big") + text


def positions(chain: RowChain) -> list[int]:
    return [int.from_bytes(each[:8], "big") for each in chain]


def chain_of(*numbers: int) -> RowChain:
    chain = RowChain()
    for number in numbers:
        chain.append(row(number))
    return chain


def test_rows_come_out_in_the_order_of_their_positions_whatever_order_they_came_in() -> None:
    chain = chain_of(5, 1, 9, 3)
    assert positions(chain) == [1, 3, 5, 9]
    assert [chain.pop_first() for _ in range(5)] == [row(1), row(3), row(5), row(9), None]


def test_a_row_taken_from_the_front_goes_back_to_the_front() -> None:
    chain = chain_of(1, 2, 3)
    taken = [chain.pop_first(), chain.pop_first()]
    chain.restore([each for each in taken if each is not None])
    assert positions(chain) == [1, 2, 3]
    assert chain.count == 3


def test_a_row_taken_out_of_the_middle_goes_back_to_its_place() -> None:
    chain = chain_of(1, 2, 3)
    assert chain.remove(row(2))
    assert positions(chain) == [1, 3]
    assert not chain.remove(row(2))
    assert chain.find(row(2)[:8]) is None
    chain.restore([row(2, b"changed")])
    assert list(chain) == [row(1), row(2, b"changed"), row(3)]


def test_a_row_appended_where_one_was_taken_out_can_be_found_and_removed() -> None:
    chain = chain_of(1, 2, 3)
    chain.remove(row(3))
    chain.append(row(3, b"again"))
    assert chain.find(row(3)[:8]) == row(3, b"again")
    assert chain.remove(row(3))
    assert positions(chain) == [1, 2]


def test_left_over_places_are_cleaned_and_order_and_count_stay() -> None:
    chain = chain_of(*range(10_000))
    for number in range(1, 9_000):
        assert chain.remove(row(number))
    assert len(chain._rows) < 5_000
    assert chain.count == 1_001
    assert positions(chain)[:3] == [0, 9_000, 9_001]
    chain.restore([row(number) for number in range(1, 9_000)])
    assert positions(chain) == list(range(10_000))


def test_the_front_of_a_chain_that_is_always_fed_and_drained_does_not_grow() -> None:
    chain = chain_of(0)
    for number in range(1, 20_000):
        chain.append(row(number))
        assert chain.pop_first() == row(number - 1)
    assert len(chain._rows) < 5_000


def test_rows_behind_a_position_are_those_after_it_whether_it_is_still_there_or_not() -> None:
    chain = chain_of(1, 3, 5)
    chain.remove(row(3))
    assert [int.from_bytes(each[:8], "big") for each in chain.next_after(row(3)[:8])] == [5]
    assert [int.from_bytes(each[:8], "big") for each in chain.next_after(row(1)[:8])] == [5]
    assert len(list(chain.next_after(b""))) == 2
