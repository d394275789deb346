"""STOP CHANNEL in each mode and state, and what starts the channel again (channels.md 2, 6.3)."""

from __future__ import annotations

import pytest

from mqbridge.protocol.constants import MQMODE, ControlFlags1, SegmentType, StatusCode
from support.channels.partner import Listening, calls, calls_as_sender
from support.channels.playbook import L1, end_of_batch, heartbeat, initial_data, message
from support.gateway.stage import TRIGGERED, Stage, Station, earth_and_saturn

CHANNEL = "EARTH.SATURN"
MODES = ["QUIESCE", "FORCE", "TERMINATE"]


def bound(stage: Stage, earth: Station) -> None:
    """EARTH has called, and the partner does not answer."""
    stage.network.listeners["SATURN"] = Listening(stage, "SATURN")._accept
    earth.types("START CHANNEL(EARTH.SATURN)")
    stage.wait(1)
    assert earth.status(CHANNEL) == "BINDING"


def retrying(stage: Stage, earth: Station) -> None:
    stage.network.down = True
    earth.types("START CHANNEL(EARTH.SATURN)")
    stage.wait(1)
    assert earth.status(CHANNEL) == "RETRYING"


def idle(stage: Stage, earth: Station) -> None:
    earth.types("START CHANNEL(EARTH.SATURN)")
    stage.wait(1)
    assert earth.status(CHANNEL) == "RUNNING"


def in_a_batch(stage: Stage, earth: Station) -> None:
    earth.types("ALTER CHANNEL(EARTH.SATURN) CHLTYPE(SDR) BATCHINT(60000)")
    idle(stage, earth)
    earth.put("FAR", b"travels")
    stage.wait(1)
    assert earth.row(CHANNEL)["CURMSGS"] == "1"


def not_started(stage: Stage, earth: Station) -> None:
    assert earth.status(CHANNEL) == "INACTIVE"


@pytest.mark.spec("channels.md 20.9")
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("state", [not_started, bound, idle, in_a_batch, retrying])
def test_stop_in_each_state(mode: str, state: object) -> None:
    stage, earth, saturn = earth_and_saturn(start=False)
    state(stage, earth)  # type: ignore[operator]
    earth.types(f"STOP CHANNEL(EARTH.SATURN) MODE({mode})")
    stage.wait(1)
    assert earth.status(CHANNEL) == "STOPPED"
    assert saturn.status(CHANNEL) == "INACTIVE"
    connections = len(stage.network.streams)
    stage.wait(3600)
    assert len(stage.network.streams) == connections  # nothing starts it again but a command
    if state is in_a_batch:
        assert saturn.contents("TARGET") == ([b"travels"] if mode == "QUIESCE" else [])
        assert len(earth.contents("SATURN")) == (0 if mode == "QUIESCE" else 1)
    stage.network.down = False
    stage.network.listeners["SATURN"] = saturn.accept
    earth.types("START CHANNEL(EARTH.SATURN)")
    stage.wait()
    assert earth.status(CHANNEL) == "RUNNING"


@pytest.mark.spec("channels.md 6.3")
@pytest.mark.parametrize("state", [idle, in_a_batch, retrying])
def test_a_stop_to_inactive_lets_the_channel_start_again(state: object) -> None:
    stage, earth, saturn = earth_and_saturn(start=False, queue=TRIGGERED)
    state(stage, earth)  # type: ignore[operator]
    earth.types("STOP CHANNEL(EARTH.SATURN) STATUS(INACTIVE)")
    stage.wait()
    assert earth.status(CHANNEL) == "INACTIVE"
    stage.network.down = False
    earth.put("FAR", b"next")
    stage.wait()
    assert earth.status(CHANNEL) == "RUNNING"
    assert saturn.contents("TARGET")[-1] == (b"next" if state is not in_a_batch else b"travels")


@pytest.mark.spec("channels.md 20.9")
def test_a_stopped_channel_is_not_triggered_but_an_inactive_one_is() -> None:
    stage, earth, saturn = earth_and_saturn(start=False, queue=TRIGGERED)
    earth.types("STOP CHANNEL(EARTH.SATURN)")
    earth.put("FAR", b"one")
    stage.wait(100)
    assert (earth.status(CHANNEL), saturn.depth("TARGET")) == ("STOPPED", 0)
    earth.types("STOP CHANNEL(EARTH.SATURN) STATUS(INACTIVE)")
    assert earth.status(CHANNEL) == "INACTIVE"
    earth.put("FAR", b"two")
    stage.wait()
    assert saturn.contents("TARGET") == [b"one", b"two"]


@pytest.mark.spec("channels.md 6.3")
def test_an_inactive_channel_is_not_stopped_to_inactive() -> None:
    _, earth, _ = earth_and_saturn(start=False)
    earth.is_refused("STOP CHANNEL(EARTH.SATURN) STATUS(INACTIVE)", "AMQ9533")


@pytest.mark.spec("channels.md 20.9")
def test_stopped_is_durable_and_so_is_running() -> None:
    stage, earth, saturn = earth_and_saturn(queue=TRIGGERED)
    earth.restart()
    stage.wait()
    assert earth.status(CHANNEL) == "RUNNING"
    earth.types("STOP CHANNEL(EARTH.SATURN)")
    stage.wait()
    earth.put("FAR", b"waits")
    earth.restart()
    stage.wait(10)
    assert (earth.status(CHANNEL), saturn.depth("TARGET")) == ("STOPPED", 0)
    saturn.types("STOP CHANNEL(EARTH.SATURN)")
    stage.wait()
    saturn.restart()
    earth.types("START CHANNEL(EARTH.SATURN)")
    stage.wait()
    assert earth.status(CHANNEL) == "RETRYING"
    saturn.types("START CHANNEL(EARTH.SATURN)")  # a receiver only becomes startable again
    stage.wait(10)
    assert saturn.contents("TARGET") == [b"waits"]


# At the receiver


@pytest.mark.spec("channels.md 20.9")
@pytest.mark.parametrize("mode", MODES)
def test_a_stopped_receiver_ends_and_refuses(mode: str) -> None:
    stage, earth, saturn = earth_and_saturn("HBINT(10)", "HBINT(10)", queue=TRIGGERED)
    saturn.types(f"STOP CHANNEL(EARTH.SATURN) MODE({mode})")
    stage.wait(11)  # an idle receiver that quiesces says so at the next heartbeat
    assert saturn.status(CHANNEL) == "STOPPED"
    earth.put("FAR", b"waits")
    stage.wait(20)
    assert earth.status(CHANNEL) == "RETRYING"
    assert earth.logged("AMQ9558")
    assert saturn.logged("AMQ9534")
    saturn.types("START CHANNEL(EARTH.SATURN)")
    stage.wait(10)
    assert saturn.contents("TARGET") == [b"waits"]


@pytest.mark.spec("channels.md 6.3")
def test_a_receiver_that_quiesces_takes_the_batch_to_its_end() -> None:
    stage = Stage()
    mars = stage.station("MARS", "DEFINE QLOCAL(TARGET)\nDEFINE CHANNEL(VENUS.TO.MARS) CHLTYPE(RCVR)")
    partner = calls_as_sender(stage)
    partner.sends(message(1, luwid=L1))
    mars.types("STOP CHANNEL(VENUS.TO.MARS)")
    stage.wait(1)
    assert mars.status("VENUS.TO.MARS") == "STOPPING"
    (answer,) = partner.says(message(2, b"second", luwid=L1), end_of_batch(L1))
    assert (answer.luwid, answer.flags) == (L1, ControlFlags1.REQUEST_CLOSE)
    assert mars.contents("TARGET") == [b"hello", b"second"]
    (answer,) = partner.says(heartbeat())
    assert answer.flags == ControlFlags1.REQUEST_CLOSE
    partner.hangs_up()
    assert mars.status("VENUS.TO.MARS") == "STOPPED"


@pytest.mark.spec("channels.md 6.3")
@pytest.mark.parametrize("mode", ["FORCE", "TERMINATE"])
def test_a_receiver_that_is_forced_backs_the_batch_out(mode: str) -> None:
    stage = Stage()
    mars = stage.station("MARS", "DEFINE QLOCAL(TARGET)\nDEFINE CHANNEL(VENUS.TO.MARS) CHLTYPE(RCVR)")
    partner = calls_as_sender(stage)
    partner.sends(message(1, luwid=L1))
    mars.types(f"STOP CHANNEL(VENUS.TO.MARS) MODE({mode})")
    stage.wait(0.5)
    partner.is_refused(StatusCode.USER_CLOSED)
    assert mars.depth("TARGET") == 0


@pytest.mark.spec("channels.md 6.3")
@pytest.mark.parametrize("which", ["QMNAME(PLUTO)", "CONNAME('192.0.2.7')"])
def test_only_the_instances_that_are_named_stop(which: str) -> None:
    stage = Stage()
    mars = stage.station("MARS", "DEFINE CHANNEL(VENUS.TO.MARS) CHLTYPE(RCVR)")
    venus = calls_as_sender(stage)
    pluto = calls_as_sender(stage, q_mgr_name="PLUTO", address="192.0.2.7")
    mars.types(f"STOP CHANNEL(VENUS.TO.MARS) MODE(FORCE) {which}")
    stage.wait(0.5)
    pluto.is_refused(StatusCode.USER_CLOSED)
    assert [one.flags for one in venus.says(heartbeat())] == [0]
    assert mars.status("VENUS.TO.MARS") == "RUNNING"
    again = calls(stage, "MARS", initial_data(q_mgr_name="PLUTO"), address="192.0.2.7")
    assert again.hears_one(SegmentType.INITIAL_DATA).flags == 0  # inactive, not stopped


@pytest.mark.spec("channels.md 6.3")
def test_an_instance_that_does_not_run_is_not_stopped() -> None:
    _, _, saturn = earth_and_saturn()
    saturn.is_refused("STOP CHANNEL(EARTH.SATURN) QMNAME(PLUTO)", "AMQ9533")
    saturn.is_refused("STOP CHANNEL(EARTH.SATURN) QMNAME(EARTH) STATUS(STOPPED)", "AMQ8405")
    assert saturn.status(CHANNEL) == "RUNNING"


@pytest.mark.spec("channels.md 6.3")
@pytest.mark.parametrize("mode", MODES)
def test_a_message_that_waits_to_be_put_again_does_not_hold_up_a_forced_stop(mode: str) -> None:
    stage, earth, saturn = earth_and_saturn(receiver="MRRTY(20) MRTMR(1000)")
    saturn.types("ALTER QLOCAL(TARGET) PUT(DISABLED)")
    earth.put("FAR", b"waits")
    stage.wait(3)
    assert saturn.status(CHANNEL) == "PAUSED"
    saturn.types(f"STOP CHANNEL(EARTH.SATURN) MODE({mode})")
    stage.wait(1)
    if mode == "QUIESCE":
        assert saturn.status(CHANNEL) == "PAUSED"
        saturn.types("ALTER QLOCAL(TARGET) PUT(ENABLED)")
        stage.wait(3)
        assert saturn.contents("TARGET") == [b"waits"]
    assert saturn.status(CHANNEL) == "STOPPED"
    assert saturn.depth("TARGET") == (1 if mode == "QUIESCE" else 0)


# The end of the queue manager


@pytest.mark.spec("channels.md 6.3")
@pytest.mark.parametrize("mode", [MQMODE.QUIESCE, MQMODE.FORCE])
def test_a_queue_manager_that_ends_stops_its_channels_and_starts_them_again(mode: MQMODE) -> None:
    stage, earth, saturn = earth_and_saturn("BATCHINT(60000)")
    earth.put("FAR", b"one")
    stage.wait(1)
    earth.call(lambda: earth.gateway.stop_all(mode, stage.clock.now))
    stage.wait(1)
    assert saturn.contents("TARGET") == ([b"one"] if mode == MQMODE.QUIESCE else [])
    assert not earth.gateway.connections
    earth.restart()
    earth.put("FAR", b"two")
    stage.wait(70)
    assert earth.status(CHANNEL) == "RUNNING"
    assert saturn.contents("TARGET") == [b"one", b"two"]


@pytest.mark.spec("channels.md 6.3")
def test_callers_are_told_that_the_queue_manager_ends() -> None:
    stage = Stage()
    mars = stage.station("MARS", "DEFINE CHANNEL(VENUS.TO.MARS) CHLTYPE(RCVR)")
    silent = calls(stage, "MARS")
    mars.call(lambda: mars.gateway.stop_all(MQMODE.QUIESCE, stage.clock.now))
    stage.wait(0.5)
    assert silent.gone
    late = calls(stage, "MARS", initial_data())
    late.is_refused(StatusCode.QM_TERMINATING)
    assert mars.logged("AMQ9525")


@pytest.mark.parametrize("restarts", [False, True])
def test_stopped_ends_with_the_deletion_of_the_channel(restarts: bool) -> None:
    stage, earth, saturn = earth_and_saturn(start=False)
    for station, channel_type, more in ((earth, "SDR", "CONNAME(SATURN) XMITQ(SATURN)"), (saturn, "RCVR", "")):
        station.types(f"STOP CHANNEL({CHANNEL})")
        stage.wait(1)
        assert station.status(CHANNEL) == "STOPPED"
        station.types(f"DELETE CHANNEL({CHANNEL})")
        stage.wait(1)
        if restarts:
            station.restart()
        station.types(f"DEFINE CHANNEL({CHANNEL}) CHLTYPE({channel_type}) TRPTYPE(TCP) {more}")
        stage.wait(1)
        assert station.status(CHANNEL) == "INACTIVE"
        station.restart()
        stage.wait(1)
        assert station.status(CHANNEL) == "INACTIVE"


def test_a_definition_that_is_replaced_stays_stopped() -> None:
    stage, earth, _ = earth_and_saturn(start=False)
    earth.types(f"STOP CHANNEL({CHANNEL})")
    earth.types(f"DEFINE CHANNEL({CHANNEL}) CHLTYPE(SDR) TRPTYPE(TCP) CONNAME(SATURN) XMITQ(SATURN) REPLACE")
    stage.wait(1)
    assert earth.status(CHANNEL) == "STOPPED"
