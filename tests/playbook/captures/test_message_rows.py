"""The same message on its way: put, got, and carried by a message channel, short, split and longer than is kept."""

from __future__ import annotations

import hashlib
import io
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest

from mqbridge.captures.analysis import AnalysisOptions, analyse_file
from mqbridge.captures.generate import ChannelTraffic, ClientTraffic, Scenario
from mqbridge.captures.generate.clients import ClientRun
from mqbridge.captures.tables import FindingRow, FlowRow, MessageRow, SegmentRow
from mqbridge.protocol.constants import MQCC, MQGMO, ByteOrder, ControlFlags1, SpiVerb
from mqbridge.protocol.structures import MD, MDE
from support.rules.message_faults import rfh2
from support.transcripts.captures import transcript_capture
from support.transcripts.client_transcripts import transcript_names

HEADER = rfh2(b"<usr><size dt='i4'>42</size><on dt='boolean'>1</on></usr>  ", ccsid=819)


def messages(channels: Sequence[ChannelTraffic] = (), clients: Sequence[ClientTraffic] = ()) -> list[MessageRow]:
    made = Scenario(seed=1, channels=channels, clients=clients).build()
    rows = analyse_file(io.BytesIO(made.data), AnalysisOptions("c", frozenset({"messages"})))
    return [row for row in rows if isinstance(row, MessageRow)]


def recorded_messages(name: str) -> list[MessageRow]:
    """Of a transcript of a real client."""
    rows = analyse_file(io.BytesIO(transcript_capture(name)), AnalysisOptions(name, frozenset({"messages"})))
    return [row for row in rows if isinstance(row, MessageRow)]


def rules(clients: Sequence[ClientTraffic]) -> list[str]:
    made = Scenario(seed=1, channels=(), clients=clients).build()
    return [row.rule for row in analyse_file(io.BytesIO(made.data)) if isinstance(row, FindingRow)]


def put_and_get(*data: bytes, **fields: Any) -> Any:
    """A program that puts messages and gets them back."""

    def program(run: ClientRun) -> None:
        assert run.open()
        order = run.client.link.wire.writer.order
        values = {"version": 2, "encoding": 0x222, "coded_char_set_id": 819, "format": b"MQHRF2  ", **fields}
        for one in data:
            run.done(run.client.calls.put(run.handle, MD.codec(order)(**values).build(), one, 0, run.now))
        for _ in data:
            run.get(int(MQGMO.NO_SYNCPOINT))

    return program


@pytest.mark.parametrize("length", [0, 2_000, 200_000, 1_500_000])
def test_the_hash_of_a_body_is_the_same_wherever_the_message_passes(length: int) -> None:
    body = bytes(range(256)) * (length // 256) + b"!"
    big = {"max_message_length": 4_194_304}
    rows = messages(
        [ChannelTraffic(sizes=[0], text=HEADER + body, format="MQHRF2")],
        [
            ClientTraffic(program=put_and_get(HEADER + body), server=big),
            ClientTraffic(program=put_and_get(HEADER + body), server={**big, "shared_conversations": 0}),
        ],
    )
    assert sorted(row.course for row in rows) == ["channel", "get", "get", "put", "put"]
    for row in rows:
        assert row.body_sha256 == hashlib.sha256(body).hexdigest(), row.course
        assert (row.whole, row.fate, row.headers) == (True, "confirmed", ["RFH2"])
        assert (row.length, row.body_length) == (len(HEADER + body), len(body))
        assert row.properties == {"size": "42", "on": "true"}
        assert row.property_types == {"size": "i4", "on": "boolean"}


def test_headers_that_go_on_behind_what_is_kept_leave_no_hash() -> None:
    long = rfh2(b"<usr>" + b" " * 1_100_000 + b"</usr>", ccsid=819)
    clients = [ClientTraffic(program=put_and_get(long + b"body"))]
    assert "C-430" not in rules(clients)
    for row in messages(clients=clients):
        assert (row.body_sha256, row.headers, row.whole) == (None, [], True)


def test_a_group_is_the_same_in_a_descriptor_of_version_2_and_in_an_extension() -> None:
    extension = MDE.codec(ByteOrder.LITTLE)(
        group_id=b"G" * 24, msg_seq_number=7, msg_flags=8, format=b"MQHRF2  ", encoding=0x222, coded_char_set_id=819
    )
    carried = ChannelTraffic(sizes=[0], text=extension.build() + HEADER + b"body", format="MQHMDE")
    put = ClientTraffic(program=put_and_get(HEADER + b"body", group_id=b"G" * 24, msg_seq_number=7, msg_flags=8))
    for row in messages([carried], [put]):
        assert row.headers[-1] == "RFH2", row
        assert (row.group_id, row.msg_seq_number, row.msg_flags) == ("47" * 24, 7, 8), row.course
        assert (row.offset, row.original_length) == (0, -1)
        assert row.body_sha256 == hashlib.sha256(b"body").hexdigest()


def test_fields_that_version_1_has_not_have_the_values_that_stand_for_them() -> None:
    (row,) = messages([ChannelTraffic(sizes=[4])])
    assert (row.version, row.group_id, row.msg_seq_number, row.original_length) == (1, "00" * 24, 1, -1)


def test_a_property_without_a_value_is_no_text() -> None:
    header = rfh2(b"<usr><a xsi:nil='true'></a><b>None</b></usr>", ccsid=819)
    (row,) = messages([ChannelTraffic(sizes=[0], text=header, format="MQHRF2")])
    assert (row.properties, row.property_types) == ({"a": "", "b": "None"}, {"a": "nil", "b": "string"})


def test_a_message_comes_from_the_queue_manager_that_it_was_asked_of() -> None:
    there = {(row.course, row.queue_manager) for row in recorded_messages("jms-temp") if row.queue.startswith("AMQ.")}
    assert there == {("put", "QM1"), ("get", "QM1")}


@pytest.mark.spec("client-observed.md O-089")
@pytest.mark.parametrize("name", ["inject-INRC2016", "inject-INRC2033"])
def test_a_reason_in_place_of_a_message_is_no_message(name: str) -> None:
    assert recorded_messages(name) == []


def test_a_unit_of_work_may_hold_more_data_than_are_kept() -> None:
    rows = messages(clients=[ClientTraffic(puts=[900_000] * 25, syncpoint=True, commit_every=25)])
    assert [row.fate for row in rows] == ["confirmed"] * 25


def test_a_batch_may_hold_more_data_than_are_kept() -> None:
    text = HEADER + bytes(900_000)
    rows = messages([ChannelTraffic(sizes=[0] * 25, text=text, format="MQHRF2")])
    assert [(row.fate, row.headers) for row in rows] == [("confirmed", ["RFH2"])] * 25
    assert {row.body_sha256 for row in rows} == {hashlib.sha256(bytes(900_000)).hexdigest()}


# Real clients


def passed(rows: Sequence[SegmentRow]) -> Counter[str]:
    """Messages by course, counted in the segments that begin them, each taken apart by itself."""
    found: Counter[str] = Counter()
    for row in rows:
        fields, name = row.fields, row.segment_name
        assert fields is not None
        assert row.common is not None
        if not row.control_flags1 & ControlFlags1.FIRST:
            continue
        if name in ("MQPUT", "MQPUT1") or (name == "SPI" and fields["SPI.Verb"] == str(int(SpiVerb.PUT))):
            found["put"] += 1
        elif name == "ASYNC_MESSAGE":
            found["get"] += "MD.MsgId" in fields and fields["MD.MsgId"] != "00" * 24
        elif name == "MQGET_REPLY":
            releases_lock = int(fields.get("GMO.Options", "0")) & MQGMO.UNLOCK
            found["get"] += row.common.comp_code != MQCC.FAILED and not releases_lock
    return found


def test_every_message_of_real_clients_is_there_once_with_the_body_that_was_put() -> None:
    bodies = 0
    for name in transcript_names():
        tables = frozenset({"messages", "segments", "flows"})
        rows = list(analyse_file(io.BytesIO(transcript_capture(name)), AnalysisOptions(name, tables)))
        there = [row for row in rows if isinstance(row, MessageRow)]
        expected = passed([row for row in rows if isinstance(row, SegmentRow)])
        if name == "late-AFTER":
            expected["get"] -= 1  # it comes for a handle that is closed, and no program has it
        assert Counter("put" if row.course == "put" else "get" for row in there) == +expected, name
        assert sum(row.messages for row in rows if isinstance(row, FlowRow)) == len(there)
        put = {row.msg_id: row for row in there if row.course == "put" and row.fate != "refused"}
        for row in there:
            assert row.queue
            assert row.latency is None or 0 <= row.latency < 60
            assert (row.confirm_time is None) == (row.fate in ("unknown", "in doubt"))
            of_put = put.get(row.msg_id)
            assert (row.body_sha256 is None) == (not row.whole)
            if row.body_sha256 is None or of_put is None or row is of_put:
                continue
            bodies += 1
            for column in SAME:
                assert getattr(row, column) == getattr(of_put, column), (name, row.msg_id, column)
    assert bodies > 200


SAME = (
    "body_sha256", "body_length", "body_format", "body_ccsid", "headers", "properties", "property_types", "format",
    "correl_id", "group_id", "persistence", "priority", "msg_type", "report", "reply_to_q", "reply_to_q_mgr",
)  # fmt: skip
"""Columns that do not change between the put of a message and its get."""
