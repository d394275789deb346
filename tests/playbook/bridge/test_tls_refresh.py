"""REFRESH SECURITY TYPE(SSL): channels inside TLS begin anew, others do not. The handshakes are played."""

from __future__ import annotations

import pytest

from mqbridge.protocol.constants import MQCMD, MQIACF
from support.gateway.stage import certificate, earth_and_saturn
from support.gateway.tls_pair import ANY, CHANNEL, pair
from support.queue_manager.pcf_operator import PcfOperator

pytestmark = pytest.mark.spec("tls.md T-10")


@pytest.mark.parametrize("side", ["EARTH", "SATURN"])
def test_channels_inside_tls_start_again_and_lose_nothing(side: str) -> None:
    stage, earth, saturn = pair(f"{ANY} SHORTTMR(1)", ANY)
    earth.put("FAR", b"before")
    stage.wait()
    stage.stations[side].certificate = certificate(f"CN=New {side}")
    stage.stations[side].types("REFRESH SECURITY TYPE(SSL)")
    other = saturn if side == "EARTH" else earth
    earth.put("FAR", b"after")

    def renewed() -> bool:
        rows = other.rows(f"DISPLAY CHSTATUS({CHANNEL}) ALL")
        return bool(rows) and rows[0].get("SSLPEER") == f"SERIALNUMBER=2A,CN=New {side}"

    stage.wait_until(renewed)
    stage.wait()
    assert saturn.contents("TARGET") == [b"before", b"after"]
    assert earth.status(CHANNEL) == "RUNNING"


def test_plain_channels_and_stopped_ones_are_left_alone() -> None:
    stage, earth, _ = earth_and_saturn()
    started = earth.row(CHANNEL)["CHSTATI"]
    stage.wait(5)
    earth.types("REFRESH SECURITY TYPE(SSL)")
    stage.wait(5)
    assert earth.row(CHANNEL)["CHSTATI"] == started
    earth.types(f"STOP CHANNEL({CHANNEL})")
    earth.types("REFRESH SECURITY TYPE(SSL)")
    stage.wait(5)
    assert earth.status(CHANNEL) == "STOPPED"


def test_a_channel_that_is_just_calling_calls_anew() -> None:
    stage, earth, saturn = earth_and_saturn(ANY, ANY, start=False)
    earth.types(f"START CHANNEL({CHANNEL})")
    assert earth.status(CHANNEL) == "BINDING"
    earth.types("REFRESH SECURITY TYPE(SSL)")
    stage.wait_until(lambda: earth.status(CHANNEL) == "RUNNING")
    stage.wait(2)
    assert (earth.status(CHANNEL), saturn.status(CHANNEL)) == ("RUNNING", "RUNNING")


@pytest.mark.spec("mq-wire.md 5.16")
def test_pcf_refreshes_security_too() -> None:
    stage, earth, saturn = pair(ANY, ANY)
    saturn.certificate = certificate("CN=New")
    PcfOperator(earth).good(MQCMD.REFRESH_SECURITY, (MQIACF.SECURITY_TYPE, 2))
    stage.wait_until(lambda: "CN=New" in earth.row(CHANNEL).get("SSLPEER", ""))


def test_a_channel_that_is_stopped_meanwhile_stays_stopped() -> None:
    stage, earth, _ = pair(f"{ANY} BATCHINT(5000)", ANY)
    earth.put("FAR", b"in an open batch")
    stage.wait(0.1)
    earth.types("REFRESH SECURITY TYPE(SSL)")
    assert earth.status(CHANNEL) == "STOPPING", "after its batch"
    earth.types(f"STOP CHANNEL({CHANNEL})")
    stage.wait(20)
    assert earth.status(CHANNEL) == "STOPPED"


def test_another_certlabl_counts_after_the_refresh(monkeypatch: pytest.MonkeyPatch) -> None:
    stage, earth, _ = earth_and_saturn(ANY, ANY, start=False)
    labels: list[str] = []
    agrees = earth.agrees
    monkeypatch.setattr(earth, "agrees", lambda offer, stream: labels.append(offer.label) or agrees(offer, stream))
    earth.types("ALTER QMGR CERTLABL('mine')")
    for command in (f"START CHANNEL({CHANNEL})", "REFRESH SECURITY TYPE(SSL)"):
        earth.types(command)
        stage.wait(5)
    earth.restart(5)
    stage.wait(5)
    assert labels[:2] == ["", "mine"], "when its keys are read again"
    assert set(labels[2:]) == {"mine"}, "and at its start"
