"""The hand-written reader of PCF and the Construct grammars agree: values, bytes, and that there is an error."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqbridge.protocol.constants import MQCFT, ByteOrder
from mqbridge.protocol.errors import LocalProtocolError, StructureError
from mqbridge.protocol.structures import CFH, PARAMETERS, Parameter, PCFMessage, make_pcf, parse_parameters, parse_pcf
from mqbridge.protocol.structures.pcf import MAX_GROUP_DEPTH

ORDERS = st.sampled_from([ByteOrder.BIG, ByteOrder.LITTLE])
U32 = st.integers(0, 2**32 - 1)
I32 = st.integers(-(2**31), 2**31 - 1)
I64 = st.integers(-(2**63), 2**63 - 1)
VALUES = ("value", "string", "values", "strings", "filter_value", "parameter_count")
SIMPLE_TYPES = [kind for kind in PARAMETERS if kind != MQCFT.GROUP]


@st.composite
def parameters(draw: st.DrawFn, depth: int = 2) -> Parameter:
    """A parameter of any type, those of no known type included."""
    kind = draw(st.sampled_from([*PARAMETERS, 77] if depth else [*SIMPLE_TYPES, 77]))
    made = Parameter(kind, draw(U32), None, rest=draw(st.binary(max_size=5)))
    if kind in (MQCFT.INTEGER, MQCFT.INTEGER_FILTER):
        made.value = draw(I32)
    elif kind == MQCFT.INTEGER64:
        made.value, made.reserved = draw(I64), draw(U32)
    elif kind == MQCFT.INTEGER_LIST:
        made.value = draw(st.lists(I32, max_size=4))
    elif kind == MQCFT.INTEGER64_LIST:
        made.value = draw(st.lists(I64, max_size=4))
    elif kind == MQCFT.STRING_LIST:
        made.string_length = draw(st.integers(0, 6))
        made.value = draw(st.lists(st.binary(min_size=made.string_length, max_size=made.string_length), max_size=4))
    elif kind == MQCFT.GROUP:
        made.value = draw(st.lists(parameters(depth - 1), max_size=3))
    else:
        made.value = draw(st.binary(max_size=12))
        if kind == 77:
            made.rest = b""
    if kind in (MQCFT.STRING, MQCFT.STRING_LIST, MQCFT.STRING_FILTER):
        made.ccsid = draw(I32)
    if kind in (MQCFT.INTEGER_FILTER, MQCFT.STRING_FILTER, MQCFT.BYTE_STRING_FILTER):
        made.operator = draw(U32)
    return made


def through_the_grammar(raw: bytes, offset: int, order: ByteOrder) -> tuple[Parameter, int]:
    """One parameter as the grammar of its type reads it, and where it ends."""
    kind = int.from_bytes(raw[offset : offset + 4], order.endian)
    length = int.from_bytes(raw[offset + 4 : offset + 8], order.endian)
    read = PARAMETERS[kind].parse(raw, offset, order)
    found: dict[str, Any] = {key: value for key, value in read.items() if not key.startswith("_")}
    value = next(found[key] for key in VALUES if key in found)
    end = offset + length
    if kind == MQCFT.GROUP:
        inner = []
        for _ in range(value):
            one, end = through_the_grammar(raw, end, order)
            inner.append(one)
        value = inner
    return (
        Parameter(
            kind,
            found["parameter"],
            list(value) if isinstance(value, list) else value,
            rest=found["rest"],
            ccsid=found.get("coded_char_set_id", 0),
            operator=found.get("operator", 0),
            string_length=found["string_length"] if kind == MQCFT.STRING_LIST else 0,
            reserved=found.get("reserved", 0),
        ),
        end,
    )


@given(st.lists(parameters(), max_size=5), ORDERS, st.binary(max_size=8), st.binary(max_size=4))
@pytest.mark.spec("mq-wire.md 5.16")
def test_a_message_builds_and_reads_back(
    content: list[Parameter], order: ByteOrder, rest: bytes, header_rest: bytes
) -> None:
    message = make_pcf(order, 13, content, reason=4031)
    message.record.struc_length = CFH.size + len(header_rest)
    message.header_rest, message.rest = header_rest, rest
    raw = message.build()
    again = parse_pcf(b"xyz" + raw, 3, order)
    assert again == message
    assert again.build() == raw


@given(parameters().filter(lambda made: made.type in PARAMETERS), ORDERS)
@pytest.mark.spec("mq-wire.md 5.16")
def test_each_parameter_is_what_its_grammar_reads(made: Parameter, order: ByteOrder) -> None:
    flat = [one for one in made.walk() if one.type not in PARAMETERS]
    if flat:  # the grammars do not read unknown types
        return
    raw = made.build(order)
    assert through_the_grammar(raw, 0, order) == (made, len(raw))
    (found,), end = parse_parameters(raw, 0, 1, order)
    assert (found, end) == (made, len(raw))


@given(st.sampled_from(SIMPLE_TYPES), st.binary(max_size=40), st.integers(0, 52), ORDERS)
def test_any_bytes_are_read_as_the_grammar_reads_them(kind: int, payload: bytes, length: int, order: ByteOrder) -> None:
    raw = b"".join(number.to_bytes(4, order.endian) for number in (kind, length, 1)) + payload
    try:
        expected: Any = through_the_grammar(raw, 0, order)
    except StructureError:
        with pytest.raises(StructureError):
            parse_parameters(raw, 0, 1, order)
    else:
        (found,), end = parse_parameters(raw, 0, 1, order)
        assert (found, end) == expected


@given(st.lists(parameters(), min_size=1, max_size=4), ORDERS, st.data())
def test_a_message_cut_short_is_an_error(content: list[Parameter], order: ByteOrder, data: st.DataObject) -> None:
    raw = make_pcf(order, 13, content).build()
    with pytest.raises(StructureError):
        parse_pcf(raw[: data.draw(st.integers(0, len(raw) - 1))], 0, order)


@given(st.lists(parameters(), max_size=4), ORDERS, st.data())
def test_a_damaged_message_is_read_or_is_an_error(
    content: list[Parameter], order: ByteOrder, data: st.DataObject
) -> None:
    raw = bytearray(make_pcf(order, 13, content).build())
    for _ in range(data.draw(st.integers(1, 4))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.sampled_from([0, 1, 4, 16, 20, 0x7F, 0xFF]))
    try:
        message = parse_pcf(raw, 0, order)
    except StructureError:
        return
    assert isinstance(message, PCFMessage)
    assert message.build() == raw


@given(ORDERS)
def test_groups_nest_only_so_deep(order: ByteOrder) -> None:
    made = Parameter(MQCFT.GROUP, 8001, [])
    for _ in range(MAX_GROUP_DEPTH - 1):
        made = Parameter(MQCFT.GROUP, 8001, [made])
    assert parse_parameters(made.build(order), 0, 1, order)[0] == [made]
    deeper = Parameter(MQCFT.GROUP, 8001, [Parameter(MQCFT.GROUP, 8001, [made])])
    with pytest.raises(StructureError, match="nested deeper"):
        parse_parameters(deeper.build(order), 0, 1, order)


@pytest.mark.parametrize(
    "made",
    [
        Parameter(MQCFT.INTEGER, 1, 2**31),
        Parameter(MQCFT.STRING, 1, "text"),
        Parameter(MQCFT.STRING_LIST, 1, [b"abc"], string_length=2),
        Parameter(MQCFT.INTEGER_LIST, -1, [1]),
        Parameter(MQCFT.GROUP, 1, 5),
    ],
)
def test_what_does_not_fit_is_our_own_error(made: Parameter) -> None:
    with pytest.raises(LocalProtocolError, match="PCF parameter"):
        made.build(ByteOrder.BIG)
