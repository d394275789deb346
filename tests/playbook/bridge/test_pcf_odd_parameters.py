"""Parameters with ids and of types that no command has: each command is answered."""

from __future__ import annotations

import pytest

from mqbridge.bridge.agents.command_server.requests import REQUESTS
from mqbridge.protocol.constants import MQCA, MQCACF, MQCFT, MQCMD, MQIACF, MQRCCF
from support.queue_manager.pcf_operator import PcfOperator, content, operator
from support.queue_manager.raw_pcf import COMMANDS, raw_command, raw_parameter, raw_text, words

pytestmark = pytest.mark.spec("mq-wire.md 5.16")

PAYLOADS = {
    int(MQCFT.INTEGER): words(1),
    int(MQCFT.STRING): words(0, 0),
    int(MQCFT.INTEGER_LIST): words(0),
    int(MQCFT.STRING_LIST): words(0, 0, 0),
    int(MQCFT.BYTE_STRING): words(0),
    int(MQCFT.INTEGER_FILTER): words(1, 1),
    int(MQCFT.STRING_FILTER): words(1, 0, 0),
    int(MQCFT.BYTE_STRING_FILTER): words(1, 0),
    int(MQCFT.GROUP): words(0),
    int(MQCFT.INTEGER64): words(0, 0, 0),
    int(MQCFT.INTEGER64_LIST): words(0),
}


@pytest.fixture
def pcf() -> PcfOperator:
    return operator()


def asked(pcf: PcfOperator, command: int, *parameters: bytes) -> int:
    """The reason in the last answer; there must be one, and not for a fault of ours."""
    pcf.send(raw_command(command, parameters))
    answers = pcf.received()
    assert answers
    assert pcf.station.logged("AMQ8506") == []
    return int(answers[-1].record.reason)


@pytest.mark.parametrize("number", [-(2**31), -1, -1630940636, 2**31 - 1, 0, 5555])
def test_ids_are_signed(pcf: PcfOperator, number: int) -> None:
    pcf.send(raw_command(MQCMD.PING_Q_MGR, [raw_parameter(MQCFT.INTEGER, number, words(1))]))
    (answer,) = pcf.received()
    assert answer.record.reason == MQRCCF.CFIN_PARM_ID_ERROR
    (fault,) = answer.parameters if number else (None,)
    assert fault is None or (fault.parameter, fault.value) == (MQIACF.PARAMETER_ID, number)
    assert number or content(answer) == {}


@pytest.mark.parametrize("kind", [*range(-1, 30), 99])
def test_every_type_is_answered_once_and_twice(pcf: PcfOperator, kind: int) -> None:
    odd = raw_parameter(kind, -5, PAYLOADS.get(kind, b"\xff" * 8))
    for parameters in ([odd], [odd, odd]):
        assert asked(pcf, MQCMD.PING_Q_MGR, *parameters) not in (0, MQRCCF.COMMAND_FAILED)


@pytest.mark.parametrize("command", COMMANDS)
def test_known_ids_with_nothing_in_them_are_answered(command: int) -> None:
    request = REQUESTS.get(command)
    names = [int(MQCACF.ESCAPE_TEXT)] if request is None else [*request.name, *request.options, *request.flags]
    pcf = operator()
    for number in map(int, names):
        kind = raw_parameter(MQCFT.INTEGER, MQIACF.ESCAPE_TYPE, words(1))
        for odd in (MQCFT.STRING_LIST, MQCFT.INTEGER_LIST, MQCFT.BYTE_STRING, MQCFT.STRING):
            given = [raw_parameter(odd, number, PAYLOADS[int(odd)]), *([kind] if request is None else [])]
            asked(pcf, command, *given)
            if pcf.station.manager.queue("REPLIES") is None:
                pcf = operator()


def test_a_name_that_is_a_list_of_nothing_is_none(pcf: PcfOperator) -> None:
    empty = raw_parameter(MQCFT.STRING_LIST, MQCA.Q_NAME, words(0, 0, 0))
    assert asked(pcf, MQCMD.CLEAR_Q, empty) == MQRCCF.CFSL_COUNT_ERROR
    assert asked(pcf, MQCMD.CLEAR_Q, raw_text(int(MQCA.Q_NAME), b"DEV.QUEUE.1")) == 0


@pytest.mark.parametrize("text", [b"", b" ", b"* a comment", b"+", b";", b"END", b"\n", b"DISPLAY"])
def test_an_escape_that_says_nothing_is_answered(pcf: PcfOperator, text: bytes) -> None:
    kind = raw_parameter(MQCFT.INTEGER, MQIACF.ESCAPE_TYPE, words(1))
    asked(pcf, MQCMD.ESCAPE, kind, raw_text(int(MQCACF.ESCAPE_TEXT), text))
