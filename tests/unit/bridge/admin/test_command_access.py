"""Which commands may be sent to another queue manager, by whom."""

from __future__ import annotations

from typing import Any

import pytest
from twisted.web.http import Request
from twisted.web.test.requesthelper import DummyChannel

from mqbridge.bridge.admin.command_access import CommandAccess
from mqbridge.bridge.admin.errors import RestError
from mqbridge.bridge.admin.exchange import RestExchange
from mqbridge.bridge.security import Mechanism, WebRole, WebUser


def access(role: WebRole) -> CommandAccess:
    nothing: Any = None
    exchange = RestExchange(Request(DummyChannel()), nothing, "POST", {}, {})
    exchange.user = WebUser("rita", role, Mechanism.BASIC)
    return CommandAccess(exchange)


@pytest.mark.parametrize("text", ["DISPLAY QMGR", "dis ql(*) curdepth", "DISPLAY QLOCAL(A) WHERE(DESCR EQ 'x')"])
def test_everybody_may_send_a_display(text: str) -> None:
    for role in WebRole:
        access(role).check_remote(text)


@pytest.mark.parametrize(
    "text",
    [
        "DEFINE QLOCAL(A)",
        "PING QMGR",
        "DISPLAY QMGR\nDELETE QLOCAL(A)",
        "DISPLAY QMGR\rDELETE QLOCAL(A)",
        "DISPLAY QMGR; DELETE QLOCAL(A)",
        "DISPLAY QMGR +\n DESCR",
        "* DISPLAY\nDELETE QLOCAL(A)",
        "DISPLAY SOMETHING(NEW)",
        "DISPLAY",
        "",
    ],
)
def test_a_reader_may_send_nothing_else(text: str) -> None:
    with pytest.raises(RestError) as caught:
        access(WebRole.READER).check_remote(text)
    assert (caught.value.status, caught.value.message_id) == (403, "MQWB0108E")
    access(WebRole.ADMINISTRATOR).check_remote(text)
    access(WebRole.USER).check_remote(text)  # whose authority to put it counts, and what the other one allows
