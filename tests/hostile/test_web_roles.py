"""What users with each role may do at the REST endpoint."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from support.processes.running_service import RunningService
from support.processes.web_door import (
    CLOSED,
    COMMAND,
    DEFINITIONS,
    JSON,
    LOGIN,
    SHARED,
    TEXT,
    UNIT,
    WEB,
    WebDoor,
    as_user,
    mqsc,
    running_web,
)


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    with running_web(tmp_path_factory.mktemp("web"), WEB) as service:
        yield service


@pytest.fixture(scope="module")
def door(service: RunningService) -> WebDoor:
    return WebDoor(str(service.ready["web"]))


def command(door: WebDoor, user: str, text: str) -> tuple[int, int, str]:
    """Run a command; status, reason of its first entry or of the error, and all text."""
    answer = door.ask("POST", COMMAND, {**as_user(user), **JSON}, mqsc(text))
    document = answer.document
    first = (document.get("commandResponse") or document["error"])[0]
    return answer.status, int(first["reasonCode"]), json.dumps(document)


def test_an_administrator_may_do_everything(door: WebDoor) -> None:
    assert command(door, "anne", "DEFINE QLOCAL(OF.ANNE)")[:2] == (200, 0)
    assert command(door, "anne", "DELETE QLOCAL(OF.ANNE)")[:2] == (200, 0)
    assert door.ask("POST", CLOSED, {**as_user("anne"), **TEXT}, b"hello").status == 201
    assert door.ask("DELETE", CLOSED, as_user("anne")).body == b"hello"
    assert door.ask("GET", DEFINITIONS, as_user("anne")).status == 200


def test_a_reader_changes_nothing(service: RunningService, door: WebDoor) -> None:
    service.put("CLOSED", "seen")
    rita = as_user("rita")
    assert door.ask("GET", CLOSED, rita).body == b"seen"
    assert door.ask("GET", CLOSED + "list", rita).status == 200
    assert door.ask("GET", DEFINITIONS, rita).status == 200
    assert "QUEUE(CLOSED)" in command(door, "rita", "DISPLAY QLOCAL(CLOSED)")[2]
    for text in (
        "ALTER QLOCAL(CLOSED) PUT(DISABLED)",
        "CLEAR QLOCAL(CLOSED)",
        "SET AUTHREC",
        "PING QMGR",
        "STOP CONN(1)",
    ):
        status, reason, shown = command(door, "rita", text)
        assert (status, reason) == (403, 0) or "AMQ8405" in shown, text
    for method, path in (("POST", CLOSED), ("DELETE", CLOSED), ("POST", UNIT), ("POST", f"{UNIT}/x/commit")):
        (error,) = door.ask(method, path, {**rita, **TEXT}, b"x").document["error"]
        assert error["msgId"] == "MQWB0108E", path
        assert "'MQWebAdmin', 'MQWebUser'" in error["message"]
    assert service.depth("CLOSED") == 1
    service.mqsc("CLEAR QLOCAL(CLOSED)")


def test_all_others_have_their_own_authorities(service: RunningService, door: WebDoor) -> None:
    carl = as_user("carl")
    assert door.ask("POST", SHARED, {**carl, **TEXT}, b"hello").status == 201
    (message,) = service.browse("SHARED")
    assert message["MQMD"]["UserIdentifier"] == "carl"
    assert door.ask("GET", SHARED, carl).body == b"hello"
    assert door.ask("DELETE", SHARED, carl).body == b"hello"
    for method in ("POST", "GET", "DELETE"):
        answer = door.ask(method, CLOSED, {**carl, **TEXT}, b"x")
        (error,) = answer.document["error"]
        assert (answer.status, error["msgId"], error["reasonCode"]) == (403, "MQWB0103E", 2035)
    assert door.ask("GET", CLOSED + "list", carl).status == 403
    assert door.ask("GET", DEFINITIONS, carl).status == 403
    assert "user 'carl' has not the authority for CLOSED (QUEUE)" in service.log


def test_commands_of_all_others_are_asked_for_authorities(service: RunningService, door: WebDoor) -> None:
    for text in (
        "DEFINE QLOCAL(NEW)",
        "DEFINE QLOCAL(CLOSED) REPLACE",
        "DEFINE QLOCAL(SHARED) REPLACE LIKE(CLOSED)",
        "ALTER QLOCAL(SHARED) PUT(DISABLED)",
        "CLEAR QLOCAL(SHARED)",
        "DELETE QLOCAL(SHARED)",
        "DISPLAY QLOCAL(CLOSED)",
        "DISPLAY AUTHREC",
        "DISPLAY CONN(*)",
        "SET AUTHREC PROFILE(CLOSED) OBJTYPE(QUEUE) PRINCIPAL('carl') AUTHADD(ALL)",
        "REFRESH SECURITY",
        "ALTER QMGR DESCR('x')",
        "START SERVICE(S)",
    ):
        assert command(door, "carl", text)[:2] == (200, 2035), text
    status, reason, shown = command(door, "carl", "DISPLAY QLOCAL(*)")
    assert (status, reason) == (200, 0)
    assert ("QUEUE(SHARED)" in shown, "QUEUE(CLOSED)" in shown, "SYSTEM." in shown) == (True, False, False)
    assert "user 'carl' has not the authority for @class (QUEUE): crt" in service.log


def test_who_may_not_connect_may_do_nothing_but_ask_for_the_name(door: WebDoor) -> None:
    emil = as_user("emil")
    assert door.ask("GET", LOGIN, emil).document["user"] == [{"name": "emil", "role": ["MQWebUser"]}]
    assert command(door, "emil", "DISPLAY QLOCAL(*)")[:2] == (403, 2035)
    for method, path in (("POST", SHARED), ("GET", SHARED), ("DELETE", SHARED), ("POST", UNIT)):
        assert door.ask(method, path, {**emil, **TEXT}, b"").document["error"][0]["reasonCode"] == 2035


def test_a_unit_of_work_is_that_of_its_user(door: WebDoor) -> None:
    unit = {"mqbridge-unit": str(door.ask("POST", UNIT, as_user("carl")).document["unit"])}
    assert door.ask("POST", SHARED, {**as_user("carl"), **TEXT, **unit}, b"mine").status == 201
    for other in ("dora", "anne"):
        assert door.ask("DELETE", SHARED, {**as_user(other), **unit}).status == 404
        assert door.ask("POST", f"{UNIT}/{unit['mqbridge-unit']}/commit", as_user(other)).status == 404
    assert door.ask("POST", f"{UNIT}/{unit['mqbridge-unit']}/backout", as_user("carl")).status == 200


def test_a_revoked_authority_is_missed_at_the_next_request(service: RunningService, door: WebDoor) -> None:
    cookie = door.cookie("carl")
    assert door.ask("GET", SHARED, cookie).status == 204
    service.mqsc("SET AUTHREC PROFILE('SHARED') OBJTYPE(QUEUE) PRINCIPAL('dora') GROUP('clients') AUTHRMV(BROWSE)")
    try:
        assert door.ask("GET", SHARED, cookie).status == 403
    finally:
        service.mqsc("SET AUTHREC PROFILE('SHARED') OBJTYPE(QUEUE) GROUP('clients') AUTHADD(BROWSE)")
