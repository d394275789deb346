"""Which channels work together, between whole queue managers (channels.md 1)."""

from __future__ import annotations

import pytest

from mqbridge.protocol.constants import CapFlags1, SegmentType, StatusCode
from support.channels.partner import Listening, calls
from support.channels.playbook import initial_data, status
from support.gateway.stage import SENDER, TRIGGERED, Stage, Station, earth_and_saturn

FAR = "DEFINE QREMOTE(FAR) RNAME(TARGET) RQMNAME(SATURN)"
WORKERS = f"""
    DEFINE QLOCAL(SATURN) USAGE(XMITQ)
    {FAR}
"""


def stations(earth_script: str, saturn_script: str) -> tuple[Stage, Station, Station]:
    """EARTH has the messages, SATURN the target queue; the scripts define the channel BOTH."""
    stage = Stage()
    earth = stage.station("EARTH", WORKERS + earth_script)
    return stage, earth, stage.station("SATURN", "DEFINE QLOCAL(TARGET)\n" + saturn_script)


SERVER = "DEFINE CHANNEL(BOTH) CHLTYPE(SVR) XMITQ(SATURN)"
CALLING_SERVER = f"{SERVER} CONNAME(SATURN) SHORTTMR(5)"
CALLING_SENDER = "DEFINE CHANNEL(BOTH) CHLTYPE(SDR) XMITQ(SATURN) CONNAME(SATURN) SHORTTMR(5)"
RECEIVING = "DEFINE CHANNEL(BOTH) CHLTYPE(RCVR)"
REQUESTING = "DEFINE CHANNEL(BOTH) CHLTYPE(RQSTR) CONNAME(EARTH)"


@pytest.mark.spec("channels.md 20.1")
@pytest.mark.parametrize(
    ("earth_script", "saturn_script", "starter"),
    [
        pytest.param(CALLING_SENDER, RECEIVING, "EARTH", id="SDR starts, RCVR"),
        pytest.param(CALLING_SERVER, RECEIVING, "EARTH", id="SVR starts, RCVR"),
        pytest.param(SERVER, REQUESTING, "SATURN", id="RQSTR starts, SVR without address"),
        pytest.param(CALLING_SERVER, REQUESTING, "SATURN", id="RQSTR starts, SVR with address"),
        pytest.param(CALLING_SERVER, REQUESTING, "EARTH", id="SVR with address starts, RQSTR"),
        pytest.param(CALLING_SENDER, REQUESTING, "SATURN", id="RQSTR starts, SDR calls back"),
        pytest.param(CALLING_SENDER, REQUESTING, "EARTH", id="SDR starts, RQSTR"),
    ],
)
def test_a_pair_that_works(earth_script: str, saturn_script: str, starter: str) -> None:
    stage, earth, saturn = stations(earth_script, saturn_script)
    earth.put_many("FAR", b"one", b"two")
    stage.stations[starter].types("START CHANNEL(BOTH)")
    stage.wait()
    assert (earth.status("BOTH"), saturn.status("BOTH")) == ("RUNNING", "RUNNING")
    assert saturn.contents("TARGET") == [b"one", b"two"]
    assert earth.row("BOTH")["RQMNAME"] == "SATURN"
    assert saturn.row("BOTH")["RQMNAME"] == "EARTH"


@pytest.mark.spec("channels.md 20.1")
@pytest.mark.parametrize(
    ("earth_script", "saturn_script", "starter"),
    [
        pytest.param(CALLING_SENDER, CALLING_SENDER, "EARTH", id="SDR calls SDR"),
        pytest.param(CALLING_SENDER, SERVER, "EARTH", id="SDR calls SVR"),
        pytest.param(CALLING_SERVER, SERVER, "EARTH", id="SVR calls SVR"),
        pytest.param(CALLING_SENDER, "DEFINE CHANNEL(BOTH) CHLTYPE(SVRCONN)", "EARTH", id="SDR calls SVRCONN"),
        pytest.param(RECEIVING, REQUESTING, "SATURN", id="RQSTR calls RCVR"),
        pytest.param(REQUESTING, REQUESTING, "SATURN", id="RQSTR calls RQSTR"),
        pytest.param("DEFINE CHANNEL(BOTH) CHLTYPE(SVRCONN)", REQUESTING, "SATURN", id="RQSTR calls SVRCONN"),
    ],
)
def test_a_pair_that_does_not_fit_is_refused_and_not_tried_again(
    earth_script: str, saturn_script: str, starter: str
) -> None:
    extra = "\nDEFINE QLOCAL(SATURN) USAGE(XMITQ)" if "XMITQ" in saturn_script else ""
    stage, earth, saturn = stations(earth_script, saturn_script + extra)
    caller, called = (earth, saturn) if starter == "EARTH" else (saturn, earth)
    caller.types("START CHANNEL(BOTH)")
    stage.wait()
    assert called.logged("AMQ9547")
    assert caller.logged("AMQ9547")
    assert called.status("BOTH") == "INACTIVE"
    connections = len(stage.network.streams)
    stage.wait(100)
    assert len(stage.network.streams) == connections


@pytest.mark.spec("channels.md 1")
@pytest.mark.parametrize("kind", ["SDR", "SVR", "RCVR", "RQSTR"])
def test_a_client_finds_a_message_channel(kind: str) -> None:
    stage = Stage()
    script = {"SDR": CALLING_SENDER, "SVR": SERVER, "RCVR": RECEIVING, "RQSTR": REQUESTING}[kind]
    stage.station("EARTH", WORKERS + script)
    partner = calls(stage, "EARTH", initial_data(channel_name="BOTH", cap_flags1=int(CapFlags1.MQREQUEST)))
    partner.is_refused(StatusCode.CHANNEL_WRONG_TYPE)


# Call-back


@pytest.mark.spec("channels.md 1")
def test_a_requester_waits_to_be_called_back() -> None:
    stage = Stage()
    mars = stage.station("MARS", "DEFINE CHANNEL(VENUS.TO.MARS) CHLTYPE(RQSTR) CONNAME(VENUS)")
    venus = Listening(stage)
    mars.types("START CHANNEL(VENUS.TO.MARS)")
    partner = venus.is_called()
    asked = partner.hears_one(SegmentType.INITIAL_DATA)
    assert asked.id.record.cap_flags1 & CapFlags1.REQUEST_INITIATION
    partner.says(status(0x0C))
    assert partner.gone
    assert mars.status("VENUS.TO.MARS") == "REQUESTING"
    back = calls(stage, "MARS", initial_data())
    assert back.hears_one(SegmentType.INITIAL_DATA).flags == 0
    assert mars.status("VENUS.TO.MARS") == "RUNNING"


@pytest.mark.spec("channels.md 1")
def test_the_call_back_may_overtake_the_end_of_the_first_connection() -> None:
    stage = Stage()
    mars = stage.station("MARS", "DEFINE CHANNEL(VENUS.TO.MARS) CHLTYPE(RQSTR) CONNAME(VENUS)", adopt="no")
    venus = Listening(stage)
    mars.types("START CHANNEL(VENUS.TO.MARS)")
    venus.is_called()
    back = calls(stage, "MARS", initial_data(), address="192.0.2.7")
    assert back.hears_one(SegmentType.INITIAL_DATA).flags == 0
    assert mars.status("VENUS.TO.MARS") == "RUNNING"


@pytest.mark.spec("channels.md 1")
def test_a_requester_that_was_stopped_takes_no_call_back() -> None:
    stage, earth, saturn = stations(CALLING_SENDER, REQUESTING)
    saturn.types("STOP CHANNEL(BOTH)")
    earth.types("START CHANNEL(BOTH)")
    stage.wait()
    assert saturn.status("BOTH") == "STOPPED"
    assert earth.status("BOTH") == "RETRYING"
    assert saturn.logged("AMQ9534")
    assert earth.logged("AMQ9558")


@pytest.mark.spec("channels.md 1")
def test_a_requester_without_partner_becomes_inactive() -> None:
    stage, earth, saturn = stations(SERVER, REQUESTING)
    earth.kill()
    saturn.types("START CHANNEL(BOTH)")
    stage.wait(0.02)
    assert saturn.status("BOTH") == "INACTIVE"
    assert saturn.logged("AMQ9202")


@pytest.mark.spec("channels.md 1")
def test_a_requester_that_lost_its_line_takes_the_next_call() -> None:
    stage, earth, saturn = stations(CALLING_SERVER, REQUESTING)
    saturn.types("START CHANNEL(BOTH)")
    stage.wait()
    stage.cut_lines()
    assert saturn.status("BOTH") == "INACTIVE"
    earth.put("FAR", b"after the cut")
    stage.wait(10)  # the server has an address and tries again by itself
    assert (earth.status("BOTH"), saturn.status("BOTH")) == ("RUNNING", "RUNNING")
    assert saturn.contents("TARGET") == [b"after the cut"]


@pytest.mark.spec("channels.md 1")
def test_a_server_without_address_waits_for_its_requester() -> None:
    stage, earth, saturn = stations(SERVER, REQUESTING)
    earth.put("FAR", b"waits")
    earth.types("START CHANNEL(BOTH)")
    stage.wait()
    assert earth.status("BOTH") == "INACTIVE"
    saturn.types("START CHANNEL(BOTH)")
    stage.wait()
    assert saturn.contents("TARGET") == [b"waits"]
    stage.cut_lines()
    assert earth.status("BOTH") == "INACTIVE"


@pytest.mark.spec("channels.md 1")
def test_a_sender_that_is_asked_starts_its_retry_at_once() -> None:
    stage, earth, saturn = stations(CALLING_SENDER.replace("SHORTTMR(5)", "SHORTTMR(999)"), REQUESTING)
    stage.network.down = True
    earth.types("START CHANNEL(BOTH)")
    stage.wait()
    assert earth.status("BOTH") == "RETRYING"
    stage.network.down = False
    saturn.types("START CHANNEL(BOTH)")
    stage.wait()
    assert (earth.status("BOTH"), saturn.status("BOTH")) == ("RUNNING", "RUNNING")


# What cannot start


@pytest.mark.spec("channels.md 1")
def test_a_running_channel_is_not_started_twice() -> None:
    _, earth, _ = earth_and_saturn()
    earth.is_refused("START CHANNEL(EARTH.SATURN)", "AMQ9514")


@pytest.mark.spec("channels.md 3")
@pytest.mark.parametrize(
    ("change", "amq"),
    [
        ("ALTER CHANNEL(EARTH.SATURN) CHLTYPE(SDR) XMITQ(NONE)", "AMQ9531"),
        ("ALTER CHANNEL(EARTH.SATURN) CHLTYPE(SDR) XMITQ(LOCAL)", "AMQ9531"),
    ],
)
def test_a_channel_that_cannot_run_is_not_started(change: str, amq: str) -> None:
    stage = Stage()
    script = SENDER.format(own="EARTH", to="SATURN", channel="", queue=TRIGGERED)
    earth = stage.station("EARTH", script + "DEFINE QLOCAL(LOCAL)")
    earth.types(change)
    earth.is_refused("START CHANNEL(EARTH.SATURN)", amq)
    assert earth.status("EARTH.SATURN") == "INACTIVE"


@pytest.mark.spec("channels.md 6.3")
def test_a_receiver_is_not_started_by_command() -> None:
    stage, _, saturn = earth_and_saturn(start=False)
    saturn.types("START CHANNEL(EARTH.SATURN)")
    stage.wait()
    assert saturn.status("EARTH.SATURN") == "INACTIVE"
