from __future__ import annotations

import io
import json
import re
from pathlib import Path

import pytest

from mqbridge.bridge.operator_messages import MAX_TEXT, MESSAGES, operator_message
from mqbridge.bridge.queue_manager.mqsc.messages import TEXTS
from mqbridge.bridge.service.operator_log import OperatorLog

HOME = Path(__file__).parents[3]
LOGGED = re.compile(r'(?:log|problem|write|_give_up|Log)\(\s*"(AMQ\d{4})"')


def written_ids() -> set[str]:
    """The ids that the sources hand to a log, those that machines and agents say a connection ended with, and those of
    refusals by security and TLS."""
    found: set[str] = set()
    for room in ("bridge/agents", "bridge/endpoints", "bridge/security", "bridge/tls", "protocol"):
        for file in (HOME / room).rglob("*.py"):
            found.update(re.findall(r'"(AMQ\d{4})"', file.read_text(encoding="utf-8")))
    for room in ("bridge/queue_manager", "bridge/service", "bridge/admin"):
        for file in (HOME / room).rglob("*.py"):
            found.update(LOGGED.findall(file.read_text(encoding="utf-8")))
    return found


def test_every_id_that_is_logged_has_a_text() -> None:
    ids = written_ids()
    assert len(ids) > 40
    assert "AMQ9665" in ids
    assert sorted(ids - MESSAGES.keys() - TEXTS.keys()) == []


@pytest.mark.spec("channels.md 18")
def test_values_stand_in_the_text_and_the_rest_behind_it() -> None:
    assert operator_message("AMQ9002", ("C", "host(1414)")).text == "channel C started with host(1414)"
    message = operator_message("AMQ9519", ("C", "host(1414)"))
    assert (message.id, message.level) == ("AMQ9519E", "error")
    assert message.text == "channel is not defined: C; host(1414)"
    assert operator_message("AMQ9001").text == "channel ended normally"


def test_reasons_are_named() -> None:
    message = operator_message("AMQ9548", ("C", "Q", "QM", 2053))
    assert message.text == "channel C put a message for Q at QM on the dead-letter queue: MQRC_Q_FULL (2053)"


def test_missing_values_and_unknown_ids_do_no_harm() -> None:
    assert operator_message("AMQ9002", ("C",)).text == "channel C started with ?"
    assert operator_message("AMQ0000", ("x",)).text == "no text is known for this message: x"


def test_what_partners_send_cannot_break_a_line() -> None:
    message = operator_message("AMQ9519", ("C\n2026-01-01 AMQ8004I: forged {0}", "\x1b[31m"))
    assert "\n" not in message.text
    assert "\x1b" not in message.text
    assert len(operator_message("AMQ9001", ("x" * 10_000,)).text) == MAX_TEXT


def test_the_log_writes_what_is_severe_enough() -> None:
    stream = io.StringIO()
    log = OperatorLog(stream, "warning")
    log.write("AMQ9001", ("C",))
    log.write("AMQ9514", ("C",))
    log.write("AMQ9519", ("C",))
    lines = stream.getvalue().splitlines()
    assert [line.split()[1] for line in lines] == ["AMQ9514W:", "AMQ9519E:"]
    assert re.match(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z AMQ9514W: channel is in use: C$", lines[0])


def test_the_log_may_be_json() -> None:
    stream = io.StringIO()
    OperatorLog(stream, form="json").write("AMQ9548", ("C", "Q", "QM", 2053))
    line = json.loads(stream.getvalue())
    assert (line["id"], line["level"], line["inserts"]) == ("AMQ9548W", "warning", ["C", "Q", "QM", 2053])


def test_a_log_that_cannot_be_written_is_given_up() -> None:
    stream = io.StringIO()
    log = OperatorLog(stream)
    stream.close()
    log.write("AMQ9001")
    log.write("AMQ9001")
