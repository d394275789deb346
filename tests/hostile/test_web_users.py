"""Who comes in by the REST endpoint for users, and what they may do there."""

from __future__ import annotations

import itertools
import json
import re
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from support.processes.running_service import RunningService, wait_for
from support.processes.web_door import (
    CLOSED,
    COMMAND,
    JSON,
    LOGIN,
    PASSWORDS,
    RIGHTS,
    SHARED,
    TEXT,
    WEB,
    WebDoor,
    as_user,
    basic,
    mqsc,
    new_source,
    with_users,
)

QMGR = "/ibmmq/rest/v2/admin/qmgr"
DEFINITIONS = "/mqbridge/v1/qmgr/EARTH/definitions"
UNIT = "/mqbridge/v1/qmgr/EARTH/unit"
SECRETS = ("secret of", "guessed", "Authorization", "Basic ", "LtpaToken2=")


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """A queue manager with users and such an endpoint; nothing secret is in its log when all tests are over."""
    folder = tmp_path_factory.mktemp("web")
    file = folder / "queue-manager.toml"
    file.write_text(WEB + '[log]\nlevel = "debug"\n', encoding="utf-8")
    made = RunningService(folder, mqsc=RIGHTS, listen=None, options=("--config", str(file), "--store", "memory"))
    yield with_users(made, **EVERYBODY).start()
    made.close()
    assert not [secret for secret in SECRETS if secret in made.log + made.output]
    assert "Traceback" not in made.log


@pytest.fixture(scope="module")
def door(service: RunningService) -> WebDoor:
    return WebDoor(str(service.ready["web"]))


RIGHT = [("carl", PASSWORDS["carl"]), ("anne", PASSWORDS["anne"]), ("rita", PASSWORDS["rita"])]
WRONG = {
    "wrong": ("{user}", "guessed"),
    "of another": ("{user}", PASSWORDS["dora"]),
    "unknown": ("fred", "guessed"),
    "blank user": ("", "{password}"),
    "blank password": ("{user}", ""),
    "odd case of user": ("U{number}", "{password}"),
    "odd case of password": ("{user}", "Secret of {user}"),
    "padded user": ("{user} ", "{password}"),
    "user behind a blank": (" {user}", "{password}"),
    "padded password": ("{user}", "{password} "),
    "password with a zero": ("{user}", "{password}\0"),
    "user with a zero": ("{user}\0", "{password}"),
    "user with a new line": ("{user}\nAMQ0000I", "{password}"),
    "65 characters": ("{user:x<65}", "{password}"),
    "64 characters": ("{user:x<64}", "{password}"),
    "password of 300 characters": ("{user}", "{password:x<300}"),
    "unicode user": ("\u0075{number}\u0301", "{password}"),
    "wide user": ("\uff55{number}", "{password}"),
    "unicode password": ("{user}", "s\u00e9cret of {user}"),
    "composed password": ("{user}", "{password}\u0301"),
    "the user of channels": ("mca", ""),
    "the group of all others": ("nobody", ""),
    "the administrators": ("mqm", PASSWORDS["anne"]),
    "a group": ("clients", "{password}"),
}


EVERYBODY = {**PASSWORDS, **{f"u{number}": f"secret of u{number}" for number in range(len(WRONG))}}
"""The users: one beside them for each row above, so that no failures of others delay it."""


@pytest.mark.parametrize(("user", "password"), RIGHT)
def test_the_right_password_comes_in(door: WebDoor, user: str, password: str) -> None:
    assert door.ask("GET", QMGR, basic(user, password)).status == 200
    answer = door.log_in(user, password)
    assert (answer.status, answer.body) == (204, b"")
    cookie, *attributes = answer.headers["set-cookie"].split("; ")
    assert re.fullmatch(r"LtpaToken2=[\w-]{43}", cookie)
    assert attributes == ["Path=/", "HttpOnly", "SameSite=Strict"]  # and Secure with TLS
    assert door.ask("GET", QMGR, {"Cookie": cookie}).status == 200


@pytest.mark.parametrize("what", WRONG)
def test_no_other_password_comes_in(door: WebDoor, what: str) -> None:
    number = list(WRONG).index(what)
    names = {"user": f"u{number}", "number": number, "password": f"secret of u{number}"}
    user, password = (text.format(**names) for text in WRONG[what])
    source = new_source()
    with ThreadPoolExecutor(2) as pool:  # at once, for they are then checked once
        asked = pool.submit(door.ask, "GET", QMGR, basic(user, password), source=source)
        answers = [door.log_in(user, password, source=source), asked.result()]
    for answer in answers:
        assert answer.status == 401
        (error,) = answer.document["error"]
        assert (error["msgId"], error["reasonCode"], error["type"]) == ("MQWB0105E", 0, "rest")
        assert answer.headers["www-authenticate"].startswith("Basic ")
        assert "set-cookie" not in answer.headers


@pytest.mark.parametrize(
    ("headers", "message_id"),
    [
        ({}, "MQWB0104E"),
        ({"Authorization": ""}, "MQWB0104E"),
        ({"Authorization": "Bearer abc"}, "MQWB0104E"),
        ({"Authorization": "Negotiate abc"}, "MQWB0104E"),
        ({"Authorization": "Basic"}, "MQWB0105E"),
        ({"Authorization": "Basic !!!"}, "MQWB0105E"),
        ({"Authorization": "Basic Y2FybA=="}, "MQWB0105E"),  # no colon
        ({"Authorization": "Basic //79"}, "MQWB0105E"),  # no UTF-8
        ({"Cookie": "LtpaToken2="}, "MQWB0112E"),
        ({"Cookie": "LtpaToken2=forged"}, "MQWB0112E"),
        ({"Cookie": "LtpaToken2=" + "A" * 43}, "MQWB0112E"),
        ({"Cookie": "LtpaToken2=" + "A" * 8000}, "MQWB0112E"),
        ({"Cookie": "ltpatoken2=forged"}, "MQWB0104E"),
        ({"Cookie": "JSESSIONID=x"}, "MQWB0104E"),
    ],
)
def test_without_credentials_nothing_is_learned(door: WebDoor, headers: dict[str, str], message_id: str) -> None:
    for method, path in (("GET", QMGR), ("POST", COMMAND), ("GET", "/"), ("DELETE", LOGIN), ("PATCH", SHARED)):
        answer = door.ask(method, path, headers)
        assert (answer.status, answer.document["error"][0]["msgId"]) == (401, message_id), path


def test_a_wrong_credential_is_not_made_good_by_a_right_one(door: WebDoor) -> None:
    cookie = door.cookie("carl")
    assert door.ask("GET", QMGR, {**cookie, **basic("carl", "guessed")}).status == 401
    assert door.ask("GET", QMGR, {"Cookie": "LtpaToken2=forged", **as_user("carl")}).status == 200
    twice = ("Authorization", basic("carl", PASSWORDS["carl"])["Authorization"])
    with socket.create_connection(door.url.removeprefix("http://").split(":")) as client:  # type: ignore[arg-type]
        head = f"GET {QMGR} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" + f"{twice[0]}: {twice[1]}\r\n" * 2
        client.sendall(head.encode() + b"\r\n")
        assert client.recv(100).startswith(b"HTTP/1.1 401 ")


# Logins


def test_a_login_tells_who_it_is_and_ends(door: WebDoor) -> None:
    cookie, other = door.cookie("rita"), door.cookie("rita")
    assert door.ask("GET", LOGIN, cookie).document == {"user": [{"name": "rita", "role": ["MQWebAdminRO"]}]}
    first = door.ask("GET", LOGIN.replace("v2", "v1"), cookie).document["user"][0]
    assert first["authenticationMechanism"] == "form"
    assert door.ask("DELETE", LOGIN, cookie, token=False).status == 403
    gone = door.ask("DELETE", LOGIN, cookie)
    assert (gone.status, gone.headers["set-cookie"]) == (
        204,
        "LtpaToken2=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0",
    )
    assert door.ask("GET", LOGIN, cookie).status == 401
    assert door.ask("GET", LOGIN, other).status == 200


def test_a_login_ends_with_the_password_and_with_the_user(service: RunningService, door: WebDoor) -> None:
    cookies = {name: door.cookie(name) for name in ("carl", "dora", "anne")}
    try:
        with_users(service, **{**EVERYBODY, "carl": "another"})
        assert door.ask("GET", QMGR, cookies["carl"]).status == 401
        assert door.ask("GET", QMGR, as_user("carl")).status == 401
        assert door.ask("GET", QMGR, basic("carl", "another")).status == 200
        without = {name: password for name, password in EVERYBODY.items() if name != "dora"}
        with_users(service, **without)
        assert door.ask("GET", QMGR, cookies["dora"]).status == 401
        assert door.ask("GET", QMGR, as_user("dora")).status == 401
        assert door.ask("GET", QMGR, cookies["anne"]).status == 200
    finally:
        with_users(service, **EVERYBODY)
    assert door.ask("GET", QMGR, cookies["dora"]).status == 401


@pytest.mark.parametrize(
    ("kind", "body", "status"),
    [
        ("application/json", b"{", 400),
        ("application/json", b"[]", 400),
        ("application/json", b'{"username": "carl"}', 400),
        ("application/json", b'{"username": 1, "password": "x"}', 400),
        ("application/json", b'{"username": "carl", "password": null}', 400),
        ("application/json", b"[" * 5000, 400),
        ("application/json", b"\xff", 400),
        ("application/json", b" " * 9000, 413),
        ("text/plain", b'{"username": "carl", "password": "x"}', 415),
        ("application/x-www-form-urlencoded", b"username=carl&password=x", 415),
        ("", b"{}", 415),
    ],
)
def test_a_login_that_is_wrong_in_form(door: WebDoor, kind: str, body: bytes, status: int) -> None:
    answer = door.ask("POST", LOGIN, {"Content-Type": kind}, body, token=False)
    assert answer.status == status
    assert "carl" not in answer.body.decode()


def test_a_user_has_ten_logins(door: WebDoor) -> None:
    cookies = [door.cookie("dora") for _ in range(11)]
    assert [door.ask("GET", LOGIN, cookie).status for cookie in cookies] == [401, *[200] * 10]


# Roles


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


# Bad input


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
    with_users(service, **{**EVERYBODY, "carl": "fresh"})  # the right password is not remembered yet
    try:
        carl = basic("carl", "fresh")
        assert door.ask("POST", SHARED, {**carl, **TEXT}, body).status == 201
        assert door.ask("DELETE", SHARED, carl).body == body
    finally:
        with_users(service, **EVERYBODY)


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


def test_wrong_passwords_are_slowed_and_nobody_else_is(service: RunningService, door: WebDoor) -> None:
    source = new_source()
    for number in range(21):
        assert door.ask("GET", QMGR, basic(f"u{number}", "guessed"), source=source).status == 401
    assert f"AMQ5538W: repeated wrong passwords are slowed down, of address {source}" in service.log
    assert door.ask("GET", QMGR, as_user("carl")).status == 200
