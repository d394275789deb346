from __future__ import annotations

import pytest

from mqbridge.bridge.queue_manager.ids import IdSource
from support.queue_manager.host import NOW, Host


@pytest.mark.spec("mq-wire.md 9.19")
@pytest.mark.spec("mqi.md 5.3")
def test_a_message_id_is_made_of_the_name_and_a_unique_number() -> None:
    source = IdSource("QM_cmolina", 1000)
    first, second = source.message_id(), source.message_id()
    assert first[:16] == b"AMQ QM_cmolina  "
    assert len(first) == 24
    assert first != second


def test_long_names_are_cut_and_the_counter_carries_into_the_seconds() -> None:
    source = IdSource("A.VERY.LONG.QUEUE.MANAGER", 1)
    assert source.message_id()[4:16] == b"A.VERY.LONG."
    source._next = (2 << 32) - 1
    assert int.from_bytes(source.message_id()[16:], "big") == 2 << 32


def test_no_id_comes_twice_over_restarts_even_within_one_second(host: Host) -> None:
    host.local("Q")
    seen = set()
    for _ in range(5):
        seen.add(host.put("Q").md.msg_id)
        host.restart(after=0)
    assert len(seen) == 5


def test_no_id_comes_twice_when_the_clock_goes_back(host: Host) -> None:
    host.local("Q")
    first = host.put("Q").md.msg_id
    host.restart(after=-3600)
    assert host.now < NOW
    assert host.put("Q").md.msg_id > first
