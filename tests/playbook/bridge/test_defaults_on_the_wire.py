"""A channel defined with nothing but its names says on the wire what IBM's says (channels.md 19, 11)."""

from __future__ import annotations

import struct
from typing import Any

import pytest

from mqbridge.protocol.constants import CapFlags2, ControlFlags1, SegmentType
from support.channels.partner import calls, calls_as_sender, to_venus
from support.channels.playbook import L1, end_of_batch, initial_data, message
from support.gateway.stage import Stage, Station


def mars(script: str = "") -> tuple[Stage, Station]:
    stage = Stage()
    return stage, stage.station("MARS", f"DEFINE CHANNEL(VENUS.TO.MARS) CHLTYPE(RCVR)\n{script}")


@pytest.mark.spec("channels.md 19")
@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("max_msgs_per_batch", 50),
        ("max_transmission_size", 32766),
        ("max_message_size", 4194304),
        ("sequence_wrap", 999999999),
        ("heartbeat_interval", 300),
    ],
)
def test_what_a_sender_offers_and_a_receiver_takes(field: str, value: int) -> None:
    _, station, venus = to_venus()
    station.types("START CHANNEL(MARS.VENUS)")
    offered = venus.is_called().hears_one(SegmentType.INITIAL_DATA)
    assert getattr(offered.id.record, field) == value

    stage, _ = mars()
    answer = calls(stage, "MARS", initial_data()).hears_one(SegmentType.INITIAL_DATA)
    assert (answer.flags, getattr(answer.id.record, field)) == (0, value)


@pytest.mark.spec("channels.md 19")
def test_a_message_with_a_number_and_both_headers_flows_only_when_the_batch_before_was_confirmed() -> None:
    stage, station, venus = to_venus("BATCHSZ(1)")
    for text in (b"hola", b"adios"):
        station.put("FAR", text)
    station.types("START CHANNEL(MARS.VENUS)")
    partner = venus.agrees()
    stage.wait()
    first, asked = partner.hears()
    assert (first.type, first.number) == (SegmentType.MESSAGE_DATA, 1)
    assert first.body[20:24] == b"XQH "
    assert struct.unpack_from("<I", first.body, 20 + 104 + 4) == (1,)  # the version of the MQMD behind it
    assert first.body[20 + 428 :] == b"hola"
    stage.wait(30)
    assert partner.hears() == []
    second, _ = partner.confirms(asked.luwid)
    assert (second.number, second.body[20 + 428 :]) == (2, b"adios")


# Distribution lists


@pytest.mark.spec("channels.md 11")
def test_we_do_not_say_that_we_take_distribution_lists() -> None:
    stage, _ = mars()
    answer = calls(stage, "MARS", initial_data(cap_flags2=0x07)).hears_one(SegmentType.INITIAL_DATA)
    assert not answer.id.record.cap_flags2 & CapFlags2.DIST_LIST_CAPABLE
    _, station, venus = to_venus()
    station.types("START CHANNEL(MARS.VENUS)")
    offered = venus.is_called().hears_one(SegmentType.INITIAL_DATA)
    assert not offered.id.record.cap_flags2 & CapFlags2.DIST_LIST_CAPABLE


@pytest.mark.spec("channels.md 11")
@pytest.mark.parametrize("persistence", [0, 1])
def test_a_distribution_list_that_comes_all_the_same_is_a_dead_letter(persistence: int) -> None:
    stage, station = mars("DEFINE QLOCAL(DLQ)\nDEFINE QLOCAL(TARGET)\nALTER QMGR DEADQ(DLQ)")
    header = b"DH  " + struct.pack("<IIII8sIIIII", 1, 144, 546, 437, b"MQSTR   ", 0, 0, 1, 48, 0)
    data = header + b"TARGET".ljust(48) + b"MARS".ljust(48) + b"to many"
    names = {"xqh_remote_q_name": b" " * 48, "xqh_remote_q_mgr_name": b" " * 48}
    changes: dict[str, Any] = {**names, "md_format": b"MQHDIST ", "md_encoding": 546, "md_coded_char_set_id": 437}
    partner = calls_as_sender(stage)
    partner.sends(message(1, data, luwid=L1, persistence=persistence, **changes), end_of_batch(L1))
    assert partner.hears()[-1].flags == ControlFlags1.DLQ_USED
    dead = station.got("DLQ")
    assert (dead.md.format, dead.data[116:124]) == ("MQDEAD", b"MQHDIST ")
    assert dead.data[172:] == data
    assert station.depth("TARGET") == 0
