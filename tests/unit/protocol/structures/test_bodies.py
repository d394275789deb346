"""Bodies that end early, or go on behind their structure."""

from __future__ import annotations

import pytest

from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.errors import LocalProtocolError, StructureError
from mqbridge.protocol.structures import (
    CAUT,
    CAUT_13,
    ID,
    PING,
    RESET,
    STATUS,
    UID,
    conauth_form,
    initial_data,
    initial_data_size,
    parse_conauth,
    parse_initial_data,
    parse_ping,
    parse_reset,
    parse_status_data,
    parse_userid,
    ping_data,
    reset_data,
    status_data,
)

ORDERS: tuple[ByteOrder, ...] = (ByteOrder.BIG, ByteOrder.LITTLE)


def id_bytes(fap_level: int, length: int) -> bytes:
    return (b"ID  " + bytes([fap_level])).ljust(length, b"\x7f")


@pytest.mark.spec("mq-wire.md 5.1")
@pytest.mark.parametrize(
    ("fap_level", "length", "known"),
    [
        (1, 44, 44),
        (3, 102, 44),
        (4, 44, 44),
        (4, 47, 46),
        (4, 102, 102),
        (7, 104, 102),
        (7, 240, 102),
        (8, 102, 102),
        (8, 104, 104),
        (8, 128, 128),
        (8, 208, 128),
        (9, 160, 160),
        (9, 163, 160),
        (9, 208, 208),
        (10, 240, 208),
        (11, 208, 208),
        (11, 240, 240),
        (13, 128, 128),
        (13, 240, 240),
        (17, 300, 240),
        (255, 102, 102),
    ],
)
def test_a_field_of_initial_data_is_taken_where_segment_and_level_allow_it(
    fap_level: int, length: int, known: int
) -> None:
    data = id_bytes(fap_level, length)
    for order in ORDERS:
        body = parse_initial_data(data, order)
        assert body.known == known
        assert body.rest == data[known:]
        assert body.build() == data
        for slot in ID.slots:
            there = slot.offset + slot.size <= known
            assert body.has(slot.field.key) is there
            value = getattr(body.record, slot.field.key)
            assert there or value in (0, bytes(slot.size)), "absent fields read as zeros"


@pytest.mark.spec("mq-wire.md 5.1")
@pytest.mark.parametrize("length", [0, 3, 4, 5, 20, 43])
def test_initial_data_needs_44_bytes(length: int) -> None:
    with pytest.raises(StructureError) as caught:
        parse_initial_data(id_bytes(13, 44)[:length], ByteOrder.LITTLE)
    cut = next(slot for slot in ID.slots if slot.offset + slot.size > length)
    assert caught.value.offset == cut.offset
    assert cut.field.name in str(caught.value)


@pytest.mark.spec("mq-wire.md 5.1")
def test_initial_data_to_send_is_as_long_as_the_level() -> None:
    assert [initial_data_size(level) for level in (1, 3, 4, 7, 8, 9, 10, 11, 13, 17)] == [
        44, 44, 102, 102, 128, 208, 208, 240, 240, 240,
    ]  # fmt: skip
    body = initial_data(ByteOrder.LITTLE, fap_level=13, channel_name=b"TO.EARTH".ljust(20), conv_per_socket=-1)
    built = body.build()
    assert len(built) == 240
    assert built[104:106] == b"\x00\xff", "no compression"
    assert built[106:122] == b"\x00" + b"\xff" * 15
    assert built[128:132] == b"\xff\xff\xff\xff"
    assert parse_initial_data(built, ByteOrder.LITTLE) == body
    with pytest.raises(LocalProtocolError, match=r"ID\.ChannelName: 20 bytes needed, 8 given"):
        initial_data(ByteOrder.LITTLE, fap_level=7, channel_name=b"TO.EARTH").build()


def test_asking_for_a_field_that_does_not_exist() -> None:
    body = initial_data(ByteOrder.BIG, fap_level=7)
    with pytest.raises(KeyError):
        body.has("colour")
    with pytest.raises(AttributeError):
        _ = body.record.colour


@pytest.mark.spec("mq-wire.md 5.2")
@pytest.mark.parametrize(("length", "known"), [(28, 28), (60, 28), (132, 132), (140, 132)])
def test_userid_is_short_or_long(length: int, known: int) -> None:
    data = (b"UID " + b"app".ljust(12) + b"secret".ljust(12, b"\0") + b"application".ljust(64)).ljust(140, b"\1")
    body = parse_userid(data[:length], ByteOrder.BIG)
    assert (body.known, body.record.user_id, body.record.password) == (
        known,
        b"app".ljust(12),
        b"secret".ljust(12, b"\0"),
    )
    assert body.has("long_user_id") is (known == 132)
    assert body.build() == data[:length]
    with pytest.raises(StructureError, match="ends inside Password: 12 bytes needed, 11 there"):
        parse_userid(data[:27], ByteOrder.BIG)


@pytest.mark.spec("mq-wire.md 5.2")
def test_the_password_of_userid_is_marked_secret() -> None:
    assert [field.name for field in UID.fields if field.secret] == ["Password"]


@pytest.mark.spec("mq-wire.md 5.3")
@pytest.mark.spec("client-observed.md O-025")
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("gap", [0, 8])
@pytest.mark.parametrize("padding", [0, 1, 2, 3])
def test_conauth_in_both_forms(order: ByteOrder, gap: int, padding: int) -> None:
    head = b"CAUT" + b"".join(number.to_bytes(4, order.endian) for number in (1, 3, 8, 3, 8))
    data = head + bytes(gap) + b"app" + b"passw0rd" + bytes(padding)
    assert conauth_form(data, order) is (CAUT_13 if gap else CAUT)
    read = parse_conauth(data, order)
    assert (read.user_id, read.password, read.padding) == (b"app", b"passw0rd", bytes(padding))
    assert conauth_form(data, order).build(read, order) == data


@pytest.mark.spec("mq-wire.md 5.3")
def test_conauth_with_lengths_beyond_the_body() -> None:
    data = b"CAUT" + b"".join(number.to_bytes(4, "big") for number in (1, 3, 8, 3, 0xFFFFFFFF)) + b"app" + b"x"
    with pytest.raises(StructureError, match="ends inside Password") as caught:
        parse_conauth(data, ByteOrder.BIG)
    assert caught.value.offset == 27
    for length in range(24):
        with pytest.raises(StructureError):
            parse_conauth(data[:length], ByteOrder.BIG)


@pytest.mark.spec("mq-wire.md 5.14")
@pytest.mark.parametrize("order", ORDERS)
def test_status_of_eight_and_twelve_bytes(order: ByteOrder) -> None:
    short = status_data(order, 1).build()
    assert short == b"".join(number.to_bytes(4, order.endian) for number in (8, 1))
    long = status_data(order, 4, 17).build()
    assert long == b"".join(number.to_bytes(4, order.endian) for number in (12, 4, 17))
    for data, has_value in ((short, False), (long, True), (short + b"1234", False), (long + b"5", True)):
        body = parse_status_data(data, order)
        assert body is not None
        assert body.has("value") is has_value
        assert body.build() == data
    assert parse_status_data(b"", order) is None
    with pytest.raises(StructureError, match="ends inside Code"):
        parse_status_data(short[:7], order)


@pytest.mark.spec("mq-wire.md 5.14")
def test_a_status_that_says_more_than_it_holds_is_kept() -> None:
    data = (12).to_bytes(4, "big") + (20).to_bytes(4, "big")
    body = parse_status_data(data, ByteOrder.BIG)
    assert body is not None
    assert (body.record.length, body.record.code, body.has("value")) == (12, 20, False)
    assert body.build() == data
    assert STATUS.size == 12


@pytest.mark.spec("mq-wire.md 5.14")
@pytest.mark.parametrize("order", ORDERS)
def test_reset_and_ping(order: ByteOrder) -> None:
    assert reset_data(order, 7).build() == b"".join(number.to_bytes(4, order.endian) for number in (8, 7))
    read = parse_reset(reset_data(order, 7).build() + b"more", order)
    assert (read.record.length, read.record.sequence_number, read.rest) == (8, 7, b"more")
    with pytest.raises(StructureError, match="RESET at offset 4: ends inside SequenceNumber"):
        parse_reset(bytes(7), order)
    assert RESET.size == 8

    assert ping_data(order, b"hello") == (5).to_bytes(4, order.endian) + b"hello"
    wrong = (9).to_bytes(4, order.endian) + b"hello"
    ping = parse_ping(wrong, order)
    assert (ping.length, ping.data) == (9, b"hello"), "kept as read"
    assert PING.build(ping, order) == wrong
    with pytest.raises(StructureError, match="ends inside Length"):
        parse_ping(b"\0\0\0", order)
