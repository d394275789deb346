"""The system's clock is set by hours, forward and backward: dates follow it, nothing that lasts does."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing

import pytest
from twisted.internet.selectreactor import SelectReactor

from mqbridge.bridge.endpoints.clock import LOOK_EVERY, SteadyClock, make_steady
from mqbridge.bridge.queue_manager import GetOptions, PutOptions, Waiter
from mqbridge.mappings.message import Message
from mqbridge.mappings.moment import Moment, date_of, put_moment
from mqbridge.protocol.constants import MQGMO, MQOO
from support.clients.program import GotMessage
from support.clients.socket_program import clients_welcome, program
from support.processes.endpoint_host import EndpointHost
from support.processes.reactor_thread import PATIENCE
from support.queue_manager.direct_calls import put_message
from support.queue_manager.host import NOW, Host

HOUR = 3600.0
IN_OUT = int(MQOO.INPUT_SHARED | MQOO.OUTPUT | MQOO.BROWSE)


class SetClock:
    """A steady clock and a calendar that can be set; each look takes a microsecond."""

    def __init__(self) -> None:
        self.steady = 100.0
        self.ahead = NOW - 100.0

    def goes_on(self) -> float:
        self.steady += 1e-6
        return self.steady

    def shows(self) -> float:
        return self.goes_on() + self.ahead


@pytest.mark.parametrize("hours", [2, -2, 24 * 365, -24 * 365])
def test_the_clock_goes_on_steadily_and_knows_the_date(hours: int) -> None:
    set_clock, told = SetClock(), list[float]()
    clock = SteadyClock(set_clock.shows, set_clock.goes_on)
    clock.on_set = told.append
    first = clock()
    assert type(first) is float
    assert date_of(first) == first == pytest.approx(NOW, abs=0.01)
    set_clock.ahead += hours * HOUR
    set_clock.steady += 5
    second = clock()
    assert second - first == pytest.approx(5, abs=0.01)
    assert date_of(second) == pytest.approx(NOW + hours * HOUR + 5, abs=0.01)
    assert told == [pytest.approx(hours * HOUR, abs=0.01)]
    set_clock.ahead -= hours * HOUR
    set_clock.steady += LOOK_EVERY
    assert date_of(clock()) == pytest.approx(NOW + 5, abs=0.03)
    assert len(told) == 2


def test_a_look_that_was_interrupted_sets_no_clock() -> None:
    set_clock, told = SetClock(), list[float]()

    def interrupted() -> float:
        set_clock.steady += 3
        return set_clock.shows()

    clock = SteadyClock(set_clock.shows, set_clock.goes_on)
    clock.on_set = told.append
    clock._calendar = interrupted
    assert date_of(clock()) == pytest.approx(NOW, abs=4)
    clock._calendar = set_clock.shows
    assert date_of(clock()) == pytest.approx(NOW + 6, abs=4)
    assert told == []


def test_timers_of_the_reactor_follow_the_steady_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    reactor = SelectReactor()
    make_steady(reactor)
    called: list[str] = []
    reactor.callLater(HOUR, called.append, "late")
    reactor.callLater(0, called.append, "at once")
    monkeypatch.setattr(time, "time", lambda: NOW + 100 * HOUR)
    reactor.runUntilCurrent()
    assert called == ["at once"]
    assert 0 < reactor.timeout() <= HOUR


# A queue manager and its clients


class Room:
    """MARS with clients on sockets; its calendar is set by ``ahead`` seconds."""

    def __init__(self) -> None:
        self.ahead = 0.0
        self.clock = SteadyClock(lambda: time.time() + self.ahead)
        self.host = EndpointHost(self.clock)
        clients_welcome(self.host)
        self.told: list[float] = []
        self.clock.on_set = self.told.append

    def is_set(self, ahead: float) -> None:
        """Sets the calendar, and lets everything happen whose time has come by the clock that there is."""
        self.ahead = ahead
        time.sleep(LOOK_EVERY)  # until then the last look at the calendar is good
        self.host.call(lambda: self.host.gateway.timeout(self.clock()))

    def close(self) -> None:
        self.host.close()


@pytest.fixture
def room() -> Iterator[Room]:
    """Return MARS."""
    with closing(Room()) as made:
        yield made


def moment_of(message: GotMessage) -> float:
    """When a message was put, by its descriptor."""
    moment = put_moment(*(str(getattr(message.md, name), "ascii") for name in ("put_date", "put_time")))
    assert moment is not None
    return moment


@pytest.mark.parametrize("hours", [2, -2])
def test_clients_notice_nothing_but_other_dates(room: Room, hours: int) -> None:
    with program(room.host, conversations=0) as client, program(room.host) as other:
        handle = client.opens("TARGET", IN_OUT)
        assert client.puts(b"before", handle).outcome == (0, 0)
        assert client.puts(b"expires", handle, expiry=36_000).outcome == (0, 0)  # an hour
        waits = other.opens("TARGET", int(MQOO.INPUT_SHARED))
        before = [client.gets(handle, int(MQGMO.BROWSE_FIRST))]
        client.gets(handle)
        room.is_set(hours * HOUR)
        assert client.puts(b"after", handle).outcome == (0, 0)
        assert other.is_silent(0.5)
        got = client.gets(handle)
        if hours < 0:
            assert got.data == b"expires"
            got = client.gets(handle)
        assert got.data == b"after"
        assert moment_of(got) - moment_of(before[0]) == pytest.approx(hours * HOUR, abs=PATIENCE)
        assert bytes(got.md.msg_id) != bytes(before[0].md.msg_id)
        other.waits(waits)
        room.is_set(0.0)
        assert client.puts(b"later", handle).outcome == (0, 0)
        assert b"later" in other.hear().body
    assert [round(told / HOUR) for told in room.told] == [hours, -hours]
    assert not [line for line in room.host.log if line[0] in ("AMQ9259", "AMQ9208")]


# Rules, told both clocks


class DatedHost(Host):
    """A queue manager whose calendar is ``ahead`` seconds ahead of its steady clock."""

    def passes(self, seconds: float, ahead: float = 0.0) -> None:
        """Lets time pass, and sets the calendar."""
        steady = self.now + seconds
        self.now = Moment(steady, steady + ahead)
        self.queue_manager.at(self.now)
        due = self.queue_manager.next_timeout()
        if due is not None and due <= self.now:
            self.queue_manager.timeout(self.now)
        self.pump()


def test_sums_with_a_moment_are_steady() -> None:
    moment = Moment(NOW, NOW + HOUR)
    assert moment + 5 == NOW + 5
    assert type(moment + 5) is float
    assert date_of(moment) - moment == HOUR


def test_messages_expire_by_the_date_and_waits_end_by_the_steady_clock() -> None:
    host = DatedHost()
    host.local("Q")
    host.local("EMPTY")
    host.put("Q", b"an hour", expiry=36_000)
    host.put("Q", b"for ever", expiry=-1)
    empty = host.queue_manager.resolve("EMPTY")
    waiter = Waiter("waits", GetOptions(int(MQGMO.WAIT)), host.now + 60)
    host.queue_manager.wait(empty, waiter, host.now)
    host.passes(1, ahead=-2 * HOUR)
    assert host.contents("Q") == [b"an hour", b"for ever"]
    host.passes(1, ahead=2 * HOUR)
    assert host.contents("Q") == [b"for ever"]
    assert host.depth("Q") == 1
    assert host.woken() == []
    host.passes(60, ahead=-2 * HOUR)
    assert host.woken() == [("waits", 2033)]


@pytest.mark.parametrize(("hours", "there"), [(2, True), (-2, False)])
def test_a_delayed_message_goes_on_by_the_date(hours: int, there: bool) -> None:
    host = DatedHost()
    host.local("SYSTEM.DDELAY.LOCAL.QUEUE")
    host.local("Q")
    message = Message.build(b"in an hour", expiry=-1)
    handle = host.open("Q", int(MQOO.OUTPUT))
    put_message(host.queue_manager, handle, message, PutOptions(delay=int(HOUR * 1000)), None, host.now)
    host.pump()
    due = host.queue_manager.next_timeout()
    assert due == pytest.approx(NOW + HOUR)
    host.passes(10, ahead=hours * HOUR)
    assert host.contents("Q") == [b"in an hour"] * there
    if not there:
        assert host.queue_manager.next_timeout() == pytest.approx(NOW + 3 * HOUR)
        host.passes(3 * HOUR, ahead=hours * HOUR)
        assert host.contents("Q") == [b"in an hour"]


def test_ids_stay_unique_when_the_clock_goes_back_and_the_queue_manager_starts_anew() -> None:
    host = DatedHost()
    host.local("Q", DEFPSIST="YES")
    ids = {host.put("Q", b"x").md.msg_id for _ in range(10)}
    host.passes(1, ahead=-2 * HOUR)
    ids |= {host.put("Q", b"x").md.msg_id for _ in range(10)}
    host.restart(after=-3 * HOUR)
    ids |= {host.put("Q", b"x").md.msg_id for _ in range(10)}
    assert len(ids) == 30
