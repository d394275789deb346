"""``mqbridge routes``, the requests behind it, and what of a configuration prevents a start."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from mqbridge.bridge.rest_client import RestFailure
from mqbridge.bridge.rest_client.routes import act_on_route, routes
from mqbridge.mappings.message import Message
from mqbridge.mappings.properties import Property
from mqbridge.mappings.properties.writing import with_properties
from support.processes.failing_starts import FailingStarts
from support.processes.running_service import RunningService, wait_for

MQSC = """
DEFINE QLOCAL(IN) BOTHRESH(1)
DEFINE QLOCAL(OUT)
DEFINE QLOCAL(RED)
DEFINE QLOCAL(BAD)
DEFINE QLOCAL(QM2) USAGE(XMITQ)
DEFINE CHANNEL(WAS.TO.QM2) CHLTYPE(SDR) XMITQ(QM2) CONNAME('127.0.0.1(1)')
"""
CONFIGURATION = """
[queue_manager]
name = "EARTH"

[[route]]
name = "red"
from = "IN"
when = "colour = 'red'"
steps = ["strip-rfh2", { python = "shop:price", time_limit = 1.0 }]
to = "queue://QM2/ORDERS"
error = "BAD"

[[route]]
name = "other"
from = "IN"
to = "OUT"

[bus.WAS]
virtual_queue_manager = "WASQM"
channels = ["WAS.TO.QM2"]
"""
SHOP = """
import os, time
import mqbridge

def price(message):
    if message.data == b"hang":
        time.sleep(60)
    if message.data == b"raise":
        raise ValueError("secret")
    if message.data == b"rubbish":
        return 5
    if message.data == b"die":
        os._exit(3)
    if message.data == b"grow":
        return mqbridge.Message(b"x" * (5 << 20))
    if message.data == b"twice":
        return [message, message]
    if message.data == b"drop":
        return None
    return message
"""


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    folder = tmp_path_factory.mktemp("routes")
    (folder / "shop.py").write_text(SHOP)
    (folder / "routes.toml").write_text(CONFIGURATION)
    service = RunningService(folder / "EARTH", mqsc=MQSC, options=("--config", str(folder / "routes.toml")))
    service.recordings = None
    yield service.start()
    service.close()


def red(data: bytes) -> bytes:
    message = with_properties(Message.build(data, format="MQSTR", ccsid=1208), [Property.of("colour", "red")])
    return message.raw_md + message.data


def test_routes_are_listed_started_and_stopped(service: RunningService) -> None:
    result = service.command("routes")
    assert [line.split()[:5] for line in result.stdout.splitlines()] == [
        ["name", "kind", "state", "from", "to"],
        ["red", "route", "RUNNING", "IN", "queue://QM2/ORDERS"],
        ["other", "route", "RUNNING", "IN", "queue:///OUT"],
    ]
    service.mqsc("CLEAR QLOCAL(OUT)")
    stopped = json.loads(service.command("routes", "--stop", "other", "--json").stdout)["routes"]
    assert [(each["name"], each["state"]) for each in stopped] == [("red", "STOPPED"), ("other", "STOPPED")]
    service.put("IN", "stays")
    assert len(service.browse("IN")) == 1
    assert "RUNNING" in service.command("routes", "--start", "red").stdout
    wait_for("the message", lambda: service.browse("OUT"))
    service.mqsc("CLEAR QLOCAL(OUT)")


def test_an_unknown_name_is_refused(service: RunningService) -> None:
    result = service.command("routes", "--stop", "blue")
    assert (result.exit_code, result.stderr) == (1, "there is no route, link or partner 'blue'\n")
    with pytest.raises(RestFailure) as caught:
        act_on_route(service.client, "red", "start?kind=link")
    assert caught.value.status == 404


def test_a_message_is_explained_and_nothing_is_put(service: RunningService, tmp_path: Path) -> None:
    file = tmp_path / "order.hex"
    file.write_text(red(b"an order").hex())
    before, waiting = routes(service.client), service.browse("QM2")
    result = service.command("routes", "--explain", str(file), "--from", "IN")
    assert result.stdout.splitlines() == [
        "route red   colour = 'red'   true",
        "  strip-rfh2   72 bytes out; MQMD.Format MQSTR, CodedCharSetId 1208, Encoding 546",
        "  python shop:price unchanged",
        "  to           queue://QM2/ORDERS, by transmission queue QM2",
        "bus WAS        RemoteQName ORDERS, RemoteQMgrName QM2 (jms-mapping.md 8.2)",
    ]
    assert routes(service.client) == before
    assert service.browse("QM2") == waiting


def test_a_message_without_descriptor_goes_past_selectors(service: RunningService, tmp_path: Path) -> None:
    file = tmp_path / "text"
    file.write_bytes(b"just text")
    document = json.loads(service.command("routes", "--explain", str(file), "--from", "IN", "--json").stdout)
    assert [(each["route"], each["selected"]) for each in document["explanation"]] == [("red", None), ("other", True)]
    assert document["explanation"][1]["lines"] == ["route other   every message", "  to           queue:///OUT"]
    result = service.command("routes", "--explain", str(file), "--from", "OUT")
    assert (result.exit_code, result.stderr) == (1, "no route gets from 'OUT'\n")


@pytest.mark.parametrize(
    "wrong", [("--explain", "-"), ("--from", "IN"), ("--explain", "-", "--from", "Q", "--stop", "x")]
)
def test_wrong_options(service: RunningService, wrong: tuple[str, ...]) -> None:
    assert service.command("routes", *wrong, input="").exit_code == 2


@pytest.mark.parametrize(
    ("data", "reason"),
    [("hang", 2374), ("raise", 2374), ("rubbish", 2374), ("die", 2374), ("grow", 2031)],
)
def test_a_step_that_fails_keeps_the_message_and_disturbs_no_other(
    service: RunningService, data: str, reason: int
) -> None:
    service.mqsc("CLEAR QLOCAL(BAD)", "CLEAR QLOCAL(OUT)")
    line = {"body": {"text": data}, "properties": {"colour": {"type": "string", "value": "red"}}}
    service.client.put_lines("IN", json.dumps({**line, "MQMD": {"Persistence": 1, "Format": "MQSTR"}}).encode())
    service.put("IN", "behind")
    (failed,) = wait_for("the failed message", lambda: service.browse("BAD"))
    assert (failed["headers"][0]["fields"]["Reason"], failed["headers"][0]["fields"]["DestQName"]) == (reason, "IN")
    assert failed["body"]["text"] == data
    wait_for("the message behind", lambda: service.browse("OUT"))
    assert "secret" not in service.log


def test_what_a_step_returns_is_put_or_dropped(service: RunningService) -> None:
    count = len(service.browse("QM2"))
    for data in ("twice", "drop"):
        line = {"body": {"text": data}, "properties": {"colour": {"type": "string", "value": "red"}}}
        service.client.put_lines("IN", json.dumps(line).encode())
    found = wait_for("a dropped message", lambda: [row for row in routes(service.client)["routes"] if row["dropped"]])
    assert [row["name"] for row in found] == ["red"]
    assert len(service.browse("QM2")) == count + 2


@pytest.mark.parametrize(
    ("was", "becomes", "line", "what"),
    [
        ("colour = 'red'", "colour =", 8, "wrong syntax"),
        ('to = "OUT"', 'to = "IN"', 16, "messages go round: other → other"),
        ('error = "BAD"', 'error = "IN"', 11, "messages go round: red → red"),
        ('to = "OUT"', 'to = "queue:///OUT?ccsid=5"', 16, "property ccsid"),
        ('"strip-rfh2"', '"strip-rfh3"', 9, "step 1: 'strip-rfh3' is no step; did you mean 'strip-rfh'"),
        ("shop:price", "shop:prize", 9, "shop:prize"),
        ('name = "other"', 'name = "red"', 14, "there are two routes 'red'"),
        ('from = "IN"\nto', 'from = "IN"\ntopic = "a"\nto', 16, "a route has one source"),
        ('from = "IN"\nto', 'from = "IN"\nmcauser = "u"\nto', 16, "different users"),
    ],
)
def test_a_wrong_route_prevents_the_start(
    failing_starts: FailingStarts, tmp_path: Path, was: str, becomes: str, line: int, what: str
) -> None:
    assert was in CONFIGURATION
    (tmp_path / "shop.py").write_text(SHOP)
    file = tmp_path / "wrong.toml"
    file.write_text(CONFIGURATION.replace(was, becomes))
    (tmp_path / "start.mqsc").write_text(MQSC)
    status, log = failing_starts.start(tmp_path, "--config", str(file), "--mqsc", str(tmp_path / "start.mqsc"))
    assert status == 2
    assert f"wrong.toml, line {line}: " in log
    assert what in log
