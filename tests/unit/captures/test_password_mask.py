"""Passwords are taken out of recordings, and nothing else is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqbridge.captures.recording.masking import MAX_SIGN_ON, PasswordMask
from mqbridge.protocol.constants import ByteOrder, SegmentType
from mqbridge.protocol.framing import SegmentWriter
from mqbridge.protocol.structures import CAUT, CAUT_13, UID
from support.transcripts.client_transcripts import transcript, transcript_names

PASSWORD = b"passw0rd"
NAMES = [name for name in transcript_names() if name.startswith("auth-")]


def masked(stream: bytes, cuts: list[int] | None = None) -> bytes:
    """The stream given in pieces that end at the cuts."""
    mask = PasswordMask()
    out, start = b"", 0
    for cut in [*sorted(set(cuts or [])), len(stream)]:
        out += mask.mask(stream[start:cut])
        start = cut
    return out + mask.rest()


def streams(name: str) -> list[bytes]:
    return [
        b"".join(segment.data for segment in connection if segment.side == side)
        for connection in transcript(name).sockets()
        for side in ("client", "server")
    ]


def test_the_transcripts_hold_passwords() -> None:
    held = [name for name in NAMES if any(PASSWORD in stream for stream in streams(name))]
    assert len(held) >= 3


@pytest.mark.spec("mq-wire.md 5.3")
@pytest.mark.parametrize("name", NAMES)
def test_no_password_of_ibms_client_is_left(name: str) -> None:
    for stream in streams(name):
        given = masked(stream)
        assert PASSWORD not in given
        assert len(given) == len(stream)


def sign_on(writer: SegmentWriter, form: object, password: bytes = PASSWORD) -> bytes:
    structure = CAUT_13 if form == 13 else CAUT
    fields: dict[str, object] = {
        "struc_id": b"CAUT",
        "auth_type": 1,
        "user_id_max_length": 12,
        "password_max_length": 12,
        "user_id_length": 3,
        "password_length": len(password),
        "user_id": b"app",
        "password": password,
        "padding": b"\0",
    }
    if form == 13:
        fields["reserved"] = bytes(8)
    return writer.build(SegmentType.CONAUTH_INFO, structure.build(fields, writer.order))


@pytest.mark.spec("mq-wire.md 5.3")
@pytest.mark.parametrize("order", [ByteOrder.BIG, ByteOrder.LITTLE])
@pytest.mark.parametrize("form", [12, 13])
def test_only_the_password_is_overwritten(order: str, form: int) -> None:
    segment = sign_on(SegmentWriter(order), form)  # type: ignore[arg-type]
    given = masked(segment)
    assert given == segment.replace(PASSWORD + b"\0", b"*" * (len(PASSWORD) + 1))


@pytest.mark.spec("mq-wire.md 5.2")
def test_the_password_of_userid_data_is_overwritten() -> None:
    writer = SegmentWriter(ByteOrder.BIG)
    body = b"UID " + b"app         " + b"secret      " + b"app".ljust(64) + bytes(40)
    assert len(body) == UID.size
    segment = writer.build(SegmentType.USERID_DATA, body)
    assert masked(segment) == segment.replace(b"secret      ", b"*" * 12)


@pytest.mark.parametrize("nothing", [b" " * 12, bytes(12)])
def test_a_password_that_was_not_given_stays_so(nothing: bytes) -> None:
    body = b"UID " + b"app         " + nothing + b"app".ljust(64) + bytes(40)
    segment = SegmentWriter(ByteOrder.BIG).build(SegmentType.USERID_DATA, body)
    assert masked(segment) == segment


def test_a_length_that_lies_hides_everything_behind_it() -> None:
    segment = bytearray(sign_on(SegmentWriter(ByteOrder.BIG), 12))
    segment[28 + 16 : 28 + 20] = (5000).to_bytes(4, "big")
    given = masked(bytes(segment))
    assert PASSWORD not in given
    assert given[: 28 + 24] == segment[: 28 + 24]


def test_a_sign_on_that_is_too_long_is_overwritten_whole() -> None:
    writer = SegmentWriter(ByteOrder.LITTLE)
    segment = writer.build(SegmentType.CONAUTH_INFO, PASSWORD * (MAX_SIGN_ON // 4))
    following = writer.build(SegmentType.HEARTBEAT)
    assert masked(segment + following) == segment[:28] + b"*" * (len(segment) - 28) + following


def test_a_sign_on_that_is_cut_off_gives_nothing_away() -> None:
    segment = sign_on(SegmentWriter(ByteOrder.BIG), 13)[:-2]
    assert masked(segment) == segment[:28] + b"*" * (len(segment) - 28)


@pytest.mark.parametrize(
    "stream", [b"", b"T", b"\x16\x03\x01\x02\x00" + bytes(100), b"GET / HTTP/1.1\r\n\r\n", b"TSHx" * 9]
)
def test_what_is_not_mq_passes_as_it_is(stream: bytes) -> None:
    assert masked(stream) == stream


@given(
    st.lists(
        st.one_of(
            st.builds(lambda form: sign_on(SegmentWriter(ByteOrder.LITTLE), form), st.sampled_from([12, 13])),
            st.builds(
                lambda body: SegmentWriter(ByteOrder.BIG).build(SegmentType.MESSAGE_DATA, body), st.binary(max_size=90)
            ),
            st.builds(
                lambda body: SegmentWriter(ByteOrder.BIG).build_shared(1, 3, SegmentType.MQPUT, body),
                st.binary(max_size=90),
            ),
        ),
        max_size=5,
    ),
    st.binary(max_size=40),
    st.lists(st.integers(0, 600), max_size=12),
)
def test_where_the_stream_is_cut_does_not_matter(segments: list[bytes], rest: bytes, cuts: list[int]) -> None:
    stream = b"".join(segments) + rest
    whole = masked(stream)
    assert masked(stream, [cut for cut in cuts if cut < len(stream)]) == whole
    assert len(whole) == len(stream)
    assert PASSWORD not in whole or PASSWORD in rest
