"""The requests behind ``mqbridge routes``: who may make them, and what is wrong with some."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from mqbridge.bridge.agents.routing import explaining
from mqbridge.bridge.agents.routing.step_calls import StepAnswer
from mqbridge.mappings.message import Message
from mqbridge.protocol.errors import LocalProtocolError
from support.gateway.stage import Stage
from support.processes.running_service import RunningService
from support.processes.web_door import WEB, WebDoor, as_user, running_web
from support.routing.station import add

ROUTES = "/mqbridge/v1/qmgr/EARTH/routes"
EXPLAIN = "/mqbridge/v1/qmgr/EARTH/explain"
CONFIGURATION = """
[[route]]
name = "one"
from = "SHARED"
to = "CLOSED"

[[route]]
name = "posts"
input = { kind = "http", endpoint = "tcp:0:interface=127.0.0.1", plain = true }
steps = [{ set = "Properties.Priority", value = 7 }, { jms = "text" }]
to = "CLOSED"
"""


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    with running_web(tmp_path_factory.mktemp("routes"), WEB + CONFIGURATION) as service:
        yield service


@pytest.fixture(scope="module")
def door(service: RunningService) -> WebDoor:
    return WebDoor(str(service.ready["web"]))


def test_an_administrator_lists_stops_starts_and_explains(door: WebDoor) -> None:
    anne = as_user("anne")
    rows = door.ask("GET", ROUTES, anne).document["routes"]
    assert [(row["name"], row["kind"], row["state"], row["from"], row["to"]) for row in rows] == [
        ("one", "route", "RUNNING", "SHARED", "queue:///CLOSED"),
        ("posts", "route", "RUNNING", "input://posts", "queue:///CLOSED"),
    ]
    assert {"carried", "dropped", "failed", "since", "user", "detail"} < set(rows[0])
    assert door.ask("POST", f"{ROUTES}/one/stop", anne).document["routes"][0]["state"] == "STOPPED"
    assert door.ask("POST", f"{ROUTES}/one/stop", anne).document["routes"][0]["state"] == "STOPPED"
    assert door.ask("POST", f"{ROUTES}/one/start?kind=route", anne).document["routes"][0]["state"] == "RUNNING"
    (found,) = door.ask("POST", f"{EXPLAIN}?from=SHARED", anne, b"data").document["explanation"]
    assert found == {
        "route": "one", "when": None, "selected": True,
        "lines": ["route one   every message", "  to           queue:///CLOSED"],
    }  # fmt: skip


def test_a_route_with_an_input_is_explained_by_its_name(door: WebDoor) -> None:
    answer = door.ask("POST", f"{EXPLAIN}?from=input://posts&format=MQSTR", as_user("anne"), b"data")
    (found,) = answer.document["explanation"]
    assert found["lines"] == [
        "route posts   every message",
        "  set Properties.Priority MQMD.Priority 7",
        "  jms text     72 bytes in; MQMD.Format MQHRF2, CodedCharSetId 1208, Encoding 546; mcd.Msd 'jms_text'",
        "  to           queue:///CLOSED",
    ]


def test_a_message_of_an_input_that_fails_is_not_tried_again(door: WebDoor) -> None:
    answer = door.ask("POST", f"{EXPLAIN}?from=input://posts&format=MQSTR", as_user("anne"), b"\xff")
    lines = answer.document["explanation"][0]["lines"]
    assert lines[-1] == "  error        the dead-letter queue"


def test_a_reader_only_looks(door: WebDoor) -> None:
    rita = as_user("rita")
    assert door.ask("GET", ROUTES, rita).status == 200
    for path in (f"{ROUTES}/one/stop", f"{ROUTES}/one/start", f"{EXPLAIN}?from=SHARED"):
        answer = door.ask("POST", path, rita, b"data")
        assert (answer.status, answer.document["error"][0]["msgId"]) == (403, "MQWB0108E"), path


def test_all_others_may_nothing(door: WebDoor) -> None:
    for headers, status in ((as_user("carl"), 403), ({}, 401)):
        assert door.ask("GET", ROUTES, headers).status == status
        for path in (f"{ROUTES}/one/stop", f"{ROUTES}/one/start", f"{EXPLAIN}?from=SHARED", f"{ROUTES}/none/stop"):
            assert door.ask("POST", path, headers, b"data").status == status, path


def test_a_page_of_another_origin_changes_nothing(service: RunningService, door: WebDoor) -> None:
    for path in (f"{ROUTES}/one/stop", f"{ROUTES}/one/start", f"{EXPLAIN}?from=SHARED"):
        answer = door.ask("POST", path, as_user("anne"), b"data", token=False)
        assert (answer.status, answer.document["error"][0]["msgId"]) == (403, "MQWB0100E"), path
        assert service.http("POST", path, b"data", token=False).status == 403
        foreign = {**as_user("anne"), "Origin": "http://elsewhere.example"}
        assert door.ask("POST", path, foreign, b"data").status == 403
    assert door.ask("GET", ROUTES, as_user("anne"), token=False).status == 200


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "what"),
    [
        ("POST", f"{ROUTES}/none/stop", b"", 404, "there is no route, link or partner 'none'"),
        ("POST", f"{ROUTES}/one/start?kind=link", b"", 404, "there is no link 'one'"),
        ("POST", f"{EXPLAIN}?from=NONE", b"x", 404, "no route gets from 'NONE'"),
        ("POST", EXPLAIN, b"x", 404, "no route gets from ''"),
        ("POST", "/mqbridge/v1/qmgr/MARS/explain?from=SHARED", b"x", 404, "no queue manager 'MARS' here"),
        ("GET", "/mqbridge/v1/qmgr/MARS/routes", b"", 404, "no queue manager 'MARS' here"),
        ("POST", f"{ROUTES}/one/pause", b"", 404, "nothing at"),
        ("DELETE", ROUTES, b"", 405, "DELETE is not for"),
        ("GET", f"{ROUTES}/one/stop", b"", 405, "GET is not for"),
        ("GET", EXPLAIN, b"", 405, "GET is not for"),
        ("POST", f"{EXPLAIN}?from=SHARED&ccsid=x", b"x", 400, "query parameter ccsid"),
        ("POST", f"{EXPLAIN}?from=SHARED&encoding=70000", b"x", 400, "query parameter encoding"),
        ("POST", f"{EXPLAIN}?from=SHARED&format={'X' * 9}", b"x", 400, "the field has 8"),
        ("POST", f"{EXPLAIN}?from=SHARED", b"MD  \x01\0\0\0", 400, "descriptor is not whole"),
        ("POST", f"{EXPLAIN}?from=SHARED", b"MD  \x09\0\0\0" + bytes(400), 400, "of an unknown version"),
        ("POST", f"{EXPLAIN}?from=SHARED", bytes((16 << 20) + 1), 413, "longer than 16777216 bytes"),
    ],
)
def test_wrong_requests(door: WebDoor, method: str, path: str, body: bytes, status: int, what: str) -> None:
    answer = door.ask(method, path, as_user("anne"), body)
    assert (answer.status, what in answer.document["error"][0]["message"]) == (status, True), answer.body


def test_what_is_raised_behind_a_python_step_reaches_the_one_who_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    earth = Stage().station("EARTH", "DEFINE QLOCAL(IN)\nDEFINE QLOCAL(OUT)")
    add(earth, {"name": "r", "source": "IN", "to": "OUT", "steps": [{"python": "a:b"}]})
    earth.calls_step = lambda call: (0.1, StepAnswer((call.message,)))
    (route,) = earth.gateway.carriers

    def broken(run: Any) -> None:
        raise LocalProtocolError("broken")

    monkeypatch.setattr(explaining, "explain", broken)
    found: list[Any] = []
    host = earth.gateway.channel_manager
    message = Message.build(b"x")
    asked = explaining.Explaining(host, [route.definition], message, lambda what, now: found.append(what), {})  # type: ignore[attr-defined]
    earth.call(lambda: asked.begin(earth.clock.now))
    assert found == []
    earth.stage.wait(1)
    assert [str(each) for each in found] == ["broken"]
