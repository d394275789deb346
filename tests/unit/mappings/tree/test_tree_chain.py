"""The chain of headers in a tree: how it is read, repaired and written."""

from __future__ import annotations

import pytest

from mqbridge.mappings.message import Message
from mqbridge.mappings.tree import TreeError, message_tree
from mqbridge.protocol.chain import walk
from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.structures import DLH, make_rfh2
from support.wire.tree_messages import ORDER, USER, bare, order, with_rfh, with_rfh2


@pytest.mark.spec("jms-mapping.md 10.1 rule 1")
@pytest.mark.parametrize("wrong", [b"XX  " + bytes(320), b"MD  " + b"\x09\0\0\0" + bytes(316)])
def test_a_message_without_valid_descriptor_is_rejected(wrong: bytes) -> None:
    with pytest.raises(TreeError, match=r"^MQMD: MD at offset"):
        message_tree(Message(wrong, ORDER, order=ByteOrder.LITTLE, ccsid=1208))


@pytest.mark.spec("jms-mapping.md 10.1 rule 2")
def test_each_format_names_the_next_part() -> None:
    inner = with_rfh2(ORDER, USER)
    dead = DLH.codec(ByteOrder.LITTLE)(format=b"MQHRF2  ", encoding=546, coded_char_set_id=1208, dest_q_name=b"Q" * 48)
    message = bare(dead.build() + inner.data, format="MQDEAD")
    tree = message_tree(message, domain="XMLNSC")
    assert list(tree) == ["Properties", "MQMD", "MQDLH", "MQRFH2", "XMLNSC"]
    assert tree["MQDLH.DestQName"] == "Q" * 48
    assert tree["MQRFH2.usr.colour"] == "blue"


@pytest.mark.spec("jms-mapping.md 10.1 rule 2")
def test_a_second_header_of_a_kind_has_its_number() -> None:
    first = with_rfh2(b"", "<psc><Command>Publish</Command></psc>", format="MQHRF2").data
    message = bare(first + with_rfh2(ORDER, USER).data, format="MQHRF2")
    tree = message_tree(message, domain="XMLNSC")
    assert list(tree) == ["Properties", "MQMD", "MQRFH2", "MQRFH2[2]", "XMLNSC"]
    assert tree["MQRFH2[2].usr.colour"] == "blue"
    assert tree["MQRFH2.psc.Command"] == "Publish"
    assert tree["MQRFH2[*].usr.colour"] == ["blue"]
    tree["MQRFH2[2].usr.colour"] = "red"
    assert walk("MQHRF2", 546, 1208, tree.message().data).links[0].length == len(first)


@pytest.mark.spec("jms-mapping.md 10.1 rule 3")
def test_each_header_is_parsed_on_its_own() -> None:
    message = with_rfh2(ORDER, "<usr><broken></usr>", "<other><a>1</a></other>")
    tree = message_tree(message, domain="XMLNSC")
    assert tree["MQRFH2.other.a"] == "1"
    assert tree["XMLNSC.Order.@id"] == "7"
    assert tree["MQRFH2.Format"] == ""
    with pytest.raises(TreeError, match=r"^MQRFH2\.usr\.a: folder usr: </usr> at 13 ends nothing"):
        tree["MQRFH2.usr.a"]
    tree["MQRFH2.other.b"] = "2"
    assert b"<usr><broken></usr>" in tree.message().data


@pytest.mark.spec("jms-mapping.md 10.1 rule 4")
@pytest.mark.parametrize(
    "message",
    [
        with_rfh2(b'{"a": 1}', "<mcd><Msd>XMLNSC</Msd></mcd>", format="JSON"),
        with_rfh(b'{"a": 1}', "Msd XMLNSC", format="JSON"),
    ],
    ids=["MQRFH2", "MQRFH"],
)
def test_a_recognised_format_wins_over_name_value_data(message: Message) -> None:
    assert message_tree(message)["JSON.Data.a"] == 1


@pytest.mark.spec("jms-mapping.md 10.1 rule 4")
@pytest.mark.parametrize(
    "message",
    [
        with_rfh2(ORDER, "<mcd><Msd>xmlnsc</Msd></mcd>", format="MQSTR"),
        with_rfh(ORDER, 'other 5 Msd "XMLNSC"', format="MQSTR"),
    ],
    ids=["MQRFH2", "MQRFH"],
)
def test_name_value_data_say_what_follows_where_the_format_does_not(message: Message) -> None:
    assert message_tree(message)["XMLNSC.Order.@id"] == "7"


@pytest.mark.spec("jms-mapping.md 10.1 rule 5")
@pytest.mark.spec("jms-mapping.md 11.15")
@pytest.mark.parametrize("folders", [(), (USER,), ("<mcd><Msd>JSON</Msd><Set>s</Set></mcd>", USER)])
def test_a_domain_in_the_format_goes_to_the_folder(folders: tuple[str, ...]) -> None:
    tree = message_tree(with_rfh2(ORDER, *folders, format="XMLNSC"))
    tree["XMLNSC.Order.@id"] = 8
    again = message_tree(tree.message())
    assert (again["MQRFH2.Format"], again["MQRFH2.mcd.Msd"]) == ("", "XMLNSC")
    assert again["XMLNSC.Order.@id"] == "8"
    assert again == tree


@pytest.mark.spec("jms-mapping.md 10.1 rule 5")
def test_a_domain_in_the_format_of_version_1_goes_to_its_names() -> None:
    tree = message_tree(with_rfh(ORDER, "other 5", format="XMLNSC"))
    tree["MQRFH.other"] = "6 7"
    again = message_tree(tree.message())
    assert (again["MQRFH.Format"], again["MQRFH.Msd"], again["MQRFH.other"]) == ("", "XMLNSC", "6 7")
    assert again == tree


@pytest.mark.spec("jms-mapping.md 10.1 rule 5")
def test_the_repair_overwrites_what_a_program_set() -> None:
    tree = message_tree(order())
    tree["MQMD.Format"] = "MQSTR"
    tree["MQRFH2.Format"] = "XMLNSC"
    message = tree.message()
    assert message.md.format == "MQHRF2"
    assert tree["MQRFH2.Format"] == ""


@pytest.mark.spec("jms-mapping.md 10.1 rule 5")
@pytest.mark.spec("jms-mapping.md 11.15")
def test_formats_follow_headers_that_come_and_go() -> None:
    tree = message_tree(bare(ORDER), domain="XMLNSC")
    tree["MQRFH2.usr.colour"] = "red"
    tree["MQDLH.Reason"] = 2053
    again = message_tree(tree.message(), domain="XMLNSC")
    assert list(again) == ["Properties", "MQMD", "MQDLH", "MQRFH2", "XMLNSC"]
    assert [again[f"{name}.Format"] for name in ("MQMD", "MQDLH", "MQRFH2")] == ["MQDEAD", "MQHRF2", "MQSTR"]
    del again["MQDLH"]
    assert again.message().md.format == "MQHRF2"
    assert again.message().data.endswith(ORDER)


@pytest.mark.spec("jms-mapping.md 10.1 rule 6")
def test_ccsid_and_encoding_control_how_the_body_is_written() -> None:
    body = '<?xml version="1.0" encoding="UTF-8"?><a>é</a>'.encode()
    tree = message_tree(bare(body), domain="XMLNSC")
    tree["MQMD.CodedCharSetId"] = 1200
    tree["MQMD.Encoding"] = 273
    message = tree.message()
    assert (message.md.coded_char_set_id, message.md.encoding) == (1200, 273)
    assert message.data.decode("utf-16-be") == '<?xml version="1.0" encoding="UTF-16"?><a>é</a>'


@pytest.mark.spec("jms-mapping.md 10.1 rule 6")
@pytest.mark.spec("jms-mapping.md 11.15")
def test_a_header_that_is_removed_takes_along_what_it_said_of_the_body() -> None:
    """The trap: what stands in front of the header now describes the body, be it true or not."""
    opaque = message_tree(with_rfh2(b"\x01\x02", ccsid=500, encoding=785))
    del opaque["MQRFH2"]
    message = opaque.message()
    assert (message.data, message.md.format) == (b"\x01\x02", "")
    assert (message.md.coded_char_set_id, message.md.encoding) == (1208, 546)
    text = message_tree(with_rfh2("<a>é</a>".encode("cp500"), "<mcd><Msd>XMLNSC</Msd></mcd>", ccsid=500))
    del text["MQRFH2"]
    assert text.message().data == "<a>é</a>".encode()


@pytest.mark.spec("jms-mapping.md 10.1 rule 6")
def test_headers_are_written_as_the_part_in_front_of_them_says() -> None:
    tree = message_tree(order())
    tree["MQMD.Encoding"] = 273
    tree["MQMD.CodedCharSetId"] = 500
    message = tree.message()
    chain = walk("MQHRF2", 273, 500, message.data)
    assert chain.links[0].header.record.struc_id == "RFH ".encode("cp500")
    assert chain.links[0].header.record.ORDER is ByteOrder.BIG
    assert chain.body == ORDER
    assert message_tree(message)["MQRFH2.usr.n"] == 5


@pytest.mark.spec("jms-mapping.md 10.1 rule 7")
@pytest.mark.parametrize("entered_by", ["other", "user"])
def test_other_transports_need_no_descriptor(entered_by: str) -> None:
    tree = message_tree(order(), entered_by=entered_by)  # type: ignore[arg-type]
    assert "MQMD" not in tree
    assert tree["MQRFH2.usr.colour"] == "blue"
    assert tree["XMLNSC.Order.@id"] == "7"


def test_a_malformed_header_shows_when_it_is_touched() -> None:
    data = bytearray(order().data)
    data[8] = 1  # StrucLength
    tree = message_tree(bare(bytes(data), format="MQHRF2"))
    assert tree["MQMD.Format"] == "MQHRF2"
    for path in ("MQRFH2.usr.colour", "XMLNSC.Order", "BLOB"):
        with pytest.raises(TreeError, match=rf"^{path}: MQRFH2 is malformed: RFH2 at offset 8: StrucLength is 1"):
            tree[path]
    with pytest.raises(TreeError, match="MQRFH2 is malformed"):
        tree["MQRFH2.usr.x"] = 1
    tree["MQMD.ReplyToQ"] = "Q"
    assert tree.message().data == bytes(data)
    assert tree.message().md.format == "MQHRF2"


def test_a_chain_without_end_is_cut() -> None:
    one = make_rfh2(ByteOrder.LITTLE, [], format=b"MQHRF2  ", encoding=546, coded_char_set_id=1208).build()
    tree = message_tree(bare(one * 150, format="MQHRF2"))
    assert "MQRFH2[100].Flags" in tree
    with pytest.raises(TreeError, match="more than 100 headers"):
        tree["MQRFH2[101].Flags"]


def test_a_new_header_needs_no_change_behind_it() -> None:
    wide = bare("<a/>".encode("utf-16-le"), coded_char_set_id=1200)
    tree = message_tree(wide, domain="XML")
    tree["MQRFH2.usr.x"] = True
    message = tree.message()
    assert message.md.coded_char_set_id == 1208
    assert message.data.endswith("<a/>".encode("utf-16-le"))
    again = message_tree(message, domain="XML")
    assert (again["MQRFH2.CodedCharSetId"], again["MQRFH2.Format"]) == (1200, "MQSTR")
    assert "XML.a" in again
