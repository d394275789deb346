from __future__ import annotations

from typing import Any

import pytest

from mqbridge.mappings.body import BodyPieces, as_bytes
from mqbridge.mappings.message import Message
from mqbridge.mappings.publications import (
    PublicationProperties,
    published_topic,
    with_command_folder,
    with_command_names,
    with_properties,
    without_properties,
)
from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.structures import make_rfh2, parse_rfh2
from mqbridge.protocol.structures.rfh import parse_rfh

TEXT = {"encoding": 546, "coded_char_set_id": 819, "format": "MQSTR"}


def rfh2(*folders: bytes, order: Any = ByteOrder.BIG, **fields: Any) -> bytes:
    header = make_rfh2(order, folders, encoding=273, coded_char_set_id=1208, format=b"MQSTR   ", **fields)
    return header.build()


def folders_of(message: Message, order: Any) -> list[str]:
    return [folder.decode().rstrip() for folder in parse_rfh2(message.data, 0, order).folders]


@pytest.mark.spec("mqi.md 17")
def test_the_topic_is_put_in_a_new_header() -> None:
    message = Message.build(b"hello", **TEXT)
    made = with_properties(message, PublicationProperties("a/<b>"))
    header: Any = parse_rfh2(made.data, 0, ByteOrder.LITTLE)
    assert made.md.format == "MQHRF2"
    assert (made.md.encoding, made.md.coded_char_set_id) == (546, 1208)
    assert (header.record.encoding, header.record.coded_char_set_id, header.record.format) == (546, 819, b"MQSTR   ")
    assert folders_of(made, ByteOrder.LITTLE) == ["<mqps><Top>a/&lt;b&gt;</Top></mqps>"]
    assert made.data.endswith(b"hello")
    assert len(made.data) == header.record.struc_length + 5
    assert header.record.struc_length % 4 == 0
    assert message.data == b"hello"
    assert message.md.format == "MQSTR"
    assert published_topic(made) == "a/<b>"


@pytest.mark.spec("jms-mapping.md 4")
def test_a_header_that_is_there_gets_the_folder_behind_its_own() -> None:
    front = rfh2(b"<mcd><Msd>jms_text</Msd></mcd>  ", b"<jms><Dst>topic://x</Dst></jms>")
    message = Message.build(front + b"hello", encoding=273, coded_char_set_id=1208, format="MQHRF2")
    made = with_properties(message, PublicationProperties("x", user_data="mine", retained=True))
    assert folders_of(made, ByteOrder.BIG) == [
        "<mcd><Msd>jms_text</Msd></mcd>",
        "<jms><Dst>topic://x</Dst></jms>",
        "<mqps><Top>x</Top><Sud>mine</Sud><Ret dt='boolean'>1</Ret></mqps>",
    ]
    assert made.data.endswith(b"hello")
    again = with_properties(made, PublicationProperties("y"))
    assert folders_of(again, ByteOrder.BIG)[2:] == ["<mqps><Top>y</Top></mqps>"]
    assert published_topic(again) == "y"


@pytest.mark.parametrize(
    "data",
    [b"", b"RFH ", rfh2(b"<a></a>")[:40], b"XXXX" + rfh2(b"<a></a>")[4:]],
    ids=["empty", "short", "cut", "other"],
)
def test_data_that_are_no_header_are_left_behind_a_new_one(data: bytes) -> None:
    message = Message.build(data, encoding=273, coded_char_set_id=1208, format="MQHRF2")
    made = with_properties(message, PublicationProperties("a"))
    header: Any = parse_rfh2(made.data, 0, ByteOrder.BIG)
    assert folders_of(made, ByteOrder.BIG) == ["<mqps><Top>a</Top></mqps>"]
    assert made.data[header.record.struc_length :] == data
    assert header.record.format == b"MQHRF2  "


def test_a_code_page_without_the_characters_of_the_topic_is_passed_over() -> None:
    front = rfh2(b"<usr><a>1</a></usr>", name_value_ccsid=819)
    message = Message.build(front, encoding=273, coded_char_set_id=1208, format="MQHRF2")
    made = with_properties(message, PublicationProperties("жук"))
    assert folders_of(made, ByteOrder.BIG) == ["<mqps><Top>жук</Top></mqps>"]
    assert published_topic(made) == "жук"
    assert made.data.endswith(front)


def test_an_inherited_code_page_is_said() -> None:
    message = Message.build(b"x", ccsid=819, encoding=546, coded_char_set_id=0)
    header: Any = parse_rfh2(with_properties(message, PublicationProperties("a")).data, 0, ByteOrder.LITTLE)
    assert header.record.coded_char_set_id == 819


def test_what_was_added_can_be_taken_away() -> None:
    message = Message.build(b"hello", **TEXT)
    assert without_properties(with_properties(message, PublicationProperties("a"))) == message
    assert without_properties(message) is message
    front = rfh2(b"<usr><a>1</a></usr>  ")
    other = Message.build(front + b"hello", encoding=273, coded_char_set_id=1208, format="MQHRF2")
    assert without_properties(with_properties(other, PublicationProperties("a"))) == other
    assert without_properties(other) is other


def test_big_data_are_not_copied() -> None:
    data = b"x" * (3 << 20)
    made = with_properties(Message.build(data, **TEXT), PublicationProperties("a"))
    assert isinstance(made.body, BodyPieces)
    assert as_bytes(made.body).endswith(data)


def test_a_message_without_the_folder_has_no_topic() -> None:
    assert published_topic(Message.build(b"x", **TEXT)) is None
    front = rfh2(b"<mqpse><Top>a</Top></mqpse>", b"<mqps><Sud>x</Sud></mqps>")
    assert published_topic(Message.build(front, encoding=273, coded_char_set_id=1208, format="MQHRF2")) is None
    broken = rfh2(b"<mqps><Top>a</mqps>")
    assert published_topic(Message.build(broken, encoding=273, coded_char_set_id=1208, format="MQHRF2")) is None


@pytest.mark.spec("mqi.md 17")
def test_the_older_forms() -> None:
    message = Message.build(b"hello", **TEXT)
    made = with_command_folder(message, PublicationProperties("a/b", retained=True))
    assert folders_of(made, ByteOrder.LITTLE) == [
        "<psc><Command>Publish</Command><PubOpt>IsRetainedPub</PubOpt><Topic>a/b</Topic></psc>"
    ]
    made = with_command_names(message, PublicationProperties('a "b"'))
    header = parse_rfh(made.data, 0, ByteOrder.LITTLE)
    assert header.name_value_string.rstrip() == b'MQPSCommand Publish MQPSTopic "a ""b"""'
    assert made.md.format == "MQHRF"
    assert made.data.endswith(b"hello")
