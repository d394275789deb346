"""The columns of fields in the table of segments hold what ``mqbridge decode`` shows of the same bytes."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqbridge.captures.analysis.segment_rows import MAX_FIELDS, MAX_VALUE, read_fields
from mqbridge.captures.tables import CommonFields
from mqbridge.protocol.constants import ByteOrder, ControlFlags1, SegmentType
from mqbridge.protocol.dissection import Findings, dissect_segment
from mqbridge.protocol.framing import SegmentWriter
from mqbridge.protocol.segment import Segment
from mqbridge.protocol.structures import API, MD, make_pcf, string_parameter
from support.captures.damaged_segments import SEGMENTS, damaged_segments, segment_of

WANTED = frozenset(("MD.MsgId", "OD.ObjectName", "API.CompCode", "MD#2.MsgId", "data.Length", "UID.UserId"))
COLUMNS = {
    "ChannelName": "channel", "QMgrName": "queue_manager", "ResolvedQMgrName": "queue_manager",
    "ObjectQMgrName": "queue_manager", "RemoteQMgrName": "queue_manager", "UserId": "user", "LongUserId": "user",
    "UserIdentifier": "user", "ObjectName": "object_name", "RemoteQName": "object_name", "ResolvedQName": "object_name",
    "ObjectHandle": "handle", "CompCode": "comp_code", "Reason": "reason", "ReasonCode": "reason", "Options": "options",
    "FapLevel": "fap_level", "SequenceNumber": "sequence_number", "DataLength": "data_length", "Format": "format",
    "Persistence": "persistence", "MsgId": "msg_id", "CorrelId": "correl_id", "ReplyToQ": "reply_to_q",
}  # fmt: skip
TEXTS = {"channel", "queue_manager", "user", "object_name", "format", "msg_id", "correl_id", "reply_to_q"}


def shown_fields(segment: Segment) -> tuple[dict[str, Any], dict[str, str]]:
    """Common fields that have a value, and all fields, of what is shown of a segment."""
    _, *structures = dissect_segment(segment, Findings())["structures"]
    common: dict[str, Any] = {}
    fields: dict[str, str] = {}
    names: list[str] = []
    for shown in structures:
        name = shown["structure"]
        names.append(name)
        prefix = name if names.count(name) == 1 else f"{name}#{names.count(name)}"
        if "fields" not in shown:
            fields |= {f"{prefix}.Length": str(shown["length"])} if name == "data" else {prefix: shown["hex"]}
            continue
        for field, value in shown["fields"].items():
            fields[f"{prefix}.{field}"] = str(value)
            if field in COLUMNS and value != "" and (COLUMNS[field] not in common or field == "LongUserId"):
                common[COLUMNS[field]] = value
    return {key: value for key, value in common.items() if isinstance(value, str) == (key in TEXTS)}, fields


def assert_same(data: bytes) -> None:
    segment = segment_of(data)
    common, fields = shown_fields(segment)
    cut = {key: value[:MAX_VALUE] for key, value in list(fields.items())[:MAX_FIELDS]}
    assert read_fields(segment, None) == (CommonFields(**common), cut)
    wanted = {key: value[:MAX_VALUE] for key, value in fields.items() if key in WANTED}
    assert read_fields(segment, WANTED) == (CommonFields(**common), wanted)


@pytest.mark.parametrize("data", SEGMENTS)
def test_recorded_segments(data: bytes) -> None:
    assert_same(data)


@given(damaged_segments(whole_header=True))
def test_damaged_segments(data: bytes) -> None:
    assert_same(data)


@given(st.integers(1, 0xBA), st.binary(max_size=3000), st.sampled_from([0, 0x10, 0x20, 0x30]))
def test_any_body_of_any_type(segment_type: int, body: bytes, flags1: int) -> None:
    assert_same(SegmentWriter(ByteOrder.BIG).build(segment_type, body, flags1=flags1))


def test_a_command_of_very_many_parameters() -> None:
    pcf = make_pcf(
        ByteOrder.LITTLE, 38, [string_parameter(number, b"%d" % number) for number in range(2000, 2400)]
    ).build()
    descriptor = MD.codec(ByteOrder.LITTLE)(format=b"MQADMIN ", version=2).build()
    options = b"PMO " + (1).to_bytes(4, "little") + bytes(120)
    body = API.codec(ByteOrder.LITTLE)().build() + descriptor + options + len(pcf).to_bytes(4, "little") + pcf
    data = SegmentWriter(ByteOrder.LITTLE).build(
        SegmentType.MQPUT, body, flags1=int(ControlFlags1.FIRST | ControlFlags1.LAST)
    )
    _, fields = read_fields(segment_of(data), None)
    assert len(fields) == MAX_FIELDS
    assert fields["MQCFST#2.String"] == "2001"
    assert_same(data)
