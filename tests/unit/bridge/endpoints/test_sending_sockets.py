"""Connections that we open: refused, cut, slow, never read."""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import pairwise

import pytest

from mqbridge.protocol.constants import SegmentType, StatusCode
from support.channels.playbook import error, ping, resync, status
from support.channels.socket_partner import SocketListener, SocketPartner
from support.processes.endpoint_host import EndpointHost
from support.processes.ports import free_port

MIB = 1 << 20
MEMORY = 4 * MIB
"""Bytes of a batch that may wait for a partner that does not read; the batch itself is far longer."""


@pytest.fixture
def host(make_host: Callable[..., EndpointHost]) -> EndpointHost:
    return make_host()


def sending(host: EndpointHost) -> int:
    """Messages of the open batch that were taken from the transmission queue."""
    end = host.channel_manager.channels.named("MARS.TO.VENUS").sending
    return 0 if end is None else end.machine.link.wire.counters.current_messages


def confirm(venus: SocketPartner, messages: int) -> None:
    """Takes so many messages as one or more batches, each confirmed."""
    while messages:
        sent = venus.next()
        assert sent is not None
        if sent.type == SegmentType.MESSAGE_DATA:
            messages -= bool(sent.flags & 0x20)
        else:
            assert (sent.type, sent.flags) == (SegmentType.STATUS_DATA, 0x01)
            venus.send(status(luwid=sent.luwid))


@pytest.mark.spec("channels.md 6.4")
def test_a_refused_connection_is_tried_again(host: EndpointHost) -> None:
    port = free_port()
    host.sender(f"127.0.0.1({port})", SHORTTMR=1)
    host.start()
    assert f"127.0.0.1({port})" in " ".join(host.until_logged("AMQ9202"))
    host.until_status("RETRYING")
    with SocketListener(port) as listener, listener.accept():
        host.until_status("RUNNING")


@pytest.mark.spec("channels.md 6.4")
def test_one_cycle_tries_all_connection_names_in_order(host: EndpointHost) -> None:
    with SocketListener() as second, SocketListener() as third:
        host.sender(f"127.0.0.1({free_port()}),{second.name},{third.name}")
        host.start()
        with second.accept():
            host.until_status("RUNNING")
        assert not [line for line in host.log if line[0] == "AMQ9202"]  # the cycle has succeeded
        third.socket.settimeout(0.05)
        with pytest.raises(TimeoutError):
            third.accept()


def refusals(host: EndpointHost) -> int:
    return sum(line[0] == "AMQ9202" for line in host.log)


@pytest.mark.spec("channels.md 6.4")
def test_a_storm_of_refusals_ends_stopped_and_disturbs_nobody(host: EndpointHost) -> None:
    names = ",".join(f"127.0.0.1({free_port()})" for _ in range(5))
    host.sender(names, SHORTTMR=0, SHORTRTY=200, LONGRTY=0)
    turns: list[tuple[int, float]] = []  # of the reactor: refusals, and seconds that its thread has worked

    def turn() -> None:
        turns.append((refusals(host), time.thread_time()))
        if turns[-1][0] < 201:
            host.thread.reactor.callLater(0, turn)

    host.thread.call(turn)
    host.start()
    host.until_status("STOPPED")
    assert refusals(host) == 201
    assert host.until_logged("AMQ9999")
    assert max(later[0] - earlier[0] for earlier, later in pairwise(turns)) <= 2
    assert max(later[1] - earlier[1] for earlier, later in pairwise(turns)) < 0.5


def test_a_connection_that_is_cut_is_opened_again_and_nothing_is_lost(host: EndpointHost) -> None:
    with SocketListener() as listener:
        host.sender(listener.name, SHORTTMR=0, BATCHINT=500)
        for number in range(5):
            host.put(b"%d" % number)
        host.start()
        venus = listener.accept()
        assert venus.expect(SegmentType.MESSAGE_DATA).number == 1
        venus.reset()  # in the open batch: backed out
        venus = listener.accept()
        numbers = [venus.expect(SegmentType.MESSAGE_DATA).number for _ in range(5)]
        asked = venus.expect(SegmentType.STATUS_DATA)
        venus.reset()  # in doubt
        venus = listener.accept()
        question = venus.expect(SegmentType.RESYNC_DATA)
        assert (numbers, question.luwid, question.number) == ([1, 2, 3, 4, 5], asked.luwid, 5)
        venus.send(resync(asked.luwid, 5, flags=0))  # it was committed
        host.until_status("RUNNING")
        host.put(b"more")
        assert venus.expect(SegmentType.MESSAGE_DATA).number == 6
        host.until_depth(0, "VENUS")
        venus.reset()


def test_a_partner_that_does_not_read_stops_the_sender(host: EndpointHost) -> None:
    with SocketListener(small_buffers=True) as listener:
        host.sender(listener.name, BATCHLIM=0, MAXMSGL=100 * MIB)
        for _ in range(40):
            host.put(bytes(MIB))
        host.start()
        with listener.accept() as venus:
            taken = host.thread.settled(lambda: sending(host))
            end = host.channel_manager.channels.named("MARS.TO.VENUS").sending
            assert end is not None
            assert taken * MIB <= MEMORY
            assert end.machine.link.wire.unsent <= 2 * MIB
            (protocol,) = host.driver.protocols.values()
            assert len(protocol.transport.dataBuffer) + protocol.transport._tempDataLen <= MIB
            confirm(venus, 40)  # it reads at last
            asked = venus.expect(SegmentType.STATUS_DATA)
            venus.send(status(luwid=asked.luwid))
            host.until_depth(0, "VENUS")


def test_a_sender_that_cannot_write_still_hears_its_partner(host: EndpointHost) -> None:
    with SocketListener(small_buffers=True) as listener:
        host.sender(listener.name, BATCHLIM=0)
        for _ in range(10):
            host.put(bytes(MIB))
        host.start()
        with listener.accept() as venus:
            host.thread.settled(lambda: sending(host))
            venus.send(error(StatusCode.USER_CLOSED))
            host.until_status("RETRYING")
    assert host.visible("VENUS") == 10


def test_a_partner_that_does_not_answer_is_given_up(make_host: Callable[..., EndpointHost]) -> None:
    host = make_host(handshake_timeout=0.2)
    with SocketListener() as listener:
        host.sender(listener.name)
        host.start()
        with listener.accept(start=False):
            host.until_logged("AMQ9259")
            host.until_status("RETRYING")


@pytest.mark.spec("channels.md 6.3")
def test_a_ping_goes_over_a_connection_of_its_own(host: EndpointHost) -> None:
    with SocketListener() as listener:
        host.sender(listener.name)
        outcome = host.ping(100)
        with listener.accept() as venus:
            asked = venus.expect(SegmentType.PING_DATA)
            assert len(asked.body) == 104
            venus.send(ping(asked.body[4:], flags=0))
            venus.expect(SegmentType.STATUS_DATA)
            assert venus.next() is None
        host.thread.until(lambda: outcome == [None], "the outcome")
        assert host.status() == "INACTIVE"


def test_a_ping_to_nobody_fails(host: EndpointHost) -> None:
    port = free_port()
    host.sender(f"127.0.0.1({port})")
    outcome = host.ping()
    host.thread.until(lambda: outcome, "the outcome")
    assert outcome[0] is not None
    assert outcome[0].amq == "AMQ9202"


def test_the_local_address_is_used(host: EndpointHost) -> None:
    with SocketListener() as listener:
        port = free_port()
        host.sender(listener.name, LOCLADDR=f"127.0.0.1({port})")
        host.start()
        with listener.accept(start=False) as venus:
            assert venus.socket.getpeername() == ("127.0.0.1", port)


def test_a_stop_while_connecting_leaves_no_connection(host: EndpointHost) -> None:
    with SocketListener() as listener:
        host.sender(listener.name)

        def start_and_stop() -> None:
            definition = host.definition("MARS.TO.VENUS")
            host.control.start(definition, time.time())
            host.driver.pump()
            host.control.stop(definition, "QUIESCE", "STOPPED", "", "", time.time())

        host.call(start_and_stop)
        host.until_status("STOPPED")
        host.thread.until(lambda: host.driver.quiet, "rest")
