from __future__ import annotations

import json
from typing import Any

import pytest

from support.processes.running_service import RunningService

PATH = "/ibmmq/rest/v2/admin/action/qmgr/{qmgr}/mqsc"
TYPE = {"Content-Type": "application/json;charset=utf-8"}


def run(service: RunningService, document: Any, path: str = PATH) -> tuple[int, Any]:
    answer = service.http("POST", path, json.dumps(document).encode(), TYPE)
    return answer.status, answer.document


def run_text(service: RunningService, command: str) -> Any:
    status, reply = run(service, {"type": "runCommand", "parameters": {"command": command}})
    assert status == 200
    return reply


def test_run_command_answers_with_lines_of_text(shared_service: RunningService, queue: str) -> None:
    reply = run_text(shared_service, f"DISPLAY QLOCAL({queue}) MAXDEPTH")
    assert reply["overallCompletionCode"] == reply["overallReasonCode"] == 0
    (entry,) = reply["commandResponse"]
    assert (entry["completionCode"], entry["reasonCode"]) == (0, 0)
    assert entry["text"][0] == "AMQ8409I: queue details:"
    assert "MAXDEPTH(999999)" in " ".join(entry["text"])


def test_a_command_that_fails_is_status_200_with_its_reason(shared_service: RunningService) -> None:
    reply = run_text(shared_service, "DISPLAY QLOCAL(NO.SUCH)")
    assert (reply["overallCompletionCode"], reply["overallReasonCode"]) == (2, 3008)
    (entry,) = reply["commandResponse"]
    assert (entry["completionCode"], entry["reasonCode"]) == (2, 2085)
    assert entry["text"][0].startswith("AMQ8147E: ")


def test_run_command_json_answers_with_parameters(shared_service: RunningService, queue: str) -> None:
    document = {"type": "runCommandJSON", "command": "display", "qualifier": "qlocal", "name": queue}
    status, reply = run(shared_service, {**document, "responseParameters": ["maxdepth", "curdepth"]})
    assert status == 200
    (entry,) = reply["commandResponse"]
    assert entry["parameters"] == {"queue": queue, "type": "QLOCAL", "curdepth": 0, "maxdepth": 999999}


def test_run_command_json_defines_and_version_3_does_the_same(shared_service: RunningService) -> None:
    document = {
        "type": "runCommandJSON",
        "command": "define",
        "qualifier": "channel",
        "name": "NEW.CHANNEL",
        "parameters": {"chltype": "rcvr", "descr": "made by JSON"},
    }
    status, reply = run(shared_service, document, PATH.replace("v2", "v3"))
    assert (status, reply["overallCompletionCode"]) == (200, 0)
    assert "made by JSON" in " ".join(shared_service.mqsc("DISPLAY CHANNEL(NEW.CHANNEL) DESCR"))
    status, reply = run(shared_service, document)
    assert (status, reply["overallCompletionCode"]) == (200, 2)
    assert reply["commandResponse"][0]["message"][0].startswith("AMQ8226E: ")


def test_json_that_is_no_command_is_a_syntax_error_of_the_command(shared_service: RunningService) -> None:
    status, reply = run(shared_service, {"type": "runCommandJSON", "command": "make", "qualifier": "qlocal"})
    assert (status, reply["overallCompletionCode"]) == (200, 2)
    assert reply["commandResponse"][0]["message"][0].startswith("AMQ8405E: ")


@pytest.mark.parametrize(
    "body",
    [
        b"no json",
        b"[]",
        b"{}",
        b'{"type": "runCommand"}',
        b'{"type": "runCommand", "parameters": []}',
        b'{"type": "runCommand", "parameters": {"command": 5}}',
        b'{"type": "other"}',
        b"[" * 100_000,
    ],
)
def test_a_body_that_is_no_request_is_refused(shared_service: RunningService, body: bytes) -> None:
    answer = shared_service.http("POST", PATH, body, TYPE)
    assert answer.status == 400
    assert answer.document["error"][0]["type"] == "rest"


def test_a_body_that_is_too_long_is_refused(shared_service: RunningService) -> None:
    assert shared_service.http("POST", PATH, b" " * (2 << 20), TYPE).status == 413


@pytest.mark.parametrize("path", ["/ibmmq/rest/v2/admin/qmgr", "/ibmmq/rest/v3/admin/qmgr/{qmgr}"])
def test_the_queue_manager_is_listed(shared_service: RunningService, path: str) -> None:
    answer = shared_service.http("GET", path, token=False)
    assert answer.status == 200
    assert answer.document == {"qmgr": [{"name": "EARTH", "state": "running"}]}


def test_all_definitions_can_be_had_as_a_script(shared_service: RunningService, queue: str) -> None:
    answer = shared_service.http("GET", "/mqbridge/v1/qmgr/{qmgr}/definitions", token=False)
    assert answer.status == 200
    assert f"DEFINE QLOCAL('{queue}')" in answer.body.decode()


def test_another_queue_manager_is_not_here(shared_service: RunningService) -> None:
    status, reply = run(shared_service, {"type": "runCommand"}, PATH.replace("{qmgr}", "MARS"))
    assert status == 404
    assert reply["error"][0]["reasonCode"] == 2058
    assert reply["error"][0]["msgId"] == "MQWB0009E"
    assert "'MARS'" in reply["error"][0]["message"]


@pytest.mark.parametrize(
    ("qualifier", "reason"),
    [
        ("chstatus", 3065), ("lsstatus", 3250), ("svstatus", 3252), ("sbstatus", 3153), ("tpstatus", 3308),
        ("apstatus", 4097), ("clusqmgr", 2085), ("channel", 4032), ("sub", 2428),
    ],
)  # fmt: skip
@pytest.mark.parametrize("name", ["NO.SUCH", "NO.SUCH.*"])
def test_a_display_that_finds_nothing(shared_service: RunningService, qualifier: str, reason: int, name: str) -> None:
    document = {"type": "runCommandJSON", "command": "display", "qualifier": qualifier, "name": name}
    status, reply = run(shared_service, {**document, "responseParameters": ["all"]})
    assert (status, reply["overallCompletionCode"], reply["overallReasonCode"]) == (200, 2, 3008)
    (entry,) = reply["commandResponse"]
    assert (entry["completionCode"], entry["reasonCode"]) == (2, reason)
    assert entry["message"][0].startswith("AMQ8420E: " if qualifier == "chstatus" else "AMQ8147E: ")


def test_a_listener_that_was_stopped_is_shown_as_stopped(shared_service: RunningService) -> None:
    def command(verb: str, qualifier: str, **parameters: object) -> Any:
        document = {"type": "runCommandJSON", "command": verb, "qualifier": qualifier, "name": "ONE.DOOR"}
        return run(shared_service, {**document, "parameters": parameters})[1]

    def status() -> Any:
        (entry,) = command("display", "lsstatus")["commandResponse"]
        return entry["parameters"]["status"] if "parameters" in entry else entry["reasonCode"]

    command("define", "listener", trptype="tcp", ipaddr="127.0.0.1", port=0, descr="one door")
    assert status() == 3250
    assert command("stop", "listener")["commandResponse"][0]["reasonCode"] == 3234
    for _ in range(2):
        assert command("start", "listener")["overallCompletionCode"] == 0
        assert status() == "RUNNING"
        assert command("start", "listener")["commandResponse"][0]["reasonCode"] == 3249
        assert command("stop", "listener")["overallCompletionCode"] == 0
        assert status() == "STOPPED"
    shown = " ".join(shared_service.mqsc("DISPLAY LSSTATUS(ONE.DOOR) ALL"))
    assert all(each in shown for each in ("PID(0)", "CONTROL(MANUAL)", "DESCR(one door)", "STARTDA(20"))
    assert command("delete", "listener")["overallCompletionCode"] == 0
    assert status() == 3250
