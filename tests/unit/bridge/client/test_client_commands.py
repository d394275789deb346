"""``mqbridge put``, ``get`` and ``browse`` with ``--client``: the same messages and exit statuses as without."""

from __future__ import annotations

import json
from typing import Any

import pytest
from click.testing import CliRunner, Result

from mqbridge.bridge.cli import cli

QUEUE = "DEV.QUEUE.1"


def run(*arguments: str, input: str | None = None, env: dict[str, str] | None = None) -> Result:
    clean = {"MQSERVER": None, "MQBRIDGE_DATA": None, **(env or {})}
    return CliRunner(env=clean).invoke(cli, list(arguments), input=input, prog_name="mqbridge", catch_exceptions=False)


def test_a_message_goes_there_and_back(mq: Any) -> None:
    put = run("put", QUEUE, "grüße", "--client", mq.url, "--property", "n:i4=5", "--priority", "3", "--reply-to", "R@Q")
    assert (put.exit_code, len(put.stdout.strip())) == (0, 48)
    (message,) = mq.messages(QUEUE)
    assert (message.text, message.properties, message.md["Priority"], message.md["ReplyToQMgr"]) == (
        "grüße",
        {"n": 5},
        3,
        "Q",
    )
    browsed = run("browse", QUEUE, "--client", mq.url, "--json")
    assert json.loads(browsed.stdout)["MQMD"]["MsgId"] == put.stdout.strip()
    assert run("get", QUEUE, "--client", mq.url, "--selector", "n = 6").exit_code == 1
    got = run("get", QUEUE, "--client", mq.url, "--selector", "n = 5")
    assert (got.exit_code, got.stdout) == (0, "grüße\n")
    nothing = run("get", QUEUE, "--client", mq.url)
    assert (nothing.exit_code, nothing.stdout) == (1, "")
    assert "MQRC_NO_MSG_AVAILABLE (2033)" in nothing.stderr


def test_many_lines_and_counts(mq: Any) -> None:
    assert run("put", QUEUE, "--client", mq.url, "--lines", input="a\nb\nc\n").exit_code == 0
    assert run("put", QUEUE, "--client", mq.url, "--count", "3", "--size", "100").exit_code == 0
    assert run("browse", QUEUE, "--client", mq.url, "--count", "2").stdout == "a\nb\n"
    few = run("get", QUEUE, "--client", mq.url, "--count", "9", "--wait", "0.1")
    assert (few.exit_code, few.stdout.splitlines()[:3]) == (0, ["a", "b", "c"])
    assert "6 of 9 messages came" in few.stderr
    assert mq.depth(QUEUE) == 0


def test_mqserver_is_honoured(mq: Any) -> None:
    assert run("put", QUEUE, "x", env=mq.environment).exit_code == 0
    assert [message.text for message in mq.messages(QUEUE)] == ["x"]


@pytest.mark.parametrize(
    ("url", "status", "text"),
    [
        ("mq://127.0.0.1:1/QM1", 1, "MQRC_HOST_NOT_AVAILABLE (2538)"),
        ("http://127.0.0.1/QM1", 2, "names no queue manager"),
        ("mqs://127.0.0.1:1/QM1", 1, "MQRC_HOST_NOT_AVAILABLE (2538)"),
        ("mqs://127.0.0.1:1/QM1?cipher=NULL_SHA", 1, "MQRC_UNSUPPORTED_CIPHER_SUITE (2400)"),
        ("mqs://127.0.0.1:1/QM1?key=a.pem", 2, "unknown option 'key'"),
    ],
)
def test_who_cannot_be_reached_is_told(url: str, status: int, text: str) -> None:
    result = run("get", QUEUE, "--client", url)
    assert (result.exit_code, result.stdout) == (status, "")
    assert text in result.stderr


def test_a_reason_of_the_queue_manager_is_told(mq: Any) -> None:
    result = run("put", "NO.SUCH", "x", "--client", mq.url)
    assert (result.exit_code, result.stderr) == (1, "MQRC_UNKNOWN_OBJECT_NAME (2085): NO.SUCH\n")
    wrong = run("put", QUEUE, "x", "--client", mq.url.replace("QM1", "OTHER"))
    assert wrong.exit_code == 1
    assert "MQRC_Q_MGR_NAME_ERROR (2058)" in wrong.stderr


def test_two_ways_at_once_are_refused() -> None:
    assert run("get", QUEUE, "--client", "mq://h/Q", "--url", "http://h:1").exit_code == 2
