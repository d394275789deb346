"""The comparison of two servers' answers: pairing, values that are given, masks, and how fields are found."""

from __future__ import annotations

from typing import Any

import pytest

from mqbridge.captures.differential import (
    AnswerComparison,
    Difference,
    GivenValues,
    Mask,
    exactly,
    fields_of,
    segments_of,
    shown_value,
    tally,
)
from mqbridge.captures.differential.known_masks import ANY_ENDPOINT, NEGOTIATED
from mqbridge.protocol.constants import MQRC, ByteOrder, SegmentType
from mqbridge.protocol.framing import Segment, SegmentWriter
from mqbridge.protocol.structures import API, CLOSE_OPTIONS, OD, STATUS, UID
from support.captures.vectors import thesis

WRITER = SegmentWriter(ByteOrder.BIG, 819)
WHOLE = 0x30


def one(data: bytes) -> Segment:
    (segment,) = segments_of(data)
    return segment


def call(kind: SegmentType, handle: int, *, reason: int = 0, conversation: int = 1, flags: int = WHOLE) -> Segment:
    api = API.codec(ByteOrder.BIG)(comp_code=2 if reason else 0, reason=reason, object_handle=handle).build()
    options = CLOSE_OPTIONS.codec(ByteOrder.BIG)().build() if kind == SegmentType.MQCLOSE else b""
    return one(WRITER.build_shared(conversation, 0, kind, api, options, flags1=flags))


def answered(recorded: list[Segment], now: list[Segment], **options: Any) -> AnswerComparison:
    comparison = AnswerComparison(**options)
    comparison.expect(1, recorded, range(1, 100))
    comparison.hear(1, now)
    return comparison


def test_equal_answers_are_equal() -> None:
    found = tally(answered([call(SegmentType.MQCMIT_REPLY, 0)] * 2, [call(SegmentType.MQCMIT_REPLY, 0)] * 2), ())
    assert (found.equal, found.allowed.total(), found.different) == (2 * (12 + 4), 0, [])


def test_another_reason_is_a_difference_with_its_place() -> None:
    refused = call(SegmentType.MQCMIT_REPLY, 0, reason=int(MQRC.BACKED_OUT))
    found = tally(answered([call(SegmentType.MQCMIT_REPLY, 0)], [refused]), ())
    assert [row.as_row() for row in found.different] == [
        {
            "flow": 1,
            "segment": 1,
            "structure": "API",
            "field": name,
            "recorded": 0,
            "seen": seen,
            "answer": "socket 1, MQCMIT_REPLY TSHM 1/0 0x30",
        }
        for name, seen in (("CompCode", 2), ("Reason", 2003))
    ]
    assert found.equal == 12 + 4 - 2


def test_a_handle_is_learnt_and_put_into_requests() -> None:
    comparison = answered([call(SegmentType.MQOPEN_REPLY, 5)], [call(SegmentType.MQOPEN_REPLY, 77)])
    said = one(comparison.request(1, call(SegmentType.MQCLOSE, 5)))
    assert {field.value for field in fields_of(said) if field.key == "API.ObjectHandle"} == {77}
    others = one(comparison.request(1, call(SegmentType.MQCLOSE, 5, conversation=3)))
    assert {field.value for field in fields_of(others) if field.key == "API.ObjectHandle"} == {5}
    found = tally(comparison, ())
    assert (dict(found.allowed), found.different) == ({"handle": 1}, [])


def test_a_handle_that_is_not_used_throughout_is_a_difference() -> None:
    recorded = [call(SegmentType.MQOPEN_REPLY, 5), call(SegmentType.MQINQ_REPLY, 5)]
    comparison = answered(recorded, [call(SegmentType.MQOPEN_REPLY, 77), call(SegmentType.MQINQ_REPLY, 78)])
    (difference,) = tally(comparison, ()).different
    assert (difference.field, difference.recorded, difference.ours) == ("API.ObjectHandle", 77, 78)


def test_a_handle_given_again_is_learnt_again() -> None:
    replies = [call(SegmentType.MQOPEN_REPLY, handle) for handle in (5, 5)]
    comparison = answered(replies, [call(SegmentType.MQOPEN_REPLY, handle) for handle in (7, 9)])
    assert tally(comparison, ()).different == []
    said = one(comparison.request(1, call(SegmentType.MQCLOSE, 5)))
    assert {field.value for field in fields_of(said) if field.key == "API.ObjectHandle"} == {9}


def opened(name: str, *, reason: int = 0) -> Segment:
    api = API.codec(ByteOrder.BIG)(
        comp_code=2 if reason else 0, reason=reason, object_handle=0 if reason else 2
    ).build()
    od = OD.codec(ByteOrder.BIG)(version=1, object_name=name.encode().ljust(48)).build()
    return one(WRITER.build_shared(1, 0, SegmentType.MQOPEN_REPLY, api, od, flags1=WHOLE))


def test_a_call_that_fails_does_not_make_names_of_other_answers_blank() -> None:
    recorded = [opened("ORDERS"), opened("ORDERS"), opened("AMQ.1")]
    now = [opened("", reason=int(MQRC.UNKNOWN_OBJECT_NAME)), opened("ORDERS"), opened("AMQ.2")]
    found = tally(answered(recorded, now), ())
    assert [row.segment for row in found.different if row.field == "OD.ObjectName"] == [1]
    assert found.allowed["name"] == 1


def test_what_initiators_say_is_compared_as_it_is() -> None:
    comparison = answered([call(SegmentType.MQCLOSE, 5)], [call(SegmentType.MQCLOSE, 7)], learns=False)
    assert [difference.field for difference in tally(comparison, ()).different] == ["API.ObjectHandle"]


OPENED = "MQOPEN_REPLY TSHM 1/0 0x30"
COMMITTED = "MQCMIT_REPLY TSHM 1/0 0x30"


@pytest.mark.parametrize(
    ("now", "recorded_text", "ours_text"),
    [
        ([], f"{OPENED}, {COMMITTED}", "nothing"),
        ([SegmentType.MQCMIT_REPLY], f"{OPENED}, {COMMITTED}", COMMITTED),
        ([SegmentType.MQOPEN_REPLY], COMMITTED, "nothing"),
    ],
    ids=["none", "others", "fewer"],
)
def test_answers_that_are_missing(now: list[SegmentType], recorded_text: str, ours_text: str) -> None:
    recorded = [call(SegmentType.MQOPEN_REPLY, 2), call(SegmentType.MQCMIT_REPLY, 0)]
    comparison = answered(recorded, [call(kind, 2 if kind == SegmentType.MQOPEN_REPLY else 0) for kind in now])
    (difference,) = tally(comparison, ()).different
    assert (difference.structure, difference.name) == ("flow", "answers")
    assert (difference.recorded, difference.ours) == (recorded_text, ours_text)
    assert difference.segment == (2 if SegmentType.MQOPEN_REPLY in now else 1)


def test_answers_of_other_conversations_may_come_in_another_order() -> None:
    both = [call(SegmentType.MQCMIT_REPLY, 0, conversation=number) for number in (1, 3)]
    assert tally(answered(both, both[::-1]), ()).different == []


def test_a_mask_allows_what_it_says_and_no_more() -> None:
    comparison = answered([call(SegmentType.MQCMIT_REPLY, 0)], [call(SegmentType.MQCMIT_REPLY, 0, reason=2003)])
    masks = (
        Mask("outcome", "API.CompCode API.Reason", "for this test", "MQCMIT_REPLY", when=exactly(0, 2003)),
        Mask("elsewhere", "API.*", "for another answer", "MQOPEN_REPLY"),
    )
    found = tally(comparison, masks)
    assert (dict(found.allowed), [each.field for each in found.different]) == ({"outcome": 1}, ["API.CompCode"])


@pytest.mark.spec("channels.md 4")
@pytest.mark.parametrize(
    ("key", "proposed", "seen", "fits"),
    [
        ("ID.MaxMessageSize", 1000, 500, True),
        ("ID.MaxMessageSize", 1000, 2000, False),
        ("ID.HeartbeatInterval", 300, 600, True),
        ("ID.HeartbeatInterval", 300, 0, True),
        ("ID.HeartbeatInterval", 300, 5, False),
        ("ID.ConvPerSocket", 10, 1, True),
        ("ID.ConvPerSocket", -1, 1, False),
        ("ID.CapFlags1", 0x14, 0x04, True),
        ("ID.CapFlags1", 0x14, 0x01, False),
        ("ID.FapLevel", 13, 12, True),
        ("ID.FapLevel", 12, 13, False),
    ],
)
def test_agreed_values_follow_the_rules_of_the_agreement(key: str, proposed: int, seen: int, fits: bool) -> None:
    difference = Difference(key, "socket 1, INITIAL_DATA TSH 0/0 0x30", 999, seen, proposed=proposed)
    assert any(mask.covers(difference) for mask in NEGOTIATED) is fits


@pytest.mark.parametrize(
    ("recorded", "seen", "fits"), [(597, 581, True), (581, 597, True), (-1, 597, False), (597, -1, False)]
)
def test_the_time_that_a_message_has_left_may_be_another(recorded: int, seen: int, fits: bool) -> None:
    difference = Difference("MD.Expiry", "socket 1, MQGET_REPLY TSHM 1/0 0x30", recorded, seen)
    assert any(mask.covers(difference) for mask in ANY_ENDPOINT) is fits


def test_the_name_of_a_queue_manager_is_followed_whatever_fills_it() -> None:
    given = GivenValues()
    (field,) = (each for each in fields_of(one(thesis(2))) if each.key == "ID.QMgrName")
    answer = answered([one(thesis(2))], [one(thesis(2))])
    assert answer.mapped.total() == 0
    key = given.key(1, one(thesis(2)), field)
    assert key == ("queue manager", b"QM_carlitosway")


@pytest.mark.spec("mq-wire.md 5.14")
def test_segments_of_message_channels_have_fields() -> None:
    keys = [field.key for field in fields_of(one(thesis(3)))]
    assert {"TSH.LUWID", "MSH.SequenceNumber", "XQH.RemoteQName", "MD.Format", "data.bytes"} <= set(keys)
    (data,) = (field.value for field in fields_of(one(thesis(3))) if field.key == "data.bytes")
    assert data == b"hola"
    status = one(WRITER.build(SegmentType.STATUS_DATA, STATUS.codec(ByteOrder.BIG)(length=12, code=4, value=9).build()))
    assert [(field.name, field.value) for field in fields_of(status)][-3:] == [
        ("Length", 12),
        ("Code", 4),
        ("Value", 9),
    ]


def test_a_password_is_never_shown() -> None:
    body = UID.codec(ByteOrder.BIG)(user_id=b"joe".ljust(12), password=b"secret".ljust(12)).build()
    segment = one(WRITER.build(SegmentType.USERID_DATA, body))
    other = one(WRITER.build(SegmentType.USERID_DATA, body.replace(b"secret", b"SECRET")))
    (difference,) = tally(answered([segment], [other], learns=False), ()).different
    assert difference.field == "UID.Password"
    assert "secret" not in str(difference.as_row()).lower()


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (7, 7),
        (None, None),
        (b"QM1   ", "QM1"),
        (b"\x01\x02", "0102"),
        ([1, 2], "[1, 2]"),
        (b"x" * 200, "x" * 120 + "… (200 characters)"),
    ],
)
def test_values_are_shown_for_people(value: Any, shown: Any) -> None:
    assert shown_value(value) == shown
