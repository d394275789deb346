"""Properties and fields of the descriptor set, copied and removed."""

from __future__ import annotations

from typing import Any

import pytest

from mqbridge.mappings.message import Message
from mqbridge.mappings.properties import read_properties
from mqbridge.mappings.transformations import explain, read_steps
from mqbridge.mappings.transformations.run import Run
from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.structures.rfh2 import make_rfh2

from .test_header_steps import applied, chain, described, failure

FOLDERS = (
    b"<mcd><Msd>jms_text</Msd></mcd>  ",
    b"<jms><Dst>queue:///Q</Dst><Rto>queue:///R</Rto></jms> ",
    b'<usr><colour>red</colour><group><a dt="i4">5</a><b>x</b></group><big >y &gt; </big ></usr>',
)


def message(*folders: bytes, order: ByteOrder = ByteOrder.LITTLE, ccsid: int = 1208, data: bytes = b"x") -> Message:
    header = make_rfh2(
        order,
        [each.decode().encode("utf-16-le") if ccsid == 1200 else each for each in folders],
        blank=" ".encode("utf-16-le") if ccsid == 1200 else b" ",
        encoding=785,
        coded_char_set_id=850,
        format=b"MQSTR   ",
        name_value_ccsid=ccsid,
    )
    return Message.build(header.build() + data, format="MQHRF2", encoding=order.encoding, coded_char_set_id=1208)


def folders(made: Message) -> list[bytes]:
    return list(chain(made).links[0].header.folders)  # type: ignore[attr-defined]


def values(made: Message) -> dict[str, Any]:
    return {each.name: each.value for each in read_properties(made)}


@pytest.mark.parametrize(
    ("item", "usr"),
    [
        (
            {"set": "usr.seen", "value": True},
            b'<usr><colour>red</colour><group><a dt="i4">5</a><b>x</b></group><big >y &gt; </big >'
            b"<seen dt='boolean'>1</seen></usr>",
        ),
        (
            {"set": "usr.colour", "value": "<blue>"},
            b'<usr><colour>&lt;blue&gt;</colour><group><a dt="i4">5</a><b>x</b></group><big >y &gt; </big ></usr>',
        ),
        (
            {"set": "usr.group.a", "value": 6, "type": "i2"},
            b"<usr><colour>red</colour><group><a dt='i2'>6</a><b>x</b></group><big >y &gt; </big ></usr>",
        ),
        (
            {"set": "usr.other.a", "value": 6, "type": "i2"},
            b'<usr><colour>red</colour><group><a dt="i4">5</a><b>x</b></group><big >y &gt; </big >'
            b"<other><a dt='i2'>6</a></other></usr>",
        ),
        ({"remove": "usr.colour"}, b'<usr><group><a dt="i4">5</a><b>x</b></group><big >y &gt; </big ></usr>'),
        ({"remove": "usr.group"}, b"<usr><colour>red</colour><big >y &gt; </big ></usr>"),
        ({"remove": "usr.group.a"}, b"<usr><colour>red</colour><group><b>x</b></group><big >y &gt; </big ></usr>"),
    ],
)
@pytest.mark.parametrize(
    ("order", "ccsid"), [(ByteOrder.BIG, 1208), (ByteOrder.LITTLE, 1208), (ByteOrder.LITTLE, 1200)]
)
def test_one_value_changes_and_all_else_keeps_its_bytes(item: Any, usr: bytes, order: ByteOrder, ccsid: int) -> None:
    given = message(*FOLDERS, order=order, ccsid=ccsid)
    made = applied(given, item)
    assert folders(made)[:2] == folders(given)[:2]
    text = folders(made)[2].decode("utf-16-le").encode() if ccsid == 1200 else folders(made)[2]
    assert text.rstrip() == usr
    assert made.raw_md == given.raw_md
    assert chain(made).body == b"x"


def test_groups_that_are_emptied_go() -> None:
    made = applied(message(*FOLDERS), {"remove": "usr.group.a"}, {"remove": "usr.group.b"})
    assert values(made).keys() == {"mcd.Msd", "jms.Dst", "jms.Rto", "colour", "big"}


def test_a_folder_without_values_goes_and_the_header_with_the_last_one() -> None:
    given = message(FOLDERS[0], b"<usr><a>1</a></usr>")
    made = applied(given, {"remove": "usr.a"})
    assert folders(made) == [FOLDERS[0]]
    gone = applied(made, {"remove": "mcd.*"})
    assert (described(gone), gone.data) == (("MQSTR", 785, 850), b"x")


@pytest.mark.parametrize("path", ["usr.none", "none.*", "usr.colour.a", "usr.group.c", "group.a", "mcd.Set"])
def test_a_value_that_is_not_there_is_removed_without_change(path: str) -> None:
    given = message(*FOLDERS)
    assert applied(given, {"remove": path}) is given


def test_a_message_without_properties_gets_a_header() -> None:
    given = Message.build(b"x", format="MQSTR", encoding=785, coded_char_set_id=850)
    made = applied(given, {"set": "usr.seen", "value": True})
    assert values(made) == {"seen": True}
    assert (chain(made).body_format, chain(made).body_encoding, chain(made).body_ccsid) == ("MQSTR", 785, 850)
    assert applied(made, {"remove": "usr.seen"}) == given


@pytest.mark.parametrize("folder", [b"<usr><a>1</b></usr>", b"<usr><a>1</a>", b"<usr></usr><usr></usr>"])
@pytest.mark.parametrize("item", [{"set": "usr.b", "value": 1}, {"remove": "usr.a"}])
def test_a_malformed_folder_fails_the_step(folder: bytes, item: Any) -> None:
    assert failure(message(folder), item).reason == 2421


def test_other_folders_may_be_malformed() -> None:
    given = message(b"<mcd><", b"\xff\xfe\xfd\xfc", FOLDERS[2])
    assert values(applied(given, {"set": "usr.seen", "value": 5}))["seen"] == 5


def test_a_character_that_the_folder_s_code_page_lacks_fails_the_step() -> None:
    found = failure(message(*FOLDERS, ccsid=819), {"set": "usr.colour", "value": "красный"})
    assert found.reason == 2110


@pytest.mark.parametrize(
    ("field", "given", "expected"),
    [
        ("Priority", 5, 5),
        ("Expiry", 100, 100),
        ("ReplyToQ", "ANSWERS", "ANSWERS"),
        ("CorrelId", "4d45", b"ME" + bytes(22)),
        ("GroupId", "01", b"\x01" + bytes(23)),
    ],
)
def test_fields_of_the_descriptor_are_set_and_removed(field: str, given: Any, expected: Any) -> None:
    before = message(*FOLDERS)
    made = applied(before, {"set": f"MQMD.{field}", "value": given}, {"set": "usr.copy", "from": f"MQMD.{field}"})
    assert values(made)["copy"] == expected
    assert chain(made).body == b"x"
    back = applied(made, {"remove": f"MQMD.{field}"}, {"remove": "usr.copy"})
    assert back.data.replace(b" ", b"") == before.data.replace(b" ", b"")
    assert (
        back.md.record.as_dict() | {"version": 1} == before.md.record.as_dict() | {"version": 1} or field == "GroupId"
    )


def test_the_same_value_leaves_the_message_itself() -> None:
    given = message(*FOLDERS)
    assert applied(given, {"set": "MQMD.Priority", "value": given.md.priority}) is given


def test_properties_are_copied_to_fields() -> None:
    made = applied(
        message(*FOLDERS), {"set": "MQMD.ReplyToQ", "from": "colour"}, {"set": "JMSType", "from": "usr.group.b"}
    )
    assert made.md.reply_to_q == "red"
    assert values(made)["mcd.Type"] == "x"


@pytest.mark.parametrize(
    ("item", "reason"),
    [
        ({"set": "usr.a", "from": "usr.none"}, 2471),
        ({"set": "MQMD.Priority", "from": "usr.colour"}, 2110),
        ({"set": "MQMD.CorrelId", "from": "usr.big"}, 2110),
    ],
)
def test_what_cannot_be_copied_fails_the_step(item: Any, reason: int) -> None:
    assert failure(message(*FOLDERS), item).reason == reason


def test_steps_are_explained() -> None:
    items = [{"set": "usr.seen", "value": True}, {"remove": "usr.none"}, {"set": "MQMD.Priority", "value": 7}]
    run = Run(read_steps(items), message(*FOLDERS), record=True)
    run.advance()
    assert explain(run) == (
        "set usr.seen 28 bytes in; usr.seen true",
        "remove usr.none unchanged",
        "set MQMD.Priority MQMD.Priority 7",
    )
