"""Commands for another queue manager (header ibm-mq-rest-gateway-qmgr): two queue managers, joined by channels."""

from __future__ import annotations

import json
from typing import Any

import pytest

from support.processes.running_service import MakeService, RunningService, wait_for

MQSC = "/ibmmq/rest/v2/admin/action/qmgr/{}/mqsc"
GATEWAY = "ibm-mq-rest-gateway-qmgr"
JSON = {"Content-Type": "application/json"}
EARTH = """
DEFINE QLOCAL(SATURN) USAGE(XMITQ)
DEFINE CHANNEL(SATURN.TO.EARTH) CHLTYPE(RCVR)
SET AUTHREC PROFILE('SYSTEM.REST.REPLY.QUEUE') OBJTYPE(QUEUE) PRINCIPAL('mca') AUTHADD(PUT,SETALL)
"""
"""The way to SATURN, and who may put its answers."""
SATURN = """
DEFINE QLOCAL(EARTH) USAGE(XMITQ)
DEFINE CHANNEL(EARTH.TO.SATURN) CHLTYPE(RCVR) MCAUSER('earth')
SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('earth') AUTHADD(CONNECT,SETALL,DSP,CHG)
SET AUTHREC PROFILE('SYSTEM.ADMIN.COMMAND.QUEUE') OBJTYPE(QUEUE) PRINCIPAL('earth') AUTHADD(PUT,SETALL,DSP)
SET AUTHREC PROFILE('SYSTEM.DEAD.LETTER.QUEUE') OBJTYPE(QUEUE) PRINCIPAL('earth') AUTHADD(PUT,SETALL,DSP)
SET AUTHREC PROFILE('@class') OBJTYPE(QUEUE) PRINCIPAL('earth') AUTHADD(CRT)
SET AUTHREC PROFILE('**') OBJTYPE(QUEUE) PRINCIPAL('earth') AUTHADD(DSP,CHG)
SET AUTHREC PROFILE('**') OBJTYPE(CHANNEL) PRINCIPAL('earth') AUTHADD(DSP)
SET AUTHREC PROFILE('**') OBJTYPE(TOPIC) PRINCIPAL('earth') AUTHADD(DSP)
SET AUTHREC PROFILE('**') OBJTYPE(NAMELIST) PRINCIPAL('earth') AUTHADD(DSP)
SET AUTHREC PROFILE('**') OBJTYPE(LISTENER) PRINCIPAL('earth') AUTHADD(DSP)
SET AUTHREC PROFILE('**') OBJTYPE(AUTHINFO) PRINCIPAL('earth') AUTHADD(DSP)
SET AUTHREC PROFILE('**') OBJTYPE(RQMNAME) PRINCIPAL('earth') AUTHADD(PUT)
"""
"""What commands of EARTH may do: define, alter and show queues, and show other objects."""


class Pair:
    """EARTH, whose endpoint is asked, and SATURN, which is meant."""

    def __init__(self, make: MakeService) -> None:
        self.earth = make("EARTH", mqsc=EARTH)
        self.saturn = make("SATURN", mqsc=SATURN)
        _send(self.earth, self.saturn)
        _send(self.saturn, self.earth)

    def asks(
        self, document: dict[str, Any], qmgr: str = "SATURN", gateway: str | None = "EARTH"
    ) -> tuple[int, Any, dict[str, str]]:
        """Status, body and headers of the response."""
        headers = JSON | ({GATEWAY: gateway} if gateway is not None else {})
        answer = self.earth.http("POST", MQSC.format(qmgr), json.dumps(document).encode(), headers)
        return answer.status, answer.document, answer.headers

    def runs(self, command: str, **options: Any) -> tuple[int, Any, dict[str, str]]:
        return self.asks({"type": "runCommand", "parameters": {"command": command}}, **options)

    def displays(self, qualifier: str, name: str = "*", **document: Any) -> list[dict[str, Any]]:
        """``commandResponse`` of a DISPLAY that comes from SATURN, which is what SATURN itself answers."""
        document = {"type": "runCommandJSON", "command": "display", "qualifier": qualifier, **document}
        if name:
            document["name"] = name
        status, body, headers = self.asks(document)
        assert (status, headers[GATEWAY]) == (200, "EARTH")
        own = self.saturn.http("POST", MQSC.format("SATURN"), json.dumps(document).encode(), JSON)
        found = [_still(entry) for entry in body["commandResponse"]]
        for entry, expected in zip(found, map(_still, own.document["commandResponse"]), strict=True):
            assert entry == expected
        return found


def _still(entry: dict[str, Any]) -> dict[str, Any]:
    """An entry without what the command itself changes: it is on queues on its way."""
    parameters = entry.get("parameters", {})
    if str(parameters.get("queue", "")) in ("EARTH", "SYSTEM.ADMIN.COMMAND.QUEUE"):
        return entry | {"parameters": {k: v for k, v in parameters.items() if k not in ("curdepth", "ipprocs")}}
    return entry


def _send(one: RunningService, other: RunningService) -> None:
    name = f"{one.name}.TO.{other.name}"
    one.mqsc(
        f"DEFINE CHANNEL({name}) CHLTYPE(SDR) CONNAME('127.0.0.1({other.port})') XMITQ({other.name})",
        f"START CHANNEL({name})",
    )
    wait_for(name, lambda: one.attribute(f"DISPLAY CHSTATUS({name}) STATUS", "STATUS") == "RUNNING")


@pytest.fixture
def pair(make_service: MakeService) -> Pair:
    return Pair(make_service)


def test_text_goes_there_and_lines_come_back(pair: Pair) -> None:
    status, body, headers = pair.runs("DEFINE QLOCAL(NEW) DESCR('für EARTH')")
    assert (status, headers[GATEWAY]) == (200, "EARTH")
    (entry,) = body["commandResponse"]
    assert (entry["completionCode"], entry["reasonCode"], entry["text"]) == (0, 0, ["AMQ8006I: queue created."])
    assert pair.saturn.attribute("DISPLAY QLOCAL(NEW) DESCR", "DESCR") == "für EARTH"
    assert "NEW" not in " ".join(pair.earth.mqsc("DISPLAY QLOCAL(*)"))

    _, body, _ = pair.runs("DISPLAY QLOCAL(NO.SUCH)")
    assert (body["overallCompletionCode"], body["overallReasonCode"]) == (2, 3008)
    (entry,) = body["commandResponse"]
    assert (entry["completionCode"], entry["reasonCode"]) == (2, 2085)
    assert entry["text"][0].startswith("AMQ8147E: ")

    _, body, _ = pair.runs("DISPLAY NOTHING")
    assert body["commandResponse"][0]["text"][0].startswith("AMQ8405E: ")

    assert pair.earth.depth("SYSTEM.REST.REPLY.QUEUE") == 0


def test_json_is_what_the_other_queue_manager_answers_itself(pair: Pair) -> None:
    pair.saturn.mqsc("DEFINE NAMELIST(N) NAMES(A,B,C)", "ALTER QLOCAL(DEV.QUEUE.1) DESCR('two words (and more)')")
    assert len(pair.displays("QUEUE", responseParameters=["ALL"])) > 50
    assert {"names": ["A", "B", "C"]}.items() <= pair.displays("NAMELIST", "N")[0]["parameters"].items()
    for qualifier in ("CHANNEL", "TOPIC", "AUTHINFO", "SUB", "CHLAUTH", "AUTHREC", "LSSTATUS"):
        name = "" if qualifier == "AUTHREC" else "*"
        assert pair.displays(qualifier, name, responseParameters=["ALL"])
    assert pair.displays("QMGR", "", responseParameters=["ALL"])[0]["parameters"]["qmname"] == "SATURN"
    assert pair.displays("CMDSERV", "")[0]["parameters"] == {"qmname": "SATURN", "cmdserv": "RUNNING"}
    assert pair.displays("QSTATUS", "DEV.QUEUE.1")[0]["parameters"]["curdepth"] == 0
    assert pair.displays("QUEUE", "NO.SUCH")[0]["reasonCode"] == 2085
    document = {"type": "runCommandJSON", "command": "alter", "qualifier": "ql", "name": "DEV.QUEUE.2"}
    status, body, _ = pair.asks({**document, "parameters": {"maxdepth": 7, "descr": ""}})
    assert (status, body["overallCompletionCode"]) == (200, 0)
    assert pair.saturn.attribute("DISPLAY QLOCAL(DEV.QUEUE.2) MAXDEPTH", "MAXDEPTH") == "7"


def test_the_other_queue_manager_is_inquired(pair: Pair) -> None:
    path = "/ibmmq/rest/v2/admin/qmgr/SATURN"
    answer = pair.earth.http("GET", path, None, {GATEWAY: "EARTH"})
    assert (answer.status, answer.document) == (200, {"qmgr": [{"name": "SATURN"}]})
    assert answer.headers[GATEWAY] == "EARTH"
    (found,) = pair.earth.http("GET", f"{path}?status=*", None, {GATEWAY: "EARTH"}).document["qmgr"]
    assert found["status"]["channelInitiatorState"] == "running"
    assert isinstance(found["status"]["connectionCount"], int)
    assert found["status"]["started"].endswith(".000Z")
    assert pair.earth.http("GET", path).status == 404


def test_what_the_channels_user_may_not_is_refused_there(pair: Pair) -> None:
    """EARTH's operator is SATURN's neighbour, and no more."""
    _, body, _ = pair.runs("DELETE QLOCAL(DEV.QUEUE.1)")
    (entry,) = body["commandResponse"]
    assert (body["overallCompletionCode"], entry["completionCode"], entry["reasonCode"]) == (2, 2, 2035)
    assert "DEV.QUEUE.1" in " ".join(pair.saturn.mqsc("DISPLAY QLOCAL(*)"))
    pair.saturn.mqsc("SET AUTHREC PROFILE('SYSTEM.ADMIN.COMMAND.QUEUE') OBJTYPE(QUEUE) PRINCIPAL('earth') AUTHRMV(PUT)")
    status, body, headers = pair.runs("DISPLAY QMGR")
    (error,) = body["error"]
    assert (status, error["msgId"], error["reasonCode"]) == (403, "MQWB0103E", 2035)
    assert GATEWAY not in headers


def test_nobody_answers(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    status, body, _ = pair.runs("DISPLAY QMGR", qmgr="PLUTO")
    (error,) = body["error"]
    assert (status, error["msgId"], error["reasonCode"]) == (404, "MQWB0009E", 2087)
    assert "'PLUTO'" in error["message"]
    status, body, _ = pair.runs("DISPLAY QMGR", gateway=None)
    assert (status, body["error"][0]["msgId"], body["error"][0]["reasonCode"]) == (404, "MQWB0009E", 2058)
    status, body, _ = pair.runs("DISPLAY QMGR", gateway="PLUTO")
    assert (status, body["error"][0]["reasonCode"]) == (404, 2058)
    assert "'PLUTO'" in body["error"][0]["message"]
    status, body, headers = pair.runs("DISPLAY QMGR", qmgr="EARTH")
    assert (status, body["overallCompletionCode"]) == (200, 0)
    assert GATEWAY not in headers  # nothing went through a gateway
    path = "/ibmmq/rest/v2/messaging/qmgr/SATURN/queue/DEV.QUEUE.1/message"
    assert pair.earth.http("DELETE", path, None, {GATEWAY: "EARTH"}).status == 404  # for administration only
    assert pair.earth.http("POST", MQSC.format("SATURN"), b"{}", JSON | {GATEWAY: "EARTH"}, token=False).status == 403

    pair.earth.mqsc("DELETE QLOCAL(SYSTEM.REST.REPLY.QUEUE)")
    status, body, _ = pair.runs("DISPLAY QMGR")
    assert (status, body["error"][0]["reasonCode"]) == (500, 2085)
    assert body["error"][0]["action"] == "DEFINE QLOCAL(SYSTEM.REST.REPLY.QUEUE)"


def test_many_ask_at_once_and_each_gets_its_answer(pair: Pair) -> None:
    from concurrent.futures import ThreadPoolExecutor

    def display(number: int) -> tuple[int, Any]:
        name = f"DEV.QUEUE.{number % 3 + 1}"
        _, body, _ = pair.runs(f"DISPLAY QLOCAL({name}) CURDEPTH")
        return number, body["commandResponse"][0]["text"][1].split()[0]

    with ThreadPoolExecutor(8) as threads:
        for number, text in threads.map(display, range(60)):
            assert text == f"QUEUE(DEV.QUEUE.{number % 3 + 1})"


@pytest.mark.slow
def test_a_queue_manager_that_is_silent_is_given_up(pair: Pair) -> None:
    pair.saturn.mqsc("STOP CMDSERV")
    status, body, _ = pair.runs("DISPLAY QMGR")
    (error,) = body["error"]
    assert (status, error["msgId"], error["reasonCode"]) == (500, "MQWB0004E", 2033)
    wait_for("the command has expired", lambda: pair.saturn.depth("SYSTEM.ADMIN.COMMAND.QUEUE") == 0)
