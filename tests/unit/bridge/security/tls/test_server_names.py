"""Server names of channels, both ways (tls.md T-02)."""

from __future__ import annotations

import pytest

from mqbridge.bridge.security.tls import channel_named, server_name

pytestmark = pytest.mark.spec("tls.md T-02")


@pytest.mark.parametrize(
    ("channel", "name"),
    [
        ("TO.QMGR1", "to2e-qmgr1.chl.mq.ibm.com"),
        ("to.qmgr1", "74-6f-2e-71-6d-67-72-1.chl.mq.ibm.com"),
        ("DEV.APP.SVRCONN", "dev2e-app2e-svrconn.chl.mq.ibm.com"),
        ("A%B/C_D", "a25-b2f-c5f-d.chl.mq.ibm.com"),
        ("X12.E", "x122e-e.chl.mq.ibm.com"),
        ("12", "12.chl.mq.ibm.com"),
        ("zzzzzzzzzzzzzzzzzzzz", "7a-" * 20 + ".chl.mq.ibm.com"),
    ],
)
def test_a_channel(channel: str, name: str) -> None:
    assert server_name(channel) == name
    assert channel_named(name) == channel
    assert channel_named(name.upper()) == channel


@pytest.mark.parametrize(
    "name",
    [
        "", "localhost", "earth.example.org", ".chl.mq.ibm.com", "chl.mq.ibm.com", "to2e-qmgr1.chl.mq.ibm.com.",
        "to2e-qmgr1.chl.mq.ibm.org", "a.b.chl.mq.ibm.com", "a-b.chl.mq.ibm.com", "g0-.chl.mq.ibm.com",
        "41-.chl.mq.ibm.com", "30-.chl.mq.ibm.com", "20-.chl.mq.ibm.com", "2d-.chl.mq.ibm.com", "2e.chl.mq.ibm.com.x",
        "a" * 21 + ".chl.mq.ibm.com", "7a-" * 21 + ".chl.mq.ibm.com", "ä.chl.mq.ibm.com", "a\0.chl.mq.ibm.com",
        "a" * 100_000 + ".chl.mq.ibm.com", "\u0130.chl.mq.ibm.com", "\u0661.chl.mq.ibm.com",
    ],
)  # fmt: skip
def test_names_of_no_channel(name: str) -> None:
    assert channel_named(name) == ""


@pytest.mark.parametrize("channel", ["", "A B", "A-B", "Ä", "A" * 21, "*"])
def test_no_names_of_channels(channel: str) -> None:
    assert server_name(channel) == ""
