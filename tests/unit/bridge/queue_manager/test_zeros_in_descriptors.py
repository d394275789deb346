"""Zeros at the end of a descriptor's texts are blanks wherever they are compared, and stay as they were put."""

from __future__ import annotations

from typing import Any

import pytest

from mqbridge.bridge.queue_manager import GetOptions, MQError, PutOptions
from mqbridge.bridge.queue_manager.objects import Kind
from mqbridge.mappings.descriptor import format_test
from mqbridge.mappings.message import Message
from mqbridge.mappings.mq import has_format, split_extension, unwrap
from mqbridge.mappings.reports import ReportKind
from mqbridge.protocol.constants import MQENC, MQFMT, MQGMO, MQPMO, MQRC, ByteOrder
from mqbridge.protocol.structures import MD
from mqbridge.protocol.structures.rfh2 import RFH2
from support.queue_manager.host import Host

pytestmark = pytest.mark.spec("mqi.md 5.3")

SET_ALL = int(MQPMO.SET_ALL_CONTEXT)
TEXTS = [slot.field.key for slot in MD.slots if slot.field.kind == "char" and slot.field.key != "struc_id"]


def zeroed(message: Message, rest: bytes = b"\0") -> Message:
    """The message with zeros, or a zero and something else, where its descriptor's texts are filled with blanks."""
    md = message.md
    for key in TEXTS:
        if hasattr(md.record, key):
            raw = getattr(md.record, key)
            front = raw.rstrip(b" ") + b"\0"
            md.change(key, (front + rest * len(raw))[: len(raw)] if len(front) <= len(raw) else raw)
    return message


@pytest.fixture(params=[b"\0", b"rest"], ids=["zeros", "a zero and more"])
def rest(request: pytest.FixtureRequest) -> bytes:
    value: bytes = request.param
    return value


def rfh2(folder: bytes) -> bytes:
    folder = folder.ljust(-(-len(folder) // 4) * 4)
    header = RFH2.codec(ByteOrder.LITTLE)(
        struc_length=36 + 4 + len(folder),
        encoding=546,
        coded_char_set_id=1208,
        format=b"MQSTR".ljust(8),
        name_value_ccsid=1208,
    )
    return header.build() + len(folder).to_bytes(4, "little") + folder


def test_a_test_of_formats_takes_them_so() -> None:
    is_one = format_test(MQFMT.DEAD_LETTER_HEADER)
    for ccsid, blank in ((819, b" "), (500, b"\x40")):
        plain = Message.build(b"", format="MQDEAD", ccsid=ccsid)
        assert is_one(plain.raw_md)
        name = plain.raw_md[32:40].rstrip(blank)
        for end in (b"\0\0", b"\0x", b"\0 "):
            assert is_one(plain.raw_md[:32] + name + end + plain.raw_md[40:])
        for other in (name[:5] + b"\0\0\0", name + b"x\0", b"\0" + name + b"\0", bytes(8)):
            assert not is_one(plain.raw_md[:32] + other + plain.raw_md[40:])


def test_what_is_stored_is_what_was_put(host: Host, rest: bytes) -> None:
    host.local("Q")
    message = zeroed(Message.build(b"x", format="MQSTR", reply_to_q="R", reply_to_q_mgr="M"), rest)
    raw = message.raw_md
    host.send("Q", message, options=PutOptions(SET_ALL))
    got = host.got("Q")
    assert got.raw_md[32:40] == raw[32:40]
    assert (got.md.format, got.md.reply_to_q, got.md.reply_to_q_mgr) == ("MQSTR", "R", "M")


def test_a_request_needs_a_queue_for_the_reply(host: Host, rest: bytes) -> None:
    host.local("Q")
    with pytest.raises(MQError) as raised:
        host.send("Q", zeroed(Message.build(b"x", msg_type=1, reply_to_q=""), rest))
    assert raised.value.reason == MQRC.MISSING_REPLY_TO_Q


def test_the_reply_queue_is_resolved_and_reported_to(host: Host, rest: bytes) -> None:
    host.local("Q")
    host.local("REPLIES")
    host.transmission("MARS")
    host.define(Kind.QREMOTE, "ELSEWHERE", RNAME="THERE", RQMNAME="MARS")
    both = int(ReportKind.COA | ReportKind.COD)
    host.send("Q", zeroed(Message.build(b"x", report=both, reply_to_q="REPLIES"), rest))
    assert host.got("Q").md.reply_to_q_mgr == "EARTH"
    assert [host.got("REPLIES").md.feedback for _ in range(2)] == [259, 260]
    host.send("Q", zeroed(Message.build(b"x", reply_to_q="ELSEWHERE"), rest))
    md = host.got("Q").md
    assert (md.reply_to_q, md.reply_to_q_mgr) == ("THERE", "MARS")


def test_an_extension_is_taken_into_the_descriptor(host: Host, rest: bytes) -> None:
    host.local("Q")
    split = split_extension(
        Message.build(b"data", version=2, group_id=b"g".ljust(24, b"\0"), msg_flags=8, format="MQSTR")
    )
    assert split.md.format == MQFMT.MD_EXTENSION
    host.send("Q", zeroed(split, rest))
    got = host.got("Q")
    assert (got.md.version, got.md.format, got.data) == (2, "MQSTR", b"data")


def test_a_transmission_queue_takes_what_begins_with_its_header(host: Host, rest: bytes) -> None:
    host.transmission("X")
    host.put("Q", b"data", queue_manager="X", options=PutOptions(SET_ALL))
    wrapped = host.got("X")
    host.send("X", zeroed(wrapped.copy(), rest), options=PutOptions(SET_ALL))
    again = unwrap(host.got("X"))
    assert (again.remote_q_name, again.message.data) == ("Q", b"data")


def test_dead_letters_confirm_nothing(host: Host, rest: bytes) -> None:
    host.local("Q")
    host.local("REPLIES")
    dead = Message.build(b"x", format="MQDEAD", report=int(ReportKind.COA), reply_to_q="REPLIES")
    assert has_format(zeroed(dead, rest).raw_md, MQFMT.DEAD_LETTER_HEADER)
    host.send("Q", dead)
    assert host.get("REPLIES") is None


def test_headers_are_looked_at(host: Host, rest: bytes) -> None:
    host.local("Q")
    for name, reason in (("MQHRF2", MQRC.RFH_ERROR), ("MQDEAD", MQRC.DLH_ERROR), ("MQHDIST", MQRC.DH_ERROR)):
        message = zeroed(Message.build(b"no header", version=2, format=name), rest)
        with pytest.raises(MQError) as raised:
            host.send("Q", message)
        assert raised.value.reason == reason


def test_properties_are_taken_off(host: Host, rest: bytes) -> None:
    host.local("Q")
    data = rfh2(b"<usr><a>1</a></usr>") + b"body"
    fields: dict[str, Any] = {"format": "MQHRF2", "encoding": int(MQENC.INTEGER_REVERSED), "coded_char_set_id": 1208}
    host.send("Q", zeroed(Message.build(data, **fields), rest))
    got = host.got("Q", options=int(MQGMO.NO_PROPERTIES))
    assert (got.data, got.md.format) == (b"body", "MQSTR")


def test_text_is_converted(host: Host, rest: bytes) -> None:
    host.local("Q")
    host.send("Q", zeroed(Message.build(b"ABC", format="MQSTR", coded_char_set_id=819), rest))
    source = host.queue_manager.resolve("Q")
    got = host.queue_manager.get(source, GetOptions(int(MQGMO.CONVERT), encoding=546, ccsid=500), None, host.now)
    assert got is not None
    assert (got.reason, got.message.data) == (0, b"\xc1\xc2\xc3")


def test_selectors_see_names(host: Host, rest: bytes) -> None:
    host.local("Q")
    host.send("Q", zeroed(Message.build(b"x", format="MQSTR", reply_to_q="R"), rest))
    chosen = "Root.MQMD.Format = 'MQSTR' AND Root.MQMD.ReplyToQ = 'R'"
    handle = host.open("Q", 2, selection_string=chosen)
    assert host.read(handle) is not None
