"""Lists of texts in answers: each text is as long as its field in MQ, so clients that step through them read names."""

from __future__ import annotations

import struct

import pytest

from mqbridge.protocol.constants import MQCA, MQCACF, MQCACH, MQCFT, MQCMD, ByteOrder
from mqbridge.protocol.structures.pcf import Parameter, parse_pcf
from support.gateway.stage import Stage, Station
from support.queue_manager.pcf_operator import PcfOperator

pytestmark = pytest.mark.spec("mq-wire.md 5.16")

_HEAD = struct.Struct("<6i")
"""Type, StrucLength, Parameter, CodedCharSetId, Count, StringLength."""


@pytest.fixture
def pcf() -> PcfOperator:
    return PcfOperator(Stage().station("MARS"))


def stepped(raw: bytes, parameter: int, rounds: bool) -> tuple[int, list[str]]:
    """StringLength of a list, and its texts as a client reads them that steps by it, or by it filled up to 4."""
    start = raw.index(struct.pack("<i", parameter)) - 8
    kind, total, number, _, count, length = _HEAD.unpack_from(raw, start)
    assert (kind, number) == (MQCFT.STRING_LIST, parameter)
    step = length + (-length % 4 if rounds else 0)
    assert _HEAD.size + count * step == total
    texts = raw[start + _HEAD.size : start + total]
    return length, [texts[at * step :][:length].decode().rstrip() for at in range(count)]


@pytest.mark.parametrize(
    ("commands", "command", "name", "wanted", "length", "texts"),
    [
        (
            ["DEFINE NAMELIST(NL) NAMES(A, ORDERS.IN.1, LONGER)"],
            MQCMD.INQUIRE_NAMELIST,
            (MQCA.NAMELIST_NAME, "NL"),
            MQCA.NAMES,
            48,
            ["A", "ORDERS.IN.1", "LONGER"],
        ),
        (
            ["DEFINE QLOCAL(X.1)", "DEFINE QLOCAL(X.22222)"],
            MQCMD.INQUIRE_Q_NAMES,
            (MQCA.Q_NAME, "X.*"),
            MQCACF.Q_NAMES,
            48,
            ["X.1", "X.22222"],
        ),
        (
            ["DEFINE CHANNEL(C.1) CHLTYPE(SVRCONN)", "DEFINE CHANNEL(C.ANOTHER) CHLTYPE(SVRCONN)"],
            MQCMD.INQUIRE_CHANNEL_NAMES,
            (MQCACH.CHANNEL_NAME, "C.*"),
            MQCACH.CHANNEL_NAMES,
            20,
            ["C.1", "C.ANOTHER"],
        ),
        (
            ["DEFINE CHANNEL(E) CHLTYPE(SVRCONN) SENDEXIT('a(b)', 'longer(c)')"],
            MQCMD.INQUIRE_CHANNEL,
            (MQCACH.CHANNEL_NAME, "E"),
            MQCACH.SEND_EXIT_NAME,
            128,
            ["a(b)", "longer(c)"],
        ),
    ],
    ids=["NAMES", "queues", "channels", "exits"],
)
def test_every_step_comes_to_a_name(
    pcf: PcfOperator,
    commands: list[str],
    command: MQCMD,
    name: tuple[int, str],
    wanted: int,
    length: int,
    texts: list[str],
) -> None:
    for each in commands:
        pcf.station.types(each)
    pcf.good(command, name)
    (message,) = pcf.messages
    for rounds in (False, True):
        assert stepped(message.data, int(wanted), rounds) == (length, texts)


def test_lists_without_a_fixed_length_have_multiples_of_four(pcf: PcfOperator) -> None:
    station: Station = pcf.station
    station.types("SET CHLAUTH(C.*) TYPE(BLOCKUSER) USERLIST('ann', 'bernard')")
    pcf.good(MQCMD.INQUIRE_CHLAUTH_RECS, (MQCACH.CHANNEL_NAME, "C.*"))
    (message,) = pcf.messages
    lists: list[Parameter] = [each for each in pcf_parameters(message.data) if each.type == MQCFT.STRING_LIST]
    assert [[text.decode().rstrip() for text in each.value] for each in lists] == [["ann", "bernard"]]
    assert [each.string_length % 4 for each in lists] == [0]


def pcf_parameters(data: bytes) -> list[Parameter]:

    return parse_pcf(data, 0, ByteOrder.LITTLE).parameters
