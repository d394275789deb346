"""Any message and any path give a value or a `TreeError`, soon, and a tree that was changed gives a message or one."""

from __future__ import annotations

import json
import sys
import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqbridge.mappings.message import Message
from mqbridge.mappings.tree import Element, TreeError, message_tree
from mqbridge.protocol.constants import ByteOrder
from support.wire.tree_messages import ORDER, bare, order, with_rfh, with_rfh2

pytestmark = pytest.mark.spec("jms-mapping.md 10")

DOMAINS = ["XMLNSC", "XMLNS", "XML", "JSON", "MIME", "JMSMap", "JMSStream", "BLOB", "MRM"]
SECONDS = 10.0
"""Of processor time for one message; the worst takes about two seconds."""
MEMORY = 100 << 20
"""For a body of half the elements that are allowed."""
PIECES = (
    b"<a>", b"</a>", b"<a", b" x='1'", b"/>", b"<!DOCTYPE a>", b"<!--", b"-->", b"<?p", b"?>", b"&lt;", b"&x;",
    b"<map>", b"<stream>", b"<elt name='a'", b" dt='i4'>", b"</elt>", b"{", b"}", b"[", b"]", b'"a"', b":",
    b"]]>", b",", b"1e9", b"true", b"A: b\r\n", b"\r\n", b"Content-Type: multipart/mixed; boundary=x\r\n",
    b"--x", b"--", b"\0", b"\xff", b"5",
)  # fmt: skip
PATHS = (
    "MQRFH2.usr.a", "MQRFH2.usr", "MQRFH2.new", "MQRFH2", "MQMD",
    "MQRFH2.mcd.Msd", "MQRFH2[2].a.@b", "MQRFH.a", "XMLNSC.a.b", "XML.a.@x", "JSON.Data.a.Item[2]",
    "MIME.Parts.Part.Data.BLOB", "JMSMap.a", "JMSStream.elt[2]", "BLOB.BLOB", "*", "*.*", "MQDLH.Reason", "MQMD.Format",
    "MQMD.CodedCharSetId", "MQRFH2.Encoding", "Properties.Expiry", "MQXQH.RemoteQName", "XMLNSC", "JSON.*[<]",
)  # fmt: skip
VALUES = (1, "a", b"a", None, True, 1.5, [1, {"a": 2}], {"a": {"@b": "c"}}, Element("a", "b"), object(), 500, 10**30)


def attempt(message: Message, domain: str, changes: list[tuple[str, Any]]) -> None:
    """Touch all of a tree, change it, and take its message; nothing but `TreeError` comes out."""
    started = time.process_time()
    raw = message.raw_md, message.data
    try:
        tree = message_tree(message, domain=domain)
    except TreeError:
        return
    list(tree.lines())
    json.dumps(tree.plain())
    for path in PATHS:
        guarded(lambda path=path: tree[path])  # type: ignore[misc]
        guarded(lambda path=path: path in tree)  # type: ignore[misc]
    assert guarded(tree.message) in (message, None)
    for path, value in changes:
        if value == "delete":
            guarded(lambda path=path: tree.__delitem__(path))  # type: ignore[misc]
        else:
            guarded(lambda path=path, value=value: tree.__setitem__(path, value))  # type: ignore[misc]
    made = guarded(lambda: tree.message(0.0))
    if made is not None:
        list(message_tree(made, domain=domain).lines())
    assert (message.raw_md, message.data) == raw
    assert time.process_time() - started < SECONDS


def guarded(function: Callable[[], Any]) -> Any:
    try:
        return function()
    except TreeError as error:
        length = len(str(error))
    assert length < 1000
    return None


changes = st.lists(st.tuples(st.sampled_from(PATHS), st.sampled_from((*VALUES, "delete"))), max_size=4)
formats = st.sampled_from(["MQHRF2", "MQHRF", "MQDEAD", "MQXMIT", "MQHMDE", "MQSTR", "MQTRIG", "XMLNSC", ""])


@given(st.binary(max_size=200), formats, st.sampled_from(DOMAINS), st.sampled_from([546, 273, 0]), changes)
def test_any_data(data: bytes, name: str, domain: str, encoding: int, these: list[tuple[str, Any]]) -> None:
    attempt(bare(data, format=name, encoding=encoding), domain, these)


@given(st.binary(min_size=324, max_size=324) | st.binary(min_size=364, max_size=364), st.sampled_from(["MD  ", "XX"]))
def test_any_descriptor(raw: bytes, begin: str) -> None:
    attempt(Message(begin.encode() + raw[len(begin) :], ORDER, order=ByteOrder.LITTLE, ccsid=1208), "XML", [])


@given(
    st.lists(st.sampled_from(PIECES), max_size=12), st.sampled_from(DOMAINS), st.sampled_from([1208, 500, 77]), changes
)
def test_any_pieces_of_bodies(pieces: list[bytes], domain: str, ccsid: int, these: list[tuple[str, Any]]) -> None:
    attempt(bare(b"".join(pieces), coded_char_set_id=ccsid), domain, these)


@given(st.lists(st.sampled_from(PIECES), max_size=8), st.sampled_from(["", "JSON", "MQSTR"]), changes)
def test_any_pieces_of_folders(pieces: list[bytes], name: str, these: list[tuple[str, Any]]) -> None:
    text = b"".join(pieces).decode("latin_1")
    attempt(with_rfh2(ORDER, "<mcd><Msd>XMLNSC</Msd></mcd>", f"<usr>{text}</usr>", text, format=name), "", these)
    attempt(with_rfh(ORDER, text.encode("ascii", "replace").decode(), format=name), "", these)


@given(st.binary(min_size=1, max_size=4), st.integers(0, 200), changes)
def test_any_damage_of_headers(damage: bytes, place: int, these: list[tuple[str, Any]]) -> None:
    data = bytearray(order().data)
    data[place : place + len(damage)] = damage
    attempt(bare(bytes(data), format="MQHRF2"), "", these)


path_pieces = st.sampled_from(["a", ".", "[", "]", "*", "@", '"', "1", "<", "Root", "XMLNSC"])


@given(st.text(max_size=30) | st.lists(path_pieces).map("".join))
def test_any_path(path: str) -> None:
    tree = message_tree(order())
    guarded(lambda: tree[path])
    guarded(lambda: tree.__setitem__(path, "1"))
    guarded(lambda: tree.__delitem__(path))
    guarded(lambda: list(tree.items(path)))
    guarded(tree.message)


DEEP = 10_000


@pytest.mark.parametrize(
    ("domain", "body", "what"),
    [
        ("XMLNSC", b"<a>" * DEEP + b"</a>" * DEEP, "nested deeper than 128"),
        ("XML", b"<a>" * 2_000_000, "nested deeper than 128"),
        ("JSON", b"[" * DEEP + b"]" * DEEP, "nested deeper than 128"),
        ("JSON", b'{"a":' * DEEP + b"1" + b"}" * DEEP, "nested deeper than 128"),
        ("JSON", b"[" * 5_000_000, "nested deeper than 128"),
        ("JSON", b"[" + b"1," * 1_000_000 + b"1]", "more than 250000 elements"),
        ("JSON", b"9" * 1_000_000, "a number has 400 characters at most"),
        ("JSON", b'"' + b"\\" * 3_000_001, "no JSON"),
        ("XMLNS", b"<r>" + b"<a/>" * 260_000 + b"</r>", "more than 250000 elements"),
        ("XMLNSC", b"<" + b"a" * 3_000_000 + b"/>", "a name has 1024 characters at most"),
        ("XMLNSC", b"<r " + b"".join(b"a%d='' " % n for n in range(260_000)) + b"/>", "more than 250000 elements"),
        ("XMLNSC", b"<a>" + b" " * (17 << 20), "bytes; up to 16777216 are parsed"),
        ("XML", b'<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', "document types and entities are refused"),
        ("XMLNSC", b'<!DOCTYPE a SYSTEM "http://127.0.0.1/x"><a/>', "document types and entities are refused"),
        ("XMLNSC", b"<a>&unknown;</a>", "no XML: undefined entity"),
        ("MIME", b"Content-Type: multipart/x; boundary=b\n\n" + b"--b\n\n" * 20_000, "more than 10000 parts"),
        ("MIME", b"Content-Type: multipart/x; boundary=b\n\n--b\n\nno end", "no end of the parts: --b--"),
        ("MIME", b"a: b\n" * 20_000, "more than 10000 header fields"),
        ("MIME", b"".join(b"Content-Type: multipart/x; boundary=b%d\n\n--b%d\n" % (n, n) for n in range(99))
         + b"".join(b"\n--b%d--" % n for n in reversed(range(99))), "nested deeper than 32"),
    ],
)  # fmt: skip
def test_too_much_is_refused_in_bounded_time_and_memory(domain: str, body: bytes, what: str) -> None:
    tree = message_tree(bare(body), domain=domain)
    started = time.process_time()
    with pytest.raises(TreeError, match=what):
        tree[domain]
    assert time.process_time() - started < SECONDS
    assert len(list(tree.lines())) < 100


@pytest.mark.parametrize(
    ("domain", "body"),
    [
        ("XMLNSC", b"<r>" + b"<a/>" * 120_000 + b"<r>"),
        ("JSON", b"[" + b"{}," * 120_000),
        ("MIME", b"a: b\n" * 20_000),
    ],
)
def test_memory_is_bounded(domain: str, body: bytes) -> None:
    tree = message_tree(bare(body), domain=domain)
    tracemalloc.start()
    try:
        with pytest.raises(TreeError):
            tree[domain]
        assert tracemalloc.get_traced_memory()[1] < MEMORY
    finally:
        tracemalloc.stop()


def test_depth_leaves_room_on_the_stack() -> None:
    """The deepest bodies are read, changed and written with half of the interpreter's frames in use."""

    def deep(levels: int) -> list[bytes]:
        if levels:
            return deep(levels - 1)
        made = []
        for domain, body, path in (
            ("JSON", b"[" * 128 + b"]" * 128, "JSON.Data.Item[2]"),
            ("XMLNS", b"<a>" * 128 + b"</a>" * 128, "XMLNS.a.@b"),
        ):
            tree = message_tree(bare(body), domain=domain)
            tree[path] = "new"
            assert list(tree.lines())
            assert tree.plain()
            made.append(tree.message().data)
        return made

    json_body, xml_body = deep(sys.getrecursionlimit() // 2)
    assert json_body.endswith(b'],"new"]')
    assert xml_body.startswith(b'<a b="new"><a>')


def test_elements_can_be_made_as_deep_as_they_are_read() -> None:
    tree = message_tree(bare(b""), domain="JSON")
    tree[".".join(["JSON", "Data", *"a" * 126])] = 1
    assert tree.message().data.count(b"{") == 126
    with pytest.raises(TreeError, match="nested deeper than 128"):
        tree[".".join(["JSON", "Data", *"a" * 300])] = 1
