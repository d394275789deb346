from __future__ import annotations

from typing import Any

import pytest

from mqbridge.bridge.queue_manager import Cursor, GetOptions, RetrievedMessage
from mqbridge.bridge.queue_manager.objects import Kind
from mqbridge.protocol.constants import MQGMO, MQOO, MQRC, ByteOrder
from mqbridge.protocol.structures.rfh2 import make_rfh2
from support.queue_manager.direct_calls import browse
from support.queue_manager.group_messages import END, SEGMENT, gid
from support.queue_manager.host import Host

CONVERT, CUT, NEXT = MQGMO.CONVERT, MQGMO.ACCEPT_TRUNCATED_MSG, MQGMO.BROWSE_NEXT
TEXT: dict[str, Any] = {"format": "MQSTR", "coded_char_set_id": 1208, "encoding": 273}
EBCDIC: dict[str, Any] = {"ccsid": 500, "encoding": 785}
LATIN: dict[str, Any] = {"ccsid": 819, "encoding": 546}


@pytest.fixture
def queue(host: Host) -> str:
    return host.local("Q")


def state(got: RetrievedMessage | None) -> tuple[int, bytes, int, int, int]:
    assert got is not None
    md = got.message.md
    return got.reason, got.message.data, md.coded_char_set_id, md.encoding, got.length


@pytest.mark.spec("mqi.md 14")
@pytest.mark.parametrize("way", ["plain", "handle", "browse", "cursor"])
@pytest.mark.parametrize("persistence", [0, 1])
def test_every_way_of_getting_converts(host: Host, queue: str, way: str, persistence: int) -> None:
    host.put(queue, "Grüße".encode(), persistence=persistence, **TEXT)
    handle = host.open(queue, MQOO.BROWSE | MQOO.INPUT_SHARED)
    if way == "plain":
        got = host.get(queue, options=CONVERT, **EBCDIC)
    elif way == "cursor":
        source = host.queue_manager.resolve(queue)
        got = browse(host.queue_manager, source, Cursor(), GetOptions(CONVERT | NEXT, **EBCDIC), host.now)
    else:
        got = host.read(handle, CONVERT | (NEXT if way == "browse" else 0), **EBCDIC)
    assert state(got) == (0, "Grüße".encode("cp500"), 500, 785, 5)
    assert host.depth(queue) == (1 if way in ("browse", "cursor") else 0)
    if host.depth(queue):
        assert host.got(queue).data == "Grüße".encode()


@pytest.mark.spec("mqi.md 14")
def test_without_the_option_nothing_is_converted(host: Host, queue: str) -> None:
    host.put(queue, b"text", **TEXT)
    assert state(host.get(queue, **EBCDIC)) == (0, b"text", 1208, 273, 4)


@pytest.mark.spec("mqi.md 14")
def test_a_code_page_of_zero_is_that_of_the_queue_manager(host: Host, queue: str) -> None:
    host.alter(Kind.QMGR, "EARTH", CCSID=819)
    host.put(queue, "ä".encode("cp500"), format="MQSTR", coded_char_set_id=500, encoding=785)
    assert state(host.get(queue, options=CONVERT, ccsid=0, encoding=546)) == (0, b"\xe4", 819, 546, 1)


@pytest.mark.spec("mqi.md 14")
def test_what_cannot_be_converted_is_got_all_the_same(host: Host, queue: str) -> None:
    host.put(queue, b"body", coded_char_set_id=1208, encoding=273)
    assert state(host.get(queue, options=CONVERT, **LATIN)) == (MQRC.FORMAT_ERROR, b"body", 1208, 273, 4)
    host.put(queue, b"\xff", **TEXT)
    assert state(host.get(queue, options=CONVERT, **LATIN)) == (MQRC.NOT_CONVERTED, b"\xff", 1208, 273, 1)
    assert host.depth(queue) == 0


@pytest.mark.spec("mqi.md 21.18")
def test_a_chain_of_headers(host: Host, queue: str) -> None:
    header = make_rfh2(ByteOrder.BIG, [b"<usr/>"], format=b"MQSTR   ", encoding=273, coded_char_set_id=1208)
    host.put(queue, header.build() + b"text", **{**TEXT, "format": "MQHRF2"})
    got = host.get(queue, options=CONVERT, **EBCDIC)
    assert got is not None
    assert got.message.data.endswith("text".encode("cp500"))
    assert got.message.md.format == "MQHRF2"


@pytest.mark.spec("mqi.md 14")
@pytest.mark.parametrize("through_handle", [True, False])
def test_the_room_must_do_for_what_conversion_makes(host: Host, queue: str, through_handle: bool) -> None:
    """Two bytes of Latin 1 become four of UTF-8."""
    latin: dict[str, Any] = {"format": "MQSTR", "coded_char_set_id": 819, "encoding": 273}
    utf: dict[str, Any] = {"ccsid": 1208, "encoding": 273}
    handle = host.open(queue, MQOO.BROWSE | MQOO.INPUT_SHARED)
    handle.remembered()

    def get(options: int, room: int) -> tuple[int, bytes, int, int, int]:
        if through_handle:
            return state(host.read(handle, options, max_length=room, **utf))
        return state(host.get(queue, options=options, max_length=room, **utf))

    def put() -> None:
        host.put(queue, b"\xe4\xf6", **latin)

    put()
    assert get(CONVERT, 1) == (MQRC.TRUNCATED_MSG_FAILED, b"\xc3", 1208, 273, 4)
    assert host.depth(queue) == 1
    assert get(CONVERT, 4) == (0, "äö".encode(), 1208, 273, 4)
    put()
    assert get(CONVERT | CUT, 3) == (MQRC.TRUNCATED_MSG_ACCEPTED, "äö".encode()[:3], 1208, 273, 4)
    put()
    assert get(CONVERT, 3) == (MQRC.CONVERTED_MSG_TOO_BIG, b"\xe4\xf6", 819, 273, 2)
    assert host.depth(queue) == 0


@pytest.mark.spec("mqi.md 12.5 row 5")
@pytest.mark.spec("mqi.md 14")
def test_segments_are_joined_before_they_are_converted(host: Host, queue: str) -> None:
    text = "äö".encode()
    handle = host.open(queue, MQOO.INPUT_SHARED)
    host.put(queue, text[:3], group_id=gid("A"), msg_flags=SEGMENT, **TEXT)
    host.put(queue, text[3:], group_id=gid("A"), msg_flags=END, offset=3, **TEXT)
    assert state(host.read(handle, CONVERT | MQGMO.COMPLETE_MSG, **LATIN))[:2] == (0, b"\xe4\xf6")
    host.put(queue, "ä".encode(), group_id=gid("B"), msg_flags=SEGMENT, **TEXT)
    host.put(queue, "ö".encode(), group_id=gid("B"), msg_flags=END, offset=2, **TEXT)
    for expected in (b"\xe4", b"\xf6"):
        assert state(host.read(handle, CONVERT | MQGMO.LOGICAL_ORDER, **LATIN))[:2] == (0, expected)


def test_a_report_of_delivery_has_the_data_as_they_were(host: Host, queue: str) -> None:
    host.local("REPLY")
    host.put(queue, "ä".encode(), report=0x2000 | 0x1000 | 0x800, reply_to_q="REPLY", **TEXT)
    host.get(queue, options=CONVERT, **LATIN)
    assert host.contents("REPLY") == ["ä".encode()]
