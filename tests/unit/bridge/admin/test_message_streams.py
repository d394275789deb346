from __future__ import annotations

import json
import socket
from typing import Any

import pytest

from support.processes.running_service import RunningService, UnixConnection, wait_for

OCTETS = "application/octet-stream"
LINES = {"Content-Type": "application/x-ndjson"}
WANT_LINES = {"Accept": "application/x-ndjson"}


def path(queue: str, query: str = "") -> str:
    return f"/ibmmq/rest/v2/messaging/qmgr/{{qmgr}}/queue/{queue}/message{query}"


def put_lines(service: RunningService, queue: str, *messages: Any, headers: dict[str, str] | None = None) -> Any:
    body = "".join((each if isinstance(each, str) else json.dumps(each)) + "\n" for each in messages)
    return service.http("POST", path(queue), body.encode(), {**LINES, **(headers or {})})


def read_lines(service: RunningService, queue: str, method: str = "GET", query: str = "") -> list[Any]:
    answer = service.http(method, path(queue, query), None, WANT_LINES)
    assert (answer.status, answer.headers["content-type"]) == (200, "application/x-ndjson")
    return [json.loads(line) for line in answer.body.splitlines()]


def test_bytes_come_back_with_every_field_of_the_descriptor(shared_service: RunningService, queue: str) -> None:
    headers = {
        "Content-Type": OCTETS,
        "mqbridge-md-Format": "MYFORM",
        "mqbridge-md-CorrelId": "aa" * 24,
        "mqbridge-md-MsgType": "70000",
        "mqbridge-md-GroupId": "bb" * 24,
        "mqbridge-md-MsgFlags": "8",
        "mqbridge-md-ReplyToQ": "R",
        "ibm-mq-md-persistence": "persistent",
    }
    data = bytes(range(256))
    answer = shared_service.http("POST", path(queue), data, headers)
    assert answer.status == 201
    answer = shared_service.http("DELETE", path(queue), None, {"Accept": OCTETS})
    assert (answer.status, answer.body, answer.headers["content-type"]) == (200, data, OCTETS)
    found = answer.headers
    assert found["mqbridge-md-msgid"] == found["ibm-mq-md-messageid"]
    assert found["mqbridge-md-format"] == "MYFORM"
    assert found["mqbridge-md-correlid"] == "aa" * 24
    assert found["mqbridge-md-msgtype"] == "70000"
    assert found["mqbridge-md-groupid"] == "bb" * 24
    assert found["mqbridge-md-persistence"] == "1"
    assert found["mqbridge-md-replytoqmgr"] == "EARTH"
    assert len([name for name in found if name.startswith("mqbridge-md-")]) == 29


@pytest.mark.parametrize("persistence", [0, 1])
def test_a_long_message_goes_in_and_out_in_parts(shared_service: RunningService, queue: str, persistence: int) -> None:
    shared_service.mqsc("ALTER QMGR MAXMSGL(104857600)", f"ALTER QLOCAL({queue}) MAXMSGL(104857600)")
    data = bytes(range(256)) * 40_000
    headers = {"Content-Type": OCTETS, "mqbridge-md-Persistence": str(persistence)}
    assert shared_service.http("POST", path(queue), data, headers).status == 201
    assert shared_service.http("GET", path(queue), None, {"Accept": OCTETS}).body == data
    (message,) = read_lines(shared_service, queue, "DELETE")
    assert bytes.fromhex(message["body"]["hex"]) == data
    assert "text" not in message["body"]


def test_a_long_text_is_shown_as_text(shared_service: RunningService, queue: str) -> None:
    text = 'ä"\\\n\u2028' * 500_000
    shared_service.mqsc("ALTER QMGR MAXMSGL(104857600)", f"ALTER QLOCAL({queue}) MAXMSGL(104857600)")
    shared_service.put(queue, text)
    assert shared_service.http("GET", path(queue)).body.decode() == text
    (message,) = read_lines(shared_service, queue, query="?body=text")
    assert message["body"] == {"length": len(text.encode()), "ccsid": 1208, "text": text}
    (message,) = read_lines(shared_service, queue, "DELETE")
    assert message["body"]["text"].encode().hex() == message["body"]["hex"]


def test_many_messages_are_put_and_shown_a_line_each(shared_service: RunningService, queue: str) -> None:
    answer = put_lines(
        shared_service,
        queue,
        {"body": {"text": "one"}},
        {"MQMD": {"Persistence": 1, "Priority": 5}, "body": {"hex": "00ff"}},
        {"MQMD": {"Format": "MQSTR", "CodedCharSetId": 500}, "body": {"text": "drei"}, "properties": {"n": "x"}},
        "",
        {},
    )
    assert answer.status == 201
    ids = [json.loads(line)["messageId"] for line in answer.body.splitlines()]
    messages = read_lines(shared_service, queue)
    assert [message["MQMD"]["MsgId"] for message in messages] == [ids[1], ids[0], ids[2], ids[3]]
    assert [message["body"].get("text") for message in messages] == [None, "one", "drei", ""]
    assert messages[0]["body"] == {"length": 2, "ccsid": 1208, "hex": "00ff"}
    assert messages[2]["body"]["ccsid"] == 500
    assert messages[2]["properties"] == {"n": {"type": "string", "value": "x"}}


def test_what_is_shown_can_be_put_again(shared_service: RunningService, queue: str) -> None:
    properties = {"colour": {"type": "string", "value": "r&d <1>"}, "n": {"type": "i8", "value": -5}}
    put_lines(shared_service, queue, {"MQMD": {"CorrelId": "01" * 24}, "properties": properties, "body": {"text": "x"}})
    (first,) = read_lines(shared_service, queue, "DELETE")
    assert put_lines(shared_service, queue, first).status == 201
    (second,) = read_lines(shared_service, queue)
    changes = ("PutDate", "PutTime", "PutApplName")
    assert {**first["MQMD"], **dict.fromkeys(changes, 0)} == {**second["MQMD"], **dict.fromkeys(changes, 0)}
    assert first["properties"] == second["properties"] == properties
    for part in ("headers", "headerBytes", "body"):
        assert first[part] == second[part]


def test_limits_and_selection_hold_for_streams(shared_service: RunningService, queue: str) -> None:
    put_lines(shared_service, queue, *({"body": {"text": str(n)}} for n in range(5)))
    texts = [message["body"]["text"] for message in read_lines(shared_service, queue, "DELETE", "?limit=2")]
    assert texts == ["0", "1"]
    texts = [message["body"]["text"] for message in read_lines(shared_service, queue, "GET", "?limit=2")]
    assert texts == ["2", "3"]
    assert read_lines(shared_service, queue, "GET", "?messageId=ff") == []
    assert shared_service.depth(queue) == 3


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        ("no json", 0),
        ("[]", 0),
        ({"text": "x"}, 0),
        ({"MQMD": {"NoField": 1}}, 0),
        ({"MQMD": {"Priority": "high"}}, 0),
        ({"MQMD": {"MsgId": "zz"}}, 0),
        ({"body": {"hex": "abc"}}, 0),
        ({"body": {"text": 5}}, 0),
        ({"body": "x"}, 0),
        ({"MQMD": {"CodedCharSetId": 37}, "body": {"text": "\u4e00"}}, 0),
        ({"headers": [{"structure": "MQRFH2"}], "body": {"text": "x"}}, 0),
        ({"properties": {"a b": "x"}}, 0),
        ({"properties": {"n": {"type": "i1", "value": 200}}}, 0),
        ({"MQMD": {"Persistence": 7}}, 2047),
        ({"MQMD": {"MsgType": 2000000000}}, 2029),
    ],
)
def test_one_wrong_line_refuses_the_whole_stream(
    shared_service: RunningService, queue: str, wrong: Any, reason: int
) -> None:
    answer = put_lines(shared_service, queue, {"body": {"text": "fine"}}, wrong, {"body": {"text": "fine"}})
    assert answer.status == 400
    (error,) = answer.document["error"]
    assert "message 2: " in error["message"]
    assert error["reasonCode"] == reason
    assert shared_service.depth(queue) == 0


def test_a_stream_is_one_unit_of_work_within_maxumsgs(shared_service: RunningService, queue: str) -> None:
    shared_service.mqsc("ALTER QMGR MAXUMSGS(10)")
    try:
        answer = put_lines(shared_service, queue, *({"body": {"text": "x"}} for _ in range(11)))
    finally:
        shared_service.mqsc("ALTER QMGR MAXUMSGS(10000)")
    assert answer.document["error"][0]["reasonCode"] == 2024
    assert shared_service.depth(queue) == 0


def _cut_off(service: RunningService, queue: str, accept: str) -> None:
    """Asks for messages, reads a little and leaves."""
    connection = UnixConnection(str(service.ready["admin"]).removeprefix("unix:"))
    headers = {"Accept": accept, "ibm-mq-rest-csrf-token": ""}
    connection.request("DELETE", path(queue).replace("{qmgr}", service.name), headers=headers)
    response = connection.getresponse()
    assert response.status == 200
    response.read(100)
    connection.sock.shutdown(socket.SHUT_RDWR)
    connection.close()


@pytest.mark.parametrize("accept", [OCTETS, "application/x-ndjson"])
def test_messages_that_a_client_did_not_take_go_back(shared_service: RunningService, queue: str, accept: str) -> None:
    shared_service.put(queue, b"x" * (4 << 20), Persistence=1)
    shared_service.put(queue, "second")
    _cut_off(shared_service, queue, accept)
    wait_for("messages back", lambda: shared_service.depth(queue) == 2 or None)
    wait_for("nothing uncommitted", lambda: _uncommitted(shared_service, queue) == "0")
    first, second = shared_service.browse(queue)
    assert first["MQMD"]["BackoutCount"] == 1
    assert len(first["body"]["hex"]) == 8 << 20
    assert second["body"]["text"] == "second"


def _uncommitted(service: RunningService, queue: str) -> str:
    return service.attribute(f"DISPLAY QSTATUS({queue}) UNCOM", "UNCOM")


def test_an_answer_ends_only_after_its_message_is_gone_for_good(shared_service: RunningService, queue: str) -> None:
    for number in range(50):
        shared_service.put(queue, f"text {number}", Persistence=1)
        assert shared_service.get(queue)
        assert _uncommitted(shared_service, queue) == "0"
    assert shared_service.depth(queue) == 0
