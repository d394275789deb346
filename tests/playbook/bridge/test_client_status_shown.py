"""What DISPLAY CHSTATUS and its PCF sister say of channels of clients, and of message channels (channels.md 17.4)."""

from __future__ import annotations

import pytest

from mqbridge.protocol.constants import MQCA, MQCACH, MQCMD, MQGMO, MQIACH, MQOO
from support.clients.program import CHANNEL, connects, with_clients
from support.queue_manager.pcf_operator import PcfOperator

pytestmark = pytest.mark.spec("channels.md 17.4")

INPUT = int(MQOO.INPUT_SHARED | MQOO.OUTPUT)


def test_calls_are_counted_and_the_last_one_is_dated() -> None:
    stage, mars = with_clients()
    client = connects(stage)
    first = mars.rows(f"DISPLAY CHSTATUS({CHANNEL}) ALL")[0]
    assert (first["SUBSTATE"], first["MSGS"], first["MCASTAT"]) == ("RECEIVE", "1", "RUNNING")
    assert (first["CHSTADA"], first["CHSTATI"]) == (first["LSTMSGDA"], first["LSTMSGTI"])
    assert (first["SECPROT"], first["COMPHDR"], first["MONCHL"]) == ("NONE", "NONE,NONE", "OFF")
    stage.wait(7)
    handle = client.opens("TARGET", INPUT)
    client.puts(b"x", handle)
    client.takes(handle)
    later = mars.rows(f"DISPLAY CHSTATUS({CHANNEL}) ALL")[0]
    assert later["MSGS"] == "4", "MQCONN, MQOPEN, MQPUT, and what stands for MQGET"
    assert later["LSTMSGTI"] > first["LSTMSGTI"]
    assert later["CHSTATI"] == first["CHSTATI"]


def test_a_program_in_a_call_is_seen() -> None:
    stage, mars = with_clients(conversations=0)
    client = connects(stage, conversations=0)
    handle = client.opens("TARGET", INPUT)
    client.sends(client.get_segment(handle, int(MQGMO.WAIT), gmo={"wait_interval": 5000}))
    assert mars.rows(f"DISPLAY CHSTATUS({CHANNEL})")[0]["SUBSTATE"] == "INMQI"
    stage.wait(6)
    assert mars.rows(f"DISPLAY CHSTATUS({CHANNEL})")[0]["SUBSTATE"] == "RECEIVE"


@pytest.mark.spec("mq-wire.md 5.16")
def test_pcf_has_it_by_number() -> None:
    stage, mars = with_clients()
    connects(stage)
    pcf = PcfOperator(mars)
    (found,) = pcf.good(MQCMD.INQUIRE_CHANNEL_STATUS, (MQCACH.CHANNEL_NAME, CHANNEL))
    wanted = (
        MQIACH.CHANNEL_STATUS, MQIACH.CHANNEL_SUBSTATE, MQIACH.CHANNEL_TYPE, MQIACH.STOP_REQUESTED, MQIACH.MSGS,
        MQIACH.BUFFERS_RECEIVED, MQIACH.BUFFERS_SENT, MQIACH.BYTES_RECEIVED, MQIACH.BYTES_SENT, MQIACH.MCA_STATUS,
        MQIACH.HB_INTERVAL, MQIACH.CURRENT_SHARING_CONVS, MQIACH.MAX_SHARING_CONVS, MQIACH.CHANNEL_INSTANCE_TYPE,
        MQIACH.HDR_COMPRESSION, MQIACH.MSG_COMPRESSION, MQIACH.SECURITY_PROTOCOL, MQCACH.CHANNEL_NAME,
        MQCACH.CONNECTION_NAME, MQCACH.LAST_MSG_DATE, MQCACH.LAST_MSG_TIME, MQCACH.CHANNEL_START_DATE,
        MQCACH.CHANNEL_START_TIME, MQCACH.MCA_USER_ID, MQCACH.REMOTE_APPL_TAG, MQCACH.REMOTE_PRODUCT,
        MQCACH.REMOTE_VERSION, MQCA.REMOTE_Q_MGR_NAME,
    )  # fmt: skip
    assert [number for number in wanted if number not in found] == []
    assert found[MQIACH.CHANNEL_SUBSTATE] == 300, "MQCHSSTATE_RECEIVING"
    asked = [int(MQCACH.LAST_MSG_DATE), int(MQCACH.LAST_MSG_TIME), int(MQIACH.CHANNEL_SUBSTATE)]
    (some,) = pcf.good(
        MQCMD.INQUIRE_CHANNEL_STATUS, (MQCACH.CHANNEL_NAME, CHANNEL), (MQIACH.CHANNEL_INSTANCE_ATTRS, asked)
    )
    assert set(asked) <= set(some)
