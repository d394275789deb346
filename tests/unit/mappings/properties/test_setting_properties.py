"""Setting properties keeps all others (mqi.md 15.3)."""

from __future__ import annotations

import pytest

from mqbridge.mappings.message import Message
from mqbridge.mappings.properties import Property, PropertyView, read_properties
from mqbridge.mappings.properties.writing import with_properties
from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.structures import make_rfh2


def message(*folders: str) -> Message:
    header = make_rfh2(
        ByteOrder.BIG, [each.encode() for each in folders], encoding=273, coded_char_set_id=1208, format=b"MQSTR   "
    )
    return Message.build(header.build() + b"body", format="MQHRF2", encoding=273, coded_char_set_id=1208)


@pytest.mark.parametrize(
    "folders",
    [
        ("<usr><a>1</a></usr>",),
        (" <usr><a>1</a></usr>",),
        ("\n\t<usr><a>1</a></usr>",),
        ("<usr\n><a>1</a></usr>",),
        ("<usr><a>0</a></usr>", "<usr><a>1</a></usr>"),
        ("<usr><a>1</a></usr>", "<mcd><Msd>x</Msd></mcd>", " <usr><c>2</c></usr>"),
    ],
)
def test_values_of_the_folder_are_kept_wherever_they_stand(folders: tuple[str, ...]) -> None:
    given = message(*folders)
    before = {each.name: each.value for each in read_properties(given)}
    assert before["a"] == PropertyView.of(given).get("a") == "1"
    made = with_properties(given, [Property.of("b", "2")])
    assert {each.name: each.value for each in read_properties(made)} == {**before, "b": "2"}
    assert made.data.endswith(b"body")


def test_a_folder_that_cannot_be_read_is_replaced() -> None:
    made = with_properties(message("<usr><a>1</b></usr>", " <usr><c>1</c></usr>"), [Property.of("b", "2")])
    assert {each.name: each.value for each in read_properties(made)} == {"b": "2", "c": "1"}
