"""The smallest test with the fixture ``mq``: ``pytest examples/pytest_fixture``; nothing else needs to run."""

from __future__ import annotations

from typing import Any


def forward_orders(url: str) -> None:
    """The program under test: takes orders in, and passes those of value on."""
    import mqbridge

    with mqbridge.connect(url) as qm, qm.transaction():
        for order in qm.queue("ORDERS").messages():
            qm.put("SHIPPING" if int(order.text) >= 100 else "SMALL", order)


def test_orders_of_value_are_shipped(mq: Any) -> None:
    mq.mqsc("DEFINE QLOCAL(ORDERS)", "DEFINE QLOCAL(SHIPPING)", "DEFINE QLOCAL(SMALL)")
    for value in ("250", "3", "100"):
        mq.put("ORDERS", value)
    forward_orders(mq.url)
    assert [message.text for message in mq.messages("SHIPPING")] == ["250", "100"]
    assert mq.depth("ORDERS") == 0


def test_each_test_has_a_queue_manager_of_its_own(mq: Any) -> None:
    assert mq.messages("DEV.QUEUE.1") == []
