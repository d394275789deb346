"""What ends a channel that nobody stopped, and what starts it again: DISCINT, triggers, retries (channels.md 6, 13)."""

from __future__ import annotations

import pytest

from mqbridge.bridge.queue_manager import PutOptions
from mqbridge.mappings.message import Message
from mqbridge.protocol.constants import SegmentType, StatusCode
from support.channels.partner import calls, calls_as_sender, to_venus
from support.channels.playbook import L1, error, initial_data, message
from support.gateway.stage import TRIGGERED, Stage, earth_and_saturn

CHANNEL = "EARTH.SATURN"


# The disconnect interval


@pytest.mark.spec("channels.md 20.10")
def test_an_idle_channel_ends_after_discint_and_a_message_starts_it_again() -> None:
    stage, earth, saturn = earth_and_saturn("DISCINT(30)", queue=TRIGGERED)
    stage.wait(20)
    earth.put("FAR", b"one")
    stage.wait(29)
    assert earth.status(CHANNEL) == "RUNNING"  # the message began the interval anew
    stage.wait(2)
    assert (earth.status(CHANNEL), saturn.status(CHANNEL)) == ("INACTIVE", "INACTIVE")
    assert earth.logged("AMQ9545")
    earth.put("FAR", b"two")
    stage.wait(1)
    assert saturn.contents("TARGET") == [b"one", b"two"]
    assert earth.status(CHANNEL) == "RUNNING"


@pytest.mark.spec("channels.md 20.10")
def test_without_a_trigger_an_ended_channel_waits_for_start() -> None:
    stage, earth, saturn = earth_and_saturn("DISCINT(30)")
    stage.wait(31)
    earth.put("FAR", b"one")
    stage.wait(100)
    assert (earth.status(CHANNEL), saturn.depth("TARGET")) == ("INACTIVE", 0)
    earth.restart()
    stage.wait(10)
    assert earth.status(CHANNEL) == "INACTIVE"  # it did not run when the queue manager ended
    earth.types("START CHANNEL(EARTH.SATURN)")
    stage.wait()
    assert saturn.contents("TARGET") == [b"one"]


@pytest.mark.spec("channels.md 6.2")
def test_discint_does_not_count_inside_a_batch_and_0_never_ends() -> None:
    stage, earth, _ = earth_and_saturn("DISCINT(5) BATCHINT(20000)")
    earth.put("FAR", b"one")
    stage.wait(19)
    assert earth.status(CHANNEL) == "RUNNING"
    stage.wait(7)
    assert earth.status(CHANNEL) == "INACTIVE"
    stage, earth, _ = earth_and_saturn("DISCINT(0)")
    stage.wait(86_400)
    assert earth.status(CHANNEL) == "RUNNING"


# Triggers


@pytest.mark.spec("channels.md 13")
@pytest.mark.parametrize(
    "trigger", [TRIGGERED, f"{TRIGGERED} TRIGDATA(EARTH.SATURN)", TRIGGERED.replace("FIRST", "EVERY")]
)
def test_the_first_message_starts_the_channel(trigger: str) -> None:
    stage, earth, saturn = earth_and_saturn(start=False, queue=trigger)
    earth.put("FAR", b"one")
    stage.wait(1)
    assert saturn.contents("TARGET") == [b"one"]


@pytest.mark.spec("channels.md 13")
def test_messages_that_lie_there_start_the_channel_when_triggering_is_switched_on_or_at_a_restart() -> None:
    stage, earth, saturn = earth_and_saturn(start=False)
    earth.put("FAR", b"one")
    earth.types(f"ALTER QLOCAL(SATURN) {TRIGGERED}")
    stage.wait(1)
    assert saturn.contents("TARGET") == [b"one"]
    earth.types("STOP CHANNEL(EARTH.SATURN) STATUS(INACTIVE)")
    stage.wait(1)
    earth.types("ALTER QLOCAL(SATURN) NOTRIGGER")
    earth.put("FAR", b"two")
    earth.types("ALTER QLOCAL(SATURN) TRIGGER GET(DISABLED)")
    stage.wait(1)
    assert saturn.depth("TARGET") == 1
    earth.types("ALTER QLOCAL(SATURN) GET(ENABLED)")
    stage.wait(1)
    assert saturn.contents("TARGET") == [b"one", b"two"]


@pytest.mark.spec("channels.md 13")
def test_what_is_put_uncommitted_starts_nothing() -> None:
    stage, earth, saturn = earth_and_saturn(start=False, queue=TRIGGERED)
    unit = earth.manager.begin()
    message = Message.build(b"one", persistence=1, expiry=-1)
    earth.call(lambda: earth.manager.put(earth.manager.resolve("FAR"), message, PutOptions(), unit, stage.clock.now))
    stage.wait(1)
    assert earth.status(CHANNEL) == "INACTIVE"
    earth.call(lambda: earth.manager.commit(unit, stage.clock.now))
    stage.wait(1)
    assert saturn.contents("TARGET") == [b"one"]


@pytest.mark.spec("channels.md 13")
def test_a_message_that_comes_while_the_channel_ends_is_not_left_behind() -> None:
    for delay in (0.0, 0.0004, 0.001, 0.003, 0.01):
        stage, earth, saturn = earth_and_saturn("DISCINT(5)", queue=TRIGGERED)
        stage.wait(1)
        earth.put("FAR", b"one")
        stage.wait(5.0 - 0.02)
        stage.wait_until(lambda earth=earth: earth.logged("AMQ9545"))
        stage.wait(delay)
        earth.put("FAR", b"two")
        stage.wait(10)
        assert saturn.contents("TARGET") == [b"one", b"two"], delay


@pytest.mark.spec("channels.md 13")
def test_a_transmission_queue_whose_get_is_inhibited_ends_the_channel() -> None:
    stage, earth, saturn = earth_and_saturn(queue=TRIGGERED)
    earth.types("ALTER QLOCAL(SATURN) GET(DISABLED) FORCE")
    stage.wait(1)
    assert earth.logged("AMQ9549")
    assert earth.status(CHANNEL) == "INACTIVE"
    earth.put("FAR", b"one")
    earth.types("ALTER QLOCAL(SATURN) GET(ENABLED) FORCE")
    stage.wait(1)
    assert saturn.contents("TARGET") == [b"one"]


@pytest.mark.spec("channels.md 5.4")
def test_a_transmission_queue_serves_one_channel_at_a_time() -> None:
    stage, earth, saturn = earth_and_saturn()
    saturn.types("DEFINE CHANNEL(SECOND) CHLTYPE(RCVR)")
    earth.types("DEFINE CHANNEL(SECOND) CHLTYPE(SDR) XMITQ(SATURN) CONNAME(SATURN)")
    earth.types("START CHANNEL(SECOND)")
    stage.wait(1)
    assert earth.status("SECOND") == "STOPPED"
    assert earth.logged("AMQ9509")
    earth.put("FAR", b"one")
    stage.wait(1)
    assert saturn.contents("TARGET") == [b"one"]


# Retries


@pytest.mark.spec("channels.md 6.4")
def test_a_channel_tries_short_then_long_then_stops() -> None:
    stage, earth, saturn = earth_and_saturn("SHORTRTY(3) SHORTTMR(10) LONGRTY(2) LONGTMR(100)", start=False)
    attempts: list[float] = []
    stage.network.listeners.pop("SATURN")
    earth.types("START CHANNEL(EARTH.SATURN)")
    begun = stage.clock.now
    left = []
    seen = 0
    while earth.status(CHANNEL) != "STOPPED":
        stage.wait(1)
        now = len(earth.logged("AMQ9202"))
        if now > seen:
            seen = now
            attempts.append(round(stage.clock.now - begun))
            row = earth.row(CHANNEL)
            left.append((row.get("SHORTRTS"), row.get("LONGRTS")))
    assert attempts == [1, 11, 21, 31, 131, 231]
    assert left[:4] == [("2", "2"), ("1", "2"), ("0", "2"), ("0", "1")]
    assert earth.logged("AMQ9999")
    stage.network.listeners["SATURN"] = saturn.accept
    stage.wait(10_000)
    assert earth.status(CHANNEL) == "STOPPED"
    earth.types("START CHANNEL(EARTH.SATURN)")
    stage.wait()
    assert earth.status(CHANNEL) == "RUNNING"


@pytest.mark.spec("channels.md 6.4")
def test_a_good_start_begins_the_cycle_anew() -> None:
    stage, earth, _ = earth_and_saturn("SHORTRTY(2) SHORTTMR(10) LONGRTY(0)")
    for _ in range(4):
        stage.network.down = True
        stage.cut_lines()
        stage.wait(11)
        assert earth.row(CHANNEL)["SHORTRTS"] == "0"
        stage.network.down = False
        stage.wait(10)
        assert earth.status(CHANNEL) == "RUNNING"


@pytest.mark.spec("channels.md 6.4")
def test_a_retry_goes_on_after_a_restart() -> None:
    stage, earth, saturn = earth_and_saturn("SHORTRTY(2) SHORTTMR(10)")
    earth.put("FAR", b"waits")
    stage.wait(1)
    stage.network.down = True
    stage.cut_lines()
    earth.put("FAR", b"waits too")
    earth.restart()
    assert earth.status(CHANNEL) == "RETRYING"
    stage.network.down = False
    stage.wait(10)
    assert saturn.contents("TARGET") == [b"waits", b"waits too"]


@pytest.mark.spec("channels.md 6.4")
def test_one_cycle_tries_all_addresses_in_order() -> None:
    stage, earth, saturn = earth_and_saturn(start=False)
    tried: list[str] = []
    connect = stage.network.connect

    def note(host: str, *arguments: object) -> None:
        tried.append(host)
        connect(host, *arguments)  # type: ignore[arg-type]

    stage.network.connect = note  # type: ignore[assignment, method-assign]
    earth.types("ALTER CHANNEL(EARTH.SATURN) CHLTYPE(SDR) CONNAME('nobody(1),NOWHERE,SATURN(1414),never')")
    earth.types("START CHANNEL(EARTH.SATURN)")
    stage.wait(1)
    assert tried == ["nobody", "NOWHERE", "SATURN"]
    assert earth.status(CHANNEL) == "RUNNING"
    assert not earth.logged("AMQ9202")
    stage.network.listeners.pop("SATURN")
    stage.cut_lines()
    tried.clear()
    stage.wait(6)
    assert tried == ["nobody", "NOWHERE", "SATURN", "never"]
    assert earth.status(CHANNEL) == "RETRYING"
    (line,) = earth.logged("AMQ9202")
    assert "nobody(1)" in line
    assert "SATURN(1414)" in line
    del saturn


@pytest.mark.spec("channels.md 6.4")
@pytest.mark.parametrize(
    ("code", "status"),
    [
        (StatusCode.QM_TERMINATING, "RETRYING"),
        (StatusCode.CHANNEL_UNAVAILABLE, "RETRYING"),
        (StatusCode.QM_UNAVAILABLE, "RETRYING"),
        (StatusCode.NO_CHANNEL, "STOPPED"),
        (StatusCode.CHANNEL_WRONG_TYPE, "STOPPED"),
        (StatusCode.WRAP_VALUE_ERROR, "STOPPED"),
        (StatusCode.CIPHER_SPEC, "STOPPED"),
        (StatusCode.SECURITY_FAILURE, "STOPPED"),
        (StatusCode.CLOSED_BY_EXIT, "STOPPED"),
    ],
    ids=str,
)
def test_what_a_partner_refuses_with_decides_whether_to_try_again(code: StatusCode, status: str) -> None:
    _, mars, venus = to_venus()
    mars.types("START CHANNEL(MARS.VENUS)")
    venus.is_called().sends(error(code))
    assert mars.status("MARS.VENUS") == status


# Silence


@pytest.mark.spec("channels.md 6.1")
@pytest.mark.parametrize(("interval", "limit"), [(10, 20), (300, 360)])
def test_a_sender_whose_partner_is_silent_gives_up(interval: int, limit: int) -> None:
    stage, mars, venus = to_venus(f"HBINT({interval}) DISCINT(0)")
    mars.types("START CHANNEL(MARS.VENUS)")
    partner = venus.agrees()
    stage.wait(interval)
    assert partner.hears_one(SegmentType.HEARTBEAT).flags == 1
    stage.wait(limit - 2)
    assert mars.status("MARS.VENUS") == "RUNNING"
    stage.wait(3)
    assert mars.status("MARS.VENUS") == "RETRYING"
    assert mars.logged("AMQ9259")


@pytest.mark.spec("channels.md 6.1")
def test_a_receiver_whose_partner_is_silent_backs_out_and_gives_up() -> None:
    stage = Stage()
    mars = stage.station("MARS", "DEFINE QLOCAL(TARGET)\nDEFINE CHANNEL(VENUS.TO.MARS) CHLTYPE(RCVR) HBINT(10)")
    partner = calls_as_sender(stage, heartbeat_interval=10)
    partner.sends(message(1, luwid=L1))
    partner.falls_silent()
    stage.wait(19)
    assert mars.status("VENUS.TO.MARS") == "RUNNING"
    stage.wait(2)
    assert mars.status("VENUS.TO.MARS") == "INACTIVE"
    assert mars.logged("AMQ9259")
    assert mars.depth("TARGET") == 0
    assert not mars.gateway.connections


@pytest.mark.spec("channels.md 6.1")
def test_heartbeats_keep_an_idle_channel() -> None:
    stage, earth, saturn = earth_and_saturn("HBINT(5) DISCINT(0)", "HBINT(5)")
    before = int(earth.row(CHANNEL)["BUFSSENT"])
    stage.wait(1000)
    assert earth.status(CHANNEL) == saturn.status(CHANNEL) == "RUNNING"
    assert int(earth.row(CHANNEL)["BUFSSENT"]) - before == 200


@pytest.mark.spec("channels.md 6.1")
def test_a_partner_that_never_says_who_it_is_has_little_time() -> None:
    stage = Stage()
    mars = stage.station("MARS", "DEFINE CHANNEL(VENUS.TO.MARS) CHLTYPE(RCVR)", handshake_timeout=5.0)
    silent, slow = calls(stage, "MARS"), calls(stage, "MARS")
    for byte in initial_data()[:8]:
        slow.sends(bytes([byte]))
    stage.wait(2)
    assert (silent.gone, slow.gone) == (True, True)
    assert len(mars.logged("AMQ9259")) == 2


@pytest.mark.spec("channels.md 6.1")
def test_a_called_partner_that_never_answers_has_little_time() -> None:
    stage, mars, venus = to_venus(handshake_timeout=5.0)
    mars.types("START CHANNEL(MARS.VENUS)")
    partner = venus.is_called()
    assert mars.status("MARS.VENUS") == "BINDING"
    stage.wait(6)
    assert partner.gone
    assert mars.status("MARS.VENUS") == "RETRYING"


@pytest.mark.spec("channels.md 5.2")
def test_a_batch_whose_answer_never_comes_is_in_doubt() -> None:
    stage, mars, venus = to_venus("HBINT(10)")
    mars.put("FAR", b"one")
    mars.types("START CHANNEL(MARS.VENUS)")
    partner = venus.agrees()
    assert [one.flags for one in partner.hears()] == [0x30, 0x01]
    stage.wait(22)
    assert mars.status("MARS.VENUS") == "RETRYING"
    assert mars.row("MARS.VENUS")["INDOUBT"] == "YES"
