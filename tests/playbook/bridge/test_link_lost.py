"""The line breaks, or a process dies, at each step of a batch; what both queue managers make of it (channels.md 5)."""

from __future__ import annotations

import pytest

from mqbridge.protocol.constants import ControlFlags1, SegmentType
from support.gateway.stage import Stage, Station, earth_and_saturn

CHANNEL = "EARTH.SATURN"
ASKS = int(ControlFlags1.CONFIRM_REQUEST)
THREE = [b"one", b"two", b"three"]


def in_trouble(sender: str = "", receiver: str = "") -> tuple[Stage, Station, Station]:
    """A channel that has carried one batch already."""
    stage, earth, saturn = earth_and_saturn(sender, receiver)
    earth.put("FAR", b"before")
    stage.wait()
    assert saturn.got("TARGET").data == b"before"
    return stage, earth, saturn


def breaks(stage: Stage, earth: Station) -> None:
    """Three messages are put, the line breaks where the play said, and stays down."""
    connections = len(stage.network.streams)
    earth.put_many("FAR", *THREE)
    stage.network.down = True
    stage.wait_until(lambda: earth.status(CHANNEL) == "RETRYING")
    stage.wait(0.1)
    assert len(stage.network.streams) == connections


def comes_back(stage: Stage, earth: Station, saturn: Station, contents: list[bytes] = THREE) -> None:
    """The line is there again: all messages have arrived once, in order, and both ends agree."""
    stage.network.down = False
    stage.wait(20)
    assert earth.status(CHANNEL) == saturn.status(CHANNEL) == "RUNNING"
    assert saturn.contents("TARGET") == contents
    assert (earth.depth("SATURN"), saturn.depth("DLQ")) == (0, 0)
    ours, theirs = earth.row(CHANNEL, saved=True), saturn.row(CHANNEL, saved=True)
    assert (ours["INDOUBT"], ours["LSTLUWID"], ours["LSTSEQNO"]) == ("NO", theirs["LSTLUWID"], theirs["LSTSEQNO"])
    assert theirs["LSTSEQNO"] == str(1 + len(contents))


# Step 1: messages travel


@pytest.mark.spec("channels.md 20.5")
@pytest.mark.parametrize("after", [False, True], ids=["before the second message", "behind the second message"])
def test_lost_while_messages_travel(after: bool) -> None:
    stage, earth, saturn = in_trouble("BATCHINT(500)")
    stage.cut_when(SegmentType.MESSAGE_DATA, skip=1, after=after)
    breaks(stage, earth)
    row = earth.row(CHANNEL)
    assert (row["INDOUBT"], row["CURSEQNO"]) == ("NO", "1")
    assert earth.contents("SATURN") != []  # visible again
    assert saturn.depth("TARGET") == 0
    comes_back(stage, earth, saturn)


# Step 2: is the partner there


@pytest.mark.spec("channels.md 20.5")
@pytest.mark.parametrize("by_sender", [True, False], ids=["question", "answer"])
def test_lost_at_the_batch_heartbeat(by_sender: bool) -> None:
    stage, earth, saturn = in_trouble("BATCHHB(500)")
    stage.wait(10)  # nothing is heard for longer than BATCHHB
    stage.cut_when(SegmentType.HEARTBEAT, sender=by_sender, after=False)
    breaks(stage, earth)
    assert earth.row(CHANNEL)["INDOUBT"] == "NO"
    comes_back(stage, earth, saturn)


@pytest.mark.spec("channels.md 5.2")
def test_a_partner_that_does_not_answer_the_batch_heartbeat_leaves_nothing_in_doubt() -> None:
    stage, earth, saturn = in_trouble("BATCHHB(500)")
    stage.wait(10)
    for stream in stage.network.open_streams():
        stream.ends[1] = None  # SATURN's machine lost power, and nobody says so
    earth.put_many("FAR", *THREE)
    stage.wait(2)
    assert earth.status(CHANNEL) == "RETRYING"
    assert earth.row(CHANNEL)["INDOUBT"] == "NO"
    assert earth.logged("AMQ9259")
    saturn.restart()
    comes_back(stage, earth, saturn)


# Step 3: confirmation is asked for


@pytest.mark.spec("channels.md 20.5")
def test_the_question_for_confirmation_is_lost() -> None:
    stage, earth, saturn = in_trouble()
    stage.cut_when(SegmentType.STATUS_DATA, sender=True, flags=ASKS, after=False)
    breaks(stage, earth)
    row = earth.row(CHANNEL)
    assert (row["INDOUBT"], row["CURMSGS"], row["CURSEQNO"], row["LSTSEQNO"]) == ("YES", "3", "4", "1")
    assert earth.contents("SATURN") == []  # in doubt: hidden
    (queue,) = earth.rows("DISPLAY QSTATUS(SATURN) UNCOM CURDEPTH")
    assert (queue["UNCOM"], queue["CURDEPTH"]) == ("3", "0")
    assert saturn.contents("TARGET") == []
    comes_back(stage, earth, saturn)


# Step 4: the receiver has committed


@pytest.mark.spec("channels.md 20.5")
def test_the_answer_is_lost() -> None:
    stage, earth, saturn = in_trouble()
    stage.cut_when(SegmentType.STATUS_DATA, sender=False, after=False)
    breaks(stage, earth)
    assert saturn.contents("TARGET") == THREE
    assert earth.row(CHANNEL)["INDOUBT"] == "YES"
    assert earth.row(CHANNEL)["CURLUWID"] == saturn.row(CHANNEL, saved=True)["LSTLUWID"]
    comes_back(stage, earth, saturn)


@pytest.mark.spec("channels.md 20.5")
def test_the_receiver_dies_with_the_question_in_its_hands() -> None:
    stage, earth, saturn = in_trouble()
    saturn._committing = True  # its disk is slow
    earth.put_many("FAR", *THREE)
    stage.wait(1)
    assert earth.row(CHANNEL)["SUBSTATE"] == "ENDOFBATCH"
    saturn.kill()
    stage.wait_until(lambda: saturn.alive)
    assert saturn.depth("TARGET") == 0
    comes_back(stage, earth, saturn)


@pytest.mark.spec("channels.md 5.2")
def test_a_receiver_that_cannot_commit_fails_the_channel_and_gets_the_batch_again() -> None:
    stage, earth, saturn = in_trouble()
    saturn.store.full_rate = 1.0
    earth.put_many("FAR", *THREE)
    stage.wait(1)
    assert earth.status(CHANNEL) == "RETRYING"
    assert earth.row(CHANNEL)["INDOUBT"] == "NO"  # told that nothing was committed
    assert saturn.logged("AMQ9540")
    assert saturn.depth("TARGET") == 0
    saturn.store.full_rate = 0.0
    comes_back(stage, earth, saturn)


# Step 5: the answer has come


@pytest.mark.spec("channels.md 20.5")
def test_lost_behind_the_answer() -> None:
    stage, earth, saturn = in_trouble()
    stage.cut_when(SegmentType.STATUS_DATA, sender=False, after=True)
    breaks(stage, earth)
    assert earth.row(CHANNEL)["INDOUBT"] == "NO"
    assert earth.depth("SATURN") == 0
    comes_back(stage, earth, saturn)


@pytest.mark.spec("channels.md 20.5")
@pytest.mark.spec("channels.md 5.4")
def test_the_sender_dies_with_the_answer_in_its_hands() -> None:
    stage, earth, saturn = in_trouble()
    stage.cut_when(SegmentType.STATUS_DATA, sender=True, flags=ASKS, after=True)
    earth.put_many("FAR", *THREE)
    stage.wait_until(lambda: saturn.contents("TARGET") == THREE)
    stage.network.down = True
    earth.restart()
    assert earth.row(CHANNEL)["INDOUBT"] == "YES"
    assert earth.contents("SATURN") == []
    comes_back(stage, earth, saturn)


@pytest.mark.spec("channels.md 5.4")
@pytest.mark.parametrize("committed", [False, True], ids=["not committed", "committed"])
def test_both_die_with_a_batch_in_doubt(committed: bool) -> None:
    stage, earth, saturn = in_trouble()
    stage.cut_when(SegmentType.STATUS_DATA, sender=True, flags=ASKS, after=committed)
    breaks(stage, earth)
    saturn.restart()
    earth.restart()
    assert saturn.contents("TARGET") == (THREE if committed else [])
    assert earth.row(CHANNEL)["INDOUBT"] == "YES"
    comes_back(stage, earth, saturn)


# Again and again


@pytest.mark.spec("channels.md 5.4")
@pytest.mark.parametrize("by_sender", [True, False], ids=["question", "answer"])
def test_the_resynchronisation_itself_is_lost(by_sender: bool) -> None:
    stage, earth, saturn = in_trouble()
    stage.cut_when(SegmentType.STATUS_DATA, sender=False, after=False)
    breaks(stage, earth)
    stage.cut_when(SegmentType.RESYNC_DATA, sender=by_sender, after=False)
    stage.network.down = False
    stage.wait_until(lambda: stage.network.scissors is None)
    stage.network.down = True
    stage.wait(1)
    assert earth.row(CHANNEL)["INDOUBT"] == "YES"
    comes_back(stage, earth, saturn)


@pytest.mark.spec("channels.md 5.4")
def test_the_channel_waits_while_the_partner_is_away_however_long() -> None:
    stage, earth, saturn = in_trouble("SHORTRTY(2) SHORTTMR(1) LONGTMR(100)")
    stage.cut_when(SegmentType.STATUS_DATA, sender=False, after=False)
    breaks(stage, earth)
    stage.wait(86_400)
    assert earth.status(CHANNEL) == "RETRYING"
    assert earth.row(CHANNEL)["INDOUBT"] == "YES"
    stage.network.down = False
    stage.wait(101)
    comes_back(stage, earth, saturn)


@pytest.mark.spec("channels.md 5.4")
def test_new_messages_wait_behind_the_batch_in_doubt() -> None:
    stage, earth, saturn = in_trouble()
    stage.cut_when(SegmentType.STATUS_DATA, sender=True, flags=ASKS, after=False)
    breaks(stage, earth)
    earth.put("FAR", b"four")
    assert earth.contents("SATURN") != []
    comes_back(stage, earth, saturn, [*THREE, b"four"])


@pytest.mark.spec("channels.md 5.2")
def test_fast_messages_of_a_lost_batch_may_be_lost_but_never_come_twice() -> None:
    stage, earth, saturn = earth_and_saturn("BATCHINT(1000)")
    stage.cut_when(SegmentType.MESSAGE_DATA, skip=3, after=False)
    earth.put_many("FAR", b"fast 1", b"fast 2", persistence=0)
    earth.put_many("FAR", b"kept 3", b"kept 4")
    stage.wait(20)
    assert saturn.contents("TARGET") == [b"fast 1", b"fast 2", b"kept 3", b"kept 4"]
    assert earth.depth("SATURN") == 0
    earth.put("FAR", b"next")
    stage.wait()
    assert saturn.contents("TARGET")[-1] == b"next"  # the numbers agree, fast ones counted or not


# Records that do not fit


@pytest.mark.spec("channels.md 5.4")
def test_a_receiver_that_lost_its_record_leaves_the_batch_in_doubt() -> None:
    stage, earth, saturn = in_trouble()
    stage.cut_when(SegmentType.STATUS_DATA, sender=True, flags=ASKS, after=False)
    breaks(stage, earth)
    saturn.gateway.channel_manager.synchronisation._receivers.clear()  # restored without its SYNCQ
    stage.network.down = False
    stage.wait(10)
    assert earth.logged("AMQ9526")
    assert earth.row(CHANNEL)["INDOUBT"] == "YES"
    assert earth.status(CHANNEL) == "RETRYING"
    assert saturn.depth("TARGET") == 0
    earth.types("STOP CHANNEL(EARTH.SATURN)")
    earth.types("RESOLVE CHANNEL(EARTH.SATURN) ACTION(BACKOUT)")
    earth.types("RESET CHANNEL(EARTH.SATURN)")
    earth.types("START CHANNEL(EARTH.SATURN)")
    stage.wait()
    assert saturn.contents("TARGET") == THREE
