"""The real packets of two queue managers of 2003 through observer and rules: every finding is a reviewed one."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from mqbridge.captures.analysis import AnalysisOptions, analyse_file
from mqbridge.captures.tables.rows import FindingRow, FlowRow, MessageRow
from mqbridge.protocol.direction import Direction
from mqbridge.protocol.observer import Ending, MessageOutcome, MessageSeen, MessageSettled
from support.captures.files import record
from support.captures.vectors import thesis
from support.rules.observer_playbook import INITIATOR, RESPONDER, Watch
from support.rules.reviewed_channel_findings import OF_ALL, REVIEWED, expected_of

LUWID = thesis(3)[12:20]
CONFIRM = thesis(4)[:12] + LUWID + thesis(4)[20:]  # the packet is of another session
SESSIONS: dict[str, list[tuple[Direction, bytes]]] = {
    "queue managers": [
        (INITIATOR, thesis(1)),
        (RESPONDER, thesis(2)),
        (INITIATOR, thesis(3)),
        (INITIATOR, CONFIRM),
    ],
    "bridge": [(INITIATOR, thesis(5)), (INITIATOR, thesis(6))],
}


def watched(session: str) -> Watch:
    watch = Watch()
    for direction, data in SESSIONS[session]:
        watch.passes(direction, data)
    watch.end(Ending.OPEN)
    return watch


@pytest.mark.spec("mq-wire.md 7.9")
@pytest.mark.parametrize("session", SESSIONS)
def test_findings_of_a_session_are_the_reviewed_ones(session: str) -> None:
    watch = watched(session)
    assert sorted(rule for rule in watch.rules() if rule not in OF_ALL) == expected_of(session)
    assert not watch.rules("error")
    assert all(row.reason for row in REVIEWED)


@pytest.mark.spec("mq-wire.md 7.9")
def test_what_the_queue_managers_agreed_on_and_sent() -> None:
    watch = watched("queue managers")
    agreed = watch.part.negotiation.agreed
    assert (agreed.fap_level, agreed.batch_size, agreed.transmission_size) == (7, 50, 32766)
    assert (agreed.message_length, agreed.sequence_wrap, agreed.heartbeat_interval) == (4194304, 999999999, 300)
    assert (agreed.caller, agreed.called, agreed.sender, agreed.fast) == (
        "QM_cmolina",
        "QM_carlitosway",
        INITIATOR,
        True,
    )
    (seen,) = watch.seen(MessageSeen)
    message = seen.message
    assert (message.queue, message.queue_manager, message.data) == ("MyHPQ", "QM_carlitosway", b"hola")
    assert (message.sequence_number, message.luwid, message.descriptor) == (1, LUWID, thesis(3)[152:476])
    (settled,) = watch.seen(MessageSettled)
    assert settled.fate is MessageOutcome.UNKNOWN  # not persistent and fast: perhaps it has arrived


@pytest.mark.spec("mq-wire.md 7.5")
def test_an_answer_makes_the_session_whole() -> None:
    watch = Watch()
    for direction, data in SESSIONS["queue managers"]:
        watch.passes(direction, data)
    watch.called(CONFIRM[:10] + b"\0" + CONFIRM[11:])
    watch.end(Ending.OPEN)
    assert {rule for rule in watch.rules() if rule not in OF_ALL} == set()
    (settled,) = watch.seen(MessageSettled)
    assert settled.fate is MessageOutcome.CONFIRMED


def test_rows_of_the_recorded_session(tmp_path: Path) -> None:
    """The whole way, from a capture file."""
    path = tmp_path / "session.pcap"
    path.write_bytes(record(*SESSIONS["queue managers"]))
    options = AnalysisOptions(tables=frozenset(("flows", "messages", "findings")))
    rows = list(analyse_file(path, options))
    (flow,) = [row for row in rows if isinstance(row, FlowRow)]
    (message,) = [row for row in rows if isinstance(row, MessageRow)]
    rules = Counter(row.rule for row in rows if isinstance(row, FindingRow))
    assert (flow.kind, flow.channel, flow.queue_manager, flow.outcome) == (
        "message-channel",
        "ch.clon.hp",
        "QM_carlitosway",
        "cut",
    )
    assert flow.agreed["batch_size"] == "50"
    assert (message.queue, message.sequence_number, message.length, message.format) == ("MyHPQ", 1, 4, "MQSTR")
    assert rules["C-214"] == 1
