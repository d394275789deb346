"""The Python client against a queue manager over real sockets, on shared connections and on others."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

import mqbridge
from mqbridge.mappings.properties import Property
from mqbridge.protocol.constants import MQMF, MQMO, MQPMO, MQSO, MQTYPE
from mqbridge.protocol.mqi_client import Calls

QUEUE = "DEV.QUEUE.1"


@pytest.fixture(params=[1, 0], ids=["shared", "not-shared"])
def qm(mq: Any, request: pytest.FixtureRequest) -> Iterator[mqbridge.QueueManager]:
    with mq.connect(shared_conversations=request.param, timeout=10, application="unit test") as manager:
        yield manager


@pytest.mark.spec("client-observed.md O-004")
@pytest.mark.spec("client-observed.md O-005")
def test_text_properties_and_fields_come_back(qm: mqbridge.QueueManager) -> None:
    properties = {"colour": "red", "count": 3, "weight": 1.5, "new": True, "raw": b"\x01\xff", "none": None}
    put = qm.put(
        QUEUE, "grüße", properties=properties, persistent=True, priority=7, expiry=60, reply_to="R", correl_id=b"c"
    )
    message = qm.get(QUEUE)
    assert message is not None
    assert (message.text, message.properties) == ("grüße", properties)
    assert (message.msg_id, message.correl_id) == (put, b"c".ljust(24, b"\0"))
    assert (message.persistent, message.priority, message.format, message.reply_to) == (True, 7, "MQSTR", "R")
    assert message.expiry is not None
    assert 50 < message.expiry <= 60
    assert message.md.put_appl_name == "unit test"
    assert message.queue == QUEUE
    assert message.put_time is not None
    assert abs(message.put_time.timestamp() - time.time()) < 60
    assert qm.get(QUEUE) is None


def test_a_message_that_came_can_be_put_again(qm: mqbridge.QueueManager) -> None:
    sent = mqbridge.Message("text", properties={"n": Property("n", MQTYPE.INT16, 5)}, priority=2, correl_id=b"abc")
    qm.put(QUEUE, sent)
    came = qm.get(QUEUE)
    assert came is not None
    qm.put("DEV.QUEUE.2", came)
    again = qm.get("DEV.QUEUE.2")
    assert again is not None
    assert (again.text, again.properties, again.priority, again.correl_id) == (
        "text",
        {"n": 5},
        2,
        b"abc".ljust(24, b"\0"),
    )


@pytest.mark.spec("client-observed.md O-059")
@pytest.mark.spec("client-observed.md O-100")
@pytest.mark.parametrize("size", [0, 1, 4096, 32_100, 32_748, 65_536, 3_000_001])
def test_bytes_of_any_length_come_back(qm: mqbridge.QueueManager, size: int) -> None:
    data = bytes(range(256)) * (size // 256) + bytes(range(size % 256))
    with qm.queue(QUEUE) as queue:
        queue.put(data)
        message = queue.get(wait=5)
        assert message is not None
        assert message.data == data


def test_a_message_too_long_for_the_channel_is_refused(qm: mqbridge.QueueManager) -> None:
    with pytest.raises(mqbridge.TooLong, match=r"2010"):
        qm.put(QUEUE, bytes(qm.max_message_length + 1))
    assert qm.get(QUEUE) is None


@pytest.mark.spec("client-observed.md O-081")
@pytest.mark.spec("client-observed.md O-082")
def test_a_get_waits_as_long_as_it_should(qm: mqbridge.QueueManager, mq: Any) -> None:
    began = time.monotonic()
    assert qm.get(QUEUE, wait=0.2) is None
    assert 0.15 < time.monotonic() - began < 20
    timer = threading.Timer(0.1, mq.put, (QUEUE, "late"))
    timer.start()
    message = qm.get(QUEUE, wait=60)
    timer.join()
    assert message is not None
    assert message.text == "late"
    assert qm.get(QUEUE) is None


@pytest.mark.spec("client-observed.md O-084")
def test_messages_are_matched_by_ids_tokens_and_selectors(qm: mqbridge.QueueManager) -> None:
    with qm.queue(QUEUE) as queue:
        ids = [queue.put(f"m{n}", correl_id=bytes([n]), properties={"n": n}) for n in range(5)]
        assert read(queue.get(msg_id=ids[3])) == "m3"
        assert read(queue.get(correl_id=b"\x01")) == "m1"
        assert read(queue.get(selector="n = 4")) == "m4"
        assert queue.get(selector="n = 4") is None
        browsed = list(queue.browse())
        assert [message.text for message in browsed] == ["m0", "m2"]
        assert queue.get(msg_id=ids[3]) is None
        if any(browsed[1].token):
            assert read(queue.get(token=browsed[1].token)) == "m2"
        else:
            assert read(queue.get(msg_id=browsed[1].msg_id)) == "m2"
        assert [message.text for message in queue] == ["m0"]
        assert MQMO.NONE == 0


@pytest.mark.spec("client-observed.md O-098")
def test_browsing_leaves_messages_where_they_are(qm: mqbridge.QueueManager) -> None:
    with qm.queue(QUEUE) as queue:
        for n in range(4):
            queue.put(str(n), properties={"even": n % 2 == 0})
        assert [message.text for message in queue.browse()] == ["0", "1", "2", "3"]
        assert [message.text for message in queue.browse(selector="even = TRUE")] == ["0", "2"]
        assert next(queue.browse()).text == "0"
        assert queue.depth == 4
        assert len(list(queue.messages())) == 4


@pytest.mark.spec("client-observed.md O-064")
def test_a_transaction_is_all_or_nothing(qm: mqbridge.QueueManager, mq: Any) -> None:
    qm.put(QUEUE, "in")

    class StopIt(Exception):
        pass

    def work() -> None:
        with qm.transaction():
            assert qm.get(QUEUE) is not None
            qm.put("DEV.QUEUE.2", "out")
            assert mq.messages("DEV.QUEUE.2") == []
            raise StopIt

    with pytest.raises(StopIt):
        work()
    assert mq.messages("DEV.QUEUE.2") == []
    assert [message.text for message in mq.messages(QUEUE)] == ["in"]
    with qm.transaction():
        message = qm.get(QUEUE)
        assert message is not None
        assert message.backout_count == 1
        qm.put("DEV.QUEUE.2", "out")
    assert (mq.depth(QUEUE), mq.depth("DEV.QUEUE.2")) == (0, 1)


def test_a_program_that_fails_leaves_nothing_behind(mq: Any) -> None:
    def work() -> None:
        with mq.connect() as qm:
            qm.put(QUEUE, "half", syncpoint=True)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        work()
    assert mq.messages(QUEUE) == []
    with mq.connect() as qm:
        qm.put(QUEUE, "whole", syncpoint=True)
    assert mq.depth(QUEUE) == 1  # a disconnect commits


@pytest.mark.spec("client-observed.md O-068")
@pytest.mark.spec("client-observed.md O-069")
def test_topics_and_subscriptions(qm: mqbridge.QueueManager) -> None:
    with qm.subscribe("sport/+") as scores, qm.subscribe("sport/#", selector="n > 1") as chosen:
        qm.publish("sport/tennis", "ace", properties={"n": 1})
        with qm.topic("sport/golf") as golf:
            golf.put("birdie", properties={"n": 2})
        first = scores.get(wait=5)
        assert first is not None
        assert (first.text, first.properties["mqps.Top"]) == ("ace", "sport/tennis")
        assert [message.text for message in scores] == ["birdie"]
        assert [message.text for message in chosen] == ["birdie"]
    qm.publish("sport/tennis", "kept", retain=True)
    with qm.subscribe("sport/tennis", options=int(MQSO.PUBLICATIONS_ON_REQUEST)) as asked:
        assert asked.get() is None
        assert asked.request() == 1
        assert read(asked.get(wait=5)) == "kept"


def test_a_durable_subscription_goes_on(qm: mqbridge.QueueManager) -> None:
    qm.subscribe("news", durable="mine").close()
    qm.publish("news", "1")
    with qm.subscribe("news", durable="mine") as mine:
        assert [message.text for message in mine] == ["1"]
        mine.close(remove=True)
    qm.publish("news", "2")
    assert list(qm.subscribe("news", durable="mine")) == []


@pytest.mark.spec("client-observed.md O-060")
@pytest.mark.spec("client-observed.md O-065")
def test_attributes_are_inquired_and_set(qm: mqbridge.QueueManager, mq: Any) -> None:
    mq.mqsc(
        f"ALTER QLOCAL({QUEUE}) DESCR('for tests') MAXDEPTH(77)",
        "SET AUTHREC PROFILE('DEV.QUEUE.1') OBJTYPE(QUEUE) PRINCIPAL('app') AUTHADD(SET,GET,PUT,BROWSE,INQ)",
    )
    qm.put(QUEUE, "x")
    with qm.queue(QUEUE) as queue:
        assert queue.inquire("CURDEPTH", "MQIA_MAX_Q_DEPTH", "DESCR") == {
            "CURDEPTH": 1,
            "MQIA_MAX_Q_DEPTH": 77,
            "DESCR": "for tests",
        }
        queue.set({"GET": 1})
        with pytest.raises(mqbridge.Inhibited, match="2016"):
            queue.get(wait=5)
        queue.set({"GET": 0})
        assert read(queue.get()) == "x"
        with pytest.raises(ValueError, match="no attribute"):
            queue.inquire("NOSUCH")
    assert qm.inquire("QMNAME")["QMNAME"] == "QM1"


@pytest.mark.spec("client-observed.md O-088")
def test_a_message_that_is_too_long_stays(qm: mqbridge.QueueManager) -> None:
    with qm.queue(QUEUE) as queue:
        queue.put(bytes(1000))
        with pytest.raises(mqbridge.Truncated) as error:
            queue.get(max_length=10)
        assert (error.value.reason, error.value.length) == (2080, 1000)
        message = queue.get(max_length=10, options=0x40)
        assert message is not None
        assert len(message) == 10
        assert queue.get() is None


def test_errors_carry_the_reason(qm: mqbridge.QueueManager, mq: Any) -> None:
    with pytest.raises(mqbridge.UnknownObject) as error:
        qm.put("NO.SUCH.QUEUE", "x")
    assert (error.value.reason, error.value.name) == (2085, "MQRC_UNKNOWN_OBJECT_NAME")
    assert "NO.SUCH.QUEUE" in str(error.value)
    mq.mqsc(f"ALTER QLOCAL({QUEUE}) MAXDEPTH(1)")
    qm.put(QUEUE, "1")
    with pytest.raises(mqbridge.QueueFull, match="2053"):
        qm.put(QUEUE, "2")


def test_a_temporary_queue_is_gone_when_it_is_closed(qm: mqbridge.QueueManager) -> None:
    with qm.temporary_queue(dynamic_name="MINE.*") as queue:
        assert queue.name.startswith("MINE.")
        qm.put(queue.name, "reply")
        assert read(queue.get(wait=5)) == "reply"
    with pytest.raises(mqbridge.UnknownObject):
        qm.put(queue.name, "x")


def test_threads_take_turns(mq: Any) -> None:
    with mq.connect() as qm:
        threads = [threading.Thread(target=lambda: [qm.put(QUEUE, b"x") for _ in range(20)]) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sum(1 for _ in qm.queue(QUEUE)) == 80


@pytest.mark.parametrize(
    ("change", "kind", "reason"),
    [
        (("QM1", "QMX"), mqbridge.NotReachable, 2058),
        (("DEV.APP.SVRCONN", "NO.SUCH"), mqbridge.NotReachable, 2540),
        (("DEV.APP.SVRCONN", "SYSTEM.DEF.SENDER"), mqbridge.NotReachable, 2539),
    ],
)
@pytest.mark.spec("client-observed.md O-031")
@pytest.mark.spec("client-observed.md O-032")
def test_who_cannot_connect_learns_why(mq: Any, change: tuple[str, str], kind: type, reason: int) -> None:
    with pytest.raises(kind) as error:
        mqbridge.connect(mq.url.replace(*change), timeout=10)
    assert error.value.reason == reason


@pytest.mark.spec("client-observed.md O-033")
def test_nobody_there_is_2538() -> None:
    with pytest.raises(mqbridge.NotReachable, match=r"2538"):
        mqbridge.connect("mq://127.0.0.1:1/QM", timeout=5)


@pytest.mark.spec("client-observed.md O-044")
def test_a_stopped_channel_is_noticed(mq: Any) -> None:
    qm = mq.connect()
    queue = qm.queue(QUEUE)
    queue.put("before")
    mq.mqsc("STOP CHANNEL(DEV.APP.SVRCONN) MODE(QUIESCE)")
    with pytest.raises(mqbridge.Quiescing, match="2202"):
        queue.get()
    assert qm.quiescing
    qm.disconnect()
    mq.mqsc("START CHANNEL(DEV.APP.SVRCONN)")
    broken = mq.connect()
    mq.mqsc("STOP CHANNEL(DEV.APP.SVRCONN) MODE(FORCE)")
    with pytest.raises(mqbridge.ConnectionBroken, match="2009"):
        broken.get(QUEUE, wait=60)
    with pytest.raises(mqbridge.ConnectionBroken):
        broken.put(QUEUE, "x")


@pytest.mark.spec("client-observed.md O-120")
@pytest.mark.spec("client-observed.md O-121")
@pytest.mark.slow
def test_an_idle_connection_lives_on_heartbeats(mq: Any) -> None:
    mq.mqsc("ALTER CHANNEL(DEV.APP.SVRCONN) CHLTYPE(SVRCONN) HBINT(2)")
    with mq.connect(heartbeat_interval=2) as qm:
        time.sleep(4.5)  # who has not answered after two seconds and two more is given up
        qm.put(QUEUE, "alive")
        assert qm.get(QUEUE, wait=2.5) is not None
        assert qm.get(QUEUE, wait=2.5) is None


@pytest.mark.spec("client-observed.md O-063")
@pytest.mark.spec("client-observed.md O-067")
def test_puts_without_reply(qm: mqbridge.QueueManager, mq: Any) -> None:
    bits = int(MQPMO.ASYNC_RESPONSE)
    with qm.queue(QUEUE) as queue:
        assert [queue.put(str(number), options=bits) for number in range(5)] == [b""] * 5
        status = qm.put_status()
        assert (status.succeeded, status.failed) == (5, 0)
        assert [message.text for message in queue] == ["0", "1", "2", "3", "4"]
        mq.mqsc(f"ALTER QLOCAL({QUEUE}) MAXDEPTH(1)")
        for number in range(3):
            queue.put(str(number), options=bits)
        status = qm.put_status()
        assert (status.succeeded, status.failed, status.reason) == (1, 2, 2053)


@pytest.mark.spec("client-observed.md O-099")
def test_text_is_converted_on_demand(qm: mqbridge.QueueManager) -> None:
    with qm.queue(QUEUE) as queue:
        queue.put("é".encode("cp500"), format="MQSTR", coded_char_set_id=500)
        (browsed,) = queue.browse()
        assert (browsed.data, browsed.text) == ("é".encode("cp500"), "é")
        message = queue.get(convert=1208)
        assert message is not None
        assert (message.data, message.text) == ("é".encode(), "é")


def test_a_group_is_got_by_its_id(qm: mqbridge.QueueManager) -> None:
    with qm.queue(QUEUE) as queue:
        queue.put("other")
        for number in (1, 2, 3):
            flags = int(MQMF.MSG_IN_GROUP if number < 3 else MQMF.LAST_MSG_IN_GROUP)
            queue.put(f"m{number}", group_id=b"G", msg_flags=flags, msg_seq_number=number)
        assert [message.text for message in queue.messages(group_id=b"G")] == ["m1", "m2", "m3"]
        assert [message.text for message in queue] == ["other"]


@pytest.mark.parametrize("answer", [b"", b"HTTP/1.1 400 Bad Request\r\n\r\n", b"TSH \0\0\0\x1c\2\5\x0a" + bytes(17)])
def test_a_server_of_another_kind_is_an_error_in_time(answer: bytes) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        taken: list[socket.socket] = []

        def serve() -> None:
            connection, _ = server.accept()
            taken.append(connection)
            connection.sendall(answer)

        thread = threading.Thread(target=serve)
        thread.start()
        began = time.monotonic()
        with pytest.raises(mqbridge.MQError):
            mqbridge.connect(f"mq://127.0.0.1:{server.getsockname()[1]}/", timeout=0.5)
        assert time.monotonic() - began < 20
        thread.join()
        taken[0].close()


def read(message: mqbridge.Message | None) -> str | None:
    return None if message is None else message.text


def test_all_is_closed_though_one_handle_cannot_be(qm: mqbridge.QueueManager) -> None:
    """A queue open twice, and a subscription with its queue; the first handle of each is gone already."""
    queue, subscription = qm.queue(QUEUE), qm.subscribe("a/b")
    assert list(queue.browse()) == []
    assert queue.get() is None
    for handle in (next(iter(queue._handles.values())), subscription._queue):
        qm.link.do(Calls.close_object, handle, 0)
    for opened in (queue, subscription):
        with pytest.raises(mqbridge.MQError) as caught:
            opened.close()
        assert caught.value.reason == 2019
    with qm.queue(QUEUE) as again:
        assert again.inquire("IPPROCS") == {"IPPROCS": 0}
    qm.publish("a/b", "news")
    with pytest.raises(mqbridge.MQError) as caught:
        subscription.request()
    assert caught.value.reason == 2019
