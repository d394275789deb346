"""RESOLVE CHANNEL and RESET CHANNEL: what an operator decides when the ends cannot (channels.md 5.5, 5.6)."""

from __future__ import annotations

import pytest

from mqbridge.protocol.constants import ControlFlags1, SegmentType
from support.channels.partner import to_venus
from support.channels.playbook import THEY
from support.gateway.stage import TRIGGERED, Stage, Station, earth_and_saturn

CHANNEL = "EARTH.SATURN"
ASKS = int(ControlFlags1.CONFIRM_REQUEST)
TWO = [b"one", b"two"]


def in_doubt(*, committed: bool, queue: str = "") -> tuple[Stage, Station, Station]:
    """A stopped channel that has carried a batch, with another one in doubt, which SATURN has committed or not."""
    stage, earth, saturn = earth_and_saturn(queue=queue)
    earth.put("FAR", b"before")
    stage.wait()
    saturn.got("TARGET")
    stage.cut_when(SegmentType.STATUS_DATA, sender=not committed, flags=None if committed else ASKS, after=False)
    earth.put_many("FAR", *TWO)
    stage.network.down = True
    stage.wait_until(lambda: earth.status(CHANNEL) == "RETRYING")
    earth.types("STOP CHANNEL(EARTH.SATURN)")
    assert earth.row(CHANNEL, saved=True)["INDOUBT"] == "YES"
    stage.network.down = False
    stage.wait(0.1)
    return stage, earth, saturn


# RESOLVE


@pytest.mark.spec("channels.md 20.6")
@pytest.mark.parametrize("committed", [True, False])
def test_the_luwids_of_both_ends_say_which_way_and_all_goes_on(committed: bool) -> None:
    stage, earth, saturn = in_doubt(committed=committed)
    theirs = [row["LSTLUWID"] for row in saturn.rows(f"DISPLAY CHSTATUS('{CHANNEL}') SAVED ALL")]
    assert (earth.row(CHANNEL, saved=True)["CURLUWID"] in theirs) is committed
    earth.types(f"RESOLVE CHANNEL({CHANNEL}) ACTION({'COMMIT' if committed else 'BACKOUT'})")
    assert earth.contents("SATURN").__len__() == (0 if committed else 2)
    assert earth.row(CHANNEL, saved=True)["INDOUBT"] == "NO"
    earth.types("START CHANNEL(EARTH.SATURN)")
    earth.put("FAR", b"three")
    stage.wait()
    assert saturn.contents("TARGET") == [*TWO, b"three"]
    assert saturn.row(CHANNEL)["LSTSEQNO"] == "4"


@pytest.mark.spec("channels.md 5.5")
@pytest.mark.parametrize("action", ["COMMIT", "BACKOUT"])
def test_a_decision_outlives_a_restart(action: str) -> None:
    stage, earth, _ = in_doubt(committed=action == "COMMIT")
    earth.types(f"RESOLVE CHANNEL({CHANNEL}) ACTION({action})")
    earth.restart()
    assert earth.row(CHANNEL, saved=True)["INDOUBT"] == "NO"
    assert len(earth.contents("SATURN")) == (0 if action == "COMMIT" else 2)
    del stage


@pytest.mark.spec("channels.md 5.5")
def test_a_batch_in_doubt_can_be_decided_after_a_restart() -> None:
    stage, earth, saturn = in_doubt(committed=False)
    earth.restart()
    assert (earth.status(CHANNEL), earth.contents("SATURN")) == ("STOPPED", [])
    earth.types(f"RESOLVE CHANNEL({CHANNEL}) ACTION(BACKOUT)")
    earth.types("START CHANNEL(EARTH.SATURN)")
    stage.wait()
    assert saturn.contents("TARGET") == TWO


@pytest.mark.spec("channels.md 20.6")
def test_it_is_refused_while_the_channel_is_active() -> None:
    stage, earth, saturn = earth_and_saturn()
    saturn._committing = True
    earth.put_many("FAR", *TWO)
    stage.wait(1)
    assert earth.row(CHANNEL)["INDOUBT"] == "YES"
    earth.is_refused(f"RESOLVE CHANNEL({CHANNEL}) ACTION(COMMIT)", "AMQ9514")
    earth.is_refused(f"RESET CHANNEL({CHANNEL})", "AMQ9514")


@pytest.mark.spec("channels.md 20.6")
def test_it_is_refused_where_nothing_is_in_doubt() -> None:
    stage, earth, saturn = earth_and_saturn()
    earth.types("STOP CHANNEL(EARTH.SATURN)")
    stage.wait()
    earth.is_refused(f"RESOLVE CHANNEL({CHANNEL}) ACTION(COMMIT)", "AMQ9533")
    saturn.is_refused(f"RESOLVE CHANNEL({CHANNEL}) ACTION(COMMIT)", "AMQ8101")  # a receiver is never in doubt


@pytest.mark.spec("channels.md 5.5")
def test_messages_that_come_back_start_a_channel_that_is_triggered() -> None:
    stage, earth, saturn = in_doubt(committed=False, queue=TRIGGERED)
    earth.types("STOP CHANNEL(EARTH.SATURN) STATUS(INACTIVE)")
    earth.types(f"RESOLVE CHANNEL({CHANNEL}) ACTION(BACKOUT)")
    stage.wait()
    assert earth.status(CHANNEL) == "RUNNING"
    assert saturn.contents("TARGET") == TWO


@pytest.mark.spec("channels.md 5.4")
def test_a_partner_that_answers_nonsense_leaves_the_decision_to_the_operator() -> None:
    stage, mars, venus = to_venus()
    mars.put("FAR", b"one")
    mars.types("START CHANNEL(MARS.VENUS)")
    partner = venus.agrees()
    assert partner.hears()[-1].type == SegmentType.STATUS_DATA
    partner.hangs_up()
    stage.wait(61)
    partner = venus.agrees(2)
    asked = partner.hears_one(SegmentType.RESYNC_DATA)
    partner.sends(THEY.build(SegmentType.RESYNC_DATA, b"RD  \x01\0\0\0"))  # another layout than ours
    assert mars.status("MARS.VENUS") == "STOPPED"
    assert mars.logged("AMQ9507")
    assert mars.row("MARS.VENUS", saved=True)["CURLUWID"] == asked.luwid.hex().upper()
    mars.types("RESOLVE CHANNEL(MARS.VENUS) ACTION(COMMIT)")
    mars.types("START CHANNEL(MARS.VENUS)")
    partner = venus.agrees(3)
    mars.put("FAR", b"two")
    stage.wait(0.5)
    assert partner.hears()[0].number == 2


# RESET


@pytest.mark.spec("channels.md 20.7")
def test_reset_at_the_sender_resets_both_ends_at_the_next_start() -> None:
    stage, earth, saturn = earth_and_saturn()
    earth.put("FAR", b"one")
    stage.wait()
    earth.types("STOP CHANNEL(EARTH.SATURN)")
    stage.wait()
    earth.types("RESET CHANNEL(EARTH.SATURN) SEQNUM(500)")
    earth.restart()  # it is on disk
    earth.types("START CHANNEL(EARTH.SATURN)")
    stage.wait()
    assert earth.status(CHANNEL) == "RUNNING"
    earth.put("FAR", b"two")
    stage.wait()
    assert earth.row(CHANNEL)["LSTSEQNO"] == saturn.row(CHANNEL)["LSTSEQNO"] == "500"
    stage.cut_lines()
    earth.put("FAR", b"three")
    stage.wait(10)
    assert saturn.contents("TARGET") == [b"one", b"two", b"three"]
    assert saturn.row(CHANNEL)["LSTSEQNO"] == "501"


@pytest.mark.spec("channels.md 5.6")
def test_reset_without_a_number_means_1() -> None:
    stage, earth, saturn = earth_and_saturn()
    earth.put("FAR", b"one")
    stage.wait()
    earth.types("STOP CHANNEL(EARTH.SATURN)")
    stage.wait()
    earth.types("RESET CHANNEL(EARTH.SATURN)")
    earth.put("FAR", b"two")
    earth.types("START CHANNEL(EARTH.SATURN)")
    stage.wait()
    assert saturn.contents("TARGET") == [b"one", b"two"]
    assert saturn.row(CHANNEL)["LSTSEQNO"] == "1"


@pytest.mark.spec("channels.md 20.7")
def test_reset_at_the_receiver_is_local() -> None:
    stage, earth, saturn = earth_and_saturn()
    earth.put("FAR", b"one")
    stage.wait()
    earth.types("STOP CHANNEL(EARTH.SATURN)")
    stage.wait()
    saturn.types("RESET CHANNEL(EARTH.SATURN) SEQNUM(2)")  # what comes next anyway
    saturn.restart()
    earth.put("FAR", b"two")
    earth.types("START CHANNEL(EARTH.SATURN)")
    stage.wait()
    assert saturn.contents("TARGET") == [b"one", b"two"]


@pytest.mark.spec("channels.md 5.6")
def test_a_batch_in_doubt_must_be_decided_before_a_reset() -> None:
    _, earth, _ = in_doubt(committed=True)
    earth.is_refused("RESET CHANNEL(EARTH.SATURN)", "AMQ9507")


@pytest.mark.spec("channels.md 5.6")
def test_reset_is_not_for_clients() -> None:
    earth = Stage().station("EARTH", "DEFINE CHANNEL(CLIENTS) CHLTYPE(SVRCONN)")
    earth.is_refused("RESET CHANNEL(CLIENTS)", "AMQ8101")


@pytest.mark.spec("channels.md 5.6")
def test_a_reset_that_the_line_swallowed_is_told_again() -> None:
    stage, earth, saturn = earth_and_saturn()
    earth.types("STOP CHANNEL(EARTH.SATURN)")
    stage.wait()
    earth.types("RESET CHANNEL(EARTH.SATURN) SEQNUM(9)")
    earth.put("FAR", b"nine")
    stage.cut_when(SegmentType.RESET_DATA, after=False)
    earth.types("START CHANNEL(EARTH.SATURN)")
    stage.wait(4)
    assert earth.status(CHANNEL) == "RETRYING"
    stage.cut_when(SegmentType.STATUS_DATA, sender=False, after=False)
    stage.wait(4)
    assert earth.status(CHANNEL) == "RETRYING"
    stage.wait(4)
    assert saturn.contents("TARGET") == [b"nine"]
    assert saturn.row(CHANNEL)["LSTSEQNO"] == "9"


# PING


@pytest.mark.spec("channels.md 6.3")
def test_a_ping_goes_there_and_back_and_moves_nothing() -> None:
    stage, earth, saturn = earth_and_saturn(start=False)
    earth.put("FAR", b"waits")
    assert earth.types("PING CHANNEL(EARTH.SATURN) DATALEN(32768)").responses[0].amq == "AMQ8020"
    stage.wait()
    assert (earth.status(CHANNEL), saturn.status(CHANNEL)) == ("INACTIVE", "INACTIVE")
    assert saturn.depth("TARGET") == 0
    earth.types("START CHANNEL(EARTH.SATURN)")
    stage.wait()
    assert saturn.row(CHANNEL)["LSTSEQNO"] == "1"


@pytest.mark.spec("channels.md 6.3")
def test_a_ping_says_what_is_wrong() -> None:
    stage, earth, saturn = earth_and_saturn(start=False)
    stage.network.down = True
    earth.is_refused("PING CHANNEL(EARTH.SATURN)", "AMQ9202")
    stage.network.down = False
    saturn.types("STOP CHANNEL(EARTH.SATURN)")
    earth.is_refused("PING CHANNEL(EARTH.SATURN)", "AMQ9558")
    saturn.types("DELETE CHANNEL(EARTH.SATURN)")
    earth.is_refused("PING CHANNEL(EARTH.SATURN)", "AMQ9520")
    assert earth.status(CHANNEL) == "INACTIVE"


@pytest.mark.spec("channels.md 6.3")
def test_a_running_channel_is_not_pinged() -> None:
    _, earth, saturn = earth_and_saturn()
    earth.is_refused("PING CHANNEL(EARTH.SATURN)", "AMQ9514")
    saturn.is_refused("PING CHANNEL(EARTH.SATURN)", "AMQ9512")
    saturn.types("DEFINE CHANNEL(ASKS) CHLTYPE(RQSTR) CONNAME(EARTH)")
    saturn.is_refused("PING CHANNEL(ASKS)", "AMQ9512")


@pytest.mark.spec("channels.md 6.3")
def test_a_stopped_channel_can_be_pinged_and_stays_stopped() -> None:
    stage, earth, _ = earth_and_saturn()
    earth.types("STOP CHANNEL(EARTH.SATURN)")
    stage.wait()
    earth.types("PING CHANNEL(EARTH.SATURN)")
    stage.wait()
    assert earth.status(CHANNEL) == "STOPPED"
