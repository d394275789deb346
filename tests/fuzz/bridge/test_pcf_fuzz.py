"""Whatever comes as a command is answered or put aside, and the next one is carried out."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mqbridge.bridge.agents.command_server.identifiers import IDENTIFIERS
from mqbridge.bridge.agents.command_server.requests import REQUESTS
from mqbridge.protocol.constants import MQCFT, MQCMD, MQIACF, ByteOrder
from mqbridge.protocol.structures.pcf import (
    Parameter,
    byte_string_parameter,
    make_pcf,
    parse_pcf,
    string_list_parameter,
    string_parameter,
)
from support.queue_manager.pcf_operator import PcfOperator, operator

pytestmark = pytest.mark.spec("mq-wire.md 5.16")

NUMBERS = sorted({int(number) for numbers in IDENTIFIERS.values() for number in numbers.values()})
OPTIONS = sorted({int(number) for each in REQUESTS.values() for number in (*each.name, *each.options, *each.flags)})
COMMANDS = sorted({*map(int, REQUESTS), int(MQCMD.ESCAPE)} - {int(MQCMD.PING_CHANNEL), int(MQCMD.START_CHANNEL)})
numbers = st.one_of(
    st.sampled_from(OPTIONS),
    st.sampled_from(NUMBERS),
    st.sampled_from(sorted(each.shows for each in REQUESTS.values() if each.shows)),
    st.integers(0, 9000),
)
integers = st.one_of(
    st.integers(-5, 40), st.sampled_from([*NUMBERS, int(MQIACF.ALL)]), st.integers(-(2**31), 2**31 - 1)
)
texts = st.one_of(
    st.sampled_from([b"*", b"A", b"A*", b"DEV.QUEUE.1", b"SYSTEM.DEF.SENDER", b"APP.*", b"a'b", b"", b" ", b"\0x"]),
    st.binary(max_size=60),
)


@st.composite
def parameters(draw: st.DrawFn) -> Parameter:
    number, kind = (
        draw(numbers),
        draw(st.sampled_from(["integer", "text", "integers", "texts", "bytes", "filter", "group"])),
    )
    if kind == "integer":
        return Parameter(MQCFT.INTEGER, number, draw(integers))
    if kind == "text":
        return string_parameter(number, draw(texts), draw(st.sampled_from([0, 1208, 500, 819, 99999])))
    if kind == "integers":
        return Parameter(MQCFT.INTEGER_LIST, number, draw(st.lists(integers, max_size=5)))
    if kind == "texts":
        length = draw(st.integers(0, 30))
        values = [draw(texts)[:length].ljust(length) for _ in range(draw(st.integers(0, 3)))]
        return string_list_parameter(number, values, length)
    if kind == "bytes":
        return byte_string_parameter(number, draw(st.binary(max_size=30)))
    if kind == "group":
        return Parameter(MQCFT.GROUP, number, [])
    return Parameter(MQCFT.INTEGER_FILTER, number, draw(integers), operator=draw(st.integers(0, 30)))


@pytest.fixture(scope="module")
def pcf() -> PcfOperator:
    return operator("ALTER QMGR DEADQ(DEV.DEAD.LETTER.QUEUE)")


@settings(max_examples=300)
@given(command=st.sampled_from(COMMANDS), asked=st.lists(parameters(), max_size=6), named=st.booleans())
def test_any_command_is_answered(command: int, asked: list[Parameter], named: bool) -> None:
    pcf = operator("ALTER QMGR DEADQ(DEV.DEAD.LETTER.QUEUE)")  # a new one: a command may well close the reply queue
    request = REQUESTS.get(command)
    if named and request is not None and request.name:
        asked = [string_parameter(request.name[0], b"DEV.QUEUE.1"), *asked]
    answers = pcf.ask(command, *asked)
    assert answers
    assert [int(each.record.control) for each in answers] == [0] * (len(answers) - 1) + [1]
    assert {int(each.record.command) for each in answers} == {command}


@settings(max_examples=100)
@given(data=st.binary(max_size=200), cut=st.integers(0, 120), order=st.sampled_from([ByteOrder.BIG, ByteOrder.LITTLE]))
def test_damaged_commands_are_answered(pcf: PcfOperator, data: bytes, cut: int, order: str) -> None:
    whole = make_pcf(order, MQCMD.INQUIRE_Q, [string_parameter(2016, b"DEV.*")]).build()  # type: ignore[arg-type]
    pcf.send(whole[:cut] + data, encoding=273 if order == ByteOrder.BIG else 546)
    pcf.send(make_pcf(ByteOrder.BIG, MQCMD.PING_Q_MGR, []).build())
    answers = pcf.received()
    assert len(answers) >= 2
    assert answers[-1].record.command == MQCMD.PING_Q_MGR
    assert parse_pcf(pcf.messages[-1].data, 0, ByteOrder.LITTLE).record.comp_code == 0
