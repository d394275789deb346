"""Packets of MyOpenQ: their bytes, where each ends, and what cannot be read."""

from __future__ import annotations

import pytest

from mqbridge.protocol.myopenq import (
    BareRequest,
    Browse,
    Code,
    Command,
    Create,
    Get,
    MoqError,
    NamedRequest,
    Packet,
    PacketReader,
    Put,
    QueueType,
    Request,
    build_packet,
    digest,
    read_request,
    verify,
    write_request,
)

STAMP = 1_069_000_000
LOCAL = Create("ORDERS", 100, 1024, QueueType.LOCAL)
REMOTE = Create("ORDERS", 100, 1024, QueueType.REMOTE, "192.168.0.91", 9803)


def bytes_of(request: Request, *, framed: bool = False, sign: bool = True) -> bytes:
    return build_packet(*write_request(request, framed), STAMP, sign=sign)


def packets_of(data: bytes, *, framed: bool = False) -> list[Packet]:
    reader = PacketReader(framed)
    reader.receive(data)
    return list(reader.packets())


def refused(data: bytes, *, framed: bool = False) -> Code | int:
    with pytest.raises(MoqError) as caught:
        packets_of(data, framed=framed)
    return caught.value.code


def with_field(data: bytes, at: int, value: bytes) -> bytes:
    return data[:at] + value + data[at + len(value) :]


@pytest.mark.spec(
    "M-010",
    "M-011",
    "M-012",
    "M-013",
    "M-014",
    "M-015",
    "M-016",
    "M-017",
    "M-021",
    "M-022",
    "M-023",
    "M-024",
    "M-025",
    "M-026",
    "M-027",
    "M-028",
    "M-029",
)
@pytest.mark.parametrize(
    ("request_", "total", "framed_total"),
    [
        (LOCAL, 95, 137),
        (REMOTE, 115, 157),
        (NamedRequest(Command.DELETE, "ORDERS"), 84, 84),
        (BareRequest(Command.SHUTDOWN), 52, 52),
        (Put("ORDERS", b"two apples"), 99, 99),
        (Get("ORDERS"), 84, 89),
        (Browse("ORDERS", 2), 89, 89),
        (NamedRequest(Command.DISPLAY, "ORDERS"), 84, 84),
        (NamedRequest(Command.COUNT, "ORDERS"), 84, 84),
        (NamedRequest(Command.PURGE, "ORDERS"), 84, 84),
    ],
)
def test_every_command_has_the_length_of_the_specification(request_: Request, total: int, framed_total: int) -> None:
    for framed, size in ((False, total), (True, framed_total)):
        data = bytes_of(request_, framed=framed)
        assert len(data) == size
        assert data[32:42] == b"1069000000"
        assert data[:32] == digest(data[32:]).encode()
        (packet,) = packets_of(data, framed=framed)
        assert packet.stamp == STAMP
        assert packet.signed == data[32:]
        assert read_request(packet, framed) == request_


@pytest.mark.spec("M-014", "M-021", "M-024", "M-026")
def test_fields_stand_where_the_specification_says() -> None:
    assert bytes_of(REMOTE, sign=False) == (
        b" " * 32
        + b"1069000000"
        + b"CREATE    "
        + b"ORDERS".ljust(32)
        + b"00100"
        + b"01024"
        + b"R"
        + b"192.168.0.91   "
        b"09803"
    )
    assert bytes_of(Put("ORDERS", b"hola"))[42:] == b"PUT       " + b"ORDERS".ljust(32) + b"00004" + b"hola"
    assert bytes_of(Browse("ORDERS", 2))[84:] == b"00002"


@pytest.mark.spec("myopenq.md K-03", "myopenq.md K-05", "M-073")
def test_framed_mode_has_the_fields_that_the_plain_one_lacks() -> None:
    create = LOCAL._replace(timeout=2, remote_name="OTHER")
    assert bytes_of(create, framed=True)[95:] == b"0000000002" + b"OTHER".ljust(32)
    assert bytes_of(Get("ORDERS", 30), framed=True)[84:] == b"00030"
    for request in (create, Get("ORDERS", 30)):
        with pytest.raises(ValueError, match="plain mode"):
            write_request(request, framed=False)


@pytest.mark.spec("M-014")
@pytest.mark.parametrize("number", [b"   42", b"42   ", b"42\0\0\0", b"00042", b"42 \0 "])
def test_numbers_are_read_however_they_are_padded(number: bytes) -> None:
    (packet,) = packets_of(with_field(bytes_of(Browse("ORDERS")), 84, number))
    assert read_request(packet, framed=False) == Browse("ORDERS", 42)


@pytest.mark.spec("M-014")
def test_nuls_behind_names_and_commands_are_cut() -> None:
    data = with_field(bytes_of(NamedRequest(Command.COUNT, "A")), 42, b"COUNT\0\0\0\0\0A" + b"\0" * 31)
    (packet,) = packets_of(data)
    assert read_request(packet, framed=False) == NamedRequest(Command.COUNT, "A")


@pytest.mark.spec("M-019")
def test_several_packets_follow_on_one_connection() -> None:
    data = bytes_of(Put("A", b"1")) + bytes_of(Get("A")) + bytes_of(BareRequest(Command.SHUTDOWN))
    assert [each.command for each in packets_of(data)] == [Command.PUT, Command.GET, Command.SHUTDOWN]


@pytest.mark.spec("M-030")
@pytest.mark.parametrize(
    ("at", "value"),
    [(42, b"REMOVE    "), (42, b"put       "), (84, b"4x   "), (84, b"-0004"), (32, b"yesterday!")],
    ids=["unknown command", "small letters", "length of letters", "negative length", "stamp of letters"],
)
def test_what_has_no_length_is_malformed(at: int, value: bytes) -> None:
    assert refused(with_field(bytes_of(Put("ORDERS", b"hola")), at, value)) is Code.MALFORMED


def test_a_queue_that_is_neither_local_nor_remote_is_malformed() -> None:
    assert refused(with_field(bytes_of(LOCAL), 94, b"X")) is Code.MALFORMED


@pytest.mark.spec("M-040", "M-041", "M-042", "M-044")
@pytest.mark.parametrize(
    ("at", "value", "code"),
    [
        (52, b"BAD-NAME", Code.NAME_INVALID),
        (52, b".HIDDEN ", Code.NAME_INVALID),
        (52, b"\xe9T\xe9     ", Code.NAME_INVALID),
        (52, b"        ", Code.NAME_INVALID),
        (84, b"abcde", Code.SIZE_INVALID),
        (84, b"00000", Code.SIZE_INVALID),
        (89, b"1 024", Code.LENGTH_INVALID),
        (89, b"00000", Code.LENGTH_INVALID),
        (95, b"192.168.0.999  ", Code.TYPE_INVALID),
        (95, b"host           ", Code.TYPE_INVALID),
        (110, b"00000", Code.TYPE_INVALID),
        (110, b"65536", Code.TYPE_INVALID),
    ],
)
def test_a_wrong_definition_is_refused_with_its_code(at: int, value: bytes, code: Code) -> None:
    (packet,) = packets_of(with_field(bytes_of(REMOTE), at, value))
    with pytest.raises(MoqError) as caught:
        read_request(packet, framed=False)
    assert caught.value.code is code


@pytest.mark.spec("M-042", "M-111")
def test_a_name_that_no_queue_has_is_unknown() -> None:
    (packet,) = packets_of(with_field(bytes_of(Get("ORDERS")), 52, b"A-B   "))
    with pytest.raises(MoqError) as caught:
        read_request(packet, framed=False)
    assert caught.value.code is Code.UNKNOWN_QUEUE


@pytest.mark.spec("M-111", "myopenq.md K-01")
@pytest.mark.parametrize("name", ["", "A" * 33, ".A", "A B", "A/B", "A-B", "Ä"])
def test_names_that_are_not_allowed_are_not_sent(name: str) -> None:
    with pytest.raises(MoqError) as caught:
        write_request(Get(name), framed=False)
    assert caught.value.code is Code.NAME_INVALID


@pytest.mark.spec("M-116")
def test_texts_have_a_longest_length() -> None:
    assert len(bytes_of(Put("A", b"x" * 99_999))) == 89 + 99_999
    with pytest.raises(MoqError) as caught:
        write_request(Put("A", b"x" * 100_000), framed=False)
    assert caught.value.code is Code.TOO_LONG


@pytest.mark.parametrize(
    "request_",
    [
        LOCAL._replace(size=100_000),
        REMOTE._replace(port=-1),
        Browse("A", -1),
    ],
)
def test_values_that_fit_no_field_are_not_sent(request_: Request) -> None:
    with pytest.raises(ValueError, match="digits hold it"):
        write_request(request_, framed=False)


def test_an_address_of_ip_version_6_fits_no_packet() -> None:
    (packet,) = packets_of(bytes_of(REMOTE._replace(address="2001:db8::1:2:3")))
    with pytest.raises(MoqError) as caught:
        read_request(packet, framed=False)
    assert caught.value.code is Code.TYPE_INVALID


@pytest.mark.spec("M-017", "M-018", "M-052", "M-057")
def test_digests_are_compared_without_case_and_only_where_given() -> None:
    signed = bytes_of(Put("A", b"x"))[32:]
    verify("", signed)
    verify(digest(signed).upper(), signed)
    with pytest.raises(MoqError) as caught:
        verify(digest(signed + b" "), signed)
    assert caught.value.code is Code.WRONG_DIGEST


@pytest.mark.spec("M-049", "M-093")
@pytest.mark.parametrize("given", ["", "0" * 32, digest(b"x"), digest(b"x", b"other")])
def test_with_a_secret_nothing_else_is_right(given: str) -> None:
    verify(digest(b"x", b"secret"), b"x", b"secret")
    with pytest.raises(MoqError) as caught:
        verify(given, b"x", b"secret")
    assert caught.value.code is Code.NOT_AUTHENTICATED


def test_a_digest_of_other_characters_is_wrong_and_no_fault() -> None:
    (packet,) = packets_of(with_field(bytes_of(Get("A")), 0, b"\xff" * 32))
    with pytest.raises(MoqError) as caught:
        verify(packet.digest, packet.signed)
    assert caught.value.code is Code.WRONG_DIGEST
