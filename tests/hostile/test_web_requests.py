"""Requests to the REST endpoint for users that come from elsewhere, or are wrong: pages, paths, bodies."""

from __future__ import annotations

import contextlib
import itertools
import json
import socket
from collections.abc import Iterator

import pytest

from mqbridge.bridge.admin.server import MAX_FOR_ADDRESS
from support.processes.running_service import RunningService, wait_for
from support.processes.web_door import (
    COMMAND,
    JSON,
    LOGIN,
    PASSWORDS,
    QMGR,
    SHARED,
    TEXT,
    UNIT,
    WEB,
    WebDoor,
    as_user,
    basic,
    mqsc,
    new_source,
    running_web,
    with_users,
)

CONSOLE = "https://console.example.com"
"""The origin whose pages may use the endpoint."""


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    with running_web(tmp_path_factory.mktemp("web"), WEB + f'origins = ["{CONSOLE}"]\n') as service:
        yield service


@pytest.fixture(scope="module")
def door(service: RunningService) -> WebDoor:
    return WebDoor(str(service.ready["web"]))


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "rebound.example.net"},
        {"Origin": "http://rebound.example.net"},
        {"Origin": "null"},
        {"Host": "localhost", "Origin": "http://localhost:1"},
    ],
)
def test_a_foreign_page_comes_not_in_with_a_cookie(door: WebDoor, headers: dict[str, str]) -> None:
    cookie = door.cookie("anne")
    assert door.ask("POST", COMMAND, {**cookie, **headers, **JSON}, mqsc("DEFINE QLOCAL(FOREIGN)")).status == 403
    body = json.dumps({"username": "anne", "password": PASSWORDS["anne"]}).encode()
    assert door.ask("POST", LOGIN, {**headers, **JSON}, body, token=False).status == 403


def test_changes_need_the_token_with_each_credential(door: WebDoor) -> None:
    for credential in (as_user("anne"), door.cookie("anne")):
        for method, path in (
            ("POST", COMMAND),
            ("POST", SHARED),
            ("DELETE", SHARED),
            ("POST", UNIT),
            ("DELETE", LOGIN),
        ):
            answer = door.ask(method, path, {**credential, **TEXT}, b"{}", token=False)
            assert (answer.status, answer.document["error"][0]["msgId"]) == (403, "MQWB0100E")


@pytest.mark.parametrize(
    "path",
    [
        "/ibmmq/rest/v2/../v2/admin/qmgr",
        "/ibmmq/rest/v2/admin/../../../../etc/passwd",
        "/ibmmq/rest/v2/login/../admin/qmgr",
        "/ibmmq/rest/v2/login/%2e%2e/admin/qmgr",
        "/ibmmq/rest/v2/login%2f..%2fadmin%2fqmgr",
        "//ibmmq/rest/v2/admin/qmgr",
        "/ibmmq/rest/v2/login;/admin/qmgr",
        "/ibmmq/rest/v2/login?/admin/qmgr/../..",
        "/..%2f..%2fusers",
    ],
)
def test_paths_with_dots_lead_nowhere(door: WebDoor, path: str) -> None:
    assert door.ask("GET", path).status == 401
    assert door.ask("GET", path, as_user("anne")).status == (200 if "?" in path else 404)
    queue = SHARED.replace("SHARED", "..%2f..%2fCLOSED")
    assert door.ask("GET", queue, as_user("carl")).status == 404


@pytest.mark.parametrize("headers", [{}, basic("dora", "guessed")], ids=["none", "wrong"])
def test_a_long_body_of_an_unknown_user_is_not_read(
    service: RunningService, door: WebDoor, headers: dict[str, str]
) -> None:
    place = door.url.removeprefix("http://").split(":")
    with socket.create_connection((place[0], int(place[1])), source_address=(new_source(), 0)) as client:
        client.settimeout(60)
        head = f"POST {SHARED} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {1 << 30}\r\n"
        head += "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        client.sendall(f"{head}ibm-mq-rest-csrf-token:\r\nContent-Type: text/plain\r\n\r\n".encode())
        endless = b"".join(itertools.repeat(bytes(1 << 18), 1 << 8))
        with pytest.raises(OSError):
            client.sendall(endless)
    wait_for("nothing is left", lambda: service.depth("SHARED") == 0)


def test_a_long_body_is_taken_of_a_user_whose_password_is_being_checked(door: WebDoor, service: RunningService) -> None:
    body = b"x" * 3_000_000
    with_users(service, **{**PASSWORDS, "carl": "fresh"})  # the right password is not remembered yet
    try:
        carl = basic("carl", "fresh")
        assert door.ask("POST", SHARED, {**carl, **TEXT}, body).status == 201
        assert door.ask("DELETE", SHARED, carl).body == body
    finally:
        with_users(service, **PASSWORDS)


def test_every_response_is_guarded(door: WebDoor) -> None:
    for answer in (
        door.ask("GET", QMGR),
        door.ask("GET", QMGR, as_user("anne")),
        door.ask("GET", QMGR, {"Host": "rebound.example.net"}),
        door.ask("GET", SHARED, {**as_user("anne"), "Accept": "application/x-ndjson"}),
        door.ask("GET", "/nothing", as_user("anne")),
    ):
        assert answer.headers["content-security-policy"].startswith("default-src 'self'")
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["cache-control"] == "no-store"
        assert not [name for name in answer.headers if name.startswith("access-control")]


def test_the_socket_of_the_operator_asks_nobody(service: RunningService) -> None:
    assert service.http("GET", QMGR).status == 200
    (user,) = service.http("GET", LOGIN).document["user"]
    assert user["role"] == ["MQWebAdmin"]
    assert service.http("POST", LOGIN, b"{}", JSON).status == 404
    assert service.http("DELETE", LOGIN).status == 404


def test_one_address_has_so_many_connections(door: WebDoor) -> None:
    place = door.url.removeprefix("http://").split(":")
    source = new_source()

    def connect() -> socket.socket:
        return stack.enter_context(socket.create_connection((place[0], int(place[1])), 60, (source, 0)))

    with contextlib.ExitStack() as stack:
        many = [connect() for _ in range(MAX_FOR_ADDRESS)]
        with contextlib.suppress(ConnectionResetError):
            assert connect().recv(1) == b""
        assert door.ask("GET", QMGR, as_user("carl")).status == 200
        many[0].sendall(f"GET {QMGR} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
        assert many[0].recv(100).startswith(b"HTTP/1.1 401 ")


def test_pages_of_a_configured_origin_may_use_it(door: WebDoor) -> None:
    asked = {"Origin": CONSOLE, "Access-Control-Request-Method": "POST"}
    allowed = door.ask("OPTIONS", COMMAND, asked, token=False)
    assert (allowed.status, allowed.headers["access-control-allow-origin"]) == (204, CONSOLE)
    assert "POST" in allowed.headers["access-control-allow-methods"]
    assert "ibm-mq-rest-csrf-token" in allowed.headers["access-control-allow-headers"]
    for headers, status in (({}, 401), (as_user("carl"), 200)):
        answer = door.ask("GET", QMGR, {"Origin": CONSOLE, **headers})
        assert (answer.status, answer.headers["access-control-allow-origin"]) == (status, CONSOLE)
        assert (answer.headers["access-control-allow-credentials"], answer.headers["vary"]) == ("true", "Origin")
    assert door.ask("POST", COMMAND, {"Origin": CONSOLE, **as_user("anne")}, b"{}", token=False).status == 403


@pytest.mark.parametrize(
    "origin", ["https://other.example.com", "http://console.example.com", f"{CONSOLE}:8443", f"{CONSOLE}.", "null", ""]
)
def test_pages_of_other_origins_may_not(door: WebDoor, origin: str) -> None:
    for method, headers in (("OPTIONS", {"Access-Control-Request-Method": "GET"}), ("GET", as_user("anne"))):
        answer = door.ask(method, QMGR, {"Origin": origin, **headers})
        assert answer.status == 403
        assert "access-control-allow-origin" not in answer.headers
    assert door.ask("OPTIONS", QMGR).status == 401
