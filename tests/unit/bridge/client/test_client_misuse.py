"""Programs that ask for what cannot be, use what is closed, or are interrupted: the error is theirs, and tells."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

import mqbridge
from mqbridge.protocol.constants import MQRC
from mqbridge.protocol.errors import ConversionError, LocalProtocolError
from mqbridge.protocol.mqi_client import GetParameters

QUEUE = "DEV.QUEUE.1"


@pytest.fixture(params=[1, 0], ids=["shared", "not-shared"])
def qm(mq: Any, request: pytest.FixtureRequest) -> Iterator[mqbridge.QueueManager]:
    with mq.connect(shared_conversations=request.param, timeout=10) as manager:
        yield manager


@pytest.mark.parametrize(
    "how",
    [
        {"wait": 1e9},
        {"wait": float("nan")},
        {"wait": -1},
        {"token": b"short"},
        {"msg_id": b"x" * 25},
        {"correl_id": b"x" * 25},
        {"group_id": b"x" * 25},
        {"max_length": -5},
        {"max_length": 1 << 40},
        {"options": 1 << 40},
        {"convert": 1 << 40},
        {"convert": -7},
    ],
    ids=str,
)
def test_a_get_that_cannot_be_sent_leaves_the_connection_as_it_was(
    qm: mqbridge.QueueManager, how: dict[str, Any]
) -> None:
    qm.put(QUEUE, "still there")
    with pytest.raises(ValueError, match=r"wait|bytes|fit"):
        qm.get(QUEUE, **how)
    message = qm.get(QUEUE)
    assert message is not None
    assert message.text == "still there"


def test_what_is_wanted_fits_a_request() -> None:
    with pytest.raises(LocalProtocolError):
        GetParameters(msg_token=b"1")
    assert GetParameters(wait=None).milliseconds == -1


def test_half_a_surrogate_pair_is_no_text(qm: mqbridge.QueueManager) -> None:
    with pytest.raises(ConversionError):
        qm.put(QUEUE, "\ud800")
    with pytest.raises(ConversionError):
        qm.put(QUEUE, "\ud800", properties={"a": 1})
    with pytest.raises(ConversionError):
        qm.get(QUEUE, selector="a = '\ud800'")
    with pytest.raises(ConversionError):
        qm.subscribe("\ud800")


@pytest.mark.parametrize("body", [5, None, ["a"]], ids=repr)
def test_a_body_is_text_or_bytes(qm: mqbridge.QueueManager, body: Any) -> None:
    with pytest.raises(TypeError, match="str or bytes"):
        qm.put(QUEUE, body)
    with pytest.raises(TypeError, match="str or bytes"):
        qm.put(QUEUE, body, priority=1)


def test_a_subscription_that_is_closed_says_so(qm: mqbridge.QueueManager) -> None:
    subscription = qm.subscribe("a/b")
    subscription.close()
    for use in (subscription.get, subscription.request):
        with pytest.raises(mqbridge.MQError) as error:
            use()
        assert error.value.reason == MQRC.HOBJ_ERROR
    qm.put(QUEUE, "the connection goes on")


def test_a_browse_of_a_queue_that_is_closed_says_so(qm: mqbridge.QueueManager) -> None:
    for text in "abc":
        qm.put(QUEUE, text)
    with qm.queue(QUEUE) as queue:
        found = queue.browse()
        assert next(found).text == "a"
    with pytest.raises(mqbridge.MQError) as error:
        next(found)
    assert error.value.reason == MQRC.HOBJ_ERROR
    assert [message.text for message in qm.queue(QUEUE)] == ["a", "b", "c"]


@pytest.mark.interpreted("replaces a step of the link")
def test_an_interrupt_anywhere_in_a_call_ends_the_connection(
    qm: mqbridge.QueueManager, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(qm.link, "_step", interrupted)
    with pytest.raises(KeyboardInterrupt):
        qm.commit()
    monkeypatch.undo()
    with pytest.raises(mqbridge.ConnectionBroken, match="closed by the program"):
        qm.commit()


def in_poll(thread: threading.Thread) -> bool:
    """Whether a thread has been in the step that waits for what comes, twice in a row; compiled code has no frames."""
    seen = []
    for _ in range(2):
        frame = sys._current_frames().get(thread.ident or 0)
        seen.append(frame is not None and frame.f_code.co_name in ("_step", "get_message"))
        threading.Event().wait(0.05)
    return all(seen)


def test_an_abort_wakes_the_thread_that_waits(qm: mqbridge.QueueManager) -> None:
    errors: list[BaseException] = []
    began = threading.Event()

    def wait() -> None:
        began.set()
        try:
            qm.get(QUEUE, wait=None)
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=wait, daemon=True)
    thread.start()
    began.wait(30)
    deadline = time.monotonic() + 30
    while not in_poll(thread) and time.monotonic() < deadline:
        threading.Event().wait(0.01)
    qm.abort()
    thread.join(30)
    assert not thread.is_alive()
    assert isinstance(errors[0], mqbridge.ConnectionBroken)


def test_the_error_of_a_get_that_waits_says_why_the_connection_ended(qm: mqbridge.QueueManager, mq: Any) -> None:
    timer = threading.Timer(0.3, mq.mqsc, ["STOP CHANNEL(DEV.APP.SVRCONN) MODE(FORCE)"])
    timer.start()
    with pytest.raises(mqbridge.ConnectionBroken, match=r"partner.* channel DEV\.APP\.SVRCONN"):
        qm.get(QUEUE, wait=60)
    timer.join()


@pytest.mark.parametrize("host", ["a..b", "a" * 70])
def test_what_is_no_name_of_a_host_is_not_reachable(host: str) -> None:
    with pytest.raises(mqbridge.NotReachable):
        mqbridge.connect(f"mq://{host}/Q", timeout=2)


def test_browses_of_one_queue_keep_their_places(qm: mqbridge.QueueManager) -> None:
    for text in "abc":
        qm.put(QUEUE, text)
    with qm.queue(QUEUE) as queue:
        pairs = [first.data + second.data for first in queue.browse() for second in queue.browse()]
        assert b" ".join(pairs) == b"aa ab ac ba bb bc ca cb cc"
        left = queue.browse()
        assert next(left).text == "a"
        assert [message.text for message in queue.browse()] == ["a", "b", "c"]
        assert [message.text for message in left] == ["b", "c"]
        assert [message.text for message in queue.browse(selector="TRUE")] == ["a", "b", "c"]
