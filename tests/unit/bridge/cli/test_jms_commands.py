"""JMS messages by ``put``, ``get``, ``browse`` and ``decode``."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from mqbridge.bridge.cli import cli
from support.formats.installed import install
from support.processes.running_service import RunningService

MAP = '{"count:i4": 5, "name": "abc"}'


def test_a_map_is_put_by_a_uri_and_shown(shared_service: RunningService, queue: str) -> None:
    result = shared_service.command("put", f"queue:///{queue}?priority=7", "--jms", "map", MAP)
    assert (result.exit_code, result.stderr) == (0, "")
    result = shared_service.command("get", queue, "--jms")
    first, *rest = result.stdout.splitlines()
    assert re.fullmatch(rf"map  ID:414d51[0-9a-f]{{42}}  queue:///{queue}\?priority=7  priority 7  persistent", first)
    assert rest[:2] == ["  count  int     5", "  name   String  abc"]


@pytest.mark.parametrize(
    ("kind", "given", "body"),
    [
        ("text", "zwei Äpfel", "zwei Äpfel"),
        ("bytes", "00ff", "00ff"),
        ("map", '{"a:i8": 1, "b": null}', {"a": {"type": "i8", "value": 1}, "b": {"type": "null", "value": None}}),
        ("stream", '[true, {"type": "char", "value": "x"}]', [
            {"type": "boolean", "value": True}, {"type": "char", "value": "x"},
        ]),
        ("object", "aced0005", "aced0005"),
        ("none", None, None),
    ],
)  # fmt: skip
def test_every_kind_as_json(shared_service: RunningService, queue: str, kind: str, given: Any, body: Any) -> None:
    text = [] if given is None else [given]
    options = ["--property", "n:i2=3", "--property", "JMSType=order", "--reply-to", "R@MARS", "--non-persistent"]
    assert shared_service.command("put", queue, "--jms", kind, *options, *text).exit_code == 0
    browsed = shared_service.command("browse", queue, "--jms", "--json").stdout
    assert browsed == shared_service.command("get", queue, "--jms", "--json").stdout
    shown = json.loads(browsed)
    assert (shown["kind"], shown["body"]) == (kind, body)
    assert shown["properties"] == {"n": {"type": "i2", "value": 3}}
    headers = shown["headers"]
    assert (headers["JMSType"], headers["JMSReplyTo"], headers["JMSDeliveryMode"]) == ("order", "queue://MARS/R", 1)


def test_a_malformed_message_is_kept(shared_service: RunningService, queue: str) -> None:
    shared_service.command("put", queue, "--format", "MQHRF2", "RFH ")
    result = shared_service.command("get", queue, "--jms")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "a message is no JMS message" in result.stderr
    assert shared_service.depth(queue) == 1


def test_a_uri_without_jms_sets_the_descriptor(shared_service: RunningService, queue: str) -> None:
    uri = f"queue://{shared_service.name}/{queue}?priority=3&persistence=2&expiry=5000"
    assert shared_service.command("put", uri, "x", "--priority", "1").exit_code == 0
    assert shared_service.command("put", uri, "x", "--count", "2").exit_code == 0
    messages = shared_service.browse(queue)
    assert [each["MQMD"]["Priority"] for each in messages] == [3, 3, 3]
    assert {each["MQMD"]["Persistence"] for each in messages} == {1}
    assert all(0 < each["MQMD"]["Expiry"] <= 50 for each in messages)


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["Q", "--jms", "map", "{"], "no JSON"),
        (["Q", "--jms", "map", "[" * 100_000], "no JSON"),
        (["Q", "--jms", "map", "[]"], "a map is given as a JSON object"),
        (["Q", "--jms", "map", '{"a": 1, "a": 2}'], "a name is given twice"),
        (["Q", "--jms", "map", '{"a:i1": 128}'], "is no byte"),
        (["Q", "--jms", "map", '{"a:i9": 1}'], "'i9' is no type of JMS"),
        (["Q", "--jms", "map", '{"a": [1]}'], "no lists or objects"),
        (["Q", "--jms", "map", '{"a:bin.hex": "x"}'], "is no byte[]"),
        (["Q", "--jms", "stream", "{}"], "a JSON array"),
        (["Q", "--jms", "bytes", "zz"], "is not hexadecimal"),
        (["Q", "--jms", "none", "x"], "has no body"),
        (["Q", "--jms", "letter", "x"], "'letter' is not one of"),
        (["Q", "--jms", "text", "x", "--lines"], "TEXT, or --file and --lines"),
        (["Q", "--jms", "text", "x", "--format", "A"], "do not go with it"),
        (["queue:///", "x"], "a destination without a queue"),
        (["queue:///Q?priority=77", "x"], "cannot be '77'"),
        (["queue:///Q", "--qmgr", "M", "x"], "--qmgr is for plain names"),
        (["topic://a", "x"], "over a client connection"),
    ],
)
def test_wrong_input_is_status_2(shared_service: RunningService, arguments: list[str], error: str) -> None:
    result = shared_service.command("put", *arguments)
    assert result.exit_code == 2, result.output
    assert error in result.stderr


def test_publications_are_put_over_a_client_connection(shared_service: RunningService, queue: str) -> None:
    client = ["--client", f"mq://127.0.0.1:{shared_service.port}/{shared_service.name}?channel=DEV.APP.SVRCONN"]
    shared_service.mqsc(f"DEFINE SUB(S.{queue}) TOPICSTR('prices/{queue}') DEST({queue}) REPLACE")
    topic = f"topic://prices/{queue}"
    for arguments in ([f"{topic}?priority=7", "plain"], [topic, "--jms", "map", MAP], [topic, "two", "--count", "2"]):
        result = CliRunner().invoke(cli, ["put", *client, *arguments])
        assert (result.exit_code, result.stderr) == (0, ""), arguments
    first, second, *others = shared_service.browse(queue)
    assert (first["body"]["text"], first["MQMD"]["Priority"]) == ("plain", 7)
    assert [each["body"]["text"] for each in others] == ["two", "two"]
    shown = json.loads(
        shared_service.command("get", queue, "--jms", "--json", "--msg-id", second["MQMD"]["MsgId"]).stdout
    )
    assert (shown["headers"]["JMSDestination"], shown["body"]["count"]["value"]) == (topic, 5)
    shared_service.mqsc(f"DELETE SUB(S.{queue})")


def test_a_plug_in_that_cannot_be_used_is_warned_of_once(
    shared_service: RunningService, queue: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, {"BROKEN": "no_such_module:ORDER"})
    monkeypatch.syspath_prepend(str(tmp_path))
    client = ["--client", f"mq://127.0.0.1:{shared_service.port}/{shared_service.name}?channel=DEV.APP.SVRCONN"]
    shared_service.put(queue, "one")
    shared_service.put(queue, "two")
    for command in ("browse", "get"):
        result = CliRunner().invoke(cli, [command, *client, "--all", queue])
        assert (result.exit_code, result.stdout) == (0, "one\ntwo\n")
        assert result.stderr.startswith("warning: entry point BROKEN = no_such_module:ORDER")
        assert result.stderr.count("warning") == 1


def test_decode_shows_both_views(shared_service: RunningService, queue: str, tmp_path: Path) -> None:
    shared_service.command("put", queue, "--jms", "map", MAP)
    (message,) = shared_service.browse(queue)
    file = tmp_path / "message"
    file.write_bytes(bytes.fromhex(message["headerBytes"] + message["body"]["hex"]))
    views = ["--view", "jms", "--view", "tree", "--format", "MQHRF2", "--encoding", "273"]
    shown = json.loads(decoded(file, "--json", *views))
    assert shown["jms"]["body"]["count"] == {"type": "i4", "value": 5}
    assert "MQRFH2" in shown["tree"]
    text = decoded(file, *views)
    assert "    count  int     5" in text
    assert not [line for line in text.splitlines() if line != line.rstrip()]
    assert decoded(file, *views[:-2]) == text  # the header itself shows its byte order


def decoded(file: Path, *options: str) -> str:
    return CliRunner().invoke(cli, ["decode", *options, str(file)]).stdout
