"""What two queue managers agree on when a channel starts, and what becomes of it in batches (channels.md 4, 5.1)."""

from __future__ import annotations

import pytest

from mqbridge.protocol.constants import ByteOrder, SegmentType, StatusCode
from mqbridge.protocol.framing import SegmentWriter
from support.channels.partner import calls, calls_as_sender, to_venus
from support.channels.playbook import L1, Sent, initial_data, message
from support.gateway.stage import Stage, earth_and_saturn

CHANNEL = "EARTH.SATURN"
END_OF_BATCH = 0x01


def batches(heard: list[Sent]) -> list[int]:
    """Messages of each batch that has ended, and last those of an open one."""
    counts = [0]
    for sent in heard:
        if sent.type == SegmentType.MESSAGE_DATA:
            counts[-1] += 1
        elif sent.type == SegmentType.STATUS_DATA and sent.flags == END_OF_BATCH:
            counts.append(0)
    return counts


# Values


@pytest.mark.spec("channels.md 20.2")
@pytest.mark.parametrize(
    ("sender", "receiver", "agreed"), [(300, 300, 300), (0, 300, 0), (1, 300, 300), (300, 600, 600)]
)
def test_heartbeat_interval(sender: int, receiver: int, agreed: int) -> None:
    _, earth, saturn = earth_and_saturn(f"HBINT({sender})", f"HBINT({receiver})")
    assert earth.row(CHANNEL)["HBINT"] == saturn.row(CHANNEL)["HBINT"] == str(agreed)


@pytest.mark.spec("channels.md 20.4")
@pytest.mark.parametrize(("sender", "receiver", "agreed"), [(50, 50, 50), (10, 50, 10), (50, 7, 7), (1, 9999, 1)])
def test_the_lower_batch_size_counts(sender: int, receiver: int, agreed: int) -> None:
    stage, earth, saturn = earth_and_saturn(f"BATCHSZ({sender})", f"BATCHSZ({receiver})")
    assert earth.row(CHANNEL)["BATCHSZ"] == saturn.row(CHANNEL)["BATCHSZ"] == str(agreed)
    earth.put_many("FAR", *[b"message"] * 20)
    stage.wait()
    assert saturn.depth("TARGET") == 20
    assert saturn.row(CHANNEL)["BATCHES"] == str(-(-20 // agreed))


@pytest.mark.spec("channels.md 4")
def test_a_unit_of_work_of_the_queue_manager_bounds_the_batch() -> None:
    stage, earth, saturn = earth_and_saturn(start=False)
    earth.types("ALTER QMGR MAXUMSGS(20)")
    saturn.types("ALTER QMGR MAXUMSGS(12)")
    earth.types("START CHANNEL(EARTH.SATURN)")
    stage.wait()
    for _ in range(3):
        earth.put_many("FAR", *[b"message"] * 19)
    stage.wait()
    assert saturn.depth("TARGET") == 57
    assert int(saturn.row(CHANNEL)["BATCHSZ"]) <= 12


@pytest.mark.spec("channels.md 4")
@pytest.mark.parametrize(("sender", "receiver", "agreed"), [("FAST", "FAST", "FAST"), ("FAST", "NORMAL", "NORMAL")])
def test_messages_are_fast_only_where_both_ends_allow_it(sender: str, receiver: str, agreed: str) -> None:
    _, earth, saturn = earth_and_saturn(f"NPMSPEED({sender})", f"NPMSPEED({receiver})")
    assert earth.row(CHANNEL)["NPMSPEED"] == saturn.row(CHANNEL)["NPMSPEED"] == agreed


@pytest.mark.spec("channels.md 4")
@pytest.mark.parametrize(
    ("sender", "receiver", "agreed"), [(4194304, 1000, 1000), (2000, 4194304, 2000), (0, 104857600, 4194304)]
)
def test_the_lower_message_length_counts(sender: int, receiver: int, agreed: int) -> None:
    _, earth, saturn = earth_and_saturn(f"MAXMSGL({sender})", f"MAXMSGL({receiver})")
    assert earth.row(CHANNEL)["MAXMSGL"] == saturn.row(CHANNEL)["MAXMSGL"] == str(agreed)


@pytest.mark.spec("channels.md 20.3")
def test_another_sequence_wrap_is_refused_and_the_sender_stops() -> None:
    stage, earth, saturn = earth_and_saturn("SEQWRAP(1000)", start=False)
    earth.put("FAR", b"waits")
    earth.types("START CHANNEL(EARTH.SATURN)")
    stage.wait()
    assert (earth.status(CHANNEL), saturn.status(CHANNEL)) == ("STOPPED", "INACTIVE")
    assert earth.logged("AMQ9505")
    assert saturn.logged("AMQ9505")
    saturn.types("ALTER CHANNEL(EARTH.SATURN) CHLTYPE(RCVR) SEQWRAP(1000)")
    earth.types("START CHANNEL(EARTH.SATURN)")
    stage.wait()
    assert saturn.contents("TARGET") == [b"waits"]


@pytest.mark.spec("channels.md 4")
def test_each_end_learns_the_others_name_even_in_another_alphabet() -> None:
    stage = Stage()
    mars = stage.station("MARS", "DEFINE CHANNEL(VENUS.TO.MARS) CHLTYPE(RCVR)")
    partner = calls(stage, "MARS", initial_data(writer=SegmentWriter(ByteOrder.BIG, 500), ccsid=500))
    assert partner.hears_one(SegmentType.INITIAL_DATA).flags == 0
    assert mars.row("VENUS.TO.MARS")["RQMNAME"] == "VENUS"


@pytest.mark.spec("channels.md 4")
def test_a_partner_of_our_own_kind_is_known_by_product_from_level_9() -> None:
    stage = Stage()
    mars = stage.station("MARS", "DEFINE CHANNEL(VENUS.TO.MARS) CHLTYPE(RCVR)")
    calls_as_sender(stage, fap_level=9)
    row = mars.row("VENUS.TO.MARS")
    assert (row["RPRODUCT"], row["RVERSION"]) == ("MQMM", "09010200")


# The end of a batch


@pytest.mark.spec("channels.md 20.4")
def test_a_batch_ends_when_it_is_full_or_the_queue_is_empty() -> None:
    stage, mars, venus = to_venus("BATCHSZ(3)")
    mars.put_many("FAR", *[b"message"] * 5)
    mars.types("START CHANNEL(MARS.VENUS)")
    partner = venus.agrees()
    stage.wait()
    heard = partner.hears()
    assert batches(heard) == [3, 0]  # nothing more before the answer
    heard = partner.confirms(heard[-1].luwid)
    assert batches(heard) == [2, 0]


@pytest.mark.spec("channels.md 20.4")
def test_a_batch_ends_behind_the_message_that_passes_batchlim() -> None:
    stage, mars, venus = to_venus("BATCHLIM(2)")
    mars.put_many("FAR", *[b"x" * 900] * 7)
    mars.types("START CHANNEL(MARS.VENUS)")
    partner = venus.agrees()
    stage.wait()
    heard = partner.hears()
    assert batches(heard) == [3, 0]
    assert batches(partner.confirms(heard[-1].luwid)) == [3, 0]


@pytest.mark.spec("channels.md 20.4")
def test_no_limit_of_data_with_batchlim_0() -> None:
    stage, mars, venus = to_venus("BATCHLIM(0) BATCHSZ(100)")
    mars.put_many("FAR", *[b"x" * 20_000] * 30)
    mars.types("START CHANNEL(MARS.VENUS)")
    partner = venus.agrees()
    stage.wait()
    assert batches(partner.hears()) == [30, 0]


@pytest.mark.spec("channels.md 20.4")
def test_a_batch_stays_open_for_batchint() -> None:
    stage, mars, venus = to_venus("BATCHINT(3000)")
    mars.types("START CHANNEL(MARS.VENUS)")
    partner = venus.agrees()
    mars.put("FAR", b"one")
    stage.wait(1)
    mars.put("FAR", b"two")
    stage.wait(1)
    heard = partner.hears()
    assert batches(heard) == [2]
    stage.wait(1.5)
    assert batches(partner.hears()) == [0, 0]


@pytest.mark.spec("channels.md 5.1")
def test_a_batch_without_batchint_ends_at_once() -> None:
    _, mars, venus = to_venus()
    mars.types("START CHANNEL(MARS.VENUS)")
    partner = venus.agrees()
    mars.put("FAR", b"one")
    mars.stage.wait(0.1)
    assert batches(partner.hears()) == [1, 0]


@pytest.mark.spec("channels.md 5.2")
def test_each_batch_has_an_identity_of_its_own() -> None:
    stage, mars, venus = to_venus("BATCHSZ(1)")
    mars.put_many("FAR", *[b"message"] * 4)
    mars.types("START CHANNEL(MARS.VENUS)")
    partner = venus.agrees()
    stage.wait(0.5)
    heard, luwids = partner.hears(), []
    while heard:
        luwids.append(heard[-1].luwid)
        assert {one.luwid for one in heard} == {heard[-1].luwid}
        heard = partner.confirms(heard[-1].luwid)
    assert len(set(luwids)) == len(luwids) == 4
    assert bytes(8) not in luwids


@pytest.mark.spec("channels.md 5.1")
@pytest.mark.spec("channels.md 6.3")
def test_a_stop_ends_the_open_batch() -> None:
    stage, mars, venus = to_venus("BATCHINT(60000)")
    mars.types("START CHANNEL(MARS.VENUS)")
    partner = venus.agrees()
    mars.put("FAR", b"one")
    stage.wait()
    assert batches(partner.hears()) == [1]
    mars.types("STOP CHANNEL(MARS.VENUS)")
    stage.wait()
    assert mars.status("MARS.VENUS") == "STOPPING"
    ending = partner.hears_one(SegmentType.STATUS_DATA)
    assert ending.flags == END_OF_BATCH
    (close,) = partner.confirms(ending.luwid)
    assert (close.type, close.flags) == (SegmentType.STATUS_DATA, 0x08)
    assert mars.status("MARS.VENUS") == "STOPPED"
    assert mars.depth("VENUS") == 0


# Sequence numbers


@pytest.mark.spec("channels.md 20.8")
def test_numbers_begin_again_behind_seqwrap() -> None:
    stage, earth, saturn = earth_and_saturn("SEQWRAP(100) BATCHSZ(7)", "SEQWRAP(100)")
    for number in range(250):
        earth.put("FAR", b"%d" % number)
    stage.wait()
    assert saturn.contents("TARGET") == [b"%d" % number for number in range(250)]
    assert earth.row(CHANNEL)["LSTSEQNO"] == saturn.row(CHANNEL)["LSTSEQNO"] == "50"
    stage.cut_lines()
    earth.put("FAR", b"later")
    stage.wait(10)
    assert saturn.contents("TARGET")[-1] == b"later"
    assert saturn.row(CHANNEL)["LSTSEQNO"] == "51"


@pytest.mark.spec("channels.md 5.3")
def test_numbers_go_on_after_a_restart_of_either_side() -> None:
    stage, earth, saturn = earth_and_saturn()
    for number, station in enumerate((earth, saturn, earth), 1):
        earth.put("FAR", b"%d" % number)
        stage.wait(10)
        station.restart()
        stage.wait(20)
    earth.put("FAR", b"4")
    stage.wait(20)
    assert saturn.contents("TARGET") == [b"1", b"2", b"3", b"4"]
    assert saturn.row(CHANNEL)["LSTSEQNO"] == "4"


@pytest.mark.spec("channels.md 5.3")
def test_numbers_that_differ_end_the_channel_with_the_number_expected() -> None:
    stage = Stage()
    mars = stage.station("MARS", "DEFINE QLOCAL(TARGET)\nDEFINE CHANNEL(VENUS.TO.MARS) CHLTYPE(RCVR)")
    calls_as_sender(stage).sends_batch(1, 2, luwid=L1)
    gap = calls_as_sender(stage)
    gap.sends(message(4))
    refused = gap.is_refused(StatusCode.MSG_SEQUENCE_ERROR)
    assert refused.value == 3
    assert mars.logged("AMQ9526")
    assert mars.contents("TARGET") == [b"message 1", b"message 2"]


@pytest.mark.spec("channels.md 5.3")
@pytest.mark.spec("channels.md 6.4")
def test_a_sender_told_of_another_number_tries_again_until_somebody_resets() -> None:
    stage, earth, saturn = earth_and_saturn()
    earth.put("FAR", b"one")
    stage.wait()
    earth.types("STOP CHANNEL(EARTH.SATURN)")
    stage.wait()
    saturn.types("RESET CHANNEL(EARTH.SATURN) SEQNUM(70)")
    earth.put("FAR", b"two")
    earth.types("START CHANNEL(EARTH.SATURN)")
    stage.wait(3)
    assert earth.status(CHANNEL) == "RETRYING"
    assert earth.logged("AMQ9526")
    assert saturn.logged("AMQ9526")
    assert saturn.contents("TARGET") == [b"one"]
    earth.types("RESET CHANNEL(EARTH.SATURN) SEQNUM(70)")
    stage.wait(5)
    assert saturn.contents("TARGET") == [b"one", b"two"]
