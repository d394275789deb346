"""Headers in front of the data that a program puts (mqi.md 5.3)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqbridge.bridge.queue_manager.objects import Kind
from mqbridge.mappings.message import Message
from mqbridge.protocol.constants import MQFMT, MQMF, MQMT, MQRC, ByteOrder
from mqbridge.protocol.structures import make_rfh2
from mqbridge.protocol.structures.dlh import DLH
from support.queue_manager.host import Host
from support.queue_manager.pubsub_host import PubSubHost, reason_of

pytestmark = pytest.mark.spec("mqi.md 5.3")

RFH2 = make_rfh2(
    ByteOrder.LITTLE, [b"<usr><a>1</a></usr>"], encoding=0x222, coded_char_set_id=1208, format=b"MQSTR   "
).build()
DEAD = DLH.codec(ByteOrder.LITTLE)(struc_id=b"DLH ", encoding=0x222, coded_char_set_id=1208, format=b"MQHRF2  ").build()


@pytest.fixture
def host() -> Host:
    host = Host()
    host.local("Q")
    return host


def put(host: Host, data: bytes, name: str, **fields: Any) -> int:
    fields = {"version": 2, "format": name, "encoding": 0x222, "coded_char_set_id": 1208, **fields}
    return reason_of(host.put, "Q", data, **fields)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        (MQFMT.DIST_HEADER, MQRC.DH_ERROR),
        (MQFMT.DEAD_LETTER_HEADER, MQRC.DLH_ERROR),
        (MQFMT.RF_HEADER_1, MQRC.RFH_ERROR),
        (MQFMT.RF_HEADER_2, MQRC.RFH_ERROR),
        (MQFMT.XMIT_Q_HEADER, MQRC.XQH_ERROR),
        (MQFMT.IMS, MQRC.IIH_ERROR),
        (MQFMT.CICS, 2140),
        (MQFMT.REF_MSG_HEADER, MQRC.RMH_ERROR),
        (MQFMT.TRIGGER, MQRC.TM_ERROR),
        (MQFMT.WORK_INFO_HEADER, MQRC.WIH_ERROR),
        (MQFMT.MD_EXTENSION, MQRC.MDE_ERROR),
    ],
)
@pytest.mark.parametrize("data", [b"", b"no header at all, but long enough to be one" * 20], ids=["empty", "text"])
def test_each_header_has_its_reason(host: Host, name: MQFMT, reason: int, data: bytes) -> None:
    assert put(host, data, name) == reason
    assert host.depth("Q") == 0


def test_headers_that_are_in_order_are_let_through(host: Host) -> None:
    assert put(host, RFH2 + b"text", MQFMT.RF_HEADER_2) == 0
    assert put(host, DEAD + RFH2 + b"text", MQFMT.DEAD_LETTER_HEADER) == 0
    assert put(host, b"anything", MQFMT.STRING) == 0
    assert put(host, b"anything", "MYFORMAT") == 0


def test_a_header_behind_another_is_checked(host: Host) -> None:
    chained = make_rfh2(ByteOrder.LITTLE, [], encoding=0x222, coded_char_set_id=1208, format=b"MQHRF2  ").build()
    assert put(host, chained + RFH2, MQFMT.RF_HEADER_2) == 0
    assert put(host, chained + RFH2[:-4], MQFMT.RF_HEADER_2) == MQRC.RFH_ERROR


def test_behind_a_dead_letter_header_anything_may_stand(host: Host) -> None:
    assert put(host, DEAD + b"RFH ", MQFMT.DEAD_LETTER_HEADER) == 0
    assert put(host, DEAD[:-1], MQFMT.DEAD_LETTER_HEADER) == MQRC.DLH_ERROR


def test_reports_may_have_a_header_that_is_cut_short(host: Host) -> None:
    assert put(host, RFH2[:20], MQFMT.RF_HEADER_2, msg_type=int(MQMT.REPORT)) == 0


def test_with_a_descriptor_of_version_1_nothing_is_checked(host: Host) -> None:
    assert put(host, b"no header", MQFMT.RF_HEADER_2, version=1) == 0


def test_descriptors_in_ebcdic_are_checked_too(host: Host) -> None:
    message = Message.build(b"no header", ccsid=500, version=2, format="MQDEAD")
    assert reason_of(host.send, "Q", message) == MQRC.DLH_ERROR


def test_properties_are_limited_by_maxpropl(host: Host) -> None:
    host.alter_manager(MAXPROPL=20)
    assert put(host, RFH2, MQFMT.RF_HEADER_2) == 0
    host.alter_manager(MAXPROPL=19)
    assert put(host, RFH2, MQFMT.RF_HEADER_2) == MQRC.PROPERTIES_TOO_BIG
    assert put(host, RFH2, MQFMT.RF_HEADER_2, version=1) == MQRC.PROPERTIES_TOO_BIG


def test_a_publication_is_no_segment() -> None:
    host = PubSubHost()
    assert reason_of(host.publish, "t", version=2, msg_flags=int(MQMF.SEGMENT)) == MQRC.SEGMENTATION_NOT_ALLOWED
    assert reason_of(host.publish, "t", b"x", version=2, format="MQHRF2") == MQRC.RFH_ERROR


def test_through_an_alias_too(host: Host) -> None:
    host.define(Kind.QALIAS, "ALIAS", TARGET="Q")
    assert reason_of(host.put, "ALIAS", b"", version=2, format="MQDEAD") == MQRC.DLH_ERROR


@given(data=st.binary(max_size=200), name=st.sampled_from(sorted(MQFMT.__members__)))
def test_any_data_are_put_or_refused_with_a_reason(data: bytes, name: str) -> None:
    host = Host()
    host.local("Q")
    reason = put(host, data, str(MQFMT[name]))
    assert reason in (0, 2135, 2140, 2141, 2142, 2148, 2191, 2220, 2248, 2260, 2265, 2333, 2334)
    assert host.depth("Q") == (0 if reason else 1)
