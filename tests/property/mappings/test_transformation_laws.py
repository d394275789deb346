"""Laws of steps: what was not changed gives its bytes; what was set and removed is as before; the quick way to set a
property does what the careful one does."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

import pytest
from construct import Struct
from hypothesis import assume, given
from hypothesis import strategies as st

from mqbridge.mappings.message import Message
from mqbridge.mappings.properties import Property, read_properties
from mqbridge.mappings.properties.quick_property import quick_property
from mqbridge.mappings.rfh2 import FolderError, FolderValue, read_folder, write_folder
from mqbridge.mappings.rfh2.editing import has_value, with_value, without_value
from mqbridge.mappings.transformations import (
    Finished,
    Limits,
    Run,
    StepFailed,
    Surroundings,
    apply_steps,
    property_places,
    read_steps,
)
from mqbridge.mappings.transformations.property_editing import with_property, without_property
from mqbridge.mappings.transformations.property_places import property_place, set_property
from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.errors import MQBridgeError
from mqbridge.protocol.fields import char
from mqbridge.protocol.formats import NO_FORMATS, Format, Formats
from mqbridge.protocol.grammar import Structure
from mqbridge.protocol.structures.rfh2 import make_rfh2

NAMES = st.sampled_from(("a", "b", "ab", "colour", "näme"))
VALUES = st.one_of(
    st.builds(FolderValue, NAMES, st.just("string"), st.text(st.sampled_from("ab<>&'\" ü</"), max_size=6)),
    st.builds(FolderValue, NAMES, st.just("i4"), st.integers(-9, 9)),
    st.builds(FolderValue, NAMES, st.just("boolean"), st.booleans()),
    st.builds(FolderValue, NAMES, st.just("i4"), st.none()),
    st.builds(FolderValue, st.sampled_from(("g.a", "g.b", "g.h.a")), st.just("string"), st.just("x")),
)
FOLDER_NAMES = st.sampled_from(("usr", "mcd", "jms", "usr2", "mqext", "mine"))
WRITTEN = st.builds(
    lambda name, values: write_folder(name, values, grouped=True), FOLDER_NAMES, st.lists(VALUES, max_size=4)
)
ODD = st.sampled_from(
    ("<usr/>", "<usr ></usr >", "<usr a='b'><a>1</a></usr>", "<usr><a>1</b></usr>", "<usr>", "<usr><a >1</a ></usr>",
     '<usr><a dt="i4">5</a></usr>', "<usr><a/></usr>", "<usr> <a>1</a> </usr>",
     "<usr><a dt='i4' xsi:nil='true'></a></usr>",
     " <usr><a>1</a></usr>", "<usr><a>1</a></usr>\0\0", "<usr><a>1</a></usr><usr></usr>", "<usr></usr>x", "x", "")
)  # fmt: skip
FOLDERS = st.lists(st.one_of(WRITTEN, WRITTEN, ODD), max_size=4)
GIVEN = st.builds(
    Property.of,
    st.sampled_from(("a", "b", "ab", "mcd.a", "mqext.b", "mine.a", "new")),
    st.one_of(st.booleans(), st.integers(-9, 9), st.text(st.sampled_from("ab<&'ü"), max_size=5)),
)
SURROUNDINGS = Surroundings()
PLUG_INS = Formats(
    (
        Format(
            "SHOPHDR",
            Structure(
                "SHOPHDR", lambda n: Struct(n.u32("Encoding", ""), n.i32("CodedCharSetId", ""), char("Format", 8, ""))
            ),
        ),
    )
)
"""A header of 16 bytes, behind which another one may stand."""


@st.composite
def messages(draw: st.DrawFn) -> Message:
    order = draw(st.sampled_from(ByteOrder))
    data = draw(st.binary(max_size=10))
    following = draw(
        st.sampled_from(
            (b"MQSTR   ", b"        ", b"MQHRF2  ", b"MQSTR\0\0\0", b"MQHRF2\0 ", b"SHOPHDR ", b"\xe4BC     ")
        )
    )
    ccsid = draw(st.sampled_from((1208, 0, -2, 850, 500)))
    of_descriptor = draw(st.sampled_from((1208, 1208, 850, 500)))
    if draw(st.booleans()):
        name = draw(st.sampled_from(("MQSTR", "", "\u00e4BC", "SHOPHDR")))
        encoding = draw(st.sampled_from((273, 546, 0)))
        return Message.build(
            data, order=order, ccsid=of_descriptor, format=name, encoding=encoding, coded_char_set_id=ccsid
        )
    folders = [each.encode() for each in draw(FOLDERS)]
    encoding = draw(st.sampled_from((785, 785, 0xF0000000)))
    header = make_rfh2(order, folders, encoding=encoding, coded_char_set_id=ccsid, format=following).build()
    message = Message.build(
        header + data,
        order=draw(st.sampled_from(ByteOrder)),
        ccsid=of_descriptor,
        format="MQHRF2",
        encoding=order.encoding,
        coded_char_set_id=draw(st.sampled_from((1208, 0, 500, 1200))),
    )
    if draw(st.booleans()):
        raw = bytearray(message.raw_md)
        raw[draw(st.sampled_from((0, 4, 7, 35, 39)))] = draw(st.sampled_from((0, 1, 32)))
        message.raw_md = bytes(raw)
    return message


def outcome(message: Message, *items: Any) -> Message | None:
    found = Run(read_steps(items), message, SURROUNDINGS).advance()
    assert isinstance(found, Finished | StepFailed)
    return found.messages[0] if isinstance(found, Finished) else None


@given(messages(), GIVEN, st.sampled_from((NO_FORMATS, PLUG_INS)))
def test_the_quick_way_to_set_a_property_is_the_careful_one(
    message: Message, wanted: Property, formats: Formats
) -> None:
    step = set_property(property_place(wanted.name), wanted)
    made = None if step.quick is None else step.quick.set(message, step.element, formats)
    if made is not None:
        assert made == with_property(message, wanted, Surroundings(formats=formats))


@given(messages(), GIVEN, st.sampled_from((NO_FORMATS, PLUG_INS)))
def test_the_quick_way_to_remove_a_property_is_the_careful_one(
    message: Message, wanted: Property, formats: Formats
) -> None:
    quick = quick_property(wanted.name)
    made = None if quick is None else quick.remove(message, formats)
    if made is not None:
        careful = without_property(message, wanted.name, Surroundings(formats=formats))
        assert made == careful
        assert (made is message) == (careful is message)


@given(messages(), GIVEN, st.sampled_from(("a", "mcd.b", "MQMD.ReplyToQ", "MQMD.MsgId", "MQMD.Priority")))
def test_the_quick_way_to_copy_a_property_is_the_careful_one(message: Message, wanted: Property, source: str) -> None:
    step = {"set": wanted.name if "." in wanted.name else f"usr.{wanted.name}", "from": source}
    quick = explained(message, step)
    with patch.object(property_places, "quick_property", lambda _: None):
        assert explained(message, step) == quick


def explained(message: Message, *items: Any) -> Message | str:
    """What steps make of a message, or why they fail."""
    found = apply_steps(read_steps(items), message, SURROUNDINGS)
    return f"{found.reason} {found.text}" if isinstance(found, StepFailed) else found


@given(
    st.lists(VALUES.filter(lambda value: value.name.isascii() and "." not in value.name), max_size=4),
    GIVEN,
    st.booleans(),
)
def test_the_usual_case_is_set_and_removed_quickly(
    values: list[FolderValue], wanted: Property, in_another_folder: bool
) -> None:
    step = set_property(property_place(wanted.name), wanted)
    quick = step.quick
    folder = wanted.name.partition(".")[0] if "." in wanted.name else "usr"
    assert (quick is None) == (folder == "mine")
    if quick is not None:
        text = write_folder("mqps" if in_another_folder else folder, values)
        header = make_rfh2(ByteOrder.BIG, [text.encode()], encoding=546, coded_char_set_id=1208, format=b"MQSTR   ")
        message = Message.build(header.build(), format="MQHRF2", encoding=273, coded_char_set_id=1208)
        for given_message in (message, Message.build(b"x", format="MQSTR", encoding=273)):
            made = quick.set(given_message, step.element)
            assert made is not None
            assert quick.remove(made) is not None


STEPS = st.lists(
    st.sampled_from(
        (
            {"set": "usr.a", "value": "b" * 20}, {"set": "usr.a", "from": "usr.b"}, {"remove": "usr.a"}, "strip-rfh2",
            {"remove": "usr.*"}, {"set": "MQMD.Format", "value": "MQDEAD"}, {"convert": {"ccsid": 500}},
        )
    ),
    max_size=4,
)  # fmt: skip


@given(messages(), STEPS, st.integers(0, 120))
def test_steps_without_functions_do_at_once_what_a_run_does(message: Message, items: list[Any], longest: int) -> None:
    steps, limits = read_steps(items), Limits(length=longest)
    made = apply_steps(steps, message, SURROUNDINGS, limits)
    assert Run(steps, message, SURROUNDINGS, limits).advance() == (
        made if isinstance(made, StepFailed) else Finished((made,))
    )


@given(messages(), GIVEN)
def test_a_property_that_was_set_is_read_and_all_others_are_as_before(message: Message, wanted: Property) -> None:
    assume(b"<mine>" not in message.data)  # a folder that holds no properties
    before = {each.name: each for each in read_properties(message)}
    try:
        made = with_property(message, wanted, SURROUNDINGS)
    except MQBridgeError:
        return
    after = {each.name: each for each in read_properties(made)}
    got = after.pop(wanted.name)
    before.pop(wanted.name, None)
    assert after == before
    if not wanted.name.startswith("mcd."):
        assert (got.type, got.value) == (wanted.type, wanted.value)


@given(messages(), st.sampled_from(("usr.new", "mcd.new", "mine.new", "new.new")), st.integers(0, 9))
def test_a_message_is_as_before_when_a_new_property_is_set_and_removed(message: Message, path: str, value: int) -> None:
    assume(not any(each.name.endswith("new") for each in read_properties(message)))
    made = outcome(message, {"set": path, "value": value})
    if made is None:
        return
    assume(message.md.format.isascii())
    back = outcome(made, {"remove": path})
    assert back is not None
    assert [(each.name, each.value) for each in read_properties(back)] == [
        (each.name, each.value) for each in read_properties(message)
    ]
    assert back.data.endswith(message.data[-10:]) or b"RFH " in message.data
    if b"RFH " not in message.data:
        assert back.data == message.data
        assert (back.md.format, back.md.encoding) == (message.md.format, message.md.encoding)


@given(messages(), st.sampled_from(("usr.none", "none.*", "mcd.none", "usr.g.none")))
def test_steps_that_find_nothing_give_the_message_itself(message: Message, path: str) -> None:
    made = outcome(message, {"remove": path})
    assert made is None or made is message


@given(messages())
def test_a_header_that_was_added_and_taken_out_leaves_the_message(message: Message) -> None:
    made = outcome(message, {"add": "wih"}, "strip-wih")
    if made is not None:
        assume(message.md.format.isascii())
        assert made.data == message.data
        assert (made.md.format, made.md.encoding) == (message.md.format, message.md.encoding)
        assert made.md.coded_char_set_id == (max(message.md.coded_char_set_id, 0) or 1208)


@given(WRITTEN, VALUES.filter(lambda value: not value.name.startswith("g.")))
def test_a_value_that_was_written_into_a_folder_is_read(text: str, value: FolderValue) -> None:
    made = read_folder(with_value(text, value)).values
    assert value in made
    assert [each for each in made if each.name != value.name] == [
        each for each in read_folder(text).values if each.name != value.name
    ]


@given(WRITTEN, st.sampled_from(("a", "g", "g.a", "g.h", "g.h.a", "ab")))
def test_a_value_that_was_removed_is_gone_and_others_stay(text: str, name: str) -> None:
    kept = [each for each in read_folder(text).values if each.name != name and not each.name.startswith(name + ".")]
    made = without_value(text, name)
    assert (read_folder(made).values if made else []) == kept


@given(st.one_of(ODD, st.text(st.sampled_from("<>/ausr='\" &"), max_size=30)))
def test_a_text_that_cannot_be_edited_cannot_be_read_either(text: str) -> None:
    try:
        edited = with_value(text, FolderValue("q", "string", "x"))
    except FolderError:
        with pytest.raises(FolderError):
            read_folder(text)
        return
    assert has_value(edited, "q")
