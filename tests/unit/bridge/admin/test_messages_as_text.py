from __future__ import annotations

import time

import pytest

from mqbridge.bridge.rest_client import RestResponse
from support.processes.running_service import RunningService, wait_for

TEXT = {"Content-Type": "text/plain;charset=utf-8"}


def path(queue: str, what: str = "message", version: int = 2, query: str = "") -> str:
    return f"/ibmmq/rest/v{version}/messaging/qmgr/{{qmgr}}/queue/{queue}/{what}{query}"


def put(service: RunningService, queue: str, text: str, version: int = 2, **headers: str) -> RestResponse:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return service.http("POST", path(queue, version=version), text.encode(), {**TEXT, **named})


def test_a_text_comes_back_with_ibm_s_headers(shared_service: RunningService, queue: str) -> None:
    answer = put(
        shared_service,
        queue,
        "grüße",
        ibm_mq_md_correlationId="0a" * 24,
        ibm_mq_md_expiry="60000",
        ibm_mq_md_persistence="persistent",
        ibm_mq_md_replyTo="ANSWERS@MARS",
    )
    assert (answer.status, answer.body) == (201, b"")
    message_id = answer.headers["ibm-mq-md-messageid"]
    assert len(bytes.fromhex(message_id)) == 24
    for method in ("GET", "DELETE"):
        answer = shared_service.http(method, path(queue))
        assert (answer.status, answer.body.decode()) == (200, "grüße")
        assert answer.headers["content-type"] == "text/plain;charset=utf-8"
        assert answer.headers["ibm-mq-md-messageid"] == message_id
        assert answer.headers["ibm-mq-md-correlationid"] == "0a" * 24
        assert 0 < int(answer.headers["ibm-mq-md-expiry"]) <= 60000
        assert answer.headers["ibm-mq-md-persistence"] == "persistent"
        assert answer.headers["ibm-mq-md-replyto"] == "ANSWERS@MARS"
        assert "ibm-mq-md-priority" not in answer.headers
    answer = shared_service.http("DELETE", path(queue))
    assert (answer.status, answer.body) == (204, b"")


def test_defaults_are_those_of_the_queue(shared_service: RunningService, queue: str) -> None:
    shared_service.mqsc(f"ALTER QLOCAL({queue}) DEFPSIST(YES) DEFPRTY(4)")
    put(shared_service, queue, "x", version=3)
    answer = shared_service.http("DELETE", path(queue, version=3))
    assert answer.headers["ibm-mq-md-expiry"] == "unlimited"
    assert answer.headers["ibm-mq-md-persistence"] == "persistent"
    assert answer.headers["ibm-mq-md-priority"] == "4"
    assert "ibm-mq-md-correlationid" not in answer.headers


def test_version_3_has_priority_properties_and_marked_ids(shared_service: RunningService, queue: str) -> None:
    answer = put(
        shared_service,
        queue,
        "hello",
        version=3,
        ibm_mq_md_priority="7",
        ibm_mq_md_correlationId="order-1",
        ibm_mq_usr='colour;"red, or so";string, count;5;integer, good;true;boolean',
    )
    assert answer.headers["ibm-mq-md-messageid"].startswith("ID:")
    answer = shared_service.http("GET", path(queue, version=3))
    assert answer.body == b"hello"
    assert answer.headers["ibm-mq-md-priority"] == "7"
    assert answer.headers["ibm-mq-md-correlationid"] == "ID:" + b"order-1".ljust(24, b"\0").hex()
    assert answer.headers["ibm-mq-usr"] == 'colour;"red, or so";string, count;5;i4, good;true;boolean'
    (message,) = shared_service.browse(queue)
    assert [folder["name"] for folder in message["headers"][0]["folders"]] == ["mcd", "jms", "usr"]
    assert message["properties"]["count"] == {"type": "i4", "value": 5}
    identifier = answer.headers["ibm-mq-md-messageid"]
    answer = shared_service.http("DELETE", path(queue, version=3, query=f"?messageId={identifier}"))
    assert answer.body == b"hello"


def test_ids_select(shared_service: RunningService, queue: str) -> None:
    ids = [put(shared_service, queue, f"text {number}").headers["ibm-mq-md-messageid"] for number in range(3)]
    put(shared_service, queue, "other", ibm_mq_md_correlationId="ff")
    assert shared_service.http("DELETE", path(queue, query=f"?messageId={ids[1]}")).body == b"text 1"
    assert shared_service.http("DELETE", path(queue, query=f"?messageId={ids[1]}")).status == 204
    assert shared_service.http("DELETE", path(queue, query="?correlationId=ff")).body == b"other"
    assert shared_service.http("DELETE", path(queue)).body == b"text 0"


def test_a_request_waits_for_a_message(shared_service: RunningService, queue: str) -> None:
    began = time.monotonic()
    assert shared_service.http("DELETE", path(queue, query="?wait=200")).status == 204
    assert time.monotonic() - began >= 0.2
    getting = shared_service.spawn("get", queue, "--wait", "60")
    wait_for("waiter", lambda: shared_service.attribute(f"DISPLAY QSTATUS({queue}) IPPROCS", "IPPROCS") == "1")
    put(shared_service, queue, "at last")
    assert getting.communicate(timeout=60)[0] == b"at last\n"


def test_what_is_no_text_stays_on_the_queue(shared_service: RunningService, queue: str) -> None:
    shared_service.put(queue, b"\x00\xff", Format="")
    shared_service.put(queue, b"\x00\xff", Format="MQSTR", CodedCharSetId=1208)
    for method in ("GET", "DELETE"):
        answer = shared_service.http(method, path(queue))
        assert answer.status == 501
        assert "application/octet-stream" in answer.document["error"][0]["action"]
    assert [message["MQMD"]["BackoutCount"] for message in shared_service.browse(queue)] == [0, 0]


def test_text_of_another_code_page_is_shown_in_utf_8(shared_service: RunningService, queue: str) -> None:
    shared_service.put(queue, "Köln".encode("cp500"), Format="MQSTR", CodedCharSetId=500)
    assert shared_service.http("DELETE", path(queue)).body.decode() == "Köln"


def test_the_list_shows_ids_and_formats(shared_service: RunningService, queue: str) -> None:
    ids = [put(shared_service, queue, "x").headers["ibm-mq-md-messageid"] for _ in range(12)]
    answer = shared_service.http("GET", path(queue, "messagelist"), token=False)
    assert [each["messageId"] for each in answer.document["messages"]] == ids[:10]
    assert answer.document["messages"][0] == {"messageId": ids[0], "correlationId": "00" * 24, "format": "MQSTR"}
    answer = shared_service.http("GET", path(queue, "messagelist", query="?limit=100"), token=False)
    assert len(answer.document["messages"]) == 12


def test_names_in_the_path_may_be_quoted(shared_service: RunningService) -> None:
    shared_service.mqsc("DEFINE QLOCAL('a/b%c.d')")
    assert put(shared_service, "a%2Fb%25c%2Ed", "x").status == 201
    assert shared_service.depth("'a/b%c.d'") == 1


def test_a_remote_queue_takes_a_put_and_no_get(shared_service: RunningService) -> None:
    shared_service.mqsc("DEFINE QLOCAL(MARS) USAGE(XMITQ)", "DEFINE QREMOTE(AWAY) RNAME(Q) RQMNAME(MARS)")
    assert put(shared_service, "AWAY", "x").status == 201
    answer = shared_service.http("POST", path("ANY", query="?rqmname=MARS"), b"x", TEXT)
    assert answer.status == 201
    assert shared_service.depth("MARS") == 2
    answer = shared_service.http("DELETE", path("AWAY"))
    assert answer.document["error"][0]["reasonCode"] == 2045


def test_the_putter_is_named_in_the_descriptor(shared_service: RunningService, queue: str) -> None:
    put(shared_service, queue, "x", User_Agent="curl/8.5")
    (message,) = shared_service.browse(queue)
    assert message["MQMD"]["PutApplName"] == "curl/8.5"
    assert message["MQMD"]["PutApplType"] == 6


@pytest.mark.parametrize("kind", ["application/json", "text/html", "application/xml; charset=UTF-8"])
def test_other_kinds_of_text_are_text(shared_service: RunningService, queue: str, kind: str) -> None:
    shared_service.http("POST", path(queue), b"<a/>", {"Content-Type": kind})
    (message,) = shared_service.browse(queue)
    assert (message["MQMD"]["Format"], message["body"]["text"]) == ("MQSTR", "<a/>")


def test_version_1_has_the_same_paths(shared_service: RunningService, queue: str) -> None:
    assert put(shared_service, queue, "hello", version=1).status == 201
    (listed,) = shared_service.http("GET", path(queue, "messagelist", version=1)).document["messages"]
    assert not listed["messageId"].startswith("ID:")
    for method in ("GET", "DELETE"):
        answer = shared_service.http(method, path(queue, version=1))
        assert (answer.status, answer.body) == (200, b"hello")
    assert shared_service.http("DELETE", path(queue, version=1)).status == 204
    assert shared_service.http("GET", "/ibmmq/rest/v1/admin/qmgr").document["qmgr"][0]["state"] == "running"
