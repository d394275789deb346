"""A partner calls while an older connection of the same channel stands; too many of them (channels.md 4)."""

from __future__ import annotations

import pytest

from mqbridge.protocol import inferred
from mqbridge.protocol.constants import SegmentType, StatusCode
from support.channels.partner import Partner, calls, calls_as_sender
from support.channels.playbook import L1, L2, end_of_batch, heartbeat, initial_data, message
from support.gateway.stage import Stage, Station

CHANNEL = "VENUS.TO.MARS"
REQUESTS = int(inferred.REQUESTER_CAPABILITIES)


def mars(channel: str = "CHLTYPE(RCVR)", **limits: object) -> tuple[Stage, Station]:
    stage = Stage()
    script = f"DEFINE QLOCAL(TARGET)\nDEFINE QLOCAL(VENUS) USAGE(XMITQ)\nDEFINE CHANNEL({CHANNEL}) {channel}"
    return stage, stage.station("MARS", script, **limits)


def still_works(partner: Partner) -> bool:
    """Whether the partner's channel answers."""
    answers = partner.says(heartbeat())
    return [(one.type, one.flags) for one in answers] == [(SegmentType.HEARTBEAT, 0)]


@pytest.mark.spec("channels.md 4")
def test_a_new_connection_replaces_a_dead_one_of_the_same_partner() -> None:
    stage, station = mars()
    old = calls_as_sender(stage)
    old.says(message(1, luwid=L1))
    old.falls_silent()
    new = calls_as_sender(stage)
    assert station.status(CHANNEL) == "RUNNING"
    assert station.logged("AMQ9514")
    answer = new.sends_batch(1, 2, luwid=L2)  # the open batch of the old connection was backed out
    assert answer.luwid == L2
    assert station.contents("TARGET") == [b"message 1", b"message 2"]


@pytest.mark.spec("channels.md 4")
def test_a_batch_that_is_being_committed_counts_before_the_new_connection_starts() -> None:
    stage, station = mars()
    old = calls_as_sender(stage)
    station._committing = True  # the disk is slow
    old.says(message(1, luwid=L1), end_of_batch(L1))
    new = calls(stage, "MARS", initial_data())
    newest = calls(stage, "MARS", initial_data())
    assert new.hears() == newest.hears() == []
    station._committing = False
    station.call(lambda: None)
    stage.wait(0.5)
    assert station.contents("TARGET") == [b"hello"]
    assert new.gone
    assert newest.hears_one(SegmentType.INITIAL_DATA).flags == 0
    newest.sends_batch(2, luwid=L2)
    assert station.contents("TARGET") == [b"hello", b"message 2"]
    assert station.status(CHANNEL) == "RUNNING"


@pytest.mark.spec("channels.md 4")
@pytest.mark.parametrize("adopt", ["no", "all"])
def test_a_second_instance_from_elsewhere_is_refused(adopt: str) -> None:
    stage, station = mars(adopt=adopt)
    first = calls_as_sender(stage)
    first.says(message(1, luwid=L1))
    second = calls(stage, "MARS", initial_data(), address="192.0.2.7")
    second.is_refused(StatusCode.CHANNEL_UNAVAILABLE)
    assert station.logged("AMQ9514")
    assert [one.type for one in first.says(end_of_batch(L1))] == [SegmentType.STATUS_DATA]
    assert station.contents("TARGET") == [b"hello"]


@pytest.mark.spec("channels.md 4")
def test_a_second_instance_is_refused_where_nothing_is_adopted() -> None:
    stage, _ = mars(adopt="no")
    first = calls_as_sender(stage)
    calls(stage, "MARS", initial_data()).is_refused(StatusCode.CHANNEL_UNAVAILABLE)
    assert still_works(first)
    first.hangs_up()
    assert still_works(calls_as_sender(stage))


@pytest.mark.spec("channels.md 5.3")
def test_partners_of_one_receiver_have_numbers_of_their_own() -> None:
    stage, station = mars()
    venus = calls_as_sender(stage)
    pluto = calls_as_sender(stage, q_mgr_name="PLUTO", q_mgr_identifier="PLUTO_1")
    venus.sends_batch(1, 2, luwid=L1)
    pluto.sends_batch(1, luwid=L1)
    assert station.status(CHANNEL) == "RUNNING RUNNING"
    saved = station.rows(f"DISPLAY CHSTATUS('{CHANNEL}') SAVED ALL")
    assert {(row["RQMNAME"], row["LSTSEQNO"]) for row in saved} == {("VENUS", "2"), ("PLUTO", "1")}
    pluto.hangs_up()
    calls_as_sender(stage, q_mgr_name="PLUTO").sends_batch(2, luwid=L2)
    assert still_works(venus)


@pytest.mark.spec("channels.md 4")
def test_a_requester_that_calls_its_server_again_has_lost_the_old_connection() -> None:
    stage, station = mars("CHLTYPE(SVR) XMITQ(VENUS)")
    station.types("DEFINE QREMOTE(FAR) RNAME(THERE) RQMNAME(VENUS)")
    asks = initial_data(cap_flags1=REQUESTS)
    old = calls(stage, "MARS", asks)
    station.put("FAR", b"in doubt")
    stage.wait(0.5)
    assert [one.type for one in old.hears()][-1] == SegmentType.STATUS_DATA  # confirmation is asked for
    old.falls_silent()
    new = calls(stage, "MARS", asks)
    agreed, resync = new.hears()
    assert (agreed.type, resync.type) == (SegmentType.INITIAL_DATA, SegmentType.RESYNC_DATA)
    assert station.logged("AMQ9514")
    elsewhere = calls(stage, "MARS", asks, address="192.0.2.7")
    elsewhere.is_refused(StatusCode.CHANNEL_UNAVAILABLE)
    assert station.row(CHANNEL)["INDOUBT"] == "YES"


# How many


@pytest.mark.spec("channels.md 2")
def test_no_more_connections_than_the_configuration_allows() -> None:
    stage, station = mars(max=2)
    first, second = (calls_as_sender(stage, q_mgr_name=name, address=name) for name in ("A", "B"))
    third = calls(stage, "MARS", initial_data(q_mgr_name="C"), address="C")
    assert third.gone
    assert third.hears() == []
    assert station.logged("AMQ9513")
    assert still_works(first)
    second.hangs_up()
    assert still_works(calls_as_sender(stage, q_mgr_name="C", address="C"))


@pytest.mark.spec("channels.md 2")
def test_no_more_connections_from_one_address_than_allowed() -> None:
    stage, _ = mars(max_per_address=2)
    first, second = (calls_as_sender(stage, q_mgr_name=name) for name in ("A", "B"))
    assert calls(stage, "MARS", initial_data(q_mgr_name="C")).gone
    assert still_works(calls_as_sender(stage, q_mgr_name="D", address="192.0.2.7"))
    first.hangs_up()
    assert still_works(calls_as_sender(stage, q_mgr_name="C"))
    assert still_works(second)


@pytest.mark.spec("channels.md 2")
def test_connections_that_come_and_go_leave_nothing_behind() -> None:
    stage, station = mars()
    for number in range(50):
        partner = calls(stage, "MARS", *[initial_data()] * (number % 2))
        partner.hangs_up()
    channel_manager, connections = station.gateway.channel_manager, station.gateway.connections
    assert not connections
    assert not connections.by_address
    assert not station.ends
    assert not channel_manager.channels.named(CHANNEL).receiving
    assert connections.next_timeout() is None
