"""Who comes in by the REST endpoint for users: passwords and logins."""

from __future__ import annotations

import re
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from support.processes.running_service import RunningService
from support.processes.web_door import (
    COMMAND,
    LOGIN,
    PASSWORDS,
    QMGR,
    SHARED,
    WEB,
    WebDoor,
    as_user,
    basic,
    new_source,
    running_web,
    with_users,
)


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    with running_web(tmp_path_factory.mktemp("web"), WEB, **EVERYBODY) as service:
        yield service


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


def test_wrong_passwords_are_slowed_and_nobody_else_is(service: RunningService, door: WebDoor) -> None:
    source = new_source()
    for number in range(21):
        assert door.ask("GET", QMGR, basic(f"u{number}", "guessed"), source=source).status == 401
    assert f"AMQ5538W: repeated wrong passwords are slowed down, of address {source}" in service.log
    assert door.ask("GET", QMGR, as_user("carl")).status == 200
