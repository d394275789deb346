"""What goes into a batch, as the sending end, the observer and the rules count it (channels.md 5.1)."""

from __future__ import annotations

from mqbridge.protocol.channel.batch_limits import bytes_of, first_excess


def test_the_message_behind_the_last_one_agreed_is_too_many() -> None:
    assert first_excess(50) == 51
    assert first_excess(0) > 1 << 31  # nothing is known to be too many


def test_a_limit_of_data_is_told_in_kilobytes() -> None:
    assert bytes_of(5000) == 5_120_000
    assert bytes_of(0) == 0
