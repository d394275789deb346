"""Laws of message trees: what is not changed keeps its bytes, what is set is there, a message gives its tree back."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from mqbridge.mappings.message import Message
from mqbridge.mappings.tree import MessageTree, TreeError, message_tree
from mqbridge.mappings.tree.paths import parse_path, path_text, step_text
from support.wire.tree_messages import bare, order, with_rfh, with_rfh2

pytestmark = pytest.mark.spec("jms-mapping.md 10")

ALL_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
XML_TEXT = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff"), max_size=8
)
XML_NAMES = st.sampled_from(["a", "b", "Item", "x-y", "é", "a.b", "_1", "{urn:one}a", "{urn:two}b", "{urn:one}Item"])
PLAIN_NAMES = st.sampled_from(["a", "b", "Item", "x-y", "é", "a.b"])
JSON_NAMES = st.sampled_from(["a", "b", "Item", "", "a.b", 'a"b', "[1]", "*", "@a"]) | ALL_TEXT
NUMBERS = st.integers(-(10**20), 10**20) | st.floats(allow_nan=False, allow_infinity=False)
SCALARS = st.none() | st.booleans() | NUMBERS | ALL_TEXT
JSON_VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(JSON_NAMES, inner, max_size=3), max_leaves=8
)
FOLDER_VALUES = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False)
    | st.binary(max_size=8)
    | st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=8)
)
BEFORE = datetime(2026, 1, 1, tzinfo=UTC)


def xml_values(names: st.SearchStrategy[str]) -> st.SearchStrategy[Any]:
    """Values of elements: text, or mappings with attributes and repeated names."""
    return st.recursive(
        XML_TEXT,
        lambda inner: st.dictionaries(names, inner | st.lists(inner, min_size=2, max_size=3), max_size=3),
        max_leaves=8,
    )


def path_of(*names: str) -> str:
    return ".".join(step_text(name) for name in names)


def check_laws(tree: MessageTree[Message], path: str, value: Any, **options: Any) -> None:
    """Set then get, and the message gives an equal tree."""
    tree[path] = value
    assert path in tree
    if not isinstance(value, dict | list):
        got = tree[path]
        assert got == value
        assert type(got) is type(value)
    message = tree.message(BEFORE.timestamp())
    again = message_tree(message, **options)
    assert again == tree
    assert again.message() is message
    assert list(again.items()) == list(tree.items())
    for exact, found in again.items():
        assert again[exact] == found


@given(st.lists(ALL_TEXT, min_size=1, max_size=4), st.integers(1, 9))
def test_steps_make_a_path_and_a_path_its_steps(names: list[str], number: int) -> None:
    steps = parse_path(".".join(step_text(name, number) for name in ["JSON", *names]))
    assert [step.name for step in steps] == ["JSON", *names]
    assert {step.occurrence or 1 for step in steps} == {number}
    assert parse_path(path_text(steps)) == steps


@settings(max_examples=60)
@given(xml_values(XML_NAMES), XML_TEXT, st.sampled_from(["XMLNSC", "XMLNS"]), st.sampled_from([1208, 1200, 819, 500]))
def test_xml_in_namespaces(document: Any, text: str, domain: str, ccsid: int) -> None:
    tree = message_tree(with_rfh2(b"<Order/>", f"<mcd><Msd>{domain}</Msd></mcd>"))
    tree["MQRFH2.CodedCharSetId"] = ccsid
    tree[f"{domain}.Order"] = {"one": document}
    check_laws(tree, f"{domain}.Order.two[1]", text)


@settings(max_examples=40)
@given(xml_values(PLAIN_NAMES), XML_TEXT)
def test_xml_as_written(document: Any, text: str) -> None:
    tree = message_tree(bare(b"<?xml version='1.0'?><!--c--><p:a x:y='1'>\n <b/>tail</p:a><?p i?>"), domain="XML")
    tree["XML.p:a.b"] = document
    check_laws(tree, "XML.p:a.@z", text, domain="XML")


@settings(max_examples=60)
@given(JSON_VALUES, st.lists(JSON_NAMES, min_size=1, max_size=3), SCALARS, st.sampled_from([1208, 1200, 500]))
def test_json(document: Any, names: list[str], value: Any, ccsid: int) -> None:
    tree = message_tree(bare(b'{"old": 1.50}', coded_char_set_id=1208), domain="JSON")
    tree["MQMD.CodedCharSetId"] = ccsid
    tree["JSON.Data.given"] = document
    check_laws(tree, path_of("JSON", "Data", "more", *names), value, domain="JSON")


@settings(max_examples=60)
@given(st.sampled_from(["usr", "jms", "other"]), PLAIN_NAMES, FOLDER_VALUES, st.sampled_from([1208, 1200]))
def test_folders(folder: str, name: str, value: Any, ccsid: int) -> None:
    message = with_rfh2(b"{}", "<mcd><Msd>JSON</Msd></mcd>", "<usr><b>1</b><b dt='i4'>2</b></usr>")
    if ccsid == 1200:
        message = Message.build(b"{}", format="MQSTR", encoding=546, coded_char_set_id=1208)
    check_laws(message_tree(message), path_of("MQRFH2", folder, "group", name), value)


@settings(max_examples=40)
@given(st.lists(st.tuples(ALL_TEXT, ALL_TEXT), max_size=4), ALL_TEXT, ALL_TEXT)
def test_names_and_values(pairs: list[tuple[str, str]], name: str, value: str) -> None:
    assume(name and name not in ("Flags", "Format", "Encoding", "CodedCharSetId", "Version", "StrucId", "StrucLength"))
    assume(not any("\0" in word for word in (name, value)))
    check_laws(message_tree(with_rfh(b"", "")), path_of("MQRFH", name), value)


@given(
    st.sampled_from([("MQMD.Priority", 7), ("MQMD.ReplyToQ", "Q é"), ("MQMD.CorrelId", bytes(range(24)))]),
    st.sampled_from(
        [("MQMD.Expiry", 99), ("MQMD.Expiry", BEFORE + timedelta(seconds=5)), ("MQMD.GroupId", b"\1" * 24)]
    ),
)
def test_descriptors(one: tuple[str, Any], two: tuple[str, Any]) -> None:
    tree = message_tree(order())
    tree[one[0]] = one[1]
    tree[two[0]] = two[1]
    assert tree[two[0]] == two[1]
    assert message_tree(tree.message(BEFORE.timestamp())) == tree


@given(st.binary(max_size=40), st.integers(-50, 50), st.integers(-50, 50), st.binary(max_size=9))
def test_slices_of_a_blob(data: bytes, start: int, end: int, new: bytes) -> None:
    tree = message_tree(bare(data + b"."))
    same = bytearray(data + b".")
    assert tree["BLOB"][start:end] == bytes(same[start:end])
    same[start:end] = new
    tree["BLOB"][start:end] = new
    assert tree.message().data == bytes(same)
    assert tree.get("BLOB.BLOB", b"") == bytes(same)


@settings(max_examples=40)
@given(st.lists(st.tuples(st.sampled_from(["Content-ID", "X"]), st.text("ab c=", max_size=5)), max_size=3), st.binary())
def test_mime(fields: list[tuple[str, str]], data: bytes) -> None:
    assume(b"--sep" not in data)
    tree = message_tree(
        bare(b'Content-Type: multipart/mixed; boundary="sep"\r\n\r\n--sep\r\n\r\nfirst\r\n--sep--\r\n'), domain="MIME"
    )
    for name, value in fields:
        tree[f"MIME.Parts.Part[<].{name}"] = value.strip()
    check_laws(tree, "MIME.Parts.Part[2].Data.BLOB", data, domain="MIME")


JMS_VALUES = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False)
    | st.binary(max_size=8)
    | st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=8)
)


@settings(max_examples=60)
@given(
    st.dictionaries(st.text("ab .é<&'", max_size=4), JMS_VALUES, max_size=4), JMS_VALUES, st.sampled_from([1208, 1200])
)
def test_jms_maps_and_streams(entries: dict[str, Any], value: Any, ccsid: int) -> None:
    tree = message_tree(with_rfh2(b"<map/>", "<mcd><Msd>jms_map</Msd></mcd>"))
    tree["MQRFH2.CodedCharSetId"] = ccsid
    tree["JMSMap"] = {name: each for name, each in entries.items() if name}
    check_laws(tree, "JMSMap.last", value)
    tree = message_tree(bare(b"<stream></stream>", coded_char_set_id=1208), domain="JMSStream")
    tree["JMSStream"] = {"elt": list(entries.values())} if entries else {}
    check_laws(tree, f"JMSStream.elt[{len(entries) + 1}]", value, domain="JMSStream")


BODIES = st.sampled_from(
    [b"<a> <b x='1'/> </a>", b' { "a" : [ 1.0 , 2e5 ] } ', b"", b"\0\1", b"A: b\n\nc", b"<a", b'{"a": NaN}', b"A: b"]
)


@settings(max_examples=80)
@given(
    BODIES,
    st.sampled_from(["XMLNSC", "XML", "JSON", "MIME", "BLOB", "MRM"]),
    st.sampled_from(["", "<usr><a>1</a></usr>  "]),
)
def test_what_is_only_read_keeps_its_bytes(body: bytes, domain: str, folder: str) -> None:
    message = with_rfh2(body, f"<mcd><Msd>{domain}</Msd></mcd>", *([folder] if folder else []))
    raw = message.raw_md, message.data
    tree = message_tree(message)
    list(tree.lines())
    tree.plain()
    assert tree.message() is message
    assert (message.raw_md, message.data) == raw
    tree["MQMD.Priority"] = 4
    changed = tree.message()
    assert changed.data == raw[1]
    assert changed.md.priority == 4


@given(st.lists(st.sampled_from(["a", "b"]), min_size=1, max_size=5), st.integers(1, 6))
def test_what_is_deleted_is_gone(names: list[str], number: int) -> None:
    body = "<r>" + "".join(f"<{name}>{place}</{name}>" for place, name in enumerate(names)) + "</r>"
    tree = message_tree(bare(body.encode()), domain="XMLNSC")
    path = f"XMLNSC.r.a[{number}]"
    places = [str(place) for place, name in enumerate(names) if name == "a"]
    if number > len(places):
        with pytest.raises(TreeError, match="there is nothing"):
            del tree[path]
        return
    del tree[path]
    del places[number - 1]
    assert tree["XMLNSC.r.a[*]"] == places
