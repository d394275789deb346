"""The quick ways of AMQP messages: they write the bytes, and find the values, of the careful ones."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("proton", reason="python-qpid-proton is not installed (extra amqp)")

from mqbridge.bridge.links.careful_codec import decode_carefully, encode_carefully
from mqbridge.bridge.links.quick_decoding import quick_decoded
from mqbridge.bridge.links.quick_encoding import quick_encoded
from mqbridge.mappings.amqp import AmqpFormatError, AmqpMessage, AmqpType, Array, BodyKind, Scalar
from support.linking.amqp_messages import MESSAGES

LIST_32, MAP_32 = 0xD0, 0xD1
LONG_HEADER = 12
"""Bytes of descriptor, code, size and count."""


def narrow(encoded: bytes) -> bytes:
    """The same message with lists and maps of 8 bit sizes where they fit, as Qpid JMS writes them."""
    parts, rest = [], encoded
    while rest[3:4] in (bytes([LIST_32]), bytes([MAP_32])):
        size, count = struct.unpack_from(">II", rest, 4)
        section, rest = rest[: 8 + size], rest[8 + size :]
        if size - 3 < 256 and count < 256:
            section = section[:3] + bytes([section[3] - 0x10, size - 3, count]) + section[LONG_HEADER:]
        parts.append(section)
    return b"".join([*parts, rest])


def shown(message: AmqpMessage, bare: slice, error: str) -> str:
    """What was decoded, so that NaN equals NaN."""
    return repr(
        (
            {
                **message._asdict(),
                "delivery_annotations": dict(message.delivery_annotations),
                "footer": dict(message.footer),
            },
            bare,
            error,
        )
    )


@given(MESSAGES)
def test_the_same_bytes_are_written(message: AmqpMessage) -> None:
    quick = quick_encoded(message)
    assert (quick is None) == isinstance(message.body, (list, dict))
    assert quick is None or quick == encode_carefully(message)


@given(MESSAGES, st.booleans())
def test_the_same_is_found(message: AmqpMessage, narrows: bool) -> None:
    encoded = encode_carefully(message)
    if narrows:
        encoded = narrow(encoded)
    careful, quick = decode_carefully(encoded), quick_decoded(encoded)
    assert (quick is None) == isinstance(message.body, (list, dict))
    assert quick is None or (*quick, "") == careful


@given(MESSAGES, st.booleans(), st.integers(0, 1 << 30), st.binary(min_size=1, max_size=3), st.booleans())
def test_what_is_found_in_damaged_bytes_is_there(
    message: AmqpMessage, narrows: bool, place: int, damage: bytes, cut: bool
) -> None:
    encoded = narrow(encode_carefully(message)) if narrows else encode_carefully(message)
    place %= len(encoded) + 1
    encoded = encoded[:place] if cut else encoded[:place] + damage + encoded[place + len(damage) :]
    quick = quick_decoded(encoded)
    assert quick is None or shown(*quick, "") == shown(*decode_carefully(encoded))


@given(st.binary(max_size=60))
def test_what_is_found_in_any_bytes_is_there(encoded: bytes) -> None:
    quick = quick_decoded(encoded)
    assert quick is None or shown(*quick, "") == shown(*decode_carefully(encoded))


@pytest.mark.parametrize(
    "message",
    [
        AmqpMessage(BodyKind.DATA, "text"),
        AmqpMessage(BodyKind.VALUE, "\ud800"),
        AmqpMessage(BodyKind.VALUE, 1 << 63),
        AmqpMessage(BodyKind.VALUE, Scalar(AmqpType.BYTE, 128)),
        AmqpMessage(BodyKind.VALUE, Scalar(AmqpType.SYMBOL, "\u20ac")),
        AmqpMessage(priority=256),
        AmqpMessage(ttl=1 << 32),
    ],
    ids=repr,
)
def test_what_cannot_be_written_is_left_to_the_careful_way(message: AmqpMessage) -> None:
    assert quick_encoded(message) is None
    with pytest.raises(AmqpFormatError):
        encode_carefully(message)


@pytest.mark.parametrize(
    "message",
    [
        AmqpMessage(footer={"x": 1}),
        AmqpMessage(delivery_annotations={"x": 1}),
        AmqpMessage(BodyKind.VALUE, Array("long", (1, 2))),
        AmqpMessage(BodyKind.VALUE, Scalar(AmqpType.CHAR, "c")),
    ],
    ids=repr,
)
def test_what_is_rare_is_left_to_the_careful_way(message: AmqpMessage) -> None:
    assert quick_encoded(message) is None
    assert quick_decoded(encode_carefully(message)) is None
