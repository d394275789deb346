"""Messages that inputs bring to a route: each put once, whatever dies in between."""

from __future__ import annotations

from typing import Any

import pytest

from mqbridge.bridge.agents.gateway.carriers import CarrierState
from mqbridge.bridge.agents.routing.intake import MAX_OFFERED, Intake
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
    assert intake.identities() == [b"one"]
    earth.call(lambda: intake.forget(b"one"))
    earth.stage.wait(0.1)
    assert intake.identities() == []
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
