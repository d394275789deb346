from __future__ import annotations

import json
from typing import Any

import pytest

from mqbridge.bridge.rest_client import RestClient, RestFailure, find_address
from support.processes.running_service import MakeService, RunningService, wait_for

UNIT = "/mqbridge/v1/qmgr/{qmgr}/unit"


def another_client(service: RunningService) -> RestClient:
    return RestClient(find_address(service.data), "other")


def texts(messages: list[Any]) -> list[str]:
    return [message["body"]["text"] for message in messages]


def test_a_get_and_a_put_happen_together(shared_service: RunningService, queue: str) -> None:
    client = shared_service.client
    shared_service.mqsc(f"DEFINE QLOCAL({queue}.OUT)")
    shared_service.put(queue, "question")
    unit = client.unit()
    assert texts(client.messages(queue, takes=True, unit=unit)) == ["question"]
    client.put(f"{queue}.OUT", b"answer", {"Format": "MQSTR"}, unit=unit)
    assert shared_service.browse(f"{queue}.OUT") == []
    assert shared_service.browse(queue) == []
    unit.commit()
    assert texts(shared_service.browse(f"{queue}.OUT")) == ["answer"]
    with pytest.raises(RestFailure) as caught:
        unit.commit()
    assert (caught.value.status, caught.value.reason) == (404, 2003)


def test_a_backout_undoes_both(shared_service: RunningService, queue: str) -> None:
    client = shared_service.client
    shared_service.put(queue, "first")
    shared_service.put(queue, "second")
    unit = client.unit()
    client.messages(queue, takes=True, unit=unit)
    client.put_lines(queue, b'{"body": {"text": "third"}}', unit=unit)
    unit.backout()
    messages = shared_service.browse(queue)
    assert texts(messages) == ["first", "second"]
    assert [message["MQMD"]["BackoutCount"] for message in messages] == [1, 0]
    with pytest.raises(RestFailure):
        unit.backout()


def test_what_is_in_a_unit_is_gone_after_a_kill(make_service: MakeService) -> None:
    service = make_service()
    service.put("DEV.QUEUE.1", "stays", Persistence=1)
    unit = service.client.unit()
    service.client.messages("DEV.QUEUE.1", takes=True, unit=unit)
    service.client.put("DEV.QUEUE.2", b"never", {"Persistence": 1}, unit=unit)
    service.restart(kill=True)
    assert texts(service.browse("DEV.QUEUE.1")) == ["stays"]
    assert service.depth("DEV.QUEUE.2") == 0


def test_a_committed_unit_outlives_a_kill(make_service: MakeService) -> None:
    service = make_service()
    service.put("DEV.QUEUE.1", "goes", Persistence=1)
    unit = service.client.unit()
    service.client.messages("DEV.QUEUE.1", takes=True, unit=unit)
    service.client.put("DEV.QUEUE.2", b"comes", {"Persistence": 1, "Format": "MQSTR"}, unit=unit)
    unit.commit()
    service.restart(kill=True)
    assert service.depth("DEV.QUEUE.1") == 0
    assert texts(service.browse("DEV.QUEUE.2")) == ["comes"]


def test_a_separate_unit_commits_the_first_so_many(shared_service: RunningService, queue: str) -> None:
    client = another_client(shared_service)
    client.put_lines(queue, b"\n".join(b'{"body": {"text": "%d"}}' % number for number in range(5)))
    unit = client.unit(separate=True)
    assert texts(client.messages(queue, takes=True, limit=4, unit=unit)) == ["0", "1", "2", "3"]
    unit.commit(2)
    unit.backout()
    messages = shared_service.browse(queue)
    assert texts(messages) == ["2", "3", "4"]
    assert [message["MQMD"]["BackoutCount"] for message in messages] == [1, 1, 0]
    client.close()


def test_nothing_can_be_put_in_a_separate_unit(shared_service: RunningService, queue: str) -> None:
    unit = shared_service.client.unit(separate=True)
    with pytest.raises(RestFailure, match="separate unit"):
        shared_service.client.put(queue, b"x", unit=unit)
    unit.backout()


def test_a_unit_of_a_connection_ends_with_it(shared_service: RunningService, queue: str) -> None:
    shared_service.put(queue, "x")
    client = another_client(shared_service)
    unit = client.unit(connection=True)
    client.messages(queue, takes=True, unit=unit)
    assert shared_service.browse(queue) == []
    client.close()
    wait_for("message back", lambda: shared_service.browse(queue))


def test_a_unit_in_use_is_not_for_a_second_request(shared_service: RunningService, queue: str) -> None:
    client, waiting = another_client(shared_service), another_client(shared_service)
    unit = client.unit()
    connection = waiting._connected()
    path = waiting.message_path(queue) + "?wait=20000"
    connection.request("DELETE", path, headers={"ibm-mq-rest-csrf-token": "", "mqbridge-unit": unit.id})
    wait_for("waiter", lambda: shared_service.attribute(f"DISPLAY QSTATUS({queue}) IPPROCS", "IPPROCS") == "1")
    with pytest.raises(RestFailure) as caught:
        unit.commit()
    assert (caught.value.status, caught.value.reason) == (409, 2219)
    waiting.close()
    wait_for("no waiter", lambda: shared_service.attribute(f"DISPLAY QSTATUS({queue}) IPPROCS", "IPPROCS") == "0")
    unit.commit()
    client.close()


def test_a_separate_unit_may_hold_more_messages_than_maxumsgs(shared_service: RunningService, queue: str) -> None:
    client = shared_service.client
    client.put_lines(queue, b"\n".join([b"{}"] * 5))
    shared_service.mqsc("ALTER QMGR MAXUMSGS(2)")
    try:
        unit = client.unit(separate=True)
        assert len(client.messages(queue, takes=True, limit=5, unit=unit)) == 5
        unit.commit(4)
        unit.backout()
    finally:
        shared_service.mqsc("ALTER QMGR MAXUMSGS(10000)")
    assert shared_service.depth(queue) == 1


def test_requests_are_no_connections_that_displays_show(shared_service: RunningService, queue: str) -> None:
    unit = shared_service.client.unit()
    shared_service.client.put(queue, b"x", unit=unit)
    waiting = another_client(shared_service)
    path = waiting.message_path(queue) + "?wait=20000"
    waiting._connected().request("DELETE", path, headers={"ibm-mq-rest-csrf-token": ""})
    wait_for("waiter", lambda: shared_service.attribute(f"DISPLAY QSTATUS({queue}) IPPROCS", "IPPROCS") == "1")
    assert shared_service.attribute("DISPLAY QMSTATUS CONNS", "CONNS") == "0"
    handle = f"DISPLAY QSTATUS({queue}) TYPE(HANDLE) APPLTAG"
    assert shared_service.attribute(handle, "APPLTAG") == "mqbridge REST"
    waiting.close()
    unit.commit()
    wait_for("no waiter", lambda: shared_service.attribute(f"DISPLAY QSTATUS({queue}) IPPROCS", "IPPROCS") == "0")
    assert shared_service.attribute(f"DISPLAY QSTATUS({queue}) OPPROCS", "OPPROCS") == "0"


def test_each_put_in_a_unit_is_that_of_its_own_client(shared_service: RunningService, queue: str) -> None:
    unit = shared_service.client.unit()
    other = another_client(shared_service)
    for client in (shared_service.client, other):
        client.call("POST", client.message_path(queue), b"x", {"Content-Type": "text/plain", "mqbridge-unit": unit.id})
    other.close()
    unit.commit()
    names = [message["MQMD"]["PutApplName"].strip() for message in shared_service.browse(queue)]
    assert names == [shared_service.client.agent, "other"]


@pytest.mark.parametrize("body", ["x", "[]", '{"other": true}', '{"separate": 1}'])
def test_options_that_are_none(shared_service: RunningService, body: str) -> None:
    assert shared_service.http("POST", UNIT, body.encode()).status == 400


def test_a_unit_has_a_place(shared_service: RunningService) -> None:
    answer = shared_service.http("POST", UNIT)
    assert answer.status == 201
    place = answer.headers["location"]
    assert place == f"/mqbridge/v1/qmgr/EARTH/unit/{answer.document['unit']}"
    answer = shared_service.http("POST", f"{place}/commit")
    assert json.loads(answer.body)["outcome"] == "committed"


def test_there_are_not_more_units_than_a_limit(make_service: MakeService) -> None:
    service = make_service(options=("--store", "memory"))
    for _ in range(1000):
        service.client.unit()
    with pytest.raises(RestFailure) as caught:
        service.client.unit()
    assert (caught.value.status, caught.value.reason) == (503, 2017)
