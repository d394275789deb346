"""Connections that come in: real sockets on one side, a partner's bytes on the other."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

import pytest

from mqbridge.bridge.endpoints import driver
from mqbridge.protocol.constants import SegmentType, StatusCode
from support.channels.playbook import L1, L2, end_of_batch, heartbeat, initial_data, message, status
from support.channels.socket_partner import call
from support.processes.endpoint_host import EndpointHost

MIB = 1 << 20
FLOOD = heartbeat() * 1_000_000
"""Each asks for an answer."""


def unconfirmed(host: EndpointHost) -> int:
    """Messages that the receiver has taken and not confirmed."""
    ends = host.channel_manager.channels.named("VENUS.TO.MARS").receiving
    return sum(end.machine.link.wire.counters.current_messages for end in ends)


@pytest.mark.spec("channels.md 5.2")
def test_a_batch_is_confirmed_after_the_commit_and_not_before(host: EndpointHost) -> None:
    host.store.may_commit.clear()
    with call(host.port) as venus:
        venus.send(message(1), message(2), end_of_batch())
        host.thread.until(lambda: host.driver.unstored, "the commit")
        assert venus.is_silent()
        assert host.visible() == 0
        host.store.may_commit.set()
        answer = venus.expect(SegmentType.STATUS_DATA)
        assert (answer.flags, answer.luwid, answer.length) == (0, L1, 28)
        assert host.visible() == 2


@pytest.mark.parametrize("limit", ["MAX_UNSTORED", "MAX_UNSTORED_BYTES"])
def test_a_store_that_does_not_keep_up_stops_the_reading(
    host: EndpointHost, monkeypatch: pytest.MonkeyPatch, limit: str
) -> None:
    monkeypatch.setattr(driver, limit, 1)
    host.receiver("PLUTO.TO.MARS")
    host.store.may_commit.clear()
    with call(host.port) as venus, call(host.port, channel="PLUTO.TO.MARS") as pluto:
        venus.send(message(1), end_of_batch())
        host.thread.until(lambda: host.driver.unstored, "the commit")
        stream = b"".join(message(number, bytes(30_000), persistence=0) for number in range(1, 1001))
        taken = pluto.send_what_is_taken(stream)
        assert taken < len(stream)
        assert host.depth() < 10
        host.store.may_commit.set()
        assert venus.expect(SegmentType.STATUS_DATA).luwid == L1
        pluto.send(stream[taken:])
        host.until_depth(1001)


def test_who_never_reads_its_answers_is_not_read_either(host: EndpointHost) -> None:
    with call(host.port, small_buffers=True) as venus:
        taken = venus.send_what_is_taken(FLOOD)
        assert taken < len(FLOOD)
        (end,) = host.channel_manager.channels.named("VENUS.TO.MARS").receiving
        assert end.machine.link.wire.unsent < MIB
        for _ in range(taken // 28):  # once it reads, the channel goes on
            venus.expect(SegmentType.HEARTBEAT)
        venus.send(heartbeat()[taken % 28 :])
        venus.send(message(1), end_of_batch())
        while (answer := venus.next()) is not None and answer.type == SegmentType.HEARTBEAT:
            pass
        assert answer is not None
        assert answer.luwid == L1


@pytest.mark.spec("channels.md 5.3")
def test_a_cut_in_the_middle_of_a_message_backs_the_batch_out(host: EndpointHost) -> None:
    venus = call(host.port)
    venus.send(message(1), message(2)[:300])
    host.thread.until(lambda: unconfirmed(host) == 1, "the first message")
    venus.reset()
    host.until_logged("AMQ9209")
    assert host.depth() == 0
    with call(host.port) as venus:
        venus.send(message(1, luwid=L2), message(2, luwid=L2), end_of_batch(L2))
        assert venus.expect(SegmentType.STATUS_DATA).luwid == L2
        assert host.depth() == 2


def test_the_error_segment_arrives_though_the_partner_goes_on_sending(host: EndpointHost) -> None:
    with call(host.port) as venus:
        venus.send(message(7), *[message(number, bytes(65_000)) for number in range(8, 40)])
        refusal = venus.expect(SegmentType.STATUS_DATA)
        assert (refusal.flags, refusal.code, refusal.value) == (0x0A, StatusCode.MSG_SEQUENCE_ERROR, 1)
        assert venus.next() is None  # and the end of the stream, no reset
    host.thread.until(lambda: not host.driver.protocols, "the end of the connection")


def test_the_error_segment_of_a_refused_channel_arrives(host: EndpointHost) -> None:
    with call(host.port, start=False) as venus:
        venus.send(initial_data(channel_name="NO.SUCH.CHANNEL"), message(1, bytes(100_000)))
        assert venus.expect(SegmentType.STATUS_DATA).code == StatusCode.NO_CHANNEL
        assert venus.next() is None


def test_who_does_not_hang_up_after_our_end_is_hung_up_on(host: EndpointHost, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mqbridge.bridge.endpoints.channel_protocol.LINGER", 0.1)
    with call(host.port) as venus:
        venus.send(message(7))
        venus.expect(SegmentType.STATUS_DATA)
        with suppress(ConnectionResetError):  # where the reactor comes to both ends at once
            assert venus.next() is None
        host.thread.until(lambda: not host.driver.protocols, "the end of the connection")


def test_who_does_not_read_its_refusal_is_hung_up_on(host: EndpointHost, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mqbridge.bridge.endpoints.channel_protocol.CLOSE_TIMEOUT", 0.2)
    with call(host.port, small_buffers=True) as venus:
        venus.send_what_is_taken(FLOOD)
        host.stop("VENUS.TO.MARS", "FORCE")
        host.thread.until(lambda: not host.driver.protocols, "the end of the connection")


def test_a_silent_caller_is_hung_up_on_in_time(make_host: Callable[..., EndpointHost]) -> None:
    host = make_host(handshake_timeout=1)
    with call(host.port, start=False) as slow, call(host.port, start=False) as silent:
        slow.send(initial_data()[:50])
        assert silent.next() is None
        assert slow.next() is None
    assert host.until_logged("AMQ9259", 2)


def test_too_many_connections_are_refused_and_harm_nobody(make_host: Callable[..., EndpointHost]) -> None:
    host = make_host(max_per_address=1)
    host.receiver()
    with call(host.port) as venus:
        for _ in range(200):
            with pytest.raises(ConnectionError), call(host.port, start=False) as more:
                more.next()
        host.until_logged("AMQ9513", 200)
        venus.send(message(1), end_of_batch())
        assert venus.expect(SegmentType.STATUS_DATA).luwid == L1


def test_a_quiesced_receiver_ends_after_the_batch(host: EndpointHost) -> None:
    with call(host.port) as venus:
        venus.send(message(1))
        host.thread.until(lambda: unconfirmed(host) == 1, "the message")
        host.stop("VENUS.TO.MARS")
        venus.send(message(2), end_of_batch())
        answer = venus.expect(SegmentType.STATUS_DATA)
        assert (answer.flags, answer.luwid) == (0x04, L1)
        venus.send(status(0x08))
        assert venus.next() is None
    assert host.depth() == 2
