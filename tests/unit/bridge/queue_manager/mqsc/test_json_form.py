from __future__ import annotations

from typing import Any

import pytest

from mqbridge.bridge.queue_manager.mqsc import (
    MQSCSyntaxError,
    command_from_json,
    envelope,
    reply_to_json,
    reply_to_text,
)
from support.queue_manager.mqsc_bench import Bench


def run(bench: Bench, document: dict[str, Any]) -> list[dict[str, Any]]:
    replies: list[Any] = []
    bench.commands.execute(command_from_json(document), bench.now, replies.append)
    return reply_to_json(replies[0])


def test_an_object_is_defined_and_displayed() -> None:
    bench = Bench()
    parameters = {"maxdepth": 7, "share": "no", "descr": "it's (odd)", "put": "disabled", "trigger": True}
    document = {"type": "runCommandJSON", "command": "define", "qualifier": "qlocal", "name": "my.Q"}
    assert run(bench, {**document, "parameters": parameters}) == [{"completionCode": 0, "reasonCode": 0}]
    shown = ["maxdepth", "share", "descr", "trigger", "capexpry"]
    document = {"command": "display", "qualifier": "qlocal", "name": "my.Q", "responseParameters": shown}
    assert run(bench, document) == [
        {
            "completionCode": 0,
            "reasonCode": 0,
            "parameters": {
                "queue": "my.Q", "type": "QLOCAL", "capexpry": "NOLIMIT", "descr": "it's (odd)", "maxdepth": 7,
                "share": "NO", "trigger": "YES",
            },
        }
    ]  # fmt: skip


def test_lists_conditions_and_bare_words() -> None:
    bench = Bench()
    names = {"names": ["A", "B"], "replace": "yes"}
    run(bench, {"command": "define", "qualifier": "namelist", "name": "N", "parameters": names})
    document = {"command": "display", "qualifier": "namelist", "name": "*", "parameters": {"where": "namcount eq 2"}}
    found = run(bench, {**document, "responseParameters": ["names"]})
    assert ["A", "B"] in [entry["parameters"]["names"] for entry in found]
    for condition, count in (("descr eq 'a list'", 0), ("descr eq x) all", 0), ("names ct B", 1), ("namcount gt 0", 3)):
        found = run(bench, {**document, "parameters": {"where": condition}})
        assert sum(entry["completionCode"] == 0 for entry in found) == count
    with pytest.raises(MQSCSyntaxError):
        command_from_json({**document, "parameters": {"where": "descr"}})


def test_a_failure_has_codes_and_a_message() -> None:
    bench = Bench()
    entries = run(bench, {"command": "display", "qualifier": "queue", "name": "NONE"})
    assert entries == [
        {
            "completionCode": 2,
            "reasonCode": 2085,
            "message": ["AMQ8147E: no object is meant by QUEUE NONE."],
        }
    ]
    body = envelope(bench.run("DISPLAY QUEUE(NONE)"), [])
    assert (body["overallCompletionCode"], body["overallReasonCode"]) == (2, 3008)


def test_the_text_form_has_an_entry_for_each_message() -> None:
    entries = reply_to_text(Bench().good("DISPLAY QUEUE(DEV.QUEUE.*) MAXDEPTH"))
    assert len(entries) == 3
    assert entries[0] == {
        "completionCode": 0,
        "reasonCode": 0,
        "text": [
            "AMQ8409I: queue details:",
            "   QUEUE(DEV.QUEUE.1)                      TYPE(QLOCAL)",
            "   MAXDEPTH(5000)",
        ],
    }


@pytest.mark.parametrize(
    "document",
    [
        {},
        {"command": "define"},
        {"command": "def ine", "qualifier": "qlocal"},
        {"command": "define", "qualifier": "qlocal", "name": "A", "parameters": []},
        {"command": "define", "qualifier": "qlocal", "name": "A", "parameters": {"put) get(": "x"}},
        {"command": "display", "qualifier": "qlocal", "name": "A", "responseParameters": "all"},
        {"command": "display", "qualifier": "qlocal", "name": "A", "responseParameters": ["a b"]},
    ],
)
def test_documents_that_are_no_command(document: dict[str, Any]) -> None:
    with pytest.raises(MQSCSyntaxError):
        command_from_json(document)


def test_values_cannot_bring_parameters_with_them() -> None:
    bench = Bench()
    name = "A') MAXDEPTH(1"
    document = {"command": "define", "qualifier": "qlocal", "name": name}
    (entry,) = run(bench, document)
    assert entry["completionCode"] == 2
    run(bench, {"command": "define", "qualifier": "qlocal", "name": "A", "parameters": {"descr": "x') MAXDEPTH(1"}})
    queue = bench.objects.queue("A")
    assert queue is not None
    assert (queue["DESCR"], queue["MAXDEPTH"]) == ("x') MAXDEPTH(1", 5000)
