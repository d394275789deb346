"""What DISPLAY CHSTATUS shows of channels that run, wait, ended or are in doubt (channels.md 2, 17.4)."""

from __future__ import annotations

import pytest

from support.channels.partner import calls_as_sender, to_venus
from support.channels.playbook import L1, L2, message
from support.gateway.stage import Stage, earth_and_saturn

CHANNEL = "EARTH.SATURN"
pytestmark = pytest.mark.spec("channels.md 17.4")


def test_both_ends_count_what_passed() -> None:
    stage, earth, saturn = earth_and_saturn("BATCHSZ(2)")
    earth.put_many("FAR", *[b"x" * 100] * 5)
    stage.wait()
    ours, theirs = earth.row(CHANNEL), saturn.row(CHANNEL)
    for row in (ours, theirs):
        assert (row["MSGS"], row["BATCHES"], row["CURMSGS"]) == ("5", "3", "0")
        assert (row["CURSEQNO"], row["LSTSEQNO"], row["INDOUBT"]) == ("5", "5", "NO")
        assert (row["STATUS"], row["MCASTAT"], row["STOPREQ"]) == ("RUNNING", "RUNNING", "NO")
        assert row["LSTMSGDA"] == row["CHSTADA"] == "2023-11-14"
        assert row["CURLUWID"] == row["LSTLUWID"] == ours["LSTLUWID"]
    assert (ours["BYTSSENT"], ours["BUFSSENT"]) == (theirs["BYTSRCVD"], theirs["BUFSRCVD"])
    assert (ours["BYTSRCVD"], ours["BUFSRCVD"]) == (theirs["BYTSSENT"], theirs["BUFSSENT"])
    assert int(ours["BYTSSENT"]) > 5 * (476 + 100)
    assert int(ours["BUFSSENT"]) == 1 + 5 + 3
    assert (ours["CHLTYPE"], theirs["CHLTYPE"]) == ("SDR", "RCVR")
    assert (ours["RQMNAME"], theirs["RQMNAME"]) == ("SATURN", "EARTH")
    assert (ours["SUBSTATE"], theirs["SUBSTATE"]) == ("INMQGET", "RECEIVE")
    assert (ours["XMITQ"], ours["SHORTRTS"], ours["LONGRTS"]) == ("SATURN", "10", "999999999")
    assert "XMITQ" not in theirs


def test_a_new_session_counts_from_0_and_numbers_go_on() -> None:
    stage, earth, saturn = earth_and_saturn()
    earth.put("FAR", b"one")
    stage.wait()
    stage.cut_lines()
    stage.wait(6)
    for row in (earth.row(CHANNEL), saturn.row(CHANNEL)):
        assert (row["MSGS"], row["BATCHES"], row["CURSEQNO"], row["LSTSEQNO"]) == ("0", "0", "1", "1")


def test_an_open_batch_at_both_ends() -> None:
    stage, earth, saturn = earth_and_saturn("BATCHINT(60000)")
    earth.put_many("FAR", b"one", b"two", b"three")
    stage.wait()
    for row in (earth.row(CHANNEL), saturn.row(CHANNEL)):
        assert (row["CURMSGS"], row["CURSEQNO"], row["LSTSEQNO"], row["MSGS"]) == ("3", "3", "0", "3")
        assert row["CURLUWID"] != row["LSTLUWID"] == "0" * 16


def test_a_batch_that_waits_for_its_confirmation() -> None:
    stage, mars, venus = to_venus()
    mars.put("FAR", b"one")
    mars.types("START CHANNEL(MARS.VENUS)")
    partner = venus.agrees()
    row = mars.row("MARS.VENUS")
    assert (row["SUBSTATE"], row["INDOUBT"], row["CURMSGS"]) == ("ENDOFBATCH", "YES", "1")
    partner.confirms(partner.hears()[-1].luwid)
    row = mars.row("MARS.VENUS")
    assert (row["SUBSTATE"], row["INDOUBT"], row["LSTSEQNO"]) == ("INMQGET", "NO", "1")
    del stage


def test_a_channel_that_is_being_connected_waits_or_is_stopped_has_a_row() -> None:
    stage, earth, _ = earth_and_saturn("SHORTRTY(5)", start=False)
    stage.network.down = True
    earth.types("START CHANNEL(EARTH.SATURN)")
    row = earth.row(CHANNEL)
    assert (row["STATUS"], row["SUBSTATE"], row["CONNAME"]) == ("BINDING", "NETCONNECT", "SATURN")
    stage.wait(1)
    row = earth.row(CHANNEL)
    assert (row["STATUS"], row["SHORTRTS"], row["LONGRTS"]) == ("RETRYING", "4", "999999999")
    earth.types("STOP CHANNEL(EARTH.SATURN)")
    assert earth.row(CHANNEL)["STATUS"] == "STOPPED"


def test_a_stop_that_waits_is_shown() -> None:
    stage, earth, saturn = earth_and_saturn()
    saturn._committing = True
    earth.put("FAR", b"one")
    stage.wait()
    earth.types("STOP CHANNEL(EARTH.SATURN)")
    row = earth.row(CHANNEL)
    assert (row["STATUS"], row["STOPREQ"]) == ("STOPPING", "YES")


def test_saved_rows_outlive_the_channel_and_the_process() -> None:
    stage, earth, saturn = earth_and_saturn()
    assert earth.rows(f"DISPLAY CHSTATUS({CHANNEL}) SAVED") == []
    earth.put("FAR", b"one")
    stage.wait()
    earth.types("STOP CHANNEL(EARTH.SATURN) STATUS(INACTIVE)")
    stage.wait()
    assert earth.rows(f"DISPLAY CHSTATUS({CHANNEL})") == []
    for station, partner in ((earth, "SATURN"), (saturn, "EARTH")):
        station.restart()
        row = station.row(CHANNEL, saved=True)
        assert (row["SAVED"], row["RQMNAME"], row["LSTSEQNO"], row["INDOUBT"]) == ("SAVED", partner, "1", "NO")
        assert "STATUS" not in row


def test_what_is_not_there_is_said() -> None:
    _, earth, _ = earth_and_saturn(start=False)
    earth.is_refused("DISPLAY CHSTATUS(EARTH.SATURN)", "AMQ8420")
    earth.is_refused("DISPLAY CHSTATUS(*) SAVED", "AMQ8420")
    earth.is_refused("DISPLAY CHSTATUS(NO.SUCH)", "AMQ8420")


def test_rows_are_chosen_by_name_condition_and_connection() -> None:
    stage = Stage()
    mars = stage.station("MARS", "DEFINE QLOCAL(TARGET)\nDEFINE CHANNEL(VENUS.TO.MARS) CHLTYPE(RCVR)")
    calls_as_sender(stage).sends_batch(1, luwid=L1)
    calls_as_sender(stage, q_mgr_name="PLUTO", address="192.0.2.7")

    def partners(command: str) -> list[str]:
        return [row["RQMNAME"] for row in mars.rows(f"{command} RQMNAME")]

    assert sorted(partners("DISPLAY CHSTATUS(VENUS*)")) == ["PLUTO", "VENUS"]
    assert partners("DISPLAY CHSTATUS(*) WHERE(MSGS GT 0)") == ["VENUS"]
    assert partners("DISPLAY CHSTATUS(*) CONNAME('192.0.2.7*')") == ["PLUTO"]
    assert partners("DISPLAY CHSTATUS(*) WHERE(STATUS NE RUNNING)") == []


def test_handles_of_a_channel_are_shown_with_its_queue() -> None:
    stage, earth, _ = earth_and_saturn()
    (row,) = earth.rows("DISPLAY QSTATUS(SATURN) TYPE(HANDLE) ALL")
    assert row["INPUT"] == "EXCL"
    (row,) = earth.rows("DISPLAY QSTATUS(SATURN) IPPROCS")
    assert row["IPPROCS"] == "1"
    stage.cut_lines()
    (row,) = earth.rows("DISPLAY QSTATUS(SATURN) IPPROCS")
    assert row["IPPROCS"] == "0"


@pytest.mark.spec("channels.md 2")
def test_a_receiver_that_waits_to_put_again_is_paused() -> None:
    stage = Stage()
    mars = stage.station("MARS", "DEFINE QLOCAL(TARGET) PUT(DISABLED)\nDEFINE CHANNEL(VENUS.TO.MARS) CHLTYPE(RCVR)")
    partner = calls_as_sender(stage)
    partner.sends(message(1, luwid=L2))
    row = mars.row("VENUS.TO.MARS")
    assert (row["STATUS"], row["CURSEQNO"]) == ("PAUSED", "1")
