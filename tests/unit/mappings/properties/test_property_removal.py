"""Messages without their properties (mqi.md 15.1, 15.2)."""

from __future__ import annotations

from typing import Any

import pytest

from mqbridge.mappings.message import Message
from mqbridge.mappings.properties import has_jms_properties, read_properties, without_properties
from mqbridge.protocol.chain import walk_descriptor
from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.structures import make_rfh2
from mqbridge.protocol.text import encode_field

pytestmark = pytest.mark.spec("mqi.md 15.1")

USR, PSC, MINE = b"<usr><a>1</a></usr>", b"<psc><Command>Publish</Command></psc>", b"<mine><x>1</x></mine>"


def header(*folders: bytes, format: str = "MQSTR", ccsid: int = 1208, **values: Any) -> bytes:
    made = make_rfh2(
        ByteOrder.BIG,
        folders,
        encoding=values.pop("encoding", 546),
        coded_char_set_id=ccsid,
        format=encode_field(format, 8, 819),
        name_value_ccsid=1208,
    )
    return made.build()


def message(data: bytes, **fields: Any) -> Message:
    return Message.build(data, format="MQHRF2", encoding=273, coded_char_set_id=819, **fields)


def described(found: Message) -> tuple[str, int, int, bytes]:
    md = found.md
    return md.format, md.encoding, md.coded_char_set_id, found.data


def test_a_header_of_properties_is_taken_out() -> None:
    found = without_properties(message(header(USR, b"<mcd><Msd>jms_text</Msd></mcd>", ccsid=437) + b"text", priority=3))
    assert described(found) == ("MQSTR", 546, 437, b"text")
    assert found.md.priority == 3


def test_what_inherits_its_code_page_keeps_it() -> None:
    assert described(without_properties(message(header(USR, ccsid=-2) + b"text"))) == ("MQSTR", 546, 819, b"text")


def test_other_folders_stay() -> None:
    found = without_properties(message(header(USR, PSC, b"<mine content='properties'><x>1</x></mine>", MINE) + b"text"))
    chain = walk_descriptor(found.md.record, found.data, default_ccsid=1208)
    assert [raw.rstrip() for raw in chain.links[0].header.folders] == [PSC, MINE]
    assert (chain.body_format, chain.body_encoding, chain.body) == ("MQSTR", 546, b"text")
    assert read_properties(found) == []


def test_several_headers() -> None:
    data = header(USR, format="MQHRF2", encoding=546) + make_little(PSC) + header(USR, format="MQDEAD") + b"rest"
    found = without_properties(message(data))
    assert (found.md.format, found.md.encoding) == ("MQHRF2", 546)
    chain = walk_descriptor(found.md.record, found.data, default_ccsid=1208)
    assert (len(chain.links), chain.body_format, chain.body) == (1, "MQDEAD", b"rest")


def make_little(*folders: bytes) -> bytes:
    made = make_rfh2(
        ByteOrder.LITTLE, folders, encoding=273, coded_char_set_id=1208, format=b"MQHRF2  ", name_value_ccsid=1208
    )
    return made.build()


@pytest.mark.parametrize("data", [header(PSC) + b"text", header() + b"text", b"RFH rubbish", b""])
def test_without_properties_it_is_the_same_message(data: bytes) -> None:
    given = message(data)
    assert without_properties(given) is given


def test_long_data_are_not_copied() -> None:
    class Long:
        reads: list[int] = []

        def __len__(self) -> int:
            return 1 << 40

        def read(self, offset: int = 0, length: int | None = None) -> bytes:
            assert length is not None
            self.reads.append(length)
            whole = header(USR)
            return whole[offset : offset + length].ljust(length, b"x")

    found = without_properties(Message.build(Long(), format="MQHRF2", encoding=273, coded_char_set_id=819))
    assert len(found) == (1 << 40) - len(header(USR))
    assert sum(Long.reads) < 1 << 20


@pytest.mark.parametrize(
    ("folder", "expected"),
    [
        (USR, True), (b"<mcd><Msd>jms_none</Msd></mcd>", True), (b"<jms><Dlv>1</Dlv></jms>", True),
        (b"<mqext><Arm>1</Arm></mqext>", True), (b"<mq_usr><a>1</a></mq_usr>", False), (b"<usr></usr>", True),
        (b"<mqps><Top>a</Top></mqps>", False), (PSC, False),
    ],
)  # fmt: skip
def test_folders_of_jms(folder: bytes, expected: bool) -> None:
    assert has_jms_properties(message(header(folder) + b"text")) is expected
    assert has_jms_properties(message(header(PSC, folder) + b"text")) is expected
