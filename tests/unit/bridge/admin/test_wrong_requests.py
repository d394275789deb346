from __future__ import annotations

import socket

import pytest

from support.processes.running_service import RunningService

TEXT = {"Content-Type": "text/plain"}
LINES = {"Content-Type": "application/x-ndjson"}


def path(queue: str, what: str = "message", version: int = 2, query: str = "") -> str:
    return f"/ibmmq/rest/v{version}/messaging/qmgr/{{qmgr}}/queue/{queue}/{what}{query}"


@pytest.mark.parametrize(
    ("method", "place"),
    [
        ("POST", path("Q")),
        ("DELETE", path("Q")),
        ("POST", "/ibmmq/rest/v2/admin/action/qmgr/{qmgr}/mqsc"),
        ("POST", "/mqbridge/v1/qmgr/{qmgr}/unit"),
    ],
)
def test_without_the_token_nothing_is_changed(shared_service: RunningService, method: str, place: str) -> None:
    answer = shared_service.http(method, place, b"{}", TEXT, token=False)
    assert answer.status == 403
    assert answer.document["error"][0]["msgId"] == "MQWB0100E"


def test_an_error_has_the_form_of_ibm_s(shared_service: RunningService) -> None:
    answer = shared_service.http("POST", path("NO.SUCH"), b"x", TEXT)
    assert answer.status == 404
    assert answer.headers["content-type"] == "application/json;charset=utf-8"
    (error,) = answer.document["error"]
    assert error["type"] == "rest"
    assert (error["completionCode"], error["reasonCode"]) == (2, 2085)
    assert error["message"] == f"{error['msgId']}: MQRC_UNKNOWN_OBJECT_NAME (2085): NO.SUCH"


@pytest.mark.parametrize(
    ("method", "place", "status"),
    [
        ("GET", "/", 404),
        ("GET", "/ibmmq/rest/v4/admin/qmgr", 404),
        ("GET", "/ibmmq/rest/v2/admin/qmgr/MARS", 404),
        ("PUT", path("Q"), 405),
        ("POST", path("Q", "messagelist"), 405),
        ("GET", "/mqbridge/v1/qmgr/{qmgr}/unit", 405),
        ("POST", "/mqbridge/v1/qmgr/{qmgr}/unit/nonsense/commit", 404),
    ],
)
def test_a_place_or_method_that_does_not_exist(
    shared_service: RunningService, method: str, place: str, status: int
) -> None:
    answer = shared_service.http(method, place)
    assert answer.status == status
    assert answer.document["error"][0]["message"]
    assert ("allow" in answer.headers) == (status == 405)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ibm-mq-md-correlationId", "ID:no hex"),
        ("ibm-mq-md-correlationId", "ID:" + "00" * 25),
        ("ibm-mq-usr", 'a;"unended;string'),
        ("ibm-mq-md-expiry", "0"),
        ("ibm-mq-md-expiry", "-1"),
        ("ibm-mq-md-expiry", "soon"),
        ("ibm-mq-md-persistence", "yes"),
        ("ibm-mq-md-priority", "10"),
        ("ibm-mq-usr", "no type"),
        ("ibm-mq-usr", "n;five;integer"),
        ("ibm-mq-usr", "n;5;number"),
        ("ibm-mq-usr", "JMSnote;5;integer"),
        ("mqbridge-md-NoSuchField", "1"),
        ("mqbridge-md-Report", "x"),
        ("mqbridge-md-Report", "99999999999"),
        ("mqbridge-md-MsgId", "xyz"),
        ("mqbridge-md-Format", "NINECHARS"),
        ("mqbridge-md-MsgType", "0"),
        ("mqbridge-unit", "unknown"),
    ],
)
def test_a_header_that_is_wrong_refuses_the_put(
    shared_service: RunningService, queue: str, name: str, value: str
) -> None:
    answer = shared_service.http("POST", path(queue, version=3), b"x", {**TEXT, name: value})
    assert answer.status in (400, 404)
    assert shared_service.depth(queue) == 0


@pytest.mark.parametrize("kind", [TEXT, LINES])
def test_a_queue_that_takes_no_messages_refuses_before_they_come(
    shared_service: RunningService, queue: str, kind: dict[str, str]
) -> None:
    shared_service.mqsc(f"ALTER QLOCAL({queue}) PUT(DISABLED)")
    for place, reason in ((path(queue), 2051), (path("SYSTEM.DEFAULT.MODEL.QUEUE"), 2052)):
        (error,) = shared_service.http("POST", place, b"", kind).document["error"]
        assert error["reasonCode"] == reason
        assert "message 1" not in error["message"]
    assert shared_service.attribute(f"DISPLAY QSTATUS({queue}) OPPROCS", "OPPROCS") == "0"


@pytest.mark.parametrize(
    ("kind", "status"),
    [("", 415), ("image/png", 415), ("text/plain;charset=latin-1", 415)],
)
def test_a_kind_of_body_that_is_not_taken(shared_service: RunningService, queue: str, kind: str, status: int) -> None:
    answer = shared_service.http("POST", path(queue), b"x", {"Content-Type": kind})
    assert answer.status == status
    assert shared_service.depth(queue) == 0


def test_text_that_is_not_utf_8_is_refused(shared_service: RunningService, queue: str) -> None:
    for body in (b"\xff", b"abc\xc3"):
        answer = shared_service.http("POST", path(queue), body, TEXT)
        assert answer.status == 400
        assert "not UTF-8" in answer.document["error"][0]["message"]
    assert shared_service.depth(queue) == 0


@pytest.mark.parametrize("query", ["?wait=-1", "?wait=x", "?messageId=xyz", "?messageId=", "?wait=99999999999"])
def test_a_query_that_is_wrong(shared_service: RunningService, queue: str, query: str) -> None:
    assert shared_service.http("DELETE", path(queue, query=query)).status == 400


@pytest.mark.parametrize("query", ["?limit=0", "?limit=x", "?limit=100001"])
def test_a_limit_that_is_wrong(shared_service: RunningService, queue: str, query: str) -> None:
    assert shared_service.http("GET", path(queue, "messagelist", query=query)).status == 400


def test_a_message_longer_than_the_queue_manager_takes_is_refused_before_it_comes(
    shared_service: RunningService, queue: str
) -> None:
    connection = socket.socket(socket.AF_UNIX)
    connection.settimeout(60)
    connection.connect(str(shared_service.ready["admin"]).removeprefix("unix:"))
    with connection:
        head = f"POST {path(queue)} HTTP/1.1\r\nHost: x\r\nibm-mq-rest-csrf-token: \r\n".replace("{qmgr}", "EARTH")
        head += "Content-Type: application/octet-stream\r\nContent-Length: 104857601\r\n\r\n"
        connection.sendall(head.encode() + b"x")
    shared_service.mqsc(f"ALTER QLOCAL({queue}) MAXMSGL(100)")
    answer = shared_service.http("POST", path(queue), b"x" * 101, TEXT)
    assert answer.status == 413
    assert answer.document["error"][0]["reasonCode"] == 2030


def test_a_put_that_is_cut_off_leaves_nothing(shared_service: RunningService, queue: str) -> None:
    for kind in ("application/octet-stream", "application/x-ndjson"):
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(str(shared_service.ready["admin"]).removeprefix("unix:"))
        head = f"POST {path(queue)} HTTP/1.1\r\nHost: x\r\nibm-mq-rest-csrf-token: \r\n".replace("{qmgr}", "EARTH")
        head += f"Content-Type: {kind}\r\nContent-Length: 100000\r\n\r\n"
        connection.sendall(head.encode() + b'{"body": {"text": "half"}}\n' * 10)
        connection.close()
    assert shared_service.put(queue, "whole")
    assert [message["body"]["text"] for message in shared_service.browse(queue)] == ["whole"]


def test_bytes_that_are_no_http_do_no_harm(shared_service: RunningService) -> None:
    for data in (b"\x00\xff" * 1000 + b"\r\n", b"GET\r\n\r\n", b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * 2000 + b"\r\n"):
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(60)
            connection.connect(str(shared_service.ready["admin"]).removeprefix("unix:"))
            connection.sendall(data)
            while connection.recv(65536):
                pass
    assert shared_service.http("GET", "/ibmmq/rest/v2/admin/qmgr").status == 200
