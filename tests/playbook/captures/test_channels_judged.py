"""Every rule of message channels: what it finds, what it passes over, and that a clean channel gives nothing."""

from __future__ import annotations

from typing import Any

import pytest

from mqbridge.captures.rules import Severity, load
from mqbridge.protocol.constants import ByteOrder, SegmentType, StatusCode
from mqbridge.protocol.framing import SegmentWriter
from mqbridge.protocol.observer import Ending, MessageOutcome, MessageSeen, MessageSettled
from mqbridge.protocol.observer.channel import BatchSettled
from support.channels.playbook import L1, L2, THEY, end_of_batch, heartbeat, initial_data, more_of_it, status
from support.rules import (
    batch_faults,  # noqa: F401, enters its plays
    message_faults,  # noqa: F401, likewise
)
from support.rules.channel_faults import ALIVE, FAULTS, NEAR, OK, Play, after, answers, called, put
from support.rules.observer_playbook import Watch

OTHERS = {"C-414"}  # of descriptors of version 2, which only clients have
CHANNEL_RULES = [number for number in load() if number < "C-350" or "C-400" <= number < "C-500"]


def plays(table: dict[str, list[Play]]) -> list[Any]:
    return [
        pytest.param(rule, play, id=f"{rule}-{index}")
        for rule, some in sorted(table.items())
        for index, play in enumerate(some)
    ]


def judged(play: Play) -> Watch:
    watch = Watch()
    play(watch)
    return watch


def test_every_rule_of_channels_has_its_plays() -> None:
    assert set(FAULTS) == set(CHANNEL_RULES) - OTHERS


@pytest.mark.parametrize(("rule", "play"), plays(FAULTS))
def test_a_fault_is_found_by_its_rule(rule: str, play: Play) -> None:
    watch = judged(play)
    found = next(one for one in watch.findings if one.rule == rule)
    row = load()[rule]
    assert (found.severity, found.title, found.spec) == (row.severity, row.title, row.spec)
    assert found.expected
    assert found.seen
    assert found.expected != found.seen
    assert 0 < found.packet <= watch.packets
    assert 1000 < found.time <= watch.now


@pytest.mark.parametrize(("rule", "play"), plays(NEAR))
def test_what_lies_beside_a_rule_is_passed_over(rule: str, play: Play) -> None:
    assert rule not in judged(play).rules()


def clean(**values: Any) -> Watch:
    """A session in which everything happens that may."""
    watch = Watch()
    answers(values, {})(watch)
    for step in (
        put(1),
        put(2, b"", md_persistence=0),
        put(3, b"abc", length=8, flags=0x10),
        more_of_it(b"defgh", flags=0x20),
        end_of_batch(),
        OK,
        heartbeat(),
        ALIVE,
        put(4, luwid=L2),
        end_of_batch(L2),
        called(status(0, luwid=L2)),
        status(0x08),
    ):
        (watch.caller if isinstance(step, bytes) else watch.called)(step if isinstance(step, bytes) else step[1])
    watch.end()
    return watch


@pytest.mark.parametrize(
    "values", [{}, {"fap_level": 4}, {"fap_level": 9, "cap_flags3": 5}, {"fap_level": 13}, {"heartbeat_interval": 0}]
)
def test_a_clean_channel_gives_no_finding(values: dict[str, Any]) -> None:
    watch = clean(**values)
    assert not watch.rules("error", "warning", "inferred", "info"), watch.findings
    assert (watch.overview.channel, watch.overview.queue_manager) == ("VENUS.TO.MARS", "MARS")
    assert (watch.overview.outcome, watch.overview.reason) == ("ended", 0)
    messages = [one.message for one in watch.seen(MessageSeen)]
    assert [one.data for one in messages] == [b"hello", b"", b"abcdefgh", b"hello"]
    assert [(one.sequence_number, one.batch, one.luwid) for one in messages] == [
        (1, 1, L1), (2, 1, L1), (3, 1, L1), (4, 2, L2)
    ]  # fmt: skip
    assert {(one.queue, one.queue_manager) for one in messages} == {("TARGET", "MARS")}
    assert messages[2].first.packet == messages[2].last.packet - 1
    assert [one.fate for one in watch.seen(MessageSettled)] == [MessageOutcome.CONFIRMED] * 4


@pytest.mark.spec("mq-wire.md 5.1")
@pytest.mark.parametrize("level", [1, 3, 8, 11, 17])
def test_every_level_is_understood(level: int) -> None:
    """Below 4 nothing names the queue managers or the heartbeat interval."""
    watch = clean(fap_level=level)
    assert not watch.rules("error", "warning", "inferred", "info"), watch.findings
    agreed = watch.part.negotiation.agreed
    assert (agreed.fap_level, agreed.batch_size) == (level, 50)
    assert (agreed.called, agreed.heartbeat_interval) == (("MARS", 300) if level >= 4 else ("", 0))


@pytest.mark.spec("mq-wire.md 4.2")
def test_compressed_messages_are_counted_and_not_guessed() -> None:
    def squeezed(flags: int, luwid: bytes = L1) -> bytes:
        return THEY.build(SegmentType.MESSAGE_DATA, b"?" * 60, flags1=flags, flags2=3, luwid=luwid)

    lists = {"hdr_comp_list": b"\x08\xff", "msg_comp_list": b"\x02" + b"\xff" * 15}
    watch = Watch()
    answers({"fap_level": 13, **lists}, {})(watch)
    watch.caller(put(1), squeezed(0x30), squeezed(0x10), squeezed(0x00), squeezed(0x20), end_of_batch())
    watch.called(status(0, luwid=L1))
    watch.caller(put(9, luwid=L2), end_of_batch(L2))
    watch.called(status(0, luwid=L2))
    watch.caller(status(0x08))
    watch.end()
    assert [(one.rule, one.packet) for one in watch.findings if one.rule < "C-600"] == [("C-012", 3)]
    (said,) = [one.seen for one in watch.findings if one.rule == "C-012"]
    assert said == "headers compressed (agreed: SYSTEM) and message data compressed (agreed: ZLIBFAST)"
    assert [one.messages for one in watch.seen(BatchSettled)] == [3, 1]
    assert [one.message.sequence_number for one in watch.seen(MessageSeen)] == [1, 9]
    agreed = watch.part.negotiation.agreed
    assert (agreed.header_compression, agreed.message_compression) == (8, 2)


@pytest.mark.spec("mq-wire.md 1.3")
def test_a_big_endian_end_that_writes_ebcdic_is_understood() -> None:
    writer = SegmentWriter(ByteOrder.BIG, 500)
    watch = Watch()
    watch.caller(initial_data(writer=writer))
    watch.called(initial_data(flags=0, writer=writer, q_mgr_name="MARS"))
    watch.caller(put(1, writer=writer), end_of_batch(writer=writer))
    watch.called(status(0, luwid=L1, writer=writer))
    watch.caller(status(8, writer=writer))
    watch.end()
    assert not watch.rules("error", "warning", "inferred", "info"), watch.findings
    (seen,) = watch.seen(MessageSeen)
    assert (seen.message.queue, seen.message.order, seen.message.ccsid) == ("TARGET", ByteOrder.BIG, 500)
    assert watch.overview.queue_manager == "MARS"


def test_a_capture_that_starts_in_the_middle_blames_nobody() -> None:
    watch = Watch(whole=False)
    watch.called(status(0, luwid=L1))
    watch.caller(more_of_it(b"rest", flags=0x20), put(7, luwid=L2), put(8, luwid=L2), end_of_batch(L2))
    watch.called(status(0, luwid=L2))
    watch.end(Ending.OPEN)
    assert not watch.rules("error", "warning", "inferred"), watch.findings
    assert [one.fate for one in watch.seen(MessageSettled)] == [MessageOutcome.CONFIRMED] * 2
    assert (watch.overview.outcome, watch.overview.uncertain) == ("open", False)


@pytest.mark.parametrize(
    ("play", "outcome", "reason"),
    [
        (after(lambda watch: watch.end()), "cut", 0),
        (after(lambda watch: watch.end(Ending.OPEN)), "open", 0),
        (*FAULTS["C-308"][:1], "refused", 1),
        (*FAULTS["C-307"][:1], "cut", 4),
        (*FAULTS["C-120"][:1], "refused", 0),
    ],
)
def test_the_outcome_of_a_connection(play: Play, outcome: str, reason: int) -> None:
    watch = judged(play)
    assert (watch.overview.outcome, watch.overview.reason) == (outcome, reason)


def test_fast_messages_of_a_lost_batch_may_have_arrived() -> None:
    watch = judged(after(put(1), put(2, md_persistence=0), end_of_batch(), lambda watch: watch.end()))
    assert [one.fate for one in watch.seen(MessageSettled)] == [MessageOutcome.IN_DOUBT, MessageOutcome.UNKNOWN]


def test_a_refused_batch_tells_the_reason_with_each_message() -> None:
    watch = judged(FAULTS["C-215"][1])
    (settled,) = watch.seen(MessageSettled)
    assert (settled.fate, settled.reason) == (MessageOutcome.BACKED_OUT, 6)
    (found,) = (one for one in watch.findings if one.rule == "C-215")
    assert found.seen.startswith(f"status {StatusCode(6)}, ")


def test_facts_that_the_notes_call_inferred_give_no_errors() -> None:
    """mq-wire.md 5.14 (Unknown1), 6, 7.2 (levels, capabilities, lists), 7.3 to 7.8; channels.md 5.4."""
    numbers = (
        "011 013 017 018 102 108 109 110 111 112 113 118 119 203 206 207 208 209 211 213 216 305 311 313 315 421 425"
    )
    inferred = {f"C-{number}" for number in numbers.split()}
    rows = load()
    assert {number for number in CHANNEL_RULES if rows[number].severity is Severity.INFERRED} == inferred


def test_a_message_in_a_common_header_is_read() -> None:
    plain, common = put(1), bytearray(put(1))
    common[:4] = b"TSHC"
    seen, other = (judged(after(segment)).seen(MessageSeen) for segment in (plain, bytes(common)))
    assert [one.message.queue for one in other] == [one.message.queue for one in seen] == ["TARGET"]
