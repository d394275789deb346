"""Clients over real sockets: waits and heartbeats, many programs on one connection, messages of 100 MiB, clients that
vanish."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from mqbridge.protocol.constants import MQGMO, MQOO, MQPMO, MQRC, SegmentType
from support.clients.program import CHANNEL
from support.clients.socket_program import LONGEST_MESSAGE, SocketProgram, clients_welcome, joined, program, split_put
from support.processes.endpoint_host import EndpointHost

MakeHost = Callable[..., EndpointHost]
INPUT, OUTPUT = int(MQOO.INPUT_SHARED), int(MQOO.OUTPUT)
SYNCPOINT = int(MQPMO.SYNCPOINT)
SUCCESS = 0x04000000


@pytest.fixture
def mars(make_host: MakeHost) -> EndpointHost:
    """MARS, where clients may share a socket by two hundred."""
    host = make_host()
    clients_welcome(host, SHARECNV=200)
    return host


def until_gone(host: EndpointHost, left: int) -> None:
    host.thread.until(lambda: len(host.manager.connections) == left, f"{left} connections left")


# Heartbeats


@pytest.mark.spec("client-observed.md O-122", "mq-wire.md 8.6")
def test_heartbeats_come_while_a_get_waits(make_host: MakeHost, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mqbridge.protocol.mqi.timers.receive_timeout", lambda _: 60.0)  # our client may be slow
    host = make_host()
    clients_welcome(host, SHARECNV=0, HBINT=1)
    with program(host, conversations=0, heartbeat=1) as client:
        handle = client.opens("TARGET", INPUT)
        client.send(client.get_segment(handle, MQGMO.WAIT, gmo={"wait_interval": -1}))
        heartbeat = client.expects(SegmentType.HEARTBEAT)
        assert (heartbeat.struc_id, heartbeat.flags) == (b"TSH ", 0x01)
        client.send(client.heartbeat(0x30))
        host.put(b"late", "TARGET")
        while (answer := client.hear()).type == SegmentType.HEARTBEAT:
            client.send(client.heartbeat(0x30))
        assert answer.type == SegmentType.MQGET_REPLY
        assert answer.body.endswith(b"late")


@pytest.mark.spec("client-observed.md O-122")
def test_a_client_that_does_not_answer_in_a_wait_is_given_up(make_host: MakeHost) -> None:
    host = make_host()
    clients_welcome(host, SHARECNV=0, HBINT=1)
    with program(host, conversations=0, heartbeat=1) as client:
        handle = client.opens("TARGET", INPUT)
        client.send(client.get_segment(handle, MQGMO.WAIT, gmo={"wait_interval": -1}))
        client.expects(SegmentType.HEARTBEAT)
        with pytest.raises(ConnectionError):
            client.hear()
    assert host.until_logged("AMQ9259")[1] == CHANNEL
    until_gone(host, 0)
    host.put(b"nobody waits any more", "TARGET")
    host.thread.until(lambda: host.visible() == 1, "the message")


@pytest.mark.spec("client-observed.md O-120", "client-observed.md O-121")
def test_heartbeats_of_a_client_that_waits_are_answered(mars: EndpointHost) -> None:
    with program(mars, conversations=200) as client:
        client.waits(client.opens("TARGET", INPUT))
        answer = client.asks(client.heartbeat())
        assert (answer.type, answer.struc_id, answer.flags) == (SegmentType.HEARTBEAT, b"TSHC", 0x00)
        mars.put(b"then", "TARGET")
        assert joined([client.expects(SegmentType.ASYNC_MESSAGE)])[1] == b"then"


# Many conversations


@pytest.mark.spec("client-observed.md O-040", "client-observed.md O-043", "mq-wire.md 8.1")
def test_a_get_that_waits_keeps_nobody_from_working(mars: EndpointHost) -> None:
    with program(mars, conversations=200) as client:
        client.waits(client.opens("TARGET", INPUT))
        client.joins(3)
        client.conversation = 3
        handle = client.opens("TARGET", OUTPUT)
        assert client.puts(b"in a unit of work", handle, SYNCPOINT).outcome == (0, 0)
        assert client.is_silent()
        assert client.commits() == (0, 0)
        message = client.expects(SegmentType.ASYNC_MESSAGE)
        assert (message.conversation, joined([message])[1]) == (1, b"in a unit of work")


@pytest.mark.spec("client-observed.md O-043", "client-observed.md O-101")
def test_a_hundred_programs_wait_on_one_socket(mars: EndpointHost) -> None:
    numbers = range(3, 203, 2)
    with program(mars, conversations=200) as client, program(mars, conversations=200) as other:
        handles = {}
        for number in numbers:
            client.joins(number)
            handles[number] = client.opens("TARGET", INPUT, conversation=number)
            client.waits(handles[number], conversation=number)
        out = other.opens("TARGET", OUTPUT)
        for number in numbers:
            assert other.puts(b"%d" % number, out).outcome == (0, 0)
        came = [client.expects(SegmentType.ASYNC_MESSAGE) for _ in numbers]
        assert sorted(one.conversation for one in came) == list(numbers)
        assert sorted(int(joined([one])[1]) for one in came) == list(numbers)
        assert all(one.stream.object_handle == handles[one.conversation] for one in came)
        assert mars.depth() == 0
        assert client.is_silent()


# Long messages


@pytest.mark.spec("client-observed.md O-059", "client-observed.md O-100", "mq-wire.md 6.4")
def test_a_message_of_100_mib_goes_both_ways(mars: EndpointHost) -> None:
    data = bytes(range(256)) * (LONGEST_MESSAGE // 256)
    with program(mars, conversations=200) as client:
        client.joins(3)
        handle = client.opens("TARGET", OUTPUT | INPUT)
        sender = threading.Thread(target=lambda: [client.send(part) for part in split_put(client, data, handle)])
        sender.start()
        assert client.expects(SegmentType.MQPUT_REPLY).outcome == (0, 0)
        sender.join()
        client.send(client.request_msgs(handle, 0x1E, max_msg_length=-1, requested=1))
        answers = [client.expects(SegmentType.ASYNC_MESSAGE)]
        client.send(client.call(SegmentType.MQCMIT, conversation=3))  # in the middle of what streams
        behind = 0
        while not answers[-1].flags & 0x20:
            answer = client.hear()
            if answer.type == SegmentType.MQCMIT_REPLY:
                behind = len(answers)
            else:
                assert answer.type == SegmentType.ASYNC_MESSAGE
                answers.append(answer)
        assert client.expects(SegmentType.NOTIFICATION).notification[1] == 11
        first, whole = joined(answers)
        assert first.stream.total_msg_length == first.stream.actual_msg_length == LONGEST_MESSAGE
        assert whole == data
        assert {answer.length for answer in answers[:-1]} == {32748}
        assert 0 < behind < len(answers)


@pytest.mark.spec("client-observed.md O-004", "mq-wire.md 6.4")
def test_a_message_of_100_mib_goes_both_ways_on_a_connection_not_shared(make_host: MakeHost) -> None:
    host = make_host()
    clients_welcome(host, SHARECNV=0)
    data = bytes(range(255, -1, -1)) * (LONGEST_MESSAGE // 256)
    with program(host, conversations=0) as client:
        handle = client.opens("TARGET", OUTPUT | INPUT)
        for part in split_put(client, data, handle):
            client.send(part)
        assert client.expects(SegmentType.MQPUT_REPLY).outcome == (0, 0)
        client.send(client.get_segment(handle, room=LONGEST_MESSAGE))
        answers = [client.expects(SegmentType.MQGET_REPLY)]
        while not answers[-1].flags & 0x20:
            answers.append(client.expects(SegmentType.MQGET_REPLY))
        whole = b"".join(answer.body for answer in answers)
        assert answers[0].outcome == (0, 0)
        assert whole[-len(data) - 4 :] == client.word(len(data)) + data
        assert {answer.length for answer in answers[:-1]} == {32748}


@pytest.mark.spec("client-observed.md O-059")
def test_a_message_of_100_mib_and_a_byte_is_refused(mars: EndpointHost) -> None:
    with program(mars, conversations=200) as client:
        handle = client.opens("TARGET", OUTPUT)
        for part in split_put(client, bytes(LONGEST_MESSAGE + 1), handle):
            client.send(part)
        assert client.expects(SegmentType.MQPUT_REPLY).outcome == (2, MQRC.MSG_TOO_BIG_FOR_CHANNEL)
        assert mars.depth() == 0
        assert client.puts(b"short", handle).outcome == (0, 0)


# Clients that vanish


def nothing_comes(client: SocketProgram) -> None:
    """All that the client sent was read, and nothing is said to that."""
    assert client.asks(client.heartbeat()).type == SegmentType.HEARTBEAT


def gone_for(host: EndpointHost, client: SocketProgram, left: int = 0) -> None:
    client.vanishes()
    until_gone(host, left)


@pytest.mark.spec("mqi.md 16.1")
def test_a_client_that_vanishes_in_a_wait_takes_no_message_with_it(mars: EndpointHost) -> None:
    with program(mars, conversations=200) as client:
        client.waits(client.opens("TARGET", INPUT))
        nothing_comes(client)
        gone_for(mars, client)
    mars.put(b"for somebody else", "TARGET")
    with program(mars, conversations=200) as other:
        got = other.takes(other.opens("TARGET", INPUT))
        assert got is not None
        assert got.data == b"for somebody else"


@pytest.mark.spec("client-observed.md O-055", "client-observed.md O-085")
def test_messages_that_are_on_their_way_when_the_client_vanishes_stay(mars: EndpointHost) -> None:
    for number in range(3):
        mars.put(b"%d" % number, "TARGET")
    with program(mars, conversations=200) as client:
        handle = client.opens("TARGET", INPUT)
        client.send(client.request_msgs(handle, 0x18, requested=102400, max_msg_length=-1))
        assert [joined([client.expects(SegmentType.ASYNC_MESSAGE)])[1] for _ in range(3)] == [b"0", b"1", b"2"]
        client.send(client.request_msgs(handle, 0x08, received=365, requested=102400, max_msg_length=-1, index=1))
        nothing_comes(client)  # and it is known that it has the first
        gone_for(mars, client)
    with program(mars, conversations=200) as other:
        handle = other.opens("TARGET", INPUT)
        assert [got and got.data for got in (other.takes(handle) for _ in range(3))] == [b"1", b"2", None]


@pytest.mark.spec("mqi.md 16.1", "client-observed.md O-095")
def test_what_a_client_has_not_committed_is_backed_out_when_it_vanishes(mars: EndpointHost) -> None:
    mars.put(b"to be got", "TARGET")
    with program(mars, conversations=200) as client:
        handle = client.opens("TARGET", INPUT | OUTPUT)
        got = client.takes(handle, int(MQGMO.SYNCPOINT))
        assert got is not None
        assert client.puts(b"not committed", handle, SYNCPOINT).outcome == (0, 0)
        assert mars.visible() == 0
        gone_for(mars, client)
    with program(mars, conversations=200) as other:
        again = other.takes(other.opens("TARGET", INPUT))
        assert again is not None
        assert (again.data, again.md.backout_count) == (b"to be got", 1)
        assert other.takes(other.opens("TARGET", INPUT)) is None


@pytest.mark.spec("mq-wire.md 5.13", "client-observed.md O-114")
def test_what_a_client_has_prepared_waits_for_the_next_one(mars: EndpointHost) -> None:
    fates = {b"commit": SegmentType.XA_COMMIT, b"rollback": SegmentType.XA_ROLLBACK}
    with program(mars, conversations=200) as client:
        handle = client.opens("TARGET", OUTPUT)
        assert client.xa(SegmentType.XA_OPEN) == 0
        for name in fates:
            assert client.xa(SegmentType.XA_START, name) == 0
            assert client.puts(name, handle, SYNCPOINT).outcome == (0, 0)
            assert client.xa(SegmentType.XA_END, name, SUCCESS) == 0
            assert client.xa(SegmentType.XA_PREPARE, name) == 0
        assert client.xa(SegmentType.XA_START, b"open") == 0
        assert client.puts(b"open", handle, SYNCPOINT).outcome == (0, 0)
        gone_for(mars, client)
    with program(mars, conversations=200) as other:
        assert mars.visible() == 0
        assert other.xa(SegmentType.XA_OPEN) == 0
        assert sorted(other.in_doubt()) == sorted(fates)
        for name, fate in fates.items():
            assert other.xa(fate, name) == 0
        assert other.in_doubt() == []
        handle = other.opens("TARGET", INPUT)
        got = other.takes(handle)
        assert got is not None
        assert got.data == b"commit"
        assert other.takes(handle) is None


@pytest.mark.spec("client-observed.md O-033")
def test_others_go_on_when_a_client_vanishes_in_the_middle_of_a_message(mars: EndpointHost) -> None:
    with program(mars, conversations=200) as other, program(mars, conversations=200) as client:
        parts = split_put(client, bytes(1 << 20), client.opens("TARGET", OUTPUT))
        for _ in range(5):
            client.send(next(parts))
        nothing_comes(client)
        gone_for(mars, client, left=1)
        assert other.puts(b"still here", other.opens("TARGET", OUTPUT)).outcome == (0, 0)
        mars.thread.until(lambda: mars.visible() == 1, "the message")
