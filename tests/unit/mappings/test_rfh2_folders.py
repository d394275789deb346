"""Folders of real and of hand-made headers; texts that are none."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqbridge.mappings.rfh2 import MAX_TAGS, FolderError, FolderValue, read_folder

pytestmark = pytest.mark.spec("jms-mapping.md 4.2")


def values(text: str) -> dict[str, Any]:
    return {value.name: value.value for value in read_folder(text).values}


def test_the_folders_of_the_notes() -> None:
    folder = read_folder("<mcd><Msd>jms_text</Msd></mcd>  ")
    assert (folder.name, folder.values) == ("mcd", [FolderValue("Msd", "string", "jms_text")])
    jms = values("<jms><Dst>queue:///APP.IN</Dst><Tms>1700000000000</Tms><Dlv>2</Dlv></jms>\0\0\0")
    assert jms == {"Dst": "queue:///APP.IN", "Tms": "1700000000000", "Dlv": "2"}
    assert read_folder("<usr><count dt='i4'>5</count></usr> ").values == [FolderValue("count", "i4", 5)]


@pytest.mark.spec("jms-mapping.md 4.4")
@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        ("string", "a b", "a b"),
        ("boolean", "1", True),
        ("boolean", "0", False),
        ("bin.hex", "00FFab", "00FFab"),
        ("i1", "-128", -128),
        ("i2", "32767", 32767),
        ("i4", "+7", 7),
        ("i8", "-9223372036854775808", -(1 << 63)),
        ("int", "12", 12),
        ("r4", "1.5E3", 1500.0),
        ("r8", "-0.25", -0.25),
        ("r8", "Infinity", float("inf")),
        ("char", "x", "x"),
        ("unheard-of", "kept", "kept"),
    ],
)
def test_types(kind: str, text: str, value: object) -> None:
    (found,) = read_folder(f'<usr><v dt="{kind}">{text}</v></usr>').values
    assert (found.type, found.value) == (kind, value)
    assert type(found.value) is type(value)


@pytest.mark.parametrize(
    ("kind", "text"),
    [("boolean", "true"), ("i1", "128"), ("i4", "1.0"), ("i4", ""), ("i8", "9" * 30), ("r4", "x"), ("bin.hex", "0g"),
     ("char", "ab"), ("i2", "-32769")],
)  # fmt: skip
@pytest.mark.spec("jms-mapping.md 4.4")
def test_values_that_are_not_of_their_type(kind: str, text: str) -> None:
    with pytest.raises(FolderError, match=f"is no {kind}"):
        read_folder(f"<usr><v dt='{kind}'>{text}</v></usr>")


@pytest.mark.spec("jms-mapping.md 4.5")
def test_escapes() -> None:
    text = "<usr><a>&lt;&amp;&gt;&quot;&apos;&#65;&#x42;</a><b>x > \"y\" 'z' &unknown; & &#xD800;</b></usr>"
    assert values(text) == {"a": "<&>\"'AB", "b": "x > \"y\" 'z' &unknown; & &#xD800;"}
    assert values("<jms><Dst>queue://QM/Q?priority=5&amp;persistence=2</Dst></jms>") == {
        "Dst": "queue://QM/Q?priority=5&persistence=2"
    }


def test_null_and_empty() -> None:
    found = values("<usr><a xsi:nil='true'></a><b xsi:nil=\"true\"/><c></c><d/><e xsi:nil='false'>x</e></usr>")
    assert found == {"a": None, "b": None, "c": "", "d": "", "e": "x"}


def test_groups_attributes_and_folders_without_values() -> None:
    folder = read_folder("<mine content='properties'>\n <g><a>1</a><h><b>2</b></h></g>\n <c>3</c></mine>")
    assert (folder.name, folder.attributes) == ("mine", {"content": "properties"})
    assert [(value.name, value.value) for value in folder.values] == [("g.a", "1"), ("g.h.b", "2"), ("c", "3")]
    assert read_folder("<usr></usr>").values == read_folder("<usr/>").values == []


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "no folder"),
        ("   ", "no folder"),
        ("usr", "outside"),
        ("<usr>", "<usr> has no end"),
        ("<usr><a></usr>", "</usr> at 8 ends nothing"),
        ("</usr>", "ends nothing"),
        ("<usr></usr><jms></jms>", "something follows"),
        ("<usr></usr>x", "something follows"),
        ("<!DOCTYPE x []><usr/>", "no tag at 0"),
        ("<usr><a b=c></a></usr>", "no tag at 5"),
        ("<usr", "no tag at 0"),
        ("<a>" * 17 + "</a>" * 17, "nested deeper than 16"),
    ],
)
def test_texts_that_are_no_folders(text: str, why: str) -> None:
    with pytest.raises(FolderError, match=why):
        read_folder(text)


@given(st.text("<>/ab='\" &;#x", max_size=200))
def test_any_text_is_a_folder_or_an_error(text: str) -> None:
    try:
        folder = read_folder(text)
    except FolderError:
        return
    assert folder.name in text


def test_the_work_grows_with_the_text_only() -> None:
    long = "<usr>" + "".join(f"<a{number}/> \n" for number in range(50_000)) + "</usr>"
    assert len(read_folder(long, max_tags=60_000).values) == 50_000
    with pytest.raises(FolderError):
        read_folder("<usr>" + "<a" + " b='c'" * 50_000 + " " * 50_000)


def test_a_folder_has_no_more_tags_and_references_than_are_allowed() -> None:
    least = "<usr>" + "<a/>" * (MAX_TAGS - 2) + "</usr>"
    assert len(read_folder(least).values) == MAX_TAGS - 2
    for text in (least.replace("<a/>", "<a/><b/>", 1), "<usr><a>" + "&amp;" * MAX_TAGS + "</a></usr>"):
        with pytest.raises(FolderError, match="more than"):
            read_folder(text)


@pytest.mark.parametrize(
    "text", ["<" + "a" * 100_000, "<a" + " " * 100_000, "<a" + " b='c'" * 17 + "/>", "<a b='" + "c" * 9]
)
def test_tags_that_do_not_end_are_given_up_at_once(text: str) -> None:
    with pytest.raises(FolderError, match="no tag at 0"):
        read_folder(text)
