"""Why an inquiry fails where there is nothing to show: by exact and generic name, and where it may not be seen."""

from __future__ import annotations

from typing import Final

import pytest

from mqbridge.protocol.constants import MQBACF, MQCA, MQCACF, MQCACH, MQCMD, MQIACF, MQRC, MQRCCF
from support.queue_manager.pcf_operator import PcfOperator, Value, operator

pytestmark = [pytest.mark.spec("mq-wire.md 5.16"), pytest.mark.spec("channels.md 17.2")]

BY_NAME: Final[dict[int, tuple[int, int]]] = {
    MQCMD.INQUIRE_Q: (MQCA.Q_NAME, MQRC.UNKNOWN_OBJECT_NAME),
    MQCMD.INQUIRE_Q_STATUS: (MQCA.Q_NAME, MQRC.UNKNOWN_OBJECT_NAME),
    MQCMD.RESET_Q_STATS: (MQCA.Q_NAME, MQRC.UNKNOWN_OBJECT_NAME),
    MQCMD.INQUIRE_PROCESS: (MQCA.PROCESS_NAME, MQRC.UNKNOWN_OBJECT_NAME),
    MQCMD.INQUIRE_NAMELIST: (MQCA.NAMELIST_NAME, MQRC.UNKNOWN_OBJECT_NAME),
    MQCMD.INQUIRE_TOPIC: (MQCA.TOPIC_NAME, MQRC.UNKNOWN_OBJECT_NAME),
    MQCMD.INQUIRE_LISTENER: (MQCACH.LISTENER_NAME, MQRC.UNKNOWN_OBJECT_NAME),
    MQCMD.INQUIRE_SERVICE: (MQCA.SERVICE_NAME, MQRC.UNKNOWN_OBJECT_NAME),
    MQCMD.INQUIRE_AUTH_INFO: (MQCA.AUTH_INFO_NAME, MQRC.UNKNOWN_OBJECT_NAME),
    MQCMD.INQUIRE_CHANNEL: (MQCACH.CHANNEL_NAME, MQRCCF.CHANNEL_NOT_FOUND),
    MQCMD.INQUIRE_CHANNEL_STATUS: (MQCACH.CHANNEL_NAME, MQRCCF.CHL_STATUS_NOT_FOUND),
    MQCMD.INQUIRE_CHLAUTH_RECS: (MQCACH.CHANNEL_NAME, MQRCCF.CHLAUTH_NOT_FOUND),
    MQCMD.INQUIRE_LISTENER_STATUS: (MQCACH.LISTENER_NAME, MQRCCF.LSTR_STATUS_NOT_FOUND),
    MQCMD.INQUIRE_SERVICE_STATUS: (MQCA.SERVICE_NAME, MQRCCF.SERV_STATUS_NOT_FOUND),
    MQCMD.INQUIRE_SUBSCRIPTION: (MQCACF.SUB_NAME, MQRC.NO_SUBSCRIPTION),
    MQCMD.INQUIRE_SUB_STATUS: (MQCACF.SUB_NAME, MQRCCF.SUB_NAME_ERROR),
    MQCMD.INQUIRE_TOPIC_STATUS: (MQCA.TOPIC_STRING, MQRCCF.TOPIC_STRING_NOT_FOUND),
    MQCMD.INQUIRE_AUTH_RECS: (MQCACF.AUTH_PROFILE_NAME, MQRC.UNKNOWN_OBJECT_NAME),
}
"""Inquiry → the parameter that names, and the reason for nothing."""

SEEN_BY_FEW: Final[dict[int, tuple[int, int]]] = {
    MQCMD.INQUIRE_CHANNEL: (MQCACH.CHANNEL_NAME, MQRCCF.CHANNEL_NOT_FOUND),
    MQCMD.INQUIRE_SERVICE: (MQCA.SERVICE_NAME, MQRC.UNKNOWN_OBJECT_NAME),
}


@pytest.fixture(scope="module")
def pcf() -> PcfOperator:
    return operator("ALTER QMGR PERFMEV(ENABLED)")


@pytest.mark.parametrize("name", ["NO.SUCH.NAME", "NO.SUCH.*"])
@pytest.mark.parametrize("inquiry", sorted(BY_NAME), ids=lambda number: str(MQCMD(number)))
def test_nothing_has_the_name(pcf: PcfOperator, inquiry: int, name: str) -> None:
    number, reason = BY_NAME[inquiry]
    assert pcf.bad(inquiry, (number, name))[0] == reason


@pytest.mark.parametrize("inquiry", sorted(SEEN_BY_FEW), ids=lambda number: str(MQCMD(number)))
def test_what_may_not_be_seen_is_not_there(inquiry: int) -> None:
    number, reason = SEEN_BY_FEW[inquiry]
    assert operator(user="app").bad(inquiry, (number, "SYSTEM.*"))[0] == reason


@pytest.mark.parametrize(
    ("inquiry", "given", "reason"),
    [
        (MQCMD.INQUIRE_CONNECTION, (MQBACF.GENERIC_CONNECTION_ID, b""), MQRCCF.NONE_FOUND),
        (MQCMD.INQUIRE_CONNECTION, (MQBACF.CONNECTION_ID, bytes(24)), MQRCCF.CONNECTION_ID_ERROR),
        (MQCMD.INQUIRE_SUBSCRIPTION, (MQBACF.SUB_ID, bytes(24)), MQRC.NO_SUBSCRIPTION),
        (MQCMD.INQUIRE_PUBSUB_STATUS, (MQIACF.PS_STATUS_TYPE, 3), MQRCCF.NONE_FOUND),
    ],
    ids=["connections", "connection", "subscription by id", "relatives"],
)
def test_nothing_without_a_name(pcf: PcfOperator, inquiry: int, given: tuple[int, Value], reason: int) -> None:
    assert pcf.bad(inquiry, given)[0] == reason


def test_a_filter_that_leaves_nothing_finds_nothing(pcf: PcfOperator) -> None:
    pcf.station.types("DEFINE SUB(ONE) TOPICSTR('a') DEST(DEV.QUEUE.1)")
    durable_no = (MQIACF.DURABLE_SUBSCRIPTION, 2)
    assert pcf.bad(MQCMD.INQUIRE_SUBSCRIPTION, (MQCACF.SUB_NAME, "*"), durable_no)[0] == MQRC.NO_SUBSCRIPTION


def test_names_alone_of_nothing_are_an_empty_list(pcf: PcfOperator) -> None:
    (names,) = pcf.good(MQCMD.INQUIRE_CHANNEL_NAMES, (MQCACH.CHANNEL_NAME, "NO.SUCH.*"))
    assert names[MQCACH.CHANNEL_NAMES] == []
