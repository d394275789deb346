"""PCF messages of known bytes."""

from __future__ import annotations

import struct

import pytest

from mqbridge.protocol.constants import MQCA, MQCFT, MQCMD, MQIA, ByteOrder
from mqbridge.protocol.errors import StructureError
from mqbridge.protocol.structures import (
    CFH,
    PARAMETERS,
    Parameter,
    byte_string_parameter,
    make_pcf,
    parse_parameters,
    parse_pcf,
    string_list_parameter,
    string_parameter,
)


def words(*numbers: int) -> bytes:
    return struct.pack(f">{len(numbers)}i", *numbers)


@pytest.mark.parametrize(
    ("raw", "made"),
    [
        (words(3, 16, 20, -5), Parameter(3, 20, -5)),
        (words(4, 28, 2016, 819, 5) + b"Q.ONE\0\0\0", Parameter(4, 2016, b"Q.ONE", ccsid=819, rest=bytes(3))),
        (words(5, 24, 1002, 2, 7, -8), Parameter(5, 1002, [7, -8])),
        (
            words(6, 32, 3011, 500, 2, 3) + b"ABCDEF\0\0",
            Parameter(6, 3011, [b"ABC", b"DEF"], ccsid=500, string_length=3, rest=bytes(2)),
        ),
        (words(9, 20, 7001, 3) + b"\1\2\3\0", Parameter(9, 7001, b"\1\2\3", rest=b"\0")),
        (words(13, 20, 3, 4, 100), Parameter(13, 3, 100, operator=4)),
        (words(14, 28, 2016, 18, 0, 3) + b"Q* \0", Parameter(14, 2016, b"Q* ", operator=18, rest=b"\0")),
        (words(15, 24, 7004, 2, 4) + b"abcd", Parameter(15, 7004, b"abcd", operator=2)),
        (words(20, 16, 8001, 1, 3, 16, 1, 9), Parameter(20, 8001, [Parameter(3, 1, 9)])),
        (words(23, 24, 702, 0) + words(1, -1), Parameter(23, 702, 0x1FFFFFFFF)),
        (words(25, 32, 745, 2) + words(0, 5, -1, -1), Parameter(25, 745, [5, -1])),
        (words(99, 17, 1) + b"hello", Parameter(99, 1, b"hello")),
        (words(3, 20, 20, 1) + b"more", Parameter(3, 20, 1, rest=b"more")),
    ],
    ids=lambda value: str(MQCFT(value.type)) if isinstance(value, Parameter) else "",
)
@pytest.mark.spec("mq-wire.md 5.16")
def test_each_type_of_parameter(raw: bytes, made: Parameter) -> None:
    assert parse_parameters(raw, 0, 1, ByteOrder.BIG) == ([made], len(raw))
    assert made.build(ByteOrder.BIG) == raw
    swapped = made.build(ByteOrder.LITTLE)
    assert parse_parameters(swapped, 0, 1, ByteOrder.LITTLE) == ([made], len(raw))


@pytest.mark.spec("mq-wire.md 5.16")
def test_a_command() -> None:
    made = make_pcf(
        ByteOrder.LITTLE,
        MQCMD.INQUIRE_Q,
        [
            string_parameter(MQCA.Q_NAME, b"SYSTEM.*", 819),
            Parameter(MQCFT.INTEGER, MQIA.Q_TYPE, 1001),
            string_list_parameter(3011, [b"AB", b"CD"], 2),
            byte_string_parameter(7001, b"\1"),
        ],
    )
    raw = made.build()
    header = CFH.codec(ByteOrder.LITTLE).parse(raw)
    assert (header.type, header.struc_length, header.command, header.control) == (1, 36, 13, 1)
    assert header.parameter_count == 4
    assert len(raw) % 4 == 0
    message = parse_pcf(raw, 0, ByteOrder.LITTLE)
    assert message == made
    assert [parameter.name for parameter in message.parameters[:2]] == ["MQCA_Q_NAME", "MQIA_Q_TYPE"]


def test_a_group_is_walked_in_order() -> None:
    inner = Parameter(MQCFT.GROUP, 8002, [Parameter(MQCFT.INTEGER, 3, 3)])
    group = Parameter(MQCFT.GROUP, 8001, [Parameter(MQCFT.INTEGER, 1, 1), inner, Parameter(MQCFT.INTEGER, 4, 4)])
    assert [parameter.parameter for parameter in group.walk()] == [8001, 1, 8002, 3, 4]


@pytest.mark.parametrize(
    ("raw", "count", "offset", "reason"),
    [
        (b"", 1, 0, "ends inside parameter: 12 bytes needed, 0 there"),
        (words(3, 16), 1, 0, "ends inside parameter: 12 bytes needed, 8 there"),
        (words(3, 11, 1, 1), 1, 4, "StrucLength is 11, 16 bytes are there"),
        (words(3, 0, 1, 1), 1, 4, "StrucLength is 0"),
        (words(3, -1, 1, 1), 1, 4, "StrucLength is 4294967295"),
        (words(3, 12, 1, 1), 1, 0, "type 3 does not fit into 12 bytes"),
        (words(3, 16, 1, 1, 3, 20, 1, 1), 2, 20, "StrucLength is 20, 16 bytes are there"),
        (words(4, 20, 1, 0, 1), 1, 0, "type 4 does not fit into 20 bytes"),
        (words(5, 20, 1, 2, 7), 1, 0, "type 5 does not fit"),
        (words(5, 20, 1, -1, 7), 1, 0, "type 5 does not fit"),
        (words(6, 24, 1, 0, -1, 0), 1, 0, "type 6 does not fit"),
        (words(20, 16, 1, 2, 3, 16, 1, 9), 1, 32, "ends inside parameter"),
        (words(20, 16, 1, -1), 1, 16, "ends inside parameter"),
        (words(23, 20, 1, 0, 0), 1, 0, "type 23 does not fit"),
    ],
)
def test_malformed_parameters_name_the_place(raw: bytes, count: int, offset: int, reason: str) -> None:
    with pytest.raises(StructureError) as caught:
        parse_parameters(b"--" + raw, 2, count, ByteOrder.BIG)
    assert caught.value.offset == offset + 2
    assert reason in caught.value.reason


def test_malformed_headers() -> None:
    good = make_pcf(ByteOrder.BIG, 13, []).build()
    for raw, reason in (
        (good[:35], "ends inside ParameterCount"),
        (good[:4] + words(35) + good[8:], "StrucLength is 35, the fixed part has 36 bytes"),
        (good[:4] + words(37) + good[8:], "StrucLength is 37, 36 bytes are there"),
        (good[:32] + words(1), "ends inside parameter"),
    ):
        with pytest.raises(StructureError) as caught:
            parse_pcf(raw, 0, ByteOrder.BIG)
        assert reason in caught.value.reason


@pytest.mark.spec("mq-wire.md 5.16")
def test_every_type_of_parameter_has_a_grammar() -> None:
    assert sorted(PARAMETERS) == [3, 4, 5, 6, 9, 13, 14, 15, 20, 23, 25]
    assert PARAMETERS[MQCFT.STRING].mq_name == "MQCFST"
    for structure in PARAMETERS.values():
        assert all(field.meaning for field in structure.fields)
