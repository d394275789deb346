"""Messages that inputs bring to a route: each put once, whatever dies in between."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from mqbridge.bridge.agents.gateway.carriers import CarrierState
from mqbridge.bridge.agents.routing.intake import MAX_OFFERED, Intake
from mqbridge.bridge.agents.routing.offers import Offer
from mqbridge.bridge.agents.routing.reading import read_routes
from mqbridge.bridge.agents.routing.registering import add_routes
from mqbridge.bridge.agents.routing.step_calls import StepAnswer
from mqbridge.bridge.agents.routing.taken import Taken
from mqbridge.bridge.config import RouteSettings
from mqbridge.mappings.message import Message
from mqbridge.protocol.constants import MQMODE
from support.gateway.stage import Stage, Station
from support.routing.station import status

QUEUES = """
    DEFINE QLOCAL(OUT) MAXMSGL(10)
    DEFINE QLOCAL(BAD)
    DEFINE QLOCAL(DLQ)
    ALTER QMGR DEADQ(DLQ)
"""


@pytest.fixture
def earth() -> Station:
    return Stage().station("EARTH", QUEUES)


def begin(station: Station, **keys: Any) -> Intake:
    gateway = station.gateway
    settings = RouteSettings(**{"name": "files", "input": {"kind": "files"}, "to": "OUT", "error": "BAD", **keys})
    (intake,) = add_routes(gateway.carriers, gateway.channel_manager, read_routes([settings])).values()
    station.call(lambda: gateway.carriers.start_all(station.clock.now))
    return intake


def offer(station: Station, intake: Intake, data: bytes, identity: bytes = b"") -> list[Taken]:
    found: list[Taken] = []
    message = Message.build(data, format="MQSTR", persistence=1)
    station.call(lambda: intake.offer(message, identity or data, found.append, station.clock.now))
    return found


def test_a_message_is_put_once_until_its_identity_is_forgotten(earth: Station) -> None:
    intake = begin(earth)
    taken = offer(earth, intake, b"one")
    assert taken == []
    earth.stage.wait(0.1)
    assert taken == [Taken.NOW]
    assert offer(earth, intake, b"one") == [Taken.BEFORE]
    assert intake.identities() == {b"one": b""}
    earth.call(lambda: intake.forget(b"one"))
    earth.stage.wait(0.1)
    assert intake.identities() == {}
    offer(earth, intake, b"one")
    earth.stage.wait(0.1)
    assert earth.contents("OUT") == [b"one", b"one"]
    md = earth.got("OUT").md
    assert (md.put_appl_name, md.coded_char_set_id > 0, md.msg_id != bytes(24)) == ("route files", True, True)
    assert status(earth, "files").carried == 2
    assert status(earth, "files").source == "input://files"


def test_after_a_crash_it_is_known_that_it_was_taken(earth: Station) -> None:
    taken = offer(earth, begin(earth), b"one")
    earth.stage.wait(0.1)
    assert taken == [Taken.NOW]
    earth.restart()
    assert offer(earth, begin(earth), b"one") == [Taken.BEFORE]
    assert earth.contents("OUT") == [b"one"]


def test_a_message_that_was_not_committed_is_offered_again(earth: Station) -> None:
    taken = offer(earth, begin(earth), b"one")
    earth.restart()
    assert (taken, earth.contents("OUT")) == ([], [])
    again = offer(earth, begin(earth), b"one")
    earth.stage.wait(0.1)
    assert (again, earth.contents("OUT")) == ([Taken.NOW], [b"one"])


def test_a_message_that_fails_goes_to_the_error_queue_and_counts_as_taken(earth: Station) -> None:
    intake = begin(earth)
    taken = [offer(earth, intake, data) for data in (b"far too long", b"short")]
    earth.stage.wait(0.1)
    assert taken == [[Taken.NOW], [Taken.NOW]]
    assert earth.contents("OUT") == [b"short"]
    assert earth.got("BAD").data.endswith(b"far too long")
    assert (status(earth, "files").carried, status(earth, "files").failed) == (1, 1)


def test_a_target_that_cannot_be_put_to_is_waited_for(earth: Station) -> None:
    earth.types("ALTER QLOCAL(OUT) PUT(DISABLED)")
    intake = begin(earth)
    taken = offer(earth, intake, b"one")
    earth.stage.wait(5)
    assert (taken, status(earth, "files").state) == ([], CarrierState.RETRYING)
    earth.types("ALTER QLOCAL(OUT) PUT(ENABLED)")
    earth.stage.wait_until(lambda: taken == [Taken.NOW], 70)
    assert status(earth, "files").state is CarrierState.RUNNING


def test_a_target_that_is_defined_later_is_found_at_once(earth: Station) -> None:
    intake = begin(earth, to="LATER")
    taken = offer(earth, intake, b"one")
    earth.stage.wait(100)
    assert (taken, status(earth, "files").state) == ([], CarrierState.RETRYING)
    earth.types("DEFINE QLOCAL(LATER)")
    earth.stage.wait_until(lambda: taken == [Taken.NOW], 0.4)
    assert earth.contents("LATER") == [b"one"]


def test_a_stopped_route_takes_nothing_and_what_waits_is_not_taken(earth: Station) -> None:
    earth.calls_step = lambda call: (1.0, StepAnswer((call.message,)))
    intake = begin(earth, steps=[{"python": "a:b"}])
    taken = [offer(earth, intake, b"%d" % number) for number in range(MAX_OFFERED + 1)]
    assert taken[-1] == [Taken.NOT]
    (carrier,) = earth.gateway.carriers.named("files")
    earth.call(lambda: carrier.stop(MQMODE.QUIESCE, earth.clock.now))
    assert [each for each in taken if each != [Taken.NOT]] == [[]]
    earth.stage.wait(2)
    assert (taken[0], carrier.quiet, earth.contents("OUT")) == ([Taken.NOW], True, [b"0"])
    assert offer(earth, intake, b"later") == [Taken.NOT]


def test_force_gives_up_the_message_whose_step_runs(earth: Station) -> None:
    earth.calls_step = lambda call: (1.0, StepAnswer((call.message,)))
    intake = begin(earth, steps=[{"python": "a:b"}])
    taken = offer(earth, intake, b"one")
    (carrier,) = earth.gateway.carriers.named("files")
    earth.call(lambda: carrier.stop(MQMODE.FORCE, earth.clock.now))
    assert (taken, carrier.quiet) == ([Taken.NOT], True)
    earth.stage.wait(5)
    assert earth.contents("OUT") == []


def test_a_message_that_a_step_drops_is_taken(earth: Station) -> None:
    earth.calls_step = lambda call: (0.1, StepAnswer())
    taken = offer(earth, begin(earth, steps=[{"python": "a:b"}]), b"one")
    earth.stage.wait(1)
    assert (taken, status(earth, "files").dropped, earth.contents("OUT")) == ([Taken.NOW], 1, [])


def test_a_message_that_waits_already_is_not_taken_again(earth: Station) -> None:
    intake = begin(earth)
    taken = [offer(earth, intake, b"one") for _ in range(2)]
    assert taken == [[], [Taken.NOT]]
    other: list[Taken] = []
    earth.call(lambda: intake.offer(Message.build(b"other"), b"one", other.append, earth.clock.now, b"another mark"))
    assert other == [Taken.NOT]
    earth.stage.wait(0.1)
    assert (taken, earth.contents("OUT")) == ([[Taken.NOW], [Taken.NOT]], [b"one"])


def test_a_message_without_identity_is_put_as_often_as_it_is_offered(earth: Station) -> None:
    intake = begin(earth)
    found: list[Taken] = []

    def again(taken: Taken) -> None:
        found.append(taken)
        if len(found) < 500:
            intake.offer(Message.build(b"x", persistence=0), b"", again, earth.clock.now)

    earth.call(lambda: intake.offer(Message.build(b"x", persistence=0), b"", again, earth.clock.now))
    earth.stage.wait(5)
    assert found == [Taken.NOW] * 500
    assert (len(earth.contents("OUT")), intake.identities()) == (500, {})


def test_a_mark_is_kept_with_the_identity(earth: Station) -> None:
    intake = begin(earth)
    message = Message.build(b"x", persistence=1)
    earth.call(lambda: intake.offer(message, b"id", lambda taken: None, earth.clock.now, b"mark"))
    earth.stage.wait(0.1)
    earth.restart()
    assert begin(earth).identities() == {b"id": b"mark"}


def withdrawable(station: Station, intake: Intake, data: bytes) -> tuple[list[Taken], Callable[[], None]]:
    found: list[Taken] = []
    message = Message.build(data, persistence=1)
    offers: list[Offer | None] = []
    station.call(lambda: offers.append(intake.offer(message, data, found.append, station.clock.now)))

    def withdraw() -> None:
        if offers[0] is not None:
            intake.withdraw(offers[0], station.clock.now)

    return found, lambda: station.call(withdraw)


def test_offers_are_taken_back_unless_they_are_being_committed(earth: Station) -> None:
    earth.calls_step = lambda call: (1.0, StepAnswer((call.message,)))
    intake = begin(earth, steps=[{"python": "a:b"}])
    made = [withdrawable(earth, intake, data) for data in (b"stepping", b"waiting", b"third")]
    made[1][1]()
    made[0][1]()
    assert [found for found, _ in made] == [[Taken.NOT], [Taken.NOT], []]
    earth.stage.wait(3)
    assert (made[2][0], earth.contents("OUT")) == ([Taken.NOW], [b"third"])
    made[2][1]()
    assert made[2][0] == [Taken.NOW]


def test_what_is_being_committed_is_not_taken_back(earth: Station) -> None:
    found, withdraw = withdrawable(earth, begin(earth), b"one")
    withdraw()
    assert found == []
    earth.stage.wait(0.1)
    assert (found, earth.contents("OUT")) == ([Taken.NOW], [b"one"])


def test_a_message_whose_target_cannot_be_put_to_is_taken_back(earth: Station) -> None:
    intake = begin(earth)
    earth.types("ALTER QLOCAL(OUT) PUT(DISABLED)")
    made = [withdrawable(earth, intake, data) for data in (b"one", b"two")]
    earth.stage.wait(0.1)
    made[0][1]()
    assert made[0][0] == [Taken.NOT]
    earth.types("ALTER QLOCAL(OUT) PUT(ENABLED)")
    earth.stage.wait_until(lambda: made[1][0] == [Taken.NOW], 70)
    assert earth.contents("OUT") == [b"two"]


def test_a_route_that_waits_for_its_target_stops_at_once(earth: Station) -> None:
    intake = begin(earth)
    earth.types("ALTER QLOCAL(OUT) PUT(DISABLED)")
    taken = offer(earth, intake, b"one")
    earth.stage.wait(0.1)
    (carrier,) = earth.gateway.carriers.named("files")
    earth.call(lambda: carrier.stop(MQMODE.QUIESCE, earth.clock.now))
    assert (taken, carrier.quiet, status(earth, "files").state) == ([Taken.NOT], True, CarrierState.STOPPED)


def test_steps_see_a_message_of_another_transport(earth: Station) -> None:
    intake = begin(earth, steps=[{"set": "Properties.Priority", "value": 7}])
    offer(earth, intake, b"one")
    earth.stage.wait(0.1)
    assert earth.got("OUT").md.priority == 7


def test_messages_that_wait_are_put_together_and_apart_if_one_fails(earth: Station) -> None:
    intake = begin(earth)
    data = [b"%d" % number for number in range(70)]
    data[40] = b"far too long"
    taken = [offer(earth, intake, each) for each in data]
    earth.stage.wait(1)
    assert taken == [[Taken.NOW]] * 70
    assert earth.contents("OUT") == [each for each in data if len(each) < 10]
    assert earth.got("BAD").data.endswith(b"far too long")
    assert (status(earth, "files").carried, status(earth, "files").failed) == (69, 1)
    assert sorted(intake.identities()) == sorted(data)


def test_a_full_target_takes_what_it_can_in_order(earth: Station) -> None:
    earth.types("ALTER QLOCAL(OUT) MAXDEPTH(3)")
    intake = begin(earth)
    taken = [offer(earth, intake, b"%d" % number) for number in range(6)]
    earth.stage.wait(5)
    assert (taken, status(earth, "files").state) == ([[Taken.NOW]] * 3 + [[]] * 3, CarrierState.RETRYING)
    earth.got("OUT")  # makes room, which is soon noticed
    earth.stage.wait_until(lambda: taken == [[Taken.NOW]] * 4 + [[]] * 2, 2)
    assert [len(earth.logged(amq)) for amq in ("AMQ5100", "AMQ5103")] == [1, 1]
    earth.types("ALTER QLOCAL(OUT) MAXDEPTH(100)")
    earth.stage.wait_until(lambda: taken == [[Taken.NOW]] * 6, 0.4)
    assert earth.contents("OUT") == [b"%d" % number for number in range(1, 6)]


def test_one_of_a_batch_is_taken_back_while_its_steps_run(earth: Station) -> None:
    earth.calls_step = lambda call: (1.0, StepAnswer((call.message,)))
    intake = begin(earth, steps=[{"python": "a:b"}])
    made = [withdrawable(earth, intake, b"%d" % number) for number in range(4)]
    earth.stage.wait(1.5)  # the first is put, the others run together
    made[2][1]()
    assert [found for found, _ in made] == [[Taken.NOW], [], [Taken.NOT], []]
    earth.stage.wait(5)
    assert [found for found, _ in made] == [[Taken.NOW], [Taken.NOW], [Taken.NOT], [Taken.NOW]]
    assert earth.contents("OUT") == [b"0", b"1", b"3"]


def test_a_stop_ends_the_batch_whose_steps_run(earth: Station) -> None:
    earth.calls_step = lambda call: (1.0, StepAnswer((call.message,)))
    intake = begin(earth, steps=[{"python": "a:b"}])
    taken = [offer(earth, intake, b"%d" % number) for number in range(4)]
    earth.stage.wait(1.5)
    taken.append(offer(earth, intake, b"late"))
    (carrier,) = earth.gateway.carriers.named("files")
    earth.call(lambda: carrier.stop(MQMODE.QUIESCE, earth.clock.now))
    assert (taken[-1], carrier.quiet) == ([Taken.NOT], False)
    earth.stage.wait(5)
    assert (taken[:4], carrier.quiet) == ([[Taken.NOW]] * 4, True)
    assert earth.contents("OUT") == [b"0", b"1", b"2", b"3"]
