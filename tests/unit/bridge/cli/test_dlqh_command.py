"""``mqbridge dlqh``: messages of a dead-letter queue by the rules of a table."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from mqbridge.bridge.message_json import field_values
from mqbridge.mappings.dead_letter import dead_letter
from mqbridge.mappings.message import Message
from mqbridge.protocol.constants import MQRC
from support.processes.running_service import MakeService, RunningService, wait_for

Handle = Callable[..., Result]


@pytest.fixture
def dead(shared_service: RunningService, queue: str) -> str:
    """The name of an empty dead-letter queue."""
    name = f"{queue}.DEAD"
    shared_service.mqsc(f"DEFINE QLOCAL({name})", f"ALTER QMGR DEADQ({name})")
    return name


@pytest.fixture
def handle(shared_service: RunningService, tmp_path: Path) -> Handle:
    """Run the command with rules; it does not wait for further messages."""

    def run(rules: str, *arguments: str, status: int = 0, control: str = "WAIT(NO) RETRYINT(1)") -> Result:
        file = tmp_path / "rules"
        file.write_text(f"{control}\n{rules}\n", encoding="utf-8")
        result = shared_service.command("dlqh", str(file), *arguments)
        assert result.exit_code == status, result.output
        return result

    return run


def put_dead(service: RunningService, dead: str, queue: str, text: str = "text", reason: int = 0, **fields: Any) -> str:
    known = {"format": "MQSTR", "coded_char_set_id": 1208, "put_appl_name": "till", "user_identifier": "joe"}
    message = Message.build(text.encode(), msg_seq_number=1, **(known | fields))
    letter = dead_letter(
        message, reason or int(MQRC.Q_FULL), queue, service.name, put_appl_type=7, put_appl_name="x", now=0.0
    )
    document = {"MQMD": field_values(letter), "body": {"hex": letter.data.hex()}}
    line = json.dumps(document).encode()
    (identifier,) = service.client.put_lines(dead, line, query={"context": "all"})
    return identifier


def test_a_message_goes_where_it_was_meant_to_go(
    shared_service: RunningService, queue: str, dead: str, handle: Handle
) -> None:
    identifier = put_dead(shared_service, dead, queue, persistence=1, correl_id=b"c" * 24)
    result = handle("REASON(MQRC_Q_FULL) ACTION(RETRY)")
    assert result.stdout == (
        f"RETRY {identifier} to {queue} at {shared_service.name}: rule of line 2\n"
        f"1 moved, 0 discarded, 0 left on {dead}\n"
    )
    (message,) = shared_service.browse(queue)
    md = message["MQMD"]
    assert message["body"]["text"] == "text"
    assert (md["MsgId"], md["CorrelId"], md["Persistence"]) == (identifier, (b"c" * 24).hex(), 1)
    assert (md["UserIdentifier"], md["PutApplName"], md["Format"]) == ("joe", "till", "MQSTR")
    assert shared_service.depth(dead) == 0


def test_forwarded_with_and_without_its_header(
    shared_service: RunningService, queue: str, dead: str, handle: Handle
) -> None:
    put_dead(shared_service, dead, "NO.SUCH", "one", persistence=0)
    put_dead(shared_service, dead, "NO.SUCH", "two", persistence=1)
    handle(f"PERSIST(0) ACTION(FWD) FWDQ({queue})\nACTION(FWD) FWDQ({queue}) HEADER(NO)", "--queue", dead)
    first, second = shared_service.browse(queue)
    assert first["headers"][0]["fields"]["DestQName"] == "NO.SUCH"
    assert (first["body"]["text"], second["headers"], second["body"]["text"]) == ("one", [], "two")


def test_discarded_and_left(shared_service: RunningService, queue: str, dead: str, handle: Handle) -> None:
    put_dead(shared_service, dead, queue, reason=int(MQRC.PUT_INHIBITED))
    kept = put_dead(shared_service, dead, queue, reason=int(MQRC.Q_FULL))
    other = shared_service.put(dead, "no header")
    result = handle("REASON(MQRC_PUT_INHIBITED) ACTION(DISCARD)")
    assert f"left {kept}: no rule matches\n" in result.stdout
    assert f"left {other}: it does not begin with an MQDLH\n" in result.stdout
    assert result.stdout.endswith(f"0 moved, 1 discarded, 2 left on {dead}\n")
    assert [message["MQMD"]["MsgId"] for message in shared_service.browse(dead)] == [kept, other]


def test_attempts_are_repeated_and_then_the_next_rule_is_tried(
    shared_service: RunningService, queue: str, dead: str, handle: Handle
) -> None:
    shared_service.mqsc(f"ALTER QLOCAL({queue}) PUT(DISABLED)")
    identifier = put_dead(shared_service, dead, queue)
    result = handle("ACTION(RETRY) RETRY(2)\nACTION(IGNORE)")
    failed = f"RETRY {identifier} to {queue} at {shared_service.name}: rule of line 2 failed: MQRC_PUT_INHIBITED (2051)"
    lines = result.stdout.splitlines()
    assert [line[: len(failed)] for line in lines[:2]] == [failed, failed]
    assert lines[2:] == [f"left {identifier}: the rule of line 3", f"0 moved, 0 discarded, 1 left on {dead}"]
    (message,) = shared_service.browse(dead)
    assert message["MQMD"]["BackoutCount"] == 2


def test_a_rule_cannot_put_on_the_queue_itself(
    shared_service: RunningService, queue: str, dead: str, handle: Handle
) -> None:
    put_dead(shared_service, dead, queue)
    assert "failed: it would come back to this queue" in handle(f"ACTION(FWD) FWDQ({dead})").stdout
    assert shared_service.depth(dead) == 1


def test_with_the_authority_of_the_user_in_the_message(
    shared_service: RunningService, queue: str, dead: str, handle: Handle
) -> None:
    shared_service.mqsc(
        f"SET AUTHREC PROFILE({queue}) OBJTYPE(QUEUE) PRINCIPAL('jim') AUTHADD(PUT)",
    )
    put_dead(shared_service, dead, queue, "of joe", user_identifier="joe")
    put_dead(shared_service, dead, queue, "of jim", user_identifier="jim")
    result = handle("ACTION(RETRY) PUTAUT(CTX)")
    assert "failed: MQRC_NOT_AUTHORIZED (2035)" in result.stdout
    (message,) = shared_service.browse(queue)
    assert (message["body"]["text"], message["MQMD"]["UserIdentifier"]) == ("of jim", "jim")
    assert shared_service.depth(dead) == 1


def test_it_waits_for_further_messages(make_service: MakeService, tmp_path: Path) -> None:
    service = make_service(mqsc="DEFINE QLOCAL(Q)\nALTER QMGR DEADQ(DEV.DEAD.LETTER.QUEUE)")
    (tmp_path / "rules").write_text("WAIT(YES)\nACTION(RETRY)\n", encoding="utf-8")
    process = service.spawn("dlqh", str(tmp_path / "rules"))
    put_dead(service, "DEV.DEAD.LETTER.QUEUE", "Q")
    wait_for("the message", lambda: service.depth("Q"))
    assert process.poll() is None
    process.terminate()
    process.communicate(timeout=60)


@pytest.mark.parametrize(
    ("rules", "error"),
    [
        ("DESTQ(Q)", "line 2: ACTION: every rule has an action"),
        ("ACTION(FWD)", "line 2: FWDQ: ACTION(FWD) needs the name of a queue"),
        ("", "a rules table has at least one rule"),
    ],
)
def test_wrong_rules_are_status_2(handle: Handle, rules: str, error: str) -> None:
    result = handle(rules, "--check", status=2)
    assert error in result.stderr


def test_other_wrong_input(shared_service: RunningService, handle: Handle, tmp_path: Path) -> None:
    assert handle("ACTION(IGNORE)", "--check").stdout == "1 rules\n"
    result = handle("ACTION(IGNORE)", control="INPUTQM(MARS)", status=2)
    assert f"INPUTQM is MARS, but this is {shared_service.name}" in result.stderr
    result = handle("ACTION(IGNORE)", "--queue", "NO.SUCH.QUEUE", status=1)
    assert "MQRC_UNKNOWN_OBJECT_NAME (2085)" in result.stderr
    shared_service.mqsc("ALTER QMGR DEADQ(' ')")
    assert "has no dead-letter queue; --queue names one" in handle("ACTION(IGNORE)", status=1).stderr
    result = shared_service.command("dlqh", str(tmp_path / "none"))
    assert (result.exit_code, "No such file" in result.stderr) == (2, True)
    result = shared_service.command("dlqh", "-", input=b"\xff")
    assert (result.exit_code, "no text in UTF-8" in result.stderr) == (2, True)


def test_the_query_of_a_put(shared_service: RunningService, queue: str) -> None:
    path = f"/ibmmq/rest/v2/messaging/qmgr/{{qmgr}}/queue/{queue}/message"
    octets = {"Content-Type": "application/octet-stream"}
    answer = shared_service.http("POST", f"{path}?context=some", b"x", octets)
    assert (answer.status, "context is 'all'" in answer.body.decode()) == (400, True)
    answer = shared_service.http("POST", f"{path}?alternateUser=joe", b"x", octets)
    assert (answer.status, "needs a unit of work" in answer.body.decode()) == (400, True)
    assert shared_service.depth(queue) == 0
