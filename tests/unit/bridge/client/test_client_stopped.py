"""Programs over real sockets that an operator ends by STOP CONN."""

from __future__ import annotations

import re
import threading
from typing import Any

import pytest

import mqbridge
from mqbridge.protocol.constants import MQRC
from mqbridge.pytest_plugin import CommandFailed
from support.processes.running_service import wait_for

pytestmark = pytest.mark.spec("channels.md 17.2")

QUEUE = "DEV.QUEUE.1"


def said(mq: Any, command: str) -> str:
    """What a display says; nothing where there is nothing to show."""
    try:
        return " ".join(mq.mqsc(command))
    except CommandFailed:
        return ""


def connection_of(mq: Any, application: str) -> str:
    """The command that ends the one connection of an application."""
    text = " ".join(mq.mqsc(f"DISPLAY CONN(*) WHERE(APPLTAG EQ '{application}') CONN"))
    found = [re.search(rf"\b{keyword}\((\w+)\)", text) for keyword in ("CONN", "EXTCONN")]
    assert all(found), text
    return "STOP CONN({}) EXTCONN({})".format(*(each[1] for each in found if each))


@pytest.mark.parametrize("shared", [1, 0])
def test_a_program_in_a_unit_of_work(mq: Any, shared: int) -> None:
    mq.put(QUEUE, "kept")
    with mq.connect(shared_conversations=shared, timeout=10, application="to be ended") as other:
        assert other.get(QUEUE, syncpoint=True).text == "kept"
        other.put("DEV.QUEUE.2", "never", syncpoint=True)
        shown = " ".join(mq.mqsc("DISPLAY APSTATUS('to be*') ALL"))
        assert "APPLNAME(to be ended)" in shown
        assert "COUNT(1)" in shown
        mq.mqsc(connection_of(mq, "to be ended"))
        with pytest.raises(mqbridge.ConnectionBroken) as caught:
            other.commit()
        assert caught.value.reason == MQRC.CONNECTION_BROKEN
    assert [message.text for message in mq.messages(QUEUE)] == ["kept"]
    assert mq.depth("DEV.QUEUE.2") == 0


@pytest.mark.parametrize("shared", [1, 0])
def test_a_program_that_waits(mq: Any, shared: int) -> None:
    with mq.connect(shared_conversations=shared, timeout=10, application="waits") as other:
        caught: list[BaseException] = []

        def waits() -> None:
            try:
                other.get(QUEUE, wait=60)
            except BaseException as error:
                caught.append(error)

        thread = threading.Thread(target=waits)
        thread.start()
        handles = "DISPLAY CONN(*) TYPE(HANDLE) WHERE(APPLTAG EQ 'waits') HSTATE"
        wait_for("the get waits", lambda: "HSTATE(ACTIVE)" in said(mq, handles))
        mq.mqsc(connection_of(mq, "waits"))
        thread.join(20)
        assert not thread.is_alive()
        (error,) = caught
        assert isinstance(error, mqbridge.ConnectionBroken)
