"""Property options of a get, and PROPCTL of the queue (mqi.md 15.1, 15.2)."""

from __future__ import annotations

import pytest

from mqbridge.bridge.queue_manager import MQError
from mqbridge.protocol.constants import MQGMO, MQRC, ByteOrder
from mqbridge.protocol.structures import make_rfh2
from support.queue_manager.host import Host

USR, OTHER = b"<usr><a>1</a></usr>", b"<mq_usr><a>1</a></mq_usr>"
GIVEN = "headers"


def put(host: Host, folder: bytes, persistence: int = 0) -> bytes:
    header = make_rfh2(
        ByteOrder.LITTLE, [folder], encoding=546, coded_char_set_id=1208, format=b"MQSTR   ", name_value_ccsid=1208
    ).build()
    host.put("Q", header + b"text", format="MQHRF2", encoding=546, coded_char_set_id=1208, persistence=persistence)
    return header


def form(host: Host, folder: bytes, options: int) -> str:
    """What a get gives of a message with a folder: ``headers`` as they were put, or the text alone."""
    header = put(host, folder)
    message = host.got("Q", options=options)
    if message.data == b"text":
        assert (message.md.format, message.md.encoding, message.md.coded_char_set_id) == ("MQSTR", 546, 1208)
        return "text"
    assert message.data == header + b"text"
    assert message.md.format == "MQHRF2"
    return GIVEN


@pytest.mark.spec("mqi.md 15.1")
@pytest.mark.parametrize(
    ("option", "of_jms", "of_others"),
    [
        (MQGMO.PROPERTIES_FORCE_MQRFH2, GIVEN, GIVEN),
        (MQGMO.NO_PROPERTIES, "text", "text"),
        (MQGMO.PROPERTIES_COMPATIBILITY, GIVEN, "text"),
    ],
)
@pytest.mark.parametrize("propctl", ["COMPAT", "NONE", "ALL"])
def test_options(host: Host, option: int, of_jms: str, of_others: str, propctl: str) -> None:
    host.local("Q", PROPCTL=propctl)
    assert form(host, USR, option) == of_jms
    assert form(host, OTHER, option) == of_others


@pytest.mark.spec("mqi.md 15.2")
@pytest.mark.parametrize(
    ("propctl", "of_jms", "of_others"),
    [
        ("COMPAT", GIVEN, "text"), ("NONE", "text", "text"), ("ALL", GIVEN, GIVEN), ("FORCE", GIVEN, GIVEN),
        ("V6COMPAT", GIVEN, GIVEN),
    ],
)  # fmt: skip
def test_without_an_option_the_queue_decides(host: Host, propctl: str, of_jms: str, of_others: str) -> None:
    host.local("Q", PROPCTL=propctl)
    assert form(host, USR, 0) == of_jms
    assert form(host, OTHER, 0) == of_others


@pytest.mark.spec("mqi.md 15.1")
def test_handles_are_not_here(host: Host) -> None:
    host.local("Q")
    with pytest.raises(MQError) as caught:
        host.get("Q", options=MQGMO.PROPERTIES_IN_HANDLE)
    assert caught.value.reason == MQRC.HMSG_ERROR


@pytest.mark.spec("mqi.md 13")
def test_room_is_needed_for_what_is_given(host: Host) -> None:
    host.local("Q")
    put(host, USR, persistence=1)
    got = host.get("Q", options=MQGMO.NO_PROPERTIES, max_length=4)
    assert got is not None
    assert (got.reason, got.length, got.message.data) == (0, 4, b"text")
    assert got.stored > 4
    header = put(host, USR)
    got = host.get("Q", options=MQGMO.NO_PROPERTIES, max_length=3)
    assert got is not None
    assert (got.reason, got.length) == (MQRC.TRUNCATED_MSG_FAILED, 4)
    got = host.get("Q", options=MQGMO.PROPERTIES_FORCE_MQRFH2, max_length=4)
    assert got is not None
    assert (got.reason, got.length) == (MQRC.TRUNCATED_MSG_FAILED, len(header) + 4)


def test_what_is_put_again_to_the_queue_still_has_them(host: Host) -> None:
    host.local("Q")
    header = put(host, USR, persistence=1)
    unit = host.begin()
    assert host.got("Q", unit, options=MQGMO.NO_PROPERTIES | MQGMO.SYNCPOINT).data == b"text"
    host.backout(unit)
    assert host.got("Q").data == header + b"text"


def test_transmission_queues_give_what_they_have(host: Host) -> None:
    host.transmission("X", PROPCTL="NONE")
    header = make_rfh2(ByteOrder.LITTLE, [USR], encoding=546, coded_char_set_id=1208, format=b"MQSTR   ").build()
    host.put("Q", header + b"text", queue_manager="X", format="MQHRF2", encoding=546, coded_char_set_id=1208)
    assert host.got("X").data.endswith(header + b"text")
