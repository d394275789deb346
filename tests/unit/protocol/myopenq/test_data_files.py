"""The files of a data directory."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqbridge.protocol.myopenq import Create, QueueType
from mqbridge.protocol.myopenq.data_files import (
    StoredMessage,
    read_messages,
    read_queues,
    write_messages,
    write_queues,
)

LOCAL = Create("ORDERS", 100, 80, QueueType.LOCAL)
REMOTE = Create("Qa", 10, 1024, QueueType.REMOTE, "10.0.0.7", 9803)


@pytest.mark.spec("M-108", "myopenq.md K-03", "myopenq.md K-05")
def test_records_of_queues() -> None:
    queues = [LOCAL, REMOTE, LOCAL._replace(queue="T", timeout=5), REMOTE._replace(queue="R", remote_name="Qb")]
    data = write_queues(queues)
    assert [len(each) for each in data.splitlines()] == [63, 63, 105, 105]
    assert read_queues(data) == queues
    plain = b"".join(write_queues(queues[:2]).splitlines())
    assert len(plain) == 126
    assert read_queues(plain) == queues[:2]
    assert read_queues(b"") == []


@pytest.mark.spec("M-109")
@given(st.lists(st.builds(StoredMessage, st.integers(0, 10**10 - 1), st.binary(max_size=50))))
def test_messages_of_any_bytes(messages: list[StoredMessage]) -> None:
    assert list(read_messages(write_messages(messages))) == messages


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"ORDERS", "record 1: 6 bytes are too few"),
        (write_queues([LOCAL]) + b"no-name".ljust(63) + b"\n", "record 2"),
        (write_queues([LOCAL]).replace(b"00100", b"many "), "record 1"),
        (write_queues([REMOTE]).replace(b"10.0.0.7", b"10.0.0.x"), "record 1"),
        (write_queues([LOCAL]).replace(b"L", b"X"), "record 1"),
    ],
)
def test_what_is_wrong_with_a_record(data: bytes, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        read_queues(data)


@pytest.mark.parametrize("data", [b"17000", b"1700000000x0001a", b"170000000000005four", b"1700000000  x  a"])
def test_what_is_wrong_with_a_message(data: bytes) -> None:
    with pytest.raises(ValueError, match="message at byte 0"):
        list(read_messages(data))
