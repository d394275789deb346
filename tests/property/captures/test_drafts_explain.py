"""Laws of drafts: what made-up protocols say is recognised and built back; what dumps print is read back; other input
ends with a documented answer."""

from __future__ import annotations

import io
import random
import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("numpy")

from mqbridge.captures import Direction
from mqbridge.captures.described import DescribedMessages, check
from mqbridge.captures.dialogues import Sent, UnreadableError, open_dialogues
from mqbridge.captures.drafts import collect, draft_protocol, summary_lines
from mqbridge.captures.drafts.grammar_form import grammar
from mqbridge.captures.drafts.lua_form import dissector
from support.learning.made_captures import PORT, capture_of
from support.learning.made_protocols import MakeMessage, counted, streams_of

FIELDS = st.lists(
    st.sampled_from(["constant", "number", "code", "sequence", "name", "random", "float", "digits"]),
    min_size=1,
    max_size=7,
)


def maker(fields: list[str], ends: str, form: str, mark: bytes) -> MakeMessage:
    """A protocol with these fields, and text, bytes or nothing to the end."""

    def make(dice: random.Random, side: int, place: int) -> bytes:
        parts = {
            "constant": b"\x01\x02\x00\x40",
            "number": struct.pack(">I", dice.randrange(1 << 20)),
            "code": bytes((dice.choice([1, 4, 9]),)),
            "sequence": struct.pack("<I", 1000 + place),
            "name": dice.choice([b"ALPHA", b"BETA", b"C"]).ljust(8),
            "random": dice.randbytes(8),
            "float": struct.pack(">d", dice.uniform(-1e3, 1e3)),
            "digits": b"%06d" % dice.randrange(10**6),
        }
        tail = {
            "text": bytes(dice.choices(b"abcdefgh ", k=dice.randrange(1, 20))),
            "bytes": dice.randbytes(dice.randrange(9)),
        }
        body = bytes((side + 1,)) + b"".join(parts[each] for each in fields) + tail.get(ends, b"")
        return counted(body, form, mark)

    return make


@settings(max_examples=8, deadline=None)
@given(
    FIELDS, st.sampled_from(["text", "bytes"]), st.sampled_from([">H", "<H", ">I"]), st.sampled_from([b"", b"\xab\xcd"])
)
def test_a_draft_explains_what_generated_it(fields: list[str], ends: str, form: str, mark: bytes) -> None:
    capture = capture_of(streams_of(maker(fields, ends, form, mark), connections=8, messages=24))
    drafted = draft_protocol(collect(open_dialogues(io.BytesIO(capture), PORT)))
    assert drafted.protocol is not None, drafted.notes
    assert drafted.tried.all_right
    assert drafted.tried.messages == 8 * 24
    result = check(DescribedMessages(drafted.protocol, open_dialogues(io.BytesIO(capture), PORT)))
    assert result.complete, result.lines()
    compile(grammar(drafted.protocol), "grammar.py", "exec")
    assert drafted.protocol.name in dissector(drafted.protocol)
    assert summary_lines(drafted)


LABELS = st.sampled_from(["{:04x}  ", "0x{:04x}:  ", "{:08x}  ", "{:08x}: "])


@settings(max_examples=100, deadline=None)
@given(st.lists(st.binary(min_size=1, max_size=100), min_size=1, max_size=4), LABELS, st.booleans())
def test_what_is_printed_is_read_back(packets: list[bytes], label: str, tail: bool) -> None:
    lines = []
    for packet in packets:
        lines.append("")
        for at in range(0, len(packet), 16):
            part = packet[at : at + 16]
            text = "".join(chr(each) if 32 < each < 127 else "." for each in part)
            lines.append(label.format(at) + part.hex(" ").ljust(47) + (f"   {text}" if tail else ""))
    found = [each for each in open_dialogues(io.BytesIO("\n".join(lines).encode())) if isinstance(each, Sent)]
    assert [each.data for each in found] == packets
    assert {each.direction for each in found} == {Direction.INITIATOR}


@settings(max_examples=80, deadline=None)
@given(st.one_of(st.binary(max_size=400), st.text("0123456789abcdef C>S:x|\n.", max_size=400).map(str.encode)))
def test_whatever_is_given_ends_with_an_answer(data: bytes) -> None:
    try:
        dialogues = open_dialogues(io.BytesIO(data))
    except UnreadableError:
        return
    drafted = draft_protocol(collect(dialogues))
    assert summary_lines(drafted)
    if drafted.protocol is not None:
        assert drafted.tried.all_right
