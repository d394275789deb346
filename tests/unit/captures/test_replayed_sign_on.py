"""What is put in place of recorded values before they are played: credentials, and message sequence numbers."""

from __future__ import annotations

import pytest

from mqbridge.captures.against.credentials import ReplayCredentials, password_is_masked
from mqbridge.captures.against.sequence_numbers import Renumbering
from mqbridge.captures.differential import WireField, fields_of, segments_of
from mqbridge.captures.differential.recorded_flows import Step, recorded_flows
from mqbridge.protocol.constants import ByteOrder, SegmentType
from mqbridge.protocol.direction import Direction
from mqbridge.protocol.framing import Segment, SegmentWriter
from mqbridge.protocol.structures import CAUT, CAUT_13, UID, parse_conauth
from mqbridge.protocol.text import decode_text
from support.captures.files import JMS_CAPTURE
from support.captures.vectors import thesis


def conauth(password: bytes, form: int, *, shared: bool = False, ccsid: int = 819) -> Segment:
    values = {
        "struc_id": b"CAUT",
        "auth_type": 1,
        "user_id_max_length": 4,
        "password_max_length": len(password),
        "user_id_length": 4,
        "password_length": len(password),
        "user_id": b"user",
        "password": password,
        "padding": b"",
    }
    body = (
        CAUT.build(values, ByteOrder.BIG)
        if form == 12
        else CAUT_13.build({**values, "reserved": bytes(8)}, ByteOrder.BIG)
    )
    writer = SegmentWriter(ByteOrder.BIG, ccsid)
    filled = body + bytes(-len(body) % 4)
    data = (
        writer.build_shared(1, 0, SegmentType.CONAUTH_INFO, filled, flags1=0x31)
        if shared
        else writer.build(SegmentType.CONAUTH_INFO, body, flags1=0x31)
    )
    (segment,) = segments_of(data)
    return segment


def user_data(password: bytes) -> Segment:
    body = UID.codec(ByteOrder.BIG)(
        user_id=b"USER".ljust(12), password=password.ljust(12), long_user_id=b"user".ljust(64)
    ).build()
    (segment,) = segments_of(SegmentWriter(ByteOrder.BIG, 819).build(SegmentType.USERID_DATA, body))
    return segment


def texts(segment: Segment) -> list[WireField]:
    return [field for field in fields_of(segment) if isinstance(field.value, bytes)]


@pytest.mark.spec("mq-wire.md 5.3")
@pytest.mark.parametrize("form", [12, 13])
@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("ccsid", [819, 500])
def test_other_credentials_of_any_length(form: int, shared: bool, ccsid: int) -> None:
    recorded = conauth(b"*" * 9, form, shared=shared, ccsid=ccsid)
    (said,) = segments_of(ReplayCredentials("alice", "a much longer pass phrase").put_into(recorded))
    body = parse_conauth(said.body, ByteOrder.BIG)
    assert decode_text(body.user_id, ccsid) == "alice"
    assert decode_text(body.password, ccsid) == "a much longer pass phrase"
    assert (said.type, said.flags1, said.struc_id) == (recorded.type, recorded.flags1, recorded.struc_id)
    assert said.length == len(said.data)
    assert not shared or said.length % 4 == 0


@pytest.mark.spec("mq-wire.md 5.2")
def test_a_password_is_given_only_where_one_was() -> None:
    (with_one,) = segments_of(ReplayCredentials("alice", "secret").put_into(user_data(b"*" * 12)))
    (without,) = segments_of(ReplayCredentials("alice", "secret").put_into(user_data(b"")))
    told = [{field.key: bytes(field.value).rstrip(b"\0 ") for field in texts(each)} for each in (with_one, without)]
    assert [(each["UID.UserId"], each["UID.LongUserId"], each["UID.Password"]) for each in told] == [
        (b"ALICE", b"alice", b"secret"),
        (b"ALICE", b"alice", b""),
    ]


def test_masked_passwords_are_known() -> None:
    assert password_is_masked(user_data(b"*" * 12))
    assert password_is_masked(conauth(b"\xee" * 8, 13))
    assert password_is_masked(conauth(b"\x5c" * 3, 12))
    assert not password_is_masked(user_data(b""))
    assert not password_is_masked(user_data(b"secret"))
    assert not password_is_masked(conauth(b"secret", 12))
    flows, _ = recorded_flows(JMS_CAPTURE)
    masked = [flow.number for flow in flows if any(password_is_masked(step.segment) for step in flow.steps)]
    assert set(masked) >= {10, 11, 12, 13}


def test_nobody_shows_a_password() -> None:
    assert "secret" not in repr(ReplayCredentials("alice", "secret"))


# Sequence numbers


def messages(first: int, count: int, wrap: int = 999_999_999) -> list[Step]:
    begin = bytearray(thesis(1))
    (found,) = (field for field in fields_of(segments_of(thesis(1))[0]) if field.key == "ID.SequenceWrap")
    begin[found.offset : found.offset + 4] = wrap.to_bytes(4, "little")
    said = [bytes(begin)]
    for number in range(first, first + count):
        data = bytearray(thesis(3))
        data[32:36] = number.to_bytes(4, "little")
        said.append(bytes(data))
    return [Step(place, Direction.INITIATOR, 0.0, segments_of(data)[0]) for place, data in enumerate(said, 1)]


def numbers(steps: list[Step], renumbering: Renumbering) -> list[int]:
    played = (renumbering.as_played(step.segment) for step in steps)
    return [field.value for one in played for field in fields_of(one) if field.key == "MSH.SequenceNumber"]


@pytest.mark.spec("channels.md 5.3")
@pytest.mark.parametrize(
    ("first", "wanted", "wrap", "expected"),
    [
        (1, None, 999_999_999, [1, 2, 3]),
        (1, 14, 999_999_999, [14, 15, 16]),
        (20, 5, 999_999_999, [5, 6, 7]),
        (1, 999_999_998, 999_999_999, [999_999_998, 999_999_999, 1]),
        (3, 99, 100, [99, 100, 1]),
    ],
)
def test_messages_are_renumbered(first: int, wanted: int | None, wrap: int, expected: list[int]) -> None:
    steps = messages(first, 3, wrap)
    renumbering = Renumbering(steps, wanted)
    assert numbers(steps, renumbering) == expected
    for step in steps:
        assert renumbering.as_recorded(renumbering.as_played(step.segment)).data == step.segment.data


def test_the_advice_names_the_number_that_is_expected() -> None:
    assert "number 3, it expects 14" in Renumbering(messages(3, 1), None).advice(14)
    assert "number 9: RESET" in Renumbering(messages(3, 1), 9).advice(0)
